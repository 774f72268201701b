/* pp-diff.c - says which functions became slower between two sides of recordings, and how sure that is. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/builds.h"
#include "diff/counted_total.h"
#include "diff/diff_lines.h"
#include "diff/diff_table.h"
#include "diff/recordings.h"
#include "diff/renames.h"
#include "diff/windows.h"
#include "fold/facts.h"
#include "fold/marks.h"
#include "fold/stream_to_profile.h"
#include "shared/preload_names.h"

/* What can be judged: a new kind is one row. */
static const struct judged_kind { const char *name; enum pp_unit unit; bool lines; } kinds[] = {
	{ "function", PP_UNIT_FUNCTION, false }, { "line", PP_UNIT_FUNCTION, true },
	{ "dso", PP_UNIT_DSO, false }, { "stack", PP_UNIT_STACK, false }, { "comm", PP_UNIT_COMM, false },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const struct judged_kind *kind = kinds;
static bool inclusive, per_second, shares, paired, force, all_units, one_run;
static bool markdown, json, csv;
static const char *per;
static double fails = NAN, margin = 1, least_share = 0.5;     /* per cent */

static struct {
	struct diff_recording *recordings;
	size_t n, n_before, at;       /* `at`: the one that is read */
	struct pp_unit_costs *costs;
	/* What is judged: recordings as wholes, or, of two, windows. */
	struct diff_run {
		const struct diff_recording *of;
		size_t column;        /* of the costs */
	} *runs;
	size_t n_runs, n_runs_before;
	bool windows;
} state;

/* ---- options ---- */

static const char *parse_kind(void *target, const char *value)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(value, kinds[i].name)) {
			*(const struct judged_kind **)target = &kinds[i];
			return NULL;
		}
	return "is not function, line, dso, stack or comm";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-diff old/*.pipe -- new/*.pipe", "what became slower, and how sure that is"),
	OPT_EXAMPLE("pp-diff --fail-if-worse 3 runs/*.pipe",
		    "a gate: status 1 if a function, or all, became slower by more than 3 %"),
	OPT_GROUP("What to compare"),
	OPT_STRING('e', "event", "EVENT", &stacks_options.fold.event,
		   "samples of EVENT (default: of the first that has any)"),
	OPT_CALL(0, "by", "function|line|dso|stack|comm", &kind, parse_kind,
		 "what is judged, each by itself (default: function)"),
	OPT_SWITCH(0, "inclusive", &inclusive, "with what they call (default: by themselves alone)"),
	OPT_SWITCH(0, "share", &shares,
		   "as shares of the whole, where runs did not do the same amount of work"),
	OPT_STRING(0, "per", "NOTE", &per, "for each of what the note NOTE counts, such as ops"),
	OPT_SWITCH(0, "per-second", &per_second, "for each second of a recording"),
	OPT_RENAMES("count what is called OLD, or whose path ends so, as NEW; may be repeated",
		    "programs, and the folders of files, do not count: --by comm, --by dso"),
	OPT_GROUP("How to judge"),
	OPT_CALL(0, "fail-if-worse", "PERCENT", &fails, cli_percent,
		 "exit with 1 if something became worse by more than PERCENT"),
	OPT_CALL(0, "margin", "PERCENT", &margin, cli_percent,
		 "pass over changes of at most PERCENT (default: 1)"),
	OPT_CALL(0, "floor", "PERCENT", &least_share, cli_percent,
		 "judge what takes PERCENT of one side at least (default: 0.5)"),
	OPT_SWITCH(0, "paired", &paired,
		   "run by run, in their order (default: where those of both sides alternate in time)"),
	OPT_SWITCH(0, "one-run", &one_run,
		   "let one recording of each side fail, though another run may say something else"),
	OPT_SWITCH('f', "force", &force, "compare what is not comparable"),
	OPT_GROUP("What to print"),
	OPT_SWITCH(0, "all", &all_units, "what is the same, or is not known, too"),
	OPT_SWITCH(0, "markdown", &markdown, "print a table of Markdown"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.diff/1"),
	OPT_SWITCH(0, "csv", &csv, "print CSV"),
	OPT_GROUP("Names"),
	OPT_STACKS_INLINED,
	OPT_STACKS_FILES,
	OPT_GROUP("Common options"), OPT_OUTPUT, OPT_VERBOSE("say more about what is done"), OPT_QUIET,
	OPT_NO_VERIFY, OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-diff",
	.summary = "Say what became slower between recordings, and how sure that is",
	.purpose = "Compares two sides of several recordings each, function by function.  What differs "
		   "between runs of one side is no change, so it tells what is one.",
	.operands = "FILE... [--] [FILE...]",
	.two_sides = true,
	.options = options,
};

/* ---- one recording ---- */

