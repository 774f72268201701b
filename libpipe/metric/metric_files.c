/* metric_files.c - perf's JSON of metrics and events, a file, a folder or a tree of them, into the
 * catalog. */
#include "base/array.h"
#include "base/procfs.h"
#include "metric/metric.h"
#include "text/json_parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { FILE_MOST = 64 << 20 };        /* bytes; the largest of perf's has 2 MiB */

struct file {
	struct pp_metrics *all;
	const char *path;
	struct pp_metric_error *error;
	const struct json *nodes;
};

static int cannot_read(struct pp_metric_error *error, const char *path, int os)
{
	(void)pp_metric_fail(error, 0, "cannot read %.150s: %s", path, strerror(os));
	error->no_memory = os == ENOMEM;
	error->refused = os != ENOENT && os != ENOTDIR;
	return -1;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* The text of a node, terminated where its closing quote was; NULL: it is no text, or has a zero byte. */
static const char *text_of(const struct json *n)
{
	if (n->kind != JSON_TEXT || memchr(n->text, '\0', n->length))
		return NULL;
	((char *)(uintptr_t)n->text)[n->length] = '\0';
	return n->text;
}

/* A text member of an object, NULL: it has none. */
static const char *member(const struct file *f, const struct json *object, const char *key)
{
	for (uint32_t i = object->length ? (uint32_t)(object - f->nodes) + 1 : 0; i; i = f->nodes[i].next) {
		const struct json *const n = &f->nodes[i];

		if (n->key_length == strlen(key) && !memcmp(n->key, key, n->key_length))
			return text_of(n);
	}
	return NULL;
}

/* What the files call a PMU that sysfs calls otherwise (perf's jevents.py). */
static void pmu_name(char *to, size_t size, const char *unit)
{
	static const struct { const char *unit, *pmu; } names[] = {
		{ "CBO", "uncore_cbox" }, { "QPI LL", "uncore_qpi" }, { "SBO", "uncore_sbox" },
		{ "iMPH-U", "uncore_arb" }, { "CPU-M-CF", "cpum_cf" }, { "CPU-M-SF", "cpum_sf" },
		{ "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" }, { "UPI LL", "uncore_upi" },
		{ "hisi_sicl,cpa", "hisi_sicl,cpa" }, { "L3PMC", "amd_l3" }, { "DFPMC", "amd_df" },
		{ "UMCPMC", "amd_umc" }, { "cpu_core", "cpu_core" }, { "cpu_atom", "cpu_atom" },
	};
	char *p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].unit, unit)) {
			(void)snprintf(to, size, "%s", names[i].pmu);
			return;
		}
	(void)snprintf(to, size, "uncore_%s", unit);
	for (p = to; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p |= 0x20;
}

/* Whether a value says nothing: absent, or 0 in any notation. */
static bool is_zero(const char *value)
{
	return !value || !*value || !value[strspn(value, "0xX")];
}

/* Appends ",NAME=VALUE", of several values the first.  False: no room, or no number. */
static bool put_term(char *to, size_t size, const char *name, const char *value)
{
	const size_t at = strlen(to), length = strspn(value, "0123456789abcdefABCDEFxX");

	return length && (!value[length] || strchr(", ", value[length])) &&
	       (size_t)snprintf(to + at, size - at, "%s%s=%.*s", at ? "," : "", name, (int)length,
				value) < size - at;
}

/* "event=0xc2,umask=0x2" from what Intel, AMD and ARM write; false: it is no such event. */
static bool encode(const struct file *f, const struct json *object, char *to, size_t size)
{
	static const struct { const char *key, *term; } terms[] = {
		{ "EventCode", "event" }, { "ConfigCode", "config" }, { "UMask", "umask" },
		{ "CounterMask", "cmask" }, { "Invert", "inv" }, { "EdgeDetect", "edge" },
		{ "AnyThread", "any" }, { "PortMask", "ch_mask" }, { "FCMask", "fc_mask" },
		{ "NodeType", "type" }, { "RdWrMask", "rdwrmask" }, { "EnAllCores", "enallcores" },
		{ "EnAllSlices", "enallslices" }, { "SliceId", "sliceid" }, { "ThreadMask", "threadmask" },
	};
	static const struct { const char *index, *term; } msrs[] = {
		{ "0x3F6", "ldlat" }, { "0x1A6", "offcore_rsp" }, { "0x1A7", "offcore_rsp" },
		{ "0x3F7", "frontend" },
	};
	const char *const msr = member(f, object, "MSRIndex"), *const of = member(f, object, "MSRValue");

	*to = '\0';
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		const char *const value = member(f, object, terms[i].key);

		if (!is_zero(value) && !put_term(to, size, terms[i].term, value))
			return false;
	}
	for (size_t i = 0; msr && !is_zero(of) && i < sizeof(msrs) / sizeof(msrs[0]); i++)
		if (!strncasecmp(msr, msrs[i].index, 5) && !put_term(to, size, msrs[i].term, of))
			return false;
	return *to;
}

