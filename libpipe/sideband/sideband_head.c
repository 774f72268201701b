/*
 * sideband_head.c - writes the head of a stream out of what sideband.c kept: what heirs have from
 * others become records of their own, with the time of the FORK.
 */
#include "sideband/sideband.h"

enum { PIECE = 16 << 10 };

static int add_thread_dues(const struct pp_thread *t, struct pp_pending_list *dues)
{
	struct pp_stored *const parts[] = { t->fork, t->names, t->comm };
	struct pp_pending due = pp_pending_of(t);

	for (size_t i = 0; i < 3; i++) {
		due.stage = (enum pp_stage)i;
		due.kept = parts[i];
		if (pp_pending_list_add(dues, &due))
			return -1;
	}
	return 0;
}

static int add_map_dues(const struct pp_maps *maps, const struct pp_space *space,
			struct pp_pending_list *dues)
{
	struct pp_pending due;

	if (!space)
		return 0;
	due = pp_pending_map(maps, space);
	return add_map_dues(maps, space->left, dues) || pp_pending_list_add(dues, &due) ||
	       add_map_dues(maps, space->right, dues) ? -1 : 0;
}

/* All that is due, or of tasks only what is of this process. */
static int add_dues(const struct pp_sideband *s, const uint32_t *pid, struct pp_pending_list *dues)
{
	for (const struct thing *t = s->first[LIVE]; t; t = t->after)
		if (pp_pending_list_add(dues, &(struct pp_pending){ .kept = t->kept }))
			return -1;
	for (size_t i = 0; i < s->table.threads.room; i++) {
		for (const struct pp_link *l = s->table.threads.buckets[i]; l; l = l->next) {
			const struct pp_thread *const t = (const struct pp_thread *)l;

			if ((!pid || t->pid == *pid) && add_thread_dues(t, dues))
				return -1;
		}
	}
	for (size_t i = 0; i < s->table.processes.room; i++) {
		for (const struct pp_link *l = s->table.processes.buckets[i]; l; l = l->next) {
			const struct pp_process *const p = (const struct pp_process *)l;

			if ((!pid || l->key == *pid) && add_map_dues(&p->maps, p->maps.space, dues))
				return -1;
		}
	}
	return 0;
}

/* Who writes a head, from where, and what it makes of the records. */
struct outlet {
	const struct pp_record_store *keep;
	struct pp_writer *writer;
	pp_sideband_shape_fn *shape;
	void *arg;
	struct pp_error *error;
};

static int write_tail(const struct outlet *to, struct pp_spool *tail)
{
	const uint64_t size = pp_spool_end(tail);
	uint8_t piece[PIECE];

	for (uint64_t at = 0; at < size; at += PIECE) {
		const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		if (pp_spool_read(tail, at, piece, n, to->error) ||
		    pp_writer_copy(to->writer, piece, n, to->error))
			return -1;
	}
	return 0;
}

/* A record that the shape may change: there is room for the longest. */
static int write_shaped(const struct outlet *to, struct pp_record *rec, const struct thing *thing)
{
	const int verdict = to->shape ? to->shape(to->arg, rec, to->error) : PP_KEEP;

	if (verdict != PP_KEEP)
		return verdict < 0 ? -1 : 0;
	if (pp_writer_copy(to->writer, rec->data, rec->size, to->error))
		return -1;
	return thing && thing->tail ? write_tail(to, thing->tail) : 0;
}

static int write_list(const struct pp_sideband *s, enum list list, const struct outlet *to)
{
	uint8_t buf[PP_RECORD_MAX + 1];

	for (const struct thing *t = s->first[list]; t; t = t->after) {
		struct pp_record rec;

		if (pp_stored_read(to->keep, t->kept, buf, &rec, to->error) ||
		    write_shaped(to, &rec, t))
			return -1;
	}
	return 0;
}

static int write_dues(const struct pp_pending_list *dues, const struct outlet *to)
{
	uint8_t buf[PP_RECORD_MAX + 1];
	struct pp_record rec;

	for (size_t i = 0; i < dues->count; i++) {
		const struct pp_pending *const due = &dues->items[i];

		/* a map is written once, however many of its pieces are left */
		if (pp_pending_list_repeat(dues, i))
			continue;
		if (pp_stored_read(to->keep, due->kept, buf, &rec, to->error))
			return -1;
		pp_pending_own(due, &rec);
		if (due->time != due->kept->time)
			pp_record_date(&rec, due->time);
		if (write_shaped(to, &rec, NULL))
			return -1;
	}
	return 0;
}

int pp_sideband_write(struct pp_sideband *s, const uint32_t *pid, pp_sideband_shape_fn *shape, void *arg,
		      struct pp_writer *w, struct pp_error *error)
{
	const struct outlet to = { .keep = &s->keep, .writer = w, .shape = shape,
				   .arg = arg, .error = error };
	struct pp_pending_list dues = { .keep = &s->keep };
	int status = 0;

	if (pp_sideband_forget(s) || add_dues(s, pid, &dues)) {
		pp_pending_list_close(&dues);
		return pp_budget_fail(s->keep.budget, error);
	}
	pp_pending_list_sort(&dues);
	if (write_list(s, NOTES, &to) || write_list(s, WHOLE, &to) || write_list(s, FILES, &to) ||
	    write_dues(&dues, &to) || write_list(s, LAST, &to))
		status = -1;
	pp_pending_list_close(&dues);
	return status;
}

int pp_sideband_write_tracing(struct pp_sideband *s, struct pp_writer *w, struct pp_error *error)
{
	const struct outlet to = { .keep = &s->keep, .writer = w, .error = error };
	uint8_t buf[PP_RECORD_MAX + 1];

	for (const struct thing *t = s->first[WHOLE]; t; t = t->after) {
		struct pp_record rec;

		if (pp_stored_read(to.keep, t->kept, buf, &rec, error))
			return -1;
		if (rec.type == PP_REC_HEADER_TRACING_DATA)
			return write_shaped(&to, &rec, t);
	}
	return 0;
}
