/*
 * generate.c - generates a recording: what happens when, on which CPU, in which round.
 * generate_head.c makes what comes before the first sample, generate_sample.c the bytes of one sample.
 *
 * Time is cut into as many steps as there are samples, and each has one of them; the CPUs take
 * turns.  So a round is a range of samples, and a CPU's run in it every n-th of them: nothing
 * is kept, however long the stream is.
 */
#include "generate/generate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FORK, EXIT, RENAME, LOSS };

enum {
	IDS_MAX = 8000,               /* of one event, so that its ATTR fits in a record */
	EVENTS_MAX = 4096,
	TASKS_MAX = 4 << 20,          /* as pid_max of Linux */
	MAPS_MAX = 1 << 16,
	MOMENTS_MAX = 16 << 20,
	SAMPLES_A_ROUND = 1000,
	TRIES = 16,                   /* to find a process that is alive */
};
#define SAMPLES_MAX (UINT64_C(1) << 40)
#define ROUNDS_MAX  (UINT64_C(1) << 24)
#define SPAN_MAX    (UINT64_C(1) << 60)

/* From here on records are what the kernel writes, or what perf does. */
static int pack(struct pp_gen *g, bool packing)
{
	if (!g->z || g->packing == packing)
		return 0;
	/* the compressor writes past the batch */
	if (pp_gen_spill(g) || (g->packing && pp_compressor_flush(g->z, g->error)))
		return -1;
	g->packing = packing;
	return 0;
}

static int end_round(struct pp_gen *g)
{
	if (pack(g, false) || pp_gen_drain(g))
		return -1;
	g->stats->records++;
	return pp_writer_round(g->out, g->error);
}

static int begin_stream(struct pp_gen *g)
{
	return pp_writer_header(g->out, true, g->error);
}

static int end_stream(struct pp_gen *g)
{
	if (pack(g, false) || pp_gen_spill(g))
		return -1;
	if (pp_writer_end(g->out, 0, g->error))
		return -1;
	g->stats->bytes = pp_writer_bytes(g->out);
	return 0;
}

/* ---- Time ---- */

/* The first sample of a round. */
static uint64_t first_sample(const struct pp_gen *g, uint64_t round)
{
	const uint64_t n = g->o.samples;

	return round * (n / g->windows) + round * (n % g->windows) / g->windows;
}

/* All times of a round are later than this, and none is later than that of the next round. */
static uint64_t round_start(const struct pp_gen *g, uint64_t round)
{
	return GEN_TIME_START + g->step * (g->o.samples ? first_sample(g, round) : round);
}

static int plan_time(struct pp_gen *g)
{
	struct pp_generate_options *const o = &g->o;
	const uint64_t n = o->samples;

	if (o->rounds == UINT64_MAX) {
		o->rounds = n / SAMPLES_A_ROUND < 4 ? 4 : n / SAMPLES_A_ROUND;
		if (o->rounds > n)
			o->rounds = n ? n : 1;
		if (o->rounds > ROUNDS_MAX)
			o->rounds = ROUNDS_MAX;
	}
	if (n > SAMPLES_MAX || o->rounds > ROUNDS_MAX || o->duration > SPAN_MAX)
		return pp_fail(g->error, PP_E_USE, "too many samples or rounds, or too long");
	if (o->break_rounds &&
	    (o->rounds < 3 || n < o->rounds || !(o->sample_type & PP_SAMPLE_TIME)))
		return pp_fail(g->error, PP_E_USE,
			       "rounds can be broken only where there are times, three rounds or "
			       "more, and as many samples");
	g->windows = o->rounds ? o->rounds : 1;
	if (!o->duration)
		o->duration = n ? (n + o->cpus - 1) / o->cpus * 1000000 : 1000000000;
	g->step = o->duration / (n ? n : g->windows);
	if (!g->step)
		return pp_fail(g->error, PP_E_USE, "%" PRIu64 " ns have no room for %" PRIu64 " %s",
			       o->duration, n ? n : g->windows, n ? "samples" : "rounds");
	g->span = g->step * (n ? n : g->windows);
	return 0;
}

/* ---- Processes, and what happens beside the samples ---- */

static bool alive(const struct pp_gen *g, uint32_t process, uint64_t time)
{
	return g->processes[process].birth < time && time < g->processes[process].death;
}

