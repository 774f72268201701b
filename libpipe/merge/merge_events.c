/*
 * merge_events.c - the events of several streams as one list: joined where they are alike, ids
 * renumbered where they clash, and records rewritten so that a reader finds their event.
 */
#include "base/array.h"
#include "merge/merge.h"
#include "format/event_ids.h"
#include "format/format.h"

#include <stdlib.h>

enum {
	ATTR_LEAST = 64,              /* PERF_ATTR_SIZE_VER0 */
	NAME_ROOM  = 256,
	CONFIG     = 8,               /* where an attribute has it */
};

/* ---- Events of the inputs ---- */

int pp_union_open(struct pp_union *u)
{
	*u = (struct pp_union){ .next_id = 1 };
	u->record = malloc(PP_RECORD_MAX + 64);
	return u->record ? 0 : -1;
}

void pp_union_close(struct pp_union *u)
{
	for (size_t i = 0; i < u->n_events; i++) {
		free(u->events[i].attr);
		free(u->events[i].ids);
		free(u->events[i].name);
	}
	free(u->events);
	pp_idmap_close(&u->owners);
	free(u->record);
	pp_attrs_free(u->attrs);
}

void pp_member_close(struct pp_member *m)
{
	for (size_t i = 0; i < m->n_events; i++)
		free(m->events[i].attr);
	free(m->events);
	pp_idmap_close(&m->renamed);
	pp_idmap_close(&m->tracepoints);
}

static int no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

int pp_member_attr(struct pp_member *m, const struct pp_record *rec, struct pp_error *error)
{
	const size_t index = pp_attrs_count(m->attrs) - 1;
	const struct pp_attr *a = pp_attrs_at(m->attrs, index);
	struct pp_joined *events;

	if (!a || index != m->n_events || !pp_fits((uint64_t)a->size + PP_HEADER_SIZE, rec->size))
		return pp_fail(error, PP_E_VALUE, "its attribute");
	if (PP_GROW(&m->events, &m->events_room, m->n_events + 1, error))
		return -1;
	events = &m->events[m->n_events];
	*events = (struct pp_joined){ .size = a->size, .attr = malloc(a->size) };
	if (!events->attr)
		return no_memory(error);
	memcpy(events->attr, rec->data + PP_HEADER_SIZE, a->size);
	m->n_events++;
	return 0;
}

/* ---- Joining ---- */

/* What a name says beyond type and config; NULL: nothing. */
static const char *own_name(const struct pp_attr *a)
{
	char usual[NAME_ROOM];

	(void)pp_event_name(a->type, a->config, usual, sizeof(usual));
	return strcmp(a->name, usual) ? a->name : NULL;
}

/* Attributes are equal whatever the size that their perf knew: what is not there is zero. */
static bool same_attr(const uint8_t *a, uint32_t a_size, const uint8_t *b, uint32_t b_size)
{
	const uint32_t common = a_size < b_size ? a_size : b_size;
	const uint8_t *const longer = a_size < b_size ? b : a;
	const uint32_t most = a_size < b_size ? b_size : a_size;

	if (memcmp(a, b, 4) || memcmp(a + 8, b + 8, common - 8))
		return false;
	for (uint32_t i = common; i < most; i++)
		if (longer[i])
			return false;
	return true;
}

/* Room for ids in one HEADER_ATTR. */
static bool ids_fit(const struct pp_outevent *e, const struct pp_attr *a)
{
	const uint64_t room = (PP_RECORD_MAX - PP_HEADER_SIZE - e->size) / sizeof(uint64_t);

	return pp_fits(a->n_ids + 1, room) && pp_fits(e->n_ids, room - a->n_ids - 1);
}

static bool alike(const struct pp_outevent *e, const struct pp_joined *j, const struct pp_attr *a)
{
	const char *name = own_name(a);

	return same_attr(e->attr, e->size, j->attr, j->size) &&
	       (!name || !e->name || !strcmp(name, e->name)) && ids_fit(e, a);
}

static struct pp_outevent *add_event(struct pp_union *u, const struct pp_joined *j)
{
	struct pp_outevent *e;

