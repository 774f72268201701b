/* generate_head.c - what a made-up stream says before its first sample: events, the machine, the
 * formats of tracepoints, the processes that are there already. */
#include "generate/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	ATTR_SIZE = 128,              /* what perf 6.1 knows */
	REGS = 0xff0fff,              /* of x86: all but the segments */
	MAJOR = 8, MINOR = 1,         /* the device of all files */
	PROT = 5, PRIVATE = 2,        /* readable, executable */
	FEATURE_STRINGS = 6,
};

/* ---- Events ---- */

/* cpu-clock, which every machine has, then the other generic ones; where these are through, raw. */
static void name_event(struct pp_gen_event *e, uint32_t i)
{
	const char *name = "cpu-clock";

	(void)pp_event_named(name, &e->type, &e->config);
	for (size_t at = 0; i; at++) {
		if (!pp_event_at(at, &name, &e->type, &e->config)) {
			e->type = 4;
			e->config = i;
			(void)snprintf(e->name, sizeof(e->name), "r%" PRIx32, i);
			return;
		}
		if (strcmp(name, "cpu-clock") && strcmp(name, "dummy"))
			i--;
	}
	(void)snprintf(e->name, sizeof(e->name), "%s", name);
}

static void name_tracepoint(struct pp_gen_event *e, uint32_t i)
{
	e->type = PP_TYPE_TRACEPOINT;
	e->config = GEN_TRACEPOINT + i;
	(void)snprintf(e->name, sizeof(e->name), "gen:tp%" PRIu32, i);
}

static void fill_attr(struct pp_gen *g, struct pp_build *b, uint32_t i)
{
	const struct pp_gen_event *const e = &g->events[i];
	const uint64_t side_band = (1 << PP_FLAG_mmap | 1 << PP_FLAG_comm | 1 << PP_FLAG_task |
				    1 << PP_FLAG_mmap2 | 1 << PP_FLAG_comm_exec);
	const uint64_t flags = 1 << PP_FLAG_inherit | 1 << PP_FLAG_sample_id_all |
			       (i ? 0 : side_band);
	const uint32_t stack = (uint32_t)pp_align8(g->o.stack);
	uint64_t bits = g->o.sample_type;

	if (e->type == PP_TYPE_TRACEPOINT)
		bits |= PP_SAMPLE_RAW;
	pp_build_u64(b, "type", e->type);
	pp_build_u64(b, "size", ATTR_SIZE);
	pp_build_u64(b, "config", e->config);
	pp_build_u64(b, "sample_period", e->type == PP_TYPE_TRACEPOINT ? 1 : 1000000);
	pp_build_u64(b, "sample_type", bits);
	pp_build_u64(b, "read_format",
		     PP_READ_TOTAL_TIME_ENABLED | PP_READ_TOTAL_TIME_RUNNING | PP_READ_ID);
	pp_build_u64(b, "flags", flags);
	pp_build_u64(b, "branch_sample_type", bits & PP_SAMPLE_BRANCH_STACK ? PP_BRANCH_ANY : 0);
	pp_build_u64(b, "sample_regs_user", bits & PP_SAMPLE_REGS_USER ? REGS : 0);
	pp_build_u64(b, "sample_stack_user", bits & PP_SAMPLE_STACK_USER ? stack : 0);
	pp_build_u64(b, "sample_regs_intr", bits & PP_SAMPLE_REGS_INTR ? REGS : 0);
	pp_build_u64(b, "aux_sample_size", bits & PP_SAMPLE_AUX ? GEN_AUX_BYTES : 0);
}

static void put_ids(struct pp_gen *g, struct pp_build *b, uint32_t event)
{
	for (uint32_t i = 0; i < g->o.cpus; i++)
		pp_store64(g->scratch + i * sizeof(uint64_t), pp_gen_id(g, event, i));
	pp_build_bytes(b, "id", g->scratch, g->o.cpus * sizeof(uint64_t));
}

