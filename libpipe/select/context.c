/*
 * context.c - keeps what is near a match in time, on the same thread or the same CPU; what
 * matches, and what becomes of what stays, is the caller's to say.
 *
 * Whether a sample stays is known once all that is at most a span younger was seen.  So records
 * wait in one line, in the order in which they came; of every thread and every CPU only the time of
 * its last match is kept, since that is the one nearest to what leaves the line next.  What comes
 * before the first time waits for nothing, and so stays before what has a tail.
 *
 * The line is made of chunks.  Beyond the budget those that are full go to a file, from which they
 * come back one after the other.
 */
#include "base/hash.h"
#include "model/record_store.h"
#include "base/spool.h"

#include <stdlib.h>

enum {
	CHUNK = 1 << 18,
	BUFFER = 1 << 12,             /* chunks are written as they are */
};

/* Records, each after a struct waiting, one after the other. */
struct context_chunk {
	struct context_chunk *next;
	uint32_t from, used;          /* bytes that have left, that were filled */
	uint8_t *data;                /* CHUNK bytes; NULL: they are in the file ... */
	uint64_t place;               /* ... there */
};

/* The head of a record that waits; in a multiple of 8 bytes its own follow. */
struct waiting {
	uint64_t time;                /* not smaller than that of the record before */
	uint32_t tid, cpu, attr;      /* attr: ordinal + 1; 0: none */
	uint16_t size;
	bool sample : 1;              /* one whose match is unknown yet: else it stays */
	bool has_tid : 1, has_cpu : 1;
};

struct pp_context {
	pp_context_out_fn *out;
	void *arg;
	const struct pp_attrs *attrs;
	uint64_t span, now;
	struct pp_budget *budget;
	struct context_chunk *first, *last;
	uint8_t *spare;               /* of a chunk that left */
	struct pp_spool file;
	uint64_t aside;               /* chunks that are there */
	struct pp_idmap matches;      /* time of the last one on a thread or a CPU */
	struct pp_context_stats stats;
};

struct pp_context *pp_context_open(uint64_t span, struct pp_budget *budget, pp_context_out_fn *out,
				   void *arg)
{
	struct pp_context *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->span = span;
	c->budget = budget;
	c->out = out;
	c->arg = arg;
	c->matches.budget = budget;
	if (pp_spool_open(&c->file, BUFFER)) {
		pp_context_close(c);
		return NULL;
	}
	return c;
}

static void drop_chunk(struct pp_context *c)
{
	struct context_chunk *const chunk = c->first;

	c->first = chunk->next;
	if (!c->first)
		c->last = NULL;
	if (c->spare)
		pp_give_back(c->budget, chunk->data, CHUNK);
	else
		c->spare = chunk->data;
	pp_give_back(c->budget, chunk, sizeof(*chunk));
}

void pp_context_close(struct pp_context *c)
{
	if (!c)
		return;
	while (c->first)
		drop_chunk(c);
	pp_give_back(c->budget, c->spare, CHUNK);
	pp_idmap_close(&c->matches);
	pp_spool_close(&c->file);
	free(c);
}

const struct pp_context_stats *pp_context_stats(const struct pp_context *c)
{
	return &c->stats;
}

/* ---- The last matches ---- */

static uint64_t key_of_thread(uint32_t tid) { return UINT64_C(1) << 32 | tid; }
static uint64_t key_of_cpu(uint32_t cpu) { return UINT64_C(2) << 32 | cpu; }

/* Nothing that waits or comes is near a match that is older than this. */
static uint64_t horizon(const struct pp_context *c)
{
	const uint64_t oldest = c->first ? c->now - (c->now < c->span ? c->now : c->span) : c->now;

	return oldest < c->span ? 0 : oldest - c->span;
}

/* What is too old is forgotten where it takes room. */
static int remember(struct pp_context *c, uint64_t key, uint64_t time)
{
	if (pp_idmap_sweep(&c->matches, horizon(c)))
		return -1;
	return pp_idmap_set(&c->matches, key, time);
}

static bool near(const struct pp_context *c, uint64_t key, uint64_t time)
{
	const uint64_t *const match = pp_idmap_find(&c->matches, key);

	return match && (*match >= time || time - *match <= c->span);
}

/* ---- Out ---- */

static int write_one(struct pp_context *c, const struct waiting *w, uint8_t *data,
		     struct pp_error *error)
{
	struct pp_record record;

	if (w->sample && !(w->has_tid && near(c, key_of_thread(w->tid), w->time)) &&
	    !(w->has_cpu && near(c, key_of_cpu(w->cpu), w->time)))
		return 0;
	c->stats.near += w->sample;
	if (pp_record_at(&record, data, w->size, error))
		return -1;
	record.attrs = c->attrs;
	record.attr = w->attr ? pp_attrs_at(c->attrs, w->attr - 1) : NULL;
	return c->out(c->arg, &record, error);
}

