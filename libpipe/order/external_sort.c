/*
 * external_sort.c - sorts a stream as a whole in bounded memory: runs are sorted, put aside and
 * merged.
 *
 *	arena   | item item item ->           <- record record record |     full: items are sorted,
 *	file    | run: 1 4 7 9 | run: 2 3 8 | ...                           records become a run
 *	output    1 2 3 4 7 8 9                                             at the end all runs are merged
 *
 * Records with a time go into an arena from its end down, an item for each from its begin up.
 * When they meet, the items are sorted and the records put aside in that order.  Streams are
 * ascending stretches (a buffer of one CPU after another), so that sorting is merging these.
 *
 * Records without a time are put aside by themselves, in the order they have, with what follows
 * them.  Each leaves before the smallest time that came after it.  That can only grow from one to
 * the next, so that neighbours share it: a group.  They are counted in stretches that no record
 * with a time divides, and those with a time know how many stretches came before them: so what
 * has equal times leaves as it came.
 */
#include "base/sized_options.h"
#include "base/array.h"
#include "base/heap.h"
#include "base/spool.h"
#include "read/reader_internal.h"
#include "write/round_interval.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	LEAST      = 512 << 10,		/* memory */
	BUFFER     = 128 << 10,		/* of a run that is read back, at least; a record fits in it */
	BUFFER_MAX = 1 << 20,
	SPOOL      = 256 << 10,
	GROUPS     = 1 << 20,		/* with more of them neighbours become one */
	ROUND      = 1 << 20,		/* bytes between rounds where nothing else is asked for */
};

static const uint64_t MEMORY = UINT64_C(256) << 20;
static const uint64_t MEMORY_MAX = UINT64_C(32) << 30;	/* what item.at can reach */
static const uint64_t NEVER = UINT64_MAX;		/* as a time: later than all */

/* What a record is sorted by; in the file it precedes the record's bytes. */
struct item {
	uint64_t time;
	uint32_t group;			/* CPU, pid or tid, + 1; by time: stretches before it */
	uint32_t at;			/* in the arena, in units of 8 bytes */
};

/* Before a record without a time in its file; its bytes and its tail follow, padded. */
struct aside {
	uint64_t tail;
	uint32_t stretch, unused;
};

_Static_assert(sizeof(struct aside) == sizeof(struct item), "take() reads both");

struct sorter_group {
	uint64_t time;
	uint32_t stretch;		/* its first */
};

/* Part of the file. */
struct sorted_run {
	uint64_t from, to;
};

/* What a run, or the arena, or the records without a time, give next. */
struct sort_source {
	uint64_t time;
	uint32_t group;
	uint32_t number;		/* in the order that the records came */
	const uint8_t *record;
	uint64_t from, to;		/* of a file: what was not read yet */
	uint8_t *buffer;
	size_t room, at, have;
	const struct item *item, *end;	/* of the arena */
	bool untimed;
	uint64_t tail;			/* that follows it, in the file from `from` on */
	size_t in_group;
};

struct pp_sorter {
	enum pp_sort_by by;
	struct pp_reader *reader;
	struct pp_writer *writer;
	struct pp_round_interval pace;
	struct pp_sorter_stats stats;
	bool failed;			/* not all is held */
	uint64_t seen;			/* largest time so far */

	uint8_t *arena;
	size_t room, bottom;		/* bytes; where the record that came last begins */
	struct item *items;		/* at the arena's begin; as many again are needed to sort them */
	size_t n_items;

	struct pp_spool timed, untimed;
	struct sorted_run *runs;		/* in `timed` */
	size_t n_runs, room_runs;
	uint32_t stretches;		/* of records without a time, so far */
	bool in_stretch;
	struct sorter_group *groups;		/* by rising times */
	size_t n_groups, room_groups;

	struct sort_source *sources;
	struct sort_source **heap;
	size_t room_sources, room_heap;
	uint8_t *piece;			/* for reading the untimed */
};

/* ---- sorting what is in the arena: ascending stretches are merged ---- */

