/* reader_chain.c - puts the steps of reading in a row, opens the input at their beginning, and stays with an
 * error that ends it. */
#include "read/reader_chain.h"
#include "base/byte_order.h"
#include "base/changed.h"
#include "format/format.h"
#include "input/detect_format.h"

int pp_reader_chain_init(struct pp_reader_chain *all, const struct pp_reader_options *options,
			 struct pp_attrs *attrs,
			 const struct pp_ties *ties, const struct pp_watch *watch, struct pp_error *error)
{
	struct pp_stream *s = &all->stream;
	const bool raw = options->raw;

	*all = (struct pp_reader_chain){
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
	if (pp_step_frame_open(&all->frames) || pp_step_verify_open(&all->verified))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

void pp_reader_chain_close(struct pp_reader_chain *all)
{
	pp_step_swap_close(&all->in_host_order);
	pp_step_decompress_close(&all->expanded);
	pp_step_dialect_close(&all->translated);
	pp_step_verify_close(&all->verified);
	pp_step_frame_close(&all->frames);
}

/* ---- The header ---- */

static void speak(struct pp_reader_chain *all, enum pp_dialect dialect)
{
	pp_step_dialect_from(&all->translated, dialect);
	all->frames.long_sizes = dialect == PP_DIALECT_SIMPLEPERF;
}

/* The input is a file of this kind: its source is made to give a stream. */
static int take_file(struct pp_reader_chain *all, struct pp_error *error)
{
	struct pp_input *source = &all->frames.source;
	const struct pp_window *w = &all->frames.window;

	if (pp_input_seekable(source, w->at, pp_window_have(w), error) || pp_container_file(source, error))
		return -1;
	all->stream.container = "perf.data file";
	all->stream.spooled = source->spooled;
	all->stream.killed = source->pieces.killed;
	all->stream.data_offset = source->pieces.data_offset;
	all->stream.data_size = source->pieces.data_size;
	all->stream.features_offset = source->pieces.data_offset + source->pieces.data_size;
	all->stream.features = source->pieces.killed ? 0 : source->pieces.features[0];
	all->stream.features_left_out = source->pieces.left_out;
	all->stream.long_features = source->pieces.long_features;
	all->stream.n_long_features = source->pieces.n_long;
	speak(all, pp_dialect_of(source->pieces.features));
	return 0;
}

/* The bytes of a header, or why there is none. */
static int have_header(struct pp_reader_chain *all, struct pp_error *error)
{
	const struct pp_window *w = &all->frames.window;
	const int got = pp_step_frame_fill(&all->frames, PP_PIPE_HEADER, error);
	const size_t have = pp_window_have(w);

	if (got)
		return got < 0 ? -1 : 0;
	if (have < 4 || memcmp(w->at, have < 8 ? "PERF" : "PERFILE2", have < 8 ? 4 : 8))
		return pp_container_unknown(w->at, have, error);
	pp_fail(error, PP_E_CUT, "its header is not whole");
	return pp_error_room(error, NULL, PP_PIPE_HEADER, have);
}

static int read_header(struct pp_reader_chain *all, struct pp_error *error)
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
		    pp_input_unwrap(&all->frames.source, w->at, pp_window_have(w), error) :
		    take_file(all, error))
			return -1;
		pp_step_frame_restart(&all->frames);
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
static void note_input(struct pp_reader_chain *all)
{
	if (all->stream.attrs)
		pp_attrs_of_input(all->stream.attrs, pp_changed_file(all->frames.source.fd));
}

int pp_reader_chain_open(struct pp_reader_chain *all, const char *path, struct pp_error *error)
{
	if (pp_input_open(&all->frames.source, path, error))
		return -1;
	note_input(all);
	return 0;
}

int pp_reader_chain_begin(struct pp_reader_chain *all, struct pp_error *error)
{
	return read_header(all, error);
}

int pp_reader_chain_begin_bare(struct pp_reader_chain *all, bool foreign, struct pp_error *error)
{
	return pp_container_bare(&all->frames.source, foreign, error) ? -1 : read_header(all, error);
}

int pp_reader_chain_take(struct pp_reader_chain *all, int fd, const char *name, struct pp_error *error)
{
	return pp_input_take(&all->frames.source, fd, name, error) ? -1 : read_header(all, error);
}

int pp_reader_chain_beside(struct pp_reader_chain *all, const struct pp_reader_chain *first,
			   struct pp_error *error)
{
	if (pp_input_beside(&all->frames.source, &first->frames.source, error))
		return -1;
	all->stream.spooled = all->frames.source.spooled;
	return 0;
}

/* ---- Reading ---- */

static int fail_input(struct pp_reader_chain *all, struct pp_error *error)
{
	const struct pp_composed_input *pieces = &all->frames.source.pieces;

	if (error->located && pieces->count && error->offset >= pieces->data)
		error->offset += pieces->shift;               /* where the file has it */
	if (error->fatal) {
		all->stream.bytes = pp_step_frame_place(&all->frames);
		all->stuck = true;
		all->error = *error;
	}
	return -1;
}

int pp_reader_chain_tail(struct pp_reader_chain *all, const void **piece, size_t *size,
			 struct pp_error *error)
{
	const struct pp_step_track *n = &all->noted;
	const struct pp_watch *watch = all->watch;
	int got;

	if (n->tail_left && all->stuck) {
		*error = all->error;
		return -1;
	}
	got = pp_step_track_tail(&all->noted, piece, size, error);
	if (got < 0)
		return fail_input(all, error);
	for (size_t i = 0; got && i < watch->count; i++)
		if (n->last.type == watch->who[i].type &&
		    watch->who[i].fn(watch->who[i].arg, *piece, *size, n->tail_left, error))
			return -1;
	return got;
}

static int skip_tail(struct pp_reader_chain *all, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_chain_tail(all, &piece, &size, error)) > 0)
		;
	return got;
}

int pp_reader_chain_step(struct pp_reader_chain *all, struct pp_record *rec, struct pp_error *error)
{
	int got;

	all->walk = &all->nothing;
	if (all->stuck) {
		*error = all->error;
		return -1;
	}
	if (all->noted.tail_left && skip_tail(all, error))
		return -1;
	got = pp_step_track_next(&all->noted, rec, error);
	if (got < 0)
		return fail_input(all, error);
	if (got && !all->stream.foreign && !all->noted.tail_left && !all->verified.each)
		all->walk = all->expanded.inside ? &all->expanded.window : &all->frames.window;
	return got;
}
