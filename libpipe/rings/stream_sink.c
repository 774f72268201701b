/* stream_sink.c - where records go that are made here, and a writer, with or without a compressor, as the
 * sink of a recording. */
#include "rings/rings.h"

int pp_synth_out_put(struct pp_synth_out *made, struct pp_build *b, struct pp_error *error)
{
	const struct pp_capture_sink *const sink = made->sink;
	const size_t size = pp_build_end(b);

	if (!size || !sink->made)
		return 0;
	return sink->made(sink->arg, made->buf, size, NULL, 0, error);
}

static int begin(void *arg, struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	return pp_writer_header(s->out, true, error);
}

/* The bytes that follow a record may be many: they are written from where they are. */
static int made(void *arg, const void *record, size_t size, const void *tail, size_t tail_size,
		struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	if (pp_writer_copy(s->out, record, size, error))
		return -1;
	if (!tail_size)
		return 0;
	return pp_writer_put(s->out, tail, tail_size, error) || pp_writer_flush(s->out, error) ? -1 : 0;
}

static int feature(void *arg, uint32_t number, struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	return number == PP_FEAT_COMPRESSED && s->z ? pp_compressor_feature(s->z, error) : 0;
}

static int kernel(void *arg, const void *records, size_t size, bool stays, struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	if (s->z)
		return pp_compressor_put(s->z, records, size, error);
	return stays ? pp_writer_put(s->out, records, size, error) :
		       pp_writer_copy(s->out, records, size, error);
}

static int end_stream_round(void *arg, struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	if (s->z && pp_compressor_flush(s->z, error))
		return -1;
	return pp_writer_round(s->out, error);
}

static int note(void *arg, const char *key, const void *value, size_t length,
		struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	if (s->z && pp_compressor_flush(s->z, error))
		return -1;
	return pp_writer_note(s->out, key, value, length, error);
}

static int flush(void *arg, struct pp_error *error)
{
	const struct pp_stream_out *const s = arg;

	return pp_writer_flush(s->out, error);
}

struct pp_capture_sink pp_stream_sink(struct pp_stream_out *s)
{
	return (struct pp_capture_sink){
		.size = sizeof(struct pp_capture_sink), .begin = begin, .made = made,
		.feature = feature, .kernel = kernel, .round = end_stream_round, .flush = flush,
		.note = note, .arg = s,
	};
}
