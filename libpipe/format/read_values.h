/* read_values.h - the values of counters that a SAMPLE or a READ carries, one after the other. */
#ifndef PP_READ_VALUES_H
#define PP_READ_VALUES_H

#include <perfpipe/walk.h>

struct pp_read_values {
	uint64_t value, id;
	uint64_t enabled, running;    /* ns, of all of a group; 0 where the event does not say */
	bool has_id;
};

/* `next`: the one that was found, until the next call. */
struct pp_read_values_walk {
	struct pp_cursor cursor;
	struct pp_read_values next;
	bool last;
};

/* Borrows the record, whose event says that it has such values. */
void pp_read_values_open(struct pp_read_values_walk *, const struct pp_record *);
/* Finds the next: 1; 0: there are no more; -1: it is damaged, and ->cursor.error says how. */
int pp_read_values_next(struct pp_read_values_walk *);

#endif
