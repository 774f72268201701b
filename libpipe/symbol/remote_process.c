/*
 * remote_process.c - the process that reads files, which are not to be trusted.  It can open nothing, and
 * has no system call but for memory and for the socket to who started it, who finds files and hands them
 * over.
 */
#include "symbol/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/confine.h"

enum { SOCKET = PP_REMOTE_SOCKET };   /* its only descriptor, but for files */
static const uint64_t MEMORY_LEAST = UINT64_C(1) << 30;

struct process {
	const struct pp_symbols_options *options;
	struct pp_shelf *shelf;
	struct pp_buffer answers;     /* that are not sent yet */
	struct pp_buffer in, found;
	struct pp_wire_source from;
	uint64_t own, most;           /* bytes that it may have: of its own, and with files */
};

#define LOOKS "libraries that look for more files"
static const struct pp_call kept[] = {
	PP_CALL(recvmsg, "what is asked"),
	PP_CALL(sendmsg, "answers"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "what is asked"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "answers"),
#endif
#include "base/calls.def"
	PP_CALL(read, "a list of code"),
	PP_CALL(pread64, "notes of a file that may be the one that is wanted"),
	PP_CALL(fstat, "the size of a file"),
#ifdef SYS_newfstatat
	PP_CALL_IF(newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH, "the same"),
#endif
	PP_CALL(lseek, "the end of a list of code"),
	PP_CALL_IF(fcntl, 1, UINT32_MAX, F_GETFL, "how it was opened"),
	PP_CALL(close, "files that were mapped"),
	PP_CALL(setitimer, "the time that a file may take"),
	PP_CALL_IF(prlimit64, 0, UINT32_MAX, 0, "the memory that it may take, of itself"),
#ifdef SYS_open
	PP_CALL_NOT(open, ENOENT, LOOKS),
#endif
	PP_CALL_NOT(openat, ENOENT, LOOKS),
#ifdef SYS_readlink
	PP_CALL_NOT(readlink, ENOENT, LOOKS),
#endif
	PP_CALL_NOT(readlinkat, ENOENT, LOOKS),
	PP_CALL_NOT(write, EBADF, LOOKS),
	PP_CALL_NOT(writev, EBADF, LOOKS),
};

/* ---- What it says ---- */

