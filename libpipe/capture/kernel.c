/* kernel.c - where the kernel and its modules are, reported as maps. */
#include "base/procfs.h"
#include "capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

struct kernel_map {
	const char *filename;
	uint64_t start, len, pgoff;
	bool has_build_id;
	uint8_t build_id[20], build_id_size;
};

static int put_map(struct pp_made *made, const struct kernel_map *m, struct pp_error *error)
{
	const uint16_t misc = PP_MISC_KERNEL | (m->has_build_id ? PP_MISC_MMAP_BUILD_ID : 0);
	struct pp_build b;

	pp_build(&b, made->buf, sizeof(made->buf), m->has_build_id ? PP_REC_MMAP2 : PP_REC_MMAP,
		 misc, made->attr);
	pp_build_u64(&b, "pid", UINT32_MAX);
	pp_build_u64(&b, "tid", 0);
	pp_build_u64(&b, "start", m->start);
	pp_build_u64(&b, "len", m->len);
	pp_build_u64(&b, "pgoff", m->pgoff);
	if (m->has_build_id) {
		pp_build_u64(&b, "build_id_size", m->build_id_size);
		pp_build_bytes(&b, "build_id", m->build_id, sizeof(m->build_id));
	}
	pp_build_text(&b, "filename", m->filename);
	return pp_made_put(made, &b, error);
}

/* Addresses of symbols; 0 where they are hidden. */
static void find_symbols(const char *const *names, uint64_t *values, size_t n)
{
	char rooted[PP_PATH];
	FILE *const f = fopen(pp_rooted(rooted, "/proc/kallsyms"), "re");
	char *line = NULL, symbol[64], type;
	size_t room = 0, found = 0;
	uint64_t address;

	while (f && found < n && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%" SCNx64 " %c %63s", &address, &type, symbol) != 3)
			continue;
		for (size_t i = 0; i < n; i++) {
			if (values[i] || strcmp(symbol, names[i]))
				continue;
			values[i] = address;
			found++;
		}
	}
	free(line);
	if (f)
		(void)fclose(f);
}

static int kernel_map(const struct pp_capture *c, struct pp_made *made, struct pp_error *error)
{
	static const char *const names[] = { "_text", "_etext" };
	struct kernel_map m = { .filename = "[kernel.kallsyms]_text" };
	uint64_t values[2] = { 0, 0 };

	errno = 0;
	find_symbols(names, values, 2);
	if (pp_looked(&c->options.say, "/proc/kallsyms", error))
		return -1;
	if (!values[0] || values[1] <= values[0])
		return 0;
	m.start = m.pgoff = values[0];
	m.len = values[1] - values[0];
	m.has_build_id = pp_kernel_build_id(m.build_id, &m.build_id_size) == 1;
	return put_map(made, &m, error);
}

/* A module's name as files have it may have '-' where the kernel has '_'. */
static bool same_module(const char *file, size_t length, const char *module)
{
	if (strlen(module) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (module[i] != (file[i] == '-' ? '_' : file[i]))
			return false;
	return true;
}

/* The path of a module by modules.dep, lines "kernel/fs/x.ko.xz: ..."; or "[name]". */
static void module_path(const char *dep, const char *release, const char *module, char *path,
			size_t size)
{
	for (const char *line = dep; line && *line;
	     line = strchr(line, '\n'), line += line != NULL) {
		const size_t length = strcspn(line, ":\n");
		const char *name = line, *dot;

		for (size_t i = 0; i < length; i++)
			if (line[i] == '/')
				name = line + i + 1;
		dot = memmem(name, length - (size_t)(name - line), ".ko", 3);
		if (!dot || !same_module(name, (size_t)(dot - name), module))
			continue;
		(void)snprintf(path, size, "/lib/modules/%s/%.*s", release, (int)length, line);
		return;
	}
	(void)snprintf(path, size, "[%s]", module);
}

static int module_maps(const struct pp_capture *c, struct pp_made *made, struct pp_error *error)
{
	size_t length;
	char *modules, *dep, *rest = NULL, path[4096];
	struct utsname u;
	int status = 0;

	errno = 0;
	modules = pp_file_all("/proc/modules", &length);
	if (!modules || uname(&u)) {
		free(modules);
		return pp_looked(&c->options.say, "/proc/modules", error);
	}
	(void)snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
	dep = pp_file_all(path, &length);
	for (char *line = strtok_r(modules, "\n", &rest); line && !status;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct kernel_map m = { .filename = path };
		char name[128];

		/* name size users needed-by state address */
		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &m.len,
			   &m.start) != 3 ||
		    !m.start)
			continue;
		module_path(dep, u.release, name, path, sizeof(path));
		m.has_build_id = pp_module_build_id(name, m.build_id, &m.build_id_size) == 1;
		status = put_map(made, &m, error);
	}
	free(dep);
	free(modules);
	return status;
}

int pp_kernel_maps(const struct pp_capture *c, struct pp_made *made, struct pp_error *error)
{
	return kernel_map(c, made, error) || module_maps(c, made, error) ? -1 : 0;
}
