/*
 * pp-filter - keep the samples that match.
 *
 * Only samples are judged, unless the expression asks for what other records have.  All else
 * passes: names, maps and attributes from anywhere in the stream are needed to make sense of the
 * samples that stay.  Every option says a comparison of the filter's language, so that there is one
 * thing that decides: the query.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "types.h"

static struct cli_list events, names;
static struct cli_ranges pids, tids, cpus;
static struct types only, but;
static const char *first_per;
static uint64_t limit = UINT64_MAX, around = UINT64_MAX;
static bool invert, prune, show_fields, show_program;
static uint64_t hold;                /* bytes of side-band; 0: the library's limit */

/* Spans of --time, each as an expression. */
static struct cli_list spans;

/* Spans of --samples: ordinals of samples, both included, from 1. */
static struct slices {
	struct slice { uint64_t first, last; } *items;
	size_t count;
	uint64_t last;                /* of all */
} slices;

/* What a time that is an end of a span counts from, or is. */
enum base { FROM_NOTHING, FROM_FIRST, FROM_LAST, PART, WALL_CLOCK };

static enum base base_of(const char *end)
{
	return *end == '+' ? FROM_FIRST : *end == '-' ? FROM_LAST : strchr(end, '%') ? PART :
	       strpbrk(end, "@:-") ? WALL_CLOCK : FROM_NOTHING;
}

/* As the language has it: numbers count in seconds, the wall clock is quoted. */
static void add_moment(FILE *text, const char *before, const char *end)
{
	const enum base base = base_of(end);

	fprintf(text,
		base == WALL_CLOCK ? "%s\"%s\""
		: base == PART	   ? "%s%s"
				   : "%s%ss",
		before, end);
}

/* FROM,TO as comparisons; either may be missing. */
static char *span_expression(const char *from, const char *to)
{
	char *expression;
	size_t size;
	FILE *const text = open_memstream(&expression, &size);

	if (!text)
		cli_die_os("cannot build the expression");
	if (*from && *to && base_of(from) == base_of(to)) {
		add_moment(text, "time in ", from);
		add_moment(text, "..", to);
	} else {
		if (*from)
			add_moment(text, "time >= ", from);
		if (*to)
			add_moment(text, *from ? " && time <= " : "time <= ", to);
	}
	if (fclose(text))
		cli_die_os("cannot build the expression");
	return expression;
}

/* FROM,TO, or as perf has it 10%-20%. */
static const char *add_span(void *target, const char *value)
{
	static char refusal[200];
	struct pp_query_error error;
	char *const from = strdup(value), *to, *expression;
	struct pp_query *query;

	if (!from)
		cli_die(EXIT_SYSTEM, "out of memory");
	to = strchr(from, ',');
	if (!to && (to = strstr(from, "%-")))
		to++;
	if (!to || !value[1] || value[strspn(value, "0123456789.,+-%:@TZ ")])
		return "is not FROM,TO";
	*to++ = '\0';
	expression = span_expression(from, to);
	free(from);
	query = pp_query_compile(expression, &error);
	if (query) {
		pp_query_free(query);
		return cli_add(target, expression);
	}
	free(expression);
	snprintf(refusal, sizeof(refusal), "is no span of time: %s", error.text);
	return refusal;
}

/* "7", "1-100", "500-", "-100"; returns where it ends, or NULL: it is none of these. */
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
			return "is no list of samples such as 1-100,500-";
		if (slice.first > slice.last)
			return "ends before it begins";
		list->items = realloc(list->items, (list->count + 1) * sizeof(*list->items));
		if (!list->items)
			cli_die(EXIT_SYSTEM, "out of memory");
		list->items[list->count++] = slice;
		if (slice.last > list->last)
			list->last = slice.last;
	} while (*value++);
	return NULL;
}

static void print_name(void *arg, const char *name, const char *kind, const char *doc)
{
	char text[PP_QUERY_TRACE_NAME], *place;

	(void)arg;
	(void)kind;
	(void)doc;
	snprintf(text, sizeof(text), "%s", name);
	while ((place = strstr(text, "[N]")))
		place[1] = '0';
	puts(text);
}

