/* host_facts.c - what expressions ask of a machine: its CPUs, cores, packages, and what processor it has. */
#include "base/procfs.h"
#include "metric/metric.h"
#include "pattern/regex.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPUS "/sys/devices/system/cpu"

/* ---- Literals -------------------------------------------------------------------------------- */

static const struct { const char *name; size_t at; } literals[] = {
#define LITERAL(member) { "#" #member, offsetof(struct pp_metric_machine, member) }
	LITERAL(smt_on), LITERAL(num_cpus), LITERAL(num_cpus_online), LITERAL(num_cores),
	LITERAL(num_dies), LITERAL(num_packages), LITERAL(system_tsc_freq), LITERAL(slots),
	LITERAL(has_pmem), LITERAL(core_wide), LITERAL(target_cpu),
#undef LITERAL
};
enum { N_LITERALS = sizeof(literals) / sizeof(literals[0]) };

static double *literal_of(struct pp_metric_machine *machine, size_t i)
{
	return (double *)(void *)((char *)machine + literals[i].at);
}

bool pp_metric_literal(const struct pp_metric_machine *machine, const char *literal, double *value)
{
	for (size_t i = 0; i < N_LITERALS; i++) {
		/* Intel's files write #SMT_on, too */
		if (strcasecmp(literals[i].name, literal) != 0)
			continue;
		*value = NAN;
		if (machine && machine->size >= literals[i].at + sizeof(double))
			memcpy(value, (const char *)machine + literals[i].at, sizeof(double));
		return true;
	}
	return false;
}

void pp_metric_machine_clear(struct pp_metric_machine *machine)
{
	*machine = (struct pp_metric_machine){ .size = sizeof(*machine) };
	for (size_t i = 0; i < N_LITERALS; i++)
		*literal_of(machine, i) = NAN;
}

/* ---- This machine ---------------------------------------------------------------------------- */

/* How many numbers a list such as "0-3,8" has, and the highest; 0: it cannot be read. */
static long count_list(const char *path, uint32_t *highest)
{
	char text[8192];
	uint32_t *list = NULL;
	long n;

	if (pp_file_text(text, sizeof(text), "%s", path) < 0)
		return 0;
	n = pp_list_parse(text, &list);
	if (n > 0)
		*highest = list[n - 1];
	free(list);
	return n > 0 ? n : 0;
}

/* How many different texts the CPUs have in this file of their topology; 0: none has it. */
static size_t count_kinds(const char *file)
{
	struct pp_names cpus, kinds = { .n = 0 };
	char text[8192];

	if (pp_names_read(&cpus, CPUS, NULL))
		return 0;
	for (size_t i = 0; i < cpus.n; i++) {
		size_t k = 0;

		if (strncmp(cpus.items[i], "cpu", 3) != 0 || !pp_is_number(cpus.items[i] + 3) ||
		    pp_file_text(text, sizeof(text), CPUS "/%s/topology/%s", cpus.items[i], file) <= 0)
			continue;
		while (k < kinds.n && strcmp(kinds.items[k], text) != 0)
			k++;
		if (k < kinds.n)
			continue;
		/* no more kinds than CPUs: the names give up their places for them */
		if (!kinds.items)
			kinds.items = calloc(cpus.n, sizeof(*kinds.items));
		if (!kinds.items || !(kinds.items[kinds.n] = strdup(text)))
			break;
		kinds.n++;
	}
	const size_t n = kinds.n;

	pp_names_free(&kinds);
	pp_names_free(&cpus);
	return n;
}

static double known(double value)
{
	return value > 0 ? value : NAN;
}

static void identify(struct pp_metric_machine *m)
{
	char vendor[64], family[16], model[16], stepping[16], name[256];
	size_t length;
	char *const text = pp_file_all("/proc/cpuinfo", &length);
	unsigned version, revision;
	const char *at;
	double ghz;

	if (pp_line_value(text, "vendor_id", vendor, sizeof(vendor)) &&
	    pp_line_value(text, "cpu family", family, sizeof(family)) &&
	    pp_line_value(text, "model", model, sizeof(model)) &&
	    pp_line_value(text, "stepping", stepping, sizeof(stepping)))
		(void)snprintf(m->cpuid, sizeof(m->cpuid), "%s-%s-%lX-%lX", vendor, family,
			       strtoul(model, NULL, 10), strtoul(stepping, NULL, 10));
	else if (pp_line_value(text, "revision", name, sizeof(name)) && (at = strstr(name, "(pvr ")) &&
		 sscanf(at, "(pvr %4x %4x)", &version, &revision) == 2)
		(void)snprintf(m->cpuid, sizeof(m->cpuid), "0x%04x%04x", version, revision);
	else if (pp_file_text(m->cpuid, sizeof(m->cpuid), CPUS "/cpu0/regs/identification/midr_el1") < 0)
		m->cpuid[0] = '\0';
	/* "Intel(R) Xeon(R) Gold 6140 CPU @ 2.30GHz" has the rate of the time stamp counter */
	if (pp_line_value(text, "model name", name, sizeof(name)) && (at = strrchr(name, '@')) &&
	    pp_metric_number(at + 1 + strspn(at + 1, " "), &ghz))
		m->system_tsc_freq = ghz * (strstr(at, "MHz") ? 1e6 : 1e9);
	free(text);
}

