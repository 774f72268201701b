/*
 * shadow_stats.c - what perf shows beside a count: the rate or ratio that the event's own number and
 * one other event of the same place make.
 */
#include "stat/count.h"

#include "metric/metric.h"

#include <string.h>

enum { HARDWARE = 0, SOFTWARE = 1, CACHE = 3 };               /* enum perf_type_id */
/* enum perf_hw_id */
enum { CYCLES = 0, INSTRUCTIONS, REFERENCES, MISSES, BRANCHES, BRANCH_MISSES,
	STALLED_FRONT = 7, STALLED_BACK };
enum { CPU_CLOCK = 0, TASK_CLOCK = 1 };                        /* enum perf_sw_ids */
enum { L1D = 0, L1I, LL, DTLB, ITLB, READ_MISS = 1 << 16 };    /* enum perf_hw_cache_id */

static bool is(const struct pp_count_event *e, uint32_t type, uint64_t config)
{
	/* On hybrid machines the upper half names the PMU. */
	const uint64_t of = type == SOFTWARE ? e->attr->config : e->attr->config & UINT32_MAX;

	return e->attr->type == type && of == config;
}

bool pp_count_is_clock(const struct pp_count_event *e)
{
	return is(e, SOFTWARE, CPU_CLOCK) || is(e, SOFTWARE, TASK_CLOCK);
}

/* What an event leaves out, which must be the same in both: evsel_context(). */
static uint64_t context(const struct pp_count_event *e)
{
	enum { USER = 4, KERNEL, HV, IDLE, HOST = 19 };

	return e->attr->flags & (1u << USER | 1u << KERNEL | 1u << HV | 1u << IDLE | 1u << HOST);
}

static bool same_cgroup(const struct pp_count_event *a, const struct pp_count_event *b)
{
	return a->cgroup == b->cgroup || (a->cgroup && b->cgroup && !strcmp(a->cgroup, b->cgroup));
}

/* What an event is measured against. */
struct against {
	uint32_t type;
	uint64_t config;              /* of a clock: any */
	bool clock;                   /* its count is taken without its scale */
};

static bool is_against(const struct pp_count_event *e, const struct against *against)
{
	return against->clock ? pp_count_is_clock(e) : is(e, against->type, against->config);
}

/* Whether two events surely were counted at one time, for some of it. */
static bool met(const struct pp_count_row *a, const struct pp_count_row *b)
{
	return a->event->leader == b->event->leader ||
	       pp_must_meet(a->enabled > b->enabled ? a->enabled : b->enabled, a->running, b->running);
}

/* The PMU of cores that an event of a machine with several kinds of them is of; 0: it is not of one. */
static uint64_t kind(const struct pp_count_event *e)
{
	return e->attr->type == HARDWARE || e->attr->type == CACHE ? e->attr->config >> 32 : 0;
}

/* Clocks run on all CPUs, cores of one kind are some of them. */
static double on_its_cores(const struct pp_count_row *row, const struct pp_count_row *clock)
{
	return kind(row->event) && row->cpus < clock->cpus ? (double)row->cpus / clock->cpus : 1;
}

/* The mean of such events in the row's place that were counted, and whether one was counted apart from the
 * row's; false: none was. */
static bool total(const struct pp_count_table *table, const struct pp_count_row *row,
		  const struct against *against, double *mean, bool *apart)
{
	const size_t place = (size_t)(row->place - table->place_list);
	const struct pp_count_row *const rows = &table->rows[place * table->events];
	double sum = 0;
	size_t n = 0;

	*apart = false;
	for (size_t i = against->clock ? table->clocks : 0;
	     i < (against->clock ? table->clocks_end : table->events); i++) {
		const struct pp_count_event *const e = rows[i].event;

		/* Time is the same in all contexts, and on all kinds of cores. */
		if (!rows[i].counted || !is_against(e, against) ||
		    (!against->clock &&
		     (context(e) != context(row->event) || kind(e) != kind(row->event))) ||
		    !same_cgroup(e, row->event))
			continue;
		sum += against->clock ? rows[i].value * on_its_cores(row, &rows[i]) :
		       rows[i].value * e->scale;
		n++;
		*apart |= !met(row, &rows[i]);
	}
	*mean = n ? sum / (double)n : 0;
	return n;
}

/* A row for each event whose number is shown against another: what perf_stat__print_shadow_stats()
 * of 6.1 has.  `format` with a % is of 100 times the ratio. */
