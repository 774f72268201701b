/*
 * needed_events.c - which attributes, ids and other records about events a reader needs.
 *
 * The head of the stream, all that is about events and features, waits until something stays, and
 * what stays then waits in memory for the round to end (or for WAITS bytes): the events of this
 * opening are written in their original order.  One that is needed later is written right before
 * its first record, which perf accepts (6.1: perf script and perf report show the same as if it had
 * been at the head, with its events in the order in which they come).  With an event come its
 * EVENT_UPDATEs and its entries of ID_INDEX, of which perf has to know all ids. EVENT_DESC is one
 * of the features, so it describes the events of the opening.
 *
 * All events stay if they are counted by their places (GROUP_DESC), or if there is more than
 * samples (STAT, AUX traces).  perf assigns formats to the tracepoints that it knows when
 * TRACING_DATA comes: so either all are written or none.  A record without an id is laid out as by
 * the first event: that stays unless all events lay records out alike.
 */
#include "base/array.h"
#include "prune/prune.h"
#include "base/spool.h"

#include <stdlib.h>

enum {
	NAME = 2, ENTRY = 32, GUEST = 16, INDEX_HEAD = 16,
	WAITS = 256 << 10,            /* of what waits after the head */
	PIECE = 64 << 10,             /* of TRACING_DATA, the rest of which is in a file */
};

struct held_event {
	struct held_event *next;
	struct pp_stored *kept;
};

struct due_list {
	struct held_event *first, *last;
};

struct told {
	struct pp_stored *attr;         /* NULL: it did not come yet */
	struct due_list updates;          /* EVENT_UPDATEs that wait for it */
	bool told, written;           /* it is needed; it was written */
	bool named;                   /* an EVENT_UPDATE has its name */
};

/* What an ID_INDEX says of an id. */
struct due_ids {
	struct pp_link link;          /* by id */
	struct index_of_ids *of;
	uint32_t place;
	bool told;
};

struct index_of_ids {
	struct index_of_ids *next;
	struct pp_stored *kept;
	uint32_t number, count;
	struct due_ids entries[];
};

struct pp_head {
	struct pp_record_store *keep;
	struct pp_reader *reader;
	struct pp_sideband *source;   /* has TRACING_DATA and its tail; or NULL */
	struct told *events;
	size_t n_events, room, room_due;
	uint32_t *due;                /* events that are due and not written yet */
	size_t n_due;
	size_t traced;                /* events up to there are written, if they are tracepoints */
	struct due_list features;
	struct index_of_ids *indexes;        /* the last one first */
	struct pp_table entries;
	struct due_ids **found;         /* of the events that are being written */
	size_t n_found, room_found;
	bool open, begun;             /* the head was written; a record of the kernel waits for it */
	bool described, desc_told;    /* there was an EVENT_DESC; it was written */
	bool all;                     /* from now on every event is written at once */
	bool differ;                  /* events lay their records out differently */
	bool traces;                  /* `tracing` waits */
	struct pp_spool tracing;      /* TRACING_DATA and its tail, unless `source` has them */
	struct pp_buffer opening;     /* what waits after the head */
	uint8_t buf[PP_RECORD_MAX + 1], kept[PP_RECORD_MAX + 1];
};

/* Looking an id up changes no more than how fast the next one is found. */
static const struct pp_attr *by_id(const struct pp_attrs *attrs, uint64_t id)
{
	return attrs ? pp_attrs_by_id((struct pp_attrs *)(uintptr_t)attrs, id) : NULL;
}

/* ---- What waits ---- */

static int no_memory_for_head(const struct pp_head *e, struct pp_error *error)
{
	return pp_budget_fail(e->keep->budget, error);
}

static int hold(struct pp_head *e, struct due_list *list, const struct pp_record *rec,
		struct pp_error *error)
{
	struct held_event *const h = pp_take(e->keep->budget, sizeof(*h));

	if (!h)
		return no_memory_for_head(e, error);
	h->kept = pp_stored_new(e->keep, rec, error);
	if (!h->kept) {
		pp_give_back(e->keep->budget, h, sizeof(*h));
		return -1;
	}
	*(list->last ? &list->last->next : &list->first) = h;
	list->last = h;
	return PP_DROP;
}

