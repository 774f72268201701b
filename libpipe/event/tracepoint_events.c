/* tracepoint_events.c - tracepoints, among them the probes that tracefs has, by names and patterns;
 * and filters. */
#include "base/procfs.h"
#include "event/grammar.h"

#include <perfpipe/suggest.h>

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int unreadable(struct pp_parser *w, const char *system, const char *point)
{
	const bool denied = errno == EACCES || errno == EPERM;

	return pp_fail_os(w->error, "cannot read the tracepoint %s:%s in tracefs%s", system, point,
			  denied ? " (needs root)" : "");
}

/* One, if there is such.  1, 0 or -1. */
static int add_tracepoint(struct pp_parser *w, const char *system, const char *point)
{
	struct pp_event *e;
	char name[512];
	uint64_t id;

	errno = 0;
	id = pp_file_u64(UINT64_MAX, PP_TRACEPOINTS "/%s/%s/id", pp_tracefs(), system, point);
	if (id == UINT64_MAX)
		return pp_lacking(errno) || errno == EACCES || errno == EPERM ?
			       unreadable(w, system, point) : 0;
	(void)snprintf(name, sizeof(name), "%s:%s", system, point);
	e = pp_words_event(w, (struct pp_slice){ name, name + strlen(name) });
	if (!e)
		return -1;
	e->system = strdup(system);
	e->point = strdup(point);
	if (!e->system || !e->point)
		return pp_words_no_memory(w);
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = id;
	return 1;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* The tracepoints of one system that match. */
static int add_matching_points(struct pp_parser *w, const char *system, const char *point, size_t *found)
{
	struct pp_names names;
	char path[1024];
	int got = 0;

	(void)snprintf(path, sizeof(path), PP_TRACEPOINTS "/%s", pp_tracefs(), system);
	if (pp_names_read(&names, path, NULL))
		return 0;
	for (size_t i = 0; i < names.n && got >= 0; i++) {
		if (fnmatch(point, names.items[i], 0))
			continue;
		got = add_tracepoint(w, system, names.items[i]);
		*found += got > 0;
	}
	pp_names_free(&names);
	return got < 0 ? -1 : 0;
}

static int add_matching(struct pp_parser *w, const char *system, const char *point, size_t *found)
{
	struct pp_names systems;
	char path[64];
	int status = 0;

	(void)snprintf(path, sizeof(path), PP_TRACEPOINTS, pp_tracefs());
	if (pp_names_read(&systems, path, NULL))
		return pp_fail_os(w->error, "cannot read %s", path);
	for (size_t i = 0; i < systems.n && !status; i++)
		/* Those of the function tracer are its own records; only ftrace:function, by its name,
		 * can be opened. */
		if (!fnmatch(system, systems.items[i], 0) && strcmp(systems.items[i], "ftrace") != 0)
			status = add_matching_points(w, systems.items[i], point, found);
	pp_names_free(&systems);
	return status;
}

int pp_words_points(struct pp_parser *w, struct pp_slice system_piece, struct pp_slice point_piece,
		    size_t *found)
{
	char system[128], point[256];
	int got;

	if (!pp_tracefs() && errno == ENOENT)
		return pp_fail_os(w->error, "cannot find tracepoints: tracefs is not mounted: as root, "
				  "mount -t tracefs nodev " PP_TRACEFS);
	if (!pp_tracefs())
		return pp_fail_os(w->error, "cannot read tracepoints in tracefs (needs root)");
	if (!pp_piece_text(system_piece, system, sizeof(system)) ||
	    !pp_piece_text(point_piece, point, sizeof(point)) || *system == '.' || *point == '.')
		return 0;
	if (is_pattern(system) || is_pattern(point))
		return add_matching(w, system, point, found);
	got = add_tracepoint(w, system, point);
	*found += got > 0;
	return got < 0 ? -1 : 0;
}

/* ---- filters ---- */

/* How many ranges of addresses the hardware of this event can leave out. */
static uint64_t address_filters(const struct pp_event *e)
{
	return e->pmu ? pp_file_u64(0, PP_PMUS "/%s/nr_addr_filters", e->pmu) : 0;
}

/* One more filter of an event; both hold. */
static int add_filter(struct pp_event *e, const char *filter, struct pp_error *error)
{
	char *const text = e->system ? strdup(filter) : pp_ranges_text(filter, address_filters(e), error);
	char *whole = text;

	if (!text)
		return e->system ? pp_fail(error, PP_E_NOMEM, NULL) : -1;
	if (e->filter && asprintf(&whole, e->system ? "(%s) && (%s)" : "%s,%s", e->filter, text) < 0)
		whole = NULL;
	if (e->filter)
		free(text);
	if (!whole)
		return pp_fail(error, PP_E_NOMEM, NULL);
	free(e->filter);
	e->filter = whole;
	return 0;
}

int pp_events_filter(struct pp_events *events, const char *filter, struct pp_error *error)
{
	char own[48];

	if (events->last == events->n)
		return pp_fail(error, PP_E_USE, "a filter belongs after the event that it is of");
	if (!filter && pp_in_pid_namespace()) {
		(void)pp_fail(error, PP_E_USE, "a recorder cannot leave itself out in a container, where "
			      "it does not know its own number");
		return pp_error_hint(error, PP_HINT_FILTER);
	}
	(void)snprintf(own, sizeof(own), "common_pid != %d", (int)getpid());
	for (size_t i = events->last; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];

		if (!filter && !e->system) {
			(void)pp_fail(error, PP_E_USE, "only hits of tracepoints can leave out the "
				      "recorder, and %.60s is not one", e->name);
			return pp_error_hint(error, PP_HINT_NOT_ITSELF);
		}
		if (!e->system && !address_filters(e))
			return pp_fail(error, PP_E_USE, "%.60s takes no filter: it is neither a tracepoint "
				       "nor a tracer of the processor", e->name);
		if (add_filter(e, filter ? filter : own, error))
			return -1;
	}
	return 0;
}

