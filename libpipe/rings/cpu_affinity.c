/* cpu_affinity.c - which CPUs are one place: a core, a package, a node; and running where a buffer was
 * written. */
#include "base/procfs.h"
#include "rings/rings.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

enum { CPUS_MOST = 65535 };           /* in a list that is given */

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

/* One that these are, which are freed.  0, or -1 and *error. */
static int add_place(struct pp_cpu_sets *p, uint32_t *cpus, size_t n, struct pp_error *error)
{
	struct pp_cpu_set *const place = &p->items[p->n];
	uint32_t highest = 0;

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

/* The number of the place of this CPU in `p`, which is added if it is new.  0, or -1 and *error. */
static int find_place(struct pp_cpu_sets *p, uint32_t cpu, uint32_t *found, struct pp_error *error)
{
	const struct pp_cpu_set *place = p->items;
	uint32_t *cpus;
	size_t n = 0;

	for (*found = 0; *found < p->n; ++*found, place++)
		if (cpu < place->size * 8 && CPU_ISSET_S(cpu, place->size, place->set))
			return 0;
	if (cpus_of(p->kind, cpu, &cpus, &n, error))
		return -1;
	return add_place(p, cpus, n, error);
}

/* Room for as many places as a target has CPUs. */
static int make_room_for_places(struct pp_cpu_sets *p, const struct pp_target *t, struct pp_error *error)
{
	p->n_cpus = t->n_cpus;
	p->items = calloc(t->n_cpus, sizeof(*p->items));
	p->of = calloc(t->n_cpus, sizeof(*p->of));
	return p->items && p->of ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

int pp_places_open(struct pp_cpu_sets *p, enum pp_capture_place kind, const struct pp_target *t,
		   struct pp_error *error)
{
	*p = (struct pp_cpu_sets){ .kind = kind, .here = PP_NOWHERE };
	if (kind == PP_AT_ANY || pp_target_any_cpu(t))
		return 0;
	if (make_room_for_places(p, t, error))
		return -1;
	for (size_t i = 0; i < t->n_cpus; i++)
		if (find_place(p, t->cpus[i], &p->of[i], error))
			return -1;
	return 0;
}

/* ---- as they are given ---- */

/* Numbers and ranges, to the end. */
static bool is_list(const char *text)
{
	for (;;) {
		char *end;
		const unsigned long first = strtoul(text, &end, 10);
		unsigned long last = first;

		if (!isdigit((unsigned char)*text))
			return false;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 10);
		}
		if (!isdigit((unsigned char)*text) || last < first || last > CPUS_MOST)
			return false;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		text = end + 1;
	}
}

/* The CPUs of a list, to be freed; how many, or -1 and *error. */
static long cpus_listed(const char *mask, uint32_t **cpus, struct pp_error *error)
{
	long n;

	if (is_list(mask)) {
		n = pp_list_parse(mask, cpus);
		return n < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : n;
	}
	return pp_fail(error, PP_E_USE, "'%.100s' is no list of CPUs, such as 0,2-4", mask);
}

/* The last place is that of the target's CPUs in this list; others are ignored, as by perf. */
static int give_cpus(struct pp_cpu_sets *p, const char *mask, const struct pp_target *t,
		     struct pp_error *error)
{
	const uint32_t place = (uint32_t)p->n - 1;
	bool any = false, twice = false;
	uint32_t *cpus;
	const long n = cpus_listed(mask, &cpus, error);

	if (n < 0)
		return -1;
	for (size_t i = 0; i < t->n_cpus; i++) {
		if (!is_among(t->cpus[i], cpus, n))
			continue;
		any |= t->selected[i];
		twice |= p->of[i] != PP_NOWHERE;
		p->of[i] = place;
	}
	free(cpus);
	if (twice)
		return pp_fail(error, PP_E_USE, "a CPU of '%.100s' has another thread already", mask);
	return any ? 0 : pp_fail(error, PP_E_USE, "no CPU of '%.100s' is recorded", mask);
}

/* That of a thread: "CPUS/WHERE". */
static int give_place(struct pp_cpu_sets *p, char *masks, const struct pp_target *t,
		      struct pp_error *error)
{
	char *const where = strchr(masks, '/');
	uint32_t *cpus;
	long n;

	if (!where)
		return pp_fail(error, PP_E_USE, "'%.100s' does not say where the thread runs that reads the "
			       "buffers of these CPUs: CPUS/WHERE", masks);
	*where = '\0';
	n = cpus_listed(where + 1, &cpus, error);
	if (n < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		for (long k = 0; k < n; k++)
			if (CPU_ISSET_S(cpus[k], p->items[i].size, p->items[i].set)) {
				free(cpus);
				return pp_fail(error, PP_E_USE, "another thread runs on a CPU of "
					       "'%.100s' already", where + 1);
			}
	return add_place(p, cpus, (size_t)n, error) || give_cpus(p, masks, t, error) ? -1 : 0;
}

static int give_all(struct pp_cpu_sets *p, char *masks, const struct pp_target *t,
		    struct pp_error *error)
{
	char *next;

	for (; masks; masks = next) {
		next = strchr(masks, ':');
		if (next)
			*next++ = '\0';
		if (p->n == t->n_cpus)
			return pp_fail(error, PP_E_USE, "there are more masks of threads than CPUs");
		if (give_place(p, masks, t, error))
			return -1;
	}
	for (size_t i = 0; i < t->n_cpus; i++) {
		if (p->of[i] != PP_NOWHERE)
			continue;
		if (t->selected[i]) {
			(void)pp_fail(error, PP_E_USE, "no thread reads the buffer of CPU %u: add it to a "
				      "mask, or record others alone", t->cpus[i]);
			return pp_error_hint(error, PP_HINT_FEWER_CPUS);
		}
		p->of[i] = 0;         /* only tasks are reported there */
	}
	return 0;
}

int pp_places_give(struct pp_cpu_sets *p, const char *masks, const struct pp_target *t,
		   struct pp_error *error)
{
	char *copy;
	int status;

	*p = (struct pp_cpu_sets){ .kind = PP_AT_ANY, .here = PP_NOWHERE };
	if (pp_target_any_cpu(t))
		return pp_fail(error, PP_E_USE, "buffers of threads on any CPU have no CPU that a mask could "
			       "name: give a number of threads");
	if (make_room_for_places(p, t, error))
		return -1;
	for (size_t i = 0; i < t->n_cpus; i++)
		p->of[i] = PP_NOWHERE;
	copy = strdup(masks);
	status = copy ? give_all(p, copy, t, error) : pp_fail(error, PP_E_NOMEM, NULL);
	free(copy);
	return status;
}

void pp_places_close(struct pp_cpu_sets *p)
{
	for (size_t i = 0; p->items && i < p->n; i++)
		free(p->items[i].set);
	free(p->items);
	free(p->of);
}

uint32_t pp_places_of(const struct pp_cpu_sets *p, size_t cpu)
{
	return p->of ? p->of[cpu] : PP_NOWHERE;
}

/* A CPU that is off line, or not ours, is no place to be: then the thread stays where it was. */
void pp_places_stay(const struct pp_cpu_sets *p, uint32_t place)
{
	if (p->items && place < p->n)
		(void)sched_setaffinity(0, p->items[place].size, p->items[place].set);
}

void pp_places_go(struct pp_cpu_sets *p, uint32_t place)
{
	if (place == PP_NOWHERE || place == p->here)
		return;
	p->here = place;
	pp_places_stay(p, place);
}