static int add_file_event(const struct file *f, const struct json *object, const char *name)
{
	const char *const ready = member(f, object, "Encoding"), *const unit = member(f, object, "Unit");
	char terms[512], whole[768], pmu[128] = "cpu";

	if (ready)
		return pp_metrics_add_event(f->all, name, ready);
	if (!encode(f, object, terms, sizeof(terms)))
		return 0;
	if (unit)
		pmu_name(pmu, sizeof(pmu), unit);
	(void)snprintf(whole, sizeof(whole), "%s/%s/", pmu, terms);
	return pp_metrics_add_event(f->all, name, whole);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int add_object(const struct file *f, const struct json *object)
{
	const char *const unit = member(f, object, "Unit");
	const struct pp_metric metric = {
		.name = member(f, object, "MetricName"),
		.expression = member(f, object, "MetricExpr"),
		.groups = member(f, object, "MetricGroup"),
		.unit = member(f, object, "ScaleUnit"),
		.threshold = member(f, object, "MetricThreshold"),
		.constraint = member(f, object, "MetricConstraint"),
		.ungrouped = member(f, object, "MetricgroupNoGroup"),
		.pmu = unit && !strcmp(unit, "default_core") ? NULL : unit,
		.brief = member(f, object, "BriefDescription"),
		.aggregation = member(f, object, "AggregationMode"),
	};
	const char *const event = member(f, object, "EventName");
	int status = 0;

	if (event && *event)
		status = add_file_event(f, object, event);
	if (!status && metric.name && *metric.name && metric.expression)
		status = pp_metrics_add(f->all, &metric, false);
	return status ? pp_metric_no_memory(f->error) : 0;
}

static int add_list(struct file *f, const struct json_doc *doc)
{
	f->nodes = doc->nodes;
	if (doc->nodes[0].kind != JSON_LIST)
		return pp_metric_fail(f->error, 0, "%.150s: a list of metrics is expected, not %s", f->path,
				      pp_json_kind_name(&doc->nodes[0]));
	for (uint32_t i = doc->nodes[0].length ? 1 : 0; i; i = doc->nodes[i].next)
		if (doc->nodes[i].kind == JSON_OBJECT && add_object(f, &doc->nodes[i]))
			return -1;
	return 0;
}

static int read_file(struct pp_metrics *all, const char *path, struct pp_metric_error *error)
{
	struct file f = { .all = all, .path = path, .error = error };
	struct json_doc doc = { .nodes = NULL };
	size_t length;
	int status = -1;
	char *const text = pp_file_all(path, &length);

	if (!text)
		return cannot_read(error, path, errno);
	if (!pp_json_parse(&doc, text, length))
		status = add_list(&f, &doc);
	else if (doc.no_memory)
		(void)pp_metric_no_memory(error);
	else
		(void)pp_metric_fail(error, doc.at, "%.150s: byte %zu: %s is expected", path, doc.at,
				     doc.wrong);
	pp_json_free(&doc);
	free(text);
	return status;
}

static int read_any(struct pp_metrics *, const char *path, const struct pp_metric_machine *,
		    struct pp_metric_error *, bool deep);

static bool is_json(const char *name)
{
	const char *const dot = strrchr(name, '.');

	return dot && dot > name && !strcmp(dot, ".json");
}

static int read_folder(struct pp_metrics *all, const char *path, struct pp_metric_error *error)
{
	struct pp_names names;
	char file[PP_PATH];
	int status = 0;

	if (pp_names_read(&names, path, is_json))
		return cannot_read(error, path, errno);
	if (!names.n)
		status = pp_metric_fail(error, 0, "%.150s: there is no file that ends in .json", path);
	for (size_t i = 0; i < names.n && !status; i++) {
		(void)snprintf(file, sizeof(file), "%s/%s", path, names.items[i]);
		status = read_file(all, file, error);
	}
	pp_names_free(&names);
	return status;
}

/* "GenuineIntel-6-55-[01234],v1.31,skylakex,core": reads the folders of this processor. */
static int read_mapped(struct pp_metrics *all, const char *path, char *map,
		       const struct pp_metric_machine *machine, struct pp_metric_error *error)
{
	char *save = NULL, *line, folder[PP_PATH];
	bool any = false;

	for (line = strtok_r(map, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
		char *field = NULL, *const id = strtok_r(line, ",", &field);
		const char *const version = strtok_r(NULL, ",", &field), *name;

		name = version ? strtok_r(NULL, ",", &field) : NULL;
		if (!name || *id == '#' || !pp_metric_is_cpu(machine, id))
			continue;
		if (strstr(name, "..") || *name == '/')
			return pp_metric_fail(error, 0, "%.150s/mapfile.csv: '%.40s' is outside of it",
					      path, name);
		(void)snprintf(folder, sizeof(folder), "%s/%s", path, name);
		if (read_any(all, folder, machine, error, true))
			return -1;
		any = true;
	}
	if (any)
		return 0;
	return pp_metric_fail(error, 0, "%.120s/mapfile.csv: no line is about the processor %s", path,
			      machine && machine->cpuid[0] ? machine->cpuid : "(unknown)");
}

static int read_any(struct pp_metrics *all, const char *path, const struct pp_metric_machine *machine,
		    struct pp_metric_error *error, bool deep)
{
	char file[PP_PATH], *map;
	struct stat st;
	size_t length;
	int status;

	if (stat(path, &st))
		return cannot_read(error, path, errno);
	if (S_ISREG(st.st_mode) && st.st_size > FILE_MOST)
		return pp_metric_fail(error, 0, "%.150s: larger than %d MiB", path, FILE_MOST >> 20);
	if (S_ISREG(st.st_mode))
		return read_file(all, path, error);
	if (!S_ISDIR(st.st_mode))
		return pp_metric_fail(error, 0, "%.150s: neither a file nor a folder", path);
	(void)snprintf(file, sizeof(file), "%s/mapfile.csv", path);
	map = deep ? NULL : pp_file_all(file, &length);
	if (!map)
		return !deep && errno != ENOENT ? cannot_read(error, file, errno) :
		       read_folder(all, path, error);
	status = read_mapped(all, path, map, machine, error);
	free(map);
	return status;
}

int pp_metrics_read(struct pp_metrics *all, const char *path, const struct pp_metric_machine *machine,
		    struct pp_metric_error *error)
{
	if (machine && machine->size >= sizeof(*machine)) {
		all->chips = machine->chips;
		all->chip_cores = machine->chip_cores;
	}
	return read_any(all, path, machine, error, false);
}