	if (PP_GROW(&u->events, &u->events_room, u->n_events + 1, NULL))
		return NULL;
	e = &u->events[u->n_events];
	*e = (struct pp_outevent){ .size = j->size, .attr = malloc(j->size) };
	if (!e->attr)
		return NULL;
	memcpy(e->attr, j->attr, j->size);
	u->n_events++;
	return e;
}

/* Whether another member of the same host has this id of this event, under which number. */
static bool renamed_before(const struct pp_union *u, const struct pp_member *m, uint64_t mine,
			   uint64_t id, uint64_t *now)
{
	for (size_t i = 0; i < u->n_members; i++) {
		const struct pp_member *other = u->members[i];
		const uint64_t *name = other != m && other->host == m->host ?
				       pp_idmap_find(&other->renamed, id) : NULL;
		const uint64_t *owner = name ? pp_idmap_find(&u->owners, *name) : NULL;

		if (!owner || *owner != mine)
			continue;
		*now = *name;
		return true;
	}
	return false;
}

/* One more id of an event.  One that another event has already, or another host, becomes a new
 * number. */
static int add_id(struct pp_union *u, struct pp_member *m, uint32_t event, uint64_t id,
		  uint64_t *now)
{
	struct pp_outevent *e = &u->events[event];
	const uint64_t *owner = pp_idmap_find(&u->owners, id);
	const uint64_t mine = (uint64_t)m->host << 32 | event;

	*now = id;
	if (owner && *owner == mine)
		return 0;
	if (owner) {
		const bool known = renamed_before(u, m, mine, id, now);

		if (!known)
			*now = u->next_id++;
		if (pp_idmap_set(&m->renamed, id, *now))
			return -1;
		if (known)
			return 0;
	}
	if (PP_GROW(&e->ids, &e->ids_room, e->n_ids + 1, NULL))
		return -1;
	e->ids[e->n_ids++] = *now;
	return pp_idmap_set(&u->owners, *now, mine);
}

/* A tracepoint that has another number in the tracing data of the output. */
static void renumber_tracepoint(const struct pp_member *m, struct pp_joined *j)
{
	const uint64_t *now = NULL;

	if (pp_load32(j->attr) == PP_TYPE_TRACEPOINT)
		now = pp_idmap_find(&m->tracepoints, pp_load64(j->attr + CONFIG));
	if (now)
		pp_store64(j->attr + CONFIG, *now);
	j->renumber = pp_load32(j->attr) == PP_TYPE_TRACEPOINT && m->tracepoints.count;
}

static int join_event(struct pp_union *u, struct pp_member *m, size_t index, bool apart)
{
	struct pp_joined *j = &m->events[index];
	const struct pp_attr *a = pp_attrs_at(m->attrs, index);
	struct pp_outevent *e = NULL;
	const char *name = own_name(a);
	uint64_t now;

	renumber_tracepoint(m, j);
	for (size_t i = 0; !apart && i < u->n_events && !e; i++)
		if (u->events[i].from != m && alike(&u->events[i], j, a))
			e = &u->events[i];
	if (!e)
		e = add_event(u, j);
	if (!e)
		return -1;
	e->from = m;
	if (!e->name && name && !(e->name = strdup(name)))
		return -1;
	j->out = (uint32_t)(e - u->events);
	for (size_t i = 0; i < a->n_ids; i++) {
		if (add_id(u, m, j->out, a->ids[i], &now))
			return -1;
		if (!i)
			j->id = now;
	}
	if (a->n_ids)
		return 0;
	/* its records have to say something, should there be other events */
	return add_id(u, m, j->out, u->next_id++, &j->id);
}

/* ---- Where ids lie ---- */

static uint32_t trailer_bits(const struct pp_attr *a)
{
	return a->plan.trailer ? (uint32_t)a->sample_type &
	       (PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU |
		PP_SAMPLE_IDENTIFIER) : 0;
}

/* perf asks the first event where every record has its id: do all agree with it? */
static bool ids_agree(const struct pp_attrs *attrs)
{
	const struct pp_attr *first = pp_attrs_at(attrs, 0), *a;
	uint64_t any = 0;
	bool agree = true;

	for (size_t i = 0; (a = pp_attrs_at(attrs, i)); i++) {
		any |= a->sample_type;
		agree = agree && a->plan.id && a->plan.id == first->plan.id &&
			a->plan.t_id == first->plan.t_id && !a->plan.trailer == !first->plan.trailer;
	}
	return agree || !any;
}