static int start(struct run *run)
{
	facts_forget();
	return counted_start(run) || stacks_start(run, false) ? -1 : 0;
}

static int early(struct run *run, const struct pp_record *rec)
{
	struct diff_recording *const r = &state.recordings[state.at];

	marks_early(run, rec);
	advice_note(&r->facts, rec);
	builds_note(rec, r->place, state.n);
	return stacks_early(run, rec);
}

static int record(struct run *run, struct pp_record *rec)
{
	facts_note(rec);
	return counted_note(run, rec) || stacks_record(run, rec) ? -1 : 0;
}

static char *copy_of(const char *text)
{
	return text ? cli_text("%s", text) : NULL;
}

static void take_recording(struct run *run, struct diff_recording *r)
{
	struct pp_fold_stats stats;
	struct pp_flame_facts facts;

	facts_end(run);
	pp_fold_stats(stacks_fold(), &stats);
	facts_of(&facts, stats.event, stacks_options.fold.weight, stats.samples);
	r->samples = stats.samples;
	r->facts.samples = stats.samples;
	r->rate = facts.frequency ? facts.frequency : facts_period(stats.event);
	r->total = (double)pp_profile_total(stacks_profile(), PP_PROFILE_FIRST);
	r->times = facts.times;
	r->event = copy_of(stats.event);
	r->host = copy_of(facts.host);
	r->system = copy_of(facts.system);
	r->cpu = copy_of(facts.cpu);
	r->governor = copy_of(facts_note_value(&facts, PP_NOTE_GOVERNOR));
	r->steady = facts_counted(stats.event);
	recordings_note_side(r, &facts);
	r->divisor = per_second ? (double)stacks_duration(PP_PROFILE_FIRST) / 1e9 : 1;
	if (per && !recordings_noted(&facts, per, &r->divisor))
		r->divisor = 0;
}

static int note_folded(const struct stacks_event *event, const struct pp_folded *folded,
		       struct pp_error *error)
{
	(void)event;
	(void)error;
	if (state.windows)
		windows_note(folded);
	else
		counted_folded(folded);
	return 0;
}

static int renumber_nodes(const struct stacks_event *event, const uint32_t *places, size_t n,
			  struct pp_error *error)
{
	(void)event;
	(void)error;
	if (state.windows)
		windows_renumber(places, n);
	return 0;
}

/* Its costs, as a whole or window by window. */
static int add_costs(struct diff_recording *r, struct pp_error *error)
{
	int n = 1;

	r->column = state.recordings == r ? 0 : r[-1].column + r[-1].n_windows;
	if (state.windows) {
		double share;

		n = windows_end(stacks_profile(), stacks_fold(), state.costs, &share, error);
		r->divisor *= share;
	} else if (pp_unit_costs_add(state.costs, stacks_profile(), stacks_fold(), error)) {
		n = -1;
	}
	r->n_windows = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -1 : 0;
}

static int end_recording(struct run *run)
{
	struct diff_recording *const r = &state.recordings[state.at];
	int failed;

	if (stacks_end(run))
		return -1;
	take_recording(run, r);
	stacks_say_losses(stacks_profile());
	failed = counted_end(run, stacks_fold(), r->event, &r->counted, &r->counted_by) ||
		 add_costs(r, &run->error) ? -1 : 0;
	stacks_free();
	return failed;
}

#define SINK(Opened, Start, End) { \
	.opened = Opened, .start = Start, .early = early, .record = record, .end = End, \
	.time_order = true, .asks = true, .chains = &stacks_options.symbols, .shares = true, \
	.judges_losses = true, \
	.late = ": their names may be those of another time" }

/* ---- all of them ---- */

/* What is wrong ends the program, before anything is said. */
static void check_recordings(void)
{
	const char *const wrong = recordings_take_sides(state.recordings, state.n, &state.n_before);

	if (wrong)
		cli_die(EXIT_MISUSE, "%s", wrong);
	builds_compare(state.recordings, state.n);
	if (recordings_compare(state.recordings, state.n) && !force)
		cli_die(EXIT_MISUSE, "the recordings are not comparable; --force compares them all the same");
	for (size_t i = 0; i < state.n; i++)
		if (!(state.recordings[i].divisor > 0))
			cli_die(EXIT_MISUSE, "%s: %s%s", state.recordings[i].path,
				per ? "it has no number in a note " : "its samples have no times",
				per ? per : "");
}

static void take_runs(void)
{
	for (size_t i = 0; i < state.n; i++) {
		const struct diff_recording *const r = &state.recordings[i];

		state.runs = cli_grow(state.runs, state.n_runs + r->n_windows + 1, sizeof(*state.runs));
		for (size_t w = 0; w < r->n_windows; w++)
			state.runs[state.n_runs++] = (struct diff_run){ r, r->column + w };
		if (i + 1 == state.n_before)
			state.n_runs_before = state.n_runs;
	}
}

