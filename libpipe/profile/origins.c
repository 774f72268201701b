/* origins.c - where samples come from: the sockets of processors, and the namespaces of control groups. */
#include "profile/hist.h"

#include <perfpipe/walk.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- sockets ---- */

int pp_hist_note_sockets(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_cursor c;
	uint64_t feature;

	if (!pp_find_feature(rec, &feature) || feature != PP_FEAT_CPU_TOPOLOGY)
		return 0;
	r->n_sockets = 0;
	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE || strcmp(c.field->name, "socket_id"))
			continue;
		if (PP_GROW(&r->sockets, &r->sockets_room, r->n_sockets + 1, error))
			return -1;
		r->sockets[r->n_sockets++] = (int32_t)c.value;
	}
	return 0;
}

/* -1 where it is not known. */
int pp_sample_socket(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	const struct pp_report *const r = s->report;
	uint32_t cpu;

	(void)error;
	*value = (uint64_t)(int64_t)(pp_cpu(s->rec, &cpu) && cpu < r->n_sockets ? r->sockets[cpu] : -1);
	return 0;
}

/* ---- control groups ---- */

/* The number of their kind among namespaces. */
enum { CGROUP = 6 };

int pp_sample_cgroup_id(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_spot same = { .exact = true, .function = UINT32_MAX, .symbol = UINT32_MAX };
	struct pp_namespace of = { 0 };
	uint32_t class;
	char text[64];

	(void)pp_tasks_namespace_of(s->report->tasks, s->pid, s->tid, CGROUP, &of);
	same.start = of.device;
	same.address = of.inode;
	snprintf(text, sizeof(text), "%" PRIu64 "/0x%" PRIx64, of.device, of.inode);
	return pp_spots_add(&s->report->places, &same, &class, error) ||
	       pp_spots_value(&s->report->places, text, class, value, error) ? -1 : 0;
}
