/*
 * apart.c - the process that reads files, which are not to be trusted.  It can open nothing, and has no
 * system call but for memory and for the socket to who started it, who finds files and hands them over.
 */
#include "symbol/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/confine.h"
#include "symbol/packing.h"

enum { SOCKET = 0 };                  /* its only descriptor, but for files */
static const uint64_t MEMORY_LEAST = UINT64_C(1) << 30;

struct apart {
	const struct pp_symbols_options *options;
	struct pp_shelf *shelf;
	struct pp_packing packing;
	struct pp_buffer in, found;
	uint64_t own, most;           /* bytes that it may have: of its own, and with files */
};

#define ANY(name, because) { .number = SYS_##name, .why = because }
#define NOT(name, os) { .number = SYS_##name, .why = "libraries that look for more files", .refused = os }
static const struct pp_call kept[] = {
	ANY(recvmsg, "what is asked"),
	ANY(sendmsg, "answers"),
#ifdef SYS_socketcall
	{ .number = SYS_socketcall, .why = "what is asked", .argument = 0, .mask = UINT32_MAX,
	  .value = SYS_RECVMSG },
	{ .number = SYS_socketcall, .why = "answers", .argument = 0, .mask = UINT32_MAX,
	  .value = SYS_SENDMSG },
#endif
	ANY(brk, "more memory"),
#if defined(__s390x__)
	ANY(mmap, "more memory and files; its arguments are in memory, where no filter sees them"),
#else
	{ .number = SYS_mmap, .why = "more memory and files; nothing that can be executed",
	  .argument = 2, .mask = PROT_EXEC, .value = 0 },
#endif
	{ .number = SYS_mprotect, .why = "more memory; nothing that can be executed", .argument = 2,
	  .mask = PROT_EXEC, .value = 0 },
	ANY(munmap, "less memory"),
	ANY(mremap, "memory that grows"),
	ANY(madvise, "memory that is given back"),
	ANY(sysinfo, "how much there is, for qsort()"),
	ANY(read, "a list of code"),
	ANY(fstat, "the size of a file"),
#ifdef SYS_newfstatat
	{ .number = SYS_newfstatat, .why = "the same", .argument = 3, .mask = AT_EMPTY_PATH,
	  .value = AT_EMPTY_PATH },
#endif
	ANY(lseek, "the end of a list of code"),
	{ .number = SYS_fcntl, .why = "how it was opened", .argument = 1, .mask = UINT32_MAX,
	  .value = F_GETFL },
	ANY(close, "files that were mapped"),
	ANY(setitimer, "the time that a file may take"),
	{ .number = SYS_prlimit64, .why = "the memory that it may take, of itself", .argument = 0,
	  .mask = UINT32_MAX, .value = 0 },
	ANY(futex, "locks"),
	ANY(getrandom, "seeds of libraries"),
	ANY(rt_sigprocmask, "abort()"),
	ANY(gettid, "the same"),
	ANY(getpid, "the same"),
	ANY(tgkill, "the same"),
	ANY(rt_sigreturn, "the end of a handler"),
	ANY(restart_syscall, "a wait that a stop interrupted"),
	ANY(exit_group, "the end"),
#ifdef SYS_open
	NOT(open, ENOENT),
#endif
	NOT(openat, ENOENT),
#ifdef SYS_readlink
	NOT(readlink, ENOENT),
#endif
	NOT(readlinkat, ENOENT),
	NOT(write, EBADF),
	NOT(writev, EBADF),
};
#undef ANY
#undef NOT

/* ---- What it says ---- */

/* Bytes of memory; what is mapped of files counts too. */
static void limit(struct apart *a, uint64_t more)
{
	struct rlimit memory;

	a->most += more;
	if (PP_SANITIZED || getrlimit(RLIMIT_DATA, &memory))
		return;
	memory.rlim_cur = a->most < memory.rlim_max ? a->most : memory.rlim_max;
	(void)setrlimit(RLIMIT_DATA, &memory);
}

static void send_off(enum pp_wire kind, const struct pp_wire_part parts[PP_WIRE_PARTS])
{
	/* who started it has ended, so that this may end too */
	if (pp_wire_send(SOCKET, kind, parts, -1))
		_exit(errno == EPIPE || errno == ECONNRESET ? 0 : errno);
}

static void tell(enum pp_wire kind, const void *data, size_t size)
{
	send_off(kind, (const struct pp_wire_part[PP_WIRE_PARTS]){ { data, size } });
}

static void say(void *arg, const char *line)
{
	(void)arg;
	tell(PP_WIRE_SAID, line, strlen(line) + 1);
}

static int put_record(void *arg, const void *record, size_t size, struct pp_error *error)
{
	(void)arg;
	(void)error;
	tell(PP_WIRE_NAMES, record, size);
	return 0;
}

static int put(void *arg, const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags,
	       struct pp_error *error)
{
	struct apart *const a = arg;

	return pp_packing_add(&a->packing, named, frames, flags, error);
}

/* A message, which is there as a whole, or the end. */
static uint32_t next_message(struct pp_buffer *to, int *fd)
{
	uint32_t kind;
	const int got = pp_wire_receive(SOCKET, &kind, to, fd);

	if (got <= 0)
		_exit(got ? ENOMEM : 0);
	return kind;
}

