/*
 * pp-filter - keep the samples that match.
 *
 * Only samples are judged.  All else passes: names, maps and attributes from anywhere in the
 * stream are needed to make sense of the samples that stay.  Every option says a comparison of
 * the filter's language, so that there is one thing that decides: the query.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "run.h"

static struct cli_list events, names;
static struct cli_ranges pids, tids, cpus;
static const char *from, *to;        /* seconds, as given */
static uint64_t limit = UINT64_MAX;
static bool invert, show_fields, show_program;

/* FROM,TO: either may be missing; a plus counts from the first sample. */
static const char *parse_span(void *target, const char *value)
{
	static char copy[80];
	char *const comma = strlen(value) < sizeof(copy) ? strchr(strcpy(copy, value), ',') : NULL;
	const char *wrong = NULL;
	uint64_t low = 0, high = 0;

	(void)target;
	if (!comma || !value[1])
		return "is not FROM,TO";
	*comma = '\0';
	from = *copy ? copy : NULL;
	to = comma[1] ? comma + 1 : NULL;
	if (from)
		wrong = cli_time(&low, from + (*from == '+'));
	if (!wrong && to)
		wrong = cli_time(&high, to + (*to == '+'));
	if (wrong)
		return wrong;
	return from && to && (*from == '+') == (*to == '+') && low > high ?
		       "ends before it begins" : NULL;
}

static const struct option_spec options[] = {
	OPT_LIST('e', "event", "EVENT", &events, "keep samples of these events"),
	OPT_RANGES('p', "pid", "PIDS", &pids, "keep samples of these processes"),
	OPT_RANGES('t', "tid", "TIDS", &tids, "keep samples of these threads"),
	OPT_RANGES('C', "cpu", "CPUS", &cpus, "keep samples of these CPUs"),
	OPT_LIST(0, "comm", "NAMES", &names, "keep samples of threads with these names"),
	OPT_CALL(0, "time", "FROM,TO", NULL, parse_span,
		 "keep samples of this span of time, in seconds"),
	OPT_U64('n', "limit", "COUNT", &limit, "end the stream after COUNT samples kept"),
	OPT_SWITCH(0, "invert", &invert, "keep the samples that do not match"),
	OPT_GROUP("Instead of filtering"),
	OPT_SWITCH(0, "fields", &show_fields, "list the fields that samples of the input have"),
	OPT_SWITCH(0, "explain", &show_program, "show how the expression is asked; read nothing"),
	OPT_COMMON_FILTER,
	OPT_END
};

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
		"  pp-filter 'mode == user && any_dso ~ \"*/libssl*\" && weight.var2_w > 100'\n",
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

static void add_time(FILE *text, const char *operator, const char *seconds)
{
	if (!seconds)
		return;
	start_term(text);
	fprintf(text, "time %s %ss", operator, seconds);
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
	add_time(text, ">=", from);
	add_time(text, "<=", to);
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

static struct pp_query *compile(const char *expression)
{
	struct pp_query_error error;
	struct pp_query *query = expression ? pp_query_compile(expression, &error) : NULL;
	char *whole;

	/* First alone, so that a mistake is shown where it was made. */
	if (expression && !query)
		refuse(expression, &error);
	pp_query_free(query);
	whole = whole_expression(expression);
	if (!whole)
		return NULL;
	cli_note("keeping samples where %s", whole);
	query = pp_query_compile(whole, &error);
	if (!query)
		refuse(whole, &error);
	free(whole);
	return query;
}

/* ---- Filtering ---- */

static struct pp_query *query;       /* NULL: all match */
static struct pp_tasks *tasks;       /* NULL unless the query asks for comm or dso */
static uint64_t first_sample;        /* its time; 0 before it */
static int rounds_after;             /* since the last sample that is kept */

static int judge(struct run *run, struct pp_record *record)
{
	uint64_t time;

	/* Names and maps older than the last sample may come until the round after its own ends. */
	if (!limit && rounds_after == 2)
		return PP_STOP;
	rounds_after += !limit && pp_is_round(record);
	if (record->type != PP_REC_SAMPLE) {
		if (tasks && pp_tasks_note(tasks, record, &run->error))
			return -1;
		return PP_KEEP;
	}
	if (!first_sample && pp_time(record, &time))
		first_sample = time;
	/* One that no attribute describes cannot be judged: it passes, and is counted. */
	if (record->attr && query && !pp_query_match(query, record, tasks, first_sample))
		return PP_DROP;
	if (!limit)
		return PP_DROP;
	limit--;
	return PP_KEEP;
}

/* ---- Instead ---- */

/* A field, and which of the stream's events have it. */
struct listed {
	char name[80];
	const char *kind, *doc;       /* from the tables */
	size_t events;
	FILE *text;
	char *names;                  /* of the first few events */
	size_t size;
};

static struct listing {
	struct listed *fields;
	size_t count;
	const struct pp_attr *attr;   /* whose fields are told; NULL: those of all */
	const struct pp_attrs *attrs;
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
	return 0;
}

/* A line for each field: name, kind, meaning, and which events have it if others have not. */
static int print_fields(struct run *run)
{
	const size_t n = listing.attrs ? pp_attrs_count(listing.attrs) : 0;
	char line[120];

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
			snprintf(line, sizeof(line), "%-36s %-7s ", f->name, f->kind);
			pp_out_text(run->text, line);
			pp_out_text(run->text, f->doc);
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
	return 0;
}

static int list_fields(const char *expression)
{
	const struct sink sink = { .record = note_attrs, .end = print_fields };

	if (expression)
		cli_misuse("--fields lists what an expression may ask, and takes none");
	return run_sink(&tool, &sink);
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

int main(int argc, char **argv)
{
	const int operand = cli_parse(&tool, argc, argv);
	struct filter filter = { .judge = judge };
	int status;

	if (show_fields)
		return list_fields(argv[operand]);
	query = compile(argv[operand]);
	if (show_program)
		return explain();
	filter.time_order = query && (pp_query_needs_tasks(query) || pp_query_needs_first(query));
	if (query && pp_query_needs_tasks(query)) {
		tasks = pp_tasks_new(pp_query_needs_maps(query));
		if (!tasks)
			cli_die(EXIT_SYSTEM, "out of memory");
	}
	status = run_filter(&tool, &filter);
	pp_tasks_free(tasks);
	pp_query_free(query);
	return status;
}
