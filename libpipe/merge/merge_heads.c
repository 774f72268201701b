/*
 * merge_heads.c - what comes before the records of a merge: the heads of all inputs, kept until all are
 * complete, and one head made from them: notes, events, features, tracing data.
 */
#include "base/array.h"
#include "format/payload.h"
#include "merge/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t SECOND = 1000000000;

/* ---- Reading ---- */

/* What of an input is kept until all inputs have come so far.  1: this record, 0: it is the first
 * that is not, -1. */
static int take_head(struct pp_merge_input *in, const struct pp_record *rec, struct pp_error *error)
{
	const struct pp_payload *const payload = pp_payload_of(rec);
	struct pp_seal seal;

	if (payload && payload->describes)
		return pp_head_keep(&in->notes, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_seal(rec, &seal) && !seal.number;
	if (rec->type == PP_REC_HEADER_ATTR)
		return pp_member_attr(&in->member, rec, error) ? -1 : 1;
	if (rec->type == PP_REC_HEADER_FEATURE)
		return pp_head_keep(&in->features, rec->data, rec->size, error) ? -1 : 1;
	/* tracing data and features may come later; a single input keeps its order */
	if (rec->type == PP_REC_EVENT_UPDATE && in->merge->count > 1)
		return pp_head_keep(&in->updates, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type == PP_REC_HEADER_EVENT_TYPE)
		return pp_head_keep(&in->old_names, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type != PP_REC_HEADER_TRACING_DATA)
		return 0;
	return pp_merge_input_tail(in, &in->tracing, error) < 0 ? -1 : 1;
}

/* How long to wait for an input that has begun, ms: 0: no longer. */
static int wait_for(const struct pp_merge *m, const struct pp_merge_input *in, uint64_t quiet_since)
{
	const uint64_t waited = pp_merge_clock() - quiet_since;
	/* it is worth waiting for a head that comes in pieces: what comes after it is lost */
	const uint64_t patience = m->options.patience > SECOND ? m->options.patience : SECOND;

	/* without its events nothing can be written: these are waited for, however long it takes */
	if (!in->member.n_events || m->options.patience == UINT64_MAX)
		return -1;
	if (waited >= patience)
		return 0;
	return (int)((patience - waited) / 1000000 % 60000) + 1;
}

/* *quiet_since: when any input was heard last. */
static int read_head(struct pp_merge_input *in, uint64_t *quiet_since, struct pp_error *error)
{
	int got, ms, taken = 1;

	while (taken > 0) {
		got = pp_merge_input_next(in, &in->first, error);
		if (got == PP_NOT_YET) {
			ms = wait_for(in->merge, in, *quiet_since);
			if (!ms)
				return 0;
			pp_merge_input_wait(in, ms);
			continue;
		}
		if (got <= 0)
			return got;
		*quiet_since = pp_merge_clock();
		taken = take_head(in, &in->first, error);
	}
	in->has_first = !taken;
	return taken;
}

/* ---- Features of the inputs ---- */

/* The input whose features are used: the first that has any. */
static struct pp_merge_input *teller(const struct pp_merge *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->inputs[i]->features.size)
			return m->inputs[i];
	return m->inputs[0];
}

/* What the features of the output say and this input does not. */
static void compare_features(const struct pp_merge *m, const struct pp_merge_input *base,
			     const struct pp_merge_input *in)
{
	static const uint32_t deciding[] = {
		PP_FEAT_HOSTNAME, PP_FEAT_OSRELEASE, PP_FEAT_ARCH, PP_FEAT_NRCPUS, PP_FEAT_CPUID,
	};
	char names[160] = "";

	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++) {
		const size_t at = strlen(names);

		if (!pp_merge_input_same_feature(base, in, deciding[i]))
			snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
				 pp_feature(deciding[i])->name);
	}
	if (*names)
		pp_merge_say(m, in->index, "%s not as in %s, whose header is kept", names,
			     base->stream->name);
}

/* ---- Clocks ---- */

/* The kernel's own, as an id. */
static const int64_t SCHED_CLOCK = INT64_MAX;
enum { REALTIME = 0 };                /* CLOCK_REALTIME, in an attribute and in CLOCK_DATA */

/* The clock of an input's times, by its first event; false: it has none. */
static bool clock_of(const struct pp_merge_input *in, int64_t *id)
{
	const struct pp_attr *a = pp_attrs_at(in->member.attrs, 0);

	if (a)
		*id = pp_attr_flag(a, PP_FLAG_use_clockid) ? a->clockid : SCHED_CLOCK;
	return a != NULL;
}