/* For the shells' completions: what an expression may name in any stream. */
static const char *list_names(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	pp_query_fields(NULL, print_name, NULL);
	for (uint32_t type = 0; type < PP_USER_TYPES; type++)
		pp_query_side_fields(type, print_name, NULL);
	fputs("children_of(\nany(\ndefined(\n", stdout);
	exit(fflush(stdout) ? EXIT_SYSTEM : EXIT_DONE);
}

static const struct option_spec options[] = {
	OPT_LIST('e', "event", "EVENT", &events, "keep samples of these events"),
	OPT_RANGES('p', "pid", "PIDS", &pids, "keep samples of these processes"),
	OPT_RANGES('t', "tid", "TIDS", &tids, "keep samples of these threads"),
	OPT_RANGES('C', "cpu", "CPUS", &cpus, "keep samples of these CPUs"),
	OPT_LIST(0, "comm", "NAMES", &names, "keep samples of threads with these names"),
	OPT_CALL(0, "time", "FROM,TO", &spans, add_span,
		 "keep samples of this span of time, in seconds; may be repeated"),
	OPT_SWITCH(0, "invert", &invert, "keep the samples that do not match"),
	OPT_STRING(0, "first-per", "FIELDS", &first_per,
		   "keep the first that matches of each value of FIELDS"),
	OPT_U64('n', "limit", "COUNT", &limit, "end the stream after COUNT samples kept"),
	OPT_TIME(0, "context", "TIME", &around,
		 "keep also what is within TIME of them on the same thread or CPU"),
	OPT_CALL(0, "samples", "FROM-TO", &slices, add_slices,
		 "judge only the samples with these places in the input, from 1"),
	OPT_TYPES(0, "only", &only, "keep of what the kernel wrote only records of these types"),
	OPT_TYPES(0, "drop", &but, "drop records of these types"),
	OPT_SWITCH(0, "prune", &prune, "keep no names, maps, events that no sample kept needs"),
	OPT_SIZE('S', "size", "SIZE", &hold, "with --prune: memory for what is held back (64M)"),
	OPT_GROUP("Instead of filtering"),
	OPT_SWITCH(0, "fields", &show_fields, "list the fields that samples of the input have"),
	OPT_CALL(0, "list-fields", NULL, NULL, list_names, NULL),
	OPT_SWITCH(0, "explain", &show_program, "show how the expression is asked; read nothing"),
	OPT_COMMON_FILTER,
	OPT_END};

static const struct tool tool = {
	.name = "pp-filter",
	.summary = "Keep the samples that match",
	.operands = "[EXPRESSION]",
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

/* ---- Options to one expression ---- */

/* Every term after the first is joined by &&. */
static void start_term(FILE *text)
{
	fputs(ftell(text) > 0 ? " && " : "", text);
}

static void add_string(FILE *text, const char *string, size_t length)
{
	putc('"', text);
	for (size_t i = 0; i < length; i++)
		fprintf(text, strchr("\"\\", string[i]) ? "\\%c" : "%c", string[i]);
	putc('"', text);
}

/* Names separated by commas; one between slashes is part of an event: cpu/event=1,umask=2/. */
static void add_names(FILE *text, const char *field, const struct cli_list *list)
{
	const char *before = "";

	if (!list->count)
		return;
	start_term(text);
	fprintf(text, "%s in {", field);
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->items[i], *end;
		bool inside = false;

		for (end = name;; end++) {
			inside ^= *end == '/' && !strcmp(field, "event");
			if (*end && (*end != ',' || inside))
				continue;
			if (end == name)
				cli_misuse("--%s: '%s' has an empty name", field, list->items[i]);
			fputs(before, text);
			add_string(text, name, (size_t)(end - name));
			before = ", ";
			if (!*end)
				break;
			name = end + 1;
		}
	}
	putc('}', text);
}

