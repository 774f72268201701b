/* stream_to_profile.c - a stream on its way into a profile. */
#include "fold/stream_to_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/facts.h"
#include "shared/preload_names.h"

struct stacks_options stacks_options = {
	.fold = { .size = sizeof(stacks_options.fold), .late_names = true },
	.symbols = { .size = sizeof(stacks_options.symbols), .isolate = true },
	.memory = UINT64_C(1) << 30,
};

static struct {
	struct pp_session *names;
	struct pp_profile *profile;   /* where all goes, but where events have one each */
	struct stacks_event events[STACKS_EVENTS];
	size_t n_events;
	struct stacks_event before;   /* of the stream that was read first, where times are kept */
	struct { uint64_t from, to; } ends[PP_PROFILE_SIDES];
	bool each;
	const struct pp_attr *met;    /* of the last sample, */
	struct stacks_event *at;      /* and where its samples go; NULL: nowhere */
	uint64_t passed;              /* samples that went nowhere */
	struct {                      /* the sample before this one, if it is of who woke a thread */
		struct pp_record rec; /* its data are a copy */
		size_t room;
		bool there;
		uint64_t all;
	} waker;
	char *event;                  /* whose samples they are; NULL: not known yet */
	uint64_t samples, noted;
	uint64_t left_out;            /* what stacks weighed that were dropped */
} state;

const char *stacks_parse_weight(void *target, const char *value)
{
	static const char *const names[] = {
		[PP_FOLD_PERIOD] = "period", [PP_FOLD_COUNT] = "count", [PP_FOLD_TIME] = "time",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i])) {
			*(enum pp_fold_weight *)target = i;
			return NULL;
		}
	return "is not period, count or time";
}

struct pp_profile *stacks_profile(void)
{
	if (!state.profile && (state.profile = pp_profile_new()) && stacks_options.in_order)
		pp_profile_keep_order(state.profile);
	return state.profile;
}

static int open_names(struct run *run)
{
	stacks_options.fold.no_inline = stacks_options.symbols.no_inline;
	if (!stacks_profile())
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	state.names = names_open(run, &stacks_options.symbols, stacks_options.tasks, 0);
	return state.names ? 0 : -1;
}

static void close_event(struct stacks_event *e)
{
	pp_fold_free(e->fold);
	pp_timeline_free(e->cells);
	pp_sample_times_free(e->times);
	if (e->profile != state.profile)
		pp_profile_free(e->profile);
	free(e->name);
}

