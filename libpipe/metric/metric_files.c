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

enum {
	FILE_MOST = 64 << 20,         /* bytes; the largest of perf's has 2 MiB */
	FOLDERS_UP = 4,               /* from a file of a processor to its architecture: perf's have two */
};

/* A file that was read. */
struct json_file {
	struct json_doc doc;
	char *text;
};

/* Files that are read into the catalog, for one call of pp_metrics_read(). */
struct metric_reader {
	struct pp_metrics *all;
	const struct pp_metric_machine *machine;
	struct pp_error *error;
	bool sought;                  /* the architecture's common files were looked for ... */
	char common[PP_PATH];         /* ... in this folder; "": there is none */
	struct json_file *files;      /* and these are they */
	size_t n_files, file_room;
};

/* A file, and what its entries refer to that no common file has. */
struct metric_file {
	struct metric_reader *r;
	const char *path;
	const struct json *nodes;
	size_t lost;
	char first_lost[80];
};

static int cannot_read(struct pp_error *error, const char *path, int os)
{
	if (os == ENOENT || os == ENOTDIR)
		return pp_metric_fail(error, 0, "cannot read %.150s: %s", path, strerror(os));
	errno = os;
	return pp_fail_os(error, "cannot read %.150s", path);
}

static void free_file(struct json_file *f)
{
	pp_json_free(&f->doc);
	free(f->text);
}

/* A list of entries.  0, or -1 and *error. */
static int parse_file(struct json_file *to, const char *path, struct pp_error *error)
{
	size_t length;

	*to = (struct json_file){ .text = pp_file_all(path, &length) };
	if (!to->text)
		return cannot_read(error, path, errno);
	if (!pp_json_parse(&to->doc, to->text, length)) {
		if (to->doc.nodes[0].kind == JSON_LIST)
			return 0;
		(void)pp_metric_fail(error, 0, "%.150s: a list of metrics is expected, not %s", path,
				     pp_json_kind_name(&to->doc.nodes[0]));
	} else if (to->doc.no_memory) {
		(void)pp_metric_no_memory(error);
	} else {
		(void)pp_metric_fail(error, to->doc.at, "%.150s: byte %zu: %s is expected", path, to->doc.at,
				     to->doc.wrong);
	}
	free_file(to);
	return -1;
}

/* Whether a failure is of this file's text alone, and others may be read without it; it is kept then. */
static int pass_over(struct pp_metrics *all, struct pp_error *error)
{
	if (error->code != PP_E_USE)
		return -1;
	return pp_metrics_refuse(all, error->detail) ? pp_metric_no_memory(error) : 0;
}

static bool is_json(const char *name)
{
	const char *const dot = strrchr(name, '.');

	/* that one says what groups are */
	return dot && dot > name && !strcmp(dot, ".json") && strcmp(name, "metricgroups.json") != 0;
}

/* ---- What an architecture has in common ------------------------------------------------------ */

static int read_common_file(struct metric_reader *r, const char *path)
{
	if (PP_GROW(&r->files, &r->file_room, r->n_files + 1, NULL))
		return pp_metric_no_memory(r->error);
	if (parse_file(&r->files[r->n_files], path, r->error))
		return pass_over(r->all, r->error);
	r->n_files++;
	return 0;
}

static int read_common_files(struct metric_reader *r)
{
	struct pp_names names;
	char file[2 * PP_PATH];
	int status = 0;

	if (pp_names_read(&names, r->common, is_json))
		return cannot_read(r->error, r->common, errno);
	for (size_t i = 0; i < names.n && !status; i++) {
		(void)snprintf(file, sizeof(file), "%s/%s", r->common, names.items[i]);
		status = read_common_file(r, file);
	}
	pp_names_free(&names);
	return status;
}

/* Of the folder of a file, or one above it: that which has a mapfile.csv.  False: there is none. */
static bool find_common(struct metric_reader *r, const char *path)
{
	char file[PP_PATH + 16];
	const char *const slash = strrchr(path, '/');
	struct stat st;

	(void)snprintf(r->common, sizeof(r->common), "%.*s", slash > path ? (int)(slash - path) : 1,
		       slash ? path : ".");
	for (int up = 0; up <= FOLDERS_UP; up++) {
		const size_t length = strlen(r->common);

		(void)snprintf(file, sizeof(file), "%s/mapfile.csv", r->common);
		if (!pp_file_stat(file, &st))
			return true;
		if (length + sizeof("/..") > sizeof(r->common))
			break;
		memcpy(r->common + length, "/..", sizeof("/.."));
	}
	r->common[0] = '\0';
	return false;
}

