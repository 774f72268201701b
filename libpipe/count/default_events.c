/*
 * default_events.c - which events are counted: those that were asked for, or those of perf stat, and
 * their attributes as perf stat opens them.
 */
#include "base/procfs.h"
#include "base/sized_options.h"
#include "count/counting.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define CPU_PMU "cpu"

/* Where there are several kinds of cores, the large ones have what not all have. */
static const char *core_pmu(void)
{
	char rooted[PP_PATH];

	return access(pp_rooted(rooted, PP_PMUS "/" CPU_PMU), F_OK) &&
	       !access(pp_rooted(rooted, PP_PMUS "/cpu_core"), F_OK) ? "cpu_core" : CPU_PMU;
}

static bool pmu_has(const char *pmu, const char *event)
{
	char path[PP_PATH], rooted[PP_PATH];

	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events/%s", pmu, event);
	return !access(pp_rooted(rooted, path), F_OK);
}

/* ---- without -e: add_default_attributes() of tools/perf/builtin-stat.c */

static int add_all(struct pp_events *events, const char *const *names, size_t n,
		   struct pp_error *error)
{
	for (size_t i = 0; i < n; i++)
		if (pp_events_add(events, names[i], error))
			return -1;
	return 0;
}

#define ADD_ALL(events, names, error) \
	add_all((events), (names), sizeof(names) / sizeof((names)[0]), (error))

static int add_usual(struct pp_events *events, bool system_wide, struct pp_error *error)
{
	static const char *const software[] = {
		"context-switches", "cpu-migrations", "page-faults", "cycles",
	};
	static const char *const stalled[] = { "stalled-cycles-frontend", "stalled-cycles-backend" };
	static const char *const rest[] = { "instructions", "branches", "branch-misses" };

	if (pp_events_add(events, system_wide ? "cpu-clock" : "task-clock", error) ||
	    ADD_ALL(events, software, error))
		return -1;
	for (size_t i = 0; i < sizeof(stalled) / sizeof(stalled[0]); i++)
		if (pmu_has(CPU_PMU, stalled[i]) && pp_events_add(events, stalled[i], error))
			return -1;
	return ADD_ALL(events, rest, error);
}

static int add_detail(struct pp_events *events, int detail, struct pp_error *error)
{
	static const char *const caches[] = {
		"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
	}, *const more[] = {
		"L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses",
		"iTLB-loads", "iTLB-load-misses",
	}, *const prefetches[] = {
		"L1-dcache-prefetches", "L1-dcache-prefetch-misses",
	};

	if ((detail > 0 && ADD_ALL(events, caches, error)) ||
	    (detail > 1 && ADD_ALL(events, more, error)))
		return -1;
	return detail > 2 ? ADD_ALL(events, prefetches, error) : 0;
}

/* ---- sets of events */

static int add_transaction(struct pp_events *events, struct pp_error *error)
{
	if (pmu_has(CPU_PMU, "cycles-ct") && pmu_has(CPU_PMU, "el-start"))
		return pp_events_add(events, "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,"
				     "cpu/el-start/,cpu/cycles-ct/}", error);
	if (pmu_has(CPU_PMU, "cycles-t") && pmu_has(CPU_PMU, "tx-start"))
		return pp_events_add(events, "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
				     error);
	errno = EOPNOTSUPP;
	return pp_fail_os(error, "cannot count transactions: this CPU has no transactional memory "
			  "(cpu/tx-start/)");
}

/* Those of the names that the PMU has, as a group or not; *n is how many. */
static void list_topdown(char *text, size_t size, const char *const *names, size_t of, size_t *n,
			 bool grouped)
{
	const char *const pmu = core_pmu();
	size_t at = (size_t)snprintf(text, size, "%s", grouped ? "{" : "");

	*n = 0;
	for (size_t i = 0; i < of; i++)
		if (pmu_has(pmu, names[i]))
			at += (size_t)snprintf(text + at, size - at, "%s%s/%s/", (*n)++ ? "," : "",
					       pmu, names[i]);
	(void)snprintf(text + at, size - at, "%s", grouped ? "}" : "");
}

