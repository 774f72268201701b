/*
 * auxtrace.c - AUX areas: what hardware traces by itself, in a buffer beside each ring.  Which events
 * do so, how their buffers are mapped, described and read.
 *
 * What AUXTRACE_INFO says of each is as perf's arch/x86/util/intel-pt.c and intel-bts.c,
 * arch/arm64/util/arm-spe.c and hisi-ptt.c fill it.
 */
#include "base/procfs.h"
#include "rings/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum {
	AREA        = 4 * 1024 * 1024,   /* bytes, as perf takes for who may lock as much as he likes */
	AREA_USER   = 128 * 1024,        /* for others */
	AREA_LEAST  = 2,                 /* pages */
	WORDS_MOST  = 32,                /* of AUXTRACE_INFO */
	SPE_PERIOD  = 4096,              /* where the PMU names no least interval */
	WRAP_LOOK   = 512,               /* bytes at the end of an area that show whether it was full */
	SAMPLE_MOST = 60 * 1024,         /* of an area in a sample, whose size has 16 bits */
	SWITCHES_OF_TASKS = 2, SWITCHES_OF_CPUS = 3,   /* have_sched_switch of intel-pt.c */
};

/* ---- kinds of PMUs that trace ---- */

typedef size_t info_fn(const struct pp_aux *, const struct perf_event_mmap_page *, uint64_t *words);

static size_t put_clock(const struct perf_event_mmap_page *page, uint64_t *words)
{
	const bool zero = page && page->cap_user_time_zero && page->time_mult;

	words[0] = zero ? page->time_shift : 0;
	words[1] = zero ? page->time_mult : 0;
	words[2] = zero ? page->time_zero : 0;
	words[3] = zero;
	return 4;
}

static size_t intel_pt_info(const struct pp_aux *aux, const struct perf_event_mmap_page *page,
			    uint64_t *words)
{
	unsigned int denominator = 0, numerator = 0;
	size_t n = 0;

#if defined(__x86_64__)
	unsigned int unused[2];

	(void)__get_cpuid(0x15, &denominator, &numerator, &unused[0], &unused[1]);
#endif
	words[n++] = aux->type;
	n += put_clock(page, words + n);
	words[n++] = pp_pmu_bits(aux->pmu, "tsc");
	words[n++] = pp_pmu_bits(aux->pmu, "noretcomp");
	words[n++] = aux->switches;
	words[n++] = aux->options.snapshots;
	words[n++] = !aux->per_thread;
	words[n++] = pp_pmu_bits(aux->pmu, "mtc");
	words[n++] = pp_pmu_bits(aux->pmu, "mtc_period");
	words[n++] = numerator;
	words[n++] = denominator;
	words[n++] = pp_pmu_bits(aux->pmu, "cyc");
	words[n++] = pp_file_u64(0, PP_PMUS "/%s/max_nonturbo_ratio", aux->pmu);
	words[n++] = 0;               /* bytes of an address filter */
	return n;
}

static size_t intel_bts_info(const struct pp_aux *aux, const struct perf_event_mmap_page *page,
			     uint64_t *words)
{
	words[0] = aux->type;
	words[1 + put_clock(page, words + 1)] = aux->options.snapshots;
	return 6;
}

static size_t arm_spe_info(const struct pp_aux *aux, const struct perf_event_mmap_page *page,
			   uint64_t *words)
{
	(void)page;
	words[0] = aux->type;
	words[1] = !aux->per_thread;
	return 2;
}

static size_t hisi_ptt_info(const struct pp_aux *aux, const struct perf_event_mmap_page *page,
			    uint64_t *words)
{
	(void)page;
	words[0] = aux->type;
	return 1;
}

/* A PMU traces if its name is this, or begins so where it ends in '_'. */
static const struct pp_aux_kind {
	const char *pmu;
	uint32_t number;              /* in AUXTRACE_INFO */
	info_fn *info;                /* NULL: see `refused` */
	const char *least_period;     /* a file of the PMU; NULL: every event is traced */
	bool per_thread_only;
	bool switches;                /* decoders need the switches between tasks */
	bool data_source;             /* decoders make samples with data_src of it */
	const char *refused;
} kinds[] = {
	{ .pmu = "intel_pt", .number = 1, .info = intel_pt_info, .switches = true },
	{ .pmu = "intel_bts", .number = 2, .info = intel_bts_info, .per_thread_only = true },
	{ .pmu = "arm_spe_", .number = 4, .info = arm_spe_info,
	  .least_period = "caps/min_interval", .switches = true, .data_source = true },
	{ .pmu = "hisi_ptt", .number = 6, .info = hisi_ptt_info },
	{ .pmu = "cs_etm", .number = 3, .refused =
	  "what CoreSight's decoder needs to know of each trace unit is not written yet: use perf record" },
};