/* Has the event's attribute say also `sample_type`, and, if `trails`, that it has trailers. */
static void ask_for(struct pp_outevent *e, uint64_t sample_type, bool trails, uint8_t *record)
{
	struct pp_record rec = { .data = record, .type = PP_REC_HEADER_ATTR,
				 .size = (uint16_t)(PP_HEADER_SIZE + e->size) };
	struct pp_cursor c;

	memcpy(record + PP_HEADER_SIZE, e->attr, e->size);
	pp_walk(&c, &rec);
	if (pp_walk_find(&c, PP_IS_SAMPLE_TYPE) == 1)
		pp_store64(c.data, c.value | sample_type);
	if (trails && pp_walk_find(&c, PP_IS_FLAGS) == 1)
		pp_store64(c.data, c.value | UINT64_C(1) << PP_FLAG_sample_id_all);
	memcpy(e->attr, record + PP_HEADER_SIZE, e->size);
}

static void identify(struct pp_outevent *e, uint8_t *record)
{
	ask_for(e, PP_SAMPLE_IDENTIFIER, true, record);
}

/* Whether it only counts, and has no samples. */
static bool counts(const struct pp_attr *a)
{
	return !a->sample_period && !(a->sample_type & ~(uint64_t)PP_SAMPLE_IDENTIFIER);
}

bool pp_member_counts(const struct pp_member *m)
{
	for (size_t i = 0; i < m->n_events; i++)
		if (!counts(pp_attrs_at(m->attrs, i)))
			return false;
	return m->n_events != 0;
}

/* Beside events with samples perf script wants those that only count to say that they have as much:
 * 1: one says so now, 0: there was no need. */
static int join_counters(struct pp_union *u)
{
	const struct pp_attr *sampled = NULL;
	int changed = 0;

	for (size_t i = 0; i < u->n_events && !sampled; i++)
		if (!counts(pp_attrs_at(u->attrs, i)))
			sampled = pp_attrs_at(u->attrs, i);
	for (size_t i = 0; i < u->n_events && sampled; i++) {
		if (!counts(pp_attrs_at(u->attrs, i)))
			continue;
		ask_for(&u->events[i], sampled->sample_type, false, u->record);
		changed = 1;
	}
	return changed;
}

static size_t build_attr(struct pp_union *u, const struct pp_outevent *e, size_t n_ids)
{
	struct pp_build b;

	pp_build(&b, u->record, PP_RECORD_MAX, PP_REC_HEADER_ATTR, 0, NULL);
	pp_build_bytes(&b, "attr", e->attr, e->size);
	pp_build_bytes(&b, "id", e->ids, n_ids * sizeof(*e->ids));
	return pp_build_end(&b);
}

size_t pp_union_attr(struct pp_union *u, size_t event)
{
	return build_attr(u, &u->events[event], u->events[event].n_ids);
}

/* Without its ids: `owners` has them, and there may be millions. */
static int note_event(struct pp_union *u, size_t event, struct pp_error *error)
{
	struct pp_record rec;

	if (!build_attr(u, &u->events[event], 0))
		return pp_fail(error, PP_E_FULL, "an event");
	return pp_record_at(&rec, u->record, PP_RECORD_MAX, error) ||
	       pp_attrs_note(u->attrs, &rec, error);
}

static int note_events(struct pp_union *u, struct pp_error *error)
{
	pp_attrs_free(u->attrs);
	u->attrs = pp_attrs_new();
	if (!u->attrs)
		return no_memory(error);
	for (size_t i = 0; i < u->n_events; i++)
		if (note_event(u, i, error))
			return -1;
	return 0;
}

/* Where samples of an event have ID, which may be there beside IDENTIFIER: at the same place in all,
 * so a sample of zeros shows it; 0: they have none. */