static const struct shown {
	uint32_t type;
	uint64_t config;
	struct against against;
	double factor;
	const char *format, *name;
} shown[] = {
	{ HARDWARE, INSTRUCTIONS, { HARDWARE, CYCLES, false }, 1, "%7.2f ", "insn per cycle" },
	{ HARDWARE, CYCLES, { SOFTWARE, 0, true }, 1, "%8.3f", "GHz" },
	{ HARDWARE, BRANCH_MISSES, { HARDWARE, BRANCHES, false }, 100, "%7.2f%%", "of all branches" },
	{ HARDWARE, MISSES, { HARDWARE, REFERENCES, false }, 100, "%8.3f %%", "of all cache refs" },
	{ HARDWARE, STALLED_FRONT, { HARDWARE, CYCLES, false }, 100, "%7.2f%%",
	  "frontend cycles idle" },
	{ HARDWARE, STALLED_BACK, { HARDWARE, CYCLES, false }, 100, "%7.2f%%",
	  "backend cycles idle" },
	{ CACHE, L1D | READ_MISS, { CACHE, L1D, false }, 100, "%7.2f%%",
	  "of all L1-dcache accesses" },
	{ CACHE, L1I | READ_MISS, { CACHE, L1I, false }, 100, "%7.2f%%",
	  "of all L1-icache accesses" },
	{ CACHE, DTLB | READ_MISS, { CACHE, DTLB, false }, 100, "%7.2f%%",
	  "of all dTLB cache accesses" },
	{ CACHE, ITLB | READ_MISS, { CACHE, ITLB, false }, 100, "%7.2f%%",
	  "of all iTLB cache accesses" },
	{ CACHE, LL | READ_MISS, { CACHE, LL, false }, 100, "%7.2f%%", "of all LL-cache accesses" },
};

static const struct shown *find(const struct pp_count_event *e)
{
	if (e->attr->type != HARDWARE && e->attr->type != CACHE)
		return NULL;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (is(e, shown[i].type, shown[i].config))
			return &shown[i];
	return NULL;
}

static size_t of_clock(const struct pp_count_row *row, double wall, struct pp_count_rate *rate)
{
	*rate = (struct pp_count_rate){ .name = "CPUs utilized", .format = wall > 0 ? "%8.3f" : NULL,
					.value = wall > 0 ? row->value / wall : 0 };
	return 1;
}

/* Stalled cycles are worth a second line. */
static size_t of_instructions(const struct pp_count_table *table, const struct pp_count_row *row,
			      double value, struct pp_count_rate *rate)
{
	static const struct against front = { HARDWARE, STALLED_FRONT, false };
	static const struct against back = { HARDWARE, STALLED_BACK, false };
	bool apart_front, apart_back;
	double a, b;

	(void)total(table, row, &front, &a, &apart_front);
	(void)total(table, row, &back, &b, &apart_back);
	if ((a <= 0 && b <= 0) || value <= 0)
		return 0;
	*rate = (struct pp_count_rate){ .name = "stalled cycles per insn", .format = "%7.2f ",
					.value = (a > b ? a : b) / value,
					.apart = a > b ? apart_front : apart_back };
	return 1;
}

/* "K/sec": of any other event, where a clock is beside it. */
static size_t of_time(const struct pp_count_table *table, const struct pp_count_row *row, double value,
		      struct pp_count_rate *rate)
{
	static const struct against clock = { SOFTWARE, 0, true };
	const char *u = "KMG";
	double ns, per_second;
	bool apart;

	if (!total(table, row, &clock, &ns, &apart) || ns <= 0)
		return 0;
	per_second = 1e9 * value / ns;
	*rate = (struct pp_count_rate){ .format = "%8.3f", .apart = apart, .unit = " /sec" };
	for (; *u && per_second > 1000; u++) {
		per_second /= 1000;
		rate->unit[0] = *u;
	}
	if (rate->unit[0] == ' ')
		memcpy(rate->unit, "/sec", sizeof("/sec"));
	rate->value = per_second;
	return 1;
}

size_t pp_count_rates(const struct pp_count_table *table, const struct pp_count_row *row, double wall,
		      struct pp_count_rate rates[PP_COUNT_RATES])
{
	const struct shown *const s = find(row->event);
	const double value = row->value * row->event->scale;
	double against;
	bool apart;

	if (!row->counted)
		return 0;
	if (pp_count_is_clock(row->event))
		return of_clock(row, wall, rates);
	if (!s)
		return of_time(table, row, value, rates);
	rates[0] = (struct pp_count_rate){ .name = s->name };
	if (total(table, row, &s->against, &against, &apart) && against > 0) {
		rates[0].apart = apart;
		rates[0].format = s->format;
		rates[0].value = value / against * s->factor;
	}
	if (is(row->event, HARDWARE, INSTRUCTIONS))
		return 1 + of_instructions(table, row, value, rates + 1);
	return 1;
}