static void let_go(struct pp_head *e, struct due_list *list)
{
	struct held_event *const h = list->first;

	list->first = h->next;
	if (!h->next)
		list->last = NULL;
	pp_stored_drop(e->keep, h->kept);
	pp_give_back(e->keep->budget, h, sizeof(*h));
}

/* The bytes of a record that waits, valid until those of the next are asked for; NULL and *error. */
static const uint8_t *bytes_of(struct pp_head *e, const struct pp_stored *kept, struct pp_error *error)
{
	struct pp_record rec;

	return pp_stored_read(e->keep, kept, e->kept, &rec, error) ? NULL : e->kept;
}

/* ---- What is reported ---- */

static int copy(struct pp_head *e, const struct pp_stored *kept, struct pp_writer *w,
		struct pp_error *error)
{
	const uint8_t *const data = bytes_of(e, kept, error);

	return data ? pp_writer_copy(w, data, kept->size, error) : -1;
}

static void describe_event(struct pp_build *b, const struct pp_attr *a, const uint8_t *record,
			   size_t attr_size)
{
	pp_build_open(b, "events");
	pp_build_bytes(b, "attr", record + PP_HEADER_SIZE, attr_size);
	pp_build_u64(b, "nr_ids", a->n_ids);
	pp_build_text(b, "name", a->name);
	pp_build_bytes(b, "id", a->ids, a->n_ids * sizeof(*a->ids));
	pp_build_close(b);
}

/* EVENT_DESC of the events that are written; none if it does not fit in a record. */
static int describe(struct pp_head *e, const struct pp_stored *old, struct pp_writer *w,
		    struct pp_error *error)
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
	for (size_t i = 0; i < e->n_events; i++) {
		const uint8_t *const record = e->events[i].told ?
					      bytes_of(e, e->events[i].attr, error) : NULL;

		if (e->events[i].told && !record)
			return -1;
		if (record)
			describe_event(&b, pp_attrs_at(old->attrs, i), record, attr_size);
	}
	size = pp_build_end(&b);
	return size && size <= PP_RECORD_MAX ? pp_writer_copy(w, e->buf, size, error) : 0;
}

static int tell_feature(struct pp_head *e, const struct pp_stored *kept, struct pp_writer *w,
			struct pp_error *error)
{
	const uint8_t *const data = bytes_of(e, kept, error);

	if (!data)
		return -1;
	/* the mark after the features is only a number, whichever that is */
	if (kept->size > PP_HEADER_SIZE + 8 &&
	    pp_load64(data + PP_HEADER_SIZE) == PP_FEAT_EVENT_DESC) {
		/* another one would say the same */
		if (e->desc_told)
			return 0;
		e->desc_told = true;
		return describe(e, kept, w, error);
	}
	return pp_writer_copy(w, data, kept->size, error);
}

static int tell_features(struct pp_head *e, struct pp_writer *w, struct pp_error *error)
{
	for (; e->features.first; let_go(e, &e->features))
		if (tell_feature(e, e->features.first->kept, w, error))
			return -1;
	return 0;
}

static struct told *told_at(struct pp_head *e, const struct pp_attr *a)
{
	return a && a->index < e->n_events ? &e->events[a->index] : NULL;
}

/* ---- Entries of ID_INDEX ---- */

static int take_entry(struct pp_head *e, struct due_ids *entry, struct pp_error *error)
{
	entry->told = true;
	if (PP_TAKE_GROW(e->keep->budget, &e->found, &e->room_found, e->n_found + 1))
		return no_memory_for_head(e, error);
	e->found[e->n_found++] = entry;
	return 0;
}

