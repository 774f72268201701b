/* round_interval.c - decides when a round is due in a sorted stream, where a round is correct
 * anywhere. */
#include "write/round_interval.h"

/* The next time at which a round is due, at or after `time`. */
static uint64_t next_due(uint64_t due, uint64_t time, uint64_t step)
{
	const uint64_t steps = (time - due) / step + 1;

	return steps > (UINT64_MAX - due) / step ? UINT64_MAX : due + steps * step;
}

static bool is_due(struct pp_round_interval *p, uint64_t time)
{
	const struct pp_cadence *const every = &p->every;

	if (every->time && time >= p->due) {
		const bool first = !p->due;

		p->due = next_due(first ? time : p->due, time, every->time);
		if (!first)
			return true;
	}
	return (every->records && p->records >= every->records) ||
	       (every->bytes && p->bytes >= every->bytes);
}

int pp_pace(struct pp_round_interval *p, struct pp_writer *w, uint64_t time, size_t size,
	    struct pp_error *error)
{
	const bool due = is_due(p, time) && p->records;

	if (due)
		p->records = p->bytes = 0;
	p->records++;
	p->bytes += size;
	return due ? pp_writer_round(w, error) : 0;
}

int pp_pace_end(struct pp_round_interval *p, struct pp_writer *w, struct pp_error *error)
{
	return pp_paced(p) && p->records ? pp_writer_round(w, error) : 0;
}

bool pp_pace_replaces(const struct pp_record *rec)
{
	struct pp_seal seal;

	return rec->type == PP_REC_FINISHED_ROUND &&
	       (rec->size == PP_HEADER_SIZE || pp_is_seal(rec, &seal));
}