/* The first one always is. */
static inline uint32_t someone(struct pp_gen *g, uint64_t time, uint32_t *thread)
{
	for (int tries = 0; tries < TRIES; tries++) {
		const uint64_t r = pp_gen_draw(g);
		const uint32_t process = (uint32_t)((r & UINT32_MAX) * g->o.processes >> 32);

		*thread = (uint32_t)((r >> 32) * g->o.threads >> 32);
		if (alive(g, process, time))
			return process;
	}
	*thread = 0;
	return 0;
}

static void add_moment(struct pp_gen *g, uint32_t what, uint32_t process, uint64_t time)
{
	g->moments[g->n_moments] = (struct pp_gen_moment){
		.time = time, .what = what, .process = process, .number = (uint32_t)g->n_moments,
		.cpu = (uint32_t)pp_gen_below(g, g->o.cpus),
	};
	g->n_moments++;
}

static int by_time(const void *a, const void *b)
{
	const struct pp_gen_moment *const x = a, *const y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_place(const void *a, const void *b)
{
	const struct pp_gen_moment *const x = a, *const y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return by_time(a, b);
}

/* Puts them where the stream has them. */
static void order_moments(struct pp_gen *g)
{
	uint64_t round = 0;

	qsort(g->moments, g->n_moments, sizeof(*g->moments), by_time);
	for (size_t i = 0; i < g->n_moments; i++) {
		while (round + 1 < g->windows && g->moments[i].time > round_start(g, round + 1))
			round++;
		g->moments[i].round = round;
	}
	qsort(g->moments, g->n_moments, sizeof(*g->moments), by_place);
}

static int plan_processes(struct pp_gen *g)
{
	const struct pp_generate_options *const o = &g->o;
	const uint64_t n = (uint64_t)o->forks + o->exits + o->renames + o->losses;
	const uint64_t start = GEN_TIME_START + 1, half = g->span / 2;
	uint32_t thread;

	g->processes = calloc(o->processes, sizeof(*g->processes));
	g->moments = calloc((size_t)n + 1, sizeof(*g->moments));
	if (!g->processes || !g->moments)
		return pp_fail(g->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < o->processes; i++)
		g->processes[i].death = UINT64_MAX;
	/* who begins and ends does so in this order, whatever the halves are */
	for (uint32_t i = o->processes - o->forks; i < o->processes; i++) {
		g->processes[i].birth = start + (half ? pp_gen_below(g, half) : 0);
		add_moment(g, FORK, i, g->processes[i].birth);
	}
	for (uint32_t i = 1; i <= o->exits; i++) {
		g->processes[i].death = start + half + pp_gen_below(g, g->span - half);
		add_moment(g, EXIT, i, g->processes[i].death);
	}
	for (uint32_t i = 0; i < o->renames; i++) {
		const uint64_t time = start + pp_gen_below(g, g->span);

		add_moment(g, RENAME, someone(g, time, &thread), time);
	}
	for (uint32_t i = 0; i < o->losses; i++)
		add_moment(g, LOSS, 0, start + pp_gen_below(g, g->span));
	order_moments(g);
	return 0;
}

/* A process that begins: its name and maps are those of a program that it executes. */
static int begin_process(struct pp_gen *g, const struct pp_gen_moment *m, struct pp_gen_trailer t)
{
	const uint32_t pid = pp_gen_pid(g, m->process), parent = pp_gen_pid(g, 0);
	char comm[16];

	t.pid = t.tid = parent;
	if (pp_gen_fork(g, PP_REC_FORK, (const uint32_t[]){ pid, parent, pid, parent }, 0, &t))
		return -1;
	t.pid = t.tid = pid;
	(void)snprintf(comm, sizeof(comm), "gen-%" PRIu32, m->process);
	if (pp_gen_comm(g, m->process, 0, comm, PP_MISC_COMM_EXEC, &t) ||
	    pp_gen_maps(g, m->process, &t))
		return -1;
	for (uint32_t i = 1; i < g->o.threads; i++) {
		const uint32_t ids[] = { pid, pid, pid + i, pid };

		if (pp_gen_fork(g, PP_REC_FORK, ids, 0, &t))
			return -1;
	}
	return 0;
}

static int end_process(struct pp_gen *g, const struct pp_gen_moment *m, struct pp_gen_trailer t)
{
	const uint32_t pid = pp_gen_pid(g, m->process), parent = pp_gen_pid(g, 0);

	t.pid = pid;
	for (uint32_t i = g->o.threads; i--;) {
		const uint32_t up = i ? pid : parent;

		t.tid = pid + i;
		if (pp_gen_fork(g, PP_REC_EXIT, (const uint32_t[]){ pid, up, pid + i, up }, 0, &t))
			return -1;
	}
	return 0;
}

static int emit_moment(struct pp_gen *g, const struct pp_gen_moment *m)
{
	const uint32_t pid = pp_gen_pid(g, m->process);
	const struct pp_gen_trailer t = { .pid = pid, .tid = pid, .cpu = m->cpu, .time = m->time,
					  .id = pp_gen_id(g, 0, m->cpu) };
	struct pp_build b;
	char comm[16];

	switch (m->what) {
	case FORK:
		return begin_process(g, m, t);
	case EXIT:
		return end_process(g, m, t);
	case RENAME:
		(void)snprintf(comm, sizeof(comm), "new-%" PRIu32, m->number);
		return pp_gen_comm(g, m->process, 0, comm, 0, &t);
	default:
		pp_gen_begin(g, &b, PP_REC_LOST, 0);
		pp_build_u64(&b, "id", t.id);
		pp_build_u64(&b, "lost", 1 + m->number % 100);
		pp_build_trailer(&b, pid, pid, t.time, t.id, t.cpu);
		return pp_gen_emit(g, &b);
	}
}

/* ---- Samples ---- */

static int put_sample(struct pp_gen *g, uint64_t number, uint64_t time, uint32_t cpu)
{
	const uint64_t r = pp_gen_draw(g);
	const uint32_t event = (uint32_t)((r & UINT32_MAX) * g->n_events >> 32);
	const struct pp_gen_form *const f = &g->events[event].forms[r >> 32 & (g->n_forms - 1)];
	const uint64_t id = pp_gen_id(g, event, cpu);
	uint32_t thread, pid;
	uint8_t *p;

	if (f->size > GEN_BATCH - g->at && pp_gen_spill(g))
		return -1;
	pid = pp_gen_pid(g, someone(g, time, &thread));
	p = g->batch + g->at;
	memcpy(p, f->data, f->size);
	for (unsigned i = 0; i < f->n_ids; i++)
		pp_store_order64(p + f->ids[i], id, g->swap);
	if (f->tid) {
		pp_store_order32(p + f->tid, pid, g->swap);
		pp_store_order32(p + f->tid + 4, pid + thread, g->swap);
	}
	if (f->time)
		pp_store_order64(p + f->time, time, g->swap);
	if (f->cpu)
		pp_store_order32(p + f->cpu, cpu, g->swap);
	/* perf leaves out a sample whose counter has not changed */
	if (f->value)
		pp_store_order64(p + f->value, number + 1, g->swap);
	if (f->raw_pid)
		pp_store_order32(p + f->raw_pid, pid + thread, g->swap);
	g->at += f->size;
	g->stats->samples++;
	g->stats->records++;
	return 0;
}

/* Moments that are due on this CPU in this round, up to this time. */
static inline int pass_moments(struct pp_gen *g, uint64_t round, uint32_t cpu, uint64_t until)
{
	for (; g->next_moment < g->n_moments; g->next_moment++) {
		const struct pp_gen_moment *const m = &g->moments[g->next_moment];

		if (m->round != round || m->cpu != cpu || m->time > until)
			break;
		if (emit_moment(g, m))
			return -1;
	}
	return 0;
}

/*
 * What one CPU has in a round.  FINISHED_ROUND n releases everything that is no later than the
 * latest time of round n - 1, so a sample may be as old as the round before its own began.
 */
static int put_run(struct pp_gen *g, uint64_t round, uint32_t cpu, bool *broken)
{
	const uint64_t first = first_sample(g, round), end = first_sample(g, round + 1);
	const uint64_t cpus = g->o.cpus;
	const uint64_t oldest = g->o.rounds && round ? round_start(g, round - 1) : GEN_TIME_START;

	for (uint64_t i = first + (cpu + cpus - first % cpus) % cpus; i < end; i += cpus) {
		uint64_t time = GEN_TIME_START + 1 + i * g->step + pp_gen_below(g, g->step);

		if (pass_moments(g, round, cpu, time))
			return -1;
		if (g->o.disorder) {
			const uint64_t late = pp_gen_below(g, g->o.disorder + 1);

			time = time - oldest > late ? time - late : oldest + 1;
		}
		if (g->o.break_rounds && round > 1 && !*broken) {
			time = round_start(g, round - 2);
			*broken = true;
		}
		if (put_sample(g, i, time, cpu))
			return -1;
	}
	return pass_moments(g, round, cpu, UINT64_MAX);
}

static int put_rounds(struct pp_gen *g)
{
	for (uint64_t round = 0; round < g->windows; round++) {
		bool broken = false;

		if (pack(g, true))
			return -1;
		for (uint32_t cpu = 0; cpu < g->o.cpus; cpu++)
			if (put_run(g, round, cpu, &broken))
				return -1;
		if (g->o.rounds && end_round(g))
			return -1;
	}
	return 0;
}

/* ---- The whole ---- */

static int check_shape(struct pp_gen *g)
{
	const struct pp_generate_options *const o = &g->o;
	const uint64_t events = (uint64_t)o->events + o->tracepoints;
	const char *wrong = NULL;

	if (!events || events > EVENTS_MAX)
		wrong = "a stream has 1 to 4096 events";
	else if (!o->cpus || o->cpus > IDS_MAX)
		wrong = "a stream has 1 to 8000 CPUs";
	else if (!o->processes || !o->threads || !pp_fits_n(o->processes, o->threads, TASKS_MAX))
		wrong = "a stream has 1 to 4194304 threads in its processes";
	else if (o->maps > MAPS_MAX)
		wrong = "a process has at most 65536 maps";
	else if (o->forks >= o->processes || o->exits >= o->processes)
		wrong = "one process exists all the time: fewer may begin or end";
	else if (!pp_fits((uint64_t)o->forks + o->exits + o->renames + o->losses, MOMENTS_MAX))
		wrong = "too many other records beside the samples";
	else if (events > 1 && !(o->sample_type & (PP_SAMPLE_ID | PP_SAMPLE_IDENTIFIER)))
		wrong = "samples of several events need an id, or identifier";
	else if (o->sample_type & PP_SAMPLE_WEIGHT && o->sample_type & PP_SAMPLE_WEIGHT_STRUCT)
		wrong = "a sample has weight or weight_struct, not both";
	return wrong ? pp_fail(g->error, PP_E_USE, "%s", wrong) : 0;
}

static int open_stream(struct pp_gen *g, int fd)
{
	g->swap = g->o.big_endian != PP_HOST_BIG;
	g->out = pp_writer_open(fd, g->o.no_seal ? PP_SEAL_NO : PP_SEAL_YES);
	g->batch = malloc(GEN_BATCH);
	g->attrs = pp_attrs_new();
	if (g->out && g->o.level)
		g->z = pp_compressor_open(1, g->o.level, g->out);
	if (!g->out || !g->batch || !g->attrs || (g->o.level && !g->z))
		return pp_fail(g->error, PP_E_NOMEM, NULL);
	if (g->swap) {
		pp_writer_foreign(g->out);
		if (g->z)
			pp_compressor_foreign(g->z);
	}
	return 0;
}

static void close_stream(struct pp_gen *g)
{
	for (uint32_t i = 0; g->events && i < g->n_events; i++) {
		for (uint32_t k = 0; g->events[i].forms && k < g->n_forms; k++)
			free(g->events[i].forms[k].data);
		free(g->events[i].forms);
	}
	free(g->events);
	free(g->processes);
	free(g->moments);
	free(g->batch);
	pp_attrs_free(g->attrs);
	pp_compressor_close(g->z);
	pp_writer_close(g->out);
	free(g);
}

int pp_generate(const struct pp_generate_options *options, int fd, struct pp_generate_stats *stats,
		struct pp_error *error)
{
	struct pp_gen *const g = calloc(1, sizeof(*g));
	int status = -1;

	if (!g)
		return pp_fail(error, PP_E_NOMEM, NULL);
	g->o = *options;
	g->stats = stats;
	g->error = error;
	g->random = options->seed;
	*stats = (struct pp_generate_stats){ 0 };
	if (!check_shape(g) && !plan_time(g) && !plan_processes(g) && !open_stream(g, fd) &&
	    !begin_stream(g) && !pp_gen_head(g) && !pp_gen_forms(g) && !put_rounds(g))
		status = end_stream(g);
	close_stream(g);
	return status;
}