/* Whether the total is counted: by all recordings alike, which are no parts. */
static enum counted_by total_by(void)
{
	enum counted_by least = state.windows ? COUNTED_BY_SAMPLES : COUNTED_BY_COUNTERS;

	for (size_t i = 0; i < state.n; i++)
		if (state.recordings[i].counted_by < least)
			least = state.recordings[i].counted_by;
	return least;
}

/* Of each unit, and, after these, of each run as a whole: the sum of what its programs cost. */
static double *take_costs(size_t n, struct pp_gate_options *how)
{
	double *const costs = cli_grow(NULL, (n + 1) * state.n_runs, sizeof(*costs));
	double *const totals = costs + n * state.n_runs;
	double samples = 0, total = 0;

	for (size_t run = 0; run < state.n_runs; run++) {
		const struct diff_run *const r = &state.runs[run];

		for (size_t i = 0; i < n; i++)
			costs[i * state.n_runs + run] = pp_unit_cost(state.costs, i, r->column) /
							r->of->divisor;
		totals[run] = (total_by() == COUNTED_BY_SAMPLES ?
			       pp_unit_costs_total(state.costs, r->column) : r->of->counted) / r->of->divisor;
	}
	for (size_t i = 0; i < state.n; i++) {
		samples += (double)state.recordings[i].samples;
		total += state.recordings[i].total / state.recordings[i].divisor;
	}
	how->unit = samples > 0 && total > 0 ? total / samples : 1;
	how->totals = totals;
	return costs;
}

/* Which of the costs' runs each one is. */
static size_t *columns_of_runs(void)
{
	size_t *const columns = cli_grow(NULL, state.n_runs + 1, sizeof(*columns));

	for (size_t i = 0; i < state.n_runs; i++)
		columns[i] = state.runs[i].column;
	return columns;
}

/* What one sample costs before anything is divided. */
static double sample_cost(void)
{
	double samples = 0, total = 0;

	for (size_t i = 0; i < state.n; i++) {
		samples += (double)state.recordings[i].samples;
		total += state.recordings[i].total;
	}
	return samples > 0 && total > 0 ? total / samples : 1;
}

static bool is_worse(const struct pp_gate_unit *of)
{
	return of->verdict == PP_GATE_WORSE && 100 * of->change > fails;
}

/* Fewer runs of a side are too few for a verdict that fails. */
enum { LEAST = 5 };

static void decide(struct run *run, const struct diff_table *t)
{
	const size_t n_after = state.n - state.n_before;
	bool worse = is_worse(t->total->of);

	for (size_t i = 0; i < t->n; i++)
		worse |= is_worse(t->lines[i].of);
	if (!worse)
		return;
	if (state.windows ? !one_run : state.n_before < LEAST || n_after < LEAST)
		cli_warn("fewer than %d recordings of a side never fail: --fail-if-worse%s", LEAST,
			 state.windows ? ", but with --one-run" : "");
	else if (run->status < EXIT_NO)
		run->status = EXIT_NO;
}

/* Of per cent a part; of 0 one that is no more, since 0 asks for the default. */
static double some(double percent)
{
	return percent > 0 ? percent / 100 : DBL_MIN;
}

static enum diff_form form(void)
{
	return markdown ? DIFF_MARKDOWN : json ? DIFF_JSON : csv ? DIFF_CSV : DIFF_TEXT;
}

static const char *total_note(void)
{
	static const char *const notes[] = {
		[COUNTED_BY_SAMPLES] = NULL, [COUNTED_BY_BOTH] = "by counters, of some tasks by samples",
		[COUNTED_BY_COUNTERS] = "by counters",
	};

	return notes[total_by()];
}

