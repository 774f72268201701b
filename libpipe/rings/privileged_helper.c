/*
 * privileged_helper.c - what takes privileges while a recording runs: opening files of /proc and those that
 * others have mapped, signalling a command that became another user's.  This process does it until
 * it gives that up (capture_sandbox.c); then a process that keeps nothing else does, and answers questions.
 *
 * It can be asked for a few files of /proc by their names, and for what starts as an ELF file does and is
 * mapped.  Descriptors are what it answers: whatever is in files is read by who asks.
 */
#include "sandbox/sandbox.h"
#include "sandbox/fd_passing.h"
#include "base/clock.h"
#include "base/procfs.h"
#include "base/spool.h"
#include "rings/rings.h"
#include "elf/build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif
#define BIT(capability) (UINT64_C(1) << (capability))

enum { MEANWHILE = 200 * 1000 };      /* ns between looks for something to do while an answer is waited for */

struct question {
	enum { FILE_OF_PROC, MAPPED_FILE, SIGNAL } what;
	int signal;
	struct pp_mapped_file mapped; /* its path is the one below */
	char path[PP_PATH];
};

/* ---- mapped files ---- */

/*
 * By the kernel's own link to what is mapped, where no name is looked up: it is that file even if its
 * name is another's by now, or is one in another mount namespace.  Who may not use it looks the name
 * up in the root of the process, unless that is root, who would act on what somebody else may have
 * mounted there; and then in the root of this process.
 */
static int open_mapped(const struct pp_mapped_file *m)
{
	char link[64], root[32], rooted[2][PP_PATH];
	int fd;

	(void)snprintf(link, sizeof(link), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, m->pid,
		       m->start, m->end);
	(void)snprintf(root, sizeof(root), "/proc/%" PRId32 "/root", m->pid);
	{
		const struct pp_elf_file places[] = {
			{ NULL, pp_rooted(rooted[0], link), m->ino, m->maj, m->min, m->generation, 0 },
			{ pp_rooted(rooted[1], root), m->path, m->ino, m->maj, m->min, m->generation, 0 },
			{ NULL, m->path, m->ino, m->maj, m->min, m->generation, 0 },
		};

		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (!(i == 1 && !geteuid()) && pp_elf_open(&places[i], &fd) == PP_ELF_FOUND)
				return fd;
	}
	return -1;
}

/* ---- the keeper ---- */

/* What is read late of a task, a number for each *; by a name alone (O_PATH) where that is enough. */
static const struct { const char *path; int flags; } kept_files[] = {
	{ "/proc/*/maps", O_RDONLY },
	{ "/proc/*/status", O_RDONLY },
	{ "/proc/*/task", O_RDONLY | O_DIRECTORY },
	{ "/proc/*/task/*/stat", O_RDONLY },
	{ "/proc/*/task/*/ns/net", O_PATH },
	{ "/proc/*/task/*/ns/uts", O_PATH },
	{ "/proc/*/task/*/ns/ipc", O_PATH },
	{ "/proc/*/task/*/ns/pid", O_PATH },
	{ "/proc/*/task/*/ns/user", O_PATH },
	{ "/proc/*/task/*/ns/mnt", O_PATH },
	{ "/proc/*/task/*/ns/cgroup", O_PATH },
};

static bool fits(const char *path, const char *pattern)
{
	for (; *pattern; pattern++) {
		const size_t digits = *pattern == '*' ? strspn(path, "0123456789") : 0;

		if (*pattern == '*' ? !digits : *path != *pattern)
			return false;
		path += digits ? digits : 1;
	}
	return !*path;
}