static const struct pp_aux_kind *kind_of(const char *pmu)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(pmu, kinds[i].pmu, strlen(kinds[i].pmu)))
			return &kinds[i];
	return NULL;
}

static bool traces(const char *pmu)
{
	return kind_of(pmu) != NULL;
}

/* Makes *aux that of the PMU whose type this is, if it is one that traces.  The name is kept. */
static bool find_kind(struct pp_aux *aux, uint32_t type)
{
	struct pp_names pmus;

	if (pp_names_read(&pmus, PP_PMUS, traces))
		return false;
	for (size_t i = 0; i < pmus.n && !aux->kind; i++) {
		if (pp_file_u64(UINT64_MAX, PP_PMUS "/%s/type", pmus.items[i]) != type)
			continue;
		aux->kind = kind_of(pmus.items[i]);
		aux->type = type;
		(void)snprintf(aux->pmu, sizeof(aux->pmu), "%s", pmus.items[i]);
	}
	pp_names_free(&pmus);
	return aux->kind != NULL;
}

/* ---- before the counters are opened ---- */

static int refuse(const struct pp_aux *aux, const struct pp_events *events, size_t i,
		  struct pp_error *error)
{
	const struct pp_event *const e = &events->items[i];

	if (aux->kind->refused)
		return pp_fail(error, PP_E_USE, "cannot record %.60s: %s", e->name, aux->kind->refused);
	if (aux->kind->per_thread_only && !aux->per_thread) {
		(void)pp_fail(error, PP_E_USE, "cannot record %.60s on CPUs", e->name);
		return pp_error_hint(error, PP_HINT_THREADS);
	}
	if (e->leader != i)
		return pp_fail(error, PP_E_USE, "cannot record %.60s: an event with an AUX area has to be "
			       "the first of its group", e->name);
	return 0;
}

/* The group of the event that traces, which it has to be in for what it asks of the trace. */
static int join_aux_group(struct pp_events *events, size_t i, struct pp_error *error)
{
	struct pp_event *const e = &events->items[i];

	if (e->leader != i && e->leader)
		return pp_fail(error, PP_E_USE, "cannot record %.60s with an AUX area: it is "
			       "in a group that %.60s does not lead", e->name, events->items[0].name);
	e->leader = 0;
	return 0;
}

/* Samples of other events take the latest bytes of the area along. */
static int join_sample(struct pp_aux *aux, struct pp_events *events, size_t i,
		       struct pp_error *error)
{
	struct pp_event *const e = &events->items[i];

	if (!e->attr.aux_sample_size)
		e->attr.aux_sample_size = aux->options.sample;
	if (!e->attr.aux_sample_size)
		return 0;
	if (e->attr.aux_sample_size > SAMPLE_MOST)
		return pp_fail(error, PP_E_USE, "cannot record %.60s: %u bytes of an AUX area "
			       "do not fit in a sample: use %u or fewer", e->name,
			       e->attr.aux_sample_size, (unsigned)SAMPLE_MOST);
	e->attr.sample_type |= PERF_SAMPLE_AUX;
	aux->samples = true;
	return join_aux_group(events, i, error);
}

/* Only the event that traces starts paused, and only others, in its group, pause and resume it, or
 * write to its area instead of their ring. */
static int check_actions(const struct pp_aux *aux, struct pp_events *events, struct pp_error *error)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct pp_event *const e = &events->items[i];
		const bool traces = aux->kind && i == 0;

		if (!(e->own.given & PP_TERM_AUX_ACTION) && !e->attr.aux_output)
			continue;
		if (!aux->kind)
			return pp_fail(error, PP_E_USE, "cannot record %.60s: %s is about an AUX "
				       "area, and no event has one: record one that has, such as "
				       "intel_pt//", e->name,
				       e->attr.aux_output ? "aux-output" : "aux-action");
		if (e->own.given & PP_TERM_AUX_ACTION && traces != (e->own.aux_action == PP_AUX_START_PAUSED))
			return pp_fail(error, PP_E_USE, "cannot record %.60s: %s", e->name, traces ?
				       "what traces can only start-paused: aux-action=pause and resume are "
				       "for other events" : "only what traces can start-paused");
		if (!traces && join_aux_group(events, i, error))
			return -1;
	}
	return 0;
}

