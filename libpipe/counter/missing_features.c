/* missing_features.c - what kernels older than ours do not know of attributes. */
#include "counter/counter.h"

#include <perfpipe/types.h>

#include <string.h>

/*
 * Newest first.  A kernel that refuses an attribute is asked again without one more of these.  What
 * somebody has to ask for has a sentence that says why it is not in the recording.
 */
static const struct {
	struct perf_event_attr what;
	bool deferred;                /* the flags of deferred call chains, too */
	bool inherited_reads;         /* inheriting, where samples carry counts */
	const char *said;
} newer[] = {
	{ .deferred = true,                                             /* 6.19 */
	  .said = "this kernel cannot defer call chains (Linux 6.19 can): recording them at once" },
	{ .inherited_reads = true,      /* 6.13: "perf: Support PERF_SAMPLE_READ with inherit" */
	  .said = "this kernel cannot record events with :S in tasks that the recorded ones start "
		  "(Linux 6.13 can): leaving those tasks out" },
	{ .what = { .branch_sample_type = PP_BRANCH_COUNTERS },         /* 6.8 */
	  .said = "this kernel or PMU cannot record the counters of branches (Linux 6.8 can)" },
	{ .what = { .branch_sample_type = PP_BRANCH_PRIV_SAVE },        /* 6.1 */
	  .said = "this kernel cannot record the privileges of branches (Linux 6.1 can)" },
	{ .what = { .read_format = PERF_FORMAT_LOST } },                /* 6.0 */
	{ .what = { .build_id = 1 } },                                  /* 5.12 */
	{ .what = { .sample_type = PERF_SAMPLE_WEIGHT_STRUCT } },       /* 5.12 */
	{ .what = { .sample_type = PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE },
	  .said = "this kernel cannot record sizes of pages (Linux 5.11 can)" },
	{ .what = { .text_poke = 1 },
	  .said = "this kernel does not report changes of its code (Linux 5.8 does)" },
	{ .what = { .sample_type = PERF_SAMPLE_CGROUP },
	  .said = "this kernel cannot record control groups of samples (Linux 5.7 can)" },
	{ .what = { .cgroup = 1 } },                                    /* 5.7 */
	{ .what = { .branch_sample_type = PP_BRANCH_HW_INDEX } },       /* 5.7 */
	{ .what = { .bpf_event = 1 } },                                 /* 5.1 */
	{ .what = { .ksymbol = 1 } },                                   /* 5.1 */
	{ .what = { .sample_type = PERF_SAMPLE_PHYS_ADDR },
	  .said = "this kernel cannot record physical addresses (Linux 4.14 can)" },
	{ .what = { .namespaces = 1 },
	  .said = "this kernel does not report namespaces (Linux 4.12 does)" },
	{ .what = { .context_switch = 1 },
	  .said = "this kernel does not report context switches (Linux 4.3 does)" },
	{ .what = { .comm_exec = 1 } },                                 /* 3.16 */
	{ .what = { .mmap2 = 1 } },                                     /* 3.16 */
	{ .what = { .exclude_guest = 1, .exclude_host = 1 } },
};
enum { N_NEWER = sizeof(newer) / sizeof(newer[0]) };

static void drop(struct perf_event_attr *a, unsigned i)
{
	const bool cost = a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	pp_attr_drop(a, &newer[i].what);
	if (newer[i].deferred) {
		pp_attr_set_flag(a, PP_FLAG_defer_callchain, false);
		pp_attr_set_flag(a, PP_FLAG_defer_output, false);
	}
	if (newer[i].inherited_reads && a->sample_type & PERF_SAMPLE_READ)
		a->inherit = 0;
	/* A cost in one part is what there was before one in three. */
	if (cost && !(a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
		a->sample_type |= PERF_SAMPLE_WEIGHT;
}

void pp_missing_features_drop(struct perf_event_attr *a, uint64_t missing)
{
	for (unsigned i = 0; i < N_NEWER; i++)
		if (missing >> i & 1)
			drop(a, i);
}

bool pp_missing_features_first(const struct perf_event_attr *a, uint64_t *missing)
{
	struct perf_event_attr without = *a;

	if (*missing & 1)
		return false;
	drop(&without, 0);
	*missing |= memcmp(&without, a, sizeof(without)) ? 1 : 0;
	return *missing & 1;
}

bool pp_missing_features_next(uint64_t *missing)
{
	for (unsigned i = 0; i < N_NEWER; i++) {
		if (*missing >> i & 1)
			continue;
		*missing |= UINT64_C(1) << i;
		return true;
	}
	return false;
}

void pp_missing_features_say(const struct perf_event_attr *a, uint64_t missing, uint64_t *said,
			     const struct pp_say *say)
{
	for (unsigned i = 0; i < N_NEWER; i++) {
		struct perf_event_attr without = *a;

		if (!(missing >> i & 1) || *said >> i & 1 || !newer[i].said)
			continue;
		drop(&without, i);
		if (!memcmp(&without, a, sizeof(without)))
			continue;
		*said |= UINT64_C(1) << i;
		pp_say(say, "%s", newer[i].said);
	}
}
