/*
 * sampling.c - what samples contain, how often they are taken, and who reports tasks: options become
 * parts of attributes.
 */
#include "base/procfs.h"
#include "event/event.h"

#include <perfpipe/types.h>

#include <string.h>

enum { DEFAULT_HZ = 4000 };

/* What follows from the values of struct pp_sampling, beside its own PP_ASK_*. */
#define ASK_USER_STACK (UINT64_C(1) << 59)
#define ASK_USER_REGS  (UINT64_C(1) << 60)
#define ASK_INTR_REGS  (UINT64_C(1) << 61)
#define ASK_BRANCHES   (UINT64_C(1) << 62)

/* The architectures on which a cost comes in three parts (perf's arch_evsel__set_sample_weight()). */
#if defined(__x86_64__) || defined(__i386__) || defined(__powerpc__)
#define WEIGHT PERF_SAMPLE_WEIGHT_STRUCT
#else
#define WEIGHT PERF_SAMPLE_WEIGHT
#endif

/* SAMPLED: all but the dummy; IN_USER: those of them that see user space; FUNCTION: ftrace:function. */
enum whose { EVERY, SAMPLED, IN_USER, POINT, FUNCTION, OF_WAITS, TELLER };

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
	/* The kernel refuses it with chains of user space: reading these may call functions. */
	{ .whose = FUNCTION, .adds = { .exclude_callchain_user = 1 } },
	{ .whose = TELLER, .adds = {
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.ksymbol = 1, .cgroup = 1 } },
	{ 0, PP_ASK_NO_BPF, TELLER, { .bpf_event = 1 } },

	{ PP_ASK_CALLCHAIN, 0, SAMPLED, { .sample_type = PERF_SAMPLE_CALLCHAIN } },
	{ PP_ASK_CALLCHAIN | PP_ASK_NO_KERNEL_CHAIN, 0, SAMPLED, { .exclude_callchain_kernel = 1 } },
	{ PP_ASK_CALLCHAIN | PP_ASK_NO_USER_CHAIN, 0, SAMPLED, { .exclude_callchain_user = 1 } },
	{ PP_ASK_LBR_CHAIN, ASK_BRANCHES, IN_USER, {
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PP_BRANCH_USER | PP_BRANCH_CALL_STACK | PP_BRANCH_NO_FLAGS |
				      PP_BRANCH_NO_CYCLES | PP_BRANCH_HW_INDEX } },
	/* The kernel's chain as it is; that of user space is found later, from a copy of the stack. */
	{ ASK_USER_STACK, 0, SAMPLED, {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.exclude_callchain_user = 1 } },
	/* perf's unwinder finds .eh_frame by the maps, which may not be those with the code. */
	{ ASK_USER_STACK, 0, TELLER, { .mmap_data = 1 } },

	{ ASK_USER_REGS, 0, SAMPLED, { .sample_type = PERF_SAMPLE_REGS_USER } },
	{ ASK_INTR_REGS, 0, SAMPLED, { .sample_type = PERF_SAMPLE_REGS_INTR } },
	{ ASK_BRANCHES, 0, SAMPLED, { .sample_type = PERF_SAMPLE_BRANCH_STACK } },
	{ PP_ASK_ADDRESS, 0, SAMPLED, { .sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC } },
	{ PP_ASK_ADDRESS, 0, TELLER, { .mmap_data = 1 } },
	{ PP_ASK_PHYSICAL, 0, SAMPLED, { .sample_type = PERF_SAMPLE_PHYS_ADDR } },
	{ PP_ASK_DATA_PAGE, 0, SAMPLED, { .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE } },
	{ PP_ASK_CODE_PAGE, 0, SAMPLED, { .sample_type = PERF_SAMPLE_CODE_PAGE_SIZE } },
	{ PP_ASK_WEIGHT, 0, SAMPLED, { .sample_type = WEIGHT } },
	{ PP_ASK_TRANSACTION, 0, SAMPLED, { .sample_type = PERF_SAMPLE_TRANSACTION } },
	{ PP_ASK_RAW, 0, SAMPLED, { .sample_type = PERF_SAMPLE_RAW } },
	{ PP_ASK_STAT, 0, SAMPLED, {
		.inherit_stat = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING } },
	{ PP_ASK_CGROUPS, 0, SAMPLED, { .sample_type = PERF_SAMPLE_CGROUP } },
	{ PP_ASK_OFF_CPU, 0, OF_WAITS, { .sample_type = PERF_SAMPLE_CALLCHAIN } },
	{ PP_ASK_OFF_CPU, 0, TELLER, { .context_switch = 1 } },
	{ PP_ASK_SWITCHES, 0, TELLER, { .context_switch = 1 } },
	{ PP_ASK_NAMESPACES, 0, TELLER, { .namespaces = 1 } },
	{ PP_ASK_TEXT_POKE, 0, TELLER, { .text_poke = 1 } },
	{ PP_ASK_BUILD_ID, 0, TELLER, { .build_id = 1 } },
	{ PP_ASK_CLOCK, 0, EVERY, { .use_clockid = 1 } },
	{ 0, PP_ASK_NO_INHERIT, EVERY, { .inherit = 1 } },
};

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
	const uint64_t sides = PP_ASK_NO_KERNEL_CHAIN | PP_ASK_NO_USER_CHAIN;

	if (s->frequency && s->period)
		return pp_fail(error, PP_E_USE, "a frequency and a period cannot both be given");
	if (s->user_stack && !pp_registers_all(true)) {
		(void)pp_fail(error, PP_E_USE, "copies of stacks are not supported on this architecture");
		return pp_error_hint(error, PP_HINT_FRAME_POINTERS);
	}
	if ((s->asks & sides) == sides)
		return pp_fail(error, PP_E_USE, "call chains of user space alone and of the kernel "
			       "alone cannot both be asked for");
	if (s->user_regs != UINT64_MAX && s->user_regs & ~pp_registers_all(true))
		return pp_fail(error, PP_E_USE, "user space's values of some of these registers cannot "
			       "be recorded, only those at an interrupt");
	return 0;
}

