/*
 * prune_events.c - which attributes, ids and words about events a reader needs; whether a sample is
 * kept, and what it needs besides, is left to others.
 *
 * The head of the stream, all that is about events and features, waits until something stays, and
 * what stays then waits in memory for the round to end (or for WAITS bytes): the events of
 * this opening are told in the order in which they stood.  One that is needed later is told right
 * before its first record, which perf takes (6.1: perf script and perf report show the
 * same as if it had stood at the head, with its events in the order in which they come).  With an
 * event come its EVENT_UPDATEs and its entries of ID_INDEX, of which perf has to know all ids.
 * EVENT_DESC stands among the features, so it describes the events of the opening.
 *
 * All events stay where they are counted by their places (GROUP_DESC), or where there is more than
 * samples (STAT, AUX traces).  Perf gives formats to those tracepoints that it knows when
 * TRACING_DATA comes: so one comes with all others, or none.  A record without an id is laid out as
 * by the first event: that stays unless all events lay records out alike.
 */
#include "prune.h"

#include <stdlib.h>

enum { TRACEPOINT = 2, NAME = 2, ENTRY = 32, GUEST = 16, INDEX_HEAD = 16, WAITS = 256 << 10 };

struct held {
	struct held *next;
	struct pp_kept *kept;
	uint32_t event;               /* of an EVENT_UPDATE */
};

struct told {
	struct pp_kept *attr;         /* NULL: it did not come yet */
	bool told, written;           /* it is needed; it was written */
	bool named;                   /* an EVENT_UPDATE has its name */
};

struct bytes {
	uint8_t *data;
	size_t size, room;
};

struct pp_head {
	struct pp_keep keep;
	struct pp_reader *reader;
	struct told *events;
	size_t n_events, room;
	struct held *features, *updates, *index;
	bool open, begun;             /* the head was written; a record of the kernel waits for it */
	bool described;               /* there was an EVENT_DESC */
	bool all;                     /* from now on every event is told at once */
	bool differ;                  /* events lay their records out differently */
	struct bytes tracing;         /* TRACING_DATA and its tail */
	struct bytes opening;         /* what waits behind the head */
	uint8_t buf[PP_RECORD_MAX + 1];
};

/* Looking an id up changes no more than how fast the next one is found. */
static const struct pp_attr *by_id(const struct pp_attrs *attrs, uint64_t id)
{
	return attrs ? pp_attrs_by_id((struct pp_attrs *)(uintptr_t)attrs, id) : NULL;
}

/* ---- What waits ---- */

static int hold(struct pp_head *e, struct held **list, const struct pp_record *rec,
		uint32_t event, struct pp_error *error)
{
	struct held *const h = calloc(1, sizeof(*h));

	if (!h)
		return pp_fail(error, PP_E_NOMEM, NULL);
	h->kept = pp_kept_new(&e->keep, rec, error);
	if (!h->kept) {
		free(h);
		return -1;
	}
	h->event = event;
	while (*list)
		list = &(*list)->next;
	*list = h;
	return PP_DROP;
}

static void let_go(struct pp_head *e, struct held **list)
{
	struct held *const h = *list;

	*list = h->next;
	pp_kept_drop(&e->keep, h->kept);
	free(h);
}

static int append(struct bytes *bytes, const void *data, size_t size, struct pp_error *error)
{
	const size_t need = bytes->size + size;

	if (need > bytes->room) {
		const size_t room = need + need / 2;
		uint8_t *const larger = realloc(bytes->data, room);

		if (!larger)
			return pp_fail(error, PP_E_NOMEM, NULL);
		bytes->data = larger;
		bytes->room = room;
	}
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size = need;
	return 0;
}

static void empty(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ .data = NULL };
}

/* ---- What is told ---- */

static int copy(struct pp_writer *w, const struct pp_kept *kept)
{
	return pp_writer_copy(w, kept->data, kept->size);
}

