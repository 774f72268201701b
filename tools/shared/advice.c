/* advice.c - the rules by which a recording is judged: when each has something to say, and the cure. */
#include "shared/advice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

enum {
	DROPPED_BY_FILTER = 1 << 15,  /* misc: a program of BPF left samples out, as it was to (perf) */
	ENOUGH = 1000,                /* samples: a share of 10 % is right to within 2 % then */
	CPUS_MOST = 1 << 20,
	WARN_LEAST = 100,             /* stacks: a share of 30 % is right to within 10 % then */
};

/* ---- what was lost ---- */

void advice_count_lost(struct advice_losses *losses, const struct pp_record *rec)
{
	uint64_t lost;

	if (!pp_type_is(rec->type, PP_LOSES) || !pp_find_u64(rec, PP_IS_LOST, &lost))
		return;
	if (rec->type == PP_REC_LOST)
		losses->records += lost;
	else if (!(rec->misc & DROPPED_BY_FILTER))
		losses->samples += lost;
}

uint64_t advice_lost(const struct advice_losses *losses)
{
	return losses->records > losses->samples ? losses->records : losses->samples;
}

/* ---- other facts ---- */

static void note_load(struct advice_facts *facts, const struct pp_record *rec)
{
	struct pp_note note;
	char text[32];
	double others;

	for (size_t at = 0; pp_note_next(rec, &at, &note);) {
		if (note.key_length != strlen(PP_NOTE_LOAD) || note.value_length >= sizeof(text) ||
		    memcmp(note.key, PP_NOTE_LOAD, note.key_length) != 0)
			continue;
		memcpy(text, note.value, note.value_length);
		text[note.value_length] = '\0';
		others = strtod(text, NULL);
		facts->others_known = others >= 0 && others < CPUS_MOST;
		facts->others = facts->others_known ? others : 0;
	}
}

void advice_note(struct advice_facts *facts, const struct pp_record *rec)
{
	uint64_t feature;

	if (rec->type == PP_REC_SAMPLE)
		return;
	advice_count_lost(&facts->lost, rec);
	facts->throttled += rec->type == PP_REC_THROTTLE;
	if (pp_is_note(rec))
		note_load(facts, rec);
	else if (pp_find_feature(rec, &feature) && feature == PP_FEAT_NRCPUS)
		(void)pp_get_u64(rec, "nr_cpus_online", &facts->cpus);
}

/* ---- the rules ---- */

/* Each fills count and of, and says whether that is reason for its text. */

static void CLI_PRINTF(2, 3) put(struct advice *a, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(a->text, sizeof(a->text), format, arguments);
	va_end(arguments);
}

static double share(const struct advice *a)
{
	return (double)a->count * 100 / (double)a->of;
}

/* Whether more than so many percent are such; then they are said. */
static bool judge_share(struct advice *a, uint64_t count, uint64_t of, unsigned percent, const char *what)
{
	a->count = count;
	a->of = of;
	if (!of || (double)count * 100 <= (double)of * percent)
		return false;
	put(a, "%.1f %% of the %s", share(a), what);
	return true;
}

static bool judge_lost(const struct advice_facts *f, struct advice *a)
{
	a->count = advice_lost(&f->lost);
	a->of = a->count + f->samples;
	if (!a->count)
		return false;
	put(a, "%.1f %% of the events were lost (%" PRIu64 " of %" PRIu64 ")", share(a), a->count, a->of);
	return true;
}

static bool judge_throttled(const struct advice_facts *f, struct advice *a)
{
	a->count = f->throttled;
	a->of = f->samples;
	put(a, "the kernel throttled events %" PRIu64 " time%s: samples are missing there", a->count,
	    cli_plural(a->count));
	return a->count;
}

static bool judge_nameless(const struct advice_facts *f, struct advice *a)
{
	if (!judge_share(a, f->nameless, f->stacks, 30, "stacks have mostly functions without a name"))
		return false;
	if (f->unwound)
		a->cure = "use pp-symbol --debuginfod, which fetches symbols";
	return true;
}

static bool judge_files(const struct advice_facts *f, struct advice *a)
{
	a->count = f->useless;
	a->of = f->files;
	put(a, "%" PRIu64 " of %" PRIu64 " file%s with samples %s missing here or of another build, such as "
	    "%.200s", a->count, a->of, cli_plural(a->of), a->count == 1 ? "is" : "are",
	    f->file ? f->file : "");
	return a->count;
}

static bool judge_multiplexed(const struct advice_facts *f, struct advice *a)
{
	return judge_share(a, f->multiplexed, f->reads, 1,
			   "counts are estimates: more events than counters took turns");
}