/* Whether a line of a format is of a field; its name is then in `name`. */
static bool format_field(const char *line, char *name, size_t size)
{
	const char *end = strchr(line, ';'), *at;

	if (strncmp(line, "\tfield:", 7) != 0 || !end)
		return false;
	while (end > line && end[-1] == ']')
		while (end > line && *--end != '[')
			;
	for (at = end; at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'); at--)
		;
	return pp_piece_text((struct pp_slice){ at, end }, name, size);
}

/* A word of the filter that is no field, if there is one; the fields that there are. */
static bool find_culprit(const struct pp_event *e, const char *format, char word[64])
{
	for (const char *at = e->filter; *at; at++) {
		bool known = false;
		size_t n = 0;

		if (*at == '"' || *at == '\'') {
			at = strchr(at + 1, *at) ? strchr(at + 1, *at) : at;
			continue;
		}
		while (isalnum((unsigned char)at[n]) || at[n] == '_')
			n++;
		if (!n)
			continue;
		if (n < 64 && !isdigit((unsigned char)*at)) {
			memcpy(word, at, n);
			word[n] = '\0';
			for (const char *line = format; line && !known;
			     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
				char field[64];

				known = format_field(line, field, sizeof(field)) && !strcmp(field, word);
			}
			/* What is compared with may be a bare word: only what an operator follows. */
			if (!known && at[n + strspn(at + n, " ")] &&
			    strchr("=!<>&~", at[n + strspn(at + n, " ")]))
				return true;
		}
		at += n - 1;
	}
	return false;
}

static void say_fields(const char *format, const char *word, char *text, size_t size)
{
	struct pp_nearest n = { .wanted = word };
	char field[64];

	for (const char *line = format; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (format_field(line, field, sizeof(field)))
			pp_nearest_consider(&n, field, NULL);
	pp_nearest_question(&n, text, size);
}

int pp_filter_refused(const struct pp_event *e, int os, struct pp_error *error)
{
	char path[512], word[64], meant[80] = "";
	char *format = NULL;
	size_t length;
	bool found;

	errno = os;
	if (!e->system || os != EINVAL)
		return pp_fail_os(error, "cannot set the filter '%.80s' of %.40s", e->filter, e->name);
	(void)snprintf(path, sizeof(path), PP_TRACEPOINTS "/%s/%s/format", pp_tracefs(), e->system,
		       e->point);
	format = pp_file_all(path, &length);
	found = format && find_culprit(e, format, word);
	if (found)
		say_fields(format, word, meant, sizeof(meant));
	free(format);
	if (found)
		return pp_fail(error, PP_E_USE, "filter '%.60s': %.40s has no field '%s'%s", e->filter,
			       e->name, word, meant);
	return pp_fail(error, PP_E_USE, "the kernel refuses the filter '%.100s' of %.40s", e->filter,
		       e->name);
}
