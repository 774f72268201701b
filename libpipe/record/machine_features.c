/* machine_features.c - features that describe this machine, by /proc and /sys. */
#include "base/array.h"
#include "base/procfs.h"
#include "record/capture.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPUS  "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

static bool text_feature(struct pp_build *b, const char *name, const char *text)
{
	if (!*text)
		return false;
	pp_build_text(b, name, text);
	return true;
}

static bool hostname(struct pp_build *b)
{
	struct utsname u;

	return !uname(&u) && text_feature(b, "hostname", u.nodename);
}

static bool osrelease(struct pp_build *b)
{
	struct utsname u;

	return !uname(&u) && text_feature(b, "osrelease", u.release);
}

static bool version(struct pp_build *b)
{
	return text_feature(b, "version", "perfpipe " VERSION);
}

static bool arch(struct pp_build *b)
{
	struct utsname u;

	return !uname(&u) && text_feature(b, "arch", u.machine);
}

/* ---- processors ---- */

/* One more than the highest number that a processor can have. */
static uint32_t available(void)
{
	char text[4096];
	uint32_t *list = NULL, n = 0;
	long count;

	if (pp_file_text(text, sizeof(text), CPUS "/present") < 0)
		return 0;
	count = pp_list_parse(text, &list);
	if (count > 0)
		n = list[count - 1] + 1;
	free(list);
	return n;
}

static bool nr_cpus(struct pp_build *b)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t n = available();

	if (!n || online < 1)
		return false;
	pp_build_u64(b, "nr_cpus_avail", n);
	pp_build_u64(b, "nr_cpus_online", (uint64_t)online);
	return true;
}

/* The value of such a line of a file. */
static bool line_value(const char *path, const char *key, char *value, size_t size)
{
	size_t length;
	char *const text = pp_file_all(path, &length);
	const bool found = pp_line_value(text, key, value, size);

	free(text);
	return found;
}

static bool cpu_desc(struct pp_build *b)
{
	static const char *const keys[] = {
		"model name", "cpu", "processor", "Processor", "uarch",
	};
	size_t length;
	char *const text = pp_file_all("/proc/cpuinfo", &length), value[256];
	bool found = false;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !found; i++)
		found = pp_line_value(text, keys[i], value, sizeof(value)) && !pp_is_number(value);
	free(text);
	return found && text_feature(b, "cpudesc", value);
}

static bool cpu_id(struct pp_build *b)
{
	char vendor[64], family[16], model[16], stepping[16], id[128];
	size_t length;
	char *const text = pp_file_all("/proc/cpuinfo", &length);
	const bool found = pp_line_value(text, "vendor_id", vendor, sizeof(vendor)) &&
			   pp_line_value(text, "cpu family", family, sizeof(family)) &&
			   pp_line_value(text, "model", model, sizeof(model)) &&
			   pp_line_value(text, "stepping", stepping, sizeof(stepping));

	free(text);
	if (found) {
		(void)snprintf(id, sizeof(id), "%s,%s,%s,%s", vendor, family, model, stepping);
		return text_feature(b, "cpuid", id);
	}
	return pp_file_text(id, sizeof(id), CPUS "/cpu0/regs/identification/midr_el1") > 0 &&
	       text_feature(b, "cpuid", id);
}

static bool total_mem(struct pp_build *b)
{
	char value[64];

	if (!line_value("/proc/meminfo", "MemTotal", value, sizeof(value)))
		return false;
	pp_build_u64(b, "total_mem", strtoull(value, NULL, 10));
	return true;
}

/* Lists of processors, each once, in the order in which they are met. */
struct lists {
	char **items;
	uint32_t n;
	size_t room;
};

static void lists_free(struct lists *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
}

static bool lists_add(struct lists *l, const char *text)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], text))
			return true;
	if (PP_GROW(&l->items, &l->room, (size_t)l->n + 1, NULL))
		return false;
	l->items[l->n] = strdup(text);
	return l->items[l->n] && ++l->n;
}

/* One list of each available processor, from whichever of two files there is. */
static bool lists_read(struct lists *l, const char *name, const char *old_name)
{
	const uint32_t n = available();
	char text[4096];

	*l = (struct lists){ .n = 0 };
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		long got = pp_file_text(text, sizeof(text), CPUS "/cpu%u/topology/%s", cpu, name);

		if (got <= 0)
			got = pp_file_text(text, sizeof(text), CPUS "/cpu%u/topology/%s", cpu,
					   old_name);
		if (!got)
			errno = EIO;          /* the CPU itself is always in it */
		if (got > 0 && !lists_add(l, text))
			return false;
	}
	return l->n > 0;
}

