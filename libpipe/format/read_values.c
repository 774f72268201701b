/* read_values.c - values of counters, of a group or of one event. */
#include "format/read_values.h"

void pp_read_values_open(struct pp_read_values_walk *w, const struct pp_record *rec)
{
	pp_walk(&w->cursor, rec);
	w->next = (struct pp_read_values){ 0 };
	w->last = false;
}

/* The value comes first in its structure, and the times of a group before all structures. */
int pp_read_values_next(struct pp_read_values_walk *w)
{
	struct pp_cursor *const c = &w->cursor;
	bool found = false;
	int token;

	while (!w->last && (token = pp_walk_next(c)) != PP_END) {
		if (token == PP_FAILED)
			return -1;
		if (token == PP_VALUE && c->field->is == PP_IS_COUNT) {
			w->next.value = c->value;
			w->next.has_id = false;
			found = true;
		} else if (token == PP_VALUE && c->field->is == PP_IS_ENABLED) {
			w->next.enabled = c->value;
		} else if (token == PP_VALUE && c->field->is == PP_IS_RUNNING) {
			w->next.running = c->value;
		} else if (token == PP_VALUE && c->field->is == PP_IS_EVENT_ID && found) {
			w->next.id = c->value;
			w->next.has_id = true;
		} else if (token == PP_CLOSE && found) {
			w->last = c->own.rec->attr && !(c->own.rec->attr->read_format & PP_READ_GROUP);
			return 1;
		} else if (token == PP_LIST_CLOSE) {
			w->last = true;
		}
	}
	return 0;
}