/* How far the wall clock was ahead of this one. */
static bool clock_data(const struct pp_merge_input *in, int64_t id, int64_t *to_wall)
{
	struct pp_record rec;
	uint64_t clock;

	return pp_merge_input_feature(in, PP_FEAT_CLOCK_DATA, &rec) &&
	       pp_clock_data(&rec, &clock, to_wall) && (int64_t)(int32_t)clock == id;
}

/*
 * The times of another host, or of another clock, are shifted by the difference of the wall clocks;
 * if these are unknown, the inputs cannot be merged: 0, or -1 and *error.
 *
 *	wall clock    ----|------------------|-------------------*---->
 *	base's clock      0 ----------------------------------- t       t + there
 *	input's clock                        0 ---------------- u       u + wall: t = u + (wall - there)
 */
static int align_clock(const struct pp_merge *m, const struct pp_merge_input *base, struct pp_merge_input *in,
		       struct pp_error *error)
{
	const bool here = pp_merge_input_same_feature(base, in, PP_FEAT_HOSTNAME);
	int64_t one, other, there, wall;

	if (in->shifted || base->shifted || !clock_of(base, &one) || !clock_of(in, &other) ||
	    (one == other && (here || one == REALTIME)))
		return 0;
	if (!clock_data(base, one, &there) || !clock_data(in, other, &wall)) {
		pp_merge_say_hint(m, in->index, PP_HINT_ONE_CLOCK, "cannot be merged with %s: it is from "
				  "another %s, and the clocks cannot be aligned", base->stream->name,
				  here ? "clock" : "host");
		return pp_fail(error, PP_E_USE, "clocks");
	}
	in->member.offset = wall - there;
	pp_merge_say(m, in->index, "from another %s: its times are moved by %" PRId64
		     " ns, as the wall clocks show", here ? "clock" : "host", in->member.offset);
	return 0;
}

/* ---- Features of the output ---- */

static int make_cpus(struct pp_merge *m, const struct pp_merge_input *base, size_t *size,
		     struct pp_error *error)
{
	uint64_t avail = m->cpus, online = m->online, number;
	struct pp_record rec;
	struct pp_build b;

	(void)base;
	(void)error;
	for (size_t i = 0; i < m->count && !m->cpus; i++) {
		if (!pp_merge_input_feature(m->inputs[i], PP_FEAT_NRCPUS, &rec))
			continue;
		if (pp_get_u64(&rec, "nr_cpus_avail", &number) && number > avail)
			avail = number;
		if (pp_get_u64(&rec, "nr_cpus_online", &number) && number > online)
			online = number;
	}
	pp_build_feature(&b, m->events.record, PP_RECORD_MAX, PP_FEAT_NRCPUS);
	pp_build_u64(&b, "nr_cpus_avail", avail);
	pp_build_u64(&b, "nr_cpus_online", online);
	*size = pp_build_end(&b);
	return 0;
}

/* From the first sample of all to the last; left out if one is unknown. */
static int make_sample_time(struct pp_merge *m, const struct pp_merge_input *base, size_t *size,
			    struct pp_error *error)
{
	uint64_t first = UINT64_MAX, last = 0, from, to;
	struct pp_record rec;
	struct pp_build b;

	(void)base;
	(void)error;
	for (size_t i = 0; i < m->count; i++) {
		if (!pp_merge_input_feature(m->inputs[i], PP_FEAT_SAMPLE_TIME, &rec) ||
		    !pp_get_u64(&rec, "first", &from) || !pp_get_u64(&rec, "last", &to))
			return 0;
		from = from ? pp_member_time(&m->inputs[i]->member, from) : 0;
		to = to ? pp_member_time(&m->inputs[i]->member, to) : 0;
		first = from < first ? from : first;
		last = to > last ? to : last;
	}
	pp_build_feature(&b, m->events.record, PP_RECORD_MAX, PP_FEAT_SAMPLE_TIME);
	pp_build_u64(&b, "first", first);
	pp_build_u64(&b, "last", last);
	*size = pp_build_end(&b);
	return 0;
}

static int make_desc(struct pp_merge *m, const struct pp_merge_input *base, size_t *size,
		     struct pp_error *error)
{
	if (pp_union_desc(&m->events, size, error))
		return -1;
	if (!*size)
		pp_merge_say(m, base->index,
			     "the list of all events does not fit in a record: it is left out");
	return 0;
}