static uint8_t place_of_id(const struct pp_attr *a)
{
	uint8_t zeros[UINT8_MAX] = { 0 };
	struct pp_record rec = { .data = zeros, .type = PP_REC_SAMPLE, .size = sizeof(zeros), .attr = a };
	struct pp_cursor c;

	pp_walk(&c, &rec);
	return a->sample_type & PP_SAMPLE_ID && pp_walk_find(&c, PP_IS_EVENT_ID) == 1 ?
		       (uint8_t)(c.data - zeros) : 0;
}

/* Which records of a member need not be looked at, and where others have ids. */
static void find_untouched(const struct pp_union *u, struct pp_member *m)
{
	const struct pp_attr *first = pp_attrs_at(u->attrs, 0);
	const bool sure = u->n_events == 1 || m->n_events > 1;

	for (size_t i = 0; i < m->n_events; i++) {
		struct pp_joined *j = &m->events[i];
		const struct pp_attr *in = pp_attrs_at(m->attrs, i);
		const struct pp_attr *out = pp_attrs_at(u->attrs, j->out);
		const bool plain = sure && !m->renamed.count && !m->offset;

		j->id_at = place_of_id(out);
		j->reads = out->sample_type & PP_SAMPLE_READ && out->read_format & PP_READ_ID;
		j->sample_as_is = plain && !j->renumber && in->sample_type == out->sample_type;
		j->trailer_as_is = plain && trailer_bits(in) == trailer_bits(out) &&
				   trailer_bits(in) == trailer_bits(first);
	}
}

/* Makes next_id larger than its ids; how many there are. */
static size_t note_largest(struct pp_union *u, const struct pp_member *m)
{
	size_t n_ids = 0;

	for (size_t i = 0; i < m->n_events; i++) {
		const struct pp_attr *a = pp_attrs_at(m->attrs, i);

		n_ids += a->n_ids;
		for (size_t k = 0; k < a->n_ids; k++)
			if (a->ids[k] >= u->next_id && a->ids[k] < UINT64_MAX / 2)
				u->next_id = a->ids[k] + 1;
	}
	return n_ids;
}

static int join_member_events(struct pp_union *u, struct pp_member *m)
{
	for (size_t k = 0; k < m->n_events; k++)
		if (join_event(u, m, k, false))
			return -1;
	return 0;
}

/*
 * What perf itself made is read by the first event.  It should be one whose trailers have times,
 * since records about the beginning of an input get one; and if hosts are kept apart, one whose
 * trailers have processors, because only they show which host a map of a kernel belongs to.
 */
static unsigned rank(const struct pp_member *m, bool apart)
{
	const struct pp_attr *first = pp_attrs_at(m->attrs, 0);
	const uint32_t bits = first ? trailer_bits(first) : 0;

	return (apart && bits & PP_SAMPLE_CPU ? 2u : 0u) + (bits & PP_SAMPLE_TIME ? 1u : 0u);
}

static int join_ranked(struct pp_union *u, struct pp_member *const *members, size_t count)
{
	unsigned best = 0;
	bool apart = false;

	for (size_t i = 0; i < count; i++)
		apart |= members[i]->cpu != 0;
	for (size_t i = 0; i < count; i++)
		best = rank(members[i], apart) > best ? rank(members[i], apart) : best;
	for (size_t i = 0; i < count; i++)
		if (rank(members[i], apart) == best && join_member_events(u, members[i]))
			return -1;
	for (size_t i = 0; i < count; i++)
		if (rank(members[i], apart) != best && join_member_events(u, members[i]))
			return -1;
	return 0;
}

int pp_union_join(struct pp_union *u, struct pp_member *const *members, size_t count,
		  struct pp_error *error)
{
	size_t with_events = 0, n_ids = 0;

	u->members = members;
	u->n_members = count;
	for (size_t i = 0; i < count; i++) {
		n_ids += note_largest(u, members[i]);
		with_events += members[i]->n_events != 0;
	}
	/* in one step: growing needs the old and the new at a time; inputs of one host share theirs */
	if (pp_idmap_reserve(&u->owners, n_ids / (count ? count : 1)) || join_ranked(u, members, count))
		return no_memory(error);
	if (note_events(u, error))
		return -1;
	if (with_events > 1 && join_counters(u) && note_events(u, error))
		return -1;
	if (u->n_events > 1 && with_events > 1 && !ids_agree(u->attrs)) {
		u->identified = true;
		for (size_t i = 0; i < u->n_events; i++)
			identify(&u->events[i], u->record);
		if (note_events(u, error))
			return -1;
	}
	for (size_t i = 0; i < count; i++)
		find_untouched(u, members[i]);
	return 0;
}