static void describe_event(struct pp_build *b, const struct pp_attr *a,
			   const struct pp_kept *record, size_t attr_size)
{
	pp_build_open(b, "events");
	pp_build_bytes(b, "attr", record->data + PP_HEADER_SIZE, attr_size);
	pp_build_u64(b, "nr_ids", a->n_ids);
	pp_build_text(b, "name", a->name);
	pp_build_bytes(b, "id", a->ids, a->n_ids * sizeof(*a->ids));
	pp_build_close(b);
}

/* EVENT_DESC of the events that are told; none where it fits no record. */
static int describe(struct pp_head *e, const struct pp_kept *old, struct pp_writer *w)
{
	size_t n = 0, attr_size = 0, size;
	struct pp_build b;

	for (size_t i = 0; i < e->n_events; i++) {
		const struct pp_attr *const a = pp_attrs_at(old->attrs, i);

		if (!e->events[i].told || !a)
			continue;
		size = a->size ? a->size : 64;
		if (n++ && size != attr_size)
			return 0;
		attr_size = size;
	}
	if (!n)
		return 0;
	pp_build_feature(&b, e->buf, sizeof(e->buf), PP_FEAT_EVENT_DESC);
	pp_build_u64(&b, "nr", n);
	pp_build_u64(&b, "attr_size", attr_size);
	for (size_t i = 0; i < e->n_events; i++)
		if (e->events[i].told)
			describe_event(&b, pp_attrs_at(old->attrs, i), e->events[i].attr, attr_size);
	size = pp_build_end(&b);
	return size && size <= PP_RECORD_MAX ? pp_writer_copy(w, e->buf, size) : 0;
}

static uint64_t feature_of(const struct pp_kept *kept)
{
	return pp_fits(PP_HEADER_SIZE + 8, kept->size) ? pp_load64(kept->data + PP_HEADER_SIZE) : 0;
}

static int tell_features(struct pp_head *e, struct pp_writer *w)
{
	for (; e->features; let_go(e, &e->features)) {
		const struct pp_kept *const kept = e->features->kept;
		/* the mark behind the features has no more than a number, whichever that is */
		const bool desc = feature_of(kept) == PP_FEAT_EVENT_DESC &&
				  kept->size > PP_HEADER_SIZE + 8;

		if (desc ? describe(e, kept, w) : copy(w, kept))
			return -1;
	}
	return 0;
}

static struct told *told_at(struct pp_head *e, const struct pp_attr *a)
{
	return a && a->index < e->n_events ? &e->events[a->index] : NULL;
}

/* Whether entry `i` of an ID_INDEX is of an event that was told just now. */
static bool is_entry_of(const struct pp_head *e, const struct pp_kept *index, uint64_t i,
			const bool *now)
{
	const uint64_t id = pp_load64(index->data + INDEX_HEAD + i * ENTRY);
	const struct pp_attr *const a = by_id(index->attrs, id);

	return a && a->index < e->n_events && now[a->index];
}

static int tell_entries(struct pp_head *e, const struct pp_kept *index, const bool *now,
			struct pp_writer *w)
{
	const uint64_t n = pp_load64(index->data + PP_HEADER_SIZE);
	const uint8_t *const entries = index->data + INDEX_HEAD, *const guests = entries + n * ENTRY;
	const bool guest = pp_fits_n(n, ENTRY + GUEST, index->size - INDEX_HEAD);
	uint8_t *to = e->buf + INDEX_HEAD;
	uint64_t count = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (!is_entry_of(e, index, i, now))
			continue;
		memcpy(to, entries + i * ENTRY, ENTRY);
		to += ENTRY;
		count++;
	}
	for (uint64_t i = 0; guest && i < n; i++) {
		if (!is_entry_of(e, index, i, now))
			continue;
		memcpy(to, guests + i * GUEST, GUEST);
		to += GUEST;
	}
	if (!count)
		return 0;
	memcpy(e->buf, index->data, PP_HEADER_SIZE);
	pp_store16(e->buf + 6, (uint16_t)(to - e->buf));
	pp_store64(e->buf + PP_HEADER_SIZE, count);
	return pp_writer_copy(w, e->buf, (size_t)(to - e->buf));
}

