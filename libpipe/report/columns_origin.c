/* columns_origin.c - where samples come from: the sockets of processors, the namespaces of control groups,
 * and how many threads ran beside. */
#include "report/hist.h"

#include <perfpipe/walk.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- sockets ---- */

static int take_machine_field(struct pp_report *r, const struct pp_cursor *c, struct pp_error *error)
{
	if (!strcmp(c->field->name, "nr_cpus_avail"))
		r->machine.cpus = (uint32_t)c->value;
	if (strcmp(c->field->name, "socket_id"))
		return 0;
	if (PP_GROW(&r->machine.sockets, &r->machine.sockets_room, r->machine.n_sockets + 1, error))
		return -1;
	r->machine.sockets[r->machine.n_sockets++] = (int32_t)c->value;
	return 0;
}

int pp_hist_note_machine(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_cursor c;
	uint64_t feature;
	int status = 0;

	if (!pp_find_feature(rec, &feature) ||
	    (feature != PP_FEAT_CPU_TOPOLOGY && feature != PP_FEAT_NRCPUS))
		return 0;
	if (feature == PP_FEAT_CPU_TOPOLOGY)
		r->machine.n_sockets = 0;
	pp_walk(&c, rec);
	for (int token; !status && (token = pp_walk_next(&c)) > PP_END;)
		if (token == PP_VALUE)
			status = take_machine_field(r, &c, error);
	return status;
}

/* -1 where it is not known. */
int pp_sample_socket(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	const struct pp_report *const r = s->report;
	uint32_t cpu;

	(void)error;
	*value = (uint64_t)(int64_t)(pp_cpu(s->rec, &cpu) && cpu < r->machine.n_sockets ?
				     r->machine.sockets[cpu] : -1);
	return 0;
}

/* ---- control groups ---- */

/* The number of their kind among namespaces. */
enum { CGROUP = 6 };

int pp_sample_cgroup_id(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_code_frame same = { .exact = true, .function = UINT32_MAX, .symbol = UINT32_MAX };
	struct pp_namespace of = { 0 };
	uint32_t class;
	char text[64];

	(void)pp_tasks_namespace_of(s->report->tasks, s->pid, s->tid, CGROUP, &of);
	same.start = of.device;
	same.address = of.inode;
	snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, of.device, of.inode);
	return pp_frame_table_add(&s->report->places, &same, &class, error) ||
	       pp_frame_table_value(&s->report->places, text, class, value, error) ? -1 : 0;
}

/* ---- threads that run ---- */

/* As perf counts them: one runs at first, and a thread that ends is not switched out before. */
void pp_hist_note_switch(struct pp_report *r, const struct pp_record *rec)
{
	if (rec->type == PP_REC_EXIT)
		r->machine.running--;
	else if (pp_type_is(rec->type, PP_SWITCHES))
		r->machine.running += rec->misc & PP_MISC_SWITCH_OUT ? -1 : 1;
}

uint32_t pp_hist_parallelism(const struct pp_report *r)
{
	const int64_t most = r->machine.cpus ? r->machine.cpus : UINT32_MAX;

	return (uint32_t)(r->machine.running < 1 ? 1 : r->machine.running < most ? r->machine.running : most);
}

int pp_sample_parallelism(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	(void)error;
	*value = pp_hist_parallelism(s->report);
	return 0;
}