static int add_topdown(struct pp_events *events, int level, struct pp_error *error)
{
	static const char *const levels[] = {
		"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
		"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
	}, *const older[] = {
		"topdown-total-slots", "topdown-slots-retired", "topdown-recovery-bubbles",
		"topdown-fetch-bubbles", "topdown-slots-issued",
	};
	enum { FIRST_LEVEL = 5, BOTH_LEVELS = 9 };
	const int most = pmu_has(core_pmu(), levels[FIRST_LEVEL]) ? 2 : 1;
	char text[512];
	size_t n;

	if (level > most)
		return pp_fail(error, PP_E_USE, "this CPU has no topdown level %d: the highest is %d", level,
			       most);
	list_topdown(text, sizeof(text), levels, most == 2 && level != 1 ? BOTH_LEVELS : FIRST_LEVEL, &n,
		     true);
	if (!n)
		list_topdown(text, sizeof(text), older, sizeof(older) / sizeof(older[0]), &n, false);
	if (n)
		return pp_events_add(events, text, error);
	errno = EOPNOTSUPP;
	return pp_fail_os(error, "cannot count topdown events: this CPU has none");
}

static int add_smi(struct pp_events *events, struct pp_error *error)
{
	if (pmu_has("msr", "aperf") && pmu_has("msr", "smi"))
		return pp_events_add(events, "{msr/aperf/,msr/smi/,cycles}", error);
	errno = EOPNOTSUPP;
	return pp_fail_os(error, "cannot count what interrupts of system management cost: this needs "
			  "msr/aperf/ and msr/smi/");
}

/* ---- what was asked for */

static bool is_system_wide(const struct pp_target_options *t)
{
	if (t && (t->n_pids || t->n_tids || t->n_users || t->all_tasks))
		return false;
	return !t || t->all_cpus || t->n_cpus || !t->command;
}

/* As perf stat: the first of these sets, and -d in any case. */
static int add_events(struct pp_events *events, const struct pp_counting_options *o,
		      struct pp_error *error)
{
	const struct pp_event_texts asked = {
		o->events, o->n_events, o->pfm, o->n_pfm, o->filters, o->n_filters,
	};

	if (o->asks & PP_COUNTING_NULL)
		return 0;
	if (pp_events_add_texts(events, &asked, error))
		return -1;
	if (o->asks & PP_COUNTING_TRANSACTION)
		return add_transaction(events, error);
	if (o->asks & PP_COUNTING_SMI)
		return add_smi(events, error);
	if (o->asks & PP_COUNTING_TOPDOWN)
		return add_topdown(events, o->topdown_level, error);
	if (!events->n && add_usual(events, is_system_wide(o->target), error))
		return -1;
	return add_detail(events, o->detail, error);
}

/* The metrics that show what a set of events was counted for; `event`: only where that is among them. */
static const struct { uint64_t ask; const char *event, *metric; } shown_as[] = {
	{ PP_COUNTING_TRANSACTION, "cpu/cycles-t/", "tsx_transactional_cycles" },
	{ PP_COUNTING_TRANSACTION, "cpu/cycles-ct/", "tsx_aborted_cycles" },
	{ PP_COUNTING_TRANSACTION, "cpu/tx-start/", "tsx_cycles_per_transaction" },
	{ PP_COUNTING_TRANSACTION, "cpu/el-start/", "tsx_cycles_per_elision" },
	{ PP_COUNTING_SMI, "msr/smi/", "smi_cycles" },
	{ PP_COUNTING_SMI, "msr/smi/", "smi_num" },
	{ PP_COUNTING_TOPDOWN, NULL, "retiring" },
	{ PP_COUNTING_TOPDOWN, NULL, "bad_speculation" },
	{ PP_COUNTING_TOPDOWN, NULL, "frontend_bound" },
	{ PP_COUNTING_TOPDOWN, NULL, "backend_bound" },
};