static inline bool is_behind(const struct item *a, const struct item *b, bool grouped)
{
	if (grouped && a->group != b->group)
		return a->group > b->group;
	return a->time > b->time;
}

/* Where the ascending stretch that begins at `at` ends. */
static size_t stretch_end(const struct item *items, size_t at, size_t count, bool grouped)
{
	do
		at++;
	while (at < count && !is_behind(&items[at - 1], &items[at], grouped));
	return at;
}

static void merge_items(const struct item *a, size_t n_a, const struct item *b, size_t n_b,
			struct item *to, bool grouped)
{
	const struct item *const end_a = a + n_a, *const end_b = b + n_b;

	if (n_a && n_b && is_behind(&end_a[-1], b, grouped)) {
		while (a < end_a && b < end_b)
			*to++ = is_behind(a, b, grouped) ? *b++ : *a++;
	}
	memcpy(to, a, (size_t)(end_a - a) * sizeof(*a));
	to += end_a - a;
	memcpy(to, b, (size_t)(end_b - b) * sizeof(*b));
}

/* Merges neighbouring stretches of `from` to `to`; how many are left. */
static size_t merge_stretches(const struct item *from, struct item *to, size_t count, bool grouped)
{
	size_t left = 0;

	for (size_t at = 0; at < count; left++) {
		const size_t middle = stretch_end(from, at, count, grouped);
		const size_t end = middle < count ? stretch_end(from, middle, count, grouped) : middle;

		merge_items(from + at, middle - at, from + middle, end - middle, to + at, grouped);
		at = end;
	}
	return left;
}

static bool in_order(const struct item *items, size_t count, bool grouped)
{
	return !count || stretch_end(items, 0, count, grouped) == count;
}

static void sort_items(struct pp_sorter *s)
{
	struct item *const low = (struct item *)(void *)s->arena, *const high = s->items + s->n_items;
	const bool grouped = s->by != PP_BY_TIME;
	struct item *from = low, *to = high;

	if (in_order(from, s->n_items, grouped))
		return;
	while (merge_stretches(from, to, s->n_items, grouped) > 1) {
		struct item *const was = from;

		from = to;
		to = was;
	}
	s->items = to;
}

static void empty_arena(struct pp_sorter *s)
{
	s->items = (struct item *)(void *)s->arena;
	s->n_items = 0;
	s->bottom = s->room;
}

/* ---- putting aside ---- */

static int begin_run(struct pp_sorter *s, struct pp_error *error)
{
	if (PP_GROW(&s->runs, &s->room_runs, s->n_runs + 1, error))
		return -1;
	s->runs[s->n_runs].from = pp_spool_end(&s->timed);
	return 0;
}

static void end_run(struct pp_sorter *s)
{
	struct sorted_run *const run = &s->runs[s->n_runs++];

	run->to = pp_spool_end(&s->timed);
	s->stats.aside += run->to - run->from;
}

static int put_aside(struct pp_sorter *s, uint64_t time, uint32_t group, const uint8_t *record,
		     struct pp_error *error)
{
	const struct item item = { .time = time, .group = group };
	const size_t size = pp_load16(record + 6), padded = pp_align8(size);
	uint8_t *const to = pp_spool_room(&s->timed, sizeof(item) + padded, error);

	if (!to)
		return -1;
	memcpy(to, &item, sizeof(item));
	memcpy(to + sizeof(item), record, size);
	memset(to + sizeof(item) + size, 0, padded - size);
	return 0;
}

/* The arena is full: it becomes a run. */
static int put_arena_aside(struct pp_sorter *s, struct pp_error *error)
{
	if (begin_run(s, error) < 0)
		return -1;
	sort_items(s);
	for (size_t i = 0; i < s->n_items; i++) {
		const struct item *const item = &s->items[i];

		if (put_aside(s, item->time, item->group, s->arena + 8 * (size_t)item->at, error) < 0)
			return -1;
	}
	end_run(s);
	s->stats.runs++;
	empty_arena(s);
	return 0;
}

/* ---- records with a time ---- */

