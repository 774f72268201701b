/* metrics.c - the counts of a table as what metrics are asked of; their values are the library's. */
#include "stat/metrics.h"

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
}

/* Events keep their places from table to table, until there are more of them. */
static void bind(struct shown_metrics *m, const struct pp_count_table *table)
{
	if (m->n == table->events)
		return;
	free(m->counts);
	free(m->events);
	m->n = table->events;
	m->counts = calloc(m->n + 1, sizeof(*m->counts));
	m->events = calloc(m->n + 1, sizeof(*m->events));
	if (!m->counts || !m->events)
		cli_no_memory();
	for (size_t i = 0; i < m->n; i++) {
		const struct pp_count_event *const e = table->rows[i].event;

		m->events[i] = (struct pp_metric_event){
			.name = e->name, .alias = e->alias, .group = e->leader, .grouped = true,
		};
	}
	/* a leader is named by its index in the stream, which is that of the table's events */
	for (size_t i = 0; i < m->n; i++) {
		size_t leader = 0;

		while (leader < m->n && table->rows[leader].event->index != m->events[i].group)
			leader++;
		m->events[i].group = leader < m->n ? leader : i;
	}
	if (pp_metric_set_bind(m->asked.set, m->events, m->n))
		cli_no_memory();
}

static void take_counts(struct shown_metrics *m, const struct pp_count_table *table, size_t place)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct pp_count_row *const row = &table->rows[place * table->events + i];
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

static const struct pp_count_row *first_row(const struct pp_count_table *table, size_t place)
{
	for (size_t i = 0; i < table->events; i++)
		if (table->rows[place * table->events + i].shown)
			return &table->rows[place * table->events + i];
	return NULL;
}

void metrics_each(struct shown_metrics *m, const struct pp_count_table *table, size_t place,
		  double wall, const struct pp_count_run *run, metric_fn *fn, void *arg)
{
	const bool used = run && run->has_usage;
	struct pp_metric_facts facts = {
		.size = sizeof(facts), .duration = wall > 0 ? wall / 1e9 : -1,
		.user = used ? (double)run->user / 1e9 : -1, .system = used ? (double)run->sys / 1e9 : -1,
		.machine = &m->machine, .mixed = m->mixed,
	};
	struct shown_metric one = { .row = first_row(table, place) };

	if (!m->asked.set || !one.row)
		return;
	m->machine.target_cpu = !table->tasks;
	/* what is counted on CPUs has both threads of a core */
	m->machine.core_wide = !table->tasks || m->machine.smt_on == 0;
	bind(m, table);
	facts.counts = m->counts;
	take_counts(m, table, place);
	for (size_t i = 0; (one.metric = pp_metric_set_at(m->asked.set, i)); i++) {
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