static int judge(struct run *run)
{
	struct pp_gate_options how = {
		.size = sizeof(how), .before = state.n_runs_before,
		.after = state.n_runs - state.n_runs_before,
		.parts = state.windows, .shares = shares, .margin = some(margin),
		.limit = isnan(fails) ? 0 : fails / 100, .floor = some(least_share),
		.paired = !state.windows && (paired || recordings_alternate(state.recordings, state.n,
									    state.n_before)),
	};
	const size_t n = pp_unit_costs_count(state.costs);
	double *const costs = take_costs(n, &how);
	struct pp_gate_unit *const found = cli_grow(NULL, n + 1, sizeof(*found)), *const total = &found[n];
	struct diff_line *const lines = cli_grow(NULL, n + 1, sizeof(*lines));
	struct pp_gate_callers *const callers = cli_grow(NULL, n + 1, sizeof(*callers));
	uint32_t *const together = cli_grow(NULL, n + 1, sizeof(*together));
	size_t *const columns = columns_of_runs();
	const struct diff_units units = {
		.kind = kind->name, .costs = state.costs, .values = costs, .columns = columns, .n = n,
		.runs = state.n_runs, .runs_before = state.n_runs_before, .sample = sample_cost(),
		.callers = callers, .together = together, .found = found,
	};
	const struct diff_line whole = { .kind = "total", .of = total, .note = total_note() };
	struct diff_table table = {
		.form = form(), .recordings = state.recordings, .n_recordings = state.n,
		.n_before = state.n_before, .paired = how.paired,
		.unit = state.recordings->times ? NULL : stacks_unit_of(state.recordings->event),
		.per = per ? per : per_second ? "second" : NULL,
		.limit = how.limit > 0 ? how.limit : 0.03, .all = all_units, .total = &whole, .lines = lines,
		.windows = state.windows,
	};
	int failed;

	diff_find_callers(&units, callers);
	failed = pp_gate_judge_moved(&how, costs, n, callers, found, together, total, &run->error);
	if (!failed) {
		table.n = diff_make_lines(&units, lines);
		diff_table_write(&table, run->text);
		if (!isnan(fails))
			decide(run, &table);
	}
	diff_free_lines(lines, table.n);
	free(columns);
	free(together);
	free(callers);
	free(found);
	free(costs);
	return failed;
}

/* The run reads the last one; the others are read before, and opened while that can be done. */
static int open_others(struct run *run)
{
	static const struct sink sink = SINK(NULL, start, end_recording);

	for (size_t i = 0; i + 1 < state.n; i++)
		if (run_open_other(run, state.recordings[i].path, &sink))
			return -1;
	return 0;
}

static int start_last(struct run *run)
{
	for (state.at = 0; state.at + 1 < state.n; state.at++)
		if (run_other(run))
			return -1;
	return start(run);
}

/* Of two builds, which are called otherwise, or lie in other folders. */
static const char *rename_unit(void *arg, const char *name)
{
	const char *const slash = kind->unit == PP_UNIT_DSO ? strrchr(name, '/') : NULL;

	(void)arg;
	if (!rename_options.no_comm)
		return renames_apply(name, kind->unit == PP_UNIT_DSO);
	return kind->unit == PP_UNIT_COMM ? "any program" : slash && slash[1] ? slash + 1 : name;
}

static int end_last(struct run *run)
{
	if (end_recording(run))
		return -1;
	/* the system ended one of them: what was read until then is no recording */
	if (run->status == EXIT_SYSTEM)
		return 0;
	check_recordings();
	if (renames_asked() && pp_unit_costs_rename(state.costs, rename_unit, NULL, &run->error))
		return -1;
	take_runs();
	return judge(run);
}

static void take_operands(size_t n, char **files)
{
	state.n_before = common.n_before;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(files[i], "-"))
			cli_misuse("recordings are files: not -, standard input");
	state.n = n;
	state.windows = n == 2;
	state.recordings = cli_grow(NULL, n, sizeof(*state.recordings));
	memset(state.recordings, 0, n * sizeof(*state.recordings));
	for (size_t i = 0; i < n; i++) {
		state.recordings[i].path = files[i];
		state.recordings[i].place = i;
	}
	common.input = files[n - 1];
}

int main(int argc, char **argv)
{
	static const struct sink sink = SINK(open_others, start_last, end_last);
	const int first = cli_parse(&tool, argc, argv);
	int status;

	take_operands((size_t)(argc - first), argv + first);
	if (markdown + json + csv > 1)
		cli_misuse("--markdown, --json and --csv are three forms: give one");
	if (per && per_second)
		cli_misuse("--per and --per-second are two units: give one");
	(void)renames_asked();        /* both are refused before anything is read */
	if (rename_options.no_comm && kind->unit != PP_UNIT_COMM && kind->unit != PP_UNIT_DSO)
		cli_misuse("--no-comm is for --by comm and --by dso: %ss are compared whatever their program",
			   kind->name);
	if (one_run && !state.windows)
		cli_misuse("--one-run is for one recording of each side");
	stacks_options.fold.objects = kind->unit == PP_UNIT_DSO;
	stacks_options.fold.kinds = kind->unit == PP_UNIT_FUNCTION;
	stacks_options.fold.by_line = stacks_options.symbols.lines = kind->lines;
	stacks_options.fold.threads = true;
	stacks_options.folded = note_folded;
	stacks_options.settled = renumber_nodes;
	state.costs = pp_unit_costs_new(kind->unit, inclusive);
	if (!state.costs)
		cli_no_memory();
	names_start(&stacks_options.symbols, true);
	status = run_sink(&tool, &sink);
	stacks_free();
	names_end(&stacks_options.symbols);
	pp_unit_costs_free(state.costs);
	return status;
}