static int open_event(const char *name, struct pp_profile *profile, bool timed, struct pp_error *error)
{
	struct stacks_event *const e = &state.events[state.n_events++];
	struct pp_fold_options how = stacks_options.fold;

	*e = (struct stacks_event){ .profile = profile };
	if (name) {
		e->name = strdup(name);
		how.event = e->name;
	}
	if (timed && stacks_options.every_sample)
		e->times = pp_sample_times_new();
	else if (timed)
		e->cells = pp_timeline_new();
	how.threads |= timed;
	if (profile && (e->name || !name) && (e->times || e->cells || !timed))
		e->fold = pp_fold_new(&how, pp_session_tasks(state.names), pp_session_symbols(state.names),
				      profile);
	if (e->fold)
		return 0;
	close_event(e);
	state.n_events--;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

int stacks_start(struct run *run, bool timed)
{
	state.ends[stacks_options.fold.side].from = state.ends[stacks_options.fold.side].to = 0;
	return open_names(run) || open_event(stacks_options.fold.event, state.profile, timed, &run->error) ?
	       -1 : 0;
}

int stacks_start_events(struct run *run)
{
	state.each = true;
	stacks_options.symbols.lines_of_files = stacks_options.fold.lines = !stacks_options.symbols.no_inline;
	return open_names(run);
}

struct pp_tasks *stacks_tasks(void)
{
	return pp_session_tasks(state.names);
}

struct pp_symbols *stacks_symbols(void)
{
	return pp_session_symbols(state.names);
}

int stacks_early(struct run *run, const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND ? pp_session_learn(state.names, rec, &run->error) : 0;
}

/* Nodes of its profile are others now. */
static int renumber(struct stacks_event *e, const uint32_t *places, struct pp_error *error)
{
	if (e->cells)
		pp_timeline_renumber(e->cells, places);
	if (state.before.cells && e->profile == state.before.profile)
		pp_timeline_renumber(state.before.cells, places);
	return e->times ? pp_sample_times_renumber(e->times, places, error) : 0;
}

/* Half of what stacks have is free again once the lightest are dropped, of the event that has most. */
static int bound_memory(struct pp_error *error)
{
	struct stacks_event *most = NULL;
	uint64_t size = 0, largest = 0, left_out;
	uint32_t *places;
	size_t n;
	int status;

	for (struct stacks_event *e = state.events; e < state.events + state.n_events; e++) {
		const uint64_t own = pp_fold_size(e->fold);

		most = own > largest ? e : most;
		largest = own > largest ? own : largest;
		size += own;
	}
	if (!most || size <= stacks_options.memory)
		return 0;
	n = pp_profile_nodes(most->profile);
	places = calloc(n, sizeof(*places));
	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_fold_lighten(most->fold, places, &left_out, error);
	if (!status)
		status = renumber(most, places, error);
	if (!status && stacks_options.settled)
		status = stacks_options.settled(most, places, n, error);
	state.left_out += status ? 0 : left_out;
	free(places);
	return status;
}

/* ---- which event a sample is of */

/* *event: NULL, where there are too many, or another one is asked for. */
static int meet_event(const struct pp_attr *attr, struct stacks_event **event, struct pp_error *error)
{
	const char *const asked = stacks_options.fold.event;

	*event = NULL;
	if (asked && !pp_fold_is_asked(asked, attr->name))
		return 0;
	/* all that a glob asks for go to one place */
	for (size_t i = 0; i < state.n_events && !*event; i++)
		if (asked || !strcmp(state.events[i].name, attr->name))
			*event = &state.events[i];
	if (*event || state.n_events == STACKS_EVENTS)
		return 0;
	/* the first one has the profile that is there anyway */
	if (open_event(asked ? asked : attr->name, state.n_events ? pp_profile_new() : state.profile,
		       !stacks_options.timeless, error))
		return -1;
	*event = &state.events[state.n_events - 1];
	(*event)->place = attr->index;
	return 0;
}

/* A sample that has the values of a group is one of each of its events. */
static bool of_group(const struct pp_attr *attr)
{
	return attr->sample_type & PP_SAMPLE_READ && attr->read_format & PP_READ_GROUP;
}

static int meet_sample(const struct pp_record *rec, struct pp_error *error)
{
	struct stacks_event *one;

	if (!state.each || rec->attr == state.met)
		return 0;
	state.met = rec->attr;
	state.at = NULL;
	if (!rec->attr)
		return 0;
	for (size_t i = 0; rec->attrs && of_group(rec->attr) && i < pp_attrs_count(rec->attrs); i++)
		if (pp_attrs_at(rec->attrs, i)->sample_type & PP_SAMPLE_READ &&
		    meet_event(pp_attrs_at(rec->attrs, i), &one, error))
			return -1;
	return meet_event(rec->attr, &state.at, error);
}

static void note_time(uint64_t time)
{
	uint64_t *const from = &state.ends[stacks_options.fold.side].from;
	uint64_t *const to = &state.ends[stacks_options.fold.side].to;

	*from = time && (time < *from || !*from) ? time : *from;
	*to = time > *to ? time : *to;
}

/* When what a sample is of began.  Waits are sampled at their ends; those that perf adds up have a
 * number in place of a time: 0. */
static uint64_t begin_of(const struct pp_record *rec, uint64_t time)
{
	uint64_t own, wait;

	if (!rec->attr || !pp_fold_of_waits(rec->attr) || !pp_time(rec, &own) || own != time)
		return time;
	if (time >= PP_OFF_CPU_NUMBERS)
		return 0;
	return pp_sample_period(rec, &wait) && wait < time ? time - wait : time;
}

static int note_sample_time(struct stacks_event *e, const struct pp_folded *folded, uint64_t begin,
			    struct pp_error *error)
{
	if (folded->anew)
		pp_sample_times_clear(e->times);
	/* that of a time whose end is not known yet */
	if (stacks_options.fold.weight == PP_FOLD_TIME && !folded->weight)
		return 1;
	return pp_sample_times_add(e->times, begin, folded->thread, folded->node, folded->weight, error) ?
	       -1 : 1;
}

/* Whether it is a sample of who woke a thread, which goes before that of the wait. */
static bool keep_waker(const struct pp_record *rec)
{
	if (!stacks_options.fold.wakers || !rec->attr || !pp_fold_of_wakers(rec->attr))
		return false;
	if (rec->size > state.waker.room) {
		state.waker.rec.data = cli_grow(state.waker.rec.data, rec->size, 1);
		state.waker.room = rec->size;
	}
	memcpy(state.waker.rec.data, rec->data, rec->size);
	state.waker.rec = (struct pp_record){
		.data = state.waker.rec.data, .type = rec->type, .misc = rec->misc, .size = rec->size,
		.attr = rec->attr, .attrs = rec->attrs,
	};
	state.waker.there = true;
	state.waker.all++;
	return true;
}

/* Whether that is whom a sample is of: its address is the thread, where it has one. */
static bool is_woken_by(const struct pp_record *rec, const struct pp_record *waker)
{
	uint64_t time = 0, of_waker = 0, woken = 0;
	uint32_t pid, tid = 0;

	return pp_time(rec, &time) && pp_time(waker, &of_waker) && time == of_waker &&
	       pp_task(rec, &pid, &tid) && (!pp_addr(waker, &woken) || woken == tid);
}

/* 1: it was taken; 0: not; -1 and run->error. */
static int note(struct run *run, struct stacks_event *e, const struct pp_record *rec)
{
	struct pp_folded folded;
	uint64_t begin;
	int got = 0;

	if (state.waker.there && rec->type == PP_REC_SAMPLE && is_woken_by(rec, &state.waker.rec) &&
	    pp_fold_note_waker(e->fold, &state.waker.rec, &run->error))
		return -1;
	if (!e->refused)
		got = pp_fold_note(e->fold, rec, &folded, &run->error);
	if (got < 0 && state.each && run->error.code == PP_E_USE) {
		e->refused = true;
		e->why = run->error;
		return 0;
	}
	if (got <= 0)
		return got;
	if (stacks_options.folded && stacks_options.folded(e, &folded, &run->error))
		return -1;
	if (folded.anew)
		memset(&state.ends[stacks_options.fold.side], 0, sizeof(*state.ends));
	begin = begin_of(rec, folded.time);
	note_time(begin);
	note_time(begin ? folded.time : 0);
	if (e->times)
		return note_sample_time(e, &folded, begin, &run->error);
	if (!e->cells)
		return got;
	if (folded.anew)
		pp_timeline_clear(e->cells);
	return begin && pp_timeline_add(e->cells, begin, folded.thread, folded.node, folded.weight,
					&run->error) ? -1 : 1;
}

int stacks_record(struct run *run, struct pp_record *rec)
{
	const bool sample = rec->type == PP_REC_SAMPLE;
	bool taken = false;

	if (!sample && pp_session_note(state.names, rec, &run->error))
		return -1;
	if (sample && keep_waker(rec))
		return 0;
	if (sample && meet_sample(rec, &run->error))
		return -1;
	for (struct stacks_event *e = state.events; e < state.events + state.n_events; e++) {
		int got;

		if (sample && state.each && e != state.at && !(rec->attr && of_group(rec->attr)))
			continue;
		got = note(run, e, rec);
		if (got < 0)
			return -1;
		taken |= got || e->refused;
	}
	state.passed += sample && !taken;
	state.waker.there &= !sample;
	return !taken || ++state.noted % 1024 ? 0 : bound_memory(&run->error);
}

int stacks_bound(struct pp_profile *profile, struct pp_script_text *text, struct pp_error *error)
{
	uint32_t *places;
	uint64_t left_out;
	int status;

	if (pp_profile_size(profile) <= stacks_options.memory)
		return 0;
	places = calloc(pp_profile_nodes(profile), sizeof(*places));
	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = text ? pp_script_text_lighten(text, places, &left_out, error) :
			pp_profile_lighten(profile, pp_profile_nodes(profile) / 2, &left_out, error);
	state.left_out += status ? 0 : left_out;
	free(places);
	return status;
}

/* What has its name only now. */
static int settle(struct stacks_event *e, struct pp_error *error)
{
	const size_t n = pp_profile_nodes(e->profile);
	uint32_t *const places = calloc(n, sizeof(*places));
	bool moved = false;
	int status;

	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_fold_settle(e->fold, places, error);
	for (size_t i = 0; i < n && !status; i++)
		moved |= places[i] != i;
	if (moved && !status)
		status = renumber(e, places, error);
	if (moved && !status && stacks_options.settled)
		status = stacks_options.settled(e, places, n, error);
	free(places);
	return status;
}

void stacks_renumber(const struct pp_profile *profile, const uint32_t *places)
{
	bool done = false;

	for (struct stacks_event *e = state.events; e < state.events + state.n_events && !done; e++) {
		done = e->profile == profile;
		if (done)
			(void)renumber(e, places, NULL);
	}
}

/* The name of the event outlives the stream. */
static int note_unit(const char *event, struct pp_error *error)
{
	char *both;

	if (!event || (state.event && !strcmp(state.event, event)))
		return 0;
	if (!state.event) {
		state.event = strdup(event);
		return state.event ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
	}
	cli_warn("samples of %s are compared with samples of %s", state.event, event);
	if (asprintf(&both, "%s / %s", state.event, event) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	free(state.event);
	state.event = both;
	return 0;
}

int stacks_note_stats(const char *name, const struct pp_fold_stats *stats, bool damaged,
		      struct pp_error *error)
{
	if (!stats->samples && stats->others && stacks_options.fold.event)
		cli_warn("%s: there are no samples of %s in it", name, stacks_options.fold.event);
	else if (!stats->samples && !damaged)
		cli_warn("%s: there are no samples in it", name);
	else if (stats->samples && stats->others && !stacks_options.fold.event)
		cli_warn("%" PRIu64 " sample%s of other events than %s %s left out: --event chooses",
			 stats->others, cli_plural(stats->others), stats->event,
			 stats->others == 1 ? "is" : "are");
	if (stats->no_chain)
		cli_note("%" PRIu64 " sample%s no call chain: only %s own function is known", stats->no_chain,
			 stats->no_chain == 1 ? " has" : "s have", stats->no_chain == 1 ? "its" : "their");
	if (stats->endless)
		cli_warn("%" PRIu64 " sample%s nothing: when %s thread ran again was lost", stats->endless,
			 stats->endless == 1 ? " weighs" : "s weigh", stats->endless == 1 ? "its" : "their");
	state.samples += stats->samples;
	return note_unit(stats->event, error);
}

static int by_description(const void *a, const void *b)
{
	const struct stacks_event *const x = a, *const y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* Keeps the events that have samples, in their order; one stays, whatever it has. */
static int keep_events(struct pp_error *error)
{
	size_t kept = 0;

	if (!state.n_events && open_event(NULL, state.profile, !stacks_options.timeless, error))
		return -1;
	qsort(state.events, state.n_events, sizeof(*state.events), by_description);
	for (size_t i = 0; i < state.n_events; i++)
		kept += state.events[i].samples && !state.events[i].refused;
	for (size_t i = 0; i < state.n_events && !kept; i++)
		if (state.events[i].refused) {
			*error = state.events[i].why;
			return -1;
		}
	for (size_t i = kept = 0; i < state.n_events; i++) {
		struct stacks_event *const e = &state.events[i];
		char why[300];

		if (e->refused) {
			cli_error_text(&e->why, why, sizeof(why));
			cli_warn("%s", why);
		}
		if ((e->samples && !e->refused) || (!kept && i + 1 == state.n_events))
			state.events[kept++] = *e;
		else
			close_event(e);
	}
	state.n_events = kept;
	return 0;
}

/* After names have come. */
static int count_nameless(struct run *run, const struct stacks_event *e)
{
	uint64_t stacks, nameless;

	if (pp_fold_nameless(e->fold, &stacks, &nameless, &run->error))
		return -1;
	run->shown.all += stacks;
	run->shown.nameless += nameless;
	return 0;
}

int stacks_end(struct run *run)
{
	struct pp_fold_stats all = { 0 };

	run->shown.all = run->shown.nameless = 0;
	for (struct stacks_event *e = state.events; e < state.events + state.n_events; e++) {
		struct pp_fold_stats stats;

		if (settle(e, &run->error) || count_nameless(run, e))
			return -1;
		pp_fold_forget(e->fold);
		pp_fold_stats(e->fold, &stats);
		e->samples = stats.samples;
		all.samples += stats.samples;
		all.others += state.each ? 0 : stats.others;
		all.no_chain += stats.no_chain;
		all.endless += stats.endless;
	}
	if (state.each && keep_events(&run->error))
		return -1;
	if (state.each && stacks_options.fold.event)
		all.others = state.passed;
	else if (state.each && all.samples && state.passed)
		cli_warn("%" PRIu64 " sample%s of other events than the first %d that have any %s left out: "
			 "--event chooses", state.passed, cli_plural(state.passed), STACKS_EVENTS,
			 state.passed == 1 ? "is" : "are");
	if (stacks_options.fold.wakers && !state.waker.all)
		cli_warn("no sample is of who woke a thread: pp-span off-cpu --wakers writes them");
	all.event = stacks_event();
	return stacks_note_stats(run->stream->name, &all, run->status != 0, &run->error);
}

void stacks_say_losses(const struct pp_profile *profile)
{
	struct pp_profile_losses losses;

	pp_profile_losses(profile, &losses);
	if (losses.cut)
		cli_warn("%" PRIu64 " stack%s more than %d frames, and %s there", losses.cut,
			 losses.cut == 1 ? " has" : "s have", PP_PROFILE_DEEPEST,
			 losses.cut == 1 ? "ends" : "end");
	if (losses.fractions)
		cli_warn("the fraction%s of %" PRIu64 " weight%s left out: use whole numbers, such as of a "
			 "smaller unit", cli_plural(losses.fractions), losses.fractions,
			 losses.fractions == 1 ? " is" : "s are");
	report_dropped(state.left_out);
	if (losses.full)
		cli_warn("weights add up to more than 64 bits hold: shares are not right");
}

const char *stacks_unit_of(const char *event)
{
	return stacks_options.fold.weight == PP_FOLD_TIME ? "ns" :
	       stacks_options.fold.weight == PP_FOLD_COUNT || !event ? "samples" : event;
}

const char *stacks_unit(void)
{
	return stacks_unit_of(state.event);
}

const struct stacks_event *stacks_events(size_t *n)
{
	*n = state.n_events;
	return state.events;
}

const char *stacks_event(void)
{
	struct pp_fold_stats stats;

	pp_fold_stats(state.events->fold, &stats);
	return stats.event;
}

const struct pp_fold *stacks_fold(void)
{
	return state.n_events ? state.events->fold : NULL;
}

uint64_t stacks_samples(void)
{
	return state.samples;
}

uint64_t stacks_duration(enum pp_profile_side side)
{
	return state.ends[side].to - state.ends[side].from;
}

struct stacks_event *stacks_before(void)
{
	return state.before.cells ? &state.before : NULL;
}

void stacks_close(void)
{
	if (state.n_events == 1 && state.events->cells && !state.each && !state.before.cells) {
		state.before = *state.events;
		state.n_events = 0;
	}
	for (size_t i = 0; i < state.n_events; i++)
		close_event(&state.events[i]);
	state.n_events = 0;
	state.met = NULL;
	state.waker.there = false;
	names_close(state.names);
	state.names = NULL;
}

void stacks_free(void)
{
	stacks_close();
	close_event(&state.before);
	pp_profile_free(state.profile);
	free(state.event);
	free(state.waker.rec.data);
	memset(&state, 0, sizeof(state));
}
