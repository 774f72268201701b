/*
 * pp-filter.c - keep the samples that match.
 *
 * Only samples are tested, unless the expression uses fields of other records.  Everything else
 * passes: names, maps and attributes from anywhere in the stream are needed to make sense of the
 * samples that stay.  Every option becomes a comparison in the filter's language, so that the query
 * alone decides.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter/build_query.h"
#include "filter/list_fields.h"
#include "shared/sample_filter.h"
#include "shared/run.h"
#include "shared/record_types.h"

static struct choice choice;
static struct types only, but;
static const char *first_per;
static uint64_t limit = UINT64_MAX, around = UINT64_MAX;
static bool prune, show_fields, show_program;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */

/* Spans of --samples: ordinals of samples, both included, from 1. */
static struct slices {
	struct slice { uint64_t first, last; } *items;
	size_t count;
	uint64_t last;                /* of all */
} slices;

/* "7", "1-100", "500-", "-100"; returns where it ends, or NULL: it has another form. */
static const char *parse_slice(const char *text, struct slice *slice)
{
	const size_t digits = strspn(text, "0123456789");
	const char *const dash = text + digits, *const rest = dash + (*dash == '-');
	const size_t more = rest > dash ? strspn(rest, "0123456789") : 0;

	*slice = (struct slice){ 1, UINT64_MAX };
	if (!digits && !more)
		return NULL;
	if (digits)
		slice->first = strtoull(text, NULL, 10);
	if (more)
		slice->last = strtoull(rest, NULL, 10);
	else if (rest == dash)
		slice->last = slice->first;
	return rest + more;
}