static void lists_build(struct pp_build *b, const char *count, const char *name,
			const struct lists *l)
{
	pp_build_u64(b, count, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		pp_build_item(b, name, l->items[i]);
}

static uint64_t topology(uint32_t cpu, const char *name)
{
	return pp_file_u64(UINT32_MAX, CPUS "/cpu%u/topology/%s", cpu, name);
}

static void topology_build(struct pp_build *b, const struct lists *cores,
			   const struct lists *threads, const struct lists *dies)
{
	const uint32_t n = available();

	lists_build(b, "nr_cores", "cores", cores);
	lists_build(b, "nr_threads", "threads", threads);
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		pp_build_open(b, "cpus");
		pp_build_u64(b, "core_id", topology(cpu, "core_id"));
		pp_build_u64(b, "socket_id", topology(cpu, "physical_package_id"));
		pp_build_close(b);
	}
	if (!dies->n)
		return;
	lists_build(b, "nr_dies", "dies", dies);
	{
		uint32_t *const ids = malloc(n * sizeof(*ids));

		for (uint32_t cpu = 0; ids && cpu < n; cpu++)
			ids[cpu] = (uint32_t)topology(cpu, "die_id");
		pp_build_bytes(b, "die_id", ids, ids ? n * sizeof(*ids) : 0);
		free(ids);
	}
}

static bool cpu_topology(struct pp_build *b)
{
	struct lists cores, threads = { .n = 0 }, dies = { .n = 0 };
	const bool known = lists_read(&cores, "package_cpus_list", "core_siblings_list") &&
			   lists_read(&threads, "core_cpus_list", "thread_siblings_list");

	if (known) {
		(void)lists_read(&dies, "die_cpus_list", "die_cpus_list");
		topology_build(b, &cores, &threads, &dies);
	}
	lists_free(&cores);
	lists_free(&threads);
	lists_free(&dies);
	return known;
}

/* ---- memory ---- */

static bool is_node(const char *name)
{
	return !strncmp(name, "node", 4) && pp_is_number(name + 4);
}

static uint64_t node_kb(const char *node, const char *key)
{
	char path[512], line[64], value[64];

	(void)snprintf(path, sizeof(path), NODES "/%s/meminfo", node);
	(void)snprintf(line, sizeof(line), "Node %s %s", node + 4, key);
	return line_value(path, line, value, sizeof(value)) ? strtoull(value, NULL, 10) : 0;
}

static bool numa_topology(struct pp_build *b)
{
	struct pp_names nodes;
	char cpus[4096];

	if (pp_names_read(&nodes, NODES, is_node))
		return false;
	pp_build_u64(b, "nr", nodes.n);
	for (size_t i = 0; i < nodes.n; i++) {
		if (pp_file_text(cpus, sizeof(cpus), NODES "/%s/cpulist", nodes.items[i]) < 0)
			cpus[0] = '\0';
		pp_build_open(b, "nodes");
		pp_build_u64(b, "node", strtoull(nodes.items[i] + 4, NULL, 10));
		pp_build_u64(b, "mem_total", node_kb(nodes.items[i], "MemTotal"));
		pp_build_u64(b, "mem_free", node_kb(nodes.items[i], "MemFree"));
		pp_build_text(b, "cpus", cpus);
		pp_build_close(b);
	}
	pp_names_free(&nodes);
	return true;
}

static bool is_block(const char *name)
{
	return !strncmp(name, "memory", 6) && pp_is_number(name + 6);
}

