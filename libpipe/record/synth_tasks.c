/* synth_tasks.c - reports the tasks that were there before the recording, as the kernel would have. */
#include "base/procfs.h"
#include "record/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct mapping {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min, prot, flags;
	const char *filename;
};

/* Records between two looks at the rings, of which there may be hundreds. */
enum { RELIEVE_EVERY = 16, BUILD_ID_MOST = 20 };

struct pp_synth {
	struct pp_capture *capture;
	struct pp_synth_out *made;
	struct pp_map_ids ids;
	char huge[512];               /* where hugetlbfs is mounted; "": nowhere */
	bool relieves;                /* the rings, now and then */
	bool kernel, bare;            /* what was read last: of the kernel; without memory */
	unsigned put;
};

/* The build-id of a mapped file, and *size; NULL: it has none, or is not asked for. */
static const uint8_t *build_id_of(struct pp_synth *s, int32_t pid, const struct mapping *m, uint8_t *size)
{
	const struct pp_mapped_file file = { .pid = pid, .start = m->start, .end = m->end,
					     .path = m->filename, .ino = m->ino, .maj = m->maj,
					     .min = m->min };

	if (s->capture->sampling.asks & PP_ASK_NO_BUILD_ID)
		return NULL;
	return pp_map_id_of(&s->ids, &file, size);
}

/* All of /proc takes longer than the rings last on a large machine: they are emptied meanwhile. */
static int put_synthesized(struct pp_synth *s, struct pp_build *b, struct pp_error *error)
{
	if (pp_synth_out_put(s->made, b, error))
		return -1;
	if (!s->relieves || ++s->put % RELIEVE_EVERY)
		return 0;
	return pp_rings_relieve(&s->capture->rings, error);
}

static int put_mapping(struct pp_synth *s, int32_t pid, const struct mapping *m,
		       struct pp_error *error)
{
	uint8_t size;
	const uint8_t *const id = build_id_of(s, pid, m, &size);
	const uint16_t misc = PP_MISC_USER | (id ? PP_MISC_MMAP_BUILD_ID : 0) |
			      (m->prot & PROT_EXEC ? 0 : PP_MISC_MMAP_DATA);
	struct pp_synth_out *const made = s->made;
	struct pp_build b;

	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_MMAP2, misc, made->attr);
	pp_build_u64(&b, "pid", (uint64_t)pid);
	pp_build_u64(&b, "tid", (uint64_t)pid);
	pp_build_u64(&b, "start", m->start);
	pp_build_u64(&b, "len", m->end - m->start);
	pp_build_u64(&b, "pgoff", m->pgoff);
	if (id) {
		pp_build_u64(&b, "build_id_size", size);
		pp_build_bytes(&b, "build_id", id, BUILD_ID_MOST);
	} else {
		pp_build_u64(&b, "maj", m->maj);
		pp_build_u64(&b, "min", m->min);
		pp_build_u64(&b, "ino", m->ino);
	}
	pp_build_u64(&b, "prot", m->prot);
	pp_build_u64(&b, "flags", m->flags);
	pp_build_text(&b, "filename", m->filename);
	return put_synthesized(s, &b, error);
}

/* "55d0c000-55d0d000 r-xp 00002000 fe:00 1234   /usr/bin/x" */
static bool parse_mapping(char *line, struct mapping *m)
{
	char prot[8];
	int n, at = 0;

	n = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		   &m->end, prot, &m->pgoff, &m->maj, &m->min, &m->ino, &at);
	if (n != 7 || !at)
		return false;
	m->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		  (prot[2] == 'x' ? PROT_EXEC : 0);
	m->flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	m->filename = line[at] ? line + at : "//anon";
	return true;
}

/* The first mount of hugetlbfs, if there is one. */
static int find_huge(struct pp_synth *s, struct pp_error *error)
{
	static const char path[] = "/proc/self/mounts";
	char *text, *rest = NULL;
	size_t length;

	errno = 0;
	text = pp_file_all(path, &length);
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !*s->huge;
	     line = strtok_r(NULL, "\n", &rest)) {
		char place[sizeof(s->huge)], type[64];

		if (sscanf(line, "%*s %511s %63s", place, type) == 2 && !strcmp(type, "hugetlbfs"))
			memcpy(s->huge, place, sizeof(place));
	}
	free(text);
	return text ? 0 : pp_looked(&s->capture->options.say, path, error);
}

/* Files of hugetlbfs are memory and nothing else, as perf has it: no code is looked for in them. */
static void take_huge(const struct pp_synth *s, struct mapping *m)
{
	const size_t n = strlen(s->huge);

	if (!n || strncmp(m->filename, s->huge, n) != 0 || m->filename[n] != '/')
		return;
	m->filename = "//anon";
	m->flags |= MAP_HUGETLB;
}

