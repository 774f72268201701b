/* generate.h - what the parts of the generator share; nothing outside of this folder
 * includes it. */
#ifndef GENERATE_H
#define GENERATE_H

#include <perfpipe/generate.h>
#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"
#include "format/event_ids.h"

enum {
	GEN_BATCH = 1 << 20,          /* bytes between two writes */
	GEN_MAP_START = 0x400000,     /* the first map of every process ... */
	GEN_MAP_STEP = 0x200000,      /* ... where the next one is from there ... */
	GEN_MAP_SIZE = 0x100000,      /* ... and how long each is */
	GEN_KERNEL_SIZE = 0x1000000,
	GEN_TRACEPOINT = 1000,        /* config of the first tracepoint */
	GEN_AUX_BYTES = 16,           /* in a sample */
};
#define GEN_KERNEL_START UINT64_C(0xffffffff81000000)
#define GEN_TIME_START   UINT64_C(1000000000000)

/* A sample that is done but for what differs from one to the next.  Offsets; 0: not there. */
struct pp_gen_form {
	uint8_t *data;
	uint16_t size;
	uint16_t ids[4], n_ids;       /* wherever the event's id is */
	uint16_t tid, time, cpu;
	uint16_t value;               /* of the counter */
	uint16_t raw_pid;             /* in the raw data of a tracepoint */
};

struct pp_gen_event {
	uint32_t type;
	uint64_t config;
	char name[64];
	const struct pp_attr *attr;
	struct pp_gen_form *forms;
};

/* Alive between the two times, both excluded. */
struct pp_gen_process { uint64_t birth, death; };

/* Something that happens once, beside the samples. */
struct pp_gen_moment {
	uint64_t time, round;
	uint32_t cpu, what, process, number;
};

struct pp_gen {
	struct pp_generate_options o;
	struct pp_generate_stats *stats;
	struct pp_error *error;
	uint64_t random;
	/* out */
	struct pp_writer *out;
	struct pp_compressor *z;
	bool swap;                    /* the stream's byte order is not the host's */
	bool packing;                 /* what is in the batch is to be compressed */
	uint8_t *batch;
	size_t at, from;              /* filled; of it given to the writer */
	/* events */
	struct pp_attrs *attrs;
	struct pp_gen_event *events;
	uint32_t n_events, n_forms;   /* forms: of each event; a power of two */
	/* time */
	uint64_t step, span, windows; /* ns a sample; of all; rounds, or 1 where there are none */
	struct pp_gen_process *processes;
	struct pp_gen_moment *moments;
	size_t n_moments, next_moment;
	uint8_t buf[PP_RECORD_MAX + 1], scratch[PP_RECORD_MAX + 1];
};

/* The next random number. */
static inline uint64_t pp_gen_draw(struct pp_gen *g)
{
	uint64_t z = g->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
/* One from 0 to n - 1; n > 0. */
static inline uint64_t pp_gen_below(struct pp_gen *g, uint64_t n) { return pp_gen_draw(g) % n; }

static inline uint64_t pp_gen_id(const struct pp_gen *g, uint32_t event, uint32_t cpu)
{
	return 1 + (uint64_t)event * g->o.cpus + cpu;
}
static inline uint32_t pp_gen_pid(const struct pp_gen *g, uint32_t process)
{
	return 1000 + process * g->o.threads;
}

/* Bytes, or a record that was begun in g->buf.  0, or -1 and g->error. */
int pp_gen_put(struct pp_gen *, const void *, size_t);
int pp_gen_emit(struct pp_gen *, struct pp_build *);
/* Begins a record that the first event describes. */
void pp_gen_begin(struct pp_gen *, struct pp_build *, uint32_t type, uint16_t misc);
/* What the writer met.  Returns -1. */
/* Gives the batch to the writer, or to the compressor. */
int pp_gen_drain(struct pp_gen *);
/* Makes room in the batch.  0 or -1. */
int pp_gen_spill(struct pp_gen *);

/* generate_head.c: everything before the first sample, and the records about a process. */
int pp_gen_head(struct pp_gen *);
struct pp_gen_trailer { uint32_t pid, tid, cpu; uint64_t time, id; };
int pp_gen_comm(struct pp_gen *, uint32_t process, uint32_t thread, const char *comm, uint16_t misc,
		const struct pp_gen_trailer *);
int pp_gen_fork(struct pp_gen *, uint32_t type, const uint32_t ids[4], uint16_t misc,
		const struct pp_gen_trailer *);
int pp_gen_maps(struct pp_gen *, uint32_t process, const struct pp_gen_trailer *);

/* generate_sample.c: the forms of all events. */
int pp_gen_forms(struct pp_gen *);

#endif
