/* list_fields.c - lists the fields that expressions of pp-filter may use. */
#include "filter/list_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *fields_print_names(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	pp_query_fields(NULL, print_name, NULL);
	for (uint32_t type = 0; type < PP_USER_TYPES; type++)
		pp_query_side_fields(type, print_name, NULL);
	fputs("children_of(\nany(\ndefined(\n", stdout);
	if (fflush(stdout) || ferror(stdout))
		cli_die_os("cannot write standard output");
	exit(EXIT_DONE);
}

/* A field, and which of the stream's events have it. */
struct listed {
	char name[PP_QUERY_TRACE_NAME];
	const char *kind, *doc;       /* from the tables */
	size_t events;
	FILE *text;
	char *names;                  /* of the first few events */
	size_t size;
};

static struct pp_tracepoints *tracepoints;

static struct fields_listing {
	struct listed *fields;
	size_t count;
	const struct pp_attr *attr;   /* whose fields are listed; NULL: those of all */
	const struct pp_attrs *attrs;
	bool types[PP_USER_TYPES];    /* that the stream has */
} listing;

static void list_field(void *arg, const char *name, const char *kind, const char *doc)
{
	enum { NAMED = 4 };           /* events that are named */
	struct listed *field;
	size_t i = 0;

	(void)arg;
	while (i < listing.count && strcmp(listing.fields[i].name, name) != 0)
		i++;
	field = i < listing.count ? &listing.fields[i] : NULL;
	if (listing.attr && field && field->events++ < NAMED)
		fprintf(field->text, "%s%s", field->events > 1 ? ", " : "", listing.attr->name);
	if (listing.attr || field)
		return;
	listing.fields = cli_grow(listing.fields, listing.count + 1, sizeof(*field));
	field = &listing.fields[listing.count++];
	*field = (struct listed){ .kind = kind, .doc = doc };
	snprintf(field->name, sizeof(field->name), "%s", name);
}

static int start(struct run *run)
{
	pp_tracepoints_watch(tracepoints, run->in);
	return 0;
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
		const struct pp_tracepoint *const point = pp_tracepoints_of(tracepoints, attr);

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
		if (!cli_text_end(f->text, &f->names))
			cli_die_os("cannot list the fields");
		if (f->events)
			print_field(run->text, f->name, f->kind, f->doc);
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

int fields_list(const struct tool *tool)
{
	const struct sink sink = { .start = start, .record = note_attrs, .end = print_fields };
	int status;

	tracepoints = pp_tracepoints_new();
	if (!tracepoints)
		cli_no_memory();
	status = run_sink(tool, &sink);
	pp_tracepoints_free(tracepoints);
	return status;
}