struct merged_groups {
	struct merged_group { char name[256]; uint64_t leader, members; } *items;
	size_t count, room;
};

/* One group, by the ordinals that its events have now; one whose events do not follow each other
 * any more, or that is there already, is left out.  0, or -1: out of memory. */
static int add_event_group(struct merged_groups *g, const struct pp_member *of, struct merged_group found)
{
	if (!found.members || !pp_fits(found.leader, of->n_events) ||
	    !pp_fits(found.members, of->n_events - found.leader))
		return 0;
	for (uint64_t i = 1; i < found.members; i++)
		if (of->events[found.leader + i].out != of->events[found.leader].out + i)
			return 0;
	found.leader = of->events[found.leader].out;
	for (size_t i = 0; i < g->count; i++)
		if (g->items[i].leader == found.leader)
			return 0;
	if (PP_GROW(&g->items, &g->room, g->count + 1, NULL))
		return -1;
	g->items[g->count++] = found;
	return 0;
}

static int add_groups(struct merged_groups *g, const struct pp_merge_input *in)
{
	struct merged_group found = { .leader = 0 };
	struct pp_record rec;
	struct pp_cursor c;

	if (!pp_merge_input_feature(in, PP_FEAT_GROUP_DESC, &rec))
		return 0;
	pp_walk(&c, &rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE)
			continue;
		if (!strcmp(c.field->name, "name")) {
			size_t length;
			const char *text = pp_walk_text(&c, &length);

			length = length < sizeof(found.name) ? length : sizeof(found.name) - 1;
			memcpy(found.name, text, length);
			found.name[length] = 0;
		} else if (!strcmp(c.field->name, "leader_idx")) {
			found.leader = c.value;
		} else if (!strcmp(c.field->name, "nr_members")) {
			found.members = c.value;
			if (add_event_group(g, &in->member, found))
				return -1;
		}
	}
	return 0;
}

static int make_groups(struct pp_merge *m, const struct pp_merge_input *base, size_t *size,
		       struct pp_error *error)
{
	struct merged_groups g = { .count = 0 };
	struct pp_build b;
	int status = 0;

	(void)base;
	for (size_t i = 0; !status && i < m->count; i++)
		status = add_groups(&g, m->inputs[i]);
	pp_build_feature(&b, m->events.record, PP_RECORD_MAX, PP_FEAT_GROUP_DESC);
	pp_build_u64(&b, "nr", g.count);
	for (size_t i = 0; i < g.count; i++) {
		pp_build_open(&b, "groups");
		pp_build_text(&b, "name", g.items[i].name);
		pp_build_u64(&b, "leader_idx", g.items[i].leader);
		pp_build_u64(&b, "nr_members", g.items[i].members);
		pp_build_close(&b);
	}
	free(g.items);
	*size = g.count ? pp_build_end(&b) : 0;
	return status ? pp_merge_no_memory(error) : 0;
}

/* Features that are not those of the first input that has them, but made of all. */
static const struct {
	uint32_t number;
	/* To events.record: 0 and *size, which may be 0, or -1. */
	int (*make)(struct pp_merge *, const struct pp_merge_input *base, size_t *size, struct pp_error *);
} combined[] = {
	{ PP_FEAT_NRCPUS, make_cpus },
	{ PP_FEAT_EVENT_DESC, make_desc },
	{ PP_FEAT_GROUP_DESC, make_groups },
	{ PP_FEAT_SAMPLE_TIME, make_sample_time },
};
enum { COMBINED = sizeof(combined) / sizeof(*combined) };

static size_t combine(const struct pp_merge *m, uint64_t number)
{
	size_t i = 0;

	while (m->count > 1 && i < COMBINED && combined[i].number != number)
		i++;
	return m->count > 1 ? i : COMBINED;
}

static int write_combined(struct pp_merge *m, const struct pp_merge_input *base, size_t which,
			  struct pp_error *error)
{
	size_t size = 0;

	if (combined[which].make(m, base, &size, error))
		return -1;
	return size ? pp_merge_write(m, m->events.record, size, error) : 0;
}

