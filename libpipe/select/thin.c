/* thin.c - which samples stay, and the periods of those that do not; what they lose is lean_sample.c's. */
#include "select/lean_sample.h"
#include "select/shed_samples.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/sized_options.h"

#include <perfpipe/seal.h>
#include <perfpipe/walk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GROUPS_MOST = 1 << 20,        /* events and CPUs that a hostile stream may make us keep */
	SAID_MOST = 400,              /* of what earlier stages said */
};
static const uint64_t SECOND = 1000000000;
static const char *const part_names[] = { "user-stack", "regs", "raw", "branches", "callchain", "addr",
					  "aux" };
static const uint32_t ALL_CPUS = UINT32_MAX;

/* The samples of an event on a CPU. */
struct thin_group {
	uint64_t sum;                 /* periods since the last one that stays */
	uint64_t slot, waiting;       /* of that one; how many since */
	bool begun;
};

struct pp_thin {
	struct pp_thin_options how;
	struct lean_rule rule;
	struct pp_thin_stats stats;
	struct pp_idmap places;       /* of groups */
	struct thin_group *groups;
	size_t n_groups, groups_room;
	uint64_t interval;            /* ns, of a rate */
	bool chosen;                  /* the sample that comes next stays ... */
	uint64_t chosen_period;       /* ... with this period */
	bool noted;
	char before[SAID_MOST];       /* what an earlier stage said */
	struct pp_shed *shed;         /* of a live output, or NULL */
	uint8_t *buffer;
};

const char *pp_thin_part(size_t i)
{
	return i < sizeof(part_names) / sizeof(*part_names) ? part_names[i] : NULL;
}

struct pp_thin *pp_thin_new(const struct pp_thin_options *given, struct pp_error *error)
{
	struct pp_thin *const t = calloc(1, sizeof(*t));

	if (!t) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	t->buffer = malloc(PP_RECORD_MAX + 1);
	if (!t->buffer)
		(void)pp_fail(error, PP_E_NOMEM, NULL);
	if (!t->buffer || pp_options_take(&t->how, sizeof(t->how), given, error)) {
		pp_thin_free(t);
		return NULL;
	}
	t->interval = t->how.rate ? SECOND / t->how.rate : 0;
	t->interval += !t->interval;
	t->rule = (struct lean_rule){ t->how.drop, t->how.max_stack, t->how.every > 1 || t->how.rate };
	return t;
}

void pp_thin_free(struct pp_thin *t)
{
	if (!t)
		return;
	pp_shed_free(t->shed);
	pp_idmap_close(&t->places);
	free(t->groups);
	free(t->buffer);
	free(t);
}

int pp_thin_live(struct pp_thin *t, struct pp_reader *in, struct pp_writer *out, int fd)
{
	t->shed = pp_shed_new(in, out, fd);
	return t->shed ? 0 : -1;
}

int pp_thin_end(struct pp_thin *t, struct pp_error *error)
{
	return t->shed ? pp_shed_write(t->shed, error) : 0;
}

const struct pp_thin_stats *pp_thin_stats(struct pp_thin *t)
{
	t->stats.after_last = 0;
	for (size_t i = 0; i < t->n_groups; i++)
		t->stats.after_last += t->groups[i].waiting;
	return &t->stats;
}

/* ---- Which samples ---- */

/* 1 and *group; 0: there are too many; -1: no memory. */
static int find_group(struct pp_thin *t, const struct pp_record *rec, struct thin_group **group)
{
	uint32_t cpu = ALL_CPUS;
	const uint64_t *place;
	uint64_t key;

	(void)pp_cpu(rec, &cpu);
	key = (uint64_t)rec->attr->index << 32 | cpu;
	place = pp_idmap_find(&t->places, key);
	if (!place) {
		if (t->n_groups == GROUPS_MOST)
			return 0;
		if (PP_GROW_ZEROED(&t->groups, &t->groups_room, t->n_groups + 1, NULL) ||
		    pp_idmap_set(&t->places, key, t->n_groups))
			return -1;
		*group = &t->groups[t->n_groups++];
		return 1;
	}
	*group = &t->groups[*place];
	return 1;
}

static bool is_next(const struct pp_thin *t, struct thin_group *group, const struct pp_record *rec)
{
	uint64_t time, slot;

	if (!t->how.rate)
		return group->waiting + 1 >= t->how.every;
	/* times of what perf adds up off the CPU are numbers */
	if (!pp_time(rec, &time) || time >= PP_OFF_CPU_NUMBERS)
		return true;
	slot = time / t->interval;
	if (group->begun && slot == group->slot)
		return false;
	group->slot = slot;
	return group->begun = true;
}

/* Whether a sample stays, and its period: 1, 0, or -1: no memory. */
static int choose_sample(struct pp_thin *t, const struct pp_record *rec, uint64_t *period)
{
	struct thin_group *group;
	uint64_t own = 0;
	int got = t->shed ? pp_shed_sample(t->shed, rec) : 0;

	if (got < 0)
		return -1;
	t->stats.samples++;
	t->stats.lost += (uint64_t)got;
	if (got)
		return 0;
	if (!t->rule.period || !rec->attr)
		return 1;
	(void)pp_sample_period(rec, &own);
	*period = own;
	got = find_group(t, rec, &group);
	if (got <= 0)
		return got < 0 ? -1 : 1;
	group->sum = group->sum > UINT64_MAX - own ? UINT64_MAX : group->sum + own;
	if (!is_next(t, group, rec)) {
		group->waiting++;
		t->stats.bytes += rec->size;
		return 0;
	}
	*period = group->sum;
	group->sum = group->waiting = 0;
	return 1;
}

