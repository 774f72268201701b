/* events.c - from the words after -e to attributes; what samples carry is left to sampling.c. */
#include "base/procfs.h"
#include "event/event.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Modifiers, as after the last colon. */
struct modes {
	bool user, kernel, hypervisor, host, guest;
	unsigned precise;
	bool any_precision;
};

static int no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static int bad_modes(const char *text, struct pp_error *error)
{
	return pp_fail(error, PP_E_USE,
		       "event '%s': modifiers are u, k, h, H, G, P and up to three p", text);
}

static bool parse_modes(const char *text, struct modes *m)
{
	for (; *text; text++) {
		switch (*text) {
		case 'u': m->user = true; break;
		case 'k': m->kernel = true; break;
		case 'h': m->hypervisor = true; break;
		case 'H': m->host = true; break;
		case 'G': m->guest = true; break;
		case 'P': m->any_precision = true; break;
		case 'p':
			if (++m->precise > 3)
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

static void apply_modes(struct pp_event *e, const struct modes *m)
{
	if (m->user || m->kernel || m->hypervisor) {
		e->asked_modes = true;
		e->attr.exclude_user = !m->user;
		e->attr.exclude_kernel = !m->kernel;
		e->attr.exclude_hv = !m->hypervisor;
	}
	if (m->host || m->guest) {
		e->attr.exclude_host = !m->host;
		e->attr.exclude_guest = !m->guest;
	}
	e->any_precision = m->any_precision;
	e->attr.precise_ip = m->any_precision ? 3 : m->precise & 3;
}

/* "cycles", "r1a8": an event without a system. */
static bool plain_event(const char *name, uint32_t *type, uint64_t *config)
{
	char *end;

	if (!pp_event_named(name, type, config))
		return true;
	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	*config = strtoull(name + 1, &end, 16);
	*type = PERF_TYPE_RAW;
	return !*end && !errno;
}

static int add_plain(struct pp_events *events, const char *text, uint32_t type, uint64_t config,
		     const struct modes *m, struct pp_error *error)
{
	struct pp_event *const e = pp_events_append(events, text, error);

	if (!e)
		return -1;
	e->attr.type = type;
	e->attr.config = config;
	/* As perf has it: what counts on the PMU leaves guests alone unless they are asked for. */
	e->attr.exclude_guest = type != PERF_TYPE_SOFTWARE;
	apply_modes(e, m);
	return 0;
}

static int add_point(struct pp_events *events, const char *system, const char *point,
		     const char *suffix, const struct modes *m, struct pp_error *error)
{
	const char *const base = pp_tracefs();
	struct pp_event *e;
	char name[512];
	uint64_t id;

	errno = 0;
	id = pp_file_u64(UINT64_MAX, "%s/events/%s/%s/id", base ? base : "", system, point);
	if (id == UINT64_MAX) {
		if (pp_lacking(errno))
			return pp_fail_os(error, "cannot read the tracepoint %s:%s in tracefs", system,
					  point);
		if (errno == EACCES || errno == EPERM)
			return pp_fail_os(
				error, "cannot read the tracepoint %s:%s in tracefs (needs root)",
				system, point);
		return pp_fail(error, PP_E_USE, "there is no tracepoint '%s:%s'", system, point);
	}
	(void)snprintf(name, sizeof(name), "%s:%s%s%s", system, point, *suffix ? ":" : "", suffix);
	e = pp_events_append(events, name, error);
	if (!e)
		return -1;
	e->system = strdup(system);
	e->point = strdup(point);
	if (!e->system || !e->point)
		return no_memory(error);
	e->attr.type = PERF_TYPE_TRACEPOINT;
	e->attr.config = id;
	apply_modes(e, m);
	return 0;
}

/* "PMU/TERMS/MODES": the modifiers may have a colon before them, too. */
static int add_pmu(struct pp_events *events, const char *text, const char *slash,
		   struct pp_error *error)
{
	char pmu[256], terms[512];
	const char *const end = strchr(slash + 1, '/');
	const char *modes = end ? end + 1 + (end[1] == ':') : "";
	struct modes m = { 0 };
	struct pp_event *e;

	if (!end)
		return pp_fail(error, PP_E_USE, "event '%s': a second '/' is missing", text);
	if (!parse_modes(modes, &m))
		return bad_modes(text, error);
	(void)snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - text), text);
	(void)snprintf(terms, sizeof(terms), "%.*s", (int)(end - slash - 1), slash + 1);
	e = pp_events_append(events, text, error);
	if (!e || pp_pmu_event(e, pmu, terms, error))
		return -1;
	e->attr.exclude_guest = e->attr.type != PERF_TYPE_SOFTWARE;
	apply_modes(e, &m);
	return 0;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* The tracepoints of one system that match; `found` counts them. */
static int add_system(struct pp_events *events, const char *system, const char *point,
		      const char *suffix, const struct modes *m, size_t *found,
		      struct pp_error *error)
{
	const char *const base = pp_tracefs();
	struct pp_names names;
	char path[1024];
	int status = 0;

	(void)snprintf(path, sizeof(path), "%s/events/%s", base ? base : "", system);
	if (pp_names_read(&names, path, NULL))
		return 0;
	for (size_t i = 0; i < names.n && !status; i++) {
		if (fnmatch(point, names.items[i], 0) ||
		    pp_file_u64(UINT64_MAX, "%s/%s/id", path, names.items[i]) == UINT64_MAX)
			continue;
		status = add_point(events, system, names.items[i], suffix, m, error);
		++*found;
	}
	pp_names_free(&names);
	return status;
}

static int add_points(struct pp_events *events, const char *system, const char *point,
		      const char *suffix, const struct modes *m, struct pp_error *error)
{
	const char *const base = pp_tracefs();
	struct pp_names systems;
	char path[64];
	size_t found = 0;
	int status = 0;

	if (!base && errno == ENOENT)
		return pp_fail_os(error, "cannot find tracepoints: tracefs is not mounted: as root, "
				  "mount -t tracefs nodev /sys/kernel/tracing");
	if (!base)
		return pp_fail_os(error, "cannot read tracepoints in tracefs (needs root)");
	if (strchr(system, '/') || strchr(point, '/'))
		return pp_fail(error, PP_E_USE, "there is no tracepoint '%s:%s'", system, point);
	if (!is_pattern(system) && !is_pattern(point))
		return add_point(events, system, point, suffix, m, error);
	(void)snprintf(path, sizeof(path), "%s/events", base);
	if (pp_names_read(&systems, path, NULL))
		return pp_fail_os(error, "cannot read %s", path);
	for (size_t i = 0; i < systems.n && !status; i++)
		/* Those of the function tracer are its own records, and cannot be opened. */
		if (!fnmatch(system, systems.items[i], 0) &&
		    strcmp(systems.items[i], "ftrace") != 0)
			status = add_system(events, systems.items[i], point, suffix, m, &found,
					    error);
	pp_names_free(&systems);
	if (!status && !found)
		return pp_fail(error, PP_E_USE, "no tracepoint matches '%s:%s'", system, point);
	return status;
}

/* The slash of PMU/TERMS/, or NULL: it has another form. */
static const char *pmu_slash(const char *text)
{
	const char *const at = text + strcspn(text, "/:");

	return *at == '/' ? at : NULL;
}

/* One event: NAME[:MODES], PMU/TERMS/[MODES] or SYSTEM:NAME[:MODES]. */
static int add_one(struct pp_events *events, const char *text, struct pp_error *error)
{
	char word[256], *colon, *second;
	struct modes m = { 0 };
	uint64_t config;
	uint32_t type;

	if (strlen(text) >= sizeof(word))
		return pp_fail(error, PP_E_USE, "the name of an event is too long: '%.40s...'", text);
	if (pmu_slash(text))
		return add_pmu(events, text, pmu_slash(text), error);
	strcpy(word, text);
	colon = strchr(word, ':');
	if (colon)
		*colon++ = '\0';
	if (plain_event(word, &type, &config)) {
		if (colon && (!*colon || !parse_modes(colon, &m)))
			return bad_modes(text, error);
		return add_plain(events, text, type, config, &m, error);
	}
	if (!colon || !*word || !*colon)
		return pp_fail(error, PP_E_USE, "there is no event '%s'", text);
	second = strchr(colon, ':');
	if (second)
		*second++ = '\0';
	if (second && (!*second || !parse_modes(second, &m)))
		return bad_modes(text, error);
	return add_points(events, word, colon, second ? second : "", &m, error);
}

/* The end of an event's text: the comma or brace after it.  Commas between slashes part terms. */
static size_t event_length(const char *text)
{
	bool terms = false;
	size_t n = 0;

	for (; text[n] && (terms || !strchr(",{}", text[n])); n++)
		terms ^= text[n] == '/';
	return n;
}

/* One event of `n` bytes; a group's modifiers are added to those of its own. */
static int add_piece(struct pp_events *events, const char *text, size_t n, const char *modes,
		     struct pp_error *error)
{
	char word[512];
	uint64_t config;
	uint32_t type;
	char *colon;
	bool has;

	if (!n)
		return pp_fail(error, PP_E_USE, "an event is missing before '%.20s'", text);
	if (n + strlen(modes) + 2 > sizeof(word))
		return pp_fail(error, PP_E_USE, "the name of an event is too long: '%.40s...'", text);
	memcpy(word, text, n);
	word[n] = '\0';
	if (*modes && pmu_slash(word)) {
		strcat(word, modes);
	} else if (*modes) {
		/* Does it have modifiers already?  A plain event: a colon; a tracepoint: two. */
		colon = strchr(word, ':');
		has = colon != NULL;
		if (colon) {
			*colon = '\0';
			has = plain_event(word, &type, &config) || strchr(colon + 1, ':');
			*colon = ':';
		}
		strcat(word, has ? "" : ":");
		strcat(word, modes);
	}
	return add_one(events, word, error);
}

/* "{a,b}:k" from after the brace; *rest is set to what follows it all. */
static int add_group(struct pp_events *events, const char *text, const char **rest,
		     struct pp_error *error)
{
	const char *const end = strchr(text, '}');
	const size_t leader = events->n;
	char modes[16] = "";
	size_t n;

	if (!end)
		return pp_fail(error, PP_E_USE, "a group of events has no '}': '{%s'", text);
	*rest = end + 1;
	if (**rest == ':') {
		n = event_length(++*rest);
		if (!n || n >= sizeof(modes))
			return pp_fail(error, PP_E_USE, "modifiers are missing after '{%.40s'",
				       text);
		memcpy(modes, *rest, n);
		*rest += n;
	}
	for (;;) {
		n = event_length(text);
		if (text[n] == '{')
			return pp_fail(error, PP_E_USE,
				       "a group of events cannot hold a group: '{%s'", text);
		if (add_piece(events, text, n, modes, error))
			return -1;
		text += n;
		if (*text++ != ',')
			break;
	}
	for (size_t i = leader; i < events->n; i++)
		events->items[i].leader = leader;
	return 0;
}

int pp_events_add(struct pp_events *events, const char *text, struct pp_error *error)
{
	for (;;) {
		if (*text == '{') {
			if (add_group(events, text + 1, &text, error))
				return -1;
		} else {
			const size_t n = event_length(text);

			if (add_piece(events, text, n, "", error))
				return -1;
			text += n;
		}
		if (!*text)
			return 0;
		if (*text != ',')
			return pp_fail(error, PP_E_USE,
				       "events are separated by commas, not by '%.20s'", text);
		text++;
	}
}
