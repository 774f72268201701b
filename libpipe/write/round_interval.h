/* round_interval.h - new rounds in a stream that is in order. */
#ifndef PP_ROUND_INTERVAL_H
#define PP_ROUND_INTERVAL_H

#include <perfpipe/perfpipe.h>

struct pp_round_interval {
	struct pp_cadence every;
	uint64_t records, bytes;      /* with a time, since the last round */
	uint64_t due;                 /* time of the next one; 0: nothing came yet */
};

/* Whether there are to be any. */
static inline bool pp_paced(const struct pp_round_interval *p)
{
	return p->every.records || p->every.time || p->every.bytes;
}
/* Before a record with this time is written: writes the round that is due.  0, or -1 and *error. */
int pp_pace(struct pp_round_interval *, struct pp_writer *, uint64_t time, size_t size, struct pp_error *);
int pp_pace_end(struct pp_round_interval *, struct pp_writer *, struct pp_error *);
/* Whether new rounds replace this record: a round that contains nothing but a seal. */
bool pp_pace_replaces(const struct pp_record *);

#endif
