/* places.c - which CPUs are one place: a core, a package, a node; and running where a buffer was
 * written.  Who reads which buffer is left to threads.c. */
#include "base/procfs.h"
#include "capture/capture.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define CPUS  "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

/* Numbers in a file; how many, or 0 or less: there is none. */
static long listed(uint32_t **cpus, const char *path)
{
	char text[4096];

	return pp_file_text(text, sizeof(text), "%s", path) > 0 ? pp_list_parse(text, cpus) : -1;
}

static bool is_among(uint32_t cpu, const uint32_t *cpus, long n)
{
	for (long i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

static bool is_node(const char *name)
{
	return !strncmp(name, "node", 4) && pp_is_number(name + 4);
}

static long cpus_of_node(uint32_t cpu, uint32_t **cpus)
{
	struct pp_names nodes;
	char path[PP_PATH];
	long n = -1;

	if (pp_names_read(&nodes, NODES, is_node))
		return -1;
	for (size_t i = 0; i < nodes.n && n < 0; i++) {
		(void)snprintf(path, sizeof(path), NODES "/%s/cpulist", nodes.items[i]);
		n = listed(cpus, path);
		if (n > 0 && is_among(cpu, *cpus, n))
			continue;
		if (n > 0)
			free(*cpus);
		n = -1;
	}
	pp_names_free(&nodes);
	return n;
}

/* By either of the names that kernels have for it. */
static long cpus_of_topology(uint32_t cpu, const char *name, const char *older, uint32_t **cpus)
{
	char path[PP_PATH];
	long n;

	(void)snprintf(path, sizeof(path), CPUS "/cpu%u/topology/%s", cpu, name);
	n = listed(cpus, path);
	if (n > 0)
		return n;
	(void)snprintf(path, sizeof(path), CPUS "/cpu%u/topology/%s", cpu, older);
	return listed(cpus, path);
}

/* The CPUs of the place that this one is in, to be freed; at least itself.  0, or -1 and *error. */
static int cpus_of(enum pp_capture_place place, uint32_t cpu, uint32_t **cpus, size_t *n_cpus,
		   struct pp_error *error)
{
	long n = -1;

	if (place == PP_AT_CORE)
		n = cpus_of_topology(cpu, "core_cpus_list", "thread_siblings_list", cpus);
	else if (place == PP_AT_PACKAGE)
		n = cpus_of_topology(cpu, "package_cpus_list", "core_siblings_list", cpus);
	else if (place == PP_AT_NODE)
		n = cpus_of_node(cpu, cpus);
	if (n <= 0) {
		*cpus = malloc(sizeof(**cpus));
		if (!*cpus)
			return pp_fail(error, PP_E_NOMEM, NULL);
		(*cpus)[0] = cpu;
		n = 1;
	}
	*n_cpus = (size_t)n;
	return 0;
}

/* The number of the place of this CPU in `p`, which is added if it is new.  0, or -1 and *error. */
static int find_place(struct pp_places *p, uint32_t cpu, uint32_t *found, struct pp_error *error)
{
	struct pp_place *place = p->items;
	uint32_t *cpus, highest = 0;
	size_t n = 0;

	for (*found = 0; *found < p->n; ++*found, place++)
		if (cpu < place->size * 8 && CPU_ISSET_S(cpu, place->size, place->set))
			return 0;
	if (cpus_of(p->kind, cpu, &cpus, &n, error))
		return -1;
	for (size_t i = 0; i < n; i++)
		highest = cpus[i] > highest ? cpus[i] : highest;
	place->size = CPU_ALLOC_SIZE(highest + 1);
	place->set = calloc(1, place->size);
	for (size_t i = 0; i < n && place->set; i++)
		CPU_SET_S(cpus[i], place->size, place->set);
	free(cpus);
	if (!place->set)
		return pp_fail(error, PP_E_NOMEM, NULL);
	p->n++;
	return 0;
}

int pp_places_open(struct pp_places *p, enum pp_capture_place kind, const struct pp_target *t,
		   struct pp_error *error)
{
	*p = (struct pp_places){ .kind = kind, .n_cpus = t->n_cpus, .here = PP_NOWHERE };
	if (kind == PP_AT_ANY || pp_target_any_cpu(t))
		return 0;
	p->items = calloc(t->n_cpus, sizeof(*p->items));
	p->of = calloc(t->n_cpus, sizeof(*p->of));
	if (!p->items || !p->of)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < t->n_cpus; i++)
		if (find_place(p, t->cpus[i], &p->of[i], error))
			return -1;
	return 0;
}

void pp_places_close(struct pp_places *p)
{
	for (size_t i = 0; p->items && i < p->n; i++)
		free(p->items[i].set);
	free(p->items);
	free(p->of);
}

uint32_t pp_places_of(const struct pp_places *p, size_t cpu)
{
	return p->of ? p->of[cpu] : PP_NOWHERE;
}

/* A CPU that is off line, or not ours, is no place to be: then the thread stays where it was. */
void pp_places_stay(const struct pp_places *p, uint32_t place)
{
	if (p->items && place < p->n)
		(void)sched_setaffinity(0, p->items[place].size, p->items[place].set);
}

void pp_places_go(struct pp_places *p, uint32_t place)
{
	if (place == PP_NOWHERE || place == p->here)
		return;
	p->here = place;
	pp_places_stay(p, place);
}