/* Finds the entries of an event. */
static int take_entries(struct pp_head *e, const struct pp_attr *a, struct pp_error *error)
{
	for (size_t i = 0; i < a->n_ids; i++) {
		struct pp_link *link = pp_table_find(&e->entries, a->ids[i]);

		for (; link && !((struct due_ids *)link)->told;
		     link = pp_table_same(link->next, a->ids[i]))
			if (take_entry(e, (struct due_ids *)link, error))
				return -1;
	}
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct due_ids *const x = *(struct due_ids *const *)a, *const y = *(struct due_ids *const *)b;

	if (x->of != y->of)
		return x->of->number < y->of->number ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Writes an ID_INDEX of some entries of one. */
static int write_index(struct pp_head *e, struct due_ids *const *found, size_t n, struct pp_writer *w,
		       struct pp_error *error)
{
	const struct pp_stored *const kept = found[0]->of->kept;
	const uint8_t *const data = bytes_of(e, kept, error);
	const uint32_t count = found[0]->of->count;
	uint8_t *to = e->buf + INDEX_HEAD;

	if (!data)
		return -1;
	for (size_t i = 0; i < n; i++, to += ENTRY)
		memcpy(to, data + INDEX_HEAD + found[i]->place * ENTRY, ENTRY);
	if (pp_fits_n(count, ENTRY + GUEST, kept->size - INDEX_HEAD))
		for (size_t i = 0; i < n; i++, to += GUEST)
			memcpy(to, data + INDEX_HEAD + count * ENTRY + found[i]->place * GUEST, GUEST);
	memcpy(e->buf, data, PP_HEADER_SIZE);
	pp_store16(e->buf + 6, (uint16_t)(to - e->buf));
	pp_store64(e->buf + PP_HEADER_SIZE, n);
	return pp_writer_copy(w, e->buf, (size_t)(to - e->buf), error);
}

/* Writes the entries that were taken, in the records and the order in which they came. */
static int write_entries(struct pp_head *e, struct pp_writer *w, struct pp_error *error)
{
	if (e->n_found > 1)
		qsort(e->found, e->n_found, sizeof(struct due_ids *), compare_entries);
	for (size_t at = 0, end; at < e->n_found; at = end) {
		end = at + 1;
		while (end < e->n_found && e->found[end]->of == e->found[at]->of)
			end++;
		if (write_index(e, e->found + at, end - at, w, error))
			return -1;
	}
	e->n_found = 0;
	return 0;
}

/* Where EVENT_DESC alone had the name of an event that comes late. */
static int tell_name(struct pp_head *e, const struct pp_attr *a, struct pp_writer *w,
		     struct pp_error *error)
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
	return size && size <= PP_RECORD_MAX ? pp_writer_copy(w, e->buf, size, error) : 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int tell_tracing(struct pp_head *e, struct pp_writer *w, struct pp_error *error)
{
	const uint64_t size = e->source ? 0 : pp_spool_end(&e->tracing);
	int status = e->source ? pp_sideband_write_tracing(e->source, w, error) : 0;

	for (uint64_t at = 0; at < size && !status; at += sizeof(e->buf)) {
		const size_t n = size - at < sizeof(e->buf) ? (size_t)(size - at) : sizeof(e->buf);

		status = pp_spool_read(&e->tracing, at, e->buf, n, error);
		if (!status)
			status = pp_writer_copy(w, e->buf, n, error);
	}
	pp_spool_close(&e->tracing);
	e->traces = false;
	return status;
}

/* What was said of the events that are being written. */
static int tell_rest(struct pp_head *e, const struct pp_attrs *attrs, bool late, struct pp_writer *w,
		     struct pp_error *error)
{
	for (size_t i = 0; i < e->n_due; i++)
		if (take_entries(e, pp_attrs_at(attrs, e->due[i]), error))
			return -1;
	if (write_entries(e, w, error))
		return -1;
	for (size_t i = 0; late && i < e->n_due; i++)
		if (tell_name(e, pp_attrs_at(attrs, e->due[i]), w, error))
			return -1;
	for (size_t i = 0; i < e->n_due; i++) {
		struct due_list *const updates = &e->events[e->due[i]].updates;

		for (; updates->first; let_go(e, updates))
			if (copy(e, updates->first->kept, w, error))
				return -1;
	}
	return 0;
}

/* Writes what announces the events that are due. */
static int announce_events(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		struct pp_error *error)
{
	const bool late = e->open;
	bool traced = false;

	if (e->n_due > 1)
		qsort(e->due, e->n_due, sizeof(*e->due), compare_numbers);
	for (size_t i = 0; i < e->n_due; i++) {
		struct told *const told = &e->events[e->due[i]];

		if (copy(e, told->attr, w, error))
			return -1;
		told->written = true;
		traced |= pp_attrs_at(attrs, e->due[i])->type == PP_TYPE_TRACEPOINT;
	}
	e->open = true;
	if (tell_features(e, w, error) || (traced && e->traces && tell_tracing(e, w, error)) ||
	    tell_rest(e, attrs, late, w, error))
		return -1;
	e->n_due = 0;
	return 0;
}

/* Ends the opening. */
static int open_stream(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
		       struct pp_error *error)
{
	int status;

	if (e->open)
		return 0;
	status = announce_events(e, attrs, w, error);
	if (!status)
		status = pp_writer_copy(w, e->opening.data, e->opening.size, error);
	pp_buffer_free(&e->opening);
	return status;
}

int pp_head_write(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		    struct pp_error *error)
{
	if (e->open)
		return pp_writer_copy(w, rec->data, rec->size, error);
	if (pp_buffer_add(&e->opening, rec->data, rec->size, error))
		return -1;
	e->begun |= rec->type < PP_USER_TYPES;
	return e->opening.size < WAITS ? 0 : open_stream(e, rec->attrs, w, error);
}

bool pp_head_closed(const struct pp_head *e)
{
	return !e->open;
}

/* ---- What is needed ---- */

static void make_due(struct pp_head *e, size_t which)
{
	if (e->events[which].told)
		return;
	e->events[which].told = true;
	e->due[e->n_due++] = (uint32_t)which;
}

/* An event, by its place; with a tracepoint come all that there are. */
static int need(struct pp_head *e, const struct pp_attrs *attrs, size_t which,
		struct pp_writer *w, struct pp_error *error)
{
	make_due(e, which);
	if (e->differ)
		make_due(e, 0);
	if (pp_attrs_at(attrs, which)->type == PP_TYPE_TRACEPOINT)
		for (; e->traced < e->n_events; e->traced++)
			if (pp_attrs_at(attrs, e->traced)->type == PP_TYPE_TRACEPOINT)
				make_due(e, e->traced);
	return e->open ? announce_events(e, attrs, w, error) : 0;
}

static int need_all_events(struct pp_head *e, const struct pp_attrs *attrs, struct pp_writer *w,
			     struct pp_error *error)
{
	if (e->all)
		return 0;
	e->all = true;
	for (size_t i = 0; i < e->n_events; i++)
		make_due(e, i);
	return e->open ? announce_events(e, attrs, w, error) : 0;
}

bool pp_head_told(const struct pp_head *e, const struct pp_attr *a)
{
	return a->index < e->n_events && e->events[a->index].told;
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
		return need_all_events(e, rec->attrs, w, error);
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
	if (PP_TAKE_GROW(e->keep->budget, &e->due, &e->room_due, e->n_events + 1) ||
	    PP_TAKE_GROW(e->keep->budget, &e->events, &e->room, e->n_events + 1))
		return no_memory_for_head(e, error);
	told = &e->events[e->n_events];
	*told = (struct told){ .attr = pp_stored_new(e->keep, rec, error) };
	if (!told->attr)
		return -1;
	e->n_events++;
	e->differ |= !alike(pp_attrs_at(rec->attrs, 0), pp_attrs_at(rec->attrs, e->n_events - 1));
	if (e->all)
		make_due(e, e->n_events - 1);
	if (e->all && e->open) {
		e->n_due = 0;
		told->written = true;
	}
	return told->written ? PP_KEEP : PP_DROP;
}

static int note_update(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		       struct pp_error *error)
{
	uint64_t id, type;
	const struct pp_attr *const a = pp_find_u64(rec, PP_IS_EVENT_ID, &id) ? by_id(rec->attrs, id) : NULL;
	struct told *const told = told_at(e, a);

	(void)w;
	if (!told)
		return PP_KEEP;
	if (pp_find_u64(rec, PP_IS_KIND, &type) && type == NAME)
		told->named = true;
	return told->written ? PP_KEEP : hold(e, &told->updates, rec, error);
}

static int note_index(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		      struct pp_error *error)
{
	struct index_of_ids *index;
	uint64_t n;

	if ((e->all && e->open) || !pp_fits(INDEX_HEAD, rec->size))
		return PP_KEEP;
	n = pp_load64(rec->data + PP_HEADER_SIZE);
	if (!pp_fits_n(n, ENTRY, rec->size - INDEX_HEAD))
		return PP_KEEP;
	index = pp_take(e->keep->budget, sizeof(*index) + n * sizeof(index->entries[0]));
	if (!index)
		return no_memory_for_head(e, error);
	index->next = e->indexes;
	index->number = e->indexes ? e->indexes->number + 1 : 0;
	index->count = (uint32_t)n;
	e->indexes = index;
	index->kept = pp_stored_new(e->keep, rec, error);
	if (!index->kept)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t id = pp_load64(rec->data + INDEX_HEAD + i * ENTRY);
		const struct told *const told = told_at(e, by_id(rec->attrs, id));

		index->entries[i] = (struct due_ids){ .link.key = id, .of = index, .place = i };
		/* of those that were written before, this is all that is new */
		if (told && told->written ? take_entry(e, &index->entries[i], error) :
		    pp_table_add(e->keep->budget, &e->entries, &index->entries[i].link) ?
		    no_memory_for_head(e, error) : 0)
			return -1;
	}
	return write_entries(e, w, error) ? -1 : PP_DROP;
}

