/* payload.h - what perfpipe carries after the header of a FINISHED_ROUND, where no perf looks: seals,
 * notes, names, an index.  Whoever judges, keeps, drops or turns such records around asks this table. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <perfpipe/perfpipe.h>

struct pp_payload {
	char magic[8];
	const char *what;             /* in messages: "seal", "notes", "names" ... */
	bool ends_round;              /* notes and indexes do not */
	bool describes;               /* says something of the stream: goes where the head goes */
	/* Whether all of it lies in the record, which is in host order. */
	bool (*fits)(const struct pp_record *);
	/* Turns its integers around, to host order or from it, as far as it lies in `size` bytes. */
	void (*swap)(uint8_t *data, size_t size, bool to_host);
};

/* The row of what this record carries, in either byte order; NULL: it is no FINISHED_ROUND, a plain one, or
 * carries nothing that is known here. */
const struct pp_payload *pp_payload_of(const struct pp_record *);
/* Turns the integers of what a FINISHED_ROUND carries around, if that is known. */
void pp_payload_swap(uint8_t *data, size_t size, bool to_host);

#endif