static uint32_t group_of(const struct pp_sorter *s, const struct pp_record *rec)
{
	uint32_t cpu, pid, tid;

	switch (s->by) {
	case PP_BY_CPU:
		return pp_cpu(rec, &cpu) ? cpu + 1 : 0;
	case PP_BY_PID:
		return pp_task(rec, &pid, &tid) ? pid + 1 : 0;
	case PP_BY_TID:
		return pp_task(rec, &pid, &tid) ? tid + 1 : 0;
	default:
		return s->stretches;
	}
}

/* A time came: records without one that wait for a larger time now wait for this one. */
static void lower_sorted_groups(struct pp_sorter *s, uint64_t time)
{
	struct sorter_group *top = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;

	s->in_stretch = false;
	if (!top || top->time <= time)
		return;
	while (top > s->groups && top[-1].time >= time) {
		top--;
		s->n_groups--;
	}
	top->time = time;
}

static int put_timed(struct pp_sorter *s, const struct pp_record *rec, uint64_t time,
		     struct pp_error *error)
{
	const size_t size = pp_align8(rec->size);

	if (time < s->seen)
		s->stats.disorder++;
	else
		s->seen = time;
	lower_sorted_groups(s, time);
	if (2 * sizeof(struct item) * (s->n_items + 1) + size > s->bottom &&
	    put_arena_aside(s, error) < 0)
		return -1;
	s->bottom -= size;
	memcpy(s->arena + s->bottom, rec->data, rec->size);
	s->items[s->n_items++] = (struct item){
		.time = time, .group = group_of(s, rec), .at = (uint32_t)(s->bottom / 8),
	};
	return 0;
}

/* ---- records without a time ---- */

/* Two neighbours become one: the later one leaves with the earlier. */
static void halve_groups(struct pp_sorter *s)
{
	for (size_t i = 0; i < s->n_groups; i += 2)
		s->groups[i / 2] = s->groups[i];
	s->n_groups = (s->n_groups + 1) / 2;
}

static int begin_stretch(struct pp_sorter *s, struct pp_error *error)
{
	if (s->n_groups == GROUPS)
		halve_groups(s);
	if (PP_GROW(&s->groups, &s->room_groups, s->n_groups + 1, error))
		return -1;
	s->groups[s->n_groups++] = (struct sorter_group){ .time = NEVER, .stretch = s->stretches };
	s->stretches += s->stretches < UINT32_MAX;
	s->in_stretch = true;
	return 0;
}

static int put_tail(struct pp_sorter *s, uint64_t left, struct pp_error *error)
{
	const size_t padding = pp_align8(left) - left;
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(s->reader, &piece, &size, error)) > 0) {
		if (!pp_fits(size, left))
			return pp_fail(error, PP_E_VALUE, "more tail than there is");
		left -= size;
		if (pp_spool_write(&s->untimed, piece, size, error) < 0)
			return -1;
	}
	return got < 0 ? -1 : pp_spool_write(&s->untimed, &(uint64_t){ 0 }, padding, error);
}

static int put_untimed(struct pp_sorter *s, const struct pp_record *rec, struct pp_error *error)
{
	struct aside head = { .tail = rec->tail };
	const uint64_t begin = pp_spool_end(&s->untimed);
	const size_t padding = pp_align8(rec->size) - rec->size;

	if (!s->in_stretch && begin_stretch(s, error) < 0)
		return -1;
	head.stretch = s->stretches - 1;
	if (pp_spool_write(&s->untimed, &head, sizeof(head), error) < 0 ||
	    pp_spool_write(&s->untimed, rec->data, rec->size, error) < 0 ||
	    pp_spool_write(&s->untimed, &(uint64_t){ 0 }, padding, error) < 0 ||
	    (rec->tail && put_tail(s, rec->tail, error) < 0)) {
		pp_spool_cut(&s->untimed, begin);
		return -1;
	}
	return 0;
}