static bool has_event(const struct pp_events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++)
		if (!strcmp(events->items[i].name, name))
			return true;
	return false;
}

size_t pp_counting_metrics(const struct pp_events *events, uint64_t asks, const char **names)
{
	size_t n = 0;

	_Static_assert(sizeof(shown_as) / sizeof(*shown_as) <= PP_COUNTING_METRICS, "there is no room");
	for (size_t i = 0; i < sizeof(shown_as) / sizeof(*shown_as); i++)
		if (asks & shown_as[i].ask && !(asks & PP_COUNTING_NULL) &&
		    (!shown_as[i].event || has_event(events, shown_as[i].event)))
			names[n++] = shown_as[i].metric;
	return n;
}

/* ---- only some of the cores */

static void drop(struct pp_events *events, size_t i)
{
	struct pp_events one = { .items = malloc(sizeof(*one.items)), .n = 1 };

	if (one.items) {
		one.items[0] = events->items[i];
		pp_events_free(&one);
	}
	memmove(&events->items[i], &events->items[i + 1],
		(--events->n - i) * sizeof(*events->items));
	for (size_t k = 0; k < events->n; k++)
		if (events->items[k].leader > i)
			events->items[k].leader--;
}

/* Leaves out the events of other kinds of cores: "core" is the PMU cpu_core. */
static int keep_type(struct pp_events *events, const char *type, struct pp_error *error)
{
	char pmu[128], path[256], rooted[PP_PATH];

	(void)snprintf(pmu, sizeof(pmu), "cpu_%.80s", type);
	(void)snprintf(path, sizeof(path), PP_PMUS "/%s", pmu);
	if (access(pp_rooted(rooted, path), F_OK)) {
		(void)snprintf(path, sizeof(path), PP_PMUS "/%.100s", type);
		(void)snprintf(pmu, sizeof(pmu), "%.100s", type);
	}
	if (strchr(type, '/') || access(pp_rooted(rooted, path), F_OK))
		return pp_fail(error, PP_E_USE, "this machine has no cores of the type '%.80s'", type);
	for (size_t i = events->n; i-- > 0;) {
		const struct pp_event *const e = &events->items[i];
		const bool leads = i + 1 < events->n && events->items[i + 1].leader == i;

		if (e->core && e->pmu && strcmp(e->pmu, pmu) != 0 && !leads)
			drop(events, i);
	}
	return events->n ? 0 : pp_fail(error, PP_E_USE, "none of the events is of cores of the type '%.80s'",
				       type);
}

/* ---- every event in each control group */

static char *copy(const char *text, bool *failed)
{
	char *const to = text ? strdup(text) : NULL;

	*failed |= text && !to;
	return to;
}

