/* split_hosts.h - the hosts of a merged stream, and what a piece for one of them has of it. */
#ifndef PP_SPLIT_HOSTS_H
#define PP_SPLIT_HOSTS_H

#include <perfpipe/perfpipe.h>

#include <stdbool.h>

struct hosts {
	struct pp_host items[PP_HOSTS_MOST];
	size_t count;
	bool known;                     /* hosts_need() found them */
	uint64_t misfits;               /* records with numbers that their host cannot have */
};

/* Takes what a note says of hosts; such notes come before any other record. */
void hosts_note(struct hosts *, const struct pp_record *, struct pp_sideband *);
/* Exits where no note said whose numbers are apart; `name` is the input. */
void hosts_need(struct hosts *, const char *name);
/* The host whose record it is, or -1. */
int hosts_of(const struct hosts *, const struct pp_record *);
/* Puts the host's own numbers into a record, which has room for PP_RECORD_MAX bytes; one that does
 * not take them stays as it is, and is counted. */
void hosts_move_back(struct hosts *, size_t number, struct pp_record *);
/* A record of the head for the piece of a host, which has its own name: PP_KEEP or PP_DROP. */
int hosts_shape(struct hosts *, size_t number, struct pp_record *);

#endif
