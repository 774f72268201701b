# lacking.bash - a kernel without Landlock and without filters of system calls.

# lacking_library: makes lacking.so, to be preloaded
lacking_library() {
	cat >lacking.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <sys/syscall.h>
		long syscall(long number, long a, long b, long c, long d, long e, long f)
		{
			if (number == SYS_landlock_create_ruleset || number == SYS_seccomp) {
				errno = ENOSYS;
				return -1;
			}
			return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a, b, c, d, e, f);
		}
	END
	"${CC:-cc}" -shared -fPIC -o lacking.so lacking.c -ldl
}
