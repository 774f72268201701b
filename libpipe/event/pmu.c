/*
 * pmu.c - events of PMUs, PMU/TERM,TERM=VALUE/, by what sysfs says of their terms and events.  Terms
 * that any event may have are in terms.c.
 */
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

enum { MAX_NESTING = 4 };             /* events that sysfs explains by events */

/* ---- which PMUs ---- */

static bool exists(const char *format, const char *a, const char *b)
{
	char path[512], rooted[PP_PATH];

	(void)snprintf(path, sizeof(path), format, a, b);
	return !access(pp_rooted(rooted, path), F_OK);
}

static bool has_digits_only(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* Whether `wanted` means this PMU: "cha", "uncore_cha", "cha_1", "uncore_cha_*" mean uncore_cha_1. */
static bool is_meant(const char *pmu, const char *wanted)
{
	static const char uncore[] = "uncore_";
	const size_t n = strlen(wanted);
	const char *rest;

	if (!strncmp(pmu, uncore, sizeof(uncore) - 1) && strncmp(wanted, uncore, sizeof(uncore) - 1))
		pmu += sizeof(uncore) - 1;
	if (strpbrk(wanted, "*?["))
		return !fnmatch(wanted, pmu, 0);
	if (strncmp(pmu, wanted, n) != 0)
		return false;
	rest = pmu + n + (pmu[n] == '_');
	return !pmu[n] || has_digits_only(rest);
}

/* Numbers at the end by their value: uncore_cha_2 comes before uncore_cha_10. */
static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* All PMUs, in that order; those that `wanted` means (NULL: all).  0, or -1: no memory. */
static int find_pmus(struct pp_names *names, const char *wanted)
{
	size_t n = 0;

	if (pp_names_read(names, PP_PMUS, NULL))
		return errno == ENOMEM ? -1 : 0;
	for (size_t i = 0; i < names->n; i++) {
		char *const name = names->items[i];

		/* The full name is that PMU alone, although others' may begin so. */
		if (wanted && (exists(PP_PMUS "/%s/%s", wanted, "type") ? strcmp(name, wanted) != 0 :
			       !is_meant(name, wanted)))
			free(name);
		else
			names->items[n++] = name;
	}
	names->n = n;
	if (n)
		qsort(names->items, n, sizeof(*names->items), by_number);
	return 0;
}

/* Cores have a file of the CPUs where they are; other PMUs that have such are called otherwise. */
static bool is_core(const char *name)
{
	return !strncmp(name, "cpu_", 4) || !strncmp(name, "armv8_", 6) || !strncmp(name, "armv9_", 6);
}

int pp_core_pmus(struct pp_names *names)
{
	size_t n = 0;

	if (find_pmus(names, NULL))
		return -1;
	for (size_t i = 0; i < names->n; i++) {
		if (is_core(names->items[i]) && exists(PP_PMUS "/%s/%s", names->items[i], "cpus"))
			names->items[n++] = names->items[i];
		else
			free(names->items[i]);
	}
	names->n = n;
	return 0;
}

/* ---- one event of one PMU ---- */

struct pmu {
	struct pp_parser *words;
	struct pp_event *event;
	const char *name;
	const struct pp_term_list *terms;   /* as they were written */
};

static bool names_event(const char *name)
{
	return !strchr(name, '.');    /* NAME.scale and NAME.unit are about an event */
}

/* Calls `fn` with each name that may stand where this PMU's terms are. */
static void each_term(const char *pmu, pp_term_name_fn *fn, void *arg)
{
	static const char *const folders[] = { "events", "format" };

	for (size_t k = 0; k < sizeof(folders) / sizeof(folders[0]); k++) {
		struct pp_names names;
		char path[512];

		(void)snprintf(path, sizeof(path), PP_PMUS "/%s/%s", pmu, folders[k]);
		if (pp_names_read(&names, path, names_event))
			continue;
		for (size_t i = 0; i < names.n; i++)
			fn(arg, names.items[i]);
		pp_names_free(&names);
	}
}

struct collected { struct pp_nearest nearest; char all[120]; };

static void collect(void *arg, const char *name)
{
	struct collected *const c = arg;
	const size_t at = strlen(c->all);

	pp_nearest_consider(&c->nearest, name, NULL);
	if (at + strlen(name) + 8 < sizeof(c->all))
		(void)sprintf(c->all + at, "%s%s", at ? ", " : "", name);
	else if (at && c->all[at - 1] != '.')
		strcpy(c->all + at, ", ...");
}

/* "; did you mean a?", or what there is. */
static void say_names(struct collected *c, char *text, size_t size)
{
	pp_nearest_question(&c->nearest, text, size);
	if (!*text)
		(void)snprintf(text, size, "; it has: %s", *c->all ? c->all : "none");
}

static int no_such_pmu(struct pp_parser *w, const char *name, const char *at)
{
	struct collected c = { .nearest = { .wanted = name } };
	struct pp_names names;
	char text[160];

	if (find_pmus(&names, NULL))
		return pp_words_no_memory(w);
	for (size_t i = 0; i < names.n; i++)
		collect(&c, names.items[i]);
	pp_names_free(&names);
	say_names(&c, text, sizeof(text));
	return pp_words_fail(w, at, "this machine has no PMU called '%.40s'%s", name, text);
}

static int no_such_pmu_term(const struct pmu *p, const struct pp_term *term)
{
	struct collected c = { .nearest = { .wanted = term->name } };
	char text[160];

	each_term(p->name, collect, &c);
	pp_terms_each(collect, &c);
	say_names(&c, text, sizeof(text));
	return pp_words_fail(p->words, term->at, "PMU %.24s has no event or term '%.32s'%s", p->name,
			     term->name, text);
}

/* The number of the word in "config1:...", and where its bits begin; PP_CONFIG_WORDS: there is no
 * such word. */
static unsigned word_of(const char **format)
{
	const char *const at = *format + strlen("config");
	unsigned n;

	if (strncmp(*format, "config", strlen("config")) != 0)
		return PP_CONFIG_WORDS;
	n = isdigit((unsigned char)*at) ? (unsigned)(*at - '0') : 0;
	*format = at + (isdigit((unsigned char)*at) ? 1 : 0);
	return n < PP_CONFIG_WORDS ? n : PP_CONFIG_WORDS;
}

/* Puts the value into the bits of "config1:0-7,32-35", the lowest first.  False: it does not fit,
 * or there is no such field. */
static bool put_bits(struct pp_event *e, const char *format, uint64_t value)
{
	const unsigned n = word_of(&format);
	uint64_t word;
	char *end;

	if (n == PP_CONFIG_WORDS || *format != ':')
		return false;
	word = pp_attr_word(e, n);
	do {
		const unsigned long first = strtoul(format + 1, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		uint64_t mask;

		if (last < first || last > 63)
			return false;
		mask = UINT64_MAX >> (63 - (last - first));
		word = (word & ~(mask << first)) | (value & mask) << first;
		value = last - first < 63 ? value >> (last - first + 1) : 0;
		format = end;
	} while (*format == ',');
	pp_attr_set_word(e, n, word);
	return !*format && !value;
}

uint64_t pp_pmu_bits(const char *pmu, const char *term)
{
	struct pp_event e = { .name = NULL };
	char format[256];

	if (pp_file_text(format, sizeof(format), PP_PMUS "/%s/format/%s", pmu, term) > 0)
		(void)put_bits(&e, format, UINT64_MAX);
	return e.attr.config;
}

/* A term that sysfs calls a format.  1; 0: the PMU has none of that name; -1 and *error. */
static int put_format(const struct pmu *p, const struct pp_term *term)
{
	char format[256];
	uint64_t value = 1;

	if (pp_file_text(format, sizeof(format), PP_PMUS "/%s/format/%s", p->name, term->name) <= 0)
		return 0;
	if (term->valued && !pp_number_of(term->value, &value))
		return pp_words_fail(p->words, term->at, "%s takes a number", term->name);
	if (!put_bits(p->event, format, value))
		return pp_words_fail(p->words, term->at, "%s does not fit in %s (%s)",
				     term->valued ? term->value : "1", term->name, format);
	return 1;
}

/* What was written of a parameter, that the event's definition leaves open as NAME=?. */
static int put_parameter(const struct pmu *p, const struct pp_term *open, const char *event)
{
	for (size_t i = 0; i < p->terms->n; i++)
		if (!strcmp(p->terms->items[i].name, open->name))
			return put_format(p, &p->terms->items[i]);
	return pp_words_fail(p->words, open->at, "%.40s needs %s=VALUE", event, open->name);
}

static int put_event(const struct pmu *p, const struct pp_term *term, unsigned nesting);

/* The terms that a definition consists of. */
static int put_definition(const struct pmu *p, const struct pp_term *event, const char *text,
			  unsigned nesting)
{
	struct pp_term_list *const list = malloc(sizeof(*list));
	const struct pp_slice piece = { text, text + strlen(text) };
	int status = list ? pp_terms_split(p->words, piece, event->at, list) :
			    pp_words_no_memory(p->words);

	for (size_t i = 0; !status && i < list->n; i++) {
		const struct pp_term *const term = &list->items[i];
		int got = !strcmp(term->value, "?") ? put_parameter(p, term, event->name) :
						      put_format(p, term);

		if (!got)
			got = pp_term_general(p->words, p->event, term);
		if (!got)
			got = put_event(p, term, nesting + 1);
		status = got > 0 ? 0 : got < 0 ? -1 : no_such_pmu_term(p, term);
	}
	free(list);
	return status;
}

/* Events that are there for others in their group, and cannot be sampled. */
static bool serves_others(const char *event)
{
	return !strcmp(event, "mem-loads-aux") || !strcmp(event, "slots");
}

/* Scale and unit of an event that sysfs defines. */
static int describe(const struct pmu *p, const char *event)
{
	char text[64], path[300];

	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events/%s", p->name, event);
	if (pp_file_text(text, sizeof(text), "%s.scale", path) > 0)
		p->event->scale = strtod(text, NULL);
	if (pp_file_text(text, sizeof(text), "%s.unit", path) > 0) {
		free(p->event->unit);
		p->event->unit = strdup(text);
		if (!p->event->unit)
			return pp_words_no_memory(p->words);
	}
	p->event->second_samples |= serves_others(event);
	p->event->snapshot = pp_file_u64(0, "%s.snapshot", path) != 0;
	return 0;
}

/* "cycles" of the processor's own PMU, which may be one of several (a hybrid machine). */
static bool put_generic(const struct pmu *p, const char *name)
{
	struct perf_event_attr *const a = &p->event->attr;
	uint64_t config;
	uint32_t type;

	if (!pp_event_generic(name, &type, &config))
		return false;
	if (type == PERF_TYPE_RAW) {
		a->config = config;
		return true;
	}
	if (a->type == PERF_TYPE_SOFTWARE && type == PERF_TYPE_SOFTWARE) {
		a->config = config;
		return true;
	}
	if ((a->type != PERF_TYPE_RAW && !is_core(p->name)) ||
	    (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE))
		return false;
	if (p->event->core)
		config |= (uint64_t)a->type << PERF_PMU_TYPE_SHIFT;
	a->type = type;
	a->config = config;
	return true;
}

/* A term that stands for a whole event.  1, 0: it does not, or -1. */
static int put_event(const struct pmu *p, const struct pp_term *term, unsigned nesting)
{
	char text[1024];

	if (term->valued || nesting > MAX_NESTING || !names_event(term->name))
		return 0;
	if (pp_file_text(text, sizeof(text), PP_PMUS "/%s/events/%s", p->name, term->name) <= 0)
		return put_generic(p, term->name);
	return put_definition(p, term, text, nesting) || describe(p, term->name) ? -1 : 1;
}

static bool is_format(const struct pmu *p, const struct pp_term *term)
{
	return exists(PP_PMUS "/%s/format/%s", p->name, term->name);
}

/* Whole events first: terms beside them change these. */
static int put_terms(const struct pmu *p)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < p->terms->n; i++) {
			const struct pp_term *const term = &p->terms->items[i];
			const bool detail = term->valued || is_format(p, term);
			int got;

			if (strchr(term->name, '/') || term->name[0] == '.')
				return no_such_pmu_term(p, term);
			if (detail != (pass == 1))
				continue;
			got = pass ? put_format(p, term) : put_event(p, term, 0);
			if (!got)
				got = pp_term_general(p->words, p->event, term);
			if (got <= 0)
				return got ? -1 : no_such_pmu_term(p, term);
		}
	}
	return 0;
}