/* Files are found by who started it. */
static int ask(void *arg, const struct pp_question *q, struct pp_found_file *found, struct pp_error *error)
{
	struct apart *const a = arg;
	const struct pp_wire_question question = {
		.what = (uint32_t)q->what, .crc = q->crc, .pid = q->wanted.pid, .maj = q->wanted.maj,
		.min = q->wanted.min, .ino = q->wanted.ino, .id = q->wanted.id, .of_id = q->of.id,
	};
	const char *const of = q->of.path ? q->of.path : "";
	struct pp_wire_found answer;
	struct stat st;

	send_off(PP_WIRE_QUESTION, (const struct pp_wire_part[PP_WIRE_PARTS]){
		{ &question, sizeof(question) }, { q->wanted.path, strlen(q->wanted.path) + 1 },
		{ of, strlen(of) + 1 } });
	if (next_message(&a->found, &found->fd) != PP_WIRE_FOUND || a->found.size < sizeof(answer))
		_exit(EPROTO);
	memcpy(&answer, a->found.data, sizeof(answer));
	found->id = answer.id;
	found->path = strdup((const char *)a->found.data + sizeof(answer));
	if (answer.result < 0)
		*error = answer.error;
	else if (!found->path)
		answer.result = pp_fail(error, PP_E_NOMEM, NULL);
	if (answer.result != PP_FILE_FOUND)
		pp_found_close(found);
	else if (!fstat(found->fd, &st) && st.st_size > 0)
		limit(a, (uint64_t)st.st_size);
	return answer.result;
}

/* ---- What it may ---- */

static unsigned confine(void)
{
	const struct rlimit none = { 0, 0 };
	unsigned isolated = PP_ISOLATED_PROCESS;
	int got;

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_FSIZE, &none);
	if (pp_confine_capabilities(0, NULL))
		_exit(errno);
	got = pp_confine_files(NULL);
	if (got > 0)
		isolated |= PP_ISOLATED_FILES;
	if (got >= 0)
		got = pp_confine_calls(kept, sizeof(kept) / sizeof(kept[0]), NULL);
	if (got < 0)
		_exit(errno);
	return got ? isolated | PP_ISOLATED_CALLS : isolated;
}

/* Of CPU; the signal ends the process. */
static void allow(unsigned seconds)
{
	const struct itimerval time = { .it_value.tv_sec = seconds };

	(void)setitimer(ITIMER_PROF, &time, NULL);
}

/* Whether memory was lacking because this file took so much. */
static bool is_too_large(const struct apart *a)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd > a->own / 2;
}

/* ---- What it does ---- */

static void answer(struct apart *a)
{
	struct pp_wire_asked asked;
	struct pp_asked what;
	struct pp_error error = { .code = PP_OK };
	const struct pp_answered to = { put, a };

	if (a->in.size < sizeof(asked))
		_exit(EPROTO);
	memcpy(&asked, a->in.data, sizeof(asked));
	if (asked.n > (a->in.size - sizeof(asked)) / sizeof(uint64_t))
		_exit(EPROTO);
	what = (struct pp_asked){
		.number = asked.number, .pid = asked.pid, .n = asked.n,
		.offsets = (const uint64_t *)(const void *)(a->in.data + sizeof(asked)),
		.of = { .kind = (enum pp_names_kind)asked.kind, .pid = asked.of_pid, .maj = asked.maj,
			.min = asked.min, .ino = asked.ino, .id_size = asked.id.size,
			.path = (const char *)a->in.data + sizeof(asked) + asked.n * sizeof(uint64_t) },
	};
	memcpy(what.of.id, asked.id.bytes, sizeof(what.of.id));
	a->packing.of = what.of;
	allow(a->options->seconds ? a->options->seconds : 60);
	if (pp_shelf_names(a->shelf, &what, &to, &error) || pp_packing_flush(&a->packing, &error)) {
		if (error.code == PP_E_NOMEM && is_too_large(a)) {
			tell(PP_WIRE_TOO_LARGE, NULL, 0);
			_exit(0);
		}
		tell(PP_WIRE_FAILED, &error, sizeof(error));
	}
	allow(0);
	tell(PP_WIRE_DONE, NULL, 0);
}

_Noreturn void pp_apart(int socket, const struct pp_symbols_options *options)
{
	struct apart a = { .options = options, .packing = { .put = put_record } };
	const struct pp_places places = { .say = { say, NULL }, .ask = ask, .ask_arg = &a };
	struct pp_finder *finder;
	uint32_t isolated;
	int fd;

	/* signals of the terminal are for who started it */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGUSR1, SIG_IGN);
	/* what it does about these is not for us to do */
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	(void)signal(SIGALRM, SIG_IGN);
	(void)signal(SIGSEGV, SIG_DFL);
	(void)signal(SIGBUS, SIG_DFL);
	(void)signal(SIGPROF, SIG_DFL);
	(void)prctl(PR_SET_NAME, "pp-names");
	if (socket != SOCKET && dup2(socket, SOCKET) < 0)
		_exit(errno);
	closefrom(SOCKET + 1);
	a.own = (options->memory < UINT64_MAX / 8 ? options->memory : UINT64_MAX / 8) * 4 + MEMORY_LEAST;
	limit(&a, a.own);
	isolated = confine();
	finder = pp_finder_new(&places);
	a.shelf = finder ? pp_shelf_new(options, finder) : NULL;
	if (!a.shelf)
		_exit(ENOMEM);
	tell(PP_WIRE_READY, &isolated, sizeof(isolated));
	for (;;) {
		if (next_message(&a.in, &fd) != PP_WIRE_ASKED)
			_exit(EPROTO);
		answer(&a);
	}
}
