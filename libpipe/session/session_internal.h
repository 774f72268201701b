/* session_internal.h - what a session consists of. */
#ifndef PP_SESSION_INTERNAL_H
#define PP_SESSION_INTERNAL_H

#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "base/spool.h"
#include "symbol/strings.h"

/* Records that are due, in the order of their times; their bytes and tails are copies. */
struct pp_due_records {
	struct pp_due_record {
		struct pp_record record;        /* ->data is set when it is handed out */
		size_t at;                      /* of its bytes */
		uint64_t tail_at;               /* of its tail, in the spool */
	} *items;
	size_t next, count, room;
	struct pp_buffer bytes;
	struct pp_spool tails;
	uint64_t tail_at, tail_end;             /* what is left of the tail of the record at hand */
	uint8_t *piece;
	bool all_read, cut;                     /* nothing more can be read; for a failure */
};

struct pp_counted_names {
	struct pp_strings names;
	uint64_t *counts;                       /* by the number of the name */
	size_t room;
	uint32_t *order;                        /* numbers, the largest count first; NULL: not sorted yet */
};

struct pp_session {
	struct pp_session_options options;
	char *name;                             /* of an input that could not be opened; or NULL */
	struct pp_reader *in;                   /* NULL: it could not be opened */
	const struct pp_stream *stream;
	struct pp_budget own_budget;
	struct pp_rounds *rounds;               /* NULL: as read */
	struct pp_due_records due;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_tracepoints *tracepoints;
	struct pp_writer *out;
	bool begun;                             /* the header of the output was written */
	const uint8_t *shown;                   /* the bytes of the record at hand */
	uint8_t *edited;                        /* room for one that is */
	struct pp_counted_names counted;
	struct pp_error error;                  /* the last */
	uint64_t places;                        /* that are damaged */
	int status;                             /* of the worst failure that no reader remembers */
	bool failed;                            /* nothing more can be read or written */
};

enum { PP_SESSION_SHOWN = 10 };         /* damaged places that are said in full */

/* The name of the input, also where it could not be opened. */
const char *pp_session_input(const struct pp_session *);
/* Opens what holds records until their time.  0, or -1 and *error. */
int pp_session_open_order(struct pp_session *, struct pp_error *);
void pp_session_close_order(struct pp_session *);
/* The next record in the order of times, as pp_session_next(), but that nothing is noted. */
enum pp_status pp_session_next_by_time(struct pp_session *, struct pp_record *);
/* The next piece of the tail of the record at hand: PP_MORE, PP_END, or PP_FAILED and *error. */
enum pp_status pp_session_held_tail(struct pp_session *, const void **piece, size_t *size, struct pp_error *);
/* The next record as it is read, in which damage is passed over. */
enum pp_status pp_session_read(struct pp_session *, struct pp_record *);
/* Writes the header of the output, once it is known whether the input is sealed. */
void pp_session_begin_output(struct pp_session *);
/* Ends what was written. */
void pp_session_end_output(struct pp_session *);
void pp_session_free_counts(struct pp_counted_names *);

#endif
