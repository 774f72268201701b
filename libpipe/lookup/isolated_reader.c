/*
 * isolated_reader.c - has files read by another process, which it starts when it is first needed and again
 * where a file ended that; finding files is done here, by its questions.
 */
#include "lookup/isolated.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/elfutils.h"
#include "lookup/answer_cache.h"
#include "sandbox/helper_process.h"

enum {
	AT_ONCE = 1 << 16,            /* offsets of a question */
	DEATHS_MOST = 16,             /* by files of one owner, of which no more are read then */
	WAIT = 20,                    /* times the CPU that a file may take, on a machine with much to do */
};

struct pp_isolated {
	const struct pp_symbols_options *options;
	struct pp_finder *finder;
	struct pp_answer_cache *kept;
	struct pp_helper process;
	struct pp_ipc_source from;
	unsigned isolated;
	struct pp_idmap passed_over;  /* 1 for the number of each such file */
	struct pp_idmap owners;       /* for the number of each file: who can change it */
	struct pp_idmap deaths;       /* by owner */
	uint64_t number;              /* of the file that it is asked of */
	bool failed;                  /* memory was lacking to note an owner */
	size_t left;                  /* answers that it may still give: one for each offset at most */
	struct pp_buffer in;
};

static bool may_be_read(void *remote, uint32_t owner);

/* Reading a build-id may already end the process. */
static int identify_here(void *arg, int fd, struct pp_id *id)
{
	struct pp_isolated *const r = arg;
	struct stat st;
	int got, os;

	if (!fstat(fd, &st) && !may_be_read(r, st.st_uid)) {
		*id = (struct pp_id){ .size = 0 };
		errno = EPIPE;
		return -1;
	}
	if (pp_answer_cache_at_work(r->kept))
		return pp_answer_cache_identify(r->kept, fd, id);
	got = pp_ipc_identify(&r->from, fd, id);
	os = errno;
	pp_answer_cache_identified(r->kept, fd, got, id);
	errno = os;
	return got;
}

struct pp_isolated *pp_isolated_new(const struct pp_symbols_options *options, struct pp_finder *finder)
{
	struct pp_isolated *const r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct pp_isolated){ .options = options, .finder = finder,
				 .kept = pp_answer_cache_new(options, finder) };
	if (!r->kept) {
		free(r);
		return NULL;
	}
	/* it finds files only for the process, which waits for them then */
	pp_finder_identify(finder, identify_here, r);
	return r;
}

void pp_isolated_free(struct pp_isolated *r)
{
	if (!r)
		return;
	if (r->process.pid)
		(void)pp_helper_stop(&r->process);
	pp_answer_cache_free(r->kept);
	pp_idmap_close(&r->passed_over);
	pp_idmap_close(&r->owners);
	pp_idmap_close(&r->deaths);
	pp_buffer_free(&r->in);
	free(r);
}

unsigned pp_isolated_isolated(const struct pp_isolated *r)
{
	return r->isolated;
}

/* ---- Start and end ---- */

static int cannot_start(struct pp_error *error)
{
	return pp_fail_os(error, "cannot start a process that reads files");
}

