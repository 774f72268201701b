/*
 * grammar.c - the words after -e: lists, groups, and which kind of event each piece is.  Each kind of
 * event has a file of its own.
 */
#include "event/grammar.h"

#include <perfpipe/suggest.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one event ---- */

/* An event's text: HEAD, :REST or :POINT, /TERMS/, :MODES. */
struct parts {
	struct pp_slice whole, head, terms, modes;
	bool slashed;
};

/* Where the first of these letters is, or the end. */
static const char *find(struct pp_slice piece, const char *letters)
{
	const char *at = piece.at;

	while (at < piece.end && !strchr(letters, *at))
		at++;
	return at;
}

/* What follows a name: "[/TERMS/][[:]MODES]", to the end. */
static int take_rest(struct pp_parser *w, const char *at, struct parts *p)
{
	const char *const end = p->whole.end;

	p->slashed = at < end && *at == '/';
	p->terms = (struct pp_slice){ at, at };
	if (p->slashed) {
		p->terms = (struct pp_slice){ at + 1, find((struct pp_slice){ at + 1, end }, "/") };
		if (p->terms.end == end)
			return pp_words_fail(w, at, "a second '/' is missing");
		at = p->terms.end + 1;
	}
	p->modes = (struct pp_slice){ at, end };
	if (at == end)
		return 0;
	if (*at == ':')
		p->modes.at++;
	if (!pp_modes_right(p->modes))
		return pp_words_fail(w, p->modes.at, "modifiers are u, k, h, G, H, I, P, S, D, W, e, b, R "
				     "and up to three p");
	return 0;
}

/* Letters of modifiers that belong to an event's name, as perf has it. */
static void add_letters(char **to, struct pp_slice modes)
{
	for (const char *c = modes.at; c < modes.end; c++)
		if (strchr("ukhGHpP", *c))
			*(*to)++ = *c;
}

/* Adds the modifiers to the name, and applies them: those of the event, then those of its group. */
static int finish(struct pp_parser *w, size_t first, const struct parts *p, struct pp_slice more)
{
	char letters[64] = ":", *end = letters + 1;

	add_letters(&end, p->modes);
	if (end - letters + (more.end - more.at) < (long)sizeof(letters))
		add_letters(&end, more);
	*end = '\0';
	for (size_t i = first; i < w->events->n; i++) {
		struct pp_event *const e = &w->events->items[i];
		const bool slash = strchr(e->name, '/') && e->name[strlen(e->name) - 1] == '/';
		char *name;

		pp_modes_apply(e, p->modes, false);
		pp_modes_apply(e, more, true);
		if (!letters[1] || e->named)
			continue;
		if (asprintf(&name, "%s%s", e->name, letters + slash) < 0)
			return pp_words_no_memory(w);
		free(e->name);
		e->name = name;
	}
	return 0;
}

static void term_near(void *nearest, const char *name)
{
	pp_nearest_consider(nearest, name, NULL);
}

static int no_such_general_term(struct pp_parser *w, const struct pp_term *term)
{
	struct pp_nearest n = { .wanted = term->name };
	char meant[112];

	pp_terms_each(term_near, &n);
	pp_nearest_question(&n, meant, sizeof(meant));
	return pp_words_fail(w, term->at, "no term is called '%.40s'%s", term->name, meant);
}

/* Terms of events that have none of a PMU: those that any may have. */
static int general_terms(struct pp_parser *w, size_t first, struct pp_slice terms)
{
	struct pp_term_list *const list = malloc(sizeof(*list));
	int status = list ? pp_terms_split(w, terms, NULL, list) : pp_words_no_memory(w);

	for (size_t k = 0; !status && k < list->n; k++) {
		int known = 1;

		for (size_t i = first; i < w->events->n && known > 0; i++)
			known = pp_term_general(w, &w->events->items[i], &list->items[k]);
		status = known > 0 ? 0 : known < 0 ? -1 : no_such_general_term(w, &list->items[k]);
	}
	free(list);
	return status;
}