/* Of {intel_pt//,cycles}:S it is cycles that is sampled; perf gives the trace no period then. */
static void give_way(struct pp_events *events)
{
	struct pp_event *const leader = &events->items[0];

	if (leader->reads_group && events->n > 1 && events->items[1].leader == 0)
		leader->attr.sample_period = 0;
}

int pp_aux_find(struct pp_aux *aux, struct pp_events *events, struct pp_error *error)
{
	size_t at = 0;

	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];

		if (aux->kind && e->attr.type == aux->type)
			return pp_fail(error, PP_E_USE, "only one event of %s can be recorded",
				       aux->pmu);
		if (aux->kind || e->attr.type < PERF_TYPE_MAX || !find_kind(aux, e->attr.type))
			continue;
		if (refuse(aux, events, i, error))
			return -1;
		e->attr.freq = 0;
		e->attr.sample_period = !aux->kind->least_period ? 1 :
			pp_file_u64(SPE_PERIOD, PP_PMUS "/%s/%s", aux->pmu, aux->kind->least_period);
		e->own_rate = e->second_samples = true;
		at = i;
	}
	if (!aux->kind && (aux->options.snapshots || aux->options.sample || aux->options.buffer))
		return pp_fail(error, PP_E_USE, "no event has an AUX area: record one that has, such "
			       "as intel_pt//");
	/* The kernel gives the area to the ring's first counter. */
	if (at)
		pp_events_to_front(events, at);
	return 0;
}

int pp_aux_sample(struct pp_aux *aux, struct pp_events *events, struct pp_error *error)
{
	if (check_actions(aux, events, error))
		return -1;
	if (!aux->kind)
		return 0;
	aux->switches = 0;
	if (aux->kind->switches && !aux->per_thread) {
		pp_events_tracking(events)->attr.context_switch = 1;
		aux->switches = aux->system_wide ? SWITCHES_OF_CPUS : SWITCHES_OF_TASKS;
	}
	if (aux->kind->data_source)
		events->items[0].attr.sample_type |= PERF_SAMPLE_DATA_SRC;
	give_way(events);
	for (size_t i = 1; i < events->n; i++)
		if (!pp_event_is_dummy(&events->items[i]) && join_sample(aux, events, i, error))
			return -1;
	return 0;
}

/* ---- mapping ---- */

static bool may_lock(void)
{
	char text[16];

	return geteuid() == 0 || (pp_file_text(text, sizeof(text),
					       "/proc/sys/kernel/perf_event_paranoid") > 0 &&
				  atoi(text) < 0);
}

int pp_aux_map(struct pp_aux *aux, struct pp_ring *ring, int fd, struct pp_error *error)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const int protection = PROT_READ | (aux->options.snapshots || aux->samples ? 0 : PROT_WRITE);
	struct pp_aux_area *const area = &ring->area;

	if (!aux->options.buffer)
		aux->options.buffer = may_lock() ? AREA : AREA_USER;
	for (;;) {
		ring->page->aux_offset = page + ring->size;
		ring->page->aux_size = aux->options.buffer;
		area->data = mmap(NULL, aux->options.buffer, protection, MAP_SHARED, fd,
				  (off_t)(page + ring->size));
		if (area->data != MAP_FAILED)
			break;
		area->data = NULL;
		if ((errno != EPERM && errno != ENOMEM) || aux->options.buffer / 2 < AREA_LEAST * page)
			return pp_fail_os(error, "cannot map an AUX area of %llu KiB",
					  (unsigned long long)aux->options.buffer / 1024);
		aux->options.buffer /= 2;
	}
	area->size = aux->options.buffer;
	area->fd = fd;
	return 0;
}

void pp_aux_unmap(struct pp_aux_area *area)
{
	if (area->data)
		(void)munmap(area->data, area->size);
	area->data = NULL;
}

/* ---- what is written of it ---- */

int pp_aux_info(const struct pp_aux *aux, const struct perf_event_mmap_page *page,
		struct pp_synth_out *made, struct pp_error *error)
{
	uint64_t words[WORDS_MOST];
	struct pp_build b;
	size_t n;

	if (!aux->kind)
		return 0;
	n = aux->kind->info(aux, page, words);
	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_AUXTRACE_INFO, 0, NULL);
	pp_build_u64(&b, "type", aux->kind->number);
	pp_build_bytes(&b, "priv", words, n * sizeof(*words));
	return pp_synth_out_put(made, &b, error);
}

