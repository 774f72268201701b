/* sandbox.c - capset(2), Landlock without any rule, and seccomp(2) with a filter made of a table; what
 * stays is the callers'. */
#include "sandbox/sandbox.h"
#include "base/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#else
#define ARCHITECTURE 0                /* not known here: no filter */
#endif

/* ---- capabilities ---- */

static struct __user_cap_header_struct version(void)
{
	return (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
}

uint64_t pp_capabilities(void)
{
	struct __user_cap_header_struct header = version();
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

/* capset(2) is about the calling thread: one that runs already would keep its capabilities. */
static int check_threads(uint64_t kept, struct pp_error *error)
{
	static const char field[] = "\nCapPrm:";
	struct pp_names threads;
	struct stat alone;
	int status = 0;

	/* a folder for each thread */
	if (!stat("/proc/self/task", &alone) && alone.st_nlink == 3)
		return 0;
	if (pp_names_read(&threads, "/proc/self/task", pp_is_number))
		return 0;
	for (size_t i = 0; i < threads.n && !status; i++) {
		char text[4096];
		const long n = pp_file_text(text, sizeof(text), "/proc/self/task/%s/status",
					    threads.items[i]);
		const char *const at = n > 0 ? strstr(text, field) : NULL;

		if (at && strtoull(at + sizeof(field) - 1, NULL, 16) & ~kept)
			status = pp_fail(error, PP_E_USE, "thread %s runs already, and would keep its "
					 "capabilities: start threads later", threads.items[i]);
	}
	pp_names_free(&threads);
	return status;
}

int pp_sandbox_capabilities(uint64_t kept, struct pp_error *error)
{
	const uint64_t left = pp_capabilities() & kept;
	struct __user_cap_header_struct header = version();
	const uint32_t low = (uint32_t)left, high = (uint32_t)(left >> 32);
	const struct __user_cap_data_struct data[2] = {
		{ .effective = low, .permitted = low }, { .effective = high, .permitted = high },
	};

	if (syscall(SYS_capset, &header, data))
		return pp_fail_os(error, "cannot give up capabilities");
	return check_threads(kept, error);
}

/* ---- files ---- */

/* A folder for spools that cannot be used is missed by who needs it, if anybody does. */
static bool is_missing(int os)
{
	return os == ENOENT || os == ENOTDIR || os == EACCES;
}

static int leave_folder(int rules, const struct pp_left_folder *folder)
{
	enum { OPEN = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE };
	static const uint64_t rights[] = {
		[PP_LEFT_NAMES] = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE,
		[PP_LEFT_OUTPUTS] = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
				    LANDLOCK_ACCESS_FS_WRITE_FILE,
		[PP_LEFT_SPOOLS] = LANDLOCK_ACCESS_FS_MAKE_REG | OPEN,
		[PP_LEFT_FILES] = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | OPEN,
	};
	struct landlock_path_beneath_attr rule = {
		.allowed_access = rights[folder->left],
		.parent_fd = open(folder->path, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	int failed, os;

	if (rule.parent_fd < 0)
		return folder->left == PP_LEFT_SPOOLS && is_missing(errno) ? 0 : -1;
	failed = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	os = errno;
	(void)close(rule.parent_fd);
	errno = os;
	return failed;
}

int pp_sandbox_files(const struct pp_left_folder *folders, size_t n, struct pp_error *error)
{
	/* what the first version knows; all that is not allowed then is forbidden */
	const struct landlock_ruleset_attr rules = {
		.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1,
	};
	const int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	int failed = 0, os;

	if (fd < 0)
		return pp_lacking(errno) ? pp_fail_os(error, "cannot give up files") : 0;
	for (size_t i = 0; i < n && !failed; i++)
		failed = folders[i].path && leave_folder(fd, &folders[i]);
	failed = failed || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		 syscall(SYS_landlock_restrict_self, fd, 0);
	os = errno;
	(void)close(fd);
	errno = os;
	return failed ? pp_fail_os(error, "cannot give up files") : 1;
}

/* ---- system calls ---- */

/* The lower half of an argument. */
static uint32_t argument_at(unsigned i)
{
	const uint32_t half = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof(uint32_t);

	return (uint32_t)offsetof(struct seccomp_data, args) + i * (uint32_t)sizeof(uint64_t) + half;
}

static const struct sock_filter load_number =
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));

/* A row: the number, and what an argument has to be.  Returns the end of what was added. */
static struct sock_filter *add_call(struct sock_filter *to, const struct pp_call *call)
{
	const uint32_t answer = call->refused == PP_CALL_KILLS ? SECCOMP_RET_KILL_PROCESS :
				call->refused ? SECCOMP_RET_ERRNO | (uint32_t)call->refused :
						SECCOMP_RET_ALLOW;
	const struct sock_filter plain[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
	};
	const struct sock_filter conditional[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call->number, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_at(call->argument)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, call->mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		load_number,
	};
	const struct sock_filter *const rows = call->mask ? conditional : plain;
	const size_t n = call->mask ? sizeof(conditional) / sizeof(*conditional) :
				      sizeof(plain) / sizeof(*plain);

	for (size_t i = 0; i < n; i++)
		*to++ = rows[i];
	return to;
}

static int install(const struct pp_call *calls, size_t n, uint32_t others, struct sock_filter *code)
{
	const struct sock_filter start[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		load_number,
	};
	struct sock_filter *end = code;
	struct sock_fprog program = { .filter = code };

	for (size_t i = 0; i < sizeof(start) / sizeof(*start); i++)
		*end++ = start[i];
	for (size_t i = 0; i < n; i++)
		end = add_call(end, &calls[i]);
	*end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, PP_SANITIZED ? SECCOMP_RET_ALLOW : others);
	program.len = (unsigned short)(end - code);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* As pp_sandbox_calls(), with what becomes of calls that have no row. */
static int filter_calls(const struct pp_call *calls, size_t n, uint32_t others, struct pp_error *error)
{
	enum { FRAME = 8, MOST_OF_A_ROW = 6 };
	struct sock_filter *code;
	int status;

	if (!ARCHITECTURE)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return pp_fail_os(error, "cannot give up new privileges");
	code = malloc((FRAME + n * MOST_OF_A_ROW) * sizeof(*code));
	if (!code)
		return pp_fail(error, PP_E_NOMEM, NULL);
	/* a sanitizer needs calls of its own: so that those of the tool stay the same, all are allowed */
	status = install(calls, PP_SANITIZED ? 0 : n, others, code);
	free(code);
	if (!status)
		return !PP_SANITIZED;
	if (status > 0)
		return pp_fail(error, PP_E_DENIED, "thread %d has a filter of system calls of its own",
			       status);
	/* a kernel without it, or another's filter that forbids further ones */
	if (errno == EINVAL || errno == ENOSYS || errno == EPERM || errno == EACCES)
		return 0;
	return pp_fail_os(error, "cannot filter system calls");
}

int pp_sandbox_calls(const struct pp_call *calls, size_t n, struct pp_error *error)
{
	return filter_calls(calls, n, SECCOMP_RET_KILL_PROCESS, error);
}

int pp_sandbox_without(const struct pp_call *calls, size_t n, struct pp_error *error)
{
	return filter_calls(calls, n, SECCOMP_RET_ALLOW, error);
}
