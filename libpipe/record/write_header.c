/* write_header.c - what a stream says of its events: attributes, ids, names, and of the recording. */
#include "base/procfs.h"
#include "record/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Entries of one record: with the second array of perf 6.0, which needs as many, they fit too. */
enum { ID_INDEX_MAX = (PP_RECORD_MAX - 16) / 48, THREAD_MAP_MAX = (PP_RECORD_MAX - 16) / 24 };

static void begin(const struct pp_synth_out *made, struct pp_build *b, uint32_t type, uint16_t misc)
{
	pp_build(b, (void *)(uintptr_t)made->buf, sizeof(made->buf), type, misc, made->attr);
}

/* The ids of an event that are open, in order; at most `max`. */
static size_t ids_of(const struct pp_capture *c, size_t event, uint64_t *ids, size_t max)
{
	const struct pp_counter *const of = &c->counters.of[event];
	size_t found = 0;

	for (size_t i = 0; i < c->counters.each && found < max; i++)
		if (of->fds[i] >= 0)
			ids[found++] = of->ids[i];
	return found;
}

/* What all have room in: of a shorter one the rest is zero. */
static size_t largest_attr(const struct pp_events *events)
{
	size_t most = PP_ATTR_SIZE;

	for (size_t i = 0; i < events->n; i++)
		most = events->items[i].attr.size > most ? events->items[i].attr.size : most;
	return most;
}

size_t pp_header_max_ids(const struct pp_events *events)
{
	return (PP_RECORD_MAX - PP_HEADER_SIZE - largest_attr(events)) / sizeof(uint64_t);
}

int pp_header_attrs(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const size_t most = pp_header_max_ids(&c->events);
	uint64_t *const ids = malloc(most * sizeof(*ids));
	int status = ids ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	for (size_t i = 0; i < c->events.n && !status; i++) {
		const struct pp_event *const e = &c->events.items[i];
		const size_t n = ids_of(c, i, ids, most);
		struct pp_record rec;
		struct pp_build b;
		size_t size;

		begin(made, &b, PP_REC_HEADER_ATTR, 0);
		pp_build_bytes(&b, "attr", e->words, e->attr.size);
		pp_build_bytes(&b, "id", ids, n * sizeof(*ids));
		size = pp_build_end(&b);
		/* What follows is built for this attribute, as a reader knows it. */
		if (pp_record_at(&rec, made->buf, size, error) ||
		    pp_attrs_note(c->attrs, &rec, error))
			status = -1;
		else
			status = pp_synth_out_put(made, &b, error);
	}
	free(ids);
	made->attr = pp_attrs_at(c->attrs, 0);
	return status;
}

/* ---- features that describe the recording ---- */

bool pp_header_cmdline(struct pp_build *b, char *const *words)
{
	char self[4096];
	uint32_t n = 0;

	if (!words || !words[0])
		return false;
	while (words[n])
		n++;
	/* As perf: the path of the program, then its arguments. */
	if (pp_link_text(self, sizeof(self), "/proc/self/exe") < 0)
		(void)snprintf(self, sizeof(self), "%s", words[0]);
	pp_build_u64(b, "nr", n);
	pp_build_item(b, "cmdline", self);
	for (uint32_t i = 1; i < n; i++)
		pp_build_item(b, "cmdline", words[i]);
	return true;
}

static bool event_desc(struct pp_build *b, const struct pp_capture *c)
{
	/* Attribute, count, a name of usual length; what is left of a record is for ids. */
	const size_t attr_size = largest_attr(&c->events), each = attr_size + 4 + 4 + 64;
	const size_t room = PP_RECORD_MAX - 24;
	uint64_t *ids;
	size_t max;

	if (!pp_fits_n(c->events.n, each + sizeof(*ids), room))
		return false;
	max = (room - c->events.n * each) / sizeof(*ids) / c->events.n;
	ids = malloc(max * sizeof(*ids));
	if (!ids)
		return false;
	pp_build_u64(b, "nr", c->events.n);
	pp_build_u64(b, "attr_size", attr_size);
	for (size_t i = 0; i < c->events.n; i++) {
		const struct pp_event *const e = &c->events.items[i];
		const size_t n = ids_of(c, i, ids, max);

		pp_build_open(b, "events");
		pp_build_bytes(b, "attr", e->words, attr_size);
		pp_build_u64(b, "nr_ids", n);
		pp_build_text(b, "name", e->name);
		pp_build_bytes(b, "id", ids, n * sizeof(*ids));
		pp_build_close(b);
	}
	free(ids);
	return true;
}

