/* reader.c - the public reader: the steps of one input, or a folder, and what is tied to it. */
#include "read/reader_internal.h"
#include "base/sized_options.h"
#include "format/format.h"
#include "read/batch.h"
#include "read/perfdata_dir.h"
#include "write/writer_internal.h"

#include <assert.h>
#include <sys/stat.h>
#include <unistd.h>

struct pp_reader {
	struct pp_reader_chain steps;        /* without an input where there is a folder */
	struct pp_folder *folder;     /* or NULL */
	struct pp_reader_options options;
	struct pp_attrs *attrs;
	struct pp_ties ties;
	struct pp_watch watch;
	bool (*leaves)(void *arg, const struct pp_record *);    /* records out; NULL: none */
	void *leaves_arg;
	bool warned;                  /* the writers that are tied know of the damage */
};

/* ---- Opening ---- */

/* Everything but what is read. */
static struct pp_reader *make(const struct pp_reader_options *given, struct pp_error *error)
{
	struct pp_reader *r = calloc(1, sizeof(*r));

	if (!r) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (pp_options_take(&r->options, sizeof(r->options), given, error)) {
		free(r);
		return NULL;
	}
	r->attrs = pp_attrs_new();
	if (pp_reader_chain_init(&r->steps, &r->options, r->attrs, &r->ties, &r->watch, error) || !r->attrs) {
		pp_fail(error, PP_E_NOMEM, NULL);
		pp_reader_close(r);
		return NULL;
	}
	return r;
}

static int open_folder(struct pp_reader *r, const char *path, const struct pp_folder *first,
		       struct pp_error *error)
{
	r->folder = pp_folder_open(path, first, &r->options, r->attrs, &r->ties, &r->watch, error);
	return r->folder ? 0 : -1;
}

static int open_path(struct pp_reader *r, const char *path, struct pp_error *error)
{
	struct stat st = { .st_mode = 0 };

	if (path && strcmp(path, "-") && stat(path, &st))
		return pp_fail_os(error, "cannot open");
	return S_ISDIR(st.st_mode) ? open_folder(r, path, NULL, error) :
		pp_reader_chain_open(&r->steps, path, error);
}

int pp_reader_begin(struct pp_reader *r, struct pp_error *error)
{
	struct pp_error ignored;
	int failed;

	if (!error)
		error = &ignored;
	failed = r->folder ? pp_folder_begin(r->folder, error) : pp_reader_chain_begin(&r->steps, error);
	return failed ? pp_error_fatal(error, true) : 0;
}

/* Nothing was read until here. */
static int begin(struct pp_reader *r, struct pp_error *error)
{
	const int fd = r->folder ? -1 : pp_reader_fd(r);

	if (r->options.opened && r->options.opened(r->options.arg, fd, error))
		return -1;
	return r->options.unread ? 0 : pp_reader_begin(r, error);
}

struct pp_reader *pp_reader_open(const char *path, const struct pp_reader_options *options,
				 struct pp_error *error)
{
	struct pp_error ignored;
	struct pp_reader *r;

	if (!error)
		error = &ignored;
	error->code = PP_OK;
	r = make(options, error);
	if (r && (open_path(r, path, error) || begin(r, error))) {
		pp_reader_close(r);
		r = NULL;
	}
	if (!r)
		pp_error_fatal(error, true);
	return r;
}

struct pp_reader *pp_reader_beside(struct pp_reader *first, const struct pp_reader_options *options,
				   struct pp_error *error)
{
	struct pp_reader *r = make(options, error);

	if (r && ((first->folder ? open_folder(r, pp_reader_stream(first)->name, first->folder, error) :
				   pp_reader_chain_beside(&r->steps, &first->steps, error)) ||
		  begin(r, error))) {
		pp_reader_close(r);
		r = NULL;
	}
	return r;
}

struct pp_reader *pp_reader_instead(const struct pp_reader *first, int fd,
				    const struct pp_reader_options *options, struct pp_error *error)
{
	struct pp_reader *r = make(options, error);

	if (!r) {
		(void)close(fd);
		return NULL;
	}
	if (pp_reader_chain_take(&r->steps, fd, pp_reader_stream(first)->name, error)) {
		pp_reader_close(r);
		return NULL;
	}
	pp_attrs_of_input(r->attrs, pp_attrs_input_changed(first->attrs));
	r->ties = first->ties;
	r->watch = first->watch;
	return r;
}

void pp_reader_close(struct pp_reader *r)
{
	if (!r)
		return;
	pp_folder_close(r->folder);
	pp_reader_chain_close(&r->steps);
	pp_attrs_free(r->attrs);
	free(r);
}

/* ---- Reading ---- */

static struct pp_stream *stream_of(struct pp_reader *r)
{
	return r->folder ? pp_folder_stream(r->folder) : &r->steps.stream;
}

/* What is written from it says so, even if the caller forgets. */
static void warn_writers(struct pp_reader *r)
{
	r->warned = true;
	for (size_t i = 0; i < r->ties.count; i++)
		if (r->ties.ties[i].writer)
			pp_writer_add_end_flags(r->ties.ties[i].writer, PP_SEAL_DAMAGED);
}

/* The steps pass a wait on as an error; to the caller it is not one.  All others are remembered. */
static enum pp_status result(struct pp_reader *r, int got, const struct pp_error *error)
{
	struct pp_stream *const s = stream_of(r);

	if (got < 0 && error->code == PP_E_AGAIN)
		return PP_AGAIN;
	if (got < 0 && pp_error_status(error) > s->status)
		s->status = pp_error_status(error);
	if (!r->warned && pp_stream_status(s))
		warn_writers(r);
	return (enum pp_status)got;
}