/* The slots of the first PMU of cores that says so. */
static double slots(void)
{
	struct pp_names pmus;
	uint64_t n = 0;

	if (pp_names_read(&pmus, "/sys/bus/event_source/devices", NULL))
		return NAN;
	for (size_t i = 0; i < pmus.n && !n; i++)
		n = pp_file_u64(0, "/sys/bus/event_source/devices/%s/caps/slots", pmus.items[i]);
	pp_names_free(&pmus);
	return known((double)n);
}

uint32_t pp_metric_runs_here(bool of_chips)
{
	const uint64_t n = pp_file_u64(0, "/sys/devices/hv_24x7/interface/%s",
				       of_chips ? "sockets" : "coresperchip");

	return n < PP_METRIC_RUNS ? (uint32_t)n : PP_METRIC_RUNS;
}

void pp_metric_machine_here(struct pp_metric_machine *m, bool everywhere)
{
	uint32_t highest = 0;
	struct stat nfit;
	size_t dies;

	pp_metric_machine_clear(m);
	if (count_list(CPUS "/present", &highest))
		m->num_cpus = highest + 1;
	m->num_cpus_online = known((double)count_list(CPUS "/online", &highest));
	m->num_cores = known((double)count_kinds("core_cpus_list"));
	if (isnan(m->num_cores))
		m->num_cores = known((double)count_kinds("thread_siblings_list"));
	m->num_packages = known((double)count_kinds("package_cpus_list"));
	if (isnan(m->num_packages))
		m->num_packages = known((double)count_kinds("core_siblings_list"));
	dies = count_kinds("die_cpus_list");
	m->num_dies = dies ? (double)dies : m->num_packages;
	m->smt_on = m->num_cpus_online > m->num_cores;
	if (isnan(m->num_cpus_online) || isnan(m->num_cores))
		m->smt_on = NAN;
	m->slots = slots();
	m->has_pmem = !pp_file_stat("/sys/firmware/acpi/tables/NFIT", &nfit);
	m->target_cpu = everywhere;
	m->core_wide = everywhere || m->smt_on == 0;
	m->chips = pp_metric_runs_here(true);
	m->chip_cores = pp_metric_runs_here(false);
	identify(m);
}

/* ---- Processors ------------------------------------------------------------------------------ */

/* "GenuineIntel,6,85,7", as the feature CPUID has it, to "GenuineIntel-6-55-7"; POWER's "78,4610" to
 * "0x004e1202". */
static void to_dashes(char *to, size_t size, const char *id)
{
	char vendor[64];
	unsigned family, model, stepping;
	int end = 0;

	if (sscanf(id, "%u,%u%n", &family, &model, &end) == 2 && !id[end])
		(void)snprintf(to, size, "0x%04x%04x", family, model);
	else if (sscanf(id, "%63[^,],%u,%u,%u", vendor, &family, &model, &stepping) == 4)
		(void)snprintf(to, size, "%s-%u-%X-%X", vendor, family, model, stepping);
	else
		(void)snprintf(to, size, "%s", id);
}

/* ARM's: the same core, and no newer revision than ours. */
static bool is_midr(const char *id, const char *pattern)
{
	const uint64_t revision = 0xf0000f;
	const uint64_t ours = strtoull(id, NULL, 16), theirs = strtoull(pattern, NULL, 16);

	return ours && (ours & ~revision) == (theirs & ~revision) &&
	       (theirs & revision) <= (ours & revision);
}

static bool is_hexadecimal(const char *text)
{
	return !strncmp(text, "0x", 2) && !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")];
}

static unsigned count_dashes(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '-')); text++)
		n++;
	return n;
}

bool pp_metric_is_cpu(const struct pp_metric_machine *machine, const char *pattern)
{
	char id[sizeof(machine->cpuid) + 64], whole[300], *last;
	const char *why;
	struct pp_regex *regex;
	bool is;

	if (!machine || !machine->cpuid[0] || !*pattern || strlen(pattern) > sizeof(whole) - 6)
		return false;
	to_dashes(id, sizeof(id), machine->cpuid);
	/* POWER's patterns are expressions, ARM's are numbers */
	if (is_hexadecimal(pattern) && is_hexadecimal(id))
		return is_midr(id, pattern);
	/* Most patterns leave the stepping out. */
	if (count_dashes(id) == 3 && count_dashes(pattern) != 3 && (last = strrchr(id, '-')))
		*last = '\0';
	(void)snprintf(whole, sizeof(whole), "^(%s)$", pattern);
	regex = pp_regex_new(whole, &why);
	is = regex && pp_regex_match(regex, id);
	pp_regex_free(regex);
	return is;
}
