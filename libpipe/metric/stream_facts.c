/* stream_facts.c - what the features of a stream say of the machine whose events were counted. */
#include "metric/metric.h"

#include <perfpipe/walk.h>

#include <math.h>
#include <string.h>

static void take(struct pp_metric_machine *m, const struct pp_cursor *c)
{
	/* perf's feature calls the lists of a package's CPUs cores, and those of a core's CPUs threads */
	const struct { const char *field; double *to; } numbers[] = {
		{ "nr_cpus_avail", &m->num_cpus }, { "nr_cpus_online", &m->num_cpus_online },
		{ "nr_cores", &m->num_packages }, { "nr_threads", &m->num_cores },
		{ "nr_dies", &m->num_dies },
	};
	const char *text;
	size_t length;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(c->field->name, numbers[i].field) && c->value)
			*numbers[i].to = (double)c->value;
	if (strcmp(c->field->name, "cpuid") != 0)
		return;
	text = pp_walk_text(c, &length);
	length = length < sizeof(m->cpuid) ? length : sizeof(m->cpuid) - 1;
	memcpy(m->cpuid, text, length);
	m->cpuid[length] = '\0';
}

void pp_metric_machine_note(struct pp_metric_machine *m, const struct pp_record *record)
{
	struct pp_cursor c;
	int token;

	if (record->type != PP_REC_HEADER_FEATURE)
		return;
	pp_walk(&c, record);
	while ((token = pp_walk_next(&c)) > 0)
		if (token == PP_VALUE && c.field && c.field->name)
			take(m, &c);
	if (isnan(m->num_dies))
		m->num_dies = m->num_packages;
	m->smt_on = isnan(m->num_cores) || isnan(m->num_cpus_online) ? (double)NAN :
		    m->num_cpus_online > m->num_cores;
}
