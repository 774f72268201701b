/* shim.c - preloaded into a tool: counts its calls of each class, and makes the nth of one class
 * fail; matrix.pl says in the environment which call, which class and which failure:
 *
 *   FAULT="CLASS ERROR FIRST EVERY"   the FIRSTth call fails, and every EVERYth after it (0: none)
 *   FAULT_BOARD=FILE                  where the counts go: a uint64_t a class, then that of failures
 *   FAULT_TMPFILE=ERROR               file systems make no file without a name, whichever the call
 *   FAULT_SORT=1                      qsort() finds everything the other way round: what it makes of equals,
 *                                     and of an order that is none, is another
 *
 * ERROR is a number of errno, or 0: a read or write of one byte.  Only what is called after main()
 * has begun counts.  What the tool starts is left alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In matrix.pl's order.  A call may be of two classes: a read from a pipe is READ and WAIT. */
enum { MEMORY, READ, WAIT, WRITE, PIPE, OPEN, MAP, SEEK, POLL, STAT, FILES, TASKS, CLASSES };

static uint64_t *board;
static uint64_t calls[CLASSES];
static bool armed, reversed;
static int class = -1, reason, no_tmpfile;
static uint64_t first, every;

/* Whether this call is to fail.  A class of -1 is none. */
static bool fails_too(int one, int other)
{
	bool hit = false;

	if (!armed)
		return false;
	for (int i = 0; i < 2; i++) {
		const int c = i ? other : one;

		if (c < 0)
			continue;
		calls[c]++;
		if (board && board[c] < calls[c])
			board[c] = calls[c];
		if (c == class && (calls[c] == first ||
				   (every && calls[c] > first && (calls[c] - first) % every == 0)))
			hit = true;
	}
	if (hit && board)
		board[CLASSES]++;
	if (hit)
		errno = reason;
	return hit;
}

static bool fails(int one)
{
	return fails_too(one, -1);
}

/* ---- memory: glibc has these names so that malloc can be replaced ---- */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
	return fails(MEMORY) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails(MEMORY) ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	if (fails(MEMORY))
		return ENOMEM;
	*p = __libc_memalign(align, size);
	return *p ? 0 : ENOMEM;
}

/* ---- all else: the next function of that name ---- */

/* real(name): what libc calls that; looked up before main(), since dlsym() itself allocates, or when
 * it is first called, since sanitizers call some before anything. */
#define FUNCTIONS(X) \
	X(read) X(pread) X(pread64) X(readv) X(readdir) X(readdir64) \
	X(write) X(pwrite) X(pwrite64) X(writev) X(send) X(fallocate) \
	X(open) X(open64) X(openat) X(openat64) X(opendir) X(mkostemp) X(memfd_create) \
	X(dup) X(dup2) X(pipe2) X(socketpair) X(mmap) X(mmap64) X(mremap) \
	X(lseek) X(lseek64) X(ftruncate) X(ftruncate64) X(poll) X(ppoll) \
	X(stat) X(stat64) X(fstat) X(fstat64) X(lstat) X(lstat64) X(fstatat) X(fstatat64) X(statx) \
	X(access) X(faccessat) X(readlink) X(rename) X(unlink) X(close) X(fchmod) X(qsort_r) \
	X(fork) X(waitpid) X(kill) X(syscall) X(getrlimit) X(setrlimit)

#define X(name) static __typeof__(&name) real_##name;
FUNCTIONS(X)
#undef X

static void look_up(void)
{
#define X(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name);
	FUNCTIONS(X)
#undef X
}

#define real(name) (real_##name ? real_##name : (look_up(), real_##name))

