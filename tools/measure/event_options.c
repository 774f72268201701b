/* event_options.c - filters of events, events that there are not, and a list of those that there are. */
#include "measure/event_options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

#define SCHEMA "perfpipe.events/1"

const char *parse_pfm(void *asked_events, const char *value)
{
	struct asked_events *const asked = asked_events;

	if (asked->n_pfm == PFM_MOST)
		return "is one such option too many";
	asked->pfm[asked->n_pfm++] = asked->texts.count;
	return cli_add(&asked->texts, value);
}

/* text NULL: what leaves out the recorder itself. */
static const char *add_filter(struct asked_events *asked, const char *text)
{
	if (!asked->texts.count)
		return "belongs after the --event that it is of";
	if (asked->n_filters == FILTERS_MOST)
		return "is one filter too many";
	asked->filters[asked->n_filters++] =
		(struct pp_event_filter){ .event = asked->texts.count - 1, .text = text };
	return NULL;
}

const char *parse_filter(void *asked_events, const char *value)
{
	return add_filter(asked_events, value);
}

const char *parse_exclude_self(void *asked_events, const char *value)
{
	(void)value;
	return add_filter(asked_events, NULL);
}

void refuse_events(const struct asked_events *asked)
{
	struct pp_error error;
	size_t pfm = 0;

	for (size_t i = 0; i < asked->texts.count; i++) {
		const char *const text = asked->texts.items[i];
		const bool is_pfm = pfm < asked->n_pfm && asked->pfm[pfm] == i;
		const int wrong = is_pfm ? pp_event_check_pfm(text, &error) :
					   pp_event_check(text, &error);

		pfm += is_pfm;
		if (wrong && error.code == PP_E_USE)
			cli_refuse(cli_cured(&error).detail, text, error.at);
	}
}

struct event_listing {
	char *const *patterns;
	struct pp_out out;
	bool json, any;
};

static const char *kind_of(enum pp_known_kind kind)
{
	static const char *const names[] = {
		[PP_KNOWN_HARDWARE] = "hardware", [PP_KNOWN_SOFTWARE] = "software",
		[PP_KNOWN_CACHE] = "cache", [PP_KNOWN_PMU] = "pmu",
		[PP_KNOWN_TRACEPOINT] = "tracepoint",
	};

	return names[kind];
}

/* A pattern may leave out the PMU, as -e does. */
static bool is_wanted(const struct event_listing *l, const char *name)
{
	const char *const slash = strchr(name, '/');
	char alone[128] = "";

	if (slash)
		(void)snprintf(alone, sizeof(alone), "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
	for (char *const *p = l->patterns; *p; p++)
		if (!fnmatch(*p, name, 0) || (slash && !fnmatch(*p, alone, 0)))
			return true;
	return !*l->patterns;
}

static void put_member(struct pp_json *j, const char *name, const char *value)
{
	if (value)
		(void)pp_json_text(j, name, value, strlen(value));
}

static void print_json(struct pp_out *out, const struct pp_known_event *known)
{
	struct pp_json j = { .out = out };

	pp_json_open(&j, NULL, '{');
	put_member(&j, "name", known->name);
	put_member(&j, "kind", kind_of(known->kind));
	put_member(&j, "pmu", known->pmu);
	put_member(&j, "terms", known->terms);
	put_member(&j, "scale", known->scale);
	put_member(&j, "unit", known->unit);
	pp_json_close(&j, '}');
	pp_out_char(out, '\n');
}

static void print_text(struct pp_out *out, const struct pp_known_event *known)
{
	pp_out_printable(out, known->name, strlen(known->name));
	for (size_t n = strlen(known->name); n < 44; n++)
		pp_out_char(out, ' ');
	pp_out_char(out, ' ');
	pp_out_text(out, kind_of(known->kind));
	if (known->terms) {
		pp_out_char(out, ' ');
		pp_out_printable(out, known->terms, strlen(known->terms));
	}
	pp_out_char(out, '\n');
}

static void print_known(void *arg, const struct pp_known_event *known)
{
	struct event_listing *const l = arg;

	if (!is_wanted(l, known->name))
		return;
	l->any = true;
	if (l->json)
		print_json(&l->out, known);
	else
		print_text(&l->out, known);
}

int list_events(char *const *patterns, bool json)
{
	struct event_listing l = { .patterns = patterns, .json = json };

	if (pp_out_open(&l.out, output_open(common.output, false)))
		cli_no_memory();
	if (json)
		pp_out_text(&l.out, "{\"schema\":\"" SCHEMA "\"}\n");
	pp_known_events(print_known, &l);
	if (pp_out_close(&l.out))
		output_failed(l.out.os);
	output_close(l.any ? EXIT_DONE : EXIT_NO);
	return l.any ? EXIT_DONE : EXIT_NO;
}