static int next_of(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	return r->folder ? pp_folder_next(r->folder, rec, error) :
			   pp_reader_chain_step(&r->steps, rec, error);
}

/* What is left out was not there. */
static int next_kept(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	struct pp_stream *const s = stream_of(r);
	int got;

	for (;;) {
		const uint64_t records = s->records, first = s->first_time, last = s->last_time;

		got = next_of(r, rec, error);
		if (got <= 0 || !r->leaves(r->leaves_arg, rec))
			return got;
		s->records = records;
		s->first_time = first;
		s->last_time = last;
	}
}

/* Apart, so that a record that is merely walked to costs no frame. */
__attribute__((noinline))
static enum pp_status read_step(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	struct pp_error ignored;

	if (!error)
		error = &ignored;
	return result(r, r->leaves ? next_kept(r, rec, error) : next_of(r, rec, error), error);
}

enum pp_status pp_reader_next(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	return pp_reader_chain_walk(&r->steps, rec) ? PP_MORE : read_step(r, rec, error);
}

uint32_t pp_reader_batch(struct pp_reader *r, struct pp_batch *batch)
{
	return pp_reader_chain_batch(&r->steps, batch);
}

void pp_reader_unbatch(struct pp_reader *r, const struct pp_batch *batch, uint32_t kept)
{
	pp_reader_chain_unbatch(&r->steps, batch, kept);
}

enum pp_status pp_reader_tail(struct pp_reader *r, const void **piece, size_t *size,
			      struct pp_error *error)
{
	struct pp_error ignored;

	if (!error)
		error = &ignored;
	return result(r, r->folder ? pp_folder_tail(r->folder, piece, size, error) :
				     pp_reader_chain_tail(&r->steps, piece, size, error), error);
}

const struct pp_stream *pp_reader_stream(const struct pp_reader *r)
{
	return r->folder ? pp_folder_stream(r->folder) : &r->steps.stream;
}

int pp_stream_status(const struct pp_stream *s)
{
	static const struct pp_error damage = { .code = PP_E_SEAL };

	if (!s->status && (s->flags & PP_SEAL_DAMAGED || s->dropped))
		return pp_error_status(&damage);
	return s->status;
}

int pp_reader_status(const struct pp_reader *r)
{
	return pp_stream_status(pp_reader_stream(r));
}

void pp_reader_warn(const struct pp_reader *r, struct pp_writer *w)
{
	if (r && pp_reader_status(r))
		pp_writer_add_end_flags(w, PP_SEAL_DAMAGED);
}

uint32_t pp_stream_end_flags(const struct pp_stream *s)
{
	const bool sealed = s->sealed && !s->rewritten;

	return (s->flags & PP_SEAL_UNSEALED) | (sealed ? 0 : PP_SEAL_UNSEALED) |
	       (pp_stream_status(s) ? PP_SEAL_DAMAGED : 0);
}

bool pp_reader_raw(const struct pp_reader *r)
{
	return r->options.raw;
}

const struct pp_step_verify *pp_reader_verify(const struct pp_reader *r)
{
	return r->folder || !r->steps.verified.verify || r->steps.stream.foreign ? NULL : &r->steps.verified;
}

void pp_reader_show_index(struct pp_reader *r)
{
	r->steps.noted.indexed = true;
}

void pp_reader_leave_out(struct pp_reader *r, bool (*leaves)(void *arg, const struct pp_record *), void *arg)
{
	r->leaves = leaves;
	r->leaves_arg = arg;
	r->steps.verified.each = true;
}

struct pp_input *pp_reader_sought(struct pp_reader *r)
{
	struct pp_input *const input = &r->steps.frames.source;

	if (r->folder || r->options.raw || r->steps.stream.foreign || r->steps.frames.index ||
	    input->unwrap || input->pieces.count || input->start < 0 || input->beside || input->spooled)
		return NULL;
	input->base = (uint64_t)input->start;
	return input;
}

void pp_reader_by_pieces(struct pp_reader *r, uint32_t flags)
{
	pp_step_frame_restart(&r->steps.frames);
	r->steps.frames.base = PP_PIPE_HEADER;
	r->steps.stream.ended = true;
	r->steps.stream.flags |= flags;
}

void pp_reader_never_wait(struct pp_reader *r)
{
	r->steps.frames.source.hasty = true;
}

int pp_reader_fd(const struct pp_reader *r)
{
	return r->steps.frames.source.fd;
}

/* ---- Those who are tied to it ---- */

void pp_reader_watch_tail(struct pp_reader *r, uint32_t type, pp_tail_fn *fn, void *arg)
{
	struct pp_watch *const w = &r->watch;

	assert(w->count < sizeof(w->who) / sizeof(*w->who));
	w->who[w->count].fn = fn;
	w->who[w->count].arg = arg;
	w->who[w->count++].type = type;
}

static bool flush_writer(void *arg)
{
	return !pp_writer_flush(arg, NULL);
}

static void tie(struct pp_reader *r, struct pp_tie t)
{
	assert(r->ties.count < sizeof(r->ties.ties) / sizeof(*r->ties.ties));
	r->ties.ties[r->ties.count++] = t;
}

void pp_reader_tie(struct pp_reader *r, struct pp_writer *w)
{
	tie(r, (struct pp_tie){ flush_writer, w, w });
	pp_reader_warn(r, w);
}

void pp_reader_tie_call(struct pp_reader *r, bool (*flush)(void *arg), void *arg)
{
	tie(r, (struct pp_tie){ flush, arg, NULL });
}

bool pp_reader_tied(const struct pp_reader *r, const struct pp_writer *w)
{
	for (size_t i = 0; i < r->ties.count; i++)
		if (r->ties.ties[i].writer == w)
			return true;
	return false;
}