int pp_sorter_put(struct pp_sorter *s, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time;
	int result;

	if (pp_pace_replaces(rec))
		return 0;
	if (rec->type < PP_USER_TYPES && pp_time(rec, &time))
		result = put_timed(s, rec, time, error);
	else if (!s->seen)
		return pp_writer_pass(s->writer, s->reader, rec, error);
	else
		result = put_untimed(s, rec, error);
	if (result < 0 && pp_error_status(error) != 3)
		s->failed = true;
	return result;
}

/* ---- what each source gives next: 1, 0 (it is through), -1 ---- */

/* Has `size` bytes in the buffer, from `at` on. */
static int fill(struct sort_source *src, struct pp_spool *spool, size_t size, struct pp_error *error)
{
	size_t more;

	if (src->have - src->at >= size)
		return 0;
	memmove(src->buffer, src->buffer + src->at, src->have - src->at);
	src->have -= src->at;
	src->at = 0;
	more = src->room - src->have;
	if (more > src->to - src->from)
		more = (size_t)(src->to - src->from);
	if (pp_spool_read(spool, src->from, src->buffer + src->have, more, error) < 0)
		return -1;
	src->from += more;
	src->have += more;
	return src->have >= size ? 0 : pp_fail(error, PP_E_CUT, "what was put aside is cut");
}

/* A head of 16 bytes and a record, padded. */
static const uint8_t *take(struct sort_source *src, struct pp_spool *spool, struct pp_error *error)
{
	const size_t head = sizeof(struct item);
	const uint8_t *data;

	if (fill(src, spool, head + PP_HEADER_SIZE, error) < 0 ||
	    fill(src, spool, head + pp_align8(pp_load16(src->buffer + src->at + head + 6)), error) < 0)
		return NULL;
	data = src->buffer + src->at;
	src->record = data + head;
	src->at += head + pp_align8(pp_load16(src->record + 6));
	return data;
}

static int next_in_file(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	const uint8_t *head;
	struct item item;

	if (src->at == src->have && src->from == src->to)
		return 0;
	head = take(src, &s->timed, error);
	if (!head)
		return -1;
	memcpy(&item, head, sizeof(item));
	src->time = item.time;
	src->group = item.group;
	return 1;
}

static int next_untimed(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	const uint8_t *data;
	struct aside head;

	if (src->at == src->have && src->from == src->to)
		return 0;
	data = take(src, &s->untimed, error);
	if (!data)
		return -1;
	memcpy(&head, data, sizeof(head));
	while (src->in_group + 1 < s->n_groups &&
	       s->groups[src->in_group + 1].stretch <= head.stretch)
		src->in_group++;
	src->time = s->groups[src->in_group].time;
	src->group = head.stretch;
	src->tail = head.tail;
	return 1;
}

static int next(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	if (src->untimed)
		return next_untimed(s, src, error);
	if (src->buffer)
		return next_in_file(s, src, error);
	if (src->item == src->end)
		return 0;
	src->time = src->item->time;
	src->group = src->item->group;
	src->record = s->arena + 8 * (size_t)src->item++->at;
	return 1;
}

/* ---- merging ---- */

static bool before_source(const struct pp_sorter *s, const struct sort_source *a, const struct sort_source *b)
{
	if (s->by != PP_BY_TIME && a->group != b->group)
		return a->group < b->group;
	if (a->time != b->time)
		return a->time < b->time;
	if (a->untimed)
		return a->group < b->group;
	if (b->untimed)
		return a->group <= b->group;
	return a->number < b->number;
}

static inline bool earlier_source(const struct pp_sorter *s, struct sort_source *const *a,
				  struct sort_source *const *b)
{
	return before_source(s, *a, *b);
}

PP_HEAP(sift_down, struct sort_source *, const struct pp_sorter *, earlier_source)

typedef int emit_fn(struct pp_sorter *, struct sort_source *, struct pp_error *);

