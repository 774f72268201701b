/* dialect.c - knows what some writers do in their own way, by the evidence for it, and hands on the
 * same as perf would write it. */
#include "read/dialect.h"
#include "base/byte_order.h"

enum {
	GOOGLE_FIRST = 69, GOOGLE_LAST = 80,      /* features 3 to 14 */
	GOOGLE_SHIFT = GOOGLE_FIRST - PP_FEAT_HOSTNAME,
	TRACING_HEAD = 12,                        /* header and u32 size */
};

static const char *dialect_name(enum pp_dialect d)
{
	static const char *const names[] = {
		[PP_DIALECT_GOOGLE] = "Google header strings",
		[PP_DIALECT_SIMPLEPERF] = "simpleperf",
		[PP_DIALECT_HIPERF] = "hiperf",
	};

	return names[d];
}

/* The first one is the host's name: a length, and just so many bytes, which are text. */
bool pp_is_google(const uint8_t *data, uint32_t type, size_t size, bool foreign)
{
	return type == GOOGLE_FIRST && size > PP_HEADER_SIZE + 4 && size < 1024 &&
	       pp_in_order32(data + PP_HEADER_SIZE, foreign) == size - PP_HEADER_SIZE - 4 &&
	       data[PP_HEADER_SIZE + 4] && memchr(data + PP_HEADER_SIZE + 4, 0, size - PP_HEADER_SIZE - 4);
}

/* A record of the Google dialect as a HEADER_FEATURE, in the same byte order; `out` has PP_RECORD_MAX
 * bytes.  Its size, or 0: it does not fit. */
static size_t google_feature(uint8_t *out, const uint8_t *data, uint32_t type, size_t size, bool foreign)
{
	const uint64_t number = type - GOOGLE_SHIFT;

	if (type < GOOGLE_FIRST || type > GOOGLE_LAST || !pp_fits(size + 8, PP_RECORD_MAX))
		return 0;
	pp_store_order32(out, PP_REC_HEADER_FEATURE, foreign);
	pp_store_order16(out + 4, 0, foreign);
	pp_store_order16(out + 6, (uint16_t)(size + 8), foreign);
	pp_store_order64(out + 8, number, foreign);
	memcpy(out + 16, data + PP_HEADER_SIZE, size - PP_HEADER_SIZE);
	return size + 8;
}

uint32_t pp_simpleperf_tracing(uint8_t out[16], const uint8_t *data, size_t size, bool foreign)
{
	uint64_t length, room = size - TRACING_HEAD;

	if (size < TRACING_HEAD + 4)
		return 0;
	length = pp_in_order32(data + PP_HEADER_SIZE, foreign);
	/* as perf counts it, with the padding that is there anyway */
	if (pp_fits(pp_align8(length), room))
		length = pp_align8(length);
	if (!pp_fits(length, room))
		return 0;
	pp_store_order32(out, PP_REC_HEADER_TRACING_DATA, foreign);
	pp_store_order16(out + 4, 0, foreign);
	pp_store_order16(out + 6, 16, foreign);
	pp_store_order32(out + 8, (uint32_t)length, foreign);
	pp_store_order32(out + 12, 0, foreign);
	return (uint32_t)length;
}

/* ---- The step ---- */

void pp_step_dialect_from(struct pp_step_dialect *t, enum pp_dialect dialect)
{
	t->dialect = dialect;
	t->stream->dialect = dialect_name(dialect);
}

void pp_step_dialect_close(struct pp_step_dialect *t)
{
	free(t->made);
}

/* A record that is made may be borrowed until the next one is. */
static int room_to_make(struct pp_step_dialect *t, struct pp_error *error)
{
	if (t->made)
		return pp_ties_flush(t->ties, error);
	t->made = malloc(PP_RECORD_MAX);
	if (t->made)
		return 0;
	pp_fail(error, PP_E_NOMEM, NULL);
	return pp_error_fatal(error, true);
}

static int from_google(struct pp_step_dialect *t, struct pp_record *rec, struct pp_error *error)
{
	size_t size;

	if (room_to_make(t, error))
		return -1;
	size = google_feature(t->made, rec->data, rec->type, rec->size, t->stream->foreign);
	if (!size)
		return 1;
	rec->data = t->made;
	rec->type = PP_REC_HEADER_FEATURE;
	rec->size = (uint16_t)size;
	return 1;
}

/* The data that are in the record become its tail. */
static int from_simpleperf(struct pp_step_dialect *t, struct pp_record *rec, struct pp_error *error)
{
	uint32_t length;

	if (rec->type != PP_REC_HEADER_TRACING_DATA)
		return 1;
	if (room_to_make(t, error))
		return -1;
	length = pp_simpleperf_tracing(t->made, rec->data, rec->size, t->stream->foreign);
	if (!length)
		return 1;
	t->tail = rec->data + TRACING_HEAD;
	t->tail_left = length;
	rec->data = t->made;
	rec->size = 16;
	return 1;
}

int pp_step_dialect_next(struct pp_step_dialect *t, struct pp_record *rec, struct pp_error *error)
{
	const int got = pp_step_verify_next(t->from, rec, error);

	t->tail_left = 0;
	if (got <= 0)
		return got;
	if (!rec->index && pp_is_google(rec->data, rec->type, rec->size, t->stream->foreign))
		pp_step_dialect_from(t, PP_DIALECT_GOOGLE);
	if (t->raw || rec->type < PP_USER_TYPES)
		return 1;
	switch (t->dialect) {
	case PP_DIALECT_GOOGLE:     return from_google(t, rec, error);
	case PP_DIALECT_SIMPLEPERF: return from_simpleperf(t, rec, error);
	default:                    return 1;
	}
}

int pp_step_dialect_bytes(struct pp_step_dialect *t, uint64_t most, const void **piece, size_t *size,
			  struct pp_error *error)
{
	if (!t->tail_left)
		return pp_step_verify_bytes(t->from, most, piece, size, error);
	*size = t->tail_left < most ? t->tail_left : (size_t)most;
	*piece = t->tail;
	t->tail += *size;
	t->tail_left -= *size;
	return 1;
}