static bool is_bpf_output(const struct pp_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

static void set_rate(struct pp_event *e, const struct pp_sampling *s)
{
	if (e->own_rate) {
		return;
	} else if (pp_event_is_dummy(e)) {
		e->attr.sample_period = 1;
	} else if (s->period) {
		e->attr.sample_period = s->period;
	} else if (e->attr.type == PERF_TYPE_TRACEPOINT || e->attr.type == PERF_TYPE_BREAKPOINT ||
		   is_bpf_output(e)) {
		/* Every hit counts; a rate would drop some silently. */
		e->attr.sample_period = 1;
	} else {
		e->attr.freq = 1;
		e->attr.sample_freq = s->frequency;
	}
}

/*
 * Asked for their periods in samples, software events and tracepoints with a fixed one are sampled
 * at each hit, with the period 1 (perf_swevent_event() in kernel/events/core.c).  The period is in
 * the attribute, where readers look for it if the sample has none.
 */
static bool would_take_each(const struct pp_event *e, bool varying)
{
	if (e->attr.freq || pp_event_is_dummy(e))
		return false;
	if (e->attr.sample_period <= 1 && !varying)
		return false;
	return e->attr.type == PERF_TYPE_SOFTWARE || e->attr.type == PERF_TYPE_TRACEPOINT ||
	       (varying && e->attr.type == PERF_TYPE_BREAKPOINT);
}

static bool is_function(const struct pp_event *e)
{
	return e->system && !strcmp(e->system, "ftrace") && !strcmp(e->point, "function");
}

static bool is_one(const struct pp_event *e, enum whose whose, const struct pp_event *teller)
{
	switch (whose) {
	case SAMPLED: return !pp_event_is_dummy(e);
	case IN_USER: return !pp_event_is_dummy(e) && !e->attr.exclude_user;
	case FUNCTION: return is_function(e);
	case OF_WAITS: return e->with_chain;
	case POINT:   return e->system || is_bpf_output(e);
	case TELLER:  return e == teller;
	default:      return true;
	}
}

/* The values that belong to what was added. */
static void fill(struct pp_event *e, const struct pp_sampling *s)
{
	const bool any = s->intr_regs == UINT64_MAX, all_user = s->user_regs == UINT64_MAX;
	struct perf_event_attr *const a = &e->attr;

	if (!pp_event_is_dummy(e))
		a->wakeup_events = s->wakeup_events;
	if (a->use_clockid)
		a->clockid = s->clockid;
	if (a->sample_type & PERF_SAMPLE_STACK_USER)
		a->sample_stack_user = s->user_stack;
	if (a->sample_type & PERF_SAMPLE_REGS_USER)
		a->sample_regs_user = !s->user_regs || all_user ? pp_registers_all(true) :
				      s->user_regs | (s->user_stack ? pp_registers_unwound() : 0);
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		a->sample_regs_intr = any ? pp_registers_all(false) : s->intr_regs;
	e->any_registers = any && (a->sample_regs_intr & PP_REGS_EXTENDED);
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		a->branch_sample_type |= s->branches;
}

/* The events leave out their chains' last part; the one that reports tasks brings it later. */
static void defer(struct pp_event *e, const struct pp_event *teller)
{
	if (!pp_event_is_dummy(e))
		pp_attr_set_flag(&e->attr, PP_FLAG_defer_callchain, true);
	if (e == teller)
		pp_attr_set_flag(&e->attr, PP_FLAG_defer_output, true);
}

static void sample(struct pp_event *e, const struct pp_sampling *s, const struct pp_event *teller)
{
	const uint64_t asked = s->asks | (s->user_stack ? ASK_USER_STACK : 0) |
			       (s->user_regs ? ASK_USER_REGS : 0) | (s->intr_regs ? ASK_INTR_REGS : 0) |
			       (s->branches ? ASK_BRANCHES : 0);

	set_rate(e, s);
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if (!(rows[k].asked & ~asked) && !(rows[k].unless & asked) &&
		    is_one(e, rows[k].whose, teller))
			pp_attr_add(&e->attr, &rows[k].adds);
	fill(e, s);
	if (would_take_each(e, asked & PP_ASK_VARYING))
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	if (asked & PP_ASK_DEFERRED)
		defer(e, teller);
	pp_event_terms_finish(e);
}

static bool is_alone(const struct pp_events *events, size_t leader)
{
	return leader + 1 == events->n || events->items[leader + 1].leader != leader;
}

/* Whose samples carry the counts of a group with :S, for all of it: usually its leader. */
static size_t sampler(const struct pp_events *events, size_t leader)
{
	return leader + (events->items[leader].second_samples && !is_alone(events, leader));
}

/* The others of the group are not sampled, but have the same layout. */
static void follow_leader(struct pp_event *e, uint64_t sample_type)
{
	if (!e->own_rate)
		e->attr.freq = e->attr.sample_period = 0;
	if (!(e->own.given & PP_TERM_OVERWRITE))
		e->attr.write_backward = 0;
	e->alone.foreign = sample_type & ~e->attr.sample_type;
	e->attr.sample_type |= sample_type;
}

static void read_groups(struct pp_events *events, bool of_cpus)
{
	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];

		e->alone.freq = e->attr.freq;
		e->alone.rate = e->attr.sample_period;
		e->alone.backward = e->attr.write_backward;
		if (!e->reads_group)
			continue;
		e->attr.sample_type |= PERF_SAMPLE_READ;
		if (!is_alone(events, e->leader))
			e->attr.read_format |= PERF_FORMAT_GROUP;
		/* readers take the values of what is inherited for those of a thread */
		if (of_cpus)
			e->attr.inherit = 0;
	}
	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];
		const size_t chief = sampler(events, e->leader);

		if (i != chief && events->items[e->leader].reads_group)
			follow_leader(e, events->items[chief].attr.sample_type);
	}
}

void pp_event_stand_alone(struct pp_events *events, size_t i)
{
	struct pp_event *const e = &events->items[i];
	const struct perf_event_attr *const leads = &events->items[e->leader].attr;

	e->attr.disabled = leads->disabled;
	e->attr.enable_on_exec = leads->enable_on_exec;
	e->attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	if (e->attr.sample_type & PERF_SAMPLE_READ) {
		e->attr.freq = e->alone.freq;
		e->attr.sample_period = e->alone.rate;
		e->attr.write_backward = e->alone.backward;
		e->attr.sample_type &= ~e->alone.foreign;
	}
	e->leader = i;
}

void pp_events_sample(struct pp_events *events, const struct pp_sampling *s, bool of_cpus)
{
	const struct pp_event *const teller = pp_events_tracking(events);

	for (size_t i = 0; i < events->n; i++) {
		const struct pp_sampling own = pp_event_terms_sampling(&events->items[i], s);

		sample(&events->items[i], &own, teller);
	}
	read_groups(events, of_cpus);
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

struct pp_event *pp_events_tracking(const struct pp_events *events)
{
	struct pp_event *const last = &events->items[events->n - 1];

	return pp_event_is_dummy(last) ? last : &events->items[0];
}
