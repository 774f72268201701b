/* facts.c - what is said of the recording that is shown: who recorded what, where, when, and what is lost. */
#include "fold/facts.h"
#include "fold/marks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fold/stream_to_profile.h"
#include "shared/advice.h"

static struct {
	struct pp_flame_facts facts;
	struct advice_losses losses;
	char host[128], release[128], arch[64], system[200], cpu[200], recorder[200], command[2048];
	char nameless[600];
	bool clocked;
	int64_t to_wall_clock;        /* ns */
	const struct pp_attrs *attrs; /* the stream's */
} state;

/* ---- how the recorder was called ---- */

static void add_word(const char *word, size_t length)
{
	const size_t used = strlen(state.command), room = sizeof(state.command) - used - 2;
	const size_t n = length < room ? length : room;

	if (used)
		state.command[used] = ' ';
	memcpy(state.command + used + (used > 0), word, n);
	state.command[used + (used > 0) + n] = 0;
}

/* Of `pp-record -g -- make -j2` the command that was recorded, "make -j2"; else all of it. */
static void note_command(const struct pp_record *rec)
{
	struct pp_cursor c;
	bool recorded = false;

	*state.command = 0;
	for (pp_walk(&c, rec); pp_walk_to(&c, "cmdline") == PP_MORE;) {
		size_t length;
		const char *const word = pp_walk_text(&c, &length);

		/* what follows is the command's own */
		if (!recorded && length == 2 && !memcmp(word, "--", 2)) {
			*state.command = 0;
			recorded = true;
		} else if (length) {
			add_word(word, length);
		}
	}
}

static void note_feature(const struct pp_record *rec, uint64_t feature)
{
	uint64_t clock;

	static const struct { unsigned feature; const char *name; char *to; size_t room; } texts[] = {
		{ PP_FEAT_HOSTNAME, "hostname", state.host, sizeof(state.host) },
		{ PP_FEAT_OSRELEASE, "osrelease", state.release, sizeof(state.release) },
		{ PP_FEAT_VERSION, "version", state.recorder, sizeof(state.recorder) },
		{ PP_FEAT_ARCH, "arch", state.arch, sizeof(state.arch) },
		{ PP_FEAT_CPUDESC, "cpudesc", state.cpu, sizeof(state.cpu) },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].feature == feature)
			(void)pp_copy_text(rec, texts[i].name, texts[i].to, texts[i].room);
	if (feature == PP_FEAT_NRCPUS)
		(void)pp_get_u64(rec, "nr_cpus_online", &state.facts.cpus);
	else if (feature == PP_FEAT_CMDLINE)
		note_command(rec);
	else
		state.clocked |= pp_clock_data(rec, &clock, &state.to_wall_clock);
}

static __attribute__((noinline))
void note_sample(const struct pp_record *rec)
{
	uint64_t time;

	state.attrs = rec->attrs;
	if (!state.facts.first && pp_time(rec, &time))
		state.facts.first = time;
}

static __attribute__((noinline))
void note_other(const struct pp_record *rec)
{
	uint64_t number;

	marks_note(rec);
	if (rec->type == PP_REC_THROTTLE)
		state.facts.throttled++;
	else if (pp_type_is(rec->type, PP_LOSES))
		advice_count_lost(&state.losses, rec);
	else if (pp_find_feature(rec, &number))
		note_feature(rec, number);
}

void facts_note(const struct pp_record *rec)
{
	if (rec->type != PP_REC_SAMPLE)
		note_other(rec);
	else if (!state.facts.first || state.attrs != rec->attrs)
		note_sample(rec);
}

/* ---- what is said ---- */

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

/* The attribute of an event; NULL: there are no samples of it. */
static const struct pp_attr *find_event(const char *event)
{
	const struct pp_attrs *const attrs = state.attrs;

	for (size_t i = 0; event && attrs && i < pp_attrs_count(attrs); i++)
		if (pp_fold_is_asked(event, pp_attrs_at(attrs, i)->name))
			return pp_attrs_at(attrs, i);
	return NULL;
}