/* In place, if it is there. */
static void put_period(const struct pp_thin *t, struct pp_record *rec, uint64_t period)
{
	uint64_t own;

	if (t->rule.period && pp_period(rec, &own) && own != period)
		pp_store64(rec->data + rec->attr->plan.period, period);
}

/* A sample that finds no room stays in the period of the next. */
static int lacks_room(struct pp_thin *t, const struct pp_record *rec, uint64_t period, struct pp_error *error)
{
	struct thin_group *group;

	t->stats.unfit++;
	switch (find_group(t, rec, &group)) {
	case 1:
		group->sum = period;
		group->waiting++;
		return PP_DROP;
	case 0:
		return PP_DROP;
	default:
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
}

static int make_lean(struct pp_thin *t, struct pp_record *rec, uint64_t period, struct pp_writer *out,
		     struct pp_error *error)
{
	const uint16_t size = pp_lean_make(&t->rule, rec, period, t->buffer, &t->stats, error);

	if (!size)
		return error->code ? -1 : lacks_room(t, rec, period, error);
	t->stats.kept++;
	if (size > rec->size)
		return pp_writer_copy(out, t->buffer, size, error) ? -1 : PP_DROP;
	memcpy(rec->data, t->buffer, size);
	rec->size = size;
	return PP_KEEP;
}

static int judge_sample(struct pp_thin *t, struct pp_record *rec, struct pp_writer *out,
			struct pp_error *error)
{
	uint64_t period = t->chosen_period;
	const int stays = t->chosen ? 1 : choose_sample(t, rec, &period);

	t->chosen = false;
	if (stays < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!stays)
		return PP_DROP;
	put_period(t, rec, period);
	if (pp_lean_changes(&t->rule, rec))
		return make_lean(t, rec, period, out, error);
	t->stats.kept++;
	return PP_KEEP;
}

uint32_t pp_thin_batch(struct pp_thin *t, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	struct pp_record rec;
	uint64_t period = 0;

	for (uint32_t i = from; i < batch->count; i++) {
		int stays;

		pp_batch_record(batch, i, &rec);
		stays = choose_sample(t, &rec, &period);
		/* what fails here fails there again */
		if (stays < 0)
			return i;
		keep[i] = stays;
		if (!stays)
			continue;
		if (pp_lean_changes(&t->rule, &rec)) {
			t->chosen = true;
			t->chosen_period = period;
			return i;
		}
		put_period(t, &rec, period);
		t->stats.kept++;
	}
	return batch->count;
}

/* ---- Other records ---- */

static bool is_of_aux(const struct pp_record *rec)
{
	uint64_t feature;

	return pp_type_is(rec->type, PP_AUX_TRACE) ||
	       (pp_find_feature(rec, &feature) && feature == PP_FEAT_AUXTRACE);
}

static bool leaves_out(struct pp_thin *t, const struct pp_record *rec)
{
	const unsigned part = rec->type == PP_REC_CALLCHAIN_DEFERRED ? PP_THIN_CALLCHAIN :
			      is_of_aux(rec) ? PP_THIN_AUX : PP_THIN_PARTS;

	if (part == PP_THIN_PARTS || !(t->how.drop >> part & 1))
		return false;
	t->stats.part_bytes[part] += rec->size + rec->tail;
	return true;
}

/* What a stage before says counts, too. */
static void take_notes(struct pp_thin *t, const struct pp_record *rec)
{
	struct pp_note note;
	size_t at = 0;

	while (pp_note_next(rec, &at, &note)) {
		const size_t length = note.value_length < SAID_MOST / 2 ? note.value_length : SAID_MOST / 2;

		if (note.key_length == strlen(PP_NOTE_THIN) &&
		    !memcmp(note.key, PP_NOTE_THIN, note.key_length))
			(void)snprintf(t->before, sizeof(t->before), "%.*s; ", (int)length, note.value);
	}
}

static int write_thin_note(struct pp_thin *t, struct pp_writer *out, struct pp_error *error)
{
	char text[2 * SAID_MOST];

	t->noted = true;
	(void)snprintf(text, sizeof(text), "%s%.*s", t->before, SAID_MOST, t->how.said);
	return pp_writer_note(out, PP_NOTE_THIN, text, strlen(text), error);
}

int pp_thin_judge(struct pp_thin *t, struct pp_record *rec, struct pp_writer *out, struct pp_error *error)
{
	uint64_t feature;

	if (pp_is_note(rec))
		take_notes(t, rec);
	else if (!t->noted && rec->type != PP_REC_FINISHED_ROUND && write_thin_note(t, out, error))
		return -1;
	if (rec->type == PP_REC_SAMPLE)
		return judge_sample(t, rec, out, error);
	if (t->shed && pp_is_round(rec) && pp_shed_write(t->shed, error))
		return -1;
	if (leaves_out(t, rec))
		return PP_DROP;
	if (rec->type == PP_REC_HEADER_ATTR ||
	    (pp_find_feature(rec, &feature) && feature == PP_FEAT_EVENT_DESC))
		pp_lean_attrs(&t->rule, rec);
	return PP_KEEP;
}
