/* kernel.c - where the kernel and its modules are, reported as maps. */
#include "base/procfs.h"
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

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

struct symbol {
	const char *name;
	uint64_t address;             /* 0 where it is hidden */
};

/* The address in a line "ffffffff81000000 T _text", if it is of one of these symbols. */
static size_t read_symbol(const char *line, const char *end, struct symbol *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(symbols[i].name);

		if (symbols[i].address || (size_t)(end - line) < length + sizeof("0 T ") - 1 ||
		    memcmp(end - length, symbols[i].name, length) || end[-(long)length - 1] != ' ')
			continue;
		symbols[i].address = strtoull(line, NULL, 16);
		return 1;
	}
	return 0;
}

/* The lines that are whole in `text`: how many bytes they take. */
static size_t read_symbols(const char *text, size_t size, struct symbol *symbols, size_t n,
			   size_t *found)
{
	const char *line = text, *end;

	while (*found < n && (end = memchr(line, '\n', size - (size_t)(line - text)))) {
		*found += read_symbol(line, end, symbols, n);
		line = end + 1;
	}
	return (size_t)(line - text);
}

/* Lines are looked at where they were read to: there are more than 100,000 of them. */
static void find_symbols(struct symbol *symbols, size_t n)
{
	enum { ROOM = 65536 };
	char rooted[PP_PATH];
	const int fd = open(pp_rooted(rooted, "/proc/kallsyms"), O_RDONLY | O_CLOEXEC);
	char *const text = fd < 0 ? NULL : malloc(ROOM);
	size_t left = 0, found = 0, used;
	ssize_t got;

	while (text && found < n && left < ROOM &&
	       (got = read(fd, text + left, ROOM - left)) > 0) {
		left += (size_t)got;
		used = read_symbols(text, left, symbols, n, &found);
		left -= used;
		memmove(text, text + used, left);
	}
	free(text);
	if (fd >= 0)
		(void)close(fd);
}

static int kernel_map(const struct pp_capture *c, struct pp_made *made, struct pp_error *error)
{
	struct symbol text[] = { { "_text", 0 }, { "_etext", 0 } };
	struct kernel_map m = { .filename = "[kernel.kallsyms]_text" };

	errno = 0;
	find_symbols(text, 2);
	if (pp_looked(&c->options.say, "/proc/kallsyms", error))
		return -1;
	if (!text[0].address || text[1].address <= text[0].address)
		return 0;
	m.start = m.pgoff = text[0].address;
	m.len = text[1].address - m.start;
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