/* Where the PMU counts: one kind of core of several, or one CPU for a whole socket. */
static int find_cpus(struct pp_event *e, const char *pmu)
{
	char text[4096];

	if (pp_file_text(text, sizeof(text), PP_PMUS "/%s/cpus", pmu) <= 0 &&
	    pp_file_text(text, sizeof(text), PP_PMUS "/%s/cpumask", pmu) <= 0)
		return 0;
	e->n_cpus = pp_list_parse(text, &e->cpus);
	return e->n_cpus < 0 ? -1 : 0;
}

/* Whether the machine has several kinds of cores, of which this is one. */
static bool is_one_of_several(const char *pmu)
{
	struct pp_names cores;
	bool one = false;

	if (!is_core(pmu) || pp_core_pmus(&cores))
		return false;
	for (size_t i = 0; i < cores.n; i++)
		one |= cores.n > 1 && !strcmp(cores.items[i], pmu);
	pp_names_free(&cores);
	return one;
}

static int take_pmu(struct pp_parser *w, struct pp_event *e, const char *pmu, const char *at)
{
	const uint64_t type = pp_file_u64(UINT64_MAX, PP_PMUS "/%s/type", pmu);

	if (type > UINT32_MAX)
		return no_such_pmu(w, pmu, at);
	e->attr.type = (uint32_t)type;
	e->pmu = strdup(pmu);
	e->core = is_one_of_several(pmu);
	return e->pmu && !find_cpus(e, pmu) ? 0 : pp_words_no_memory(w);
}

