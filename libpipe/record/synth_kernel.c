/* synth_kernel.c - where the kernel, its modules and the code that it makes for itself are, as maps and
 * symbols. */
#include "base/array.h"
#include "base/procfs.h"
#include "elf/kallsyms.h"
#include "record/capture.h"

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

static int put_map(struct pp_synth_out *made, const struct kernel_map *m, struct pp_error *error)
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
	return pp_synth_out_put(made, &b, error);
}

/* Code that the kernel made for itself, in no file and no program: where it jumps to from patched
 * functions. */
struct made_code {
	uint64_t start;
	uint16_t type;                /* of a KSYMBOL */
	char name[64];
};

struct symbols {
	uint64_t text, etext;         /* 0 where addresses are hidden */
	bool any, shown;              /* there are symbols; one has an address */
	struct made_code *made;
	size_t n_made, room;
};

static bool begins(const char *name, size_t length, const char *with)
{
	return length >= strlen(with) && !memcmp(name, with, strlen(with));
}

/* "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]" */
static int note_made(struct symbols *s, const struct pp_kallsym *symbol, struct pp_error *error)
{
	enum { BPF = 1, OUT_OF_LINE = 2 };      /* PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t type = 0;

	if (!symbol->address)
		return 0;
	if (begins(symbol->module, symbol->module_length, "__builtin__"))
		type = OUT_OF_LINE;
	else if (symbol->module_length == 3 && begins(symbol->module, 3, "bpf") &&
		 (begins(symbol->name, symbol->length, "bpf_trampoline_") ||
		  begins(symbol->name, symbol->length, "bpf_dispatcher_")))
		type = BPF;
	if (!type)
		return 0;
	if (PP_GROW(&s->made, &s->room, s->n_made + 1, error))
		return -1;
	s->made[s->n_made] = (struct made_code){ .start = symbol->address, .type = type };
	(void)snprintf(s->made[s->n_made].name, sizeof(s->made[0].name), "%.*s", (int)symbol->length,
		       symbol->name);
	s->n_made++;
	return 0;
}

static int note_symbol(void *arg, const struct pp_kallsym *symbol, struct pp_error *error)
{
	struct symbols *const s = arg;

	s->any = true;
	s->shown |= symbol->address != 0;
	if (symbol->module)
		return note_made(s, symbol, error);
	if (!s->text && pp_kallsym_is(symbol, "_text"))
		s->text = symbol->address;
	else if (!s->etext && pp_kallsym_is(symbol, "_etext"))
		s->etext = symbol->address;
	return 0;
}

/* As far as they can be read; errno says why they cannot. */
static int read_symbols(struct symbols *s, struct pp_error *error)
{
	if (!pp_kallsyms_read(note_symbol, s, error))
		return 0;
	if (error->code == PP_E_NOMEM)
		return -1;
	error->code = PP_OK;
	errno = error->os;
	return 0;
}

static int kernel_map(const struct symbols *s, struct pp_synth_out *made, struct pp_error *error)
{
	struct kernel_map m = { .filename = "[kernel.kallsyms]_text" };

	if (!s->text || s->etext <= s->text)
		return 0;
	m.start = m.pgoff = s->text;
	m.len = s->etext - m.start;
	m.has_build_id = pp_kernel_build_id(m.build_id, &m.build_id_size) == 1;
	return put_map(made, &m, error);
}

static int by_start(const void *a, const void *b)
{
	const struct made_code *const x = a, *const y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Each is in a page of its own, or begins where the one before it ends. */
static int made_code(struct symbols *s, struct pp_synth_out *made, struct pp_error *error)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (s->n_made)
		qsort(s->made, s->n_made, sizeof(*s->made), by_start);
	for (size_t i = 0; i < s->n_made; i++) {
		const struct made_code *const m = &s->made[i];
		const uint64_t next = i + 1 < s->n_made ? s->made[i + 1].start - m->start : page;
		struct pp_build b;

		if (!next)
			continue;
		pp_build(&b, made->buf, sizeof(made->buf), PP_REC_KSYMBOL, 0, made->attr);
		pp_build_u64(&b, "addr", m->start);
		pp_build_u64(&b, "len", next < page ? next : page - m->start % page);
		pp_build_u64(&b, "ksym_type", m->type);
		pp_build_text(&b, "name", m->name);
		if (pp_synth_out_put(made, &b, error))
			return -1;
	}
	return 0;
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

static int module_maps(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
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

/* Whether samples will be in the kernel. */
static bool records_kernel(const struct pp_capture *c)
{
	for (size_t i = 0; i < c->events.n; i++) {
		const struct perf_event_attr *const attr = &c->events.items[i].attr;

		if (!attr->exclude_kernel &&
		    (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY))
			return true;
	}
	return false;
}

/* perf warns of it, too: what reads the stream sees numbers, and cannot know why. */
static void say_hidden(const struct pp_capture *c, const struct symbols *s)
{
	const uint64_t restricted = pp_file_u64(0, "/proc/sys/kernel/kptr_restrict");

	if (!s->any || s->shown || !records_kernel(c))
		return;
	pp_say(&c->options.say, "kernel addresses will have no names: /proc/kallsyms shows none to this user "
	       "(kernel.kptr_restrict is %" PRIu64 "; %s)", restricted,
	       restricted > 1 ? "as root: sysctl kernel.kptr_restrict=1; without root it "
				"takes cap_syslog, too" :
				"cap_syslog is needed: setcap cap_perfmon,cap_syslog=ep on this program");
}

int pp_kernel_maps(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct symbols symbols = { .text = 0 };
	int status;

	errno = 0;
	if (read_symbols(&symbols, error)) {
		free(symbols.made);
		return -1;
	}
	status = pp_looked(&c->options.say, "/proc/kallsyms", error);
	say_hidden(c, &symbols);
	status = status ||
		 kernel_map(&symbols, made, error) || module_maps(c, made, error) ||
		 made_code(&symbols, made, error) ? -1 : 0;
	free(symbols.made);
	return status;
}