static bool judge_few(const struct advice_facts *f, struct advice *a)
{
	a->count = f->samples;
	a->of = ENOUGH;
	put(a, "%" PRIu64 " sample%s %s few: shares are rough below %d", a->count, cli_plural(a->count),
	    a->count == 1 ? "is" : "are", ENOUGH);
	return a->count < a->of && !f->counts;
}

static bool judge_recorder(const struct advice_facts *f, struct advice *a)
{
	return judge_share(a, f->own, f->samples, 5, "samples are of the recorder itself");
}

static bool judge_late(const struct advice_facts *f, struct advice *a)
{
	a->count = f->late;
	a->of = f->records;
	put(a, "%" PRIu64 " record%s came later than rounds promise, by up to %" PRIu64 ".%09" PRIu64 " s: a "
	    "clock was set, or clocks differ", a->count, cli_plural(a->count), f->worst / 1000000000,
	    f->worst % 1000000000);
	return a->count;
}

static bool judge_idle(const struct advice_facts *f, struct advice *a)
{
	return judge_share(a, f->idle, f->samples, 50, "samples are of idle processors");
}

static bool judge_load(const struct advice_facts *f, struct advice *a)
{
	const double most = (double)f->cpus, others = f->others < most ? f->others : most;

	return judge_share(a, (uint64_t)(100 * others), 100 * f->cpus, 10,
			   "processors' time went to what was not recorded");
}

static const struct judgement {
	const char *name;
	bool (*judge)(const struct advice_facts *, struct advice *);
	const char *cure;
	bool unfits;                  /* a recording with more than 1 % of that */
} rules[ADVICE_RULES] = {
	[ADVICE_LOST] = { "lost", judge_lost,
		"use larger buffers (pp-record -m 4M), a lower rate (--freq), or --adapt", true },
	[ADVICE_THROTTLED] = { "throttled", judge_throttled,
		"use a lower rate (pp-record --freq), or raise kernel.perf_event_max_sample_rate", true },
	[ADVICE_NAMELESS] = { "nameless", judge_nameless,
		"if programs lack frame pointers, record with pp-record --call-graph dwarf; "
		"pp-symbol --debuginfod fetches symbols", false },
	[ADVICE_FILES] = { "files", judge_files,
		"use pp-inject -b and pp-symbol on the machine that was recorded, or pp-symbol --debuginfod "
		"or --root here", false },
	[ADVICE_MULTIPLEXED] = { "multiplexed", judge_multiplexed,
		"use fewer events at once (--event), or record several times", false },
	[ADVICE_FEW] = { "few", judge_few,
		"record longer (pp-record --duration), or at a higher rate (--freq)", false },
	[ADVICE_RECORDER] = { "recorder", judge_recorder,
		"use a lower rate (pp-record --freq) or fewer events; pp-filter 'comm != \"pp-record\"' "
		"leaves it out", false },
	[ADVICE_LATE] = { "late", judge_late,
		"use pp-sort --all to put all in order, and pp-record --clockid monotonic for one clock",
		false },
	[ADVICE_IDLE] = { "idle", judge_idle,
		"use pp-filter 'pid != 0' to leave it out, or record processes (pp-record --pid) or cycles",
		false },
	[ADVICE_LOAD] = { "load", judge_load,
		"record while nothing else runs, or on processors of its own (taskset)", false },
};

bool advice_judge(enum advice_rule rule, const struct advice_facts *facts, struct advice *advice)
{
	*advice = (struct advice){ .name = rules[rule].name, .cure = rules[rule].cure };
	if (!rules[rule].judge(facts, advice))
		return false;
	advice->unfit = rules[rule].unfits && (double)advice->count * 100 > (double)advice->of;
	return true;
}

static void say(const char *name, const struct advice *advice)
{
	cli_warn("%s: %s: %s", name, advice->text, advice->cure);
}

void advice_warn_of_loss(const char *name, uint64_t samples, const struct advice_losses *losses)
{
	const struct advice_facts facts = { .lost = *losses, .samples = samples };
	struct advice advice;

	if (advice_judge(ADVICE_LOST, &facts, &advice))
		say(name, &advice);
}

bool advice_of_nameless(struct advice *advice, uint64_t stacks, uint64_t nameless, bool unwound)
{
	const struct advice_facts facts = { .stacks = stacks, .nameless = nameless, .unwound = unwound };

	return stacks >= WARN_LEAST && advice_judge(ADVICE_NAMELESS, &facts, advice);
}

void advice_warn_of_nameless(const char *name, uint64_t stacks, uint64_t nameless, bool unwound)
{
	struct advice advice;

	if (advice_of_nameless(&advice, stacks, nameless, unwound))
		say(name, &advice);
}