/* Something that differs between pieces: decoders of Intel's compare it with their clock. */
static uint64_t reference(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec ^ (uint64_t)t.tv_nsec;
#endif
}

/* One AUXTRACE record with the bytes after it, of which the last eight may be padded. */
static int put_piece(const struct pp_rings *r, const struct pp_ring *ring, uint64_t offset,
		     const uint8_t *data, uint64_t size, struct pp_error *error)
{
	uint8_t buf[64];
	struct pp_build b;
	size_t length;

	if (!size || !r->sink.made)
		return 0;
	pp_build(&b, buf, sizeof(buf), PP_REC_AUXTRACE, 0, NULL);
	pp_build_u64(&b, "size", size);
	pp_build_u64(&b, "offset", offset);
	pp_build_u64(&b, "reference", reference());
	pp_build_u64(&b, "idx", (uint64_t)(ring - r->items));
	pp_build_u64(&b, "tid", (uint64_t)ring->tid);
	pp_build_u64(&b, "cpu", ring->cpu);
	length = pp_build_end(&b);
	return r->sink.made(r->sink.arg, buf, length, data, size, error);
}

/* What lies from `offset` on, which may go round the end of the area; whole words, and at the end of
 * a recording the rest of one. */
static int put_range(const struct pp_rings *r, const struct pp_ring *ring, uint64_t offset,
		     uint64_t size, struct pp_error *error)
{
	const struct pp_aux_area *const area = &ring->area;
	const uint64_t words = size & ~UINT64_C(7), at = offset & (area->size - 1);
	const uint64_t first = words < area->size - at ? words : area->size - at;
	uint8_t last[8] = { 0 };

	if (put_piece(r, ring, offset, area->data + at, first, error) ||
	    put_piece(r, ring, offset + first, area->data, words - first, error))
		return -1;
	if (size == words)
		return 0;
	for (uint64_t i = 0; words + i < size; i++)
		last[i] = area->data[(offset + words + i) & (area->size - 1)];
	return put_piece(r, ring, offset + words, last, sizeof(last), error);
}

int pp_aux_read(struct pp_rings *r, struct pp_ring *ring, bool all, struct pp_error *error)
{
	struct pp_aux_area *const area = &ring->area;
	const uint64_t head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t size = head - area->tail;

	if (!all)
		size &= ~UINT64_C(7);
	if (!size)
		return 0;
	r->gave = true;
	if (put_range(r, ring, area->tail, size, error))
		return -1;
	area->tail += size;
	__atomic_store_n(&ring->page->aux_tail, area->tail, __ATOMIC_RELEASE);
	return 0;
}

/* ---- snapshots ---- */

/*
 * Whether an area that is written round and round was full once.  Some PMUs' heads go on rising,
 * others' are places in the area: there its end tells, which is zero until it is written.
 */
static bool was_full(const struct pp_aux_area *area, uint64_t head)
{
	if (area->full || head >= area->size)
		return true;
	for (uint64_t at = area->size - WRAP_LOOK; at < area->size; at++)
		if (at >= head && area->data[at])
			return true;
	return false;
}

static int snapshot_of_area(struct pp_rings *r, struct pp_ring *ring, struct pp_error *error)
{
	struct pp_aux_area *const area = &ring->area;
	const uint64_t head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	const uint64_t most = r->aux.options.snapshot;
	const uint64_t end = (head & (area->size - 1)) + area->size;   /* nothing before it is below 0 */
	uint64_t size;

	area->full = was_full(area, head);
	size = area->full ? area->size : (end - area->tail) & (area->size - 1);
	area->tail = end & (area->size - 1);
	r->gave |= size > 0;
	if (most && size > most)
		size = most;
	return put_range(r, ring, end - size, size, error);
}

int pp_aux_snapshot(struct pp_rings *r, bool running, struct pp_error *error)
{
	for (size_t i = 0; i < r->n; i++) {
		struct pp_ring *const ring = &r->items[i];
		int status;

		if (!ring->area.data)
			continue;
		/* The kernel moves the head when the counter stops. */
		if (running && ioctl(ring->area.fd, PERF_EVENT_IOC_DISABLE, 0))
			return pp_fail_os(error, "cannot stop a trace for its snapshot");
		status = snapshot_of_area(r, ring, error);
		if (running && ioctl(ring->area.fd, PERF_EVENT_IOC_ENABLE, 0) && !status)
			return pp_fail_os(error, "cannot go on with a trace after its snapshot");
		if (status)
			return -1;
	}
	return 0;
}