/* Bytes of memory; what is mapped of files counts too. */
static void limit(struct process *p, uint64_t more)
{
	struct rlimit memory;

	p->most += more;
	if (getrlimit(RLIMIT_DATA, &memory))
		return;
	if (!PP_SANITIZED)
		memory.rlim_cur = p->most < memory.rlim_max ? p->most : memory.rlim_max;
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

static void tell_failure(const struct pp_error *error)
{
	const struct pp_wire_failure failure = pp_wire_failure(error);

	send_off(PP_WIRE_FAILED, (const struct pp_wire_part[PP_WIRE_PARTS]){
		{ &failure, sizeof(failure) }, { error->detail, strlen(error->detail) + 1 } });
}

static void say(void *arg, const char *line)
{
	(void)arg;
	tell(PP_WIRE_SAID, line, strlen(line) + 1);
}

static void say_lost(void *arg, const char *line)
{
	(void)arg;
	tell(PP_WIRE_LOST, line, strlen(line) + 1);
}

static void tell_answers(struct process *p, bool last)
{
	const struct pp_wire_answers head = { last };

	send_off(PP_WIRE_ANSWERS, (const struct pp_wire_part[PP_WIRE_PARTS]){
		{ &head, sizeof(head) }, { p->answers.data, p->answers.size } });
	p->answers.size = 0;
}

static int put(void *arg, const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags,
	       const struct pp_extent *extent, struct pp_error *error)
{
	enum { ENOUGH = 1 << 16 };
	struct process *const p = arg;

	if (p->answers.size >= ENOUGH)
		tell_answers(p, false);
	return pp_wire_put(&p->answers, named, frames, flags, extent) ?
	       pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* A message, which is there as a whole, or the end. */
static uint32_t next_message(struct process *p, struct pp_buffer *to, int *fd)
{
	uint32_t kind;
	const int got = pp_wire_receive(&p->from, &kind, to, fd);

	if (got <= 0)
		_exit(got ? ENOMEM : 0);
	return kind;
}

/* Files are found by who started it. */
static int ask(void *arg, const struct pp_question *q, struct pp_found_file *found, struct pp_error *error)
{
	struct process *const p = arg;
	static const struct pp_say nowhere = { .line = NULL };
	const int result = pp_wire_ask(&p->from, &p->found, &nowhere, q, found, error);
	struct stat st;

	/* who started it has ended, or talks nonsense */
	if (result < 0 && error->os == EPIPE)
		_exit(0);
	if (result == PP_FILE_FOUND && !fstat(found->fd, &st) && st.st_size > 0)
		limit(p, (uint64_t)st.st_size);
	return result;
}

/* ---- What it may ---- */

static unsigned confine(void)
{
	const struct rlimit none = { 0, 0 }, any = { RLIM_INFINITY, RLIM_INFINITY };
	unsigned isolated = PP_ISOLATED_PROCESS;
	int got;

	(void)setrlimit(RLIMIT_CORE, &none);
	/* a sanitizer says what it finds, maybe in a file */
	(void)setrlimit(RLIMIT_FSIZE, PP_SANITIZED ? &any : &none);
	if (pp_confine_capabilities(0, NULL))
		_exit(errno);
	got = pp_confine_files(NULL, 0, NULL);
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
static bool is_too_large(const struct process *p)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd > p->own / 2;
}

/* ---- What it does ---- */

static void answer(struct process *p)
{
	struct pp_wire_asked asked;
	struct pp_asked what;
	struct pp_error error = { .code = PP_OK };
	const struct pp_answered to = { put, p };

	if (p->in.size < sizeof(asked))
		_exit(EPROTO);
	memcpy(&asked, p->in.data, sizeof(asked));
	if (asked.n > (p->in.size - sizeof(asked)) / sizeof(uint64_t))
		_exit(EPROTO);
	what = (struct pp_asked){
		.number = asked.number, .pid = asked.pid, .named = asked.named, .n = asked.n,
		.offsets = (const uint64_t *)(const void *)(p->in.data + sizeof(asked)),
		.of = { .kind = (enum pp_names_kind)asked.kind, .pid = asked.of_pid, .maj = asked.maj,
			.min = asked.min, .ino = asked.ino, .ino_generation = asked.ino_generation,
			.id_of_name = asked.id_of_name, .id_size = asked.id.size,
			.path = (const char *)p->in.data + sizeof(asked) + asked.n * sizeof(uint64_t) },
	};
	memcpy(what.of.id, asked.id.bytes, sizeof(what.of.id));
	/* waiting for the next question takes no time of it */
	allow(p->options->seconds ? p->options->seconds : 60);
	if (!pp_shelf_names(p->shelf, &what, &to, &error)) {
		tell_answers(p, true);
		return;
	}
	if (error.code == PP_E_NOMEM && is_too_large(p)) {
		tell(PP_WIRE_TOO_LARGE, NULL, 0);
		_exit(0);
	}
	tell_failure(&error);
}

_Noreturn void pp_remote_process(int socket, const struct pp_symbols_options *options)
{
	struct process p = { .options = options, .from.socket = SOCKET };
	const struct pp_places places = { .say = { .line = say, .lost = say_lost }, .ask = ask, .ask_arg = &p };
	struct pp_finder *finder;
	uint32_t isolated;
	int fd;

	pp_remote_begin(socket, "pp-names", false);
	p.own = (options->memory < UINT64_MAX / 8 ? options->memory : UINT64_MAX / 8) * 4 + MEMORY_LEAST;
	limit(&p, p.own);
	isolated = confine();
	finder = pp_finder_new(&places);
	p.shelf = finder ? pp_shelf_new(options, finder) : NULL;
	if (!p.shelf)
		_exit(ENOMEM);
	tell(PP_WIRE_READY, &isolated, sizeof(isolated));
	for (;;) {
		if (next_message(&p, &p.in, &fd) != PP_WIRE_ASKED)
			_exit(EPROTO);
		answer(&p);
	}
}