static int open_file_of_proc(const char *path)
{
	char rooted[PP_PATH];

	for (size_t i = 0; i < sizeof(kept_files) / sizeof(kept_files[0]); i++)
		if (fits(path, kept_files[i].path))
			return open(pp_rooted(rooted, path), kept_files[i].flags | O_CLOEXEC);
	return -1;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pp_read_up_to(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* A descriptor, or -1 and errno. */
static int find_answer(struct question *q, int command)
{
	int fd;

	q->path[sizeof(q->path) - 1] = '\0';
	errno = EACCES;
	switch (q->what) {
	case FILE_OF_PROC:
		return open_file_of_proc(q->path);
	case MAPPED_FILE:
		q->mapped.path = q->path;
		fd = open_mapped(&q->mapped);
		if (fd < 0 || is_elf(fd))
			return fd;
		(void)close(fd);
		return -1;
	case SIGNAL:
		(void)syscall(SYS_pidfd_send_signal, command, q->signal, NULL, 0);
		return -1;
	}
	return -1;
}

/* errno, or 0 and a descriptor. */
static void answer(int socket, int fd, int os)
{
	union pp_passing passing;
	struct iovec word = { &os, sizeof(os) };
	struct msghdr message = { .msg_iov = &word, .msg_iovlen = 1 };

	pp_pass(&message, &passing, fd);
	(void)sendmsg(socket, &message, MSG_NOSIGNAL);
}

static const struct pp_call kept[] = {
	PP_CALL(recvfrom, "questions"),
	PP_CALL(sendmsg, "answers"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECV, "questions"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVFROM, "the same"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "answers"),
#endif
#ifdef SYS_open
	PP_CALL(open, "files of /proc, mapped files"),
#endif
	PP_CALL(openat, "the same"),
	PP_CALL(openat2, "the same, below a root"),
	PP_CALL(fstat, "whether it is a regular file, and the one"),
#ifdef SYS_newfstatat
	PP_CALL_IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, "the same"),
#endif
	PP_CALL(fstatfs, "whether the kernel makes it up"),
	PP_CALL_IF(ioctl, 1, UINT32_MAX, FS_IOC_GETVERSION, "whether its inode was another file's"),
	PP_CALL(pread64, "how it starts"),
	PP_CALL(close, "descriptors that were sent"),
	PP_CALL(geteuid, "whether it is root"),
	PP_CALL(pidfd_send_signal, "ends the command"),
	PP_CALL(rt_sigreturn, "the end of a handler"),
	PP_CALL(restart_syscall, "a wait that a stop interrupted"),
	PP_CALL(brk, "memory"),
	PP_CALL(munmap, "memory"),
	PP_CALL(exit_group, "the end, when the recorder has ended"),
};

enum { QUESTIONS = 0, COMMAND = 1 };  /* its only descriptors */

/* Only the recorder's end ends it: it ignores signals of the terminal. */
static void keep(int questions, int command, uint64_t capabilities)
{
	struct question q;
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)prctl(PR_SET_NAME, "pp-keeper");
	questions = fcntl(questions, F_DUPFD, COMMAND + 1);
	if (command >= 0)
		(void)dup2(command, COMMAND);
	(void)dup2(questions, QUESTIONS);
	closefrom(command >= 0 ? COMMAND + 1 : QUESTIONS + 1);
	if (pp_sandbox_capabilities(capabilities, NULL) ||
	    pp_sandbox_calls(kept, sizeof(kept) / sizeof(kept[0]), NULL) < 0)
		_exit(1);
	memset(&q, 0, sizeof(q));
	while (recv(QUESTIONS, &q, sizeof(q), 0) > 0) {
		const int fd = find_answer(&q, COMMAND);

		answer(QUESTIONS, fd, fd < 0 ? errno : 0);
		if (fd >= 0)
			(void)close(fd);
	}
	_exit(0);
}

/* ---- who asks it ---- */

/* It was killed, or is silent: that it opens nothing any more says nothing of what there is. */
static int miss(struct pp_keeper *k, bool silent)
{
	k->silent = silent;
	pp_keeper_stop(k);
	k->missed = true;
	errno = silent ? ETIMEDOUT : ESRCH;
	return -1;
}

/* Does what there is to do until there is an answer, or for as long as one may take.  Flags for recvmsg(2),
 * which waits if there is nothing else to do. */
static int wait_for_answer(const struct pp_keeper *k)
{
	const uint64_t end = pp_now_ns() + PP_KEEPER_SECONDS * UINT64_C(1000000000);
	const struct timespec moment = { .tv_nsec = MEANWHILE };
	struct pollfd answer = { k->process.socket, POLLIN, 0 };

	if (!k->meanwhile.act)
		return 0;
	while (ppoll(&answer, 1, &moment, NULL) <= 0 && pp_now_ns() < end)
		k->meanwhile.act(k->meanwhile.arg);
	return MSG_DONTWAIT;
}