/* "cycles", on each kind of core that the machine has. */
static int add_generic(struct pp_parser *w, struct pp_slice head, uint32_t type, uint64_t config)
{
	const bool of_core = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
			     type == PERF_TYPE_RAW;
	struct pp_names cores = { .n = 0 };
	struct pp_event *e = NULL;
	int status = of_core ? pp_core_pmus(&cores) : 0;

	if (status)
		return pp_words_no_memory(w);
	for (size_t i = 0; !status && i < (cores.n > 1 ? cores.n : 1); i++) {
		e = pp_words_event(w, head);
		if (!e)
			break;
		e->attr.type = type;
		e->attr.config = config;
		if (cores.n > 1)
			status = pp_pmu_take(e, cores.items[i], w->error);
	}
	pp_names_free(&cores);
	return e ? status : -1;
}

/* TYPE:CONFIG, both numbers. */
static int add_numbered(struct pp_parser *w, struct parts *p)
{
	struct pp_slice config = { p->head.end + 1, p->whole.end };
	const size_t first = w->events->n;
	uint64_t type, value;
	char text[32];

	config.end = find(config, "/:");
	if (!pp_piece_text(p->head, text, sizeof(text)) || !pp_number_of(text, &type) ||
	    type > UINT32_MAX)
		return pp_words_fail(w, p->head.at, "the number of a type is missing: TYPE:CONFIG");
	if (!pp_piece_text(config, text, sizeof(text)) || !pp_number_of(text, &value))
		return pp_words_fail(w, config.at, "a number is missing: TYPE:CONFIG");
	p->head.end = config.end;
	if (take_rest(w, config.end, p) || add_generic(w, p->head, (uint32_t)type, value))
		return -1;
	return p->slashed ? general_terms(w, first, p->terms) : 0;
}

struct search { struct pp_nearest nearest; bool points; };

static void event_near(void *arg, const struct pp_known_event *known)
{
	struct search *const s = arg;
	const char *const point = strchr(known->name, ':');

	/* Tracepoints are thousands: only where one was written, or its name alone. */
	if (known->kind == PP_KNOWN_TRACEPOINT)
		pp_nearest_consider(&s->nearest, known->name, s->points || !point ? NULL : point + 1);
	else if (!s->points)
		pp_nearest_consider(&s->nearest, known->name, NULL);
}

static int no_such_event(struct pp_parser *w, struct pp_slice piece)
{
	struct search s = { .points = find(piece, ":") < piece.end };
	char name[96], meant[144];
	const char *generic;
	uint64_t config;
	uint32_t type;

	(void)pp_piece_text(piece, name, sizeof(name));
	s.nearest.wanted = name;
	/* Those that this machine lacks, too: cycles are recorded as cpu-clock. */
	for (size_t i = 0; !s.points && pp_event_at(i, &generic, &type, &config); i++)
		pp_nearest_consider(&s.nearest, generic, NULL);
	pp_known_events(event_near, &s);
	pp_nearest_question(&s.nearest, meant, sizeof(meant));
	(void)pp_words_fail(w, piece.at, "no %s is called '%.60s'%s",
			    s.points ? "tracepoint" : "event", name, *meant ? meant :
			    pp_pfm_built ? "" : " (this build has no libpfm4 and its names)");
	return pp_error_hint(w->error, *meant ? PP_HINT_NONE : PP_HINT_LIST_EVENTS);
}

