/* metric_rows.c - the counts of a table as what metrics are asked of; their values are the library's. */
#include "stat/metric_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void metrics_open(struct shown_metrics *m, const char *said)
{
	metrics_find(&m->asked, &m->machine, said);
}

void metrics_close(struct shown_metrics *m)
{
	metrics_free(&m->asked);
	free(m->counts);
	free(m->events);
	free(m->has);
}

/* Binds the metrics to the events of a group.  Groups with the same events have the same places for them. */
static void bind(struct shown_metrics *m, const struct pp_count_table *table, const struct cgroups *groups,
		 size_t group)
{
	const struct cgroup *const g = &groups->items[group];

	if (m->bound == g->like)
		return;
	m->bound = g->like;
	for (size_t i = 0; i < g->n; i++) {
		const struct pp_count_event *const e = table->rows[groups->order[g->from + i]].event;

		m->events[i] = (struct pp_metric_event){
			.name = e->name, .alias = e->alias, .group = e->leader, .grouped = true,
		};
	}
	/* a leader is named by its index in the stream */
	for (size_t i = 0; i < g->n; i++) {
		size_t leader = 0;

		while (leader < g->n && table->rows[groups->order[g->from + leader]].event->index !=
					m->events[i].group)
			leader++;
		m->events[i].group = leader < g->n ? leader : i;
	}
	if (pp_metric_set_bind(m->asked.set, m->events, g->n))
		cli_no_memory();
}

void metrics_start(struct shown_metrics *m, const struct pp_count_table *table, const struct cgroups *groups)
{
	m->bound = SIZE_MAX;
	for (m->n = 0; pp_metric_set_at(m->asked.set, m->n);)
		m->n++;
	m->counts = cli_grow(m->counts, table->events + 1, sizeof(*m->counts));
	m->events = cli_grow(m->events, table->events + 1, sizeof(*m->events));
	m->has = cli_grow(m->has, (groups->n + 1) * (m->n + 1), sizeof(*m->has));
	memset(m->has, 0, (groups->n + 1) * (m->n + 1) * sizeof(*m->has));
	for (size_t group = 0; group < groups->n; group++) {
		bind(m, table, groups, group);
		for (size_t i = 0; i < m->n; i++) {
			m->has[group * m->n + i] = pp_metric_set_bound(m->asked.set, i);
			m->has[groups->n * m->n + i] |= m->has[group * m->n + i];
		}
	}
}

static void take_counts(struct shown_metrics *m, const struct pp_count_table *table, const size_t *order,
			size_t n, size_t place)
{
	for (size_t i = 0; i < n; i++) {
		const struct pp_count_row *const row = &table->rows[place * table->events + order[i]];
		const struct pp_count_event *const e = row->event;

		m->counts[i] = (struct pp_metric_count){
			/* a scale without a unit says how many each hit stands for, as of slots */
			.value = row->value * (*e->unit ? 1 : e->scale),
			.enabled = row->enabled, .running = row->running,
			.known = row->counted && row->shown, .parts = row->cpus,
			.sources = e->merged,
		};
	}
}

void metrics_each(struct shown_metrics *m, const struct pp_count_table *table, const struct cgroups *groups,
		  size_t group, size_t place, double wall, const struct pp_count_run *run, metric_fn *fn,
		  void *arg)
{
	const bool used = run && run->has_usage;
	struct pp_metric_facts facts = {
		.size = sizeof(facts), .duration = wall > 0 ? wall / 1e9 : -1,
		.user = used ? (double)run->user / 1e9 : -1, .system = used ? (double)run->sys / 1e9 : -1,
		.machine = &m->machine, .mixed = m->mixed,
	};
	struct shown_metric one = { .row = cgroup_row(groups, group, table, place) };

	if (!one.row)
		return;
	m->machine.target_cpu = !table->tasks;
	/* what is counted on CPUs has both threads of a core */
	m->machine.core_wide = !table->tasks || m->machine.smt_on == 0;
	bind(m, table, groups, group);
	facts.counts = m->counts;
	take_counts(m, table, groups->order + groups->items[group].from, groups->items[group].n, place);
	for (size_t i = 0; i < m->n; i++) {
		one.metric = pp_metric_set_at(m->asked.set, i);
		one.elsewhere = m->has[groups->n * m->n + i] && !m->has[group * m->n + i];
		one.state = pp_metric_set_value(m->asked.set, i, &facts, &one.value);
		if (one.state == PP_METRIC_NO_MEMORY)
			cli_no_memory();
		fn(arg, &one);
	}
}

void metrics_why(const struct shown_metric *one, char *text, size_t size)
{
	if (one->state == PP_METRIC_MISSING)
		(void)snprintf(text, size, "%s was not counted", one->value.event);
	else if (one->state == PP_METRIC_APART)
		(void)snprintf(text, size, "%s and %s were never counted at one time", one->value.event,
			       one->value.other);
	else
		(void)snprintf(text, size, "not to be computed");
}