/* Where EVENT_DESC alone had the name of an event that comes late. */
static int tell_name(struct pp_head *e, const struct pp_attr *a, struct pp_writer *w)
{
	struct pp_build b;
	size_t size;

	if (e->events[a->index].named || !e->described || !a->n_ids)
		return 0;
	pp_build(&b, e->buf, sizeof(e->buf), PP_REC_EVENT_UPDATE, 0, NULL);
	pp_build_u64(&b, "type", NAME);
	pp_build_u64(&b, "id", a->ids[0]);
	pp_build_text(&b, "name", a->name);
	size = pp_build_end(&b);
	return size && size <= PP_RECORD_MAX ? pp_writer_copy(w, e->buf, size) : 0;
}

/* What was said of the events that were told just now. */
static int tell_rest(struct pp_head *e, const struct pp_attrs *attrs, const bool *now, bool late,
		     struct pp_writer *w)
{
	struct held **at = &e->updates;

	for (const struct held *h = e->index; h; h = h->next)
		if (tell_entries(e, h->kept, now, w))
			return -1;
	for (size_t i = 0; late && i < e->n_events; i++)
		if (now[i] && tell_name(e, pp_attrs_at(attrs, i), w))
			return -1;
	while (*at) {
		if (!now[(*at)->event]) {
			at = &(*at)->next;
			continue;
		}
		if (copy(w, (*at)->kept))
			return -1;
		let_go(e, at);
	}
	return 0;
}

/* Tells those events whose ->told is not ->written yet. */
static int tell(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		struct pp_error *error)
{
	const bool late = e->open;
	bool *const now = calloc(e->n_events + 1, sizeof(*now));
	int status = 0;

	if (!now)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < e->n_events && !status; i++) {
		now[i] = e->events[i].told && !e->events[i].written;
		if (now[i])
			status = copy(w, e->events[i].attr);
		e->events[i].written |= now[i];
	}
	e->open = true;
	if (!status)
		status = tell_features(e, w);
	for (size_t i = 0; i < e->n_events && !status && e->tracing.size; i++) {
		if (!now[i] || pp_attrs_at(attrs, i)->type != TRACEPOINT)
			continue;
		status = pp_writer_copy(w, e->tracing.data, e->tracing.size);
		empty(&e->tracing);
	}
	if (!status)
		status = tell_rest(e, attrs, now, late, w);
	free(now);
	return status;
}

/* Ends the opening. */
static int open_stream(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		       struct pp_error *error)
{
	int status;

	if (e->open)
		return 0;
	status = tell(e, attrs, w, error);
	if (!status)
		status = pp_writer_copy(w, e->opening.data, e->opening.size);
	empty(&e->opening);
	return status;
}

int pp_head_write(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		    struct pp_error *error)
{
	if (e->open)
		return pp_writer_copy(w, rec->data, rec->size);
	if (append(&e->opening, rec->data, rec->size, error))
		return -1;
	e->begun |= rec->type < PP_USER_TYPES;
	return e->opening.size < WAITS ? 0 : open_stream(e, rec->attrs, w, error);
}

bool pp_head_closed(const struct pp_head *e)
{
	return !e->open;
}

/* ---- What is needed ---- */

/* An event, by its place; with a tracepoint come all that there are. */
static int need(struct pp_head *e, const struct pp_attrs *attrs, size_t which,
		struct pp_writer *w, struct pp_error *error)
{
	const bool tracepoint = pp_attrs_at(attrs, which)->type == TRACEPOINT;