static int copy_event(struct pp_events *to, const struct pp_event *from, size_t shift,
		      const char *cgroup, struct pp_error *error)
{
	struct pp_event *const e = pp_events_append(to, from->name, error);
	char *name;
	bool failed = false;

	if (!e)
		return -1;
	name = e->name;
	*e = *from;
	e->name = name;
	e->leader = from->leader + shift;
	e->system = copy(from->system, &failed);
	e->point = copy(from->point, &failed);
	e->pmu = copy(from->pmu, &failed);
	e->filter = copy(from->filter, &failed);
	e->metric_id = copy(from->metric_id, &failed);
	e->unit = copy(from->unit, &failed);
	e->cgroup = copy(cgroup, &failed);
	e->cpus = from->n_cpus > 0 ? malloc((size_t)from->n_cpus * sizeof(*e->cpus)) : NULL;
	if (e->cpus)
		memcpy(e->cpus, from->cpus, (size_t)from->n_cpus * sizeof(*e->cpus));
	failed |= from->n_cpus > 0 && !e->cpus;
	return failed ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* As perf: all events in the first group, then all in the second. */
static int each_cgroup(struct pp_events *events, const struct pp_counting_options *o,
		       struct pp_error *error)
{
	struct pp_events all = { .n = 0 };
	struct pp_names groups;
	int status = pp_counting_groups(&groups, o->each_cgroup, o->n_each_cgroup, error);

	for (size_t g = 0; g < groups.n && !status; g++) {
		const size_t shift = all.n;

		for (size_t i = 0; i < events->n && !status; i++)
			status = copy_event(&all, &events->items[i], shift, groups.items[g], error);
	}
	pp_names_free(&groups);
	pp_events_free(events);
	*events = all;
	return status;
}

/* ---- attributes */

/* What people read clocks in; util/evsel.c of perf, evsel__init_units(). */
static int name_unit(struct pp_event *e, struct pp_error *error)
{
	const bool is_clock = e->attr.type == PERF_TYPE_SOFTWARE &&
			      (e->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
			       e->attr.config == PERF_COUNT_SW_TASK_CLOCK);

	if (!is_clock || e->unit)
		return 0;
	e->unit = strdup("msec");
	e->scale = 1e-6;
	return e->unit ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* create_perf_stat_counter() of tools/perf/util/stat.c. */
static void restrict_modes(struct perf_event_attr *a, uint64_t asks)
{
	if (asks & PP_COUNTING_USER) {
		a->exclude_kernel = 1;
		a->exclude_user = 0;
	}
	if (asks & PP_COUNTING_KERNEL) {
		a->exclude_kernel = 0;
		a->exclude_user = 1;
	}
}

/* ---- what is read together */

static bool is_software(const struct pp_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE || e->attr.type == PERF_TYPE_TRACEPOINT;
}

/* Every kernel has it. */
static bool may_lead(const struct pp_events *events, size_t i)
{
	const struct pp_event *const e = &events->items[i];

	return e->leader == i && (i + 1 == events->n || events->items[i + 1].leader == i + 1) &&
	       e->attr.type == PERF_TYPE_SOFTWARE &&
	       e->attr.config <= PERF_COUNT_SW_EMULATION_FAULTS && !e->attr.pinned && !e->time &&
	       !e->cgroup && !e->cpus;
}

static bool may_join(const struct pp_events *events, size_t i)
{
	const struct pp_event *const e = &events->items[i];

	return e->leader == i && (i + 1 == events->n || events->items[i + 1].leader == i + 1 ||
				  events->items[i + 1].leader != i) &&
	       is_software(e) && !e->attr.pinned && !e->attr.exclusive && !e->own_rate && !e->time &&
	       !e->cgroup && !e->cpus;
}

/* Software events never wait for a turn: in a group each counts what it does alone, and all are read by one
 * call. */
static void join_software(struct pp_events *events)
{
	enum { MOST = 128 };
	size_t lead = SIZE_MAX;

	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];

		if (lead != SIZE_MAX && i - lead < MOST && may_join(events, i)) {
			e->leader = lead;
			e->joined = true;
		} else {
			lead = may_lead(events, i) ? i : SIZE_MAX;
		}
	}
}

int pp_counting_events(struct pp_events *events, const struct pp_counting_options *o,
		       struct pp_error *error)
{
	if (add_events(events, o, error) ||
	    (o->cpu_type && events->n && keep_type(events, o->cpu_type, error)) ||
	    (o->n_each_cgroup && each_cgroup(events, o, error)))
		return -1;
	if (o->interval && !(o->asks & PP_COUNTING_APART) && !(o->target && o->target->n_cgroups))
		join_software(events);
	pp_events_count(events, !(o->asks & PP_COUNTING_NO_INHERIT));
	for (size_t i = 0; i < events->n; i++) {
		restrict_modes(&events->items[i].attr, o->asks);
		if (name_unit(&events->items[i], error))
			return -1;
	}
	return 0;
}