static void add_ranges(FILE *text, const char *field, const struct cli_ranges *ranges)
{
	const char *before = "";

	if (!ranges->count)
		return;
	start_term(text);
	fprintf(text, "%s in {", field);
	for (size_t i = 0; i < ranges->count; i++, before = ", ") {
		const struct cli_range range = ranges->items[i];

		fprintf(text, "%s%" PRIu32, before, range.first);
		if (range.last != range.first)
			fprintf(text, "..%" PRIu32, range.last);
	}
	putc('}', text);
}

static void add_spans(FILE *text)
{
	if (!spans.count)
		return;
	start_term(text);
	for (size_t i = 0; i < spans.count; i++)
		fprintf(text, "%s%s", i ? " || " : spans.count > 1 ? "(" : "", spans.items[i]);
	fputs(spans.count > 1 ? ")" : "", text);
}

/* All that was asked for, as one expression; NULL where nothing was. */
static char *whole_expression(const char *expression)
{
	char *buffer = NULL, *whole = NULL;
	size_t size;
	FILE *text = open_memstream(&buffer, &size);

	if (!text)
		cli_die_os("cannot build the expression");
	add_names(text, "event", &events);
	add_ranges(text, "pid", &pids);
	add_ranges(text, "tid", &tids);
	add_ranges(text, "cpu", &cpus);
	add_names(text, "comm", &names);
	add_spans(text);
	if (expression) {
		start_term(text);
		fprintf(text, "(%s)", expression);
	}
	if (fclose(text))
		cli_die_os("cannot build the expression");
	if (!size && invert)
		cli_misuse("--invert needs something to invert");
	if (!size) {
		free(buffer);
		return NULL;
	}
	if (!invert)
		return buffer;
	if (asprintf(&whole, "!(%s)", buffer) < 0)
		cli_die_os("cannot build the expression");
	free(buffer);
	return whole;
}

/* ---- The query ---- */

static struct pp_query *query;       /* NULL: all match */
static const char *operand_text;     /* the expression that was given ... */
static size_t operand_at;            /* and where it stands in all that was asked for */
static struct pp_query_facts facts;
static struct pp_tracepoints *tracepoints;  /* NULL unless their fields are asked for */

/* The expression on a line and a caret below its byte `at`. */
static void __attribute__((noreturn)) refuse(const char *expression,
					     const struct pp_query_error *error)
{
	char *const line = strdup(expression);
	int column = 0;

	if (!line)
		cli_die_os("cannot compile the expression");
	for (size_t i = 0; line[i]; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = ' ';
		/* Bytes that continue a character take no column. */
		column += i < error->at && (line[i] & 0xc0) != 0x80;
	}
	cli_die(EXIT_MISUSE, "%s\n  %s\n  %*s^", error->text, line, column, "");
}

static void compile(const char *expression)
{
	struct pp_query_error error;
	char *whole;

	/* First alone, so that a mistake is shown where it was made. */
	query = expression ? pp_query_compile(expression, &error) : NULL;
	if (expression && !query)
		refuse(expression, &error);
	pp_query_free(query);
	query = NULL;
	whole = whole_expression(expression);
	if (!whole)
		return;
	cli_note("keeping samples where %s", whole);
	query = pp_query_compile(whole, &error);
	if (!query)
		refuse(whole, &error);
	operand_text = expression;
	if (expression)
		operand_at = strlen(whole) - strlen(expression) - strlen(")") - invert;
	free(whole);
}

/* ---- Filtering ---- */

static bool first_known, wall_clock_known;
static struct pp_first *firsts;      /* NULL unless they are asked for */
static struct pp_context *context;   /* likewise */
static uint64_t last_match;          /* its time */
static int rounds_after;             /* since the last sample that is kept, or judged */

static bool needs(bool (*what)(const struct pp_query *))
{
	return (query && what(query)) || (firsts && pp_first_asks(firsts, what));
}

/* Names and maps older than the last sample may come until the round after its own ends. */
static bool is_over(const struct pp_record *record)
{
	uint64_t time;

	if (limit || rounds_after < 2)
		return false;
	return !context ||
	       (pp_time(record, &time) && time > last_match && time - last_match > around);
}

/* Names that no table has are tracepoints' fields, or mistakes: from the first sample on the stream
 * has told which. */