static int note_feature(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
			struct pp_error *error)
{
	const uint64_t number = pp_fits(PP_HEADER_SIZE + 8, rec->size) ?
				pp_load64(rec->data + PP_HEADER_SIZE) : 0;

	if (number == PP_FEAT_EVENT_DESC && rec->size > PP_HEADER_SIZE + 8)
		e->described = true;
	if (number == PP_FEAT_GROUP_DESC && rec->size > PP_HEADER_SIZE + 8 &&
	    need_all_events(e, rec->attrs, w, error))
		return -1;
	return e->open ? PP_KEEP : hold(e, &e->features, rec, error);
}

/* One that comes after records with times is held elsewhere, with its tail: it passes. */
static int note_tracing(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
			struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	if (e->source && !rec->tail && !e->open) {
		e->traces = true;
		return PP_DROP;
	}
	if (e->open || e->begun || e->traces || !e->reader ||
	    pp_reader_stream(e->reader)->records != rec->index + 1) {
		for (size_t i = 0; i < e->n_events; i++)
			if (pp_attrs_at(rec->attrs, i)->type == PP_TYPE_TRACEPOINT &&
			    need(e, rec->attrs, i, w, error))
				return -1;
		return open_stream(e, rec->attrs, w, error) ? -1 : PP_KEEP;
	}
	if (pp_spool_open(&e->tracing, PIECE))
		return no_memory_for_head(e, error);
	e->traces = true;
	if (pp_spool_write(&e->tracing, rec->data, rec->size, error))
		return -1;
	while ((got = pp_reader_tail(e->reader, &piece, &size, error)) > 0)
		if (pp_spool_write(&e->tracing, piece, size, error))
			return -1;
	return got < 0 ? -1 : PP_DROP;
}

