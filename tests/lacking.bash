# lacking.bash - a kernel without Landlock and without filters of system calls.

# lacking_library: makes lacking.so, for whom there are neither who preloads it
lacking_library() {
	cat >lacking.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <stdarg.h>
		#include <sys/syscall.h>
		long syscall(long number, ...)
		{
			long a[6];
			va_list args;
			va_start(args, number);
			for (int i = 0; i < 6; i++)
				a[i] = va_arg(args, long);
			va_end(args);
			if (number == SYS_landlock_create_ruleset || number == SYS_seccomp) {
				errno = ENOSYS;
				return -1;
			}
			return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		}
	END
	"${CC:-cc}" -shared -fPIC -o lacking.so lacking.c -ldl
}
