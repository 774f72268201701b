/*
 * pmu.c - events of one PMU, PMU/TERM,TERM=VALUE/, by what sysfs says of its terms and events;
 * modifiers and all other kinds of events are left to events.c.
 */
#include "base/procfs.h"
#include "event/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_NESTING = 4,              /* events that sysfs explains by events */
	PMUS_LISTED = 120, LISTED = 64,   /* bytes of names in a message */
};

struct pmu {
	const char *name;
	struct pp_event *event;
	const char *text;             /* of the whole event, for messages */
};

/* Names in a folder as "a, b, c", and "..." where there are too many. */
static void list_names(char *text, size_t size, const char *path, bool (*want)(const char *))
{
	struct pp_names names;
	size_t at = 0;

	*text = '\0';
	if (pp_names_read(&names, path, want))
		return;
	for (size_t i = 0; i < names.n; i++) {
		const size_t length = strlen(names.items[i]);

		if (at + length + 8 > size) {
			strcpy(text + at, ", ...");
			break;
		}
		at += (size_t)sprintf(text + at, "%s%s", at ? ", " : "", names.items[i]);
	}
	pp_names_free(&names);
}

static bool is_event(const char *name)
{
	return !strchr(name, '.');    /* NAME.scale and NAME.unit are about an event */
}

static int no_such_pmu(const char *name, struct pp_error *error)
{
	char names[PMUS_LISTED];

	list_names(names, sizeof(names), PP_PMUS, NULL);
	return pp_fail(error, PP_E_USE, "this machine has no PMU called '%.40s'; it has: %s", name,
		       *names ? names : "none");
}

static int no_such_term(const struct pmu *p, const char *term, struct pp_error *error)
{
	char path[512], terms[LISTED], events[LISTED];

	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/format", p->name);
	list_names(terms, sizeof(terms), path, NULL);
	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events", p->name);
	list_names(events, sizeof(events), path, is_event);
	return pp_fail(error, PP_E_USE, "PMU %.32s has no event or term '%.32s'; events: %s; terms: %s",
		       p->name, term, *events ? events : "none", *terms ? terms : "none");
}

/* Puts the value into the bits of "config1:0-7,32-35", the lowest first.  False: it does not fit,
 * or there is no such field. */
static bool put_bits(struct perf_event_attr *a, const char *format, uint64_t value)
{
	__u64 *const words[] = { &a->config, &a->config1, &a->config2 };
	const char *at = format + strlen("config");
	unsigned long word = 0;
	char *end;

	if (strncmp(format, "config", strlen("config")))
		return false;
	if (isdigit((unsigned char)*at)) {
		word = strtoul(at, &end, 10);
		at = end;
	}
	if (word >= sizeof(words) / sizeof(words[0]) || *at != ':')
		return false;
	do {
		const unsigned long first = strtoul(at + 1, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		uint64_t mask;

		if (last < first || last > 63)
			return false;
		mask = UINT64_MAX >> (63 - (last - first));
		*words[word] = (*words[word] & ~(mask << first)) | (value & mask) << first;
		value = last - first < 63 ? value >> (last - first + 1) : 0;
		at = end;
	} while (*at == ',');
	return !*at && !value;
}

uint64_t pp_pmu_bits(const char *pmu, const char *term)
{
	struct perf_event_attr a = { .config = 0 };
	char text[256];

	if (pp_file_text(text, sizeof(text), PP_PMUS "/%s/format/%s", pmu, term) > 0)
		(void)put_bits(&a, text, UINT64_MAX);
	return a.config;
}

static bool number_of(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

/* Terms that mean the same for every PMU.  1: it was one of them, 0, or -1 and *error. */
static int general_term(const struct pmu *p, const char *term, const char *value,
			struct pp_error *error)
{
	struct perf_event_attr *const a = &p->event->attr;
	const struct { const char *term; __u64 *word; } words[] = {
		{ "config", &a->config }, { "config1", &a->config1 }, { "config2", &a->config2 },
		{ "period", &a->sample_period }, { "freq", &a->sample_freq },
	};
	uint64_t number;

	if (!strcmp(term, "name") && value && *value)
		return pp_event_rename(p->event, value, error) ? -1 : 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(term, words[i].term))
			continue;
		if (!value || !number_of(value, &number) || (i > 2 && !number))
			return pp_fail(error, PP_E_USE, "event '%.60s': %s needs a number%s", p->text,
				       term, i > 2 ? " above 0" : "");
		*words[i].word = number;
		p->event->own_rate |= i > 2;
		if (i > 2)
			a->freq = i == 4;
		return 1;
	}
	return 0;
}

