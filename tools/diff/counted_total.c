/*
 * counted_total.c - what a recording cost as a whole, by counters that it has besides its samples: STAT
 * records say it of all tasks, a READ record of one that ended.
 */
#include "diff/counted_total.h"

#include <stdlib.h>
#include <string.h>

#include "fold/task_counts.h"

static struct {
	struct pp_counts *counts;     /* of STAT records */
	struct task_count { const struct pp_attr *attr; uint32_t tid; double count; } *reads;
	size_t n_reads, reads_room;
	double *of_threads;           /* what samples weigh, by the numbers of their threads */
	size_t n_threads, threads_room;
} state;

int counted_start(struct run *run)
{
	state.counts = pp_counts_new(run->stream->attrs, NULL);
	return state.counts ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static void keep_read(void *arg, const struct task_value *read)
{
	if (state.n_reads == state.reads_room) {
		state.reads_room = state.reads_room ? 2 * state.reads_room : 64;
		state.reads = cli_grow(state.reads, state.reads_room, sizeof(*state.reads));
	}
	state.reads[state.n_reads++] = (struct task_count){
		read->attr, *(const uint32_t *)arg, (double)read->value,
	};
}

int counted_note(struct run *run, const struct pp_record *rec)
{
	uint32_t pid, tid;

	if (rec->type == PP_REC_SAMPLE)
		return 0;
	if (rec->type == PP_REC_READ && pp_task(rec, &pid, &tid))
		task_counts_each(run->stream->attrs, rec, keep_read, &tid);
	return pp_counts_note(state.counts, rec, &run->error) == PP_FAILED ? -1 : 0;
}

void counted_folded(const struct pp_folded *folded)
{
	if (folded->anew)
		memset(state.of_threads, 0, state.n_threads * sizeof(*state.of_threads));
	if (folded->thread >= state.threads_room) {
		state.threads_room = 2 * (size_t)folded->thread + 16;
		state.of_threads = cli_grow(state.of_threads, state.threads_room, sizeof(*state.of_threads));
	}
	for (; state.n_threads <= folded->thread; state.n_threads++)
		state.of_threads[state.n_threads] = 0;
	state.of_threads[folded->thread] += (double)folded->weight;
}

/* Whether STAT records have counts of the event. */
static int add_rounds(const char *event, double *total, struct pp_error *error)
{
	const struct pp_counts_options how = { .size = sizeof(how), .by = PP_COUNT_GLOBAL };
	struct pp_counts_about about;
	struct pp_count_table table;
	int found = 0;

	pp_counts_about(state.counts, &about);
	if (!about.counts)
		return 0;
	if (pp_counts_table(state.counts, &how, &table, error))
		return -1;
	for (size_t i = 0; i < table.events * table.places; i++) {
		const struct pp_count_row *const row = &table.rows[i];

		if (row->counted && row->shown && !strcmp(row->event->name, event)) {
			*total += row->value;
			found = 1;
		}
	}
	return found;
}

static int by_thread(const void *a, const void *b)
{
	const uint32_t x = ((const struct task_count *)a)->tid, y = ((const struct task_count *)b)->tid;

	return (x > y) - (x < y);
}

/*
 * What the event counted that samples are of, no more: where that shared a counter with others, samples were
 * taken part of the time, too.  (Times of READ records do not say which part: an event on each CPU is enabled
 * while its task runs on another one, and the kernel exchanges those of tasks that take turns.)
 */
static void add_tasks(const struct pp_fold *fold, const char *event, double *total, enum counted_by *by)
{
	struct task_count of = { .tid = 0 };
	uint32_t pid;
	size_t n = 0;

	for (size_t i = 0; i < state.n_reads; i++)
		if (!strcmp(state.reads[i].attr->name, event)) {
			*total += state.reads[i].count;
			state.reads[n++] = state.reads[i];
		}
	if (!n)
		return;
	*by = COUNTED_BY_COUNTERS;
	qsort(state.reads, n, sizeof(*state.reads), by_thread);
	for (uint32_t i = 0; i < state.n_threads && pp_fold_thread(fold, i, &pid, &of.tid); i++)
		if (state.of_threads[i] > 0 &&
		    !bsearch(&of, state.reads, n, sizeof(*state.reads), by_thread)) {
			*total += state.of_threads[i];
			*by = COUNTED_BY_BOTH;
		}
}

int counted_end(struct run *run, const struct pp_fold *fold, const char *event, double *total,
		enum counted_by *by)
{
	int got;

	*total = 0;
	*by = COUNTED_BY_SAMPLES;
	got = event ? add_rounds(event, total, &run->error) : 0;
	if (got > 0)
		*by = COUNTED_BY_COUNTERS;
	else if (!got && event)
		add_tasks(fold, event, total, by);
	pp_counts_free(state.counts);
	free(state.reads);
	free(state.of_threads);
	memset(&state, 0, sizeof(state));
	return got < 0 ? -1 : 0;
}