int pp_union_late(struct pp_union *u, struct pp_member *m, struct pp_error *error)
{
	note_largest(u, m);
	if (join_event(u, m, m->n_events - 1, true))
		return no_memory(error);
	if (u->identified)
		identify(&u->events[u->n_events - 1], u->record);
	if (note_event(u, u->n_events - 1, error))
		return -1;
	find_untouched(u, m);
	return 0;
}

int pp_union_desc(struct pp_union *u, size_t *made, struct pp_error *error)
{
	struct pp_build b;
	uint32_t size = ATTR_LEAST;
	uint8_t *attr;

	for (size_t i = 0; i < u->n_events; i++)
		if (u->events[i].size > size)
			size = u->events[i].size;
	attr = malloc(size);
	if (!attr)
		return no_memory(error);
	pp_build_feature(&b, u->record, PP_RECORD_MAX, PP_FEAT_EVENT_DESC);
	pp_build_u64(&b, "nr", u->n_events);
	pp_build_u64(&b, "attr_size", size);
	for (size_t i = 0; i < u->n_events; i++) {
		const struct pp_outevent *e = &u->events[i];

		memset(attr, 0, size);
		memcpy(attr, e->attr, e->size);
		pp_build_open(&b, "events");
		pp_build_bytes(&b, "attr", attr, size);
		pp_build_u64(&b, "nr_ids", e->n_ids);
		pp_build_text(&b, "name", e->name ? e->name : pp_attrs_at(u->attrs, i)->name);
		pp_build_bytes(&b, "id", e->ids, e->n_ids * sizeof(*e->ids));
		pp_build_close(&b);
	}
	free(attr);
	*made = pp_build_end(&b);
	return 0;
}

/* ---- Records ---- */

static uint64_t new_id(const struct pp_member *m, uint64_t id)
{
	const uint64_t *now = pp_idmap_find(&m->renamed, id);

	return now ? *now : id;
}

uint64_t pp_member_time(const struct pp_member *m, uint64_t time)
{
	if (m->offset < 0 && time <= (uint64_t)-m->offset)
		return 1;
	return time + (uint64_t)m->offset;
}

static uint64_t shifted(struct pp_member *m, uint64_t time)
{
	uint64_t now;

	if (!time || time == UINT64_MAX)
		return time;
	now = pp_member_time(m, time);
	m->before += now == 1;
	return now;
}

/* Ids and times, wherever the tables say that there are some.  *trails: it ends in a trailer. */
static int patch(struct pp_member *m, const struct pp_record *rec, bool *trails,
		 struct pp_error *error)
{
	const bool clock = rec->type < PP_USER_TYPES || rec->type == PP_REC_AUXTRACE_ERROR;
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token == PP_OPEN && c.field == &pp_field_sample_id)
			*trails = true;
		if (token != PP_VALUE || c.width != sizeof(uint64_t))
			continue;
		for (uint32_t i = 0; c.field->show == PP_ID && i < c.count; i++)
			pp_store64(c.data + i * c.width, new_id(m, pp_walk_u64(&c, i)));
		if (clock && c.field->show == PP_TIME && c.count == 1)
			pp_store64(c.data, shifted(m, c.value));
	}
	if (token < 0 && error)
		*error = c.error;
	return token < 0 ? -1 : 0;
}

static size_t refuse(const struct pp_record *rec, struct pp_error *error, enum pp_code code,
		     const char *why)
{
	pp_fail(error, code, "%s", why);
	pp_error_at(error, rec->offset, rec->index, rec->type);
	return 0;
}

/* The event that an id of the input means; without one, or with one that is not known, `a`. */
static const struct pp_joined *meant(const struct pp_union *u, const struct pp_member *m,
				     const struct pp_attr *a, uint64_t id, uint64_t *now)
{
	const struct pp_attr *known = id ? pp_attrs_by_id(m->attrs, id) : NULL;
	const struct pp_joined *j = &m->events[known ? known->index : a->index];

	*now = known || u->n_events == 1 ? new_id(m, id) : j->id;
	return j;
}