static uint8_t *chunk_data(struct pp_context *c)
{
	uint8_t *const data = c->spare ? c->spare : pp_take(c->budget, CHUNK);

	c->spare = NULL;
	return data;
}

/* Has the first chunk in memory. */
static int fetch(struct pp_context *c, struct pp_error *error)
{
	struct context_chunk *const chunk = c->first;

	if (chunk->data)
		return 0;
	chunk->data = chunk_data(c);
	if (!chunk->data)
		return pp_budget_fail(c->budget, error);
	if (pp_spool_read(&c->file, chunk->place, chunk->data, chunk->used, error))
		return -1;
	pp_spool_forget(&c->file, chunk->place, chunk->place + chunk->used);
	if (!--c->aside)
		pp_spool_cut(&c->file, 0);
	return 0;
}

/* Lets all go that is older than `before`. */
static int let_go(struct pp_context *c, uint64_t before, struct pp_error *error)
{
	while (c->first) {
		struct context_chunk *const chunk = c->first;
		struct waiting w;

		if (fetch(c, error))
			return -1;
		memcpy(&w, chunk->data + chunk->from, sizeof(w));
		if (w.time >= before)
			return 0;
		if (write_one(c, &w, chunk->data + chunk->from + sizeof(w), error))
			return -1;
		chunk->from += (uint32_t)(sizeof(w) + pp_align8(w.size));
		if (chunk->from == chunk->used)
			drop_chunk(c);
	}
	return 0;
}

/* ---- In ---- */

/* The last chunk is full: it waits in the file, unless there is memory or it is the next to leave. */
static int put_aside(struct pp_context *c, struct pp_error *error)
{
	struct context_chunk *const chunk = c->last;

	if (chunk == c->first || !pp_budget_spills(c->budget, CHUNK))
		return 0;
	chunk->place = pp_spool_end(&c->file);
	if (pp_spool_write(&c->file, chunk->data, chunk->used, error))
		return -1;
	c->aside++;
	c->spare = chunk->data;
	chunk->data = NULL;
	return 0;
}

static struct context_chunk *chunk_for(struct pp_context *c, uint32_t room, struct pp_error *error)
{
	struct context_chunk *chunk = c->last;

	if (chunk && pp_fits(room, CHUNK - chunk->used))
		return chunk;
	if (chunk && put_aside(c, error))
		return NULL;
	chunk = pp_take(c->budget, sizeof(*chunk));
	if (chunk)
		chunk->data = chunk_data(c);
	if (!chunk || !chunk->data) {
		pp_give_back(c->budget, chunk, sizeof(*chunk));
		pp_budget_fail(c->budget, error);
		return NULL;
	}
	*(c->last ? &c->last->next : &c->first) = chunk;
	return c->last = chunk;
}

static int add(struct pp_context *c, const struct pp_record *record, const struct waiting *w,
	       struct pp_error *error)
{
	const uint32_t room = (uint32_t)(sizeof(*w) + pp_align8(w->size));
	struct context_chunk *const chunk = chunk_for(c, room, error);

	if (!chunk)
		return -1;
	memcpy(chunk->data + chunk->used, w, sizeof(*w));
	memcpy(chunk->data + chunk->used + sizeof(*w), record->data, w->size);
	chunk->used += room;
	return 0;
}

int pp_context_put(struct pp_context *c, struct pp_record *record, bool match,
		   struct pp_error *error)
{
	struct waiting w = { .size = record->size,
			     .attr = record->attr ? record->attr->index + 1 : 0 };
	uint32_t pid;
	uint64_t time;

	if (pp_time(record, &time) && time > c->now)
		c->now = time;
	c->attrs = record->attrs;
	if (!c->now && !c->first && record->type != PP_REC_SAMPLE)
		return c->out(c->arg, record, error);
	w.time = c->now;
	w.has_tid = pp_task(record, &pid, &w.tid) && w.tid;   /* thread 0 is on every CPU */
	w.has_cpu = pp_cpu(record, &w.cpu);
	/* one without an event cannot be judged: it stays */
	w.sample = record->type == PP_REC_SAMPLE && record->attr && !match;
	if (let_go(c, c->now < c->span ? 0 : c->now - c->span, error))
		return -1;
	if (match && ((w.has_tid && remember(c, key_of_thread(w.tid), c->now)) ||
		      (w.has_cpu && remember(c, key_of_cpu(w.cpu), c->now))))
		return pp_budget_fail(c->budget, error);
	return add(c, record, &w, error);
}

int pp_context_end(struct pp_context *c, struct pp_error *error)
{
	return let_go(c, UINT64_MAX, error);
}