/* SYSTEM:NAME, or what libpfm4 calls so. */
static int parse_point(struct pp_parser *w, struct parts *p)
{
	const struct pp_slice point = {
		p->head.end + 1, find((struct pp_slice){ p->head.end + 1, p->whole.end }, "/:")
	};
	const struct pp_slice both = { p->head.at, point.end };
	const size_t first = w->events->n;
	struct pp_error error;
	size_t found = 0;
	int status;

	/* "skl::INST_RETIRED:ANY_P" */
	if (p->head.at == p->head.end || point.at == point.end)
		return pp_words_pfm(w, p->whole) > 0 ? 0 : no_such_event(w, p->whole);
	status = pp_words_points(w, p->head, point, &found);
	if (status || !found) {
		if (w->error)
			error = *w->error;
		if (w->events->n == first && pp_words_pfm(w, p->whole) > 0)
			return 0;
		if (status && w->error)
			*w->error = error;
		return status ? -1 : no_such_event(w, both);
	}
	if (take_rest(w, point.end, p))
		return -1;
	return p->slashed ? general_terms(w, first, p->terms) : 0;
}

/* "duration_time", "tool/duration_time/": 1 if it is one, 0, or -1. */
static int add_time(struct pp_parser *w, struct parts *p)
{
	struct pp_slice name = p->head;
	struct pp_event *e;
	char text[32];

	if (!pp_piece_text(name, text, sizeof(text)))
		return 0;
	if (!strcmp(text, "tool") && name.end < p->whole.end && *name.end == '/')
		name = (struct pp_slice){ name.end + 1,
					  find((struct pp_slice){ name.end + 1, p->whole.end }, "/") };
	if (!pp_piece_text(name, text, sizeof(text)) || !pp_event_time(text))
		return 0;
	e = pp_words_event(w, name);
	if (!e)
		return -1;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->time = pp_event_time(text);
	e->unit = strdup("ns");
	if (!e->unit)
		return pp_words_no_memory(w);
	return take_rest(w, p->head.end, p) ? -1 : 1;
}

/* A name alone: of a generic event, or of one that a PMU has. */
static int add_named(struct pp_parser *w, struct parts *p)
{
	const size_t first = w->events->n;
	char head[128];
	uint64_t config;
	uint32_t type;
	size_t found = 0;
	const int is_time = add_time(w, p);

	if (is_time)
		return is_time < 0 ? -1 : 0;
	if (pp_piece_text(p->head, head, sizeof(head)) && pp_event_generic(head, &type, &config)) {
		if (take_rest(w, p->head.end, p) || add_generic(w, p->head, type, config))
			return -1;
		return p->slashed ? general_terms(w, first, p->terms) : 0;
	}
	if (*p->head.end == '/' && p->head.end < p->whole.end)
		return take_rest(w, p->head.end, p) ||
		       pp_words_pmu(w, p->head, p->terms, (struct pp_slice){ p->head.at, p->terms.end + 1 })
			       ? -1 : 0;
	if (pp_words_alias(w, p->head, p->head, &found))
		return -1;
	if (found)
		return take_rest(w, p->head.end, p);
	if (p->head.end < p->whole.end)
		return parse_point(w, p);
	found = w->events->n;
	if (pp_words_pfm(w, p->whole) < 0)
		return -1;
	return w->events->n > found ? 0 : no_such_event(w, p->head);
}

static int add_breakpoint(struct pp_parser *w, struct parts *p)
{
	const size_t first = w->events->n;
	const char *rest;

	if (pp_words_breakpoint(w, p->whole, &rest) || take_rest(w, rest, p))
		return -1;
	w->events->items[first].name[rest - p->whole.at] = '\0';
	return p->slashed ? general_terms(w, first, p->terms) : 0;
}

/* One event, which may have blanks around it, and the modifiers of its group. */
static int add_one(struct pp_parser *w, struct pp_slice text, struct pp_slice more)
{
	const struct pp_slice whole = pp_piece_trim(text);
	struct parts p = { .whole = whole, .head = { whole.at, find(whole, "/:") } };
	const size_t first = w->events->n;
	int status;

	p.terms = p.modes = (struct pp_slice){ whole.end, whole.end };
	if (whole.at == whole.end)
		return pp_words_fail(w, whole.at, "an event is missing");
	if (w->pfm_alone)
		return pp_words_pfm(w, whole) < 0 ? -1 : 0;
	if (isdigit((unsigned char)*whole.at) && *p.head.end == ':')
		status = add_numbered(w, &p);
	else if (!strncmp(whole.at, "mem:", 4))
		status = add_breakpoint(w, &p);
	else
		status = add_named(w, &p);
	return status ? -1 : finish(w, first, &p, more);
}

