/* threads.c - the threads of a recording that is exported, and the samples of each. */
#include "exchange/threads.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/heap.h"
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- which threads there are ---- */

/* A thread under one of its names, in one event. */
struct named_thread {
	uint32_t pid, tid;
	struct pp_thread_part part;
	struct pp_thread_times times;
	const char *name;
};

struct thread_list {
	struct named_thread *items;
	size_t n, room;
	struct pp_idmap names;        /* by pid, of its first thread: 1 + an item */
};

static int add_named_thread(struct thread_list *list, const struct pp_export_event *events, uint32_t event,
			    uint32_t number, struct pp_error *error)
{
	struct named_thread one = { .part = { event, number } };
	const uint64_t *known;

	one.name = pp_fold_thread(events[event].fold, number, &one.pid, &one.tid);
	one.times = pp_sample_times_of(events[event].times_of, number);
	if (!one.name)
		return 0;
	if (PP_GROW(&list->items, &list->room, list->n + 1, error))
		return -1;
	list->items[list->n++] = one;
	known = one.pid == one.tid ? pp_idmap_find(&list->names, one.pid) : NULL;
	if (one.pid == one.tid && (!known || list->items[*known - 1].times.last <= one.times.last) &&
	    pp_idmap_set(&list->names, one.pid, list->n))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

static int list_threads(struct thread_list *list, const struct pp_export *all, struct pp_error *error)
{
	uint32_t pid, tid;

	for (uint32_t event = 0; event < all->n_events; event++)
		for (uint32_t i = 0; all->events[event].times_of &&
				     pp_fold_thread(all->events[event].fold, i, &pid, &tid); i++)
			if (add_named_thread(list, all->events, event, i, error))
				return -1;
	return 0;
}

/* Those of one thread, the last name last. */
static int by_thread(const void *a, const void *b)
{
	const struct named_thread *const x = a, *const y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->times.last != y->times.last)
		return x->times.last < y->times.last ? -1 : 1;
	if (x->part.event != y->part.event)
		return x->part.event < y->part.event ? -1 : 1;
	return (x->part.number > y->part.number) - (x->part.number < y->part.number);
}

/* A name that some sample had. */
static void join_thread(struct pp_export_thread *thread, const struct named_thread *one)
{
	thread->pid = one->pid;
	thread->tid = one->tid;
	thread->samples += one->times.samples;
	thread->name = one->times.samples || !thread->name ? one->name : thread->name;
	thread->parts++;
}

/* Of items in the order of their threads; threads that have no samples are left out. */
static int make_threads(struct pp_export_threads *threads, const struct named_thread *items, size_t n,
			struct pp_error *error)
{
	threads->items = calloc(n + 1, sizeof(*threads->items));
	threads->parts = calloc(n + 1, sizeof(*threads->parts));
	if (!threads->items || !threads->parts)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < n;) {
		struct pp_export_thread *const thread = &threads->items[threads->n];

		*thread = (struct pp_export_thread){ .first_part = threads->n_parts };
		do {
			join_thread(thread, &items[i]);
			threads->parts[threads->n_parts++] = items[i].part;
			i++;
		} while (i < n && items[i].pid == thread->pid && items[i].tid == thread->tid);
		if (thread->samples)
			threads->n++;
	}
	return 0;
}

/* ->process, by what is listed, as that is in the list. */
static void name_processes(struct pp_export_threads *threads, const struct thread_list *list)
{
	for (size_t i = 0; i < threads->n; i++) {
		struct pp_export_thread *const thread = &threads->items[i];
		const uint64_t *const known = pp_idmap_find(&list->names, thread->pid);

		thread->process = known ? list->items[*known - 1].name : thread->name;
	}
}

/* ---- more than are wanted ---- */