/* Raw data begin with the number of the tracepoint, 16 bits in the order of the producer. */
static void renumber_raw(const struct pp_member *m, const struct pp_record *rec)
{
	struct pp_cursor c;
	const uint64_t *now;
	uint16_t id;

	pp_walk(&c, rec);
	if (pp_walk_find(&c, PP_IS_RAW) != 1 || c.count < sizeof(id))
		return;
	id = pp_load16(c.data);
	now = pp_idmap_find(&m->tracepoints, pp_order16(id, m->foreign));
	if (now)
		pp_store_order16(c.data, (uint16_t)*now, m->foreign);
}

/* An id at a place of the record; 0: it has none there. */
static void rename_at(const struct pp_member *m, const struct pp_record *rec, size_t at)
{
	if (at && m->renamed.count && pp_fits(at + sizeof(uint64_t), rec->size))
		pp_store64(rec->data + at, new_id(m, pp_load64(rec->data + at)));
}

static size_t rewrite_sample(struct pp_union *u, struct pp_member *m, const struct pp_record *rec,
			     uint8_t *to, struct pp_error *error)
{
	const struct pp_attr *in = rec->attr, *out;
	const struct pp_joined *j;
	struct pp_record made = *rec;
	uint64_t id = 0, now, time;
	size_t gap;
	bool trails;

	(void)pp_id(rec, &id);
	j = meant(u, m, in, id, &now);
	out = pp_attrs_at(u->attrs, j->out);
	gap = out->sample_type & ~in->sample_type & PP_SAMPLE_IDENTIFIER ? sizeof(id) : 0;
	if (!pp_fits(gap, PP_RECORD_MAX - rec->size))
		return refuse(rec, error, PP_E_FULL, "the id that has to be added");
	memcpy(to, rec->data, PP_HEADER_SIZE);
	memcpy(to + PP_HEADER_SIZE + gap, rec->data + PP_HEADER_SIZE, rec->size - PP_HEADER_SIZE);
	made.data = to;
	made.size = (uint16_t)(rec->size + gap);
	made.attr = out;
	made.attrs = u->attrs;
	pp_store16(to + 6, made.size);
	if (gap)
		pp_store64(to + PP_HEADER_SIZE, id);
	if (j->reads && m->renamed.count) {
		if (patch(m, &made, &trails, error))
			return 0;
	} else {
		rename_at(m, &made, j->id_at);
		rename_at(m, &made, out->plan.stream_id);
		if (m->offset && pp_time(&made, &time))
			pp_store64(to + out->plan.time, shifted(m, time));
	}
	if (out->plan.id && pp_fits(out->plan.id + sizeof(now), made.size))
		pp_store64(to + out->plan.id, now);
	if (j->renumber && out->sample_type & PP_SAMPLE_RAW)
		renumber_raw(m, &made);
	return made.size;
}

/* The words of a trailer, in their order. */
static const uint32_t words[] = {
	PP_SAMPLE_TID, PP_SAMPLE_TIME, PP_SAMPLE_ID, PP_SAMPLE_STREAM_ID, PP_SAMPLE_CPU,
	PP_SAMPLE_IDENTIFIER,
};
enum {
	WORDS = sizeof(words) / sizeof(*words),
	W_TIME = 1, W_ID = 2, W_STREAM = 3, W_CPU = 4, W_IDENTIFIER = 5,
};

/*
 * Replaces the trailer by one as the record's event has it in the output; `id` is what it said
 * before ids were changed.  What perf made up has neither id nor time: it is read by the first
 * event.
 */