static void settle(struct run *run)
{
	struct pp_query_error error;
	const struct pp_error *damage;
	char text[512];

	if (!tracepoints || facts.tracepoints)
		return;
	damage = pp_tracepoints_error(tracepoints);
	if (damage) {
		pp_error_text(damage, text, sizeof(text));
		cli_warn("%s: formats of tracepoints: %s", run->stream->name, text);
	}
	facts.tracepoints = tracepoints;
	if (query && pp_query_settle(query, tracepoints, &error)) {
		error.at -= operand_at;
		refuse(operand_text, &error);
	}
	if (firsts && pp_first_settle(firsts, tracepoints, &error))
		refuse(first_per, &error);
}

/* What others than samples tell: 0, or -1. */
static int note(struct run *run, const struct pp_record *record)
{
	uint64_t clockid;

	if (record->type == PP_REC_HEADER_FEATURE &&
	    pp_clock_data(record, &clockid, &facts.wall_clock))
		wall_clock_known = true;
	return facts.tasks ? pp_tasks_note(facts.tasks, record, &run->error) : 0;
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
		return pp_fail(&run->error, PP_E_USE,
			       "the stream has no CLOCK_DATA, which tells the "
			       "time of the wall clock: record with "
			       "perf record -k mono, or pp-record");
	if (!limit || (query && !pp_query_match(query, record, &facts)))
		return 0;
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
	if (is_over(record))
		return PP_STOP;
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

/* With --context all wait in line until what follows them is known; only what has a tail does not.
 */
static int judge(struct run *run, struct pp_record *record)
{
	const int verdict = decide(run, record);
	const bool sample = record->type == PP_REC_SAMPLE;

	if (!context)
		return verdict;
	if (verdict < 0 || verdict == PP_STOP || record->tail || (!sample && verdict == PP_DROP))
		return verdict;
	run->kept += sample && verdict == PP_KEEP;
	return pp_context_put(context, record, sample && verdict == PP_KEEP, &run->error) ? -1
											  : PP_DROP;
}

/* --samples counts as the input stands, before anything waits to be judged. */
static int admit(struct run *run, const struct pp_record *record)
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

static int start(struct run *run)
{
	if (tracepoints)
		pp_tracepoints_watch(tracepoints, run->in);
	if (around == UINT64_MAX)
		return 0;
	context = pp_context_open(around, 0, run->out);
	return context ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int end(struct run *run)
{
	const struct pp_context_stats *stats;

	settle(run);
	if (!context)
		return 0;
	if (pp_context_end(context))
		return -1;
	stats = pp_context_stats(context);
	run->kept += stats->near;
	if (stats->overflows)
		cli_warn("%s: more than may be held lies within the time of --context: the older "
			 "half "
			 "was decided early, %" PRIu64 " time%s",
			 run->stream->name, stats->overflows, stats->overflows == 1 ? "" : "s");
	return 0;
}

/* What counts from the end of the stream needs to know it: the input is read once before. */
static void look_ahead(void)
{
	const struct pp_reader_options trusting = { .no_verify = true };
	struct pp_error error = { .code = PP_OK };
	struct pp_record record;
	struct pp_reader *in;
	struct stat st;
	uint64_t time;
	int got;

	if (common.input ? stat(common.input, &st) : fstat(STDIN_FILENO, &st))
		return;               /* the run will say why */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		cli_misuse(
			"a time from the last sample, or a part of the whole, needs an input that "
			"can be read twice: a file");
	in = pp_reader_open(common.input ? common.input : "/dev/stdin", &trusting, &error);
	while (in &&
	       ((got = pp_reader_next(in, &record, &error)) > 0 || (got < 0 && !error.fatal))) {
		if (got < 0 || record.type != PP_REC_SAMPLE || !pp_time(&record, &time))
			continue;
		if (!first_known || time < facts.first)
			facts.first = time;
		if (time > facts.last)
			facts.last = time;
		first_known = true;
	}
	pp_reader_close(in);
}

/* ---- Pruning ---- */

static struct pp_prune *pruner;

static int start_pruning(struct run *run)
{
	pruner = pp_prune_new(hold, run->in, run->out);
	return pruner ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int judge_and_prune(struct run *run, struct pp_record *record)
{
	int verdict = judge(run, record);

	if (verdict == PP_KEEP)
		verdict = pp_prune_judge(pruner, record, &run->error);
	else
		return verdict;
	/* it was written there */
	run->kept += verdict == PP_DROP && record->type == PP_REC_SAMPLE;
	return verdict;
}

static int end_pruning(struct run *run)
{
	const struct pp_prune_stats *const stats = pp_prune_stats(pruner);
	const int status = pp_prune_end(pruner, &run->error);

	cli_note("%" PRIu64 " of %" PRIu64 " records of side-band kept%s", stats->kept,
		 stats->side_band, stats->spilled ? "; a temporary file held some" : "");
	return status;
}

/* ---- Instead ---- */

/* A field, and which of the stream's events have it. */
struct listed {
	char name[PP_QUERY_TRACE_NAME];
	const char *kind, *doc;       /* from the tables */
	size_t events;
	FILE *text;
	char *names;                  /* of the first few events */
	size_t size;
};

enum { TRACEPOINT = 2 };              /* pp_attr.type: PERF_TYPE_TRACEPOINT */

static struct listing {
	struct listed *fields;
	size_t count;
	const struct pp_attr *attr;   /* whose fields are told; NULL: those of all */
	const struct pp_attrs *attrs;
	bool types[PP_USER_TYPES];    /* that the stream has */
} listing;

static void list_field(void *arg, const char *name, const char *kind, const char *doc)
{
	enum { NAMED = 4 };           /* events that are named */
	struct listed *field = listing.fields, *const end = listing.fields + listing.count;

	(void)arg;
	while (field < end && strcmp(field->name, name) != 0)
		field++;
	if (listing.attr && field < end && field->events++ < NAMED)
		fprintf(field->text, "%s%s", field->events > 1 ? ", " : "", listing.attr->name);
	if (listing.attr || field < end)
		return;
	listing.fields = realloc(listing.fields, (listing.count + 1) * sizeof(*field));
	if (!listing.fields)
		cli_die(EXIT_SYSTEM, "out of memory");
	field = &listing.fields[listing.count++];
	*field = (struct listed){ .kind = kind, .doc = doc };
	snprintf(field->name, sizeof(field->name), "%s", name);
}

static int note_attrs(struct run *run, struct pp_record *record)
{
	(void)run;
	listing.attrs = record->attrs;
	if (record->type < PP_USER_TYPES)
		listing.types[record->type] = true;
	return 0;
}

static void print_field(struct pp_out *out, const char *name, const char *kind, const char *doc)
{
	char line[PP_QUERY_TRACE_NAME + 16];

	snprintf(line, sizeof(line), "%-36s %-7s ", name, kind);
	pp_out_text(out, line);
	pp_out_printable(out, doc, strlen(doc));
}

static void print_whole_line(void *arg, const char *name, const char *kind, const char *doc)
{
	print_field(arg, name, kind, doc);
	pp_out_char(arg, '\n');
}

/* What tracepoints have, under their long names, and the records that are no samples. */
static void print_others(struct pp_out *out)
{
	const size_t n = listing.attrs ? pp_attrs_count(listing.attrs) : 0;
	bool any = false;
	char buf[24];

	for (size_t i = 0; i < n; i++) {
		const struct pp_attr *const attr = pp_attrs_at(listing.attrs, i);
		const struct pp_tracepoint *const point = attr->type == TRACEPOINT ?
			pp_tracepoints_by_id(tracepoints, attr->config) : NULL;

		if (point && !any)
			pp_out_text(out, "\nfields of tracepoints:\n");
		any |= point != NULL;
		if (point)
			pp_query_trace_fields(point, print_whole_line, out);
	}
	for (uint32_t type = 0; type < PP_USER_TYPES; type++) {
		if (!listing.types[type] || type == PP_REC_SAMPLE || !pp_type(type))
			continue;
		pp_out_text(out, "\nfields of ");
		pp_out_text(out, pp_type_name(type, buf));
		pp_out_text(out, " records:\n");
		pp_query_side_fields(type, print_whole_line, out);
	}
}

/* A line for each field: name, kind, meaning, and which events have it if others have not. */
static int print_fields(struct run *run)
{
	const size_t n = listing.attrs ? pp_attrs_count(listing.attrs) : 0;

	pp_query_fields(NULL, list_field, NULL);
	for (size_t i = 0; i < listing.count; i++)
		if (!(listing.fields[i].text = open_memstream(&listing.fields[i].names,
							      &listing.fields[i].size)))
			cli_die_os("cannot list the fields");
	for (size_t i = 0; i < n; i++) {
		listing.attr = pp_attrs_at(listing.attrs, i);
		pp_query_fields(listing.attr, list_field, NULL);
	}
	for (struct listed *f = listing.fields; f < listing.fields + listing.count; f++) {
		if (fclose(f->text))
			cli_die_os("cannot list the fields");
		if (f->events) {
			print_field(run->text, f->name, f->kind, f->doc);
		}
		if (f->events && f->events < n) {
			pp_out_text(run->text, " (");
			pp_out_printable(run->text, f->names, f->size);
			pp_out_text(run->text, f->events > 4 ? ", ...)" : ")");
		}
		pp_out_text(run->text, f->events ? "\n" : "");
		free(f->names);
	}
	free(listing.fields);
	print_others(run->text);
	return 0;
}

static int list_fields(const char *expression)
{
	const struct sink sink = { .start = start, .record = note_attrs, .end = print_fields };
	int status;

	if (expression)
		cli_misuse("--fields lists what an expression may ask, and takes none");
	tracepoints = pp_tracepoints_new();
	if (!tracepoints)
		cli_die(EXIT_SYSTEM, "out of memory");
	status = run_sink(&tool, &sink);
	pp_tracepoints_free(tracepoints);
	return status;
}

static int explain(void)
{
	struct pp_out out;

	if (!query)
		cli_misuse("--explain needs something to explain");
	if (pp_out_open(&out, STDOUT_FILENO))
		cli_die(EXIT_SYSTEM, "out of memory");
	pp_query_explain(query, &out);
	if (pp_out_close(&out))
		cli_die_os("cannot write");
	pp_query_free(query);
	return EXIT_DONE;
}

/* The fields of --first-per, or NULL. */
static struct pp_first *open_firsts(void)
{
	struct pp_query_error error;
	struct pp_first *const opened = first_per ? pp_first_open(first_per, &error) : NULL;

	if (first_per && !opened)
		refuse(first_per, &error);
	return opened;
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
				 .admit = slices.count ? admit : NULL };
	int status;

	if (show_fields)
		return list_fields(argv[operand]);
	check_types();
	compile(argv[operand]);
	firsts = open_firsts();
	if (show_program)
		return explain();
	if (needs(pp_query_needs_tasks)) {
		facts.tasks = pp_tasks_new((query ? pp_query_tasks_with(query) : 0) |
					   (firsts ? pp_first_tasks_with(firsts) : 0));
		if (!facts.tasks)
			cli_die(EXIT_SYSTEM, "out of memory");
	}
	if (needs(pp_query_needs_tracepoints)) {
		tracepoints = pp_tracepoints_new();
		if (!tracepoints)
			cli_die(EXIT_SYSTEM, "out of memory");
	}
	if (needs(pp_query_needs_last))
		look_ahead();
	filter.time_order = firsts || facts.tasks || (needs(pp_query_needs_first) && !facts.last);
	filter.sorted = around != UINT64_MAX || prune;
	if (prune && around != UINT64_MAX)
		cli_misuse("--prune does not go with --context: filter twice");
	if (prune) {
		filter.judge = judge_and_prune;
		filter.start = start_pruning;
		filter.end = end_pruning;
	}
	status = run_filter(&tool, &filter);
	pp_prune_free(pruner);
	pp_context_close(context);
	pp_first_close(firsts);
	pp_tasks_free(facts.tasks);
	pp_tracepoints_free(tracepoints);
	pp_query_free(query);
	return status;
}