/* What is said of processors by their numbers is kept only where it is true of all inputs. */
static bool is_untrue(const struct pp_merge *m, const struct pp_merge_input *base, uint64_t number)
{
	static const uint32_t numbered[] = {
		PP_FEAT_CPU_TOPOLOGY, PP_FEAT_NUMA_TOPOLOGY, PP_FEAT_CACHE, PP_FEAT_MEM_TOPOLOGY,
		PP_FEAT_HYBRID_TOPOLOGY, PP_FEAT_CPU_DOMAIN_INFO,
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++)
		found |= numbered[i] == number;
	for (size_t i = 0; found && i < m->count; i++)
		if (m->cpus || !pp_merge_input_same_feature(base, m->inputs[i], number) ||
		    !pp_merge_input_same_feature(base, m->inputs[i], PP_FEAT_NRCPUS))
			return true;
	return false;
}

static int write_features(struct pp_merge *m, const struct pp_merge_input *base, struct pp_error *error)
{
	struct pp_record rec;
	uint64_t number = 0;

	/* the base does not say it, another does */
	for (size_t i = 0; i < COMBINED && m->count > 1; i++) {
		bool said = false;

		for (size_t k = 0; k < m->count; k++)
			said |= pp_merge_input_feature(m->inputs[k], combined[i].number, &rec);
		if (said && !pp_merge_input_feature(base, combined[i].number, &rec) &&
		    write_combined(m, base, i, error))
			return -1;
	}
	for (size_t at = 0; pp_head_each(&base->features, &at, &rec);) {
		const bool empty = !pp_find_feature(&rec, &number) || rec.size <= 16;
		const size_t which = empty ? COMBINED : combine(m, number);
		int status = 0;

		if (which < COMBINED)
			status = write_combined(m, base, which, error);
		else if (empty || !is_untrue(m, base, number))
			status = pp_merge_write(m, rec.data, rec.size, error);
		if (status)
			return -1;
	}
	return 0;
}

/* ---- Tracing data ---- */

/* The record: its data are to follow. */
static int write_tracing(struct pp_merge *m, uint64_t size, struct pp_error *error)
{
	struct pp_build b;
	uint8_t record[32];

	pp_build(&b, record, sizeof(record), PP_REC_HEADER_TRACING_DATA, 0, NULL);
	pp_build_u64(&b, "size", size);
	pp_build_u64(&b, "pad", 0);
	m->tracing_written = true;
	return pp_merge_write(m, record, pp_build_end(&b), error);
}

/* That of one input, as it is. */
static int pass_tracing(struct pp_merge *m, struct pp_merge_input *in, struct pp_error *error)
{
	const uint64_t size = pp_spool_end(&in->tracing);
	size_t piece;

	if (write_tracing(m, size, error))
		return -1;
	for (uint64_t at = 0; at < size; at += piece) {
		piece = size - at < PP_PIECE ? (size_t)(size - at) : PP_PIECE;
		if (pp_spool_read(&in->tracing, at, m->piece, piece, error))
			return -1;
		if (pp_writer_copy(m->writer, m->piece, piece, error))
			return -1;
	}
	return 0;
}

/* 1: they are equal, 0, -1. */
static int same_tracing(const struct pp_merge *m, struct pp_spool *a, struct pp_spool *b,
			struct pp_error *error)
{
	const uint64_t size = pp_spool_end(a);
	uint8_t *const other = m->events.record;
	size_t piece;

	if (size != pp_spool_end(b))
		return 0;
	for (uint64_t at = 0; at < size; at += piece) {
		piece = size - at < PP_PIECE ? (size_t)(size - at) : PP_PIECE;
		if (pp_spool_read(a, at, m->piece, piece, error) || pp_spool_read(b, at, other, piece, error))
			return -1;
		if (memcmp(m->piece, other, piece) != 0)
			return 0;
	}
	return 1;
}

/* What became of the tracepoints of an input whose tracing data are these. */
static int note_moved(struct pp_merge *m, struct pp_merge_input *in, const struct pp_idmap *moved,
		      struct pp_error *error)
{
	m->stats.tracepoints += moved->count;
	for (size_t i = 0; i < moved->room; i++)
		if (moved->keys[i] != UINT64_MAX &&
		    pp_idmap_set(&in->member.tracepoints, moved->keys[i], moved->values[i]))
			return pp_merge_no_memory(error);
	return 0;
}

/* The tracing data of all inputs: `n` different ones; of[i] is which one an input has. */
struct tracings {
	struct pp_blob *blobs;
	size_t *of;
	struct pp_merge_input **from;       /* the first that has it */
	size_t n;
	uint8_t *joined;              /* where there are several */
	size_t size;
};

static void free_tracings(struct tracings *t)
{
	for (size_t i = 0; t->blobs && i < t->n; i++) {
		pp_idmap_close(&t->blobs[i].moved);
		free(t->blobs[i].data);
	}
	free(t->blobs);
	free(t->of);
	free(t->from);
	free(t->joined);
}