static uint32_t members(const struct pp_events *events, size_t leader)
{
	uint32_t n = 0;

	for (size_t i = 0; i < events->n; i++)
		n += events->items[i].leader == leader;
	return n;
}

bool pp_header_groups(struct pp_build *b, const struct pp_events *events)
{
	uint32_t groups = 0;

	for (size_t i = 0; i < events->n; i++)
		groups += members(events, i) > 1;
	if (!groups)
		return false;
	pp_build_u64(b, "nr", groups);
	for (size_t i = 0; i < events->n; i++) {
		if (members(events, i) < 2)
			continue;
		pp_build_open(b, "groups");
		pp_build_text(b, "name", "{anon_group}");
		pp_build_u64(b, "leader_idx", i);
		pp_build_u64(b, "nr_members", members(events, i));
		pp_build_close(b);
	}
	return true;
}

static uint64_t ns_of(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool clockid(struct pp_build *b, const struct pp_capture *c)
{
	struct timespec resolution;

	if (!(c->sampling.asks & PP_ASK_CLOCK) || clock_getres(c->sampling.clockid, &resolution))
		return false;
	pp_build_u64(b, "resolution", ns_of(resolution));
	return true;
}

/* What the clock and that of the wall say at the same moment. */
static bool clock_data(struct pp_build *b, const struct pp_capture *c)
{
	struct timespec before, wall, after;

	if (!(c->sampling.asks & PP_ASK_CLOCK) || clock_gettime(c->sampling.clockid, &before) ||
	    clock_gettime(CLOCK_REALTIME, &wall) || clock_gettime(c->sampling.clockid, &after))
		return false;
	pp_build_u64(b, "version", 1);
	pp_build_u64(b, "clockid", (uint64_t)c->sampling.clockid);
	pp_build_u64(b, "wall_clock_ns", ns_of(wall));
	pp_build_u64(b, "clockid_time_ns", ns_of(before) + (ns_of(after) - ns_of(before)) / 2);
	return true;
}

static bool fill_feature(struct pp_build *b, const struct pp_capture *c, uint32_t number)
{
	switch (number) {
	case PP_FEAT_CMDLINE:    return pp_header_cmdline(b, c->options.cmdline);
	case PP_FEAT_EVENT_DESC: return event_desc(b, c);
	case PP_FEAT_GROUP_DESC: return pp_header_groups(b, &c->events);
	case PP_FEAT_CLOCKID:    return clockid(b, c);
	case PP_FEAT_CLOCK_DATA: return clock_data(b, c);
	case PP_FEAT_BPF_PROG_INFO: return c->programs && pp_programs_info(b, c->programs);
	case PP_FEAT_BPF_BTF:       return c->programs && pp_programs_types(b, c->programs);
	default:                 return pp_machine_feature(b, number);
	}
}

int pp_header_features(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const struct pp_capture_sink *const sink = made->sink;

	/* Higher ones than 31 stop `perf report` of 6.1. */
	for (uint32_t number = PP_FEAT_HOSTNAME; number <= PP_FEAT_PMU_CAPS; number++) {
		struct pp_build b;
		bool filled;

		if (sink->feature && sink->feature(sink->arg, number, error))
			return -1;
		pp_build_feature(&b, made->buf, sizeof(made->buf), number);
		errno = 0;
		filled = fill_feature(&b, c, number);
		if (pp_looked(&c->options.say, pp_feature(number)->name, error) ||
		    (filled && pp_synth_out_put(made, &b, error)))
			return -1;
	}
	return 0;
}

int pp_header_tracing(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const struct pp_capture_sink *const sink = made->sink;
	struct pp_build b;
	size_t size;

	if (!c->tracing || !sink->made)
		return 0;
	begin(made, &b, PP_REC_HEADER_TRACING_DATA, 0);
	pp_build_u64(&b, "size", c->tracing_size);
	pp_build_u64(&b, "pad", 0);
	size = pp_build_end(&b);
	return sink->made(sink->arg, made->buf, size, c->tracing, c->tracing_size, error);
}

/* ---- where ids belong, what events are called, which threads and CPUs were asked for ---- */

/* The n-th counter that is open in the order of the ATTR records, among those that are there. */
struct walk {
	const struct pp_capture *c;
	size_t most;                  /* of one event */
	size_t event, at, told;       /* told: of this event */
};

static bool next_id(struct walk *w)
{
	for (; w->event < w->c->events.n; w->event++, w->at = w->told = 0) {
		const struct pp_counter *const of = &w->c->counters.of[w->event];

		for (; w->at < w->c->counters.each && w->told < w->most; w->at++) {
			if (of->fds[w->at] < 0)
				continue;
			w->told++;
			return true;
		}
	}
	return false;
}

/* Of the counter at this place: the last ring that does not begin after it. */
static uint64_t ring_of(const struct pp_capture *c, size_t place)
{
	size_t low = 0, high = c->rings.n;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (c->rings.items[middle].first <= place)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int id_index(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct walk w = { .c = c, .most = pp_header_max_ids(&c->events) }, count = w;
	size_t left = 0;

	for (; next_id(&count); count.at++)
		left++;
	while (left) {
		const size_t n = left < ID_INDEX_MAX ? left : ID_INDEX_MAX;
		struct pp_build b;

		begin(made, &b, PP_REC_ID_INDEX, 0);
		pp_build_u64(&b, "nr", n);
		for (size_t i = 0; i < n && next_id(&w); i++, w.at++) {
			const uint32_t cpu = c->target.cpus[w.at / c->target.n_threads];
			const int64_t tid = c->target.threads[w.at % c->target.n_threads].tid;

			pp_build_open(&b, "entries");
			pp_build_u64(&b, "id", c->counters.of[w.event].ids[w.at]);
			pp_build_u64(&b, "idx", ring_of(c, w.at));
			pp_build_u64(&b, "cpu", cpu == PP_ANY_CPU ? UINT64_MAX : cpu);
			pp_build_u64(&b, "tid", (uint64_t)tid);
			pp_build_close(&b);
		}
		if (pp_synth_out_put(made, &b, error))
			return -1;
		left -= n;
	}
	return 0;
}

int pp_header_maps(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	return id_index(c, made, error);
}

static int thread_map(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;

	for (size_t at = 0; at < t->n_threads;) {
		const size_t left = t->n_threads - at;
		const size_t n = left < THREAD_MAP_MAX ? left : THREAD_MAP_MAX;
		struct pp_build b;

		begin(made, &b, PP_REC_THREAD_MAP, 0);
		pp_build_u64(&b, "nr", n);
		for (size_t i = at; i < at + n; i++) {
			pp_build_open(&b, "entries");
			pp_build_u64(&b, "pid", (uint64_t)(int64_t)t->threads[i].tid);
			pp_build_text(&b, "comm", t->threads[i].comm);
			pp_build_close(&b);
		}
		if (pp_synth_out_put(made, &b, error))
			return -1;
		at += n;
	}
	return 0;
}

void pp_header_cpus(struct pp_build *b, const char *name, const uint32_t *cpus, size_t n)
{
	uint16_t *const list = malloc((n ? n : 1) * sizeof(*list));

	pp_build_open(b, name);
	if (n && cpus[0] != PP_ANY_CPU && (size_t)cpus[n - 1] - cpus[0] + 1 == n) {
		pp_build_u64(b, "type", 2);
		pp_build_u64(b, "any_cpu", 0);
		pp_build_u64(b, "start_cpu", cpus[0]);
		pp_build_u64(b, "end_cpu", cpus[n - 1]);
	} else if (list) {
		for (size_t i = 0; i < n; i++)
			list[i] = (uint16_t)cpus[i];
		pp_build_u64(b, "type", 0);
		pp_build_u64(b, "nr", n);
		pp_build_bytes(b, "cpu", list, n * sizeof(*list));
	}
	pp_build_close(b);
	b->failed |= !list;
	free(list);
}

static int cpu_map(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	uint32_t *const cpus = malloc(t->n_cpus * sizeof(*cpus));
	struct pp_build b;
	size_t n = 0;
	int status;

	if (!cpus)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < t->n_cpus; i++)
		if (t->selected[i])
			cpus[n++] = t->cpus[i];
	begin(made, &b, PP_REC_CPU_MAP, 0);
	pp_header_cpus(&b, "map", cpus, n);
	status = pp_synth_out_put(made, &b, error);
	free(cpus);
	return status;
}

int pp_header_names(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	for (size_t i = 0; i < c->events.n; i++) {
		struct walk w = { .c = c, .most = 1, .event = i };
		struct pp_build b;

		if (!next_id(&w) || w.event != i)
			continue;
		begin(made, &b, PP_REC_EVENT_UPDATE, 0);
		pp_build_u64(&b, "type", 2);
		pp_build_u64(&b, "id", c->counters.of[i].ids[w.at]);
		pp_build_text(&b, "name", c->events.items[i].name);
		if (pp_synth_out_put(made, &b, error))
			return -1;
	}
	return thread_map(c, made, error) || cpu_map(c, made, error) ? -1 : 0;
}