static size_t new_trailer(const struct pp_union *u, const struct pp_member *m,
			  const struct pp_attr *in, uint64_t id, uint8_t *to, size_t size)
{
	const uint32_t had = trailer_bits(in);
	const struct pp_attr *out = pp_attrs_at(u->attrs, 0);
	uint64_t value[WORDS] = { 0 }, now = 0;
	uint8_t *at = to + size - in->plan.trailer;
	uint32_t has;

	size -= in->plan.trailer;
	for (size_t i = 0; i < WORDS; i++) {
		if (!(had & words[i]))
			continue;
		value[i] = pp_load64(at);
		at += sizeof(*value);
	}
	if (id || value[W_TIME])
		out = pp_attrs_at(u->attrs, meant(u, m, in, id, &now)->out);
	value[W_ID] = value[W_IDENTIFIER] = now;
	if (!(had & PP_SAMPLE_STREAM_ID))
		value[W_STREAM] = now;
	if (!(had & PP_SAMPLE_CPU))
		pp_store32((uint8_t *)&value[W_CPU], m->cpu);
	has = trailer_bits(out);
	if (!pp_fits(out->plan.trailer, PP_RECORD_MAX - size))
		return 0;
	for (size_t i = 0; i < WORDS; i++) {
		if (!(has & words[i]))
			continue;
		pp_store64(to + size, value[i]);
		size += sizeof(*value);
	}
	pp_store16(to + 6, (uint16_t)size);
	return size;
}

/* A record whose id no event of its input has: it must not become another input's. */
static size_t pass_orphan(const struct pp_union *u, const struct pp_member *m,
			  const struct pp_record *rec, uint8_t *to, struct pp_error *error)
{
	const struct pp_attr *in = pp_attrs_at(m->attrs, 0), *out = pp_attrs_at(u->attrs, 0);
	struct pp_record first = *rec;
	uint64_t id = 0;

	first.attr = in;
	if (in && (!pp_id(&first, &id) || pp_idmap_find(&u->owners, id) ||
		   in->plan.id != out->plan.id || trailer_bits(in) != trailer_bits(out)))
		return refuse(rec, error, PP_E_ATTR, "it cannot be merged with the events of the others");
	memcpy(to, rec->data, rec->size);
	return rec->size;
}

static size_t rewrite_other(struct pp_union *u, struct pp_member *m, const struct pp_record *rec,
			    uint8_t *to, struct pp_error *error)
{
	const bool kernel = rec->type < PP_USER_TYPES;
	const struct pp_type *type = pp_type(rec->type);
	const struct pp_attr *in = kernel ? rec->attr : pp_attrs_at(m->attrs, 0);
	struct pp_record made = *rec;
	uint64_t id = 0, of;
	bool trails = kernel;
	size_t size;

	memcpy(to, rec->data, rec->size);
	made.data = to;
	if (kernel)
		(void)pp_id(rec, &id);
	if ((m->renamed.count || m->offset || (type && type->words & PP_TRAILS)) &&
	    patch(m, &made, &trails, error))
		return 0;
	if (rec->type == PP_REC_EVENT_UPDATE && m->n_events == 1 && pp_find_u64(&made, PP_IS_EVENT_ID, &of) &&
	    !pp_idmap_find(&u->owners, of)) {
		struct pp_cursor c;

		pp_walk(&c, &made);
		if (pp_walk_find(&c, PP_IS_EVENT_ID) == 1)
			pp_store64(c.data, m->events[0].id);
	}
	if (!in || !trails)
		return rec->size;
	size = new_trailer(u, m, in, id, to, rec->size);
	return size ? size : refuse(rec, error, PP_E_FULL, "the id that has to be added");
}

size_t pp_union_rewrite(struct pp_union *u, struct pp_member *m, const struct pp_record *rec,
			uint8_t *to, struct pp_error *error)
{
	const bool kernel = rec->type < PP_USER_TYPES, sample = rec->type == PP_REC_SAMPLE;
	const struct pp_joined *j = rec->attr ? &m->events[rec->attr->index] : NULL;

	if (kernel && !j)
		return pass_orphan(u, m, rec, to, error);
	if (kernel && (sample ? j->sample_as_is : j->trailer_as_is)) {
		memcpy(to, rec->data, rec->size);
		return rec->size;
	}
	if (kernel && rec->size < PP_HEADER_SIZE + (sample ? 0 : rec->attr->plan.trailer))
		return refuse(rec, error, PP_E_FIELD, "its trailer");
	return sample ? rewrite_sample(u, m, rec, to, error) : rewrite_other(u, m, rec, to, error);
}
