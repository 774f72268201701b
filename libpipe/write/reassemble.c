/*
 * reassemble.c - a stream out of records that somebody made, in either byte order: its header, and
 * seals that fit the new bytes where there were seals.
 */
#include "format/note.h"
#include "format/seal.h"
#include "input/detect_format.h"

#include <stdlib.h>

struct pp_restore {
	struct pp_writer *out;
	enum pp_sealing wanted;
	struct pp_sum sum;
	bool foreign, sealing;
	bool begun;                   /* a record was written, or was there */
	bool was_sealed;              /* the first was a seal */
	bool had_end;                 /* an END was among the records ... */
	uint32_t end_flags;           /* ... and had these flags */
	uint32_t flags;               /* of all seals so far */
};

struct pp_restore *pp_restore_open(struct pp_writer *w, enum pp_sealing wanted)
{
	struct pp_restore *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->out = w;
	r->wanted = wanted;
	if (pp_sum_open(&r->sum)) {
		free(r);
		return NULL;
	}
	return r;
}

void pp_restore_close(struct pp_restore *r)
{
	if (!r)
		return;
	pp_sum_close(&r->sum);
	free(r);
}

uint32_t pp_restore_flags(const struct pp_restore *r)
{
	return r->flags;
}

bool pp_restore_lacks_end(const struct pp_restore *r)
{
	return r->was_sealed && !r->had_end;
}

bool pp_restore_was_sealed(const struct pp_restore *r)
{
	return r->was_sealed;
}

/* Before the first record it is unknown whether the stream is sealed: the header is hashed. */
static int put(struct pp_restore *r, const void *data, size_t size, struct pp_error *error)
{
	if (r->sealing || !r->begun)
		pp_sum_add(&r->sum, data, size);
	return pp_writer_copy(r->out, data, size, error);
}

static int put_made_seal(struct pp_restore *r, uint32_t flags, struct pp_error *error)
{
	uint8_t data[PP_SEAL_SIZE];

	pp_sum_make(&r->sum, data, pp_writer_bytes(r->out), flags, r->foreign);
	return pp_writer_copy(r->out, data, sizeof(data), error);
}

static int put_round(struct pp_restore *r, uint32_t flags, struct pp_error *error)
{
	uint8_t data[PP_HEADER_SIZE];

	if (r->sealing)
		return put_made_seal(r, flags, error);
	pp_round_header(data, sizeof(data), r->foreign);
	return put(r, data, sizeof(data), error);
}

int pp_restore_header(struct pp_restore *r, bool version_1, bool foreign, struct pp_error *error)
{
	uint8_t header[PP_PIPE_HEADER];

	r->foreign = foreign;
	pp_stream_header(header, foreign);
	if (version_1)
		memcpy(header, PP_MAGIC_V1, 8);
	if (put(r, header, sizeof(header), error))
		return -1;
	r->sealing = r->wanted == PP_SEAL_YES;
	return r->sealing ? put_made_seal(r, 0, error) : 0;
}

/* In a stream that is not sealed only the END of a stage that met damage means something. */
static bool is_stray(const struct pp_restore *r, const struct pp_seal *seal)
{
	return r->wanted == PP_SEAL_AUTO && !r->sealing && !pp_seal_is_lone(seal);
}

/* Of a seal only its place and its flags are kept. */
static int restore_seal(struct pp_restore *r, const struct pp_seal *seal, bool first,
			struct pp_error *error)
{
	r->flags |= seal->flags & ~(uint32_t)PP_SEAL_END;
	if (seal->flags & PP_SEAL_END) {
		r->had_end = true;
		r->end_flags = seal->flags;
		return 0;
	}
	if (!first)
		return put_round(r, seal->flags, error);
	r->was_sealed = true;
	/* the first is no round: it shows that the stream is sealed */
	if (r->wanted != PP_SEAL_AUTO)
		return 0;             /* there is one already, or there shall be none */
	r->sealing = true;
	return put_made_seal(r, seal->flags, error);
}

int pp_restore_record(struct pp_restore *r, const struct pp_record *rec, struct pp_error *error)
{
	const bool first = !r->begun;
	const bool round = rec->type == PP_REC_FINISHED_ROUND;
	struct pp_seal seal;

	r->begun = true;
	/* the stream may be another by now */
	if (round && pp_is_index(rec))
		return 0;
	if (round && pp_seal_load(&seal, rec->data, rec->size, r->foreign) &&
	    (first || !is_stray(r, &seal)))
		return restore_seal(r, &seal, first, error);
	if (round && rec->size == PP_HEADER_SIZE && r->wanted == PP_SEAL_YES)
		return put_round(r, r->flags, error);
	return put(r, rec->data, rec->size, error);
}

int pp_restore_tail(struct pp_restore *r, const void *data, size_t size, struct pp_error *error)
{
	return put(r, data, size, error);
}

int pp_restore_end(struct pp_restore *r, uint32_t flags, struct pp_error *error)
{
	const bool seen = r->had_end || r->wanted == PP_SEAL_YES;
	uint8_t data[PP_SEAL_SIZE];

	flags |= r->had_end && r->wanted == PP_SEAL_AUTO ? r->end_flags : r->flags;
	/* a sealed stream whose END was removed stays without one */
	if ((seen || flags & PP_SEAL_DAMAGED) &&
	    pp_sum_make_end(&r->sum, data, pp_writer_bytes(r->out), flags, r->sealing, r->foreign) &&
	    pp_writer_copy(r->out, data, sizeof(data), error))
		return -1;
	return pp_writer_flush(r->out, error);
}