/* ---- lists and groups ---- */

/* A breakpoint's slash has a number after it, and no second one; past both, or `text`. */
static const char *past_length(const char *text)
{
	const char *const at = strncmp(text, "mem:", 4) ? NULL : text + 4 + strcspn(text + 4, "/:,{}");
	const size_t digits = at && *at == '/' ? strspn(at + 1, "0123456789abcdefxABCDEFX") : 0;

	return digits && at[1 + digits] != '=' ? at + 1 + digits : text;
}

/* The end of an event's text: the comma or brace after it.  Commas between slashes part terms. */
static const char *event_end(const char *text)
{
	bool terms = false;

	text = past_length(text + strspn(text, " "));
	for (; *text && (terms || !strchr(",{}", *text)); text++)
		terms ^= *text == '/' && strncmp(text, "/:", 2);
	return text;
}

/* One of several kinds of cores, or of what is not a core and has CPUs of its own to be counted on: the
 * kernel puts events of two such PMUs into no group. */
static bool has_own_part(const struct pp_event *e)
{
	return e->core || (e->pmu && e->cpus);
}

/* Whether an event of a group belongs to the part that `of`, an event of such a PMU, stands for; what
 * is of none, such as time, goes with the first. */
static bool in_part(const struct pp_event *e, const struct pp_event *of, bool first)
{
	return has_own_part(e) && of ? !strcmp(e->pmu, of->pmu) : first;
}

/* The next event of such a PMU that is of none of those before it, from `from` on. */
static size_t next_part(const struct pp_event *items, size_t n, size_t from)
{
	for (size_t i = from; i < n; i++) {
		bool is_new = has_own_part(&items[i]);

		for (size_t k = 0; k < i && is_new; k++)
			is_new = !has_own_part(&items[k]) || strcmp(items[k].pmu, items[i].pmu) != 0;
		if (is_new)
			return i;
	}
	return n;
}

/* A group of events of several PMUs is one for each of them. */
static int part_group(struct pp_parser *w, size_t first)
{
	const size_t n = w->events->n - first;
	struct pp_event *const items = w->events->items + first;
	struct pp_event *const sorted = malloc((n + 1) * sizeof(*sorted));
	size_t done = 0, part = next_part(items, n, 0);

	if (!sorted)
		return pp_words_no_memory(w);
	do {
		const struct pp_event *const of = part < n ? &items[part] : NULL;
		const size_t leader = done;

		for (size_t i = 0; i < n; i++)
			if (in_part(&items[i], of, !leader)) {
				sorted[done] = items[i];
				sorted[done++].leader = first + leader;
			}
		part = part < n ? next_part(items, n, part + 1) : n;
	} while (part < n);
	memcpy(items, sorted, n * sizeof(*items));
	free(sorted);
	return 0;
}

/* The modifiers after a group's brace; *text is moved past them. */
static int group_modes(struct pp_parser *w, const char **text, struct pp_slice *modes)
{
	*modes = (struct pp_slice){ *text, *text };
	if (**text != ':')
		return 0;
	*modes = (struct pp_slice){ *text + 1, event_end(*text + 1) };
	*text = modes->end;
	if (!pp_modes_right(*modes))
		return pp_words_fail(w, modes->at, "modifiers of a group are missing, or not of those "
				     "that there are");
	return 0;
}

/* What modifiers of a group say of the whole group is said of its leader alone. */
static void apply_group_modes(struct pp_event *e, struct pp_slice modes)
{
	const size_t n = (size_t)(modes.end - modes.at);

	if (memchr(modes.at, 'D', n))
		e->attr.pinned = 0;
	if (memchr(modes.at, 'e', n))
		e->attr.exclusive = 0;
}