static bool can_wait(int fd)
{
	struct stat st;

	return !real(fstat)(fd, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* ---- reading ---- */

#define READING(name, fd, size, short_call, whole_call) \
	do { \
		if (!fails_too(READ, can_wait(fd) ? WAIT : -1)) \
			return whole_call; \
		if (reason || (size) < 2) \
			return reason ? -1 : whole_call; \
		return short_call; \
	} while (0)

/* The kernel gives a counter whole, or not at all. */
static ssize_t read_short(int fd, void *p, size_t n)
{
	const ssize_t got = real(read)(fd, p, 1);

	return got < 0 && errno == ENOSPC ? real(read)(fd, p, n) : got;
}

ssize_t read(int fd, void *p, size_t n)
{
	READING(read, fd, n, read_short(fd, p, n), real(read)(fd, p, n));
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	READING(pread, fd, n, real(pread)(fd, p, 1, at), real(pread)(fd, p, n, at));
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	READING(pread64, fd, n, real(pread64)(fd, p, 1, at), real(pread64)(fd, p, n, at));
}

ssize_t readv(int fd, const struct iovec *v, int n)
{
	READING(readv, fd, v->iov_len, real(read)(fd, v->iov_base, 1), real(readv)(fd, v, n));
}

struct dirent *readdir(DIR *d)
{
	return fails(FILES) ? NULL : real(readdir)(d);
}

struct dirent64 *readdir64(DIR *d)
{
	return fails(FILES) ? NULL : real(readdir64)(d);
}

/* ---- writing; what is said on standard error is no data ---- */

#define WRITING(fd, flags, size, short_call, whole_call) \
	do { \
		if ((fd) == STDERR_FILENO || \
		    !fails_too(WRITE, (fd) == STDOUT_FILENO || can_wait(fd) ? PIPE : -1)) \
			return whole_call; \
		if (reason == EPIPE && !(flags & MSG_NOSIGNAL)) \
			raise(SIGPIPE); \
		errno = reason; \
		if (reason || (size) < 2) \
			return reason ? -1 : whole_call; \
		return short_call; \
	} while (0)

ssize_t write(int fd, const void *p, size_t n)
{
	WRITING(fd, 0, n, real(write)(fd, p, 1), real(write)(fd, p, n));
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	WRITING(fd, 0, n, real(pwrite)(fd, p, 1, at), real(pwrite)(fd, p, n, at));
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	WRITING(fd, 0, n, real(pwrite64)(fd, p, 1, at), real(pwrite64)(fd, p, n, at));
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	size_t all = 0;
	int some = 0;

	for (int i = 0; i < n; i++)
		all += v[i].iov_len;
	while (some < n - 1 && !v[some].iov_len)
		some++;
	WRITING(fd, 0, all, real(write)(fd, v[some].iov_base, 1), real(writev)(fd, v, n));
}

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	WRITING(fd, flags, n, real(send)(fd, p, 1, flags), real(send)(fd, p, n, flags));
}

/* It has no short form, and no pipe has it. */
int fallocate(int fd, int mode, off_t at, off_t n)
{
	return fails(WRITE) && reason ? -1 : real(fallocate)(fd, mode, at, n);
}

/* ---- what makes a descriptor ---- */

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

/* As NFS and older kernels do: by EOPNOTSUPP, EISDIR or EINVAL. */
static bool refuses(int flags)
{
	if (!armed || !no_tmpfile || (flags & __O_TMPFILE) != __O_TMPFILE)
		return false;
	errno = no_tmpfile;
	return true;
}

#define OPENING(call) \
	do { \
		va_list args; \
		mode_t mode; \
		\
		va_start(args, flags); \
		mode = mode_of(flags, args); \
		va_end(args); \
		return fails(OPEN) || refuses(flags) ? -1 : call; \
	} while (0)

int open(const char *path, int flags, ...) { OPENING(real(open)(path, flags, mode)); }
int open64(const char *path, int flags, ...) { OPENING(real(open64)(path, flags, mode)); }
int openat(int at, const char *path, int flags, ...) { OPENING(real(openat)(at, path, flags, mode)); }
int openat64(int at, const char *path, int flags, ...) { OPENING(real(openat64)(at, path, flags, mode)); }

DIR *opendir(const char *path) { return fails(OPEN) ? NULL : real(opendir)(path); }
int mkostemp(char *name, int flags) { return fails(OPEN) ? -1 : real(mkostemp)(name, flags); }
int memfd_create(const char *name, unsigned f) { return fails(OPEN) ? -1 : real(memfd_create)(name, f); }
int dup(int fd) { return fails(OPEN) ? -1 : real(dup)(fd); }
int dup2(int fd, int to) { return fails(OPEN) ? -1 : real(dup2)(fd, to); }
int pipe2(int fd[2], int flags) { return fails(OPEN) ? -1 : real(pipe2)(fd, flags); }

int socketpair(int domain, int type, int protocol, int fd[2])
{
	return fails(OPEN) ? -1 : real(socketpair)(domain, type, protocol, fd);
}

/* ---- streams of libc: it reads and writes them by calls of its own, so ours are put below ---- */

static ssize_t file_read(void *cookie, char *p, size_t n)
{
	return read((int)(intptr_t)cookie, p, n);
}

static ssize_t file_write(void *cookie, const char *p, size_t n)
{
	ssize_t done, all = 0;

	/* as libc's own: it goes on after a short write, and gives up at a failure */
	for (; (size_t)all < n; all += done) {
		done = write((int)(intptr_t)cookie, p + all, n - (size_t)all);
		if (done < 0)
			return all;
	}
	return all;
}

static int file_close(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

static const cookie_io_functions_t file = {
	.read = file_read, .write = file_write, .close = file_close,
};

/* The tools only read by it. */
FILE *fopen(const char *path, const char *mode)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	FILE *f;

	if (fd < 0)
		return NULL;
	if (*mode != 'r' || strchr(mode, '+'))
		abort();
	f = fopencookie((void *)(intptr_t)fd, "r", file);
	if (!f)
		real(close)(fd);
	return f;
}

static void take_stdout(void)
{
	FILE *const f = fopencookie((void *)(intptr_t)STDOUT_FILENO, "w", file);

	if (!f)
		abort();
	f->_fileno = STDOUT_FILENO; /* for those who ask whether it is a terminal */
	stdout = f;
}

/* ---- the rest ---- */

void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
	return fails(MAP) ? MAP_FAILED : real(mmap)(p, n, prot, flags, fd, at);
}