/* A descriptor, or -1 and errno. */
static int ask(struct pp_keeper *k, const struct question *q)
{
	const size_t size = offsetof(struct question, path) + strlen(q->path) + 1;
	union pp_passing passing;
	int os = EIO, fd;
	ssize_t got;
	int flags;
	struct iovec word = { &os, sizeof(os) };
	struct msghdr message = { .msg_iov = &word, .msg_iovlen = 1, .msg_control = &passing,
				  .msg_controllen = sizeof(passing) };

	if (send(k->process.socket, q, size, MSG_NOSIGNAL) != (ssize_t)size)
		return miss(k, false);
	flags = MSG_CMSG_CLOEXEC | wait_for_answer(k);
	while ((got = recvmsg(k->process.socket, &message, flags)) <= 0)
		if (!got || errno != EINTR)
			return miss(k, got && errno == EAGAIN);
	fd = os ? -1 : pp_passed(&message);
	if (fd < 0)
		errno = os ? os : EIO;
	return fd;
}

static void name_file(struct question *q, const char *path)
{
	(void)snprintf(q->path, sizeof(q->path), "%s", path);
}

static int open_by_keeper(void *arg, const char *path, int flags)
{
	struct pp_keeper *const k = arg;
	struct question q = { .what = FILE_OF_PROC };

	(void)flags;
	name_file(&q, path);
	if (k)
		return ask(k, &q);
	errno = EACCES;
	return -1;
}

int pp_keeper_mapped(struct pp_keeper *k, const struct pp_mapped_file *m)
{
	struct question q;

	if (!k->closed)
		return open_mapped(m);
	if (!k->process.pid)
		return -1;
	/* all of it is sent, with what lies between its members */
	memset(&q, 0, sizeof(q));
	q.what = MAPPED_FILE;
	q.mapped.pid = m->pid;
	q.mapped.maj = m->maj;
	q.mapped.min = m->min;
	q.mapped.start = m->start;
	q.mapped.end = m->end;
	q.mapped.ino = m->ino;
	q.mapped.generation = m->generation;
	name_file(&q, m->path);
	return ask(k, &q);
}

void pp_keeper_signal(struct pp_keeper *k, int signal)
{
	const struct question q = { .what = SIGNAL, .signal = signal };

	if (k->process.pid)
		(void)ask(k, &q);
}

/* The capabilities by which others are looked at, and the command is signalled. */
static uint64_t wanted_capabilities(bool looks, bool signals)
{
	return (looks ? BIT(CAP_SYS_PTRACE) | BIT(CAP_PERFMON) | BIT(CAP_CHECKPOINT_RESTORE) |
				BIT(CAP_DAC_READ_SEARCH) : 0) | (signals ? BIT(CAP_KILL) : 0);
}

static int start(struct pp_keeper *k, int command, uint64_t capabilities, struct pp_error *error)
{
	const struct timeval most = { .tv_sec = PP_KEEPER_SECONDS };
	const int status = pp_helper_start(&k->process, SOCK_SEQPACKET);

	if (status < 0)
		return pp_fail_os(error, "cannot start a process that keeps privileges");
	if (status > 0)
		keep(k->process.socket, command, capabilities);
	(void)setsockopt(k->process.socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	return 0;
}

int pp_keeper_start(struct pp_keeper *k, bool wanted, int32_t command, struct pp_error *error)
{
	const bool signals = command && pp_capabilities() & BIT(CAP_KILL);
	const int fd = signals ? (int)syscall(SYS_pidfd_open, command, 0) : -1;
	const bool needed = wanted || fd >= 0;
	const int status = !needed ? 0 : start(k, fd, wanted_capabilities(wanted, fd >= 0), error);

	if (fd >= 0)
		(void)close(fd);
	k->closed = true;
	pp_files_open_by(open_by_keeper, k->process.pid ? k : NULL);
	return status;
}

void pp_keeper_stop(struct pp_keeper *k)
{
	if (!k->closed)
		return;
	pp_files_open_by(open_by_keeper, NULL);
	if (!k->process.pid)
		return;
	if (k->silent)
		pp_helper_leave(&k->process);
	else
		k->ended = pp_helper_stop(&k->process);
}