/* Lets the first of the heap go on as long as no other is due: as next(). */
static int emit_top(struct pp_sorter *s, size_t count, emit_fn *emit, struct pp_error *error)
{
	struct sort_source *const top = s->heap[0], *rival = count > 1 ? s->heap[1] : NULL;
	int more;

	if (count > 2 && before_source(s, s->heap[2], rival))
		rival = s->heap[2];
	do {
		if (emit(s, top, error) < 0)
			return -1;
		more = next(s, top, error);
	} while (more > 0 && (!rival || before_source(s, top, rival)));
	return more;
}

static int merge(struct pp_sorter *s, size_t n_sources, emit_fn *emit, struct pp_error *error)
{
	size_t count = 0;

	for (size_t i = 0; i < n_sources; i++) {
		const int more = next(s, &s->sources[i], error);

		if (more < 0)
			return -1;
		if (more)
			s->heap[count++] = &s->sources[i];
	}
	for (size_t i = count / 2; i--;)
		sift_down(s->heap, count, i, s);
	while (count) {
		const int more = emit_top(s, count, emit, error);

		if (more < 0)
			return -1;
		if (!more)
			s->heap[0] = s->heap[--count];
		if (count)
			sift_down(s->heap, count, 0, s);
	}
	return 0;
}

/* Room for as many sources.  0, or -1 and *error. */
static int make_sources(struct pp_sorter *s, size_t count, struct pp_error *error)
{
	return PP_GROW(&s->sources, &s->room_sources, count, error) ||
	       PP_GROW(&s->heap, &s->room_heap, count, error) ? -1 : 0;
}

/* Makes sources of runs; their buffers share `room` bytes of the arena. */
static void read_runs(struct pp_sorter *s, const struct sorted_run *runs, size_t count, uint8_t *at,
		      size_t room)
{
	const size_t each = count ? (room / count) & ~(size_t)7 : 0;

	for (size_t i = 0; i < count; i++, at += each) {
		s->sources[i] = (struct sort_source){
			.number = (uint32_t)i, .from = runs[i].from, .to = runs[i].to,
			.buffer = at, .room = each < BUFFER_MAX ? each : BUFFER_MAX,
		};
	}
}

/* ---- passes: runs become fewer ---- */

static int emit_aside(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	return put_aside(s, src->time, src->group, src->record, error);
}

/* Merges neighbouring runs, as many as there is memory for at once. */
static int pass(struct pp_sorter *s, size_t at_once, struct pp_error *error)
{
	const size_t old = s->n_runs;
	struct sorted_run *const runs = s->runs;
	int result = make_sources(s, at_once, error);

	s->runs = NULL;
	s->n_runs = s->room_runs = 0;
	s->stats.passes++;
	for (size_t i = 0; i < old && !result; i += at_once) {
		const size_t count = old - i < at_once ? old - i : at_once;

		result = begin_run(s, error);
		if (result)
			break;
		read_runs(s, runs + i, count, s->arena, s->room);
		result = merge(s, count, emit_aside, error);
		end_run(s);
		pp_spool_forget(&s->timed, runs[i].from, runs[i + count - 1].to);
	}
	free(runs);
	return result;
}

/* ---- the end: all of it leaves ---- */

static int write_source_tail(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	uint64_t left = pp_align8(src->tail), size = src->tail;

	while (left) {
		uint64_t n;

		if (fill(src, &s->untimed, left < BUFFER ? (size_t)left : BUFFER, error) < 0)
			return -1;
		n = src->have - src->at < left ? src->have - src->at : left;
		if (pp_writer_copy(s->writer, src->buffer + src->at, n < size ? n : size, error))
			return -1;
		size -= n < size ? n : size;
		src->at += n;
		left -= n;
	}
	return 0;
}

static int emit_out(struct pp_sorter *s, struct sort_source *src, struct pp_error *error)
{
	const size_t size = pp_load16(src->record + 6);

	if (!src->untimed && pp_paced(&s->pace) &&
	    pp_pace(&s->pace, s->writer, src->time, size, error))
		return -1;
	if (pp_writer_copy(s->writer, src->record, size, error))
		return -1;
	return src->untimed && src->tail ? write_source_tail(s, src, error) : 0;
}