static int by_samples(const void *a, const void *b)
{
	const struct pp_export_thread *const x = a, *const y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_process(const void *a, const void *b)
{
	const struct pp_export_thread *const x = a, *const y = b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : by_samples(a, b);
}

/* Those from `most` on become one for each process, where there are several of it; their parts follow each
 * other then. */
static int join_processes(struct pp_export_threads *threads, size_t most, struct pp_error *error)
{
	struct pp_thread_part *const parts = calloc(threads->n_parts + 1, sizeof(*parts));
	size_t n = most, n_parts = 0;

	if (!parts)
		return pp_fail(error, PP_E_NOMEM, NULL);
	qsort(threads->items + most, threads->n - most, sizeof(*threads->items), by_process);
	for (size_t i = 0; i < threads->n; i++) {
		const struct pp_export_thread one = threads->items[i];
		struct pp_export_thread *to = &threads->items[n];
		const bool same = i > most && n > most && threads->items[n - 1].pid == one.pid;

		to = i < most ? &threads->items[i] : same ? &threads->items[n - 1] : to;
		if (!same) {
			*to = one;
			to->parts = to->samples = 0;
			to->first_part = n_parts;
			n += i >= most;
		}
		for (size_t part = 0; part < one.parts; part++)
			parts[n_parts++] = threads->parts[one.first_part + part];
		to->parts += one.parts;
		to->samples += one.samples;
		to->several += same ? 1 + !to->several : 0;
		threads->joined += same ? 1 + (to->several == 2) : 0;
		to->name = same ? to->process : to->name;
	}
	threads->n = n;
	free(threads->parts);
	threads->parts = parts;
	threads->n_parts = n_parts;
	return 0;
}

static int gather_threads(struct pp_export_threads *threads, const struct thread_list *list, size_t most,
			  struct pp_error *error)
{
	struct named_thread *const sorted = calloc(list->n + 1, sizeof(*sorted));
	int status;

	if (!sorted)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (list->n)
		memcpy(sorted, list->items, list->n * sizeof(*sorted));
	qsort(sorted, list->n, sizeof(*sorted), by_thread);
	status = make_threads(threads, sorted, list->n, error);
	free(sorted);
	if (status)
		return -1;
	name_processes(threads, list);
	qsort(threads->items, threads->n, sizeof(*threads->items), by_samples);
	return threads->n > most ? join_processes(threads, most, error) : 0;
}

int pp_export_threads_open(struct pp_export_threads *threads, const struct pp_export *all, size_t most,
			   struct pp_error *error)
{
	struct thread_list list = { .n = 0 };
	int status;

	*threads = (struct pp_export_threads){ .all = all };
	status = list_threads(&list, all, error) || gather_threads(threads, &list, most, error) ? -1 : 0;
	free(list.items);
	pp_idmap_close(&list.names);
	return status;
}

void pp_export_threads_close(struct pp_export_threads *threads)
{
	free(threads->items);
	free(threads->parts);
	threads->items = NULL;
	threads->parts = NULL;
}

/* ---- samples ---- */

/* Samples of one time are in the order of their threads' numbers. */
static bool is_earlier(int none, const struct pp_sample_reader *a, const struct pp_sample_reader *b)
{
	(void)none;
	return a->items->time != b->items->time ? a->items->time < b->items->time : a->thread < b->thread;
}
PP_HEAP(sink_head, struct pp_sample_reader, int, is_earlier)

int pp_thread_samples_open(struct pp_thread_samples *s, const struct pp_export_threads *threads,
			   const struct pp_export_thread *thread, size_t event, struct pp_error *error)
{
	const struct pp_export_event *const of = &threads->all->events[event];

	*s = (struct pp_thread_samples){ .heads = calloc(thread->parts + 1, sizeof(*s->heads)) };
	if (!s->heads)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < thread->parts; i++) {
		const struct pp_thread_part *const part = &threads->parts[thread->first_part + i];
		struct pp_sample_reader *const head = &s->heads[s->n];

		if (part->event != event || !pp_sample_reader_open(head, of->times_of, part->number))
			continue;
		s->open = ++s->n;
		if (pp_sample_reader_take(head, 0, error) < 0)
			return -1;
	}
	for (size_t i = s->n / 2; i-- > 0;)
		sink_head(s->heads, s->n, i, 0);
	return 0;
}

/* What was given is taken out. */
static int take_given(struct pp_thread_samples *s, struct pp_error *error)
{
	struct pp_sample_reader *const first = s->heads;
	const int got = pp_sample_reader_take(first, s->given, error);

	s->given = 0;
	if (got < 0)
		return -1;
	if (!got) {
		pp_sample_reader_close(first);
		*first = s->heads[--s->n];
		s->heads[s->n].room = NULL;
	}
	if (s->n > 1)
		sink_head(s->heads, s->n, 0, 0);
	return 0;
}

/* How many of the first head's samples come before those of all others. */
static size_t samples_until_others(const struct pp_thread_samples *s)
{
	struct pp_sample_reader at = s->heads[0];
	size_t n = 1;

	if (s->n == 1)
		return at.n;
	for (at.items++; n < at.n && is_earlier(0, &at, &s->heads[1]) &&
			 (s->n == 2 || is_earlier(0, &at, &s->heads[2])); at.items++)
		n++;
	return n;
}

int pp_thread_samples_next(struct pp_thread_samples *s, const struct pp_sample_time **samples, size_t *n,
			   struct pp_error *error)
{
	if (s->given && take_given(s, error))
		return -1;
	if (!s->n)
		return 0;
	*samples = s->heads->items;
	*n = s->given = samples_until_others(s);
	return 1;
}

void pp_thread_samples_close(struct pp_thread_samples *s)
{
	for (size_t i = 0; i < s->open && s->heads; i++)
		pp_sample_reader_close(&s->heads[i]);
	free(s->heads);
	s->heads = NULL;
}

struct pp_thread_times pp_thread_samples_of(const struct pp_export_threads *threads,
					    const struct pp_export_thread *thread, size_t event)
{
	struct pp_thread_times sum = { .samples = 0 };

	for (size_t i = 0; i < thread->parts; i++) {
		const struct pp_thread_part *const part = &threads->parts[thread->first_part + i];
		struct pp_thread_times one = { .samples = 0 };

		if (part->event == event)
			one = pp_sample_times_of(threads->all->events[event].times_of, part->number);
		sum.samples += one.samples;
		sum.weight = pp_tree_sum(sum.weight, one.weight);
		if (one.first && (!sum.first || one.first < sum.first))
			sum.first = one.first;
		sum.last = one.last > sum.last ? one.last : sum.last;
	}
	return sum;
}