int pp_pmu_take(struct pp_event *e, const char *pmu, struct pp_error *error)
{
	const uint64_t type = pp_file_u64(0, PP_PMUS "/%s/type", pmu);
	char *name;

	if (e->attr.type == PERF_TYPE_RAW)
		e->attr.type = (uint32_t)type;
	else
		e->attr.config |= type << PERF_PMU_TYPE_SHIFT;
	e->core = true;
	e->pmu = strdup(pmu);
	if (!e->pmu || find_cpus(e, pmu) || asprintf(&name, "%s/%s/", pmu, e->name) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	free(e->name);
	e->name = name;
	return 0;
}

/* ---- what is traced without terms ---- */

/* The value in the bits of a term, which are side by side. */
static uint64_t term_bits(const char *pmu, const char *term, uint64_t value)
{
	const uint64_t bits = pp_pmu_bits(pmu, term);

	return bits ? bits & value << __builtin_ctzll(bits) : 0;
}

/* The periods that there are for something, a bit each; 0: the tracer does not have it. */
static uint64_t periods(const char *pmu, const char *has, const char *which)
{
	char text[32];

	if (!pp_file_u64(1, PP_PMUS "/%s/caps/%s", pmu, has) ||
	    pp_file_text(text, sizeof(text), PP_PMUS "/%s/caps/%s", pmu, which) <= 0)
		return 0;
	return strtoull(text, NULL, 16);
}

/* The longest of the periods up to the usual one, or the shortest of those above. */
static uint64_t pick(uint64_t set)
{
	enum { USUAL = 3 };
	const uint64_t low = set & ((1U << (USUAL + 1)) - 1);

	return (uint64_t)(low ? 63 - __builtin_clzll(low) : __builtin_ctzll(set));
}

/* What Intel's tracer traces unless terms say otherwise: as perf has it. */
static void take_defaults(struct pp_event *e, const char *pmu)
{
	uint64_t mtc, psb;

	if (strcmp(pmu, "intel_pt") != 0)
		return;
	mtc = periods(pmu, "mtc", "mtc_periods");
	psb = mtc ? periods(pmu, "psb_cyc", "psb_periods") : 0;
	e->attr.config = term_bits(pmu, "tsc", 1);
	if (mtc)
		e->attr.config |= term_bits(pmu, "mtc", 1) | term_bits(pmu, "mtc_period", pick(mtc));
	if (psb)
		e->attr.config |= term_bits(pmu, "psb_period", pick(psb));
	/* Where tracing itself can be left out, so that it has to be asked for. */
	if (pp_pmu_bits(pmu, "pt") && pp_pmu_bits(pmu, "branch"))
		e->attr.config |= term_bits(pmu, "pt", 1) | term_bits(pmu, "branch", 1);
}

/* ---- on each PMU that is meant ---- */

static int add_on(struct pp_parser *w, const char *pmu, const struct pp_term_list *terms,
		  struct pp_slice whole)
{
	struct pp_event *const e = pp_words_event(w, whole);
	const struct pmu p = { .words = w, .event = e, .name = pmu, .terms = terms };

	if (!e || take_pmu(w, e, pmu, whole.at))
		return -1;
	take_defaults(e, pmu);
	return put_terms(&p);
}

/* What came of one specification is shown as one event, but for kinds of cores, of which each is shown. */
static void mark_several(struct pp_parser *w, size_t first)
{
	const bool several = w->events->n - first > 1;

	for (size_t i = first; several && i < w->events->n; i++)
		w->events->items[i].of_several = !w->events->items[i].core;
}

int pp_words_pmu(struct pp_parser *w, struct pp_slice pmu, struct pp_slice terms, struct pp_slice whole)
{
	struct pp_term_list *const list = malloc(sizeof(*list));
	const size_t first = w->events->n;
	struct pp_names names = { .n = 0 };
	char name[128];
	int status;

	if (!pp_piece_text(pmu, name, sizeof(name)) || !*name || *name == '.') {
		free(list);
		return no_such_pmu(w, name, pmu.at);
	}
	status = !list || find_pmus(&names, name) ? pp_words_no_memory(w) :
						    pp_terms_split(w, terms, NULL, list);
	if (!status && !names.n)
		status = no_such_pmu(w, name, pmu.at);
	for (size_t i = 0; i < names.n && !status; i++)
		status = add_on(w, names.items[i], list, whole);
	mark_several(w, first);
	pp_names_free(&names);
	free(list);
	return status;
}

int pp_words_alias(struct pp_parser *w, struct pp_slice piece, struct pp_slice whole, size_t *found)
{
	struct pp_term_list *const list = calloc(1, sizeof(*list));
	const struct pp_names *const pmus = &w->pmus;
	const size_t first = w->events->n;
	int status = !list || (!pmus->n && find_pmus(&w->pmus, NULL)) ? pp_words_no_memory(w) : 0;
	bool is_name = false;

	if (!status) {
		list->n = 1;
		list->items[0].at = piece.at;
		is_name = pp_piece_text(piece, list->items[0].name, sizeof(list->items[0].name)) &&
			  !strpbrk(list->items[0].name, "/.") && *list->items[0].name;
	}
	for (size_t i = 0; is_name && i < pmus->n && !status; i++) {
		if (!exists(PP_PMUS "/%s/events/%s", pmus->items[i], list->items[0].name))
			continue;
		status = add_on(w, pmus->items[i], list, whole);
		++*found;
	}
	mark_several(w, first);
	free(list);
	return status;
}