static int put_event(struct pp_gen *g, uint32_t i)
{
	struct pp_record rec;
	struct pp_build b;
	size_t size;

	if (i < g->o.events)
		name_event(&g->events[i], i);
	else
		name_tracepoint(&g->events[i], i - g->o.events);
	pp_build(&b, g->buf, sizeof(g->buf), PP_REC_HEADER_ATTR, 0, NULL);
	pp_build_open(&b, "attr");
	fill_attr(g, &b, i);
	pp_build_close(&b);
	put_ids(g, &b, i);
	size = pp_build_end(&b);
	if (!size)
		return pp_fail(g->error, PP_E_FULL, "HEADER_ATTR");
	/* what follows is built for this attribute, as a reader knows it */
	if (pp_record_at(&rec, g->buf, size, g->error) || pp_attrs_note(g->attrs, &rec, g->error))
		return -1;
	return pp_gen_emit(g, &b);
}

static int put_events(struct pp_gen *g)
{
	g->n_events = g->o.events + g->o.tracepoints;
	g->events = calloc(g->n_events, sizeof(*g->events));
	if (!g->events)
		return pp_fail(g->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < g->n_events; i++)
		if (put_event(g, i))
			return -1;
	for (uint32_t i = 0; i < g->n_events; i++)
		g->events[i].attr = pp_attrs_at(g->attrs, i);
	return 0;
}

static int put_names(struct pp_gen *g)
{
	for (uint32_t i = 0; i < g->n_events; i++) {
		struct pp_build b;

		pp_gen_begin(g, &b, PP_REC_EVENT_UPDATE, 0);
		pp_build_u64(&b, "type", 2);
		pp_build_u64(&b, "id", pp_gen_id(g, i, 0));
		pp_build_text(&b, "name", g->events[i].name);
		if (pp_gen_emit(g, &b))
			return -1;
	}
	return 0;
}

/* ---- The machine ---- */

static int put_event_desc(struct pp_gen *g)
{
	struct pp_build b;

	pp_build_feature(&b, g->buf, sizeof(g->buf), PP_FEAT_EVENT_DESC);
	pp_build_u64(&b, "nr", g->n_events);
	pp_build_u64(&b, "attr_size", ATTR_SIZE);
	for (uint32_t i = 0; i < g->n_events; i++) {
		pp_build_open(&b, "events");
		pp_build_open(&b, "attr");
		fill_attr(g, &b, i);
		pp_build_close(&b);
		pp_build_u64(&b, "nr_ids", g->o.cpus);
		pp_build_text(&b, "name", g->events[i].name);
		put_ids(g, &b, i);
		pp_build_close(&b);
	}
	/* as perf does: a feature that does not fit in a record is left out */
	return b.failed ? 0 : pp_gen_emit(g, &b);
}

static int put_features(struct pp_gen *g)
{
	const struct { uint32_t number; const char *field, *text; } strings[FEATURE_STRINGS] = {
		{ PP_FEAT_HOSTNAME, "hostname", "generated" },
		{ PP_FEAT_OSRELEASE, "osrelease", "6.1.0" },
		{ PP_FEAT_VERSION, "version", "6.1" },
		{ PP_FEAT_ARCH, "arch", g->o.big_endian ? "s390x" : "x86_64" },
		{ PP_FEAT_CPUDESC, "cpudesc", "pp-gen" },
		{ PP_FEAT_CPUID, "cpuid", "pp-gen" },
	};
	struct pp_build b;

	for (size_t i = 0; i < FEATURE_STRINGS; i++) {
		if (strings[i].number == PP_FEAT_CPUDESC) {
			pp_build_feature(&b, g->buf, sizeof(g->buf), PP_FEAT_NRCPUS);
			pp_build_u64(&b, "nr_cpus_avail", g->o.cpus);
			pp_build_u64(&b, "nr_cpus_online", g->o.cpus);
			if (pp_gen_emit(g, &b))
				return -1;
		}
		pp_build_feature(&b, g->buf, sizeof(g->buf), strings[i].number);
		pp_build_text(&b, strings[i].field, strings[i].text);
		if (pp_gen_emit(g, &b))
			return -1;
	}
	if (put_event_desc(g))
		return -1;
	if (!g->z)
		return 0;
	g->stats->records++;
	if (pp_gen_drain(g))
		return -1;
	return pp_compressor_feature(g->z, g->error);
}

