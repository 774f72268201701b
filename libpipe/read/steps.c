/* steps.c - puts the steps of reading in a row, opens the input at their beginning, and stays with an
 * error that ends it. */
#include "read/steps.h"
#include "read/container.h"

int pp_steps_init(struct pp_steps *l, const struct pp_reader_options *options, struct pp_attrs *attrs,
		 const struct pp_ties *ties, const struct pp_watch *watch, struct pp_error *error)
{
	struct pp_stream *s = &l->stream;
	const bool raw = options->raw;

	*l = (struct pp_steps){
		.walk = &l->nothing, .watch = watch,
		.stream = { .container = "stream", .attrs = attrs },
		.frames = { .ties = ties, .stream = s },
		.verified = { .frames = &l->frames, .verify = !raw && !options->no_verify, .stream = s },
		.translated = { .from = &l->verified, .raw = raw, .ties = ties, .stream = s },
		.expanded = { .from = &l->translated, .raw = raw, .sized = &l->frames.carrier,
			      .ties = ties, .stream = s },
		.in_host_order = { .from = &l->expanded, .raw = raw, .stream = s },
		.noted = { .from = &l->in_host_order, .tails = &l->translated, .raw = raw,
			   .stream = s },
	};
	if (pp_frames_open(&l->frames) || pp_verified_open(&l->verified))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

void pp_steps_close(struct pp_steps *l)
{
	pp_in_host_order_close(&l->in_host_order);
	pp_expanded_close(&l->expanded);
	pp_translated_close(&l->translated);
	pp_verified_close(&l->verified);
	pp_frames_close(&l->frames);
}

/* ---- The header ---- */

static void speak(struct pp_steps *l, enum pp_dialect dialect)
{
	pp_translated_from(&l->translated, dialect);
	l->frames.long_sizes = dialect == PP_DIALECT_SIMPLEPERF;
}

/* The input is a file of this kind: its source is made to give a stream. */
static int take_file(struct pp_steps *l, struct pp_error *error)
{
	struct pp_source *source = &l->frames.source;
	const struct pp_window *w = &l->frames.window;

	if (pp_source_seekable(source, w->at, pp_window_have(w), error) || pp_container_file(source, error))
		return -1;
	l->stream.container = "perf.data file";
	l->stream.spooled = source->spooled;
	l->stream.killed = source->pieces.killed;
	l->stream.features_left_out = (uint32_t)__builtin_popcountll(source->pieces.left_out);
	speak(l, pp_dialect_of(source->pieces.features));
	return 0;
}

/* The bytes of a header, or why there is none. */
static int have_header(struct pp_steps *l, struct pp_error *error)
{
	const struct pp_window *w = &l->frames.window;
	const int got = pp_frames_fill(&l->frames, PP_PIPE_HEADER, error);
	const size_t have = pp_window_have(w);

	if (got)
		return got < 0 ? -1 : 0;
	if (have < 4 || memcmp(w->at, have < 8 ? "PERF" : "PERFILE2", have < 8 ? 4 : 8))
		return pp_container_unknown(w->at, have, error);
	pp_fail(error, PP_E_CUT, "its header is not whole");
	return pp_error_room(error, NULL, PP_PIPE_HEADER, have);
}

static int read_header(struct pp_steps *l, struct pp_error *error)
{
	struct pp_window *w = &l->frames.window;
	struct pp_stream *s = &l->stream;
	int kind;

	for (;;) {
		if (have_header(l, error) || (kind = pp_container(w->at, &s->foreign, error)) < 0)
			return -1;
		if (kind == PP_CONTAINER_PIPE)
			break;
		/* what was read is a wrapping: the source then gives what is in it */
		if (kind == PP_CONTAINER_ZSTD ?
		    pp_source_unwrap(&l->frames.source, w->at, pp_window_have(w), error) :
		    take_file(l, error))
			return -1;
		pp_frames_restart(&l->frames);
	}
	s->name = l->frames.source.name;
	s->big_endian = s->foreign != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	s->version_1 = !memcmp(w->at, "PERFFILE", 8);
	w->at += PP_PIPE_HEADER;
	s->bytes = PP_PIPE_HEADER;
	return 0;
}

/* ---- Opening ---- */

int pp_steps_open(struct pp_steps *l, const char *path, bool twice, struct pp_error *error)
{
	struct pp_source *source = &l->frames.source;

	if (pp_source_open(source, path, error) || (twice && pp_source_mark(source, error)))
		return -1;
	return read_header(l, error);
}

int pp_steps_open_bare(struct pp_steps *l, const char *path, bool foreign, struct pp_error *error)
{
	struct pp_source *source = &l->frames.source;

	if (pp_source_open(source, path, error) || pp_container_bare(source, foreign, error))
		return -1;
	return read_header(l, error);
}

int pp_steps_again(struct pp_steps *l, struct pp_steps *first, struct pp_error *error)
{
	if (pp_source_again(&l->frames.source, &first->frames.source, error) || read_header(l, error))
		return -1;
	l->stream.spooled = l->frames.source.spooled;
	return 0;
}

/* ---- Reading ---- */

static int failed(struct pp_steps *l, struct pp_error *error)
{
	const struct pp_pieces *pieces = &l->frames.source.pieces;

	if (error->located && pieces->count && error->offset >= pieces->data)
		error->offset += pieces->shift;               /* where the file has it */
	if (error->fatal) {
		l->stream.bytes = pp_frames_place(&l->frames);
		l->stuck = true;
		l->error = *error;
	}
	return -1;
}

int pp_steps_tail(struct pp_steps *l, const void **piece, size_t *size, struct pp_error *error)
{
	const struct pp_noted *n = &l->noted;
	const struct pp_watch *watch = l->watch;
	int got;

	if (n->tail_left && l->stuck) {
		*error = l->error;
		return -1;
	}
	got = pp_noted_tail(&l->noted, piece, size, error);
	if (got < 0)
		return failed(l, error);
	if (got && watch->fn && n->last.type == watch->type &&
	    watch->fn(watch->arg, *piece, *size, n->tail_left, error))
		return -1;
	return got;
}

static int skip_tail(struct pp_steps *l, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_steps_tail(l, &piece, &size, error)) > 0)
		;
	return got;
}

int pp_steps_step(struct pp_steps *l, struct pp_record *rec, struct pp_error *error)
{
	int got;

	l->walk = &l->nothing;
	if (l->stuck) {
		*error = l->error;
		return -1;
	}
	if (l->noted.tail_left && skip_tail(l, error))
		return -1;
	got = pp_noted_next(&l->noted, rec, error);
	if (got < 0)
		return failed(l, error);
	if (got && !l->stream.foreign && !l->noted.tail_left)
		l->walk = l->expanded.inside ? &l->expanded.window : &l->frames.window;
	return got;
}