static int find_tracings(struct pp_merge *m, struct tracings *t, struct pp_error *error)
{
	t->blobs = calloc(m->count, sizeof(*t->blobs));
	t->of = calloc(m->count, sizeof(*t->of));
	t->from = calloc(m->count, sizeof(struct pp_merge_input *));
	if (!t->blobs || !t->of || !t->from)
		return pp_merge_no_memory(error);
	for (size_t i = 0; i < m->count; i++) {
		struct pp_merge_input *in = m->inputs[i];
		int same = 0;

		if (!pp_spool_end(&in->tracing))
			continue;
		for (t->of[i] = 0; t->of[i] < t->n; t->of[i]++) {
			same = same_tracing(m, &t->from[t->of[i]]->tracing, &in->tracing, error);
			if (same)
				break;
		}
		if (same < 0)
			return -1;
		if (!same)
			t->from[t->n++] = in;
	}
	return 0;
}

/* Several have to be in memory at once. */
static int load_tracings(struct pp_merge *m, struct tracings *t, struct pp_error *error)
{
	uint64_t left = m->options.limit ? m->options.limit : UINT64_C(256) << 20;

	for (size_t i = 0; i < t->n; i++) {
		const uint64_t size = pp_spool_end(&t->from[i]->tracing);

		if (!pp_fits(size, left)) {
			pp_merge_say_hint(m, t->from[i]->index, PP_HINT_MEMORY, "cannot be merged with %s: "
					  "their tracing data differ, and need more memory to be joined than "
					  "the limit allows", t->from[0]->stream->name);
			return pp_fail(error, PP_E_USE, "tracing data");
		}
		left -= size;
		t->blobs[i].data = malloc(size);
		t->blobs[i].size = (size_t)size;
		if (!t->blobs[i].data)
			return pp_merge_no_memory(error);
		if (pp_spool_read(&t->from[i]->tracing, 0, t->blobs[i].data, (size_t)size, error))
			return -1;
	}
	return 0;
}

/* One of all, where there are several. */
static int join_tracings(struct pp_merge *m, struct tracings *t, struct pp_error *error)
{
	size_t culprit = 0;
	int status = find_tracings(m, t, error);

	if (status || t->n < 2)
		return status;
	status = load_tracings(m, t, error);
	if (status)
		return status;
	status = pp_tracing_join(t->blobs, t->n, &t->joined, &t->size, &culprit, error);
	if (status && error->code == PP_E_USE)
		pp_merge_say(m, t->from[culprit]->index, "cannot be merged with %s: %s",
			     t->from[0]->stream->name, error->detail);
	for (size_t i = 0; !status && i < m->count; i++)
		if (pp_spool_end(&m->inputs[i]->tracing))
			status = note_moved(m, m->inputs[i], &t->blobs[t->of[i]].moved, error);
	return status;
}

static int write_tracings(struct pp_merge *m, const struct tracings *t, struct pp_error *error)
{
	if (!t->joined)
		return t->n ? pass_tracing(m, t->from[0], error) : 0;
	if (write_tracing(m, t->size, error))
		return -1;
	return pp_writer_copy(m->writer, t->joined, t->size, error);
}

/* ---- The head of the output ---- */

static int write_kept(struct pp_merge *m, const struct pp_buffer *b, struct pp_error *error)
{
	struct pp_record rec;

	for (size_t at = 0; pp_head_each(b, &at, &rec);)
		if (pp_merge_write(m, rec.data, rec.size, error))
			return -1;
	return 0;
}

/* Whether an input before this one has the same note. */
static bool is_noted_again(const struct pp_merge *m, size_t input, const struct pp_record *note)
{
	struct pp_record rec;

	for (size_t i = 0; i < input; i++)
		for (size_t at = 0; pp_head_each(&m->inputs[i]->notes, &at, &rec);)
			if (rec.size == note->size && !memcmp(rec.data, note->data, rec.size))
				return true;
	return false;
}

/* Of equal keys the last counts: so the first input's come last. */
static int write_notes(struct pp_merge *m, struct pp_error *error)
{
	struct pp_record rec;

	for (size_t i = m->count; i--;)
		for (size_t at = 0; pp_head_each(&m->inputs[i]->notes, &at, &rec);)
			if (!is_noted_again(m, i, &rec) && !(m->renoted && pp_is_host_note(&rec)) &&
			    pp_merge_write(m, rec.data, rec.size, error))
				return -1;
	for (size_t i = 0; m->renoted && i < m->n_hosts; i++)
		if (pp_host_write(m->writer, i, &m->hosts[i], error))
			return -1;
	return 0;
}