static bool is_called(const struct pp_metric_entry *e, const char *name)
{
	static const char *const keys[] = { "EventName", "MetricName" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *const own = pp_metric_entry_own(e, keys[i]);

		if (own && !strcasecmp(own, name))
			return true;
	}
	return false;
}

/* The entry of this name in the common files; of several, the last.  False: there is none. */
static bool find_standard(const struct metric_reader *r, const char *name, struct pp_metric_entry *to)
{
	for (size_t k = r->n_files; k-- > 0;) {
		const struct json *const nodes = r->files[k].doc.nodes;
		bool found = false;

		for (uint32_t i = nodes[0].length ? 1 : 0; i; i = nodes[i].next) {
			const struct pp_metric_entry e = { nodes, &nodes[i], NULL };

			if (nodes[i].kind != JSON_OBJECT || !is_called(&e, name))
				continue;
			*to = e;
			found = true;
		}
		if (found)
			return true;
	}
	return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int add_entry(const struct metric_file *f, const struct pp_metric_entry *e)
{
	struct pp_metrics *const all = f->r->all;
	const char *const unit = pp_metric_entry_text(e, "Unit");
	const struct pp_metric metric = {
		.name = pp_metric_entry_text(e, "MetricName"),
		.expression = pp_metric_entry_text(e, "MetricExpr"),
		.groups = pp_metric_entry_text(e, "MetricGroup"),
		.unit = pp_metric_entry_text(e, "ScaleUnit"),
		.threshold = pp_metric_entry_text(e, "MetricThreshold"),
		.constraint = pp_metric_entry_text(e, "MetricConstraint"),
		.ungrouped = pp_metric_entry_text(e, "MetricgroupNoGroup"),
		.pmu = unit && !strcmp(unit, "default_core") ? NULL : unit,
		.brief = pp_metric_entry_text(e, "BriefDescription"),
		.aggregation = pp_metric_entry_text(e, "AggregationMode"),
	};
	const char *const event = pp_metric_entry_text(e, "EventName");
	int status = 0;

	if (event && *event)
		status = pp_metric_entry_event(all, e, event);
	if (!status && metric.name && *metric.name && metric.expression)
		status = pp_metrics_add(all, &metric, false);
	return status ? pp_metric_no_memory(f->r->error) : 0;
}

/* What an entry takes from another that is not there is not known: nor is it what we call so. */
static void lose(struct metric_file *f, const struct pp_metric_entry *e, const char *standard)
{
	const char *const name = pp_metric_entry_own(e, "MetricName");

	if (!f->lost++)
		(void)snprintf(f->first_lost, sizeof(f->first_lost), "%s", standard);
	pp_metrics_hide(f->r->all, name ? name : standard);
}

static int add_object(struct metric_file *f, const struct json *object)
{
	struct metric_reader *const r = f->r;
	struct pp_metric_entry e = { f->nodes, object, NULL }, standard;
	const char *const name = pp_metric_entry_own(&e, "ArchStdEvent");

	if (!name)
		return add_entry(f, &e);
	if (!r->sought) {
		r->sought = true;
		if (find_common(r, f->path) && read_common_files(r))
			return -1;
	}
	if (find_standard(r, name, &standard))
		e.standard = &standard;
	else
		lose(f, &e, name);
	return e.standard ? add_entry(f, &e) : 0;
}

static int read_file(struct metric_reader *r, const char *path)
{
	struct metric_file f = { .r = r, .path = path };
	struct json_file file;
	int status = 0;

	if (parse_file(&file, path, r->error))
		return -1;
	f.nodes = file.doc.nodes;
	for (uint32_t i = f.nodes[0].length ? 1 : 0; i && !status; i = f.nodes[i].next)
		if (f.nodes[i].kind == JSON_OBJECT)
			status = add_object(&f, &f.nodes[i]);
	free_file(&file);
	if (status || !f.lost)
		return status;
	(void)pp_metric_fail(r->error, 0, "%.100s: %zu of the entries refer by ArchStdEvent to what no file "
			     "of %.60s has, such as '%.40s'", path, f.lost, *r->common ? r->common :
			     "a folder with a mapfile.csv", f.first_lost);
	return pass_over(r->all, r->error);
}

static int read_any(struct metric_reader *, const char *path, bool deep);

/* A file that cannot be used is left out as long as another can be used. */
static int read_folder(struct metric_reader *r, const char *path)
{
	struct pp_names names;
	char file[PP_PATH];
	size_t good = 0;
	int status = 0;

	if (pp_names_read(&names, path, is_json))
		return cannot_read(r->error, path, errno);
	if (!names.n)
		status = pp_metric_fail(r->error, 0, "%.150s: there is no file that ends in .json", path);
	for (size_t i = 0; i < names.n && !status; i++) {
		(void)snprintf(file, sizeof(file), "%s/%s", path, names.items[i]);
		if (!read_file(r, file))
			good++;
		else if (i + 1 == names.n && !good)
			status = -1;
		else
			status = pass_over(r->all, r->error);
	}
	pp_names_free(&names);
	return status;
}

/* "GenuineIntel-6-55-[01234],v1.31,skylakex,core": reads the folder of this processor, or of several the
 * first of each type, as perf does: later patterns match more. */
static int read_mapped(struct metric_reader *r, const char *path, char *map)
{
	char *save = NULL, *line, folder[PP_PATH], types[128] = "";

	for (line = strtok_r(map, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
		char *field = NULL, *const id = strtok_r(line, ",", &field);
		const char *const version = strtok_r(NULL, ",", &field);
		const char *const name = version ? strtok_r(NULL, ",", &field) : NULL;
		const char *const type = name ? strtok_r(NULL, ",", &field) : NULL;
		const size_t n = strlen(types);

		if (!name || *id == '#' || !pp_metric_is_cpu(r->machine, id) ||
		    pp_metric_list_has(types, type ? type : "core", strlen(type ? type : "core")))
			continue;
		if (strstr(name, "..") || *name == '/')
			return pp_metric_fail(r->error, 0, "%.150s/mapfile.csv: '%.40s' is outside of it",
					      path, name);
		(void)snprintf(folder, sizeof(folder), "%s/%s", path, name);
		if (read_any(r, folder, true))
			return -1;
		(void)snprintf(types + n, sizeof(types) - n, "%s;", type ? type : "core");
	}
	if (*types)
		return 0;
	return pp_metric_fail(r->error, 0, "%.120s/mapfile.csv: no line is about the processor %s", path,
			      r->machine && r->machine->cpuid[0] ? r->machine->cpuid : "(unknown)");
}

static int read_any(struct metric_reader *r, const char *path, bool deep)
{
	char file[PP_PATH], *map;
	struct stat st;
	size_t length;
	int status;

	if (pp_file_stat(path, &st))
		return cannot_read(r->error, path, errno);
	if (S_ISREG(st.st_mode) && st.st_size > FILE_MOST)
		return pp_metric_fail(r->error, 0, "%.150s: larger than %d MiB", path, FILE_MOST >> 20);
	if (S_ISREG(st.st_mode))
		return read_file(r, path);
	if (!S_ISDIR(st.st_mode))
		return pp_metric_fail(r->error, 0, "%.150s: neither a file nor a folder", path);
	(void)snprintf(file, sizeof(file), "%s/mapfile.csv", path);
	map = deep ? NULL : pp_file_all(file, &length);
	if (!map)
		return !deep && errno != ENOENT ? cannot_read(r->error, file, errno) : read_folder(r, path);
	status = read_mapped(r, path, map);
	free(map);
	return status;
}

char *pp_metrics_beside(const char *path)
{
	struct metric_reader r = { .sought = true };
	char file[PP_PATH + 2];
	struct stat st;

	if (pp_file_stat(path, &st))
		return NULL;
	(void)snprintf(file, sizeof(file), S_ISDIR(st.st_mode) ? "%s/-" : "%s", path);
	return find_common(&r, file) ? strdup(r.common) : NULL;
}

int pp_metrics_read(struct pp_metrics *all, const char *path, const struct pp_metric_machine *machine,
		    struct pp_error *error)
{
	struct metric_reader r = { .all = all, .machine = machine, .error = error };
	int status;

	if (machine && machine->size >= sizeof(*machine)) {
		all->chips = machine->chips;
		all->chip_cores = machine->chip_cores;
	}
	status = read_any(&r, path, false);
	for (size_t i = 0; i < r.n_files; i++)
		free_file(&r.files[i]);
	free(r.files);
	return status;
}
