/* reader_chain.c - puts the steps of reading in a row, opens the input at their beginning, and stays with an
 * error that ends it. */
#include "read/reader_chain.h"
#include "base/byte_order.h"
#include "base/changed.h"
#include "format/format.h"
#include "input/detect_format.h"

int pp_steps_init(struct pp_steps *all, const struct pp_reader_options *options, struct pp_attrs *attrs,
		  const struct pp_ties *ties, const struct pp_watch *watch, struct pp_error *error)
{
	struct pp_stream *s = &all->stream;
	const bool raw = options->raw;

	*all = (struct pp_steps){
		.walk = &all->nothing, .watch = watch,
		.stream = { .container = "stream", .attrs = attrs },
		.frames = { .ties = ties, .stream = s },
		.verified = { .frames = &all->frames, .verify = !raw && !options->no_verify, .stream = s },
		.translated = { .from = &all->verified, .raw = raw, .ties = ties, .stream = s },
		.expanded = { .from = &all->translated, .raw = raw, .sized = &all->frames.carrier,
			      .ties = ties, .stream = s },
		.in_host_order = { .from = &all->expanded, .raw = raw, .stream = s },
		.noted = { .from = &all->in_host_order, .tails = &all->translated, .raw = raw,
			   .stream = s },
	};
	if (pp_frames_open(&all->frames) || pp_verified_open(&all->verified))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

void pp_steps_close(struct pp_steps *all)
{
	pp_in_host_order_close(&all->in_host_order);
	pp_expanded_close(&all->expanded);
	pp_translated_close(&all->translated);
	pp_verified_close(&all->verified);
	pp_frames_close(&all->frames);
}

/* ---- The header ---- */

static void speak(struct pp_steps *all, enum pp_dialect dialect)
{
	pp_translated_from(&all->translated, dialect);
	all->frames.long_sizes = dialect == PP_DIALECT_SIMPLEPERF;
}

/* The input is a file of this kind: its source is made to give a stream. */
static int take_file(struct pp_steps *all, struct pp_error *error)
{
	struct pp_source *source = &all->frames.source;
	const struct pp_window *w = &all->frames.window;

	if (pp_source_seekable(source, w->at, pp_window_have(w), error) || pp_container_file(source, error))
		return -1;
	all->stream.container = "perf.data file";
	all->stream.spooled = source->spooled;
	all->stream.killed = source->pieces.killed;
	all->stream.data_offset = source->pieces.data_offset;
	all->stream.data_size = source->pieces.data_size;
	all->stream.features_offset = source->pieces.data_offset + source->pieces.data_size;
	all->stream.features = source->pieces.killed ? 0 : source->pieces.features[0];
	all->stream.features_left_out = (uint32_t)__builtin_popcountll(source->pieces.left_out);
	speak(all, pp_dialect_of(source->pieces.features));
	return 0;
}

/* The bytes of a header, or why there is none. */
static int have_header(struct pp_steps *all, struct pp_error *error)
{
	const struct pp_window *w = &all->frames.window;
	const int got = pp_frames_fill(&all->frames, PP_PIPE_HEADER, error);
	const size_t have = pp_window_have(w);

	if (got)
		return got < 0 ? -1 : 0;
	if (have < 4 || memcmp(w->at, have < 8 ? "PERF" : "PERFILE2", have < 8 ? 4 : 8))
		return pp_container_unknown(w->at, have, error);
	pp_fail(error, PP_E_CUT, "its header is not whole");
	return pp_error_room(error, NULL, PP_PIPE_HEADER, have);
}

static int read_header(struct pp_steps *all, struct pp_error *error)
{
	struct pp_window *w = &all->frames.window;
	struct pp_stream *s = &all->stream;
	int kind;

	for (;;) {
		if (have_header(all, error) || (kind = pp_container(w->at, &s->foreign, error)) < 0)
			return -1;
		if (kind == PP_CONTAINER_PIPE)
			break;
		/* what was read is a wrapping: the source then gives what is in it */
		if (kind == PP_CONTAINER_ZSTD ?
		    pp_source_unwrap(&all->frames.source, w->at, pp_window_have(w), error) :
		    take_file(all, error))
			return -1;
		pp_frames_restart(&all->frames);
	}
	s->name = all->frames.source.name;
	s->big_endian = s->foreign != PP_HOST_BIG;
	s->version_1 = !memcmp(w->at, PP_MAGIC_V1, 8);
	w->at += PP_PIPE_HEADER;
	s->bytes = PP_PIPE_HEADER;
	return 0;
}

/* ---- Opening ---- */

/* Before it is read, since what comes through a pipe may be copied to a file. */
static void note_input(struct pp_steps *all)
{
	if (all->stream.attrs)
		pp_attrs_of_input(all->stream.attrs, pp_changed_file(all->frames.source.fd));
}

int pp_steps_open(struct pp_steps *all, const char *path, struct pp_error *error)
{
	if (pp_source_open(&all->frames.source, path, error))
		return -1;
	note_input(all);
	return read_header(all, error);
}

int pp_steps_open_bare(struct pp_steps *all, const char *path, bool foreign, struct pp_error *error)
{
	struct pp_source *source = &all->frames.source;

	if (pp_source_open(source, path, error) || pp_container_bare(source, foreign, error))
		return -1;
	note_input(all);
	return read_header(all, error);
}

int pp_steps_beside(struct pp_steps *all, const struct pp_steps *first, struct pp_error *error)
{
	if (pp_source_beside(&all->frames.source, &first->frames.source, error) || read_header(all, error))
		return -1;
	all->stream.spooled = all->frames.source.spooled;
	return 0;
}

/* ---- Reading ---- */

static int fail_input(struct pp_steps *all, struct pp_error *error)
{
	const struct pp_pieces *pieces = &all->frames.source.pieces;

	if (error->located && pieces->count && error->offset >= pieces->data)
		error->offset += pieces->shift;               /* where the file has it */
	if (error->fatal) {
		all->stream.bytes = pp_frames_place(&all->frames);
		all->stuck = true;
		all->error = *error;
	}
	return -1;
}

int pp_steps_tail(struct pp_steps *all, const void **piece, size_t *size, struct pp_error *error)
{
	const struct pp_noted *n = &all->noted;
	const struct pp_watch *watch = all->watch;
	int got;

	if (n->tail_left && all->stuck) {
		*error = all->error;
		return -1;
	}
	got = pp_noted_tail(&all->noted, piece, size, error);
	if (got < 0)
		return fail_input(all, error);
	for (size_t i = 0; got && i < watch->count; i++)
		if (n->last.type == watch->who[i].type &&
		    watch->who[i].fn(watch->who[i].arg, *piece, *size, n->tail_left, error))
			return -1;
	return got;
}

static int skip_tail(struct pp_steps *all, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_steps_tail(all, &piece, &size, error)) > 0)
		;
	return got;
}

int pp_steps_step(struct pp_steps *all, struct pp_record *rec, struct pp_error *error)
{
	int got;

	all->walk = &all->nothing;
	if (all->stuck) {
		*error = all->error;
		return -1;
	}
	if (all->noted.tail_left && skip_tail(all, error))
		return -1;
	got = pp_noted_next(&all->noted, rec, error);
	if (got < 0)
		return fail_input(all, error);
	if (got && !all->stream.foreign && !all->noted.tail_left)
		all->walk = all->expanded.inside ? &all->expanded.window : &all->frames.window;
	return got;
}