static int write_event(struct pp_merge *m, size_t event, struct pp_error *error)
{
	const size_t size = pp_union_attr(&m->events, event);

	if (!size)
		return pp_fail(error, PP_E_FULL, "ids of an event");
	return pp_merge_write(m, m->events.record, size, error);
}

static int write_head(struct pp_merge *m, const struct tracings *tracings, struct pp_error *error)
{
	const struct pp_merge_input *base = teller(m);
	bool sealed = false;

	for (size_t i = 0; i < m->count; i++)
		sealed |= m->inputs[i]->stream->sealed ||
			  strcmp(m->inputs[i]->stream->container, "stream");
	if (pp_writer_header(m->writer, sealed, error) || write_notes(m, error))
		return -1;
	for (size_t i = 0; i < m->events.n_events; i++)
		if (write_event(m, i, error))
			return -1;
	if (write_features(m, base, error))
		return -1;
	for (size_t i = 0; i < m->count; i++)
		if (write_kept(m, &m->inputs[i]->old_names, error))
			return -1;
	return write_tracings(m, tracings, error);
}

/* What the inputs say of their hosts and clocks. */
static int compare_inputs(struct pp_merge *m, struct pp_error *error)
{
	struct pp_merge_input *const base = teller(m);

	for (size_t i = 0; i < m->count; i++) {
		if (m->inputs[i] == base)
			continue;
		compare_features(m, base, m->inputs[i]);
		if (align_clock(m, base, m->inputs[i], error))
			return -1;
	}
	return pp_merge_hosts(m, error);
}

static int join_all_events(struct pp_merge *m, struct pp_error *error)
{
	int status;

	m->members = calloc(m->count, sizeof(struct pp_member *));
	if (!m->members)
		return pp_merge_no_memory(error);
	for (size_t i = 0; i < m->count; i++) {
		m->members[i] = &m->inputs[i]->member;
		m->inputs[i]->counts = pp_member_counts(m->members[i]);
	}
	status = pp_union_join(&m->events, m->members, m->count, error);
	for (size_t i = 0; i < m->count; i++)
		m->stats.renamed += m->inputs[i]->member.renamed.count;
	m->stats.identified = m->events.identified;
	return status;
}

int pp_merge_heads(struct pp_merge *m, struct pp_error *error)
{
	uint64_t quiet_since = pp_merge_clock();
	struct tracings tracings = { .n = 0 };
	int status;

	for (size_t i = 0; i < m->count; i++)
		if (read_head(m->inputs[i], &quiet_since, error) < 0)
			return -1;
	status = compare_inputs(m, error);
	if (!status)
		status = join_tracings(m, &tracings, error);
	if (!status)
		status = join_all_events(m, error);
	if (!status)
		status = write_head(m, &tracings, error);
	free_tracings(&tracings);
	for (size_t i = 0; i < m->count; i++)
		pp_spool_close(&m->inputs[i]->tracing);
	return status;
}

/* ---- What came too late for it ---- */

static int write_late_event(struct pp_merge_input *in, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_merge *const m = in->merge;

	if (pp_member_attr(&in->member, rec, error) ||
	    pp_union_late(&m->events, &in->member, error))
		return -1;
	return write_event(m, m->events.n_events - 1, error);
}

int pp_merge_late_head(struct pp_merge_input *in, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_merge *const m = in->merge;
	struct pp_seal seal;

	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_seal(rec, &seal) && (!seal.number || seal.flags & PP_SEAL_END);
	if (rec->type == PP_REC_HEADER_FEATURE)
		return in != teller(m);
	if (rec->type == PP_REC_HEADER_ATTR)
		return write_late_event(in, rec, error) ? -1 : 1;
	if (rec->type != PP_REC_HEADER_TRACING_DATA)
		return 0;
	if (m->tracing_written) {
		struct pp_error late = { .code = PP_OK };

		pp_fail(&late, PP_E_VALUE, "other tracing data were written before: dropped");
		pp_error_at(&late, rec->offset, rec->index, rec->type);
		pp_merge_damaged(in, &late);
		return 1;
	}
	switch (pp_merge_input_tail(in, &in->tracing, error)) {
	case 0: return pass_tracing(m, in, error) ? -1 : 1;
	case 1: return 1;
	default: return -1;
	}
}