void *mmap64(void *p, size_t n, int prot, int flags, int fd, off64_t at)
{
	return fails(MAP) ? MAP_FAILED : real(mmap64)(p, n, prot, flags, fd, at);
}

void *mremap(void *p, size_t from, size_t to, int flags, ...)
{
	va_list args;
	void *fixed;

	va_start(args, flags);
	fixed = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	return fails(MAP) ? MAP_FAILED : real(mremap)(p, from, to, flags, fixed);
}

off_t lseek(int fd, off_t at, int from) { return fails(SEEK) ? -1 : real(lseek)(fd, at, from); }
off64_t lseek64(int fd, off64_t at, int from) { return fails(SEEK) ? -1 : real(lseek64)(fd, at, from); }

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return fails(POLL) ? -1 : real(poll)(fds, n, timeout);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *set)
{
	return fails(POLL) ? -1 : real(ppoll)(fds, n, timeout, set);
}

int stat(const char *path, struct stat *st) { return fails(STAT) ? -1 : real(stat)(path, st); }
int stat64(const char *path, struct stat64 *st) { return fails(STAT) ? -1 : real(stat64)(path, st); }
int fstat(int fd, struct stat *st) { return fails(STAT) ? -1 : real(fstat)(fd, st); }
int fstat64(int fd, struct stat64 *st) { return fails(STAT) ? -1 : real(fstat64)(fd, st); }
int lstat(const char *path, struct stat *st) { return fails(STAT) ? -1 : real(lstat)(path, st); }
int lstat64(const char *path, struct stat64 *st) { return fails(STAT) ? -1 : real(lstat64)(path, st); }

int fstatat(int at, const char *path, struct stat *st, int flags)
{
	return fails(STAT) ? -1 : real(fstatat)(at, path, st, flags);
}

int fstatat64(int at, const char *path, struct stat64 *st, int flags)
{
	return fails(STAT) ? -1 : real(fstatat64)(at, path, st, flags);
}

int statx(int at, const char *path, int flags, unsigned mask, struct statx *st)
{
	return fails(STAT) ? -1 : real(statx)(at, path, flags, mask, st);
}