static int note_more(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		     struct pp_error *error)
{
	if (need_all_events(e, rec->attrs, w, error))
		return -1;
	return rec->tail && open_stream(e, rec->attrs, w, error) ? -1 : PP_KEEP;
}

/* A round before anything that could wait for it has no effect. */
static int note_round(struct pp_head *e, const struct pp_record *rec, struct pp_writer *w,
		      struct pp_error *error)
{
	/* names wait for nothing */
	if (e->open || !pp_is_round(rec) || pp_is_names(rec))
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

struct pp_head *pp_head_new(struct pp_record_store *keep, struct pp_reader *reader)
{
	struct pp_head *const e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->keep = keep;
	e->reader = reader;
	e->tracing.fd = -1;
	return e;
}

void pp_head_from(struct pp_head *e, struct pp_sideband *source)
{
	e->source = source;
}

void pp_head_free(struct pp_head *e)
{
	struct pp_budget *const b = e ? e->keep->budget : NULL;

	if (!e)
		return;
	while (e->features.first)
		let_go(e, &e->features);
	for (size_t i = 0; i < e->n_events; i++) {
		while (e->events[i].updates.first)
			let_go(e, &e->events[i].updates);
		pp_stored_drop(e->keep, e->events[i].attr);
	}
	while (e->indexes) {
		struct index_of_ids *const index = e->indexes;

		e->indexes = index->next;
		pp_stored_drop(e->keep, index->kept);
		pp_give_back(b, index, sizeof(*index) + index->count * sizeof(index->entries[0]));
	}
	pp_table_close(b, &e->entries);
	pp_give_back(b, e->found, e->room_found * sizeof(struct due_ids *));
	pp_give_back(b, e->due, e->room_due * sizeof(*e->due));
	pp_give_back(b, e->events, e->room * sizeof(*e->events));
	pp_spool_close(&e->tracing);
	pp_buffer_free(&e->opening);
	free(e);
}