static const char *add_slices(void *target, const char *value)
{
	struct slices *const list = target;
	struct slice slice;

	do {
		value = parse_slice(value, &slice);
		if (!value || (*value && *value != ',') || !slice.first)
			return "is not a list of samples such as 1-100,500-";
		if (slice.first > slice.last)
			return "ends before it begins";
		list->items = cli_grow(list->items, list->count + 1, sizeof(*list->items));
		list->items[list->count++] = slice;
		if (slice.last > list->last)
			list->last = slice.last;
	} while (*value++);
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-filter 'comm == \"nginx\"' web.pipe | pp-report",
		    "where one program spent its time"),
	OPT_EXAMPLE("pp-filter --time +3,+4 -C 0 -i web.pipe -o spike.pipe",
		    "the fourth second, on CPU 0"),
	OPT_EXAMPLE("pp-filter --fields -i web.pipe", "which fields an expression can use"),
	OPT_GROUP("Which samples"),
	OPT_LIST('e', "event", "EVENT", &choice.events, "keep samples of these events"),
	OPT_RANGES('p', "pid", "PIDS", &choice.pids, "keep samples of these processes"),
	OPT_RANGES('t', "tid", "TIDS", &choice.tids, "keep samples of these threads"),
	OPT_RANGES('C', "cpu", "CPUS", &choice.cpus, "keep samples of these CPUs"),
	OPT_LIST(0, "comm", "NAMES", &choice.names, "keep samples of threads with these names"),
	OPT_CALL(0, "time", "FROM,TO", &choice.spans, choice_span,
		 "keep samples of this span of time, in seconds; may be repeated"),
	OPT_SWITCH(0, "invert", &choice.invert, "keep the samples that do not match"),
	OPT_STRING(0, "first-per", "FIELDS", &first_per,
		   "keep only the earliest match of each distinct value of FIELDS"),
	OPT_U64('n', "limit", "COUNT", &limit, "end the stream after COUNT samples kept"),
	OPT_TIME(0, "context", "TIME", &around,
		 "also keep samples within TIME of them on the same thread or CPU"),
	OPT_CALL(0, "samples", "FROM-TO", &slices, add_slices,
		 "test only the samples at these places in the input, from 1"),
	OPT_GROUP("Which other records"),
	OPT_TYPES(0, "only", &only, "of the records of the kernel, keep only these types"),
	OPT_TYPES(0, "drop", &but, "drop records of these types"),
	OPT_SWITCH(0, "prune", &prune, "keep only names, maps and events that kept samples need"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records, names and maps (default: 256M)"),
	OPT_GROUP("Instead of filtering"),
	OPT_SWITCH(0, "fields", &show_fields, "list the fields that samples of the input have"),
	OPT_CALL(0, "list-fields", NULL, NULL, fields_print_names, NULL),
	OPT_SWITCH(0, "explain", &show_program, "print the evaluation plan and exit"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-filter",
	.summary = "Keep the samples that match",
	.purpose = "Cuts a recording down to one program, CPU, event or moment before it is "
		   "shown, sent or stored.  Names and maps that the samples need stay.",
	.operands = "[EXPRESSION] [FILE]",
	.options = options,
	.details =
		"An expression compares fields of samples (--fields lists them) by == != < <= >\n"
		">= =~ !~ ~ and in {1, 5..9}, joined by && || ! and parentheses:\n"
		"  pp-filter 'cpu == 0 && comm != \"swapper\"'\n"
		"  pp-filter 'time >= +1.5s && event =~ \"^sched:\"'\n"
		"  pp-filter 'mode == user && any_dso ~ \"*/libssl*\" && weight.var2_w > 100'\n"
		"  pp-filter 'sched:sched_switch.prev_comm == \"nginx\" && prev_state != 0'\n"
		"  pp-filter 'type != MMAP2 || filename ~ \"*/huge\"'\n",
};

/* ---- The query ---- */

static struct pp_query *query;       /* NULL: all match */
static const char *operand_text;     /* the expression that was given ... */
static size_t operand_at;            /* and its place among all that was asked for */
static struct pp_query_facts facts = { .size = sizeof(facts) };
static struct pp_symbols *functions; /* NULL unless their names are asked for */
static struct pp_tracepoints *tracepoints;  /* NULL unless their fields are asked for */

static bool is_expression(const char *text)
{
	struct pp_error ignored;
	struct pp_query *const compiled = pp_query_compile(text, &ignored);

	pp_query_free(compiled);
	return compiled;
}

/*
 * The operands: EXPRESSION, then FILE.  A single one is EXPRESSION, unless it is not valid and a
 * file has that name.  Returns EXPRESSION, or NULL.
 */
static const char *take_operands(char **operands, int count)
{
	const char *const last = count ? operands[count - 1] : NULL;

	if (count == 2 && show_fields)
		cli_misuse("--fields lists what an expression may name, and takes no expression");
	if (count == 1 && !show_fields) {
		if (is_expression(last) || (strcmp(last, "-") && access(last, F_OK)))
			return last;
	}
	if (count)
		cli_input(last);
	return count == 2 ? operands[0] : NULL;
}

/* Not as FILE EXPRESSION, which would be shown as a mistake within FILE's name. */
static void refuse_order(char **operands, int count)
{
	if (count != 2 || is_expression(operands[0]))
		return;
	if (!access(operands[0], F_OK) || (is_expression(operands[1]) && access(operands[1], F_OK)))
		cli_misuse("the expression comes first, then the file: pp-filter '%s' %s", operands[1],
			   operands[0]);
}

static void compile(const char *expression)
{
	struct pp_error error;
	char *whole;

	/* First alone, so that a mistake is shown where it was made. */
	query = expression ? pp_query_compile(expression, &error) : NULL;
	if (expression && !query)
		choice_refuse(expression, &error);
	pp_query_free(query);
	query = NULL;
	whole = choice_expression(&choice, expression, &operand_at);
	if (!whole)
		return;
	cli_note("keeping samples where %s", whole);
	query = pp_query_compile(whole, &error);
	if (!query)
		choice_refuse(whole, &error);
	operand_text = expression;
	free(whole);
}

static struct pp_query *compile_past(void)
{
	struct pp_error error;
	char *const text = choice_past(&choice);
	struct pp_query *const compiled = text ? pp_query_compile(text, &error) : NULL;

	if (text && !compiled)
		choice_refuse(text, &error);
	free(text);
	return compiled;
}

/* ---- Filtering ---- */

static bool first_known, wall_clock_known;
static struct pp_first *firsts;      /* NULL unless they are asked for */
static struct pp_context *context;   /* likewise */
static struct pp_prune *pruner;      /* likewise */
static struct pp_names_kept *names;  /* likewise: what the stream has, and what the output needs */
static struct pp_names_share *names_needed;
static bool round_is_due;            /* something was written since the last */
static bool names_pass;              /* all of them, as they are, and none waits */
static uint64_t last_match;          /* its time */
static int rounds_after;             /* since the last sample that is kept, or judged */
static struct pp_query *past;        /* after all spans of --time; NULL: they may go on */
static bool past_asked, is_past;     /* in this round; a sample was */
static int rounds_past;              /* since then */

static bool needs(bool (*what)(const struct pp_query *))
{
	const struct pp_query *field;

	for (size_t i = 0; firsts && (field = pp_first_at(firsts, i)); i++)
		if (what(field))
			return true;
	return query && what(query);
}

/* Names and maps older than the last sample may come until the round after its own ends. */
static bool is_over(const struct pp_record *record)
{
	uint64_t time;

	if (limit || rounds_after < 2)
		return false;
	return !context || (pp_time(record, &time) && time > last_match && time - last_match > around);
}

/* A round releases what is older than the previous one: two rounds after a sample that is past all
 * spans, nothing in them can come.  One sample of a round is tested, since this only saves time. */
static void watch_spans(const struct pp_record *record)
{
	if (pp_is_round(record)) {
		rounds_past += is_past;
		past_asked = false;
	} else if (!past_asked && !is_past && first_known && record->type == PP_REC_SAMPLE &&
		   record->attr) {
		past_asked = true;
		is_past = pp_query_match(past, record, &facts);
	}
}

/* Names that no table has are tracepoints' fields, or mistakes: the first sample shows which. */
static void settle(struct run *run)
{
	struct pp_error error;
	const struct pp_error *damage;
	char text[512];

	if (!tracepoints || facts.tracepoints || run->status == EXIT_SYSTEM)
		return;
	damage = pp_tracepoints_error(tracepoints);
	if (damage) {
		cli_error_text(damage, text, sizeof(text));
		cli_warn("%s: formats of tracepoints: %s", run->stream->name, text);
	}
	facts.tracepoints = tracepoints;
	if (query && pp_query_settle(query, tracepoints, &error)) {
		error.at -= operand_at;
		choice_refuse(operand_text, &error);
	}
	if (firsts && pp_first_settle(firsts, tracepoints, &error))
		choice_refuse(first_per, &error);
}

/* The fields of records other than samples: 0, or -1. */
static int note(struct run *run, const struct pp_record *record)
{
	uint64_t clockid;

	if (record->type == PP_REC_HEADER_FEATURE &&
	    pp_clock_data(record, &clockid, &facts.wall_clock))
		wall_clock_known = true;
	if (facts.tasks && pp_tasks_note(facts.tasks, record, &run->error))
		return -1;
	return functions ? pp_symbols_note(functions, record, &run->error) : 0;
}

static bool lack_memory_for_names(void)
{
	return (functions || needs(pp_query_needs_tracepoints)) && needs(pp_query_names_failed);
}

/* Whether a sample matches: 1, 0, -1. */
static int matches(struct run *run, const struct pp_record *record)
{
	uint64_t time;

	if (pp_time(record, &time) && !first_known) {
		facts.first = time;
		first_known = true;
	}
	settle(run);
	if (!wall_clock_known && needs(pp_query_needs_wall_clock))
		return pp_fail(&run->error, PP_E_USE, "the stream has no CLOCK_DATA, which gives the "
			       "time of the wall clock: record with perf record -k mono, or pp-record");
	if (!limit || (query && !pp_query_match(query, record, &facts)))
		return lack_memory_for_names() ? pp_fail(&run->error, PP_E_NOMEM, NULL) : 0;
	if (firsts) {
		const int first = pp_first_of(firsts, record, &facts, &run->error);

		if (first <= 0)
			return first;
	}
	limit--;
	if (pp_time(record, &time))
		last_match = time;
	return 1;
}

/* What becomes of a record, apart from what is near it. */
static int decide(struct run *run, struct pp_record *record)
{
	if (is_over(record) || rounds_past == 2)
		return PP_STOP;
	if (past)
		watch_spans(record);
	rounds_after += !limit && pp_is_round(record);
	if (record->type != PP_REC_SAMPLE && note(run, record))
		return -1;
	if (types_have(&but, record->type) ||
	    (only.count && record->type < PP_USER_TYPES && !types_have(&only, record->type)))
		return PP_DROP;
	if (record->type != PP_REC_SAMPLE && record->attr && query &&
	    pp_query_judges(query, record->type))
		return pp_query_match(query, record, &facts) ? PP_KEEP : PP_DROP;
	/* One that no attribute describes cannot be judged: it passes, and is counted. */
	if (record->type != PP_REC_SAMPLE || !record->attr)
		return limit || record->type != PP_REC_SAMPLE ? PP_KEEP : PP_DROP;
	return matches(run, record);
}

/* Whether the query alone decides, for the next samples. */
static bool steady(const struct run *run)
{
	(void)run;
	if ((!first_known && needs(pp_query_needs_first)) || (tracepoints && !facts.tracepoints))
		return false;
	return !past || (first_known && rounds_past < 2 && (past_asked || is_past));
}

/* Sets keep[] to what the query says of all samples of a batch, if it alone decides from this number on. */
static bool match_batch(const struct run *run, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	static bool matched;          /* this batch was */

	if (!from)
		matched = false;
	if (!matched && !steady(run))
		return false;
	if (!matched && query)
		pp_query_match_batch(query, batch, &facts, keep);
	else if (!matched)
		memset(keep, true, batch->count);
	return matched = true;
}

static uint32_t judge_batch(struct run *run, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	return match_batch(run, batch, from, keep) ? batch->count : from;
}

/* Whether nothing but the query, the time that is past all spans and what is pruned ever decides about a
 * sample. */
static bool decides_alone(void)
{
	return (query || prune) && limit == UINT64_MAX && around == UINT64_MAX && !firsts &&
	       !needs(pp_query_needs_tracepoints) && !needs(pp_query_needs_wall_clock) &&
	       !types_have(&but, PP_REC_SAMPLE) && (!only.count || types_have(&only, PP_REC_SAMPLE));
}

/* With --context all wait in line until what follows them is known, but for what has a tail. */
static int judge(struct run *run, struct pp_record *record)
{
	const int verdict = decide(run, record);
	const bool sample = record->type == PP_REC_SAMPLE;

	if (!context)
		return verdict;
	if (verdict < 0 || verdict == PP_STOP || record->tail || (!sample && verdict == PP_DROP))
		return verdict;
	run->kept += sample && verdict == PP_KEEP;
	return pp_context_put(context, record, sample && verdict == PP_KEEP, &run->error) ? -1 : PP_DROP;
}

/* --samples counts in the order of the input, before anything waits to be tested. */
static int admit(struct run *run, struct pp_record *record)
{
	static int rounds_behind;     /* the last that is asked for */

	if (record->type != PP_REC_SAMPLE) {
		if (rounds_behind == 2)
			return PP_STOP;
		rounds_behind += run->samples >= slices.last && pp_is_round(record);
		return PP_KEEP;
	}
	for (size_t i = 0; i < slices.count; i++)
		if (run->samples >= slices.items[i].first && run->samples <= slices.items[i].last)
			return PP_KEEP;
	return PP_DROP;
}

/* ---- Pruning ---- */

/* What is written where a round is due: names, if there are any; 0: the round itself. */
static int write_names(struct run *run, const struct pp_record *round, struct pp_error *error)
{
	struct pp_seal seal;
	const bool sealed = pp_is_seal(round, &seal);
	const void *record;
	size_t size;
	int got;

	if ((!sealed && round->size != PP_HEADER_SIZE) ||
	    (sealed && (!seal.number || seal.flags & PP_SEAL_END)))
		return 0;
	got = pp_names_share_next(names_needed, &record, &size, error);
	return got > 0 && pp_writer_copy(run->out, record, size, error) ? -1 : got;
}

/* Names of the stream are rounds like any other: those that are needed are written in their place. */
static int keep_round(struct run *run, struct pp_record *record, struct pp_error *error)
{
	uint8_t bytes[PP_HEADER_SIZE];
	struct pp_record plain = *record;
	const bool of_names = pp_is_names(record);
	int got;

	if (of_names) {
		struct pp_build b;

		pp_build(&b, bytes, sizeof(bytes), PP_REC_FINISHED_ROUND, 0, NULL);
		plain.data = bytes;
		plain.size = (uint16_t)pp_build_end(&b);
	}
	got = pp_prune_judge(pruner, &plain, error);
	if (got != PP_KEEP)
		return got;
	got = write_names(run, &plain, error);
	if (!got && of_names)
		got = round_is_due && pp_writer_round(run->out, error) ? -1 : 1;
	if (pp_is_round(&plain))
		round_is_due = false;
	return got < 0 ? -1 : got ? PP_DROP : PP_KEEP;
}

static int keep_with_names(struct run *run, struct pp_record *record, struct pp_error *error)
{
	uint64_t time;
	int verdict;

	names_pass = pp_names_kept_whole(names) && !pp_names_share_any(names_needed);
	if (record->type == PP_REC_FINISHED_ROUND &&
	    !(pp_is_names(record) && pp_names_kept_whole(names)))
		return keep_round(run, record, error);
	if (pp_names_kept_note(names, record, error))
		return -1;
	verdict = pp_prune_judge(pruner, record, error);
	round_is_due |= verdict != PP_STOP && pp_time(record, &time);
	return verdict < 0 || verdict == PP_STOP || !pp_names_share_take(names_needed, record, error) ?
	       verdict : -1;
}

/* What is kept, in the order of times. */
static int keep_pruned(struct run *run, struct pp_record *record, struct pp_error *error)
{
	return names_pass ? pp_prune_judge(pruner, record, error) : keep_with_names(run, record, error);
}

/* Takes what leaves the line of --context; the pruner keeps copies. */
static int let_go(void *arg, struct pp_record *record, struct pp_error *error)
{
	struct run *const run = arg;
	const int verdict = pruner ? keep_pruned(run, record, error) : PP_KEEP;

	if (verdict != PP_KEEP)
		return verdict < 0 ? -1 : 0;
	if (record->type != PP_REC_FINISHED_ROUND)
		return pp_writer_copy(run->out, record->data, record->size, error);
	/* the writer knows what becomes of it; what it borrows leaves the line */
	return pp_writer_pass(run->out, NULL, record, error) ? -1 : pp_writer_flush(run->out, error);
}

static int start(struct run *run)
{
	if (tracepoints)
		pp_tracepoints_watch(tracepoints, run->in);
	if (around == UINT64_MAX)
		return 0;
	context = pp_context_open(around, &budget, let_go, run);
	return context ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static void report_unmet(void *arg, const char *text)
{
	const struct run *const run = arg;

	cli_warn("%s: %s", run->stream->name, text);
}

/* No match is a result as any other, and may be a mistake. */
static void summarize(struct run *run)
{
	const char *const name = run->stream->name;
	const size_t late = query && functions ? pp_query_names_late(query, functions) : 0;

	cli_note("%s: %" PRIu64 " of %" PRIu64 " sample%s kept", name, run->kept, run->samples,
		 run->samples == 1 ? "" : "s");
	if (query)
		pp_query_unmet(query, run->stream->attrs, report_unmet, run);
	if (late)
		cli_warn("%s: samples were judged before names of %zu of their addresses came: pp-symbol the "
			 "stream first", name, late);
	if (run->samples && !run->kept && limit)
		cli_warn("%s: no sample matched", name);
}

static int let_go_of_context(struct run *run)
{
	if (!context)
		return 0;
	if (pp_context_end(context, &run->error))
		return -1;
	run->kept += pp_context_stats(context)->near;
	return 0;
}

static int end(struct run *run)
{
	settle(run);
	if (let_go_of_context(run))
		return -1;
	if (lack_memory_for_names())
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	if (functions && needs(pp_query_names_missing))
		return pp_fail(&run->error, PP_E_USE, "this stream has no names of functions: pp-symbol it "
			       "first, as in pp-symbol | pp-filter 'any_sym == \"main\"'");
	summarize(run);
	return 0;
}

/* What counts from the end of the stream needs to know it. */
static int look_ahead(struct run *run, const struct pp_record *record)
{
	(void)run;
	matching_widen(&facts, &first_known, record);
	return 0;
}

static int start_pruning(struct run *run)
{
	if (start(run))
		return -1;
	names = pp_names_kept_new(&budget);
	names_needed = names ? pp_names_share_new(names) : NULL;
	pruner = pp_prune_new(&budget, tracepoints, run->in, run->out);
	return names_needed && pruner ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

/* Names count from when they are read. */
static int admit_names(struct run *run, struct pp_record *record)
{
	if (record->type != PP_REC_FINISHED_ROUND)
		return PP_KEEP;
	if (pp_names_kept_learn(names, record, &run->error)) {
		if (pp_error_ends(&run->error))
			return -1;
		run_report(run);
	}
	return PP_KEEP;
}

/* Names of functions, too, for those that are asked for are known before a sample is judged. */
static int admit_functions(struct run *run, struct pp_record *record)
{
	if (!pp_symbols_learn(functions, record, &run->error))
		return PP_KEEP;
	if (pp_error_ends(&run->error))
		return -1;
	run_report(run);
	return PP_KEEP;
}

static int admit_all(struct run *run, struct pp_record *record)
{
	if ((names && admit_names(run, record) < 0) || (functions && admit_functions(run, record) < 0))
		return -1;
	return slices.count ? admit(run, record) : PP_KEEP;
}

static int judge_and_prune(struct run *run, struct pp_record *record)
{
	int verdict = judge(run, record);

	if (verdict == PP_KEEP)
		verdict = keep_pruned(run, record, &run->error);
	else
		return verdict;
	/* it was written there */
	run->kept += verdict == PP_DROP && record->type == PP_REC_SAMPLE;
	return verdict;
}

static uint32_t judge_batch_and_prune(struct run *run, const struct pp_batch *batch, uint32_t from,
				      bool *keep)
{
	return names_pass && match_batch(run, batch, from, keep) ?
	       pp_prune_batch(pruner, batch, from, keep) : from;
}

static int end_pruning(struct run *run)
{
	const struct pp_prune_stats *const stats = pp_prune_stats(pruner);
	int status = end(run) || pp_prune_end(pruner, &run->error) ? -1 : 0;
	const void *record;
	size_t size;

	while (!status && pp_names_share_any(names_needed)) {
		status = pp_names_share_next(names_needed, &record, &size, &run->error);
		if (status > 0)
			status = pp_writer_copy(run->out, record, size, &run->error);
	}

	cli_note("%" PRIu64 " of %" PRIu64 " records of side-band kept%s", stats->kept,
		 stats->side_band, stats->spilled ? "; a temporary file held some" : "");
	return status;
}

/* ---- Instead ---- */

static int explain(void)
{
	struct pp_out out;

	if (!query)
		cli_misuse("--explain needs something to explain");
	if (pp_out_open(&out, STDOUT_FILENO))
		cli_no_memory();
	pp_query_explain(query, &out);
	if (pp_out_close(&out))
		cli_die_os("cannot write");
	pp_query_free(query);
	return EXIT_DONE;
}

/* The fields of --first-per, or NULL. */
static struct pp_first *open_firsts(void)
{
	struct pp_error error;
	struct pp_first *const opened = first_per ? pp_first_open(first_per, &error) : NULL;

	if (first_per && !opened)
		choice_refuse(first_per, &error);
	return opened;
}

/* What the stream says, and no file. */
static void open_functions(void)
{
	const struct pp_symbols_options how = { .size = sizeof(how), .no_files = true };
	struct pp_error error;

	functions = pp_symbols_new(&how, facts.tasks, &error);
	if (!functions)
		cli_no_memory();
	facts.symbols = functions;
}

static void check_types(void)
{
	static const uint32_t needed[] = { PP_REC_HEADER_ATTR, PP_REC_FINISHED_ROUND };

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (types_have(&but, needed[i]))
			cli_misuse("--drop: no reader can do without %s", pp_type(needed[i])->name);
}

int main(int argc, char **argv)
{
	const int operand = cli_parse(&tool, argc, argv);
	struct filter filter = { .judge = judge, .start = start, .end = end,
				 .admits_samples = !slices.count };
	const char *const expression = take_operands(argv + operand, argc - operand);
	int status;

	if (show_fields)
		return fields_list(&tool);
	check_types();
	refuse_order(argv + operand, argc - operand);
	compile(expression);
	firsts = open_firsts();
	if (show_program)
		return explain();
	if (needs(pp_query_needs_tasks)) {
		facts.tasks = pp_tasks_new((query ? pp_query_tasks_with(query) : 0) |
					   (firsts ? pp_first_tasks_with(firsts) : 0), &budget);
		if (!facts.tasks)
			cli_no_memory();
	}
	if (needs(pp_query_needs_names))
		open_functions();
	if (prune || functions || slices.count)
		filter.admit = admit_all;
	if (prune || needs(pp_query_needs_tracepoints)) {
		tracepoints = pp_tracepoints_new();
		if (!tracepoints)
			cli_no_memory();
	}
	if (needs(pp_query_needs_last))
		filter.look_ahead = look_ahead;
	filter.time_order = firsts || facts.tasks ||
			    (needs(pp_query_needs_first) && !filter.look_ahead);
	filter.budget = &budget;
	filter.keeps = around != UINT64_MAX;
	filter.sorted = around != UINT64_MAX || prune;
	if (around == UINT64_MAX)
		past = compile_past();
	if (decides_alone()) {
		filter.judge_batch = prune ? judge_batch_and_prune : judge_batch;
		filter.as_read = !prune;
	}
	if (prune) {
		filter.judge = judge_and_prune;
		filter.start = start_pruning;
		filter.end = end_pruning;
	}
	status = run_filter(&tool, &filter);
	pp_prune_free(pruner);
	pp_names_kept_free(names);
	pp_context_close(context);
	pp_first_close(firsts);
	pp_symbols_free(functions);
	pp_tasks_free(facts.tasks);
	pp_tracepoints_free(tracepoints);
	pp_query_free(query);
	pp_query_free(past);
	return status;
}
