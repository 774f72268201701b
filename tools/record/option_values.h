/* option_values.h - the values of pp-record's options: each fills its target, or returns what is wrong. */
#ifndef PP_OPTION_VALUES_H
#define PP_OPTION_VALUES_H

#include <perfpipe/capture.h>
#include "cli/cli.h"

struct buffers {
	uint64_t ring, aux;           /* bytes; 0: the usual ones */
};

struct snapshots {
	uint64_t bytes;               /* 0: as much as there is */
	bool wanted, at_end;
};

const char *parse_frequency(void *u64, const char *value);      /* UINT64_MAX: max */
const char *parse_period(void *u64, const char *value);
const char *parse_buffer(void *buffers, const char *value);      /* "RING", "RING,AUX", ",AUX" */
/* Pages, or bytes with a suffix; a power of two either way. */
const char *parse_pages(void *bytes, const char *value);
const char *parse_snapshot(void *snapshots, const char *value);
const char *parse_aux_sample(void *u32, const char *value);
/* Of --threads: a number, one for each of these places, or the CPUs of each. */
struct threads {
	uint64_t n;
	enum pp_capture_place at;
	const char *masks;
};
const char *parse_threads(void *threads, const char *value);
const char *parse_affinity(void *place, const char *value);
const char *parse_sideband(void *target, const char *value);    /* enum pp_capture_sideband */
const char *parse_off(void *boolean, const char *value);        /* of a switch that ends another */
const char *parse_wakeup(void *u32, const char *value);         /* NULL: 1 */
const char *parse_clock(void *s32, const char *value);          /* -1: the kernel's own */

/* sample_options.c: what samples carry */
const char *parse_call_graph(void *sampling, const char *value);
const char *parse_branches(void *bits, const char *value);
const char *parse_user_registers(void *bits, const char *value);
const char *parse_registers(void *bits, const char *value);

#endif