	for (size_t i = 0; i < e->n_events; i++)
		if (i == which || (!i && e->differ) ||
		    (tracepoint && pp_attrs_at(attrs, i)->type == TRACEPOINT))
			e->events[i].told = true;
	return e->open ? tell(e, attrs, w, error) : 0;
}

int pp_head_need(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		   struct pp_error *error)
{
	const struct told *const told = told_at(e, rec->attr);
	uint64_t id;

	if (told && told->told)
		return 0;
	/* what belongs to no event must not be taken for the only one's */
	if (!told)
		return pp_head_need_all(e, rec->attrs, w, error);
	if (rec->type != PP_REC_SAMPLE && !e->differ && !(pp_id(rec, &id) && id))
		return 0;
	return need(e, rec->attrs, rec->attr->index, w, error);
}

int pp_head_need_id(struct pp_head *e, const struct pp_attrs *attrs, uint64_t id,
		      struct pp_writer *w, struct pp_error *error)
{
	const struct pp_attr *const a = by_id(attrs, id);
	const struct told *const told = told_at(e, a);

	return !told || told->told ? 0 : need(e, attrs, a->index, w, error);
}

int pp_head_need_all(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		       struct pp_error *error)
{
	if (e->all)
		return 0;
	e->all = true;
	for (size_t i = 0; i < e->n_events; i++)
		e->events[i].told = true;
	return e->open ? tell(e, attrs, w, error) : 0;
}

/* ---- Records ---- */

static bool alike(const struct pp_attr *first, const struct pp_attr *second)
{
	const struct pp_plan *const a = &first->plan, *const b = &second->plan;

	return a->trailer == b->trailer && a->t_id == b->t_id && a->t_tid == b->t_tid &&
	       a->t_time == b->t_time && a->t_cpu == b->t_cpu && a->id == b->id;
}

static int note_attr(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		     struct pp_error *error)
{
	struct told *told;

	(void)w;
	if (e->n_events == e->room) {
		const size_t room = e->room ? e->room * 2 : 16;
		struct told *const events = reallocarray(e->events, room, sizeof(*events));

		if (!events)
			return pp_fail(error, PP_E_NOMEM, NULL);
		e->events = events;
		e->room = room;
	}
	told = &e->events[e->n_events];
	*told = (struct told){ .attr = pp_kept_new(&e->keep, rec, error) };
	if (!told->attr)
		return -1;
	e->n_events++;
	e->differ |= !alike(pp_attrs_at(rec->attrs, 0), pp_attrs_at(rec->attrs, e->n_events - 1));
	told->told = e->all;
	told->written = e->all && e->open;
	return told->written ? PP_KEEP : PP_DROP;
}

static int note_update(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		       struct pp_error *error)
{
	uint64_t id, type;
	const struct pp_attr *const a = pp_get_u64(rec, "id", &id) ? by_id(rec->attrs, id) : NULL;
	struct told *const told = told_at(e, a);

	(void)w;
	if (!told)
		return PP_KEEP;
	if (pp_get_u64(rec, "type", &type) && type == NAME)
		told->named = true;
	return told->written ? PP_KEEP : hold(e, &e->updates, rec, a->index, error);
}

static int note_index(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		      struct pp_error *error)
{
	struct held *last;
	bool *now;
	int status;

	if ((e->all && e->open) || !pp_fits(INDEX_HEAD, rec->size) ||
	    !pp_fits_n(pp_load64(rec->data + PP_HEADER_SIZE), ENTRY, rec->size - INDEX_HEAD))
		return PP_KEEP;
	if (hold(e, &e->index, rec, 0, error) < 0)
		return -1;
	last = e->index;
	/* of those that were told before, this is all that is new */
	now = calloc(e->n_events + 1, sizeof(*now));
	if (!now)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < e->n_events; i++)
		now[i] = e->events[i].written;
	while (last->next)
		last = last->next;
	status = tell_entries(e, last->kept, now, w);
	free(now);
	return status ? -1 : PP_DROP;
}