/* ---- Formats of tracepoints, as trace-cmd lays them out ---- */

struct blob {
	uint8_t *data;
	size_t at, room;
	bool swap, failed;
};

static void blob_bytes(struct blob *t, const void *data, size_t size)
{
	if (t->failed || !pp_fits(size, t->room - t->at)) {
		t->failed = true;
		return;
	}
	memcpy(t->data + t->at, data, size);
	t->at += size;
}

static void blob_u32(struct blob *t, uint32_t v)
{
	const uint32_t ordered = pp_order32(v, t->swap);

	blob_bytes(t, &ordered, sizeof(ordered));
}

static void blob_u64(struct blob *t, uint64_t v)
{
	const uint64_t ordered = pp_order64(v, t->swap);

	blob_bytes(t, &ordered, sizeof(ordered));
}

static void blob_text(struct blob *t, const char *text)
{
	blob_u64(t, strlen(text));
	blob_bytes(t, text, strlen(text));
}

static void blob_head(struct blob *t, bool big_endian)
{
	blob_bytes(t, "\x17\x08\x44" "tracing" "0.6", 14);
	blob_bytes(t, big_endian ? "\1\10" : "\0\10", 2);       /* byte order, size of a long */
	blob_u32(t, 4096);
	blob_bytes(t, "header_page", 12);
	blob_text(t, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	blob_bytes(t, "header_event", 13);
	blob_text(t, "# compressed entry header\n"
		  "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		  "\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
		  "\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
		  "\tdata max type_len  == 28\n");
}

static void blob_format(struct blob *t, uint32_t i)
{
	char text[640];

	(void)snprintf(text, sizeof(text),
		       "name: tp%" PRIu32 "\nID: %" PRIu32 "\nformat:\n"
		       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		       "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		       "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
		       "\tsigned:0;\n"
		       "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		       "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		       "print fmt: \"value=%%llu\", REC->value\n", i, GEN_TRACEPOINT + i);
	blob_text(t, text);
}

static int put_formats(struct pp_gen *g)
{
	const size_t room = 2048 + (size_t)g->o.tracepoints * 700;
	struct blob t = { .room = room, .swap = g->swap };
	struct pp_build b;
	int status;

	if (!g->o.tracepoints)
		return 0;
	t.data = calloc(1, room);
	if (!t.data)
		return pp_fail(g->error, PP_E_NOMEM, NULL);
	blob_head(&t, g->o.big_endian);
	blob_u32(&t, 0);                        /* events of ftrace itself */
	blob_u32(&t, 1);                        /* systems */
	blob_bytes(&t, "gen", 4);
	blob_u32(&t, g->o.tracepoints);
	for (uint32_t i = 0; i < g->o.tracepoints; i++)
		blob_format(&t, i);
	blob_u32(&t, 0);                        /* kallsyms */
	blob_u32(&t, 0);                        /* printk formats */
	blob_u64(&t, 0);                        /* saved command lines */
	blob_bytes(&t, "\0\0\0\0\0\0\0", (size_t)(pp_align8(t.at) - t.at));
	pp_build(&b, g->buf, sizeof(g->buf), PP_REC_HEADER_TRACING_DATA, 0, NULL);
	pp_build_u64(&b, "size", t.at);
	pp_build_u64(&b, "pad", 0);
	if (t.failed)
		status = pp_fail(g->error, PP_E_FULL, "HEADER_TRACING_DATA");
	else
		status = pp_gen_emit(g, &b) || pp_gen_put(g, t.data, t.at) ? -1 : 0;
	free(t.data);
	return status;
}

/* ---- Processes ---- */

static void trailer(struct pp_build *b, const struct pp_gen_trailer *t)
{
	pp_build_trailer(b, t->pid, t->tid, t->time, t->id, t->cpu);
}

int pp_gen_comm(struct pp_gen *g, uint32_t process, uint32_t thread, const char *comm,
		uint16_t misc, const struct pp_gen_trailer *t)
{
	const uint32_t pid = pp_gen_pid(g, process);
	struct pp_build b;

	pp_gen_begin(g, &b, PP_REC_COMM, misc);
	pp_build_u64(&b, "pid", pid);
	pp_build_u64(&b, "tid", pid + thread);
	pp_build_text(&b, "comm", comm);
	trailer(&b, t);
	return pp_gen_emit(g, &b);
}

int pp_gen_fork(struct pp_gen *g, uint32_t type, const uint32_t ids[4], uint16_t misc,
		const struct pp_gen_trailer *t)
{
	struct pp_build b;

	pp_gen_begin(g, &b, type, misc);
	pp_build_u64(&b, "pid", ids[0]);
	pp_build_u64(&b, "ppid", ids[1]);
	pp_build_u64(&b, "tid", ids[2]);
	pp_build_u64(&b, "ptid", ids[3]);
	pp_build_u64(&b, "time", t->time);
	trailer(&b, t);
	return pp_gen_emit(g, &b);
}

int pp_gen_maps(struct pp_gen *g, uint32_t process, const struct pp_gen_trailer *t)
{
	const uint32_t pid = pp_gen_pid(g, process);
	char path[64];

	for (uint32_t i = 0; i < g->o.maps; i++) {
		struct pp_build b;

		if (i)
			(void)snprintf(path, sizeof(path), "/usr/lib/libgen%" PRIu32 ".so", i);
		else
			(void)snprintf(path, sizeof(path), "/usr/bin/gen-%" PRIu32, process);
		pp_gen_begin(g, &b, PP_REC_MMAP2, PP_MISC_USER);
		pp_build_u64(&b, "pid", pid);
		pp_build_u64(&b, "tid", pid);
		pp_build_u64(&b, "start", GEN_MAP_START + (uint64_t)i * GEN_MAP_STEP);
		pp_build_u64(&b, "len", GEN_MAP_SIZE);
		pp_build_u64(&b, "maj", MAJOR);
		pp_build_u64(&b, "min", MINOR);
		pp_build_u64(&b, "ino", i ? i : (uint64_t)UINT32_MAX + process);
		pp_build_u64(&b, "prot", PROT);
		pp_build_u64(&b, "flags", PRIVATE);
		pp_build_text(&b, "filename", path);
		trailer(&b, t);
		if (pp_gen_emit(g, &b))
			return -1;
	}
	return 0;
}

static int put_kernel(struct pp_gen *g, const struct pp_gen_trailer *none)
{
	struct pp_build b;

	pp_gen_begin(g, &b, PP_REC_MMAP, PP_MISC_KERNEL);
	pp_build_u64(&b, "pid", (uint64_t)-1);
	pp_build_u64(&b, "start", GEN_KERNEL_START);
	pp_build_u64(&b, "len", GEN_KERNEL_SIZE);
	pp_build_u64(&b, "pgoff", GEN_KERNEL_START);
	pp_build_text(&b, "filename", "[kernel.kallsyms]_text");
	trailer(&b, none);
	return pp_gen_emit(g, &b);
}

static int put_process(struct pp_gen *g, uint32_t process, const struct pp_gen_trailer *none)
{
	const uint32_t pid = pp_gen_pid(g, process);
	char comm[16];

	(void)snprintf(comm, sizeof(comm), "gen-%" PRIu32, process);
	for (uint32_t i = 0; i < g->o.threads; i++) {
		if (i && pp_gen_fork(g, PP_REC_FORK, (const uint32_t[]){ pid, pid, pid + i, pid },
				     PP_MISC_FORK_EXEC, none))
			return -1;
		if (pp_gen_comm(g, process, i, comm, 0, none))
			return -1;
	}
	return pp_gen_maps(g, process, none);
}

/* In the order in which perf record writes it. */
int pp_gen_head(struct pp_gen *g)
{
	const struct pp_gen_trailer none = { 0 };

	if (put_events(g) || put_features(g) || put_formats(g) || put_kernel(g, &none) ||
	    put_names(g))
		return -1;
	for (uint32_t i = 0; i < g->o.processes - g->o.forks; i++)
		if (put_process(g, i, &none))
			return -1;
	return 0;
}