/* The records without a time as a source. */
static struct sort_source untimed(const struct pp_sorter *s)
{
	return (struct sort_source){
		.untimed = true, .to = pp_spool_end(&s->untimed), .buffer = s->piece, .room = BUFFER,
	};
}

static int write_untimed(struct pp_sorter *s, struct pp_error *error)
{
	struct sort_source src = untimed(s);
	int more;

	while ((more = next_untimed(s, &src, error)) > 0) {
		if (emit_out(s, &src, error) < 0)
			return -1;
	}
	return more;
}

/* Merges what is aside, what is in the arena, and what has no time. */
static int write_all(struct pp_sorter *s, uint8_t *buffers, size_t room, struct pp_error *error)
{
	size_t count = s->n_runs;

	if (make_sources(s, count + 2, error) < 0)
		return -1;
	read_runs(s, s->runs, count, buffers, room);
	s->sources[count] = (struct sort_source){
		.number = (uint32_t)count, .item = s->items, .end = s->items + s->n_items,
	};
	count++;
	if (s->by == PP_BY_TIME)
		s->sources[count++] = untimed(s);
	else if (write_untimed(s, error) < 0)
		return -1;
	if (merge(s, count, emit_out, error) < 0)
		return -1;
	return pp_pace_end(&s->pace, s->writer, error);
}

/* The part of the arena that is in use neither by records nor by items. */
static size_t free_room(const struct pp_sorter *s, uint8_t **at)
{
	const size_t used = 2 * sizeof(struct item) * s->n_items;

	*at = s->arena + used;
	return s->bottom - used;
}

int pp_sorter_end(struct pp_sorter *s, struct pp_error *error)
{
	uint8_t *buffers;
	size_t room = free_room(s, &buffers);

	pp_reader_warn(s->reader, s->writer);
	if (s->failed)
		return 0;
	s->piece = malloc(BUFFER);
	if (!s->piece)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (room / BUFFER < s->n_runs) {
		if (put_arena_aside(s, error) < 0)
			return -1;
		room = free_room(s, &buffers);
	}
	while (room / BUFFER < s->n_runs) {
		if (pass(s, room / BUFFER, error) < 0)
			return -1;
	}
	sort_items(s);
	return write_all(s, buffers, room, error);
}

const struct pp_sorter_stats *pp_sorter_stats(const struct pp_sorter *s)
{
	return &s->stats;
}

/* ---- opening ---- */

static uint8_t *map_arena(size_t size)
{
	void *const arena = mmap(NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return arena == MAP_FAILED ? NULL : arena;
}

struct pp_sorter *pp_sorter_open(const struct pp_sorter_options *given, struct pp_reader *reader,
				 struct pp_writer *writer, struct pp_error *error)
{
	struct pp_sorter_options options;
	struct pp_sorter *s;
	uint64_t room;

	if (pp_options_take(&options, sizeof(options), given, error))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	room = options.memory ? options.memory : MEMORY;
	room = room < LEAST ? LEAST : room > MEMORY_MAX ? MEMORY_MAX : room;
	s->by = options.by;
	if (s->by == PP_BY_TIME) {
		s->pace.every = options.every;
		if (!pp_paced(&s->pace))
			s->pace.every.bytes = ROUND;
	}
	s->reader = reader;
	s->writer = writer;
	s->room = (size_t)room & ~(size_t)7;
	s->timed.fd = s->untimed.fd = -1;
	s->arena = map_arena(s->room);
	if (!s->arena || pp_spool_open(&s->timed, SPOOL) || pp_spool_open(&s->untimed, SPOOL)) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		pp_sorter_close(s);
		return NULL;
	}
	empty_arena(s);
	return s;
}

void pp_sorter_close(struct pp_sorter *s)
{
	if (!s)
		return;
	if (s->arena)
		munmap(s->arena, s->room);
	pp_spool_close(&s->timed);
	pp_spool_close(&s->untimed);
	free(s->runs);
	free(s->groups);
	free(s->sources);
	free(s->heap);
	free(s->piece);
	free(s);
}