/* "{a,b}:k"; *text is moved past it. */
static int parse_group(struct pp_parser *w, const char **text)
{
	const char *const brace = *text, *at = brace + 1, *end = at, *after;
	const size_t first = w->events->n;
	struct pp_slice modes;

	while (*end && *end != '}') {
		end = event_end(end);
		end += *end == ',' || *end == '{';
	}
	if (*end != '}')
		return pp_words_fail(w, brace, "a group of events has no '}'");
	after = end + 1;
	if (group_modes(w, &after, &modes))
		return -1;
	if (w->pfm_alone && modes.at < modes.end)
		return pp_words_fail(w, modes.at, "a group of libpfm4's events has no modifiers: each of "
				     "these has its own");
	for (;; at++) {
		end = event_end(at);
		if (*end == '{')
			return pp_words_fail(w, end, "a group of events cannot hold a group");
		if (add_one(w, (struct pp_slice){ at, end }, modes))
			return -1;
		at = end;
		if (*at != ',')
			break;
	}
	*text = after;
	if (part_group(w, first))
		return -1;
	for (size_t i = first; i < w->events->n; i++)
		if (w->events->items[i].leader != i)
			apply_group_modes(&w->events->items[i], modes);
	return 0;
}

static int add_list(struct pp_parser *w)
{
	for (const char *at = w->text;; at++) {
		const char *const end = event_end(at);

		/* A group may have a name before it, which leaves no trace in a stream. */
		if (*end == '{') {
			if (find((struct pp_slice){ at, end }, ":/") < end)
				return pp_words_fail(w, at, "a comma is missing before a group");
			at = end;
			if (parse_group(w, &at))
				return -1;
			at += strspn(at, " ");
		} else {
			if (add_one(w, (struct pp_slice){ at, end }, (struct pp_slice){ end, end }))
				return -1;
			at = end;
		}
		if (!*at)
			return 0;
		if (*at != ',')
			return pp_words_fail(w, at, "events are separated by commas");
	}
}

static int parse(struct pp_parser *w)
{
	int status;

	w->at = w->text;
	w->events->last = w->events->n;
	status = add_list(w);
	pp_names_free(&w->pmus);
	return status ? pp_error_point(w->error, (size_t)(w->at - w->text)) : 0;
}

int pp_events_add(struct pp_events *events, const char *text, struct pp_error *error)
{
	struct pp_parser w = { .events = events, .text = text, .error = error };

	return parse(&w);
}

/* The same of names that libpfm4 alone knows: "a,{b,c}". */
static int parse_pfm_events(struct pp_events *events, const char *text, struct pp_error *error)
{
	struct pp_parser w = { .events = events, .text = text, .error = error, .pfm_alone = true };

	return parse(&w);
}

static bool is_pfm(const struct pp_event_texts *asked, size_t text)
{
	for (size_t i = 0; i < asked->n_pfm; i++)
		if (asked->pfm[i] == text)
			return true;
	return false;
}

int pp_events_add_texts(struct pp_events *events, const struct pp_event_texts *asked, struct pp_error *error)
{
	for (size_t i = 0; i < asked->n; i++) {
		if (is_pfm(asked, i) ? parse_pfm_events(events, asked->texts[i], error) :
				       pp_events_add(events, asked->texts[i], error))
			return -1;
		for (size_t k = 0; k < asked->n_filters; k++)
			if (asked->filters[k].event == i &&
			    pp_events_filter(events, asked->filters[k].text, error))
				return -1;
	}
	return 0;
}

int pp_event_check(const char *text, struct pp_error *error)
{
	struct pp_events events = { .n = 0 };
	const int status = pp_events_add(&events, text, error);

	pp_events_free(&events);
	return status;
}

int pp_event_check_pfm(const char *text, struct pp_error *error)
{
	struct pp_events events = { .n = 0 };
	const int status = parse_pfm_events(&events, text, error);

	pp_events_free(&events);
	return status;
}
