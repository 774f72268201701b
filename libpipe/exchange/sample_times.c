/*
 * sample_times.c - when each thread had which stacks, sample by sample.  They are kept in a file without a
 * name but for the last ones of each thread, so that memory grows with threads and not with samples.  A
 * thread's blocks in the file are a chain: where the next one will be is known when a block is written.
 *
 *	thread 7:  [8 samples, next at 4096] -> [16 samples, next at 9216] -> ... -> 5 samples in memory
 */
#include "exchange/sample_times.h"

#include "base/array.h"
#include "base/spool.h"
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST = 8, MOST = 256 };       /* samples of a block: each has twice as many as the one before */

struct thread_blocks {
	struct pp_thread_times all;
	struct pp_sample_time *items; /* those that are in no file yet, after the head of their block */
	size_t n, room;
	size_t end;                   /* below so many, there is room for one more */
	size_t blocks;                /* in the file */
	uint64_t first, next;         /* where the first one is, and where the next one will be */
};

struct pp_sample_times {
	struct thread_blocks *threads;
	size_t n_threads, threads_room;
	int fd;                       /* -1: there is no file yet */
	uint64_t end;                 /* of what is given away of it */
};

/* A block in the file begins with its head, which is no sample: its time is where the next block is. */
enum { HEAD = 1 };

static size_t block_size(size_t number)
{
	return number < 5 ? (size_t)LEAST << number : MOST;
}

struct pp_sample_times *pp_sample_times_new(void)
{
	struct pp_sample_times *const s = calloc(1, sizeof(*s));

	if (s)
		s->fd = -1;
	return s;
}

void pp_sample_times_clear(struct pp_sample_times *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		free(s->threads[i].items);
	s->n_threads = 0;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->end = 0;
}

void pp_sample_times_free(struct pp_sample_times *s)
{
	if (!s)
		return;
	pp_sample_times_clear(s);
	free(s->threads);
	free(s);
}

/* ---- what is added ---- */

static int spool_failed(struct pp_error *error)
{
	return pp_fail_os(error, "cannot put samples aside in %s", pp_temporary_folder());
}

static uint64_t give_block(struct pp_sample_times *s, size_t number)
{
	const uint64_t at = s->end;

	s->end += (HEAD + block_size(number)) * sizeof(struct pp_sample_time);
	return at;
}

static int spool_block(struct pp_sample_times *s, struct thread_blocks *t, struct pp_error *error)
{
	const uint64_t at = t->blocks ? t->next : give_block(s, 0);
	const uint64_t next = give_block(s, t->blocks + 1);

	*t->items = (struct pp_sample_time){ .time = next };
	if (s->fd < 0)
		s->fd = pp_temporary();
	if (s->fd < 0 || pp_write_at(s->fd, t->items, (HEAD + t->n) * sizeof(*t->items), at))
		return spool_failed(error);
	t->first = t->blocks ? t->first : at;
	t->next = next;
	t->blocks++;
	t->n = 0;
	return 0;
}

/* Room for one more sample, at least. */
static __attribute__((noinline))
int make_room(struct pp_sample_times *s, struct thread_blocks *t, struct pp_error *error)
{
	if (t->n == block_size(t->blocks) && spool_block(s, t, error))
		return -1;
	if (PP_GROW(&t->items, &t->room, HEAD + (t->n ? t->n + 1 : (size_t)LEAST), error))
		return -1;
	t->end = block_size(t->blocks);
	t->end = t->end < t->room - HEAD ? t->end : t->room - HEAD;
	return 0;
}

static void add_to_thread(struct pp_thread_times *t, uint64_t time, uint64_t weight)
{
	t->samples++;
	t->weight = pp_tree_sum(t->weight, weight);
	if (!time)
		return;
	t->first = t->first && t->first < time ? t->first : time;
	t->last = t->last > time ? t->last : time;
}

static __attribute__((noinline))
int add_threads(struct pp_sample_times *s, size_t n, struct pp_error *error)
{
	if (PP_GROW(&s->threads, &s->threads_room, n, error))
		return -1;
	memset(&s->threads[s->n_threads], 0, (n - s->n_threads) * sizeof(*s->threads));
	s->n_threads = n;
	return 0;
}

int pp_sample_times_add(struct pp_sample_times *s, uint64_t time, uint32_t thread, uint32_t node,
			uint64_t weight, struct pp_error *error)
{
	struct thread_blocks *t;

	if (thread >= s->n_threads && add_threads(s, (size_t)thread + 1, error))
		return -1;
	t = &s->threads[thread];
	if (t->n == t->end && make_room(s, t, error))
		return -1;
	t->items[HEAD + t->n++] = (struct pp_sample_time){ time, weight, node };
	add_to_thread(&t->all, time, weight);
	return 0;
}

/* ---- nodes that are others now ---- */

static void renumber_items(struct pp_sample_time *items, size_t n, const uint32_t *places)
{
	for (size_t i = 0; i < n; i++)
		items[i].node = places[items[i].node];
}

static int renumber_blocks(struct pp_sample_times *s, const struct thread_blocks *t, const uint32_t *places,
			   struct pp_error *error)
{
	struct pp_sample_time items[HEAD + MOST];
	uint64_t at = t->first;

	for (size_t i = 0; i < t->blocks; i++, at = items->time) {
		const size_t size = (HEAD + block_size(i)) * sizeof(*items);

		if (pp_read_at(s->fd, items, size, at))
			return spool_failed(error);
		renumber_items(items + HEAD, block_size(i), places);
		if (pp_write_at(s->fd, items, size, at))
			return spool_failed(error);
	}
	return 0;
}

int pp_sample_times_renumber(struct pp_sample_times *s, const uint32_t *places, struct pp_error *error)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct thread_blocks *const t = &s->threads[i];

		if (t->n)
			renumber_items(t->items + HEAD, t->n, places);
		if (renumber_blocks(s, t, places, error))
			return -1;
	}
	return 0;
}

/* ---- what came of it ---- */

struct pp_thread_times pp_sample_times_of(const struct pp_sample_times *s, size_t thread)
{
	return thread < s->n_threads ? s->threads[thread].all : (struct pp_thread_times){ .samples = 0 };
}

bool pp_sample_reader_open(struct pp_sample_reader *r, const struct pp_sample_times *s, size_t thread)
{
	const struct pp_thread_times all = pp_sample_times_of(s, thread);

	*r = (struct pp_sample_reader){ .of = s, .thread = thread, .left = all.samples };
	if (all.samples)
		r->next = s->threads[thread].first;
	return all.samples;
}

static int load_block(struct pp_sample_reader *r, struct pp_error *error)
{
	const struct thread_blocks *const t = &r->of->threads[r->thread];

	if (r->blocks == t->blocks) {
		r->items = t->items + HEAD;
		r->n = t->n;
		return 0;
	}
	if (!r->room)
		r->room = malloc((HEAD + MOST) * sizeof(*r->room));
	if (!r->room)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->n = block_size(r->blocks++);
	r->items = r->room + HEAD;
	if (pp_read_at(r->of->fd, r->room, (HEAD + r->n) * sizeof(*r->room), r->next))
		return spool_failed(error);
	r->next = r->room->time;
	return 0;
}

int pp_sample_reader_take(struct pp_sample_reader *r, size_t n, struct pp_error *error)
{
	if (n)
		r->items += n;
	r->n -= n;
	r->left -= n;
	if (!r->n && r->left && load_block(r, error))
		return -1;
	return r->left != 0;
}

void pp_sample_reader_close(struct pp_sample_reader *r)
{
	free(r->room);
	r->room = NULL;
}
