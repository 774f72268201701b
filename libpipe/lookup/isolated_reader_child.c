/*
 * isolated_reader_child.c - the process that reads files, which are not to be trusted.  It can open
 * nothing, and has no system call but for memory and for the socket to who started it, who finds files and
 * hands them over.
 */
#include "lookup/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sandbox/sandbox.h"
#include "base/hash.h"
#include "elf/elf_reader.h"

enum { SOCKET = PP_REMOTE_SOCKET };   /* its only descriptor, but for files */

/*
 * What it may take.  Memory: a part that is always there, and for each file what libraries make of it, in
 * proportion to its size, and its bytes.  CPU: for each file a part that is always there, more for larger
 * ones, and a little for each address.
 */
enum {
	MEMORY_LEAST = 256 << 20, MEMORY_FOLD = 16,
	SECONDS = 60, BYTES_A_SECOND = 4 << 20, SECONDS_MORE = 600,
	ADDRESS_TIME = 1000,          /* microseconds */
};
static const uint64_t SECOND = 1000000;

struct process {
	const struct pp_symbols_options *options;
	struct pp_image_cache *shelf;
	struct pp_buffer answers;     /* that are not sent yet */
	struct pp_buffer in, found;
	struct pp_ipc_source from;
	uint64_t own, own_most;       /* bytes that it may have without those of files: now, and ever */
	uint64_t files;               /* bytes of these, and of what was compressed in them */
	uint64_t before;              /* bytes that it had at the start, which were its parent's */
	struct pp_idmap times;        /* by a file's number: microseconds of CPU that are left, and 1 */
};

#define LOOKS "libraries that look for more files"
static const struct pp_call kept[] = {
	PP_CALL(recvmsg, "what is asked"),
	PP_CALL(sendmsg, "answers"),
#ifdef SYS_socketcall
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_RECVMSG, "what is asked"),
	PP_CALL_IF(socketcall, 0, UINT32_MAX, SYS_SENDMSG, "answers"),
#endif
#include "sandbox/syscalls.def"
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
	PP_CALL(getrusage, "the memory that it took"),
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

/* Lets it have as much memory as it may. */
static void limit(const struct process *p)
{
	const uint64_t most = p->own + p->files;
	struct rlimit memory;

	if (getrlimit(RLIMIT_DATA, &memory))
		return;
	if (!PP_SANITIZED)
		memory.rlim_cur = most < memory.rlim_max ? most : memory.rlim_max;
	(void)setrlimit(RLIMIT_DATA, &memory);
}

