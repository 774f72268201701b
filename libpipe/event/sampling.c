/*
 * sampling.c - what samples contain, how often they are taken, and who reports tasks: options
 * become parts of attributes.  What else an event measures is left to events.c.
 */
#include "base/procfs.h"
#include "event/event.h"

#include <string.h>

enum { DEFAULT_HZ = 4000 };

/*
 * The general registers of user space, those that perf asks for (PERF_REGS_MASK in its
 * arch/<name>/include/perf_regs.h): on x86_64 all but DS, ES, FS and GS.
 */
#if defined(__x86_64__)
enum { USER_REGS_LAST = 24, USER_REGS_MISSING = 0xf << 12 };
#elif defined(__aarch64__)
enum { USER_REGS_LAST = 33, USER_REGS_MISSING = 0 };
#else
enum { USER_REGS_LAST = 0, USER_REGS_MISSING = 0 };
#endif
#define USER_REGS (((UINT64_C(1) << USER_REGS_LAST) - 1) & ~(uint64_t)USER_REGS_MISSING)

/* What follows from the values of struct pp_sampling, beside its own PP_ASK_*. */
#define ASK_USER_STACK (UINT64_C(1) << 62)

enum whose { EVERY, SAMPLED, POINT, TELLER };   /* SAMPLED: all but the dummy */

/* What an attribute takes on, if all of `asked` and nothing of `unless` was asked for. */
static const struct {
	uint64_t asked, unless;
	enum whose whose;
	struct perf_event_attr adds;
} rows[] = {
	{ .whose = EVERY, .adds = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.sample_id_all = 1 } },
	{ .whose = POINT, .adds = { .sample_type = PERF_SAMPLE_RAW } },
	{ .whose = TELLER, .adds = {
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.ksymbol = 1, .bpf_event = 1, .cgroup = 1 } },

	{ PP_ASK_CALLCHAIN, 0, SAMPLED, { .sample_type = PERF_SAMPLE_CALLCHAIN } },
	/* The kernel's chain as it is; that of user space is found later, from a copy of the stack. */
	{ ASK_USER_STACK, 0, SAMPLED, {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = USER_REGS,
		.exclude_callchain_user = 1 } },
	/* perf's unwinder finds .eh_frame by the maps, which may not be those with the code. */
	{ ASK_USER_STACK, 0, TELLER, { .mmap_data = 1 } },
	{ PP_ASK_BUILD_ID, 0, TELLER, { .build_id = 1 } },
	{ PP_ASK_CLOCK, 0, EVERY, { .use_clockid = 1 } },
	{ 0, PP_ASK_NO_INHERIT, EVERY, { .inherit = 1 } },
};

/* The attribute as 64-bit words: parts of it are added and dropped whole. */
static void combine(struct perf_event_attr *a, const struct perf_event_attr *part, bool drop)
{
	uint64_t to[PP_ATTR_SIZE / 8], bits[PP_ATTR_SIZE / 8];

	memcpy(to, a, PP_ATTR_SIZE);
	memcpy(bits, part, PP_ATTR_SIZE);
	for (size_t i = 0; i < PP_ATTR_SIZE / 8; i++)
		to[i] = drop ? to[i] & ~bits[i] : to[i] | bits[i];
	memcpy(a, to, PP_ATTR_SIZE);
}

void pp_attr_drop(struct perf_event_attr *a, const struct perf_event_attr *what)
{
	combine(a, what, true);
}

void pp_sampling_limit(struct pp_sampling *s, const struct pp_say *say)
{
	const uint64_t asked = s->frequency;
	const uint64_t most =
		pp_file_u64(UINT64_MAX, "/proc/sys/kernel/perf_event_max_sample_rate");

	if (!asked)
		s->frequency = most < DEFAULT_HZ ? most : DEFAULT_HZ;
	if (s->frequency <= most)
		return;
	s->frequency = most;
	if (asked != UINT64_MAX)
		pp_say(say,
		       "recording %llu samples a second, not %llu: more is not permitted "
		       "(kernel.perf_event_max_sample_rate)",
		       (unsigned long long)most, (unsigned long long)asked);
}

int pp_sampling_check(const struct pp_sampling *s, struct pp_error *error)
{
	if (s->frequency && s->period)
		return pp_fail(error, PP_E_USE, "a frequency and a period cannot both be given");
	if (s->user_stack && !USER_REGS_LAST)
		return pp_fail(error, PP_E_USE, "--call-graph dwarf is not supported on this "
			       "architecture: use fp");
	return 0;
}

static void set_rate(struct pp_event *e, const struct pp_sampling *s)
{
	if (e->own_rate) {
		return;
	} else if (pp_event_is_dummy(e)) {
		e->attr.sample_period = 1;
	} else if (s->period) {
		e->attr.sample_period = s->period;
	} else if (e->attr.type == PERF_TYPE_TRACEPOINT) {
		/* Every hit counts; a rate would drop some silently. */
		e->attr.sample_period = 1;
	} else {
		e->attr.freq = 1;
		e->attr.sample_freq = s->frequency;
	}
}

static bool is_one(const struct pp_event *e, enum whose whose, const struct pp_event *teller)
{
	switch (whose) {
	case SAMPLED: return !pp_event_is_dummy(e);
	case POINT:   return e->system != NULL;
	case TELLER:  return e == teller;
	default:      return true;
	}
}

void pp_events_sample(struct pp_events *events, const struct pp_sampling *s)
{
	const struct pp_event *const teller = pp_events_teller(events);
	const uint64_t asked = s->asks | (s->user_stack ? ASK_USER_STACK : 0);

	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];

		set_rate(e, s);
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
			if (!(rows[k].asked & ~asked) && !(rows[k].unless & asked) &&
			    is_one(e, rows[k].whose, teller))
				combine(&e->attr, &rows[k].adds, false);
		if (asked & PP_ASK_CLOCK)
			e->attr.clockid = s->clockid;
		if (e->attr.sample_type & PERF_SAMPLE_STACK_USER)
			e->attr.sample_stack_user = s->user_stack;
	}
}

void pp_events_count(struct pp_events *events, bool inherit)
{
	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];
		const bool leads = e->leader == i;

		e->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		if (!leads || (i + 1 < events->n && events->items[i + 1].leader == i))
			e->attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
		if (e->own_rate)
			e->attr.read_format |= PERF_FORMAT_LOST;
		e->attr.inherit = inherit;
		/* Members of a group follow their leader. */
		e->attr.disabled = leads;
		/* Only samples have a place that can be precise. */
		if (e->any_precision)
			e->attr.precise_ip = 0;
		e->any_precision = false;
	}
}

struct pp_event *pp_events_teller(const struct pp_events *events)
{
	struct pp_event *const last = &events->items[events->n - 1];

	return pp_event_is_dummy(last) ? last : &events->items[0];
}
