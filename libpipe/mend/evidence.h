/* evidence.h - what evidence.c knows of a stream while mend.c goes along it. */
#ifndef MEND_H
#define MEND_H

#include "base/array.h"
#include "base/byte_order.h"
#include "format/seal.h"
#include "order/promise.h"
#include "input/detect_format.h"
#include "read/dialect.h"
#include "read/compressed_records.h"

/* What is known of a stream so far, to distinguish records from other bytes. */
struct pp_evidence {
	struct pp_attrs *attrs;
	uint8_t *scratch;             /* a record of the other byte order, turned round */
	bool foreign;
	bool google;                  /* before its attributes some types mean something else */
	bool backwards;               /* some buffers are written from their end: rounds say nothing */
	bool begun;                   /* a record was taken */
	bool blind;                   /* what lacks an attribute is believed: they come last */
	struct pp_promise kept;       /* the times of all that was taken ... */
	struct pp_promise times;      /* ... and of what is believed: others show where the stream is */
};

/* What was found out about a record. */
struct pp_judged {
	struct pp_record host;        /* in host order; ->attr is known */
	bool sound;
	bool doubtful;                /* of no known type, or longer than its fields */
	bool google;                  /* the stream is of that dialect */
	bool timed;
	uint64_t time, tail;
	const char *why;              /* where it is not sound */
};

/* How an event's samples show by their size alone that they are sound. */
struct pp_plain {
	bool sure;                    /* they do */
	bool chain, raw;
	uint32_t fixed;               /* bytes before these */
};

static inline struct pp_plain pp_plain_of(const struct pp_attr *a)
{
	static const uint64_t alike = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ADDR |
		PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU | PP_SAMPLE_PERIOD |
		PP_SAMPLE_IDENTIFIER;
	const uint64_t more = a->sample_type & ~alike;
	const bool chain = more & PP_SAMPLE_CALLCHAIN, raw = more & PP_SAMPLE_RAW;

	return (struct pp_plain){
		.sure = !(more & ~(uint64_t)(PP_SAMPLE_CALLCHAIN | PP_SAMPLE_RAW)) &&
			(!chain || a->plan.callchain),
		.chain = chain, .raw = raw,
		/* the raw data's length is fixed too */
		.fixed = chain ? a->plan.callchain : a->plan.fixed - (raw ? 4U : 0),
	};
}

/* Whether such a sample, in host order, is as long as what is in it. */
static inline bool pp_plain_fills(const struct pp_plain *plain, const uint8_t *data, size_t size)
{
	uint64_t at = plain->fixed;

	if (plain->chain) {
		uint64_t n;

		if (!pp_fits(at + 8, size))
			return false;
		n = pp_load64(data + at);
		at += 8;
		if (!pp_fits_n(n, 8, size - at))
			return false;
		at += n * 8;
	}
	if (plain->raw) {
		if (!pp_fits(at + 4, size))
			return false;
		at += 4 + (uint64_t)pp_load32(data + at);
	}
	return at == size;
}

/* Whether a sample of a known event, in host order, is proven sound by its size alone. */
static inline bool pp_evidence_plain(const struct pp_record *rec)
{
	const struct pp_plain plain = pp_plain_of(rec->attr);

	return plain.sure && pp_plain_fills(&plain, rec->data, rec->size);
}

int pp_evidence_open(struct pp_evidence *);     /* 0, or -1: out of memory */
void pp_evidence_close(struct pp_evidence *);
/* Judges the record at `data`, which is there as a whole and has `size` bytes. */
void pp_evidence_judge(struct pp_evidence *, uint8_t *data, size_t size, struct pp_judged *);
/* Whether these bytes may be the header of a record. */
bool pp_evidence_header(const struct pp_evidence *, const uint8_t *data);
/* The same, of bytes that nothing says to be one. */
bool pp_evidence_strict_header(const struct pp_evidence *, const uint8_t *data);
/* How strongly such a record suggests that it is not there by chance; 0: not at all. */
unsigned pp_evidence_weight(const struct pp_evidence *, const struct pp_judged *);
/* Takes what a sound record says: attributes.  0, or -1 with error: it is not what it seems (of status
 * 3), or there is no memory to keep it. */
int pp_evidence_take(struct pp_evidence *, const struct pp_judged *, struct pp_error *error);
/* HEADER_ATTR records, in the stream's byte order, of events that lost theirs. */
struct pp_recovered { struct pp_buffer bytes; uint64_t events; };
/* Adds the events that this record, in host order, describes and that were unknown before.  0, or
 * -1: out of memory. */
int pp_evidence_recover(struct pp_evidence *, const struct pp_record *, struct pp_recovered *);
/* A record of this time is older than what a round released, by more than a writer's may be. */
static inline bool pp_evidence_late(const struct pp_evidence *e, uint64_t time)
{
	return pp_promise_late(&e->kept, time) > PP_TIME_FAR && !e->backwards;
}

enum { PP_EVIDENCE_ENOUGH = 6 };

#endif