uint64_t facts_period(const char *event)
{
	const struct pp_attr *const attr = find_event(event);

	if (!attr || !pp_attr_flag(attr, PP_FLAG_freq))
		return attr ? attr->sample_period : 0;
	return pp_fold_of_clock(attr) && attr->sample_period ? 1000000000 / attr->sample_period : 0;
}

bool facts_counted(const char *event)
{
	enum { SOFTWARE = 1, TRACEPOINT = 2, BREAKPOINT = 5 };
	static const uint64_t faults = 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8;   /* bits of configs */
	const struct pp_attr *const attr = find_event(event);

	if (!attr || pp_attr_is_off_cpu(attr))
		return false;
	return attr->type == TRACEPOINT || attr->type == BREAKPOINT ||
	       (attr->type == SOFTWARE && attr->config < 32 && faults >> attr->config & 1);
}

bool facts_monotonic(void)
{
	const struct pp_attrs *const attrs = state.attrs;
	size_t n = 0;

	while (attrs && n < pp_attrs_count(attrs) &&
	       pp_attr_flag(pp_attrs_at(attrs, n), PP_FLAG_use_clockid) &&
	       pp_attrs_at(attrs, n)->clockid == CLOCK_MONOTONIC)
		n++;
	return n && n == pp_attrs_count(attrs);
}

static void take_event(struct pp_flame_facts *f, const char *event, enum pp_fold_weight weight)
{
	const struct pp_attr *const attr = find_event(event);

	f->times = weight == PP_FOLD_TIME;
	if (!attr)
		return;
	f->event = event;
	f->times |= weight == PP_FOLD_PERIOD && (pp_fold_of_clock(attr) || pp_fold_of_waits(attr));
	f->waits = pp_fold_of_waits(attr) || (weight == PP_FOLD_TIME && !pp_fold_of_clock(attr));
	f->between = weight == PP_FOLD_TIME && pp_fold_of_clock(attr);
	f->frequency = pp_attr_flag(attr, PP_FLAG_freq) ? attr->sample_period : 0;
}

void facts_of(struct pp_flame_facts *f, const char *event, enum pp_fold_weight weight, uint64_t samples)
{
	*f = state.facts;
	f->samples = samples;
	take_event(f, event, weight);
}

void facts_end(const struct run *run)
{
	struct advice advice;

	snprintf(state.system, sizeof(state.system), "%s%s%s", state.arch, *state.arch ? ", Linux " : "",
		 state.release);
	state.facts.records = run->stream->records;
	state.facts.lost = advice_lost(&state.losses);
	state.facts.host = or_null(state.host);
	state.facts.system = or_null(state.system);
	state.facts.cpu = or_null(state.cpu);
	state.facts.recorder = or_null(state.recorder);
	state.facts.command = or_null(state.command);
	if (state.facts.first && state.clocked)
		state.facts.start = state.facts.first + (uint64_t)state.to_wall_clock;
	if (run->status >= EXIT_DAMAGED)
		state.facts.damage = "the recording is damaged or cut: what could be read is shown";
	*state.nameless = 0;
	if (advice_of_nameless(&advice, run->shown.all, run->shown.nameless, run->shown.unwound))
		snprintf(state.nameless, sizeof(state.nameless), "%s: %s", advice.text, advice.cure);
	state.facts.nameless = or_null(state.nameless);
	marks_end(run, &state.facts);
}

const char *facts_note_value(const struct pp_flame_facts *facts, const char *key)
{
	const size_t length = strlen(key);
	const char *value = NULL;

	for (size_t i = 0; i < facts->n_notes + facts->n_marks; i++) {
		const char *const text = i < facts->n_notes ? facts->notes[i] :
								      facts->marks[i - facts->n_notes].text;

		if (text && !strncmp(text, key, length) && text[length] == '=')
			value = text + length + 1;
	}
	return value;
}

void facts_forget(void)
{
	memset(&state, 0, sizeof(state));
	marks_forget();
}
