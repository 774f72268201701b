/* rebuild_attrs.c - events whose HEADER_ATTR was lost, made again from what EVENT_DESC says of them. */
#include "base/array.h"
#include "format/note.h"
#include "mend/evidence.h"

#include <stdlib.h>

enum { RECOVERED_MOST = 1 << 20, ATTR_LEAST = 64 };

/* One event of an EVENT_DESC: its attribute's bytes, of which the first 64 are there, and its ids. */
struct described {
	const uint8_t *attr;
	size_t room;
	const struct pp_cursor *ids;
};

static bool is(const struct pp_cursor *c, const char *name)
{
	return !strcmp(c->field->name, name);
}

static bool is_known(struct pp_evidence *e, const struct described *d)
{
	for (uint32_t i = 0; i < d->ids->count; i++)
		if (pp_attrs_by_id(e->attrs, pp_walk_u64(d->ids, i)))
			return true;
	/* without ids it can only be the one event that there is */
	return !d->ids->count && pp_attrs_count(e->attrs);
}

/* Its HEADER_ATTR after the others, noted as if it had come.  0 or -1: no memory. */
static int recover(struct pp_evidence *e, const struct described *d, struct pp_recovered *r)
{
	const uint32_t length = pp_load32(d->attr + 4);
	const uint64_t size = PP_HEADER_SIZE + (uint64_t)length + 8 * (uint64_t)d->ids->count;
	struct pp_judged j = { .sound = true };
	struct pp_error error = { .code = PP_OK };
	uint8_t *p;

	if (!pp_fits(length, d->room) || length < ATTR_LEAST || length % 8 ||
	    !pp_fits(size, PP_RECORD_MAX) || !pp_fits(size, RECOVERED_MOST - r->bytes.size))
		return 0;
	p = pp_buffer_room(&r->bytes, size, NULL);
	if (!p)
		return -1;
	pp_round_header(p, (uint16_t)size, false);
	pp_store32(p, PP_REC_HEADER_ATTR);
	memcpy(p + PP_HEADER_SIZE, d->attr, length);
	for (uint32_t i = 0; i < d->ids->count; i++)
		pp_store64(p + PP_HEADER_SIZE + length + 8 * (size_t)i, pp_walk_u64(d->ids, i));
	if (pp_record_at(&j.host, p, size, NULL) || pp_check(&j.host, NULL))
		return 0;
	if (pp_evidence_take(e, &j, &error))
		return pp_error_status(&error) == 3 ? 0 : -1;
	if (e->foreign && pp_convert(&j.host, PP_FROM_HOST, NULL))
		return 0;
	r->bytes.size += size;
	r->events++;
	return 0;
}

int pp_evidence_recover(struct pp_evidence *e, const struct pp_record *rec, struct pp_recovered *r)
{
	struct described d = { .attr = NULL };
	struct pp_cursor c;
	uint64_t feature, attr_size = 0;
	int token;

	if (!pp_find_feature(rec, &feature) || feature != PP_FEAT_EVENT_DESC)
		return 0;
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (is(&c, "attr_size")) {
			attr_size = c.value;
		} else if (is(&c, "type")) {
			const size_t left = rec->size - (size_t)(c.data - rec->data);

			d.attr = pp_fits(attr_size, left) && attr_size >= ATTR_LEAST ? c.data : NULL;
			d.room = (size_t)attr_size;
		} else if (c.field->is == PP_IS_EVENT_ID && d.attr) {
			d.ids = &c;
			if (!is_known(e, &d) && recover(e, &d, r))
				return -1;
			d.attr = NULL;
		}
	}
	return 0;
}