static void build_memory_node(struct pp_build *b, const char *node, const struct pp_names *blocks)
{
	uint64_t bits = 0, *map;

	for (size_t i = 0; i < blocks->n; i++) {
		const uint64_t bit = strtoull(blocks->items[i] + 6, NULL, 10);

		if (bit >= bits && bit < PP_RECORD_MAX * UINT64_C(8))
			bits = bit + 1;
	}
	map = calloc((size_t)(bits / 64 + 1), sizeof(*map));
	for (size_t i = 0; map && i < blocks->n; i++) {
		const uint64_t bit = strtoull(blocks->items[i] + 6, NULL, 10);

		if (bit < bits)
			map[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	pp_build_open(b, "nodes");
	pp_build_u64(b, "node", strtoull(node + 4, NULL, 10));
	pp_build_u64(b, "size", bits);
	pp_build_u64(b, "bits", bits);
	pp_build_bytes(b, "map", map, map ? (size_t)((bits + 63) / 64) * sizeof(*map) : 0);
	pp_build_close(b);
	free(map);
}

static bool mem_topology(struct pp_build *b)
{
	char text[64], path[512];
	struct pp_names nodes, blocks;

	if (pp_file_text(text, sizeof(text), "/sys/devices/system/memory/block_size_bytes") <= 0 ||
	    pp_names_read(&nodes, NODES, is_node))
		return false;
	pp_build_u64(b, "version", 1);
	pp_build_u64(b, "block_size", strtoull(text, NULL, 16));
	pp_build_u64(b, "nr", nodes.n);
	for (size_t i = 0; i < nodes.n; i++) {
		(void)snprintf(path, sizeof(path), NODES "/%s", nodes.items[i]);
		(void)pp_names_read(&blocks, path, is_block);
		build_memory_node(b, nodes.items[i], &blocks);
		pp_names_free(&blocks);
	}
	pp_names_free(&nodes);
	return true;
}

/* ---- PMUs ---- */

static bool is_pmu(const char *name)
{
	return pp_file_u64(UINT64_MAX, PP_PMUS "/%s/type", name) != UINT64_MAX;
}

static bool pmu_mappings(struct pp_build *b)
{
	struct pp_names pmus;

	if (pp_names_read(&pmus, PP_PMUS, is_pmu))
		return false;
	pp_build_u64(b, "nr", pmus.n);
	for (size_t i = 0; i < pmus.n; i++) {
		pp_build_open(b, "pmus");
		pp_build_u64(b, "type", pp_file_u64(0, PP_PMUS "/%s/type", pmus.items[i]));
		pp_build_text(b, "name", pmus.items[i]);
		pp_build_close(b);
	}
	pp_names_free(&pmus);
	return true;
}

static bool read_caps(const char *pmu, struct pp_names *caps)
{
	char path[512];

	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/caps", pmu);
	return !pp_names_read(caps, path, NULL) && caps->n;
}

static void build_caps(struct pp_build *b, const char *pmu, const struct pp_names *caps)
{
	char value[256];

	for (size_t i = 0; i < caps->n; i++) {
		if (pp_file_text(value, sizeof(value), PP_PMUS "/%s/caps/%s", pmu, caps->items[i]) < 0)
			value[0] = '\0';
		pp_build_open(b, "caps");
		pp_build_text(b, "name", caps->items[i]);
		pp_build_text(b, "value", value);
		pp_build_close(b);
	}
}

static bool cpu_pmu_caps(struct pp_build *b)
{
	struct pp_names caps;

	if (!read_caps("cpu", &caps))
		return false;
	pp_build_u64(b, "nr", caps.n);
	build_caps(b, "cpu", &caps);
	pp_names_free(&caps);
	return true;
}

/* The core PMU has a feature of its own. */
static bool has_caps(const char *name)
{
	struct pp_names caps;
	const bool has = strcmp(name, "cpu") != 0 && read_caps(name, &caps);

	if (has)
		pp_names_free(&caps);
	return has;
}

static bool pmu_caps(struct pp_build *b)
{
	struct pp_names pmus, caps;

	if (pp_names_read(&pmus, PP_PMUS, has_caps) || !pmus.n)
		return false;
	pp_build_u64(b, "nr", pmus.n);
	for (size_t i = 0; i < pmus.n; i++) {
		if (!read_caps(pmus.items[i], &caps))
			continue;
		pp_build_open(b, "pmus");
		pp_build_u64(b, "nr_caps", caps.n);
		build_caps(b, pmus.items[i], &caps);
		pp_build_text(b, "pmu_name", pmus.items[i]);
		pp_build_close(b);
		pp_names_free(&caps);
	}
	pp_names_free(&pmus);
	return true;
}

bool pp_machine_feature(struct pp_build *b, uint32_t number)
{
	static const struct {
		uint32_t number;
		bool (*fill)(struct pp_build *);
	} features[] = {
		{ PP_FEAT_HOSTNAME, hostname }, { PP_FEAT_OSRELEASE, osrelease },
		{ PP_FEAT_VERSION, version }, { PP_FEAT_ARCH, arch },
		{ PP_FEAT_NRCPUS, nr_cpus }, { PP_FEAT_CPUDESC, cpu_desc },
		{ PP_FEAT_CPUID, cpu_id }, { PP_FEAT_TOTAL_MEM, total_mem },
		{ PP_FEAT_CPU_TOPOLOGY, cpu_topology }, { PP_FEAT_NUMA_TOPOLOGY, numa_topology },
		{ PP_FEAT_PMU_MAPPINGS, pmu_mappings }, { PP_FEAT_MEM_TOPOLOGY, mem_topology },
		{ PP_FEAT_CPU_PMU_CAPS, cpu_pmu_caps }, { PP_FEAT_PMU_CAPS, pmu_caps },
	};

	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		if (features[i].number == number)
			return features[i].fill(b);
	return false;
}
