/* read_counters.c - what counters say: from the page of a thread's own, or by read(2), one or a group. */
#include "counter/counter.h"
#include "counter/mmap_page.h"

#include <errno.h>
#include <unistd.h>

/* The kernel lets no group grow beyond what one read of this size gives
 * (perf_event_validate_size()). */
enum { MOST_BYTES = 16 * 1024, MOST_WORDS = MOST_BYTES / 8 };

/* ---- without a system call ---- */

#if defined(__x86_64__)
#define CAN_ASK_CPU true

static inline uint64_t two_halves(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static inline uint64_t ask_counter(void *arg, uint32_t index)
{
	uint32_t low, high;

	(void)arg;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return two_halves(low, high);
}

static inline uint64_t ask_cycles(void *arg)
{
	uint32_t low, high;

	(void)arg;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return two_halves(low, high);
}
#else
#define CAN_ASK_CPU false

static inline uint64_t ask_counter(void *arg, uint32_t index)
{
	(void)arg, (void)index;
	return 0;
}

static inline uint64_t ask_cycles(void *arg)
{
	(void)arg;
	return 0;
}
#endif

/* Only the thread that is counted sees its own counters on the CPU. */
static inline bool read_page(const struct pp_counters *c, size_t event, size_t place,
			     struct pp_count *count)
{
	static const struct pp_cpu cpu = { ask_counter, ask_cycles, NULL };
	const struct perf_event_mmap_page *const page = c->of[event].page;

	return CAN_ASK_CPU && page && !place && pthread_equal(c->own->reader, pthread_self()) &&
	       pp_page_read(page, &cpu, count);
}

/* ---- by the kernel ---- */

/* Takes a counter's values from `at`, where a read in this format has them, or a part of a group. */
static void take_value(const uint64_t *at, uint64_t format, struct pp_count *count)
{
	count->value = *at++;
	if (!(format & PERF_FORMAT_GROUP)) {
		at += (format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0;
		at += (format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0;
	}
	at += (format & PERF_FORMAT_ID) != 0;
	if (format & PERF_FORMAT_LOST)
		count->lost = *at;
	/* Whether it has run is known by its times alone. */
	count->state = !(format & PERF_FORMAT_TOTAL_TIME_RUNNING) || count->running ?
			       PP_COUNT_VALUE : PP_COUNT_NEVER;
}

static void take_times(const uint64_t *at, uint64_t format, struct pp_count *count)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		count->enabled = *at++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		count->running = *at;
}

/* How many of two parts a format has. */
static size_t parts(uint64_t format, uint64_t one, uint64_t other)
{
	return (size_t)((format & one) != 0) + (size_t)((format & other) != 0);
}

bool pp_count_parse(const uint64_t *words, size_t n, uint64_t format, uint64_t id,
		    struct pp_count *count)
{
	const size_t each = 1 + parts(format, PERF_FORMAT_ID, PERF_FORMAT_LOST);
	const size_t head = 1 + parts(format, PERF_FORMAT_TOTAL_TIME_ENABLED,
				      PERF_FORMAT_TOTAL_TIME_RUNNING);

	*count = (struct pp_count){ .state = n ? PP_COUNT_NONE : PP_COUNT_ERROR };
	if (!n)
		return true;
	if (n < head)
		return false;
	take_times(words + 1, format, count);
	if (!(format & PERF_FORMAT_GROUP)) {
		if (n < head + each - 1)
			return false;
		take_value(words, format, count);
		return true;
	}
	for (const uint64_t *at = words + head; (size_t)(words + n - at) >= each; at += each) {
		if (at[1] != id)
			continue;
		take_value(at, format, count);
		return true;
	}
	return false;
}

static int cannot_read(const struct pp_counters *c, size_t event, struct pp_error *error)
{
	return pp_fail_os(error, "cannot read the counter of %.80s", c->events->items[event].name);
}

/* Reads the leader of a group, or an event that is in none; *n is how many words it gave. */
static int read_words(const struct pp_counters *c, size_t event, size_t place,
		      uint64_t words[MOST_WORDS], size_t *n, struct pp_error *error)
{
	ssize_t got;

	do
		got = read(c->of[event].fds[place], words, MOST_BYTES);
	while (got < 0 && (errno == EINTR || errno == EAGAIN));
	/* nothing: as of a counter that has failed */
	if (got < 0 && errno == ENODEV)
		got = 0;
	if (got < 0)
		return cannot_read(c, event, error);
	*n = (size_t)got / sizeof(*words);
	return 0;
}

static bool in_group(const struct pp_counters *c, size_t event)
{
	return (c->events->items[event].attr.read_format & PERF_FORMAT_GROUP) != 0;
}

/* Takes a count out of what was read of its leader.  Of a CPU that went off line the groups are no more, and
 * each of their counters has to be read by itself: `words` are its own then. */
static int take(const struct pp_counters *c, size_t event, size_t place, uint64_t words[MOST_WORDS],
		size_t n, struct pp_count *count, struct pp_error *error)
{
	const uint64_t format = c->events->items[event].attr.read_format, id = c->of[event].ids[place];

	if (pp_count_parse(words, n, format, id, count))
		return 0;
	if (c->events->items[event].leader != event && read_words(c, event, place, words, &n, error))
		return -1;
	if (pp_count_parse(words, n, format, id, count))
		return 0;
	return pp_fail(error, PP_E_IO, "the kernel gave too little of %.80s",
		       c->events->items[event].name);
}

static int check_counter(const struct pp_counters *c, size_t event, size_t place, struct pp_error *error)
{
	if (event < c->events->n && place < c->each)
		return 0;
	return pp_fail(error, PP_E_USE, "there is no counter %zu at place %zu", event, place);
}

/* Apart, so that what is read without it has no large frame. */
static __attribute__((noinline)) int read_by_kernel(const struct pp_counters *c, size_t event,
						    size_t place, struct pp_count *count,
						    struct pp_error *error)
{
	uint64_t words[MOST_WORDS];
	size_t from, n;

	*count = (struct pp_count){ .state = PP_COUNT_NONE };
	if (c->of[event].fds[place] < 0)
		return 0;
	from = in_group(c, event) ? c->events->items[event].leader : event;
	if (read_words(c, from, place, words, &n, error))
		return -1;
	return take(c, event, place, words, n, count, error);
}

uint64_t pp_counter_lost(const struct pp_counters *c, size_t event, size_t place)
{
	struct pp_count count;
	const bool has = c->events->items[event].attr.read_format & PERF_FORMAT_LOST;

	return has && !read_by_kernel(c, event, place, &count, NULL) ? count.lost : 0;
}

int pp_counters_read(const struct pp_counters *c, size_t event, size_t place,
		     struct pp_count *count, struct pp_error *error)
{
	if (check_counter(c, event, place, error))
		return -1;
	return read_page(c, event, place, count) ? 0 :
						   read_by_kernel(c, event, place, count, error);
}

/* How many events the group of this leader has. */
static size_t group_size(const struct pp_counters *c, size_t leader)
{
	size_t n = 1;

	while (leader + n < c->events->n && c->events->items[leader + n].leader == leader)
		n++;
	return n;
}

/* The i-th member's count goes to counts[i * stride]. */
static int read_group(const struct pp_counters *c, size_t leader, size_t members, size_t place,
		      struct pp_count *counts, size_t stride, struct pp_error *error)
{
	uint64_t words[MOST_WORDS];
	size_t n = 0;

	if (members == 1 || !in_group(c, leader)) {
		for (size_t i = 0; i < members; i++)
			if (pp_counters_read(c, leader + i, place, &counts[i * stride], error))
				return -1;
		return 0;
	}
	if (c->of[leader].fds[place] >= 0 && read_words(c, leader, place, words, &n, error))
		return -1;
	for (size_t i = 0; i < members; i++) {
		counts[i * stride] = (struct pp_count){ .state = PP_COUNT_NONE };
		if (c->of[leader + i].fds[place] >= 0 &&
		    take(c, leader + i, place, words, n, &counts[i * stride], error))
			return -1;
	}
	return 0;
}

int pp_counters_read_group(const struct pp_counters *c, size_t event, size_t place,
			   struct pp_count *counts, size_t room, struct pp_error *error)
{
	size_t members;

	if (check_counter(c, event, place, error))
		return -1;
	if (c->events->items[event].leader != event)
		return pp_fail(error, PP_E_USE, "%.80s does not lead a group",
			       c->events->items[event].name);
	members = group_size(c, event);
	if (members > room)
		return pp_fail(error, PP_E_USE, "a group of %zu events needs as many counts, not %zu",
			       members, room);
	return read_group(c, event, members, place, counts, 1, error) ? -1 : (int)members;
}

int pp_counters_read_place(const struct pp_counters *c, size_t place, struct pp_count *counts,
			   size_t stride, struct pp_error *error)
{
	size_t members;

	for (size_t event = 0; event < c->events->n; event += members) {
		members = group_size(c, event);
		if (read_group(c, event, members, place, &counts[event * stride], stride, error))
			return -1;
	}
	return 0;
}

int pp_counters_read_all(const struct pp_counters *c, struct pp_count *counts, size_t room,
			 struct pp_error *error)
{
	if (room / c->each < c->events->n)
		return pp_fail(error, PP_E_USE, "%zu events at %zu places need as many counts, not %zu",
			       c->events->n, c->each, room);
	for (size_t place = 0; place < c->each; place++)
		if (pp_counters_read_place(c, place, &counts[place], c->each, error))
			return -1;
	return 0;
}

int pp_counters_sum(const struct pp_counters *c, size_t event, struct pp_count *sum,
		    struct pp_error *error)
{
	*sum = (struct pp_count){ .state = PP_COUNT_NONE };
	for (size_t place = 0; place < c->each; place++) {
		struct pp_count count;

		if (pp_counters_read(c, event, place, &count, error))
			return -1;
		sum->value += count.value;
		sum->enabled += count.enabled;
		sum->running += count.running;
		sum->lost += count.lost;
		/* The worst that may have been counted too little stands for all. */
		if (count.state > sum->state)
			sum->state = count.state;
	}
	return check_counter(c, event, 0, error);
}

bool pp_counters_fast(const struct pp_counters *c, size_t event)
{
	struct pp_count count;

	return event < c->events->n && read_page(c, event, 0, &count);
}