/* "cycles" of the processor's own PMU, which may be one of several (a hybrid machine). */
static bool generic_event(const struct pmu *p, const char *name)
{
	struct perf_event_attr *const a = &p->event->attr;
	const bool core = a->type == PERF_TYPE_RAW || !strncmp(p->name, "cpu_", 4);
	uint64_t config;
	uint32_t type;

	if (!core || pp_event_named(name, &type, &config) ||
	    (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE))
		return false;
	if (a->type != PERF_TYPE_RAW)
		config |= (uint64_t)a->type << PERF_PMU_TYPE_SHIFT;
	a->type = type;
	a->config = config;
	return true;
}

static int add_terms(const struct pmu *p, char *terms, unsigned nesting, struct pp_error *error);

/* "TERM", "TERM=VALUE", or an event that sysfs explains by such. */
static int add_term(const struct pmu *p, char *term, unsigned nesting, struct pp_error *error)
{
	char *const equals = strchr(term, '='), *end;
	char text[4096];
	uint64_t value = 1;
	int general;

	if (equals)
		*equals = '\0';
	if (!*term || term[0] == '.')
		return no_such_term(p, term, error);
	general = general_term(p, term, equals ? equals + 1 : NULL, error);
	if (general)
		return general < 0 ? -1 : 0;
	if (pp_file_text(text, sizeof(text), PP_PMUS "/%s/format/%s", p->name, term) > 0) {
		if (equals && !number_of(equals + 1, &value))
			return pp_fail(error, PP_E_USE, "event '%.60s': %s needs a number", p->text, term);
		if (!put_bits(&p->event->attr, text, value))
			return pp_fail(error, PP_E_USE, "event '%.60s': %s does not fit in %s", p->text,
				       equals ? equals + 1 : "1", text);
		return 0;
	}
	if (!equals && nesting < MAX_NESTING &&
	    pp_file_text(text, sizeof(text), PP_PMUS "/%s/events/%s", p->name, term) > 0)
		return add_terms(p, text, nesting + 1, error);
	if (!equals && term[0] == 'r' && isxdigit((unsigned char)term[1])) {
		p->event->attr.config = strtoull(term + 1, &end, 16);
		if (!*end)
			return 0;
	}
	return !equals && generic_event(p, term) ? 0 : no_such_term(p, term, error);
}

static int add_terms(const struct pmu *p, char *terms, unsigned nesting, struct pp_error *error)
{
	char *rest = NULL;

	for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (add_term(p, term, nesting, error))
			return -1;
	return 0;
}

/* Where the PMU counts: one kind of core of several, or one CPU for a whole socket. */
static int find_cpus(const struct pmu *p, struct pp_error *error)
{
	char text[4096];

	if (pp_file_text(text, sizeof(text), PP_PMUS "/%s/cpus", p->name) <= 0 &&
	    pp_file_text(text, sizeof(text), PP_PMUS "/%s/cpumask", p->name) <= 0)
		return 0;
	p->event->n_cpus = pp_list_parse(text, &p->event->cpus);
	return p->event->n_cpus < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_pmu_event(struct pp_event *e, const char *name, char *terms, struct pp_error *error)
{
	const uint64_t type = pp_file_u64(UINT64_MAX, PP_PMUS "/%s/type", name);
	char text[64];
	const struct pmu p = { .name = name, .event = e, .text = text };

	(void)snprintf(text, sizeof(text), "%s", e->name);
	if (!*name || name[0] == '.' || type > UINT32_MAX)
		return no_such_pmu(name, error);
	e->attr.type = (uint32_t)type;
	return find_cpus(&p, error) || add_terms(&p, terms, 0, error) ? -1 : 0;
}