static int note_feature(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
			struct pp_error *error)
{
	const uint64_t number = pp_fits(PP_HEADER_SIZE + 8, rec->size) ?
				pp_load64(rec->data + PP_HEADER_SIZE) : 0;

	if (number == PP_FEAT_EVENT_DESC && rec->size > PP_HEADER_SIZE + 8)
		e->described = true;
	if (number == PP_FEAT_GROUP_DESC && rec->size > PP_HEADER_SIZE + 8 &&
	    pp_head_need_all(e, rec->attrs, w, error))
		return -1;
	return e->open ? PP_KEEP : hold(e, &e->features, rec, 0, error);
}

/* One that stands behind records with times is held elsewhere, with its tail: it goes. */
static int note_tracing(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
			struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	if (e->open || e->begun || e->tracing.size || !e->reader ||
	    pp_reader_stream(e->reader)->records != rec->index + 1) {
		for (size_t i = 0; i < e->n_events; i++)
			if (pp_attrs_at(rec->attrs, i)->type == TRACEPOINT &&
			    need(e, rec->attrs, i, w, error))
				return -1;
		return open_stream(e, rec->attrs, w, error) ? -1 : PP_KEEP;
	}
	if (append(&e->tracing, rec->data, rec->size, error))
		return -1;
	while ((got = pp_reader_tail(e->reader, &piece, &size, error)) > 0)
		if (append(&e->tracing, piece, size, error))
			return -1;
	return got < 0 ? -1 : PP_DROP;
}

static int note_more(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		     struct pp_error *error)
{
	if (pp_head_need_all(e, rec->attrs, w, error))
		return -1;
	return rec->tail && open_stream(e, rec->attrs, w, error) ? -1 : PP_KEEP;
}

/* A round before anything that could wait for it is none. */
static int note_round(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		      struct pp_error *error)
{
	if (e->open || !pp_is_round(rec))
		return PP_KEEP;
	if (!e->begun)
		return PP_DROP;
	return open_stream(e, rec->attrs, w, error) ? -1 : PP_KEEP;
}

int pp_head_note(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		   struct pp_error *error)
{
	static const struct {
		uint32_t type;
		int (*note)(struct pp_head *, const struct pp_record *, struct pp_writer *,
			    struct pp_error *);
	} notes[] = {
		{ PP_REC_HEADER_ATTR, note_attr }, { PP_REC_EVENT_UPDATE, note_update },
		{ PP_REC_ID_INDEX, note_index }, { PP_REC_HEADER_FEATURE, note_feature },
		{ PP_REC_HEADER_TRACING_DATA, note_tracing }, { PP_REC_STAT, note_more },
		{ PP_REC_STAT_CONFIG, note_more }, { PP_REC_AUXTRACE_INFO, note_more },
		{ PP_REC_AUXTRACE, note_more }, { PP_REC_HEADER_EVENT_TYPE, note_more },
	};

	if (rec->type == PP_REC_FINISHED_ROUND)
		return note_round(e, rec, w, error);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].type == rec->type)
			return notes[i].note(e, rec, w, error);
	return PP_KEEP;
}

int pp_head_end(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		  struct pp_error *error)
{
	return open_stream(e, attrs, w, error);
}

struct pp_head *pp_head_new(struct pp_reader *reader)
{
	struct pp_head *const e = calloc(1, sizeof(*e));

	if (e)
		e->reader = reader;
	return e;
}

void pp_head_free(struct pp_head *e)
{
	if (!e)
		return;
	while (e->features)
		let_go(e, &e->features);
	while (e->updates)
		let_go(e, &e->updates);
	while (e->index)
		let_go(e, &e->index);
	for (size_t i = 0; i < e->n_events; i++)
		pp_kept_drop(&e->keep, e->events[i].attr);
	empty(&e->tracing);
	empty(&e->opening);
	free(e->events);
	free(e);
}
