/* reader_chain.h - the steps of reading one input, in the order of the data. */
#ifndef PP_READER_CHAIN_H
#define PP_READER_CHAIN_H

#include <perfpipe/batch.h>

#include "read/stream_state.h"

/* Who gets the tails of records of a type. */
struct pp_watch {
	struct {
		pp_tail_fn *fn;
		void *arg;
		uint32_t type;
	} who[2];
	size_t count;
};

/* Of the samples that were handed out last. */
struct pp_batch_columns {
	uint32_t at[PP_BATCH_MOST + 1];
	const struct pp_attr *attr[PP_BATCH_MOST];
	uint64_t time[PP_BATCH_MOST];
};

/* Each knows the one before it; the stream is where all of them note what they met. */
struct pp_reader_chain {
	struct pp_window *walk;       /* where records may be found without the steps, or `nothing` */
	struct pp_step_frame frames;
	struct pp_step_verify verified;
	struct pp_step_dialect translated;
	struct pp_step_decompress expanded;
	struct pp_step_swap in_host_order;
	struct pp_step_track noted;
	struct pp_stream stream;
	struct pp_window nothing;
	const struct pp_watch *watch;
	struct pp_batch_columns columns;
	bool stuck;                   /* on `error`, which is fatal */
	struct pp_error error;
};

/* Puts them in a row, without an input.  0, or -1 and *error: out of memory; they have to be closed
 * even then.  `attrs`, `ties` and `watch` live longer. */
int pp_reader_chain_init(struct pp_reader_chain *, const struct pp_reader_options *, struct pp_attrs *attrs,
			 const struct pp_ties *, const struct pp_watch *, struct pp_error *);
void pp_reader_chain_close(struct pp_reader_chain *);
/* Opens its input, and reads nothing of it: 0, or -1 and *error.  `path` as pp_reader_open(), and it is
 * borrowed as the stream's name. */
int pp_reader_chain_open(struct pp_reader_chain *, const char *path, struct pp_error *);
/* The same of what another one reads, which outlives it. */
int pp_reader_chain_beside(struct pp_reader_chain *, const struct pp_reader_chain *first, struct pp_error *);
/* Then reads the header, or takes the records for bare ones, in this byte order: 0, or -1 and *error. */
int pp_reader_chain_begin(struct pp_reader_chain *, struct pp_error *);
int pp_reader_chain_begin_bare(struct pp_reader_chain *, bool foreign, struct pp_error *);
/* Both at once, of what comes through a descriptor, which is closed with the chain, or where this fails. */
int pp_reader_chain_take(struct pp_reader_chain *, int fd, const char *name, struct pp_error *);

/* The way of a kernel record that needs no step: whether there was one, and *rec. */
static inline bool pp_reader_chain_walk(struct pp_reader_chain *s, struct pp_record *rec)
{
	struct pp_window *w = s->walk;
	uint8_t *at = w->at;
	const size_t have = (size_t)(w->limit - at);
	uint32_t type;
	size_t size;

	if (have < PP_HEADER_SIZE || (size = pp_load16(at + 6)) > have || size < PP_HEADER_SIZE ||
	    !pp_needs_no_step(&s->stream, type = pp_load32(at)))
		return false;
	pp_window_record(rec, at, type, pp_load16(at + 4), size, s->stream.attrs);
	if (w == &s->frames.window) {
		rec->offset = pp_step_frame_place(&s->frames);
		rec->index = s->frames.index++;
	} else {
		rec->offset = s->expanded.carrier.offset;
		rec->index = s->expanded.carrier.index;
	}
	w->at = at + size;
	if (type < PP_USER_TYPES)
		pp_note_kernel(&s->stream, rec);
	else
		s->stream.records++;
	return true;
}

/* The way of all others, through the steps: as pp_reader_next(). */
int pp_reader_chain_step(struct pp_reader_chain *, struct pp_record *rec, struct pp_error *);
int pp_reader_chain_tail(struct pp_reader_chain *, const void **piece, size_t *size, struct pp_error *);

#endif