/* Bytes that it has had at most; what it shares with its parent counts. */
static uint64_t peak(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss << 10;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A file was found: what it may take more. */
static void allow_for(struct process *p, uint64_t size)
{
	const struct pp_elf_reader elf = { .from.size = size };
	const uint64_t memory = pp_machine_memory();

	p->own = at_most(p->own + at_most(size, p->own_most / MEMORY_FOLD) * MEMORY_FOLD, p->own_most);
	p->files += at_most(size, memory / 2) + pp_elf_expansion_most(&elf);
	limit(p);
}

/* Starts the time that ends the process with a signal, or stops it: what was left, in microseconds. */
static uint64_t set_time(uint64_t us)
{
	const struct itimerval time = { .it_value = { (time_t)(us / SECOND), (suseconds_t)(us % SECOND) } };
	struct itimerval left = { .it_value = { 0, 0 } };

	(void)setitimer(ITIMER_PROF, &time, &left);
	return (uint64_t)left.it_value.tv_sec * SECOND + (uint64_t)left.it_value.tv_usec;
}

/* Ends where a message could not be sent: well if the process that started this one has ended. */
static void check_sent(int failed)
{
	if (failed)
		_exit(errno == EPIPE || errno == ECONNRESET ? 0 : errno);
}

static void tell_message(enum pp_ipc kind, const void *data, size_t size)
{
	check_sent(pp_ipc_send(SOCKET, kind, (const struct pp_ipc_part[PP_IPC_PARTS]){ { data, size } }, -1));
}

static void say(void *arg, const char *line, enum pp_hint hint)
{
	(void)arg;
	(void)hint;
	tell_message(PP_IPC_SAID, line, strlen(line) + 1);
}

static void say_lost(void *arg, const char *line, enum pp_hint hint)
{
	(void)arg;
	(void)hint;
	tell_message(PP_IPC_LOST, line, strlen(line) + 1);
}

static int put(void *arg, const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags,
	       const struct pp_address_range *extent, struct pp_error *error)
{
	enum { ENOUGH = 1 << 16 };
	struct process *const p = arg;

	if (p->answers.size >= ENOUGH)
		check_sent(pp_ipc_send_answers(SOCKET, &p->answers, false));
	return pp_ipc_put(&p->answers, named, frames, flags, extent) ?
	       pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/*
 * Whether memory was lacking because of what was read: its peak is a large part of its limit.  What it has
 * now does not show that, since libraries free it first; and an array that doubles holds a third of its
 * last try.
 */
static bool is_too_large(const struct process *p)
{
	const uint64_t most = peak();

	return most > p->before && most - p->before >= (p->own + p->files) / 4;
}

/* A message, which is there as a whole, or the end. */
static uint32_t next_message(struct process *p, struct pp_buffer *to, int *fd)
{
	uint32_t kind;
	const int got = pp_ipc_receive(&p->from, &kind, to, fd);

	if (got < 0 && is_too_large(p)) {
		tell_message(PP_IPC_TOO_LARGE, NULL, 0);
		_exit(0);
	}
	if (got <= 0)
		_exit(got ? ENOMEM : 0);
	return kind;
}

/* Files are found by who started it. */
static int ask_parent(void *arg, const struct pp_question *q, struct pp_found_file *found,
		      struct pp_error *error)
{
	struct process *const p = arg;
	static const struct pp_say nowhere = { .line = NULL };
	const int result = pp_ipc_ask(&p->from, &p->found, &nowhere, q, found, error);
	struct stat st;

	/* who started it has ended, or talks nonsense */
	if (result < 0 && error->os == EPIPE)
		_exit(0);
	if (result == PP_FILE_FOUND && !fstat(found->fd, &st) && st.st_size > 0) {
		const uint64_t size = (uint64_t)st.st_size;

		allow_for(p, size);
		(void)set_time(set_time(0) + at_most(size / BYTES_A_SECOND, SECONDS_MORE) * SECOND);
	}
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
	if (pp_sandbox_capabilities(0, NULL))
		_exit(errno);
	got = pp_sandbox_files(NULL, 0, NULL);
	if (got > 0)
		isolated |= PP_ISOLATED_FILES;
	if (got >= 0)
		got = pp_sandbox_calls(kept, sizeof(kept) / sizeof(kept[0]), NULL);
	if (got < 0)
		_exit(errno);
	return got ? isolated | PP_ISOLATED_CALLS : isolated;
}

/* ---- What it does ---- */

/* The time that a question may take: what its file has left of it, and a little for each address. */
static uint64_t time_for(const struct process *p, const struct pp_asked *asked)
{
	const uint64_t all = (p->options->seconds ? p->options->seconds : SECONDS) * SECOND;
	const uint64_t *const left = pp_idmap_find(&p->times, asked->number);

	return left ? *left + (uint64_t)asked->n * ADDRESS_TIME : all;
}

static void answer(struct process *p)
{
	struct pp_asked what;
	struct pp_error error = { .code = PP_OK };
	const struct pp_answered to = { put, p };

	if (!pp_ipc_take_asked(&p->in, &what))
		_exit(EPROTO);
	/* waiting for the next question takes no time of it */
	(void)set_time(time_for(p, &what));
	if (!pp_image_cache_names(p->shelf, &what, &to, &error)) {
		if (pp_idmap_set(&p->times, what.number, set_time(0) + 1))
			_exit(ENOMEM);
		check_sent(pp_ipc_send_answers(SOCKET, &p->answers, true));
		return;
	}
	if (error.code == PP_E_NOMEM && is_too_large(p)) {
		tell_message(PP_IPC_TOO_LARGE, NULL, 0);
		_exit(0);
	}
	check_sent(pp_ipc_send_failure(SOCKET, &error));
}

_Noreturn void pp_isolated_process(int socket, const struct pp_symbols_options *options)
{
	struct process p = { .options = options, .from.socket = SOCKET };
	const struct pp_finder_options places = {
		.say = { .line = say, .lost = say_lost }, .ask = ask_parent, .ask_arg = &p,
	};
	struct pp_finder *finder;
	uint32_t isolated;
	int fd;

	pp_isolated_begin(socket, "pp-names", false);
	p.own_most = at_most(at_most(options->memory, UINT64_MAX / 8) * 4 + (UINT64_C(1) << 30),
			     pp_machine_memory() / 2);
	p.own = at_most(MEMORY_LEAST, p.own_most);
	p.before = peak();
	limit(&p);
	isolated = confine();
	finder = pp_finder_new(&places);
	p.shelf = finder ? pp_image_cache_new(options, finder) : NULL;
	if (!p.shelf)
		_exit(ENOMEM);
	tell_message(PP_IPC_READY, &isolated, sizeof(isolated));
	for (;;) {
		if (next_message(&p, &p.in, &fd) != PP_IPC_ASKED)
			_exit(EPROTO);
		answer(&p);
	}
}