int access(const char *path, int how) { return fails(FILES) ? -1 : real(access)(path, how); }
int rename(const char *from, const char *to) { return fails(FILES) ? -1 : real(rename)(from, to); }
int unlink(const char *path) { return fails(FILES) ? -1 : real(unlink)(path); }
int fchmod(int fd, mode_t mode) { return fails(FILES) ? -1 : real(fchmod)(fd, mode); }
int ftruncate(int fd, off_t n) { return fails(FILES) ? -1 : real(ftruncate)(fd, n); }
int ftruncate64(int fd, off64_t n) { return fails(FILES) ? -1 : real(ftruncate64)(fd, n); }

int faccessat(int at, const char *path, int how, int flags)
{
	return fails(FILES) ? -1 : real(faccessat)(at, path, how, flags);
}

ssize_t readlink(const char *path, char *p, size_t n)
{
	return fails(FILES) ? -1 : real(readlink)(path, p, n);
}

/* The descriptor is gone whatever close() says. */
int close(int fd)
{
	const bool fail = fails(FILES);
	const int result = real(close)(fd);

	if (fail)
		errno = reason;
	return fail ? -1 : result;
}

pid_t fork(void) { return fails(TASKS) ? -1 : real(fork)(); }
int kill(pid_t pid, int number) { return fails(TASKS) ? -1 : real(kill)(pid, number); }

pid_t waitpid(pid_t pid, int *status, int options)
{
	return fails(TASKS) ? -1 : real(waitpid)(pid, status, options);
}

long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	return fails(TASKS) ? -1 : real(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return fails(TASKS) ? -1 : (int)real(syscall)(SYS_ioctl, fd, request, arg);
}

/* Of its commands only those that make a descriptor are likely to fail. */
int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails(OPEN))
		return -1;
	return (int)real(syscall)(SYS_fcntl, fd, command, arg);
}

int getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	return fails(TASKS) ? -1 : real(getrlimit)(what, limit);
}

int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	return fails(TASKS) ? -1 : real(setrlimit)(what, limit);
}

/* ---- sorting ---- */

void qsort_r(void *items, size_t n, size_t size, __compar_d_fn_t compare, void *arg)
{
	char *const p = items;

	for (size_t i = 0; reversed && i < n / 2; i++)
		for (size_t k = 0; k < size; k++) {
			char *const a = p + i * size + k, *const b = p + (n - 1 - i) * size + k;
			const char was = *a;

			*a = *b;
			*b = was;
		}
	real(qsort_r)(items, n, size, compare, arg);
}

static int without_argument(const void *a, const void *b, void *arg)
{
	const __compar_fn_t *const compare = arg;

	return (*compare)(a, b);
}

void qsort(void *items, size_t n, size_t size, __compar_fn_t compare)
{
	qsort_r(items, n, size, without_argument, &compare);
}

/* ---- the beginning ---- */

static void __attribute__((constructor)) prepare(void)
{
	const char *const fault = getenv("FAULT");
	const char *const path = getenv("FAULT_BOARD");
	const char *const tmpfile_error = getenv("FAULT_TMPFILE");

	look_up();
	if (path) {
		const int fd = real(open)(path, O_RDWR | O_CLOEXEC);

		board = real(mmap)(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (fd < 0 || board == MAP_FAILED)
			abort();
		real(close)(fd);
	}
	if (fault && sscanf(fault, "%d %d %lu %lu", &class, &reason, &first, &every) != 4)
		abort();
	if (tmpfile_error)
		no_tmpfile = atoi(tmpfile_error);
	reversed = getenv("FAULT_SORT") != NULL;
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT");
	unsetenv("FAULT_BOARD");
}

static int (*tool_main)(int, char **, char **);

static int shim_main(int argc, char **argv, char **env)
{
	take_stdout();
	armed = true;
	return tool_main(argc, argv, env);
}

int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
		      void (*)(void), void *);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *end)
{
	int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
		     void (*)(void), void *);

	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	tool_main = main;
	return start(shim_main, argc, argv, init, fini, rtld_fini, end);
}
