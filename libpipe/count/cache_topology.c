/* cache_topology.c - which CPUs share a cache or belong to a cluster, by sysfs, so that counts can be
 * added up by these elsewhere. */
#include "count/counting.h"

#include <stdlib.h>

#define CPU "/sys/devices/system/cpu/cpu%u"

enum { MOST_CACHES = 16 };            /* of a CPU */

static bool first_of(const char *list, uint32_t cpu)
{
	return strtoul(list, NULL, 10) == cpu;
}

static const struct { const char *field, *file; } numbers[] = {
	{ "level", "level" }, { "line_size", "coherency_line_size" },
	{ "sets", "number_of_sets" }, { "ways", "ways_of_associativity" },
};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

struct cache {
	uint64_t numbers[NUMBERS];
	char type[32], size[32], map[512];
};

struct caches { struct cache *items; size_t n, room; };

/* One of the caches of a CPU; false: there is none, or another CPU that shares it has told of it. */
static bool find_cache(struct cache *c, uint32_t cpu, unsigned index)
{
	if (pp_file_text(c->map, sizeof(c->map), CPU "/cache/index%u/shared_cpu_list", cpu, index) < 0 ||
	    !first_of(c->map, cpu) ||
	    pp_file_text(c->type, sizeof(c->type), CPU "/cache/index%u/type", cpu, index) < 0 ||
	    pp_file_text(c->size, sizeof(c->size), CPU "/cache/index%u/size", cpu, index) < 0)
		return false;
	for (size_t i = 0; i < NUMBERS; i++)
		c->numbers[i] = pp_file_u64(0, CPU "/cache/index%u/%s", cpu, index, numbers[i].file);
	return true;
}

/* CPUs have caches from the first index on; some have fewer than others. */
static bool any_has(const uint32_t *cpus, long n, unsigned index)
{
	char type[32];

	for (long i = 0; i < n; i++)
		if (pp_file_text(type, sizeof(type), CPU "/cache/index%u/type", cpus[i], index) >= 0)
			return true;
	return false;
}

static void find_caches(struct caches *found, const uint32_t *cpus, long n)
{
	for (unsigned index = 0; index < MOST_CACHES && any_has(cpus, n, index); index++)
		for (long i = 0; i < n; i++) {
			if (PP_GROW(&found->items, &found->room, found->n + 1, NULL))
				return;
			found->n += find_cache(&found->items[found->n], cpus[i], index);
		}
}

static void put_cache(struct pp_build *b, const struct cache *c)
{
	pp_build_open(b, "caches");
	for (size_t i = 0; i < NUMBERS; i++)
		pp_build_u64(b, numbers[i].field, c->numbers[i]);
	pp_build_text(b, "type", c->type);
	pp_build_text(b, "size", c->size);
	pp_build_text(b, "map", c->map);
	pp_build_close(b);
}

static long online(uint32_t **cpus)
{
	char text[4096];

	*cpus = NULL;
	if (pp_file_text(text, sizeof(text), "/sys/devices/system/cpu/online") < 0)
		return -1;
	return pp_list_parse(text, cpus);
}

bool pp_counting_caches(struct pp_build *b)
{
	struct caches found = { .n = 0 };
	uint32_t *cpus;
	const long n = online(&cpus);

	find_caches(&found, cpus, n);
	if (found.n) {
		pp_build_u64(b, "version", 1);
		pp_build_u64(b, "nr", found.n);
	}
	for (size_t i = 0; i < found.n; i++)
		put_cache(b, &found.items[i]);
	free(found.items);
	free(cpus);
	return found.n > 0;
}

/* The kernel gives what it does not know a number of all ones, of 16 or 32 bits. */
static bool has_cluster(uint32_t cpu)
{
	const uint64_t id = pp_file_u64(UINT64_MAX, CPU "/topology/cluster_id", cpu);

	return id < UINT16_MAX;
}

void pp_counting_clusters(struct pp_json *j)
{
	uint32_t *cpus, *members;
	const long n = online(&cpus);
	bool any = false;
	char text[512];

	for (long i = 0; i < n; i++) {
		if (!has_cluster(cpus[i]) ||
		    pp_file_text(text, sizeof(text), CPU "/topology/cluster_cpus_list", cpus[i]) < 0 ||
		    !first_of(text, cpus[i]))
			continue;
		if (!any)
			pp_json_open(j, "clusters", '[');
		any = true;
		pp_json_open(j, NULL, '[');
		for (long k = 0, of = pp_list_parse(text, &members); k < of; k++) {
			pp_json_number(j, NULL, members[k]);
			if (k == of - 1)
				free(members);
		}
		pp_json_close(j, ']');
	}
	if (any)
		pp_json_close(j, ']');
	free(cpus);
}
