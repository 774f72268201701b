/*
 * topology.c - how processors are joined: sockets, dies, clusters, cores, nodes and caches, as the
 * features of a stream say it, or this machine's sysfs where the stream does not.
 */
#include "stat/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"

static const struct pp_count_joined unknown = {
	-1, -1, -1, -1, -1, { -1, -1, -1, -1, -1, -1, -1, -1, -1 },
};

struct pp_count_joined *pp_count_joined(struct pp_count_topology *t, int64_t cpu, struct pp_error *error)
{
	if (PP_GROW(&t->cpus, &t->room, (size_t)cpu + 1, error))
		return NULL;
	for (; t->n <= (size_t)cpu; t->n++)
		t->cpus[t->n] = unknown;
	return &t->cpus[cpu];
}

/* Marks the CPUs of a list such as "0-3,8" as sharing what `member` of their topology says, by
 * `value`, or, where that is -1, by the first of them. */
static int join_list(struct pp_count_topology *t, const char *list, size_t length, size_t at,
		     int32_t value, struct pp_error *error)
{
	char *const text = strndup(list, length);
	uint32_t *numbers = NULL;
	int failed = text ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
	long n;

	errno = 0;
	n = text ? pp_list_parse(text, &numbers) : -1;
	if (n < 0 && errno == ENOMEM)
		failed = pp_fail(error, PP_E_NOMEM, NULL);
	for (long i = 0; i < n && !failed; i++) {
		struct pp_count_joined *joined;

		if (numbers[i] >= PP_COUNT_CPUS)
			continue;
		joined = pp_count_joined(t, numbers[i], error);
		if (joined)
			memcpy((char *)joined + at, value < 0 ? (const void *)&numbers[0] :
			       (const void *)&value, sizeof(value));
		failed = joined ? 0 : -1;
	}
	free(numbers);
	free(text);
	return failed;
}

/* ---- what the stream says ---- */

static int take_cpu_topology(struct pp_count_topology *t, const struct pp_record *rec, struct pp_error *error)
{
	uint32_t cores = 0, sockets = 0;
	struct pp_cursor c;

	pp_walk(&c, rec);
	while (pp_count_value(&c)) {
		const bool core = !strcmp(c.field->name, "core_id");
		const bool socket = !strcmp(c.field->name, "socket_id");
		const uint32_t n = core ? cores++ : socket ? sockets++ : 0;
		struct pp_count_joined *joined;

		if (!strcmp(c.field->name, "die_id")) {
			for (uint32_t i = 0; i < c.count && i < PP_COUNT_CPUS; i++) {
				joined = pp_count_joined(t, i, error);
				if (!joined)
					return -1;
				joined->die = (int32_t)pp_walk_u64(&c, i);
			}
		}
		if (!(core || socket) || n >= PP_COUNT_CPUS)
			continue;
		joined = pp_count_joined(t, n, error);
		if (!joined)
			return -1;
		*(core ? &joined->core : &joined->socket) = (int32_t)c.value;
	}
	/* Streams before dies were known have one in each socket, as perf takes it. */
	for (size_t i = 0; i < t->n; i++)
		if (t->cpus[i].die < 0 && t->cpus[i].socket >= 0)
			t->cpus[i].die = 0;
	t->said = true;
	return 0;
}

static int take_nodes(struct pp_count_topology *t, const struct pp_record *rec, struct pp_error *error)
{
	const char *list;
	struct pp_cursor c;
	uint64_t node = 0;
	size_t length;

	pp_walk(&c, rec);
	while (pp_count_value(&c)) {
		if (!strcmp(c.field->name, "node"))
			node = c.value;
		if (strcmp(c.field->name, "cpus"))
			continue;
		list = pp_walk_text(&c, &length);
		if (join_list(t, list, length, offsetof(struct pp_count_joined, node),
					   (int32_t)(node & INT32_MAX), error))
			return -1;
	}
	return 0;
}

/* Caches of data: those of instructions share their level. */
static int take_caches(struct pp_count_topology *t, const struct pp_record *rec, struct pp_error *error)
{
	bool data = true;
	uint64_t level = 0;
	const char *text;
	struct pp_cursor c;
	size_t length;

	pp_walk(&c, rec);
	while (pp_count_value(&c)) {
		if (!strcmp(c.field->name, "level"))
			level = c.value;
		text = pp_walk_text(&c, &length);
		if (!strcmp(c.field->name, "type"))
			data = !length || *text != 'I';
		if (strcmp(c.field->name, "map") || !data || level < 1 || level > 9)
			continue;
		if (join_list(t, text, length, offsetof(struct pp_count_joined, cache) +
					   (level - 1) * sizeof(int32_t), -1, error))
			return -1;
	}
	return 0;
}

int pp_count_topology_note(struct pp_count_topology *t, const struct pp_record *rec, uint64_t feature,
			   struct pp_error *error)
{
	static int (*const takers[])(struct pp_count_topology *, const struct pp_record *,
				     struct pp_error *) = {
		[PP_FEAT_CPU_TOPOLOGY] = take_cpu_topology, [PP_FEAT_NUMA_TOPOLOGY] = take_nodes,
		[PP_FEAT_CACHE] = take_caches,
	};

	if (feature >= sizeof(takers) / sizeof(*takers) || !takers[feature])
		return 0;
	return takers[feature](t, rec, error);
}

/* ---- what this machine says ---- */

#define SYS_CPU "/sys/devices/system/cpu/cpu%u/"

static int32_t id(unsigned cpu, const char *name)
{
	char text[32];

	if (pp_file_text(text, sizeof(text), SYS_CPU "topology/%s", cpu, name) <= 0)
		return -1;
	return (int32_t)strtol(text, NULL, 10);
}

static void join_caches(struct pp_count_joined *joined, unsigned cpu)
{
	for (unsigned i = 0; i < 16; i++) {
		const uint64_t level = pp_file_u64(0, SYS_CPU "cache/index%u/level", cpu, i);
		char list[512], type[32];

		if (pp_file_text(type, sizeof(type), SYS_CPU "cache/index%u/type", cpu, i) <= 0)
			break;
		if (*type == 'I' || level < 1 || level > 9 ||
		    pp_file_text(list, sizeof(list), SYS_CPU "cache/index%u/shared_cpu_list", cpu, i) <= 0)
			continue;
		joined->cache[level - 1] = (int32_t)strtol(list, NULL, 10);
	}
}

int pp_counts_join_here(struct pp_counts *c, struct pp_error *error)
{
	struct pp_count_topology *const t = &c->topology;
	uint32_t *cpus = NULL;
	char list[4096];
	long n = -1;

	if (pp_file_text(list, sizeof(list), "/sys/devices/system/cpu/online") > 0)
		n = pp_list_parse(list, &cpus);
	for (long i = 0; i < n; i++) {
		struct pp_count_joined *joined;

		if (cpus[i] >= PP_COUNT_CPUS)
			continue;
		joined = pp_count_joined(t, cpus[i], error);
		if (!joined) {
			free(cpus);
			return -1;
		}
		joined->socket = id(cpus[i], "physical_package_id");
		joined->die = id(cpus[i], "die_id");
		joined->die = joined->die < 0 ? 0 : joined->die;
		joined->cluster = id(cpus[i], "cluster_id");
		joined->core = id(cpus[i], "core_id");
		join_caches(joined, cpus[i]);
	}
	free(cpus);
	c->plan.made = false;
	return n < 0 ? pp_fail(error, PP_E_DENIED, "this machine does not say how its CPUs are joined") : 0;
}