/* Where code can run; data only if the kernel reports it, too (attr.mmap_data). */
static int put_mappings(struct pp_synth *s, int32_t pid, struct pp_error *error)
{
	const uint32_t wanted = PROT_EXEC | (s->capture->sampling.user_stack ? PROT_READ : 0);
	char path[32], *text, *line, *rest = NULL;
	size_t length;
	int status = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	errno = 0;
	text = pp_file_all(path, &length);
	s->bare = !text || !length;
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line && !status;
	     line = strtok_r(NULL, "\n", &rest)) {
		struct mapping m;

		if (!parse_mapping(line, &m) || !(m.prot & wanted))
			continue;
		take_huge(s, &m);
		status = put_mapping(s, pid, &m, error);
	}
	if (!status)
		status = pp_looked(&s->capture->options.say, path, error);
	free(text);
	return status;
}

int pp_synth_thread(struct pp_synth *s, int32_t pid, int32_t tid, struct pp_error *error)
{
	struct pp_synth_out *const made = s->made;
	struct pp_task_stat stat;
	struct pp_build b;

	errno = 0;
	if (!pp_task_stat(pid, tid, &stat))
		return pp_looked(&s->capture->options.say, "the names of threads", error);
	s->kernel = stat.kernel;
	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_FORK, PP_MISC_FORK_EXEC, made->attr);
	pp_build_u64(&b, "pid", (uint64_t)pid);
	pp_build_u64(&b, "ppid", (uint64_t)(pid == tid ? stat.ppid : pid));
	pp_build_u64(&b, "tid", (uint64_t)tid);
	pp_build_u64(&b, "ptid", (uint64_t)(pid == tid ? stat.ppid : pid));
	if (put_synthesized(s, &b, error))
		return -1;
	if (s->capture->sampling.asks & PP_ASK_NAMESPACES &&
	    pp_namespaces_put(made, pid, tid, error))
		return -1;
	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_COMM, 0, made->attr);
	pp_build_u64(&b, "pid", (uint64_t)pid);
	pp_build_u64(&b, "tid", (uint64_t)tid);
	pp_build_text(&b, "comm", stat.comm);
	return put_synthesized(s, &b, error);
}

int pp_synth_process(struct pp_synth *s, int32_t pid, struct pp_error *error)
{
	return pp_synth_thread(s, pid, pid, error) || put_mappings(s, pid, error) ? -1 : 0;
}

/* Until somebody waits for it, it has a name, and no memory any more. */
bool pp_synth_ended(const struct pp_synth *s)
{
	return s->bare && !s->kernel;
}

/* The process, then its other threads. */
static int put_process(struct pp_synth *s, int32_t pid, struct pp_error *error)
{
	struct pp_names tasks;
	char path[32];
	int status;

	if (pp_synth_process(s, pid, error))
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	errno = 0;
	if (pp_names_read(&tasks, path, pp_is_number))
		return pp_looked(&s->capture->options.say, path, error);
	status = 0;
	for (size_t i = 0; i < tasks.n && !status; i++) {
		const int32_t tid = (int32_t)strtol(tasks.items[i], NULL, 10);

		if (tid != pid)
			status = pp_synth_thread(s, pid, tid, error);
	}
	pp_names_free(&tasks);
	return status;
}

static int by_number(const void *a, const void *b)
{
	const long x = strtol(*(char *const *)a, NULL, 10), y = strtol(*(char *const *)b, NULL, 10);

	return (x > y) - (x < y);
}

static int put_everybody(struct pp_synth *s, struct pp_error *error)
{
	struct pp_names pids;
	int status = 0;

	if (pp_names_read(&pids, "/proc", pp_is_number))
		return pp_fail_os(error, "cannot read /proc");
	if (!pids.n)
		pp_say(&s->capture->options.say, "%.200s lists no processes: those that were already "
		       "running will have no names", pp_rooted((char[PP_PATH]){ "" }, "/proc"));
	/* So that parents mostly come before their children. */
	if (pids.n)
		qsort(pids.items, pids.n, sizeof(*pids.items), by_number);
	for (size_t i = 0; i < pids.n && !status; i++)
		status = put_process(s, (int32_t)strtol(pids.items[i], NULL, 10), error);
	pp_names_free(&pids);
	return status;
}

int pp_synth_tasks(struct pp_synth *s, struct pp_error *error)
{
	const struct pp_target *const t = &s->capture->target;
	int status = 0;

	/*
	 * A command that waits to be executed has nothing mapped that will be sampled.  perf 6.12, which
	 * keeps such maps, looks for rules by the lowest map of a library: that is often one of these.
	 */
	if (pp_target_command_alone(t))
		return pp_synth_thread(s, t->threads[0].pid, t->threads[0].pid, error);
	s->relieves = true;
	if (t->system_wide) {
		status = put_everybody(s, error);
	} else {
		/* Threads of one process stand together. */
		for (size_t i = 0; i < t->n_threads && !status; i++)
			if (!i || t->threads[i].pid != t->threads[i - 1].pid)
				status = put_process(s, t->threads[i].pid, error);
	}
	s->relieves = false;
	return status;
}

struct pp_synth *pp_synth_open(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct pp_synth *const s = calloc(1, sizeof(*s));

	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	s->capture = c;
	s->ids.keeper = &c->keeper;
	s->made = made;
	if (find_huge(s, error)) {
		pp_synth_close(s);
		return NULL;
	}
	return s;
}

void pp_synth_close(struct pp_synth *s)
{
	if (!s)
		return;
	pp_map_ids_free(&s->ids);
	free(s);
}