static int start(struct pp_isolated *r, struct pp_error *error)
{
	const unsigned seconds = r->options->seconds ? r->options->seconds : 60;
	const struct timeval patience = { .tv_sec = (time_t)seconds * WAIT };
	uint32_t kind;
	int got, fd, status;

	/* it will open nothing by itself */
	if (pp_elfutils_load(error))
		return -1;
	status = pp_helper_start(&r->process, SOCK_STREAM);
	if (status < 0)
		return cannot_start(error);
	if (status > 0)
		pp_isolated_process(r->process.socket, r->options);
	r->from.socket = r->process.socket;
	r->from.at = r->from.size = 0;
	(void)setsockopt(r->from.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	got = pp_ipc_receive(&r->from, &kind, &r->in, &fd);
	if (got > 0 && kind == PP_IPC_READY && r->in.size == sizeof(r->isolated)) {
		memcpy(&r->isolated, r->in.data, sizeof(r->isolated));
		return 0;
	}
	status = pp_helper_stop(&r->process);
	if (got < 0)
		errno = ENOMEM;
	else if (status >= 0)
		errno = pp_helper_errno(status) ? pp_helper_errno(status) : EIO;
	return cannot_start(error);
}

/* ---- Who is to blame ---- */

/*
 * A file that ends the process is passed over.  One user may have many of them, and each takes its time: so
 * they are counted, for that user alone.  Files of root's and of our own do not count.
 */
static bool may_be_read(void *arg, uint32_t owner)
{
	struct pp_isolated *const r = arg;
	const uint64_t *const deaths = pp_idmap_find(&r->deaths, owner);

	if (deaths && *deaths >= DEATHS_MOST) {
		pp_answer_cache_spoil(r->kept);
		return false;
	}
	if (owner && owner != geteuid())
		r->failed |= pp_idmap_set(&r->owners, r->number, owner) != 0;
	return true;
}

/* 0, or -1: memory. */
static int blame(struct pp_isolated *r, uint64_t number)
{
	const uint64_t *const owner = pp_idmap_find(&r->owners, number);
	const uint64_t *const before = owner ? pp_idmap_find(&r->deaths, *owner) : NULL;
	const uint64_t deaths = before ? *before + 1 : 1;
	char thing[32];

	if (!owner)
		return 0;
	(void)snprintf(thing, sizeof(thing), "user %u", (unsigned)*owner);
	if (deaths == DEATHS_MOST)
		pp_finder_lost(r->finder, thing, "no more files of %s are read: %d times they ended their "
			       "reader", thing, DEATHS_MOST);
	return pp_idmap_set(&r->deaths, *owner, deaths);
}

static int pass_over_file(struct pp_isolated *r, const struct pp_asked *asked, const char *why)
{
	pp_finder_lost(r->finder, asked->of.path, "%s: passed over: %s", asked->of.path, why);
	return pp_idmap_set(&r->passed_over, asked->number, 1);
}

/*
 * It is gone, or talks nonsense.  What it reads now may not be why, so that this is tried again, once,
 * unless it took too long.  1: try again; 0: the file is passed over; -1 and *error: it could not help
 * it.
 */
static int died(struct pp_isolated *r, const struct pp_asked *asked, bool again, struct pp_error *error)
{
	char why[64] = "reading it went wrong";
	bool late = false;
	int status;

	pp_answer_cache_spoil(r->kept);
	(void)kill(r->process.pid, SIGKILL);
	status = pp_helper_stop(&r->process);
	if (pp_helper_errno(status) > 1) {
		errno = pp_helper_errno(status);
		return pp_fail_os(error, "cannot read files in a process of their own");
	}
	if (status >= 0 && WIFSIGNALED(status)) {
		late = WTERMSIG(status) == SIGPROF;
		(void)snprintf(why, sizeof(why), "reading it ended in signal %d", WTERMSIG(status));
	}
	if (blame(r, asked->number))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (again && !late) {
		pp_finder_say(r->finder, PP_HINT_NONE, asked->of.path, "%s: read anew: %s", asked->of.path,
			      why);
		return 1;
	}
	return pass_over_file(r, asked, late ? "it takes too long to read" : why) ?
	       pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* ---- What it says ---- */

/* *last: no more are to come. */
static int take_some(struct pp_isolated *r, const struct pp_answered *to, bool *last, bool *sound,
		     struct pp_error *error)
{
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	struct pp_ipc_answers head;
	size_t at = sizeof(head);

	*sound = r->in.size >= sizeof(head);
	if (!*sound)
		return 0;
	memcpy(&head, r->in.data, sizeof(head));
	*last = head.last;
	while (at < r->in.size) {
		struct pp_address_range extent;
		struct pp_named named;
		uint32_t flags;

		*sound = r->left && pp_ipc_take(&r->in, &at, &named, frames, &flags, &extent);
		if (!*sound)
			return 0;
		r->left--;
		pp_answer_cache_note(r->kept, &named, frames, flags, &extent);
		if (to->put(to->arg, &named, frames, flags, &extent, error))
			return -1;
	}
	return 0;
}

/* Until all is answered: 1; 0: it is of no more use; -1 and *error. */
static int take_answers(struct pp_isolated *r, const struct pp_asked *asked, const struct pp_answered *to,
			struct pp_error *error)
{
	for (;;) {
		uint32_t kind;
		bool sound = true, last = false;
		int fd, got = pp_ipc_receive(&r->from, &kind, &r->in, &fd);

		if (fd >= 0)
			(void)close(fd);
		if (got <= 0)
			return got < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
		if (kind == PP_IPC_ANSWERS) {
			if (take_some(r, to, &last, &sound, error))
				return -1;
		} else if (kind == PP_IPC_SAID && r->in.size) {
			pp_answer_cache_spoil(r->kept);
			pp_finder_say(r->finder, PP_HINT_NONE, (const char *)r->in.data, "%s",
				      (const char *)r->in.data);
		} else if (kind == PP_IPC_LOST && r->in.size) {
			pp_answer_cache_spoil(r->kept);
			pp_finder_lost(r->finder, (const char *)r->in.data, "%s", (const char *)r->in.data);
		} else if (kind == PP_IPC_QUESTION) {
			sound = !pp_ipc_answer(&r->from, &r->in, r->finder, may_be_read, r);
			if (r->failed)
				return pp_fail(error, PP_E_NOMEM, NULL);
		} else if (kind == PP_IPC_FAILED) {
			sound = pp_ipc_take_failure(&r->in, error);
			if (sound)
				return -1;
		} else if (kind == PP_IPC_TOO_LARGE) {
			pp_answer_cache_spoil(r->kept);
			(void)pp_helper_stop(&r->process);
			return blame(r, asked->number) ||
			       pass_over_file(r, asked, "it takes too much memory to read") ?
			       pp_fail(error, PP_E_NOMEM, NULL) : 1;
		} else {
			sound = false;
		}
		if (!sound || last)
			return sound;
	}
}

/* ---- What it is asked ---- */

static int ask_reader(struct pp_isolated *r, const struct pp_asked *asked, size_t from, size_t n)
{
	r->left = n;
	r->number = asked->number;
	return pp_ipc_send_asked(r->from.socket, asked, from, n);
}

/* Some of the offsets: 1, 0: the file is passed over, -1 and *error. */
static int ask_for(struct pp_isolated *r, const struct pp_asked *asked, size_t from, size_t n,
		   const struct pp_answered *to, struct pp_error *error)
{
	for (bool again = true;; again = false) {
		int got;

		if (!r->process.pid && start(r, error))
			return -1;
		got = ask_reader(r, asked, from, n) ? 0 : take_answers(r, asked, to, error);
		if (got)
			return got;
		got = died(r, asked, again, error);
		if (got <= 0)
			return got;
	}
}

/* Of most processes there is no list of code, and nothing that would have to be read.  1, 0, or -1 and
 * *error. */
static int has_code(struct pp_isolated *r, const struct pp_asked *asked, struct pp_error *error)
{
	struct pp_found_file found;
	const int got = pp_finder_code(r->finder, asked->of.pid, &found, error);

	pp_found_close(&found);
	return got < 0 ? -1 : got == PP_FILE_FOUND;
}

int pp_isolated_names(struct pp_isolated *r, const struct pp_asked *asked, const struct pp_answered *to,
		      struct pp_error *error)
{
	struct pp_asked rest;

	if (pp_answer_cache_names(r->kept, asked, to, &rest, error))
		return -1;
	if (rest.n && rest.of.kind == PP_NAMES_PROCESS) {
		const struct pp_named nothing = { .offset = *rest.offsets };
		const int got = has_code(r, &rest, error);

		if (got <= 0)
			return got ? -1 : to->put(to->arg, &nothing, NULL, 0, &pp_everywhere, error);
	}
	for (size_t at = 0; at < rest.n; at += AT_ONCE) {
		if (pp_idmap_find(&r->passed_over, asked->number)) {
			pp_answer_cache_spoil(r->kept);
			return 0;
		}
		if (ask_for(r, &rest, at, rest.n - at < AT_ONCE ? rest.n - at : AT_ONCE, to, error) < 0) {
			pp_answer_cache_spoil(r->kept);
			return -1;
		}
	}
	return 0;
}
