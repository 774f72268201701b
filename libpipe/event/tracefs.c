/* tracefs.c - tracefs: where it is, and the formats of tracepoints, as perf lays them out after
 * HEADER_TRACING_DATA. */
#include "base/array.h"
#include "base/procfs.h"
#include "event/event.h"

#include <perfpipe/bytes.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *pp_tracefs(void)
{
	static const char *const places[] = { PP_TRACEFS, PP_TRACEFS_OLD };
	int os = ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char path[64], rooted[PP_PATH];

		(void)snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(pp_rooted(rooted, path), R_OK | X_OK))
			return places[i];
		if (errno == EACCES || pp_lacking(errno))
			os = errno;
	}
	errno = os;
	return NULL;
}

struct tracing_blob {
	struct pp_buffer bytes;
	bool failed;
};

static void add_to_blob(struct tracing_blob *b, const void *data, size_t size)
{
	b->failed = b->failed || pp_buffer_add(&b->bytes, data, size, NULL);
}

static void add_u32(struct tracing_blob *b, uint32_t value) { add_to_blob(b, &value, sizeof(value)); }
static void add_u64(struct tracing_blob *b, uint64_t value) { add_to_blob(b, &value, sizeof(value)); }
static void add_text(struct tracing_blob *b, const char *text) { add_to_blob(b, text, strlen(text) + 1); }

/* The length, then the text of a file of tracefs. */
static int add_file(struct tracing_blob *b, const char *base, const char *name, bool wide,
		    struct pp_error *error)
{
	char path[1024];
	size_t length;
	char *text;

	(void)snprintf(path, sizeof(path), "%s/%s", base, name);
	text = pp_file_all(path, &length);
	if (!text)
		return pp_fail_os(error, "cannot read %s", path);
	if (wide)
		add_u64(b, length);
	else
		add_u32(b, (uint32_t)length);
	add_to_blob(b, text, length);
	free(text);
	return 0;
}

static bool same(const struct pp_event *a, const struct pp_event *b, bool point)
{
	return a->system && b->system && !strcmp(a->system, b->system) &&
	       (!point || !strcmp(a->point, b->point));
}

/* Is this the first event of its system, or (with `point`) of its tracepoint? */
static bool is_first(const struct pp_events *events, size_t i, bool point)
{
	for (size_t k = 0; k < i; k++)
		if (same(&events->items[k], &events->items[i], point))
			return false;
	return events->items[i].system != NULL;
}

static int add_formats(struct tracing_blob *b, const char *base, const struct pp_events *events,
		       size_t first, struct pp_error *error)
{
	const struct pp_event *const system = &events->items[first];
	char name[512];
	uint32_t n = 0;

	for (size_t i = first; i < events->n; i++)
		n += same(&events->items[i], system, false) && is_first(events, i, true);
	add_text(b, system->system);
	add_u32(b, n);
	for (size_t i = first; i < events->n; i++) {
		const struct pp_event *const e = &events->items[i];

		if (!same(e, system, false) || !is_first(events, i, true))
			continue;
		(void)snprintf(name, sizeof(name), "events/%s/%s/format", e->system, e->point);
		if (add_file(b, base, name, true, error))
			return -1;
	}
	return 0;
}

static int add_systems(struct tracing_blob *b, const char *base, const struct pp_events *events,
		       struct pp_error *error)
{
	uint32_t n = 0;

	for (size_t i = 0; i < events->n; i++)
		n += is_first(events, i, false);
	add_u32(b, n);
	for (size_t i = 0; i < events->n; i++)
		if (is_first(events, i, false) && add_formats(b, base, events, i, error))
			return -1;
	return 0;
}

static int add_all(struct tracing_blob *b, const char *base, const struct pp_events *events,
		   struct pp_error *error)
{
	const uint16_t one = 1;
	const char order = *(const char *)&one ? 0 : 1, width = sizeof(long);

	add_to_blob(b, "\x17\x08\x44tracing", 10);
	add_text(b, "0.6");
	add_to_blob(b, &order, 1);
	add_to_blob(b, &width, 1);
	add_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	add_text(b, "header_page");
	if (add_file(b, base, "events/header_page", true, error))
		return -1;
	add_text(b, "header_event");
	if (add_file(b, base, "events/header_event", true, error))
		return -1;
	add_u32(b, 0);                /* formats of the function tracer */
	if (add_systems(b, base, events, error))
		return -1;
	add_u32(b, 0);                /* kallsyms */
	if (add_file(b, base, "printk_formats", false, error))
		return -1;
	add_u64(b, 0);                /* saved command lines */
	add_to_blob(b, "\0\0\0\0\0\0\0", (size_t)(pp_align8(b->bytes.size) - b->bytes.size));
	return b->failed ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_tracing_read(const struct pp_events *events, char **data, size_t *size,
		    struct pp_error *error)
{
	const char *base;
	struct tracing_blob b = { .failed = false };
	size_t i = 0;

	while (i < events->n && !events->items[i].system)
		i++;
	if (i == events->n)
		return 0;
	base = pp_tracefs();
	if (!base)
		return pp_fail_os(error, "cannot read tracefs");
	if (add_all(&b, base, events, error)) {
		pp_buffer_free(&b.bytes);
		return -1;
	}
	*data = (char *)b.bytes.data;
	*size = b.bytes.size;
	return 0;
}
