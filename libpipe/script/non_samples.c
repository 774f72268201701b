/* non_samples.c - records that are no samples, as perf script shows them on request. */
#include "script/script.h"

#include <stdio.h>
#include <string.h>

/* ---- values of the record ---- */

static uint64_t number(const struct line *l, const char *name)
{
	uint64_t value = 0;

	(void)pp_get_u64(l->rec, name, &value);
	return value;
}

static void put_text(struct line *l, const char *name)
{
	const char *text;
	size_t length;

	if (pp_get_text(l->rec, name, &text, &length))
		pp_put_right(l->out, text, length, 0);
}

static void put_dec(struct line *l, const char *before, const char *name)
{
	pp_out_text(l->out, before);
	pp_out_int(l->out, (int64_t)number(l, name));
}

/* %#lx: without the prefix, where it is 0 */
static void put_prefixed(struct line *l, uint64_t value)
{
	if (value)
		pp_out_hex(l->out, value);
	else
		pp_out_char(l->out, '0');
}

static void put_hex(struct line *l, const char *before, const char *name)
{
	pp_out_text(l->out, before);
	put_prefixed(l, number(l, name));
}

/* ---- each type ---- */

static void put_comm(struct line *l)
{
	pp_out_text(l->out, l->rec->misc & PP_MISC_COMM_EXEC ? " exec: " : ": ");
	put_text(l, "comm");
	put_dec(l, ":", "pid");
	put_dec(l, "/", "tid");
}

static void put_task(struct line *l)
{
	put_dec(l, "(", "pid");
	put_dec(l, ":", "tid");
	put_dec(l, "):(", "ppid");
	put_dec(l, ":", "ptid");
	pp_out_char(l->out, ')');
}

static void put_range(struct line *l)
{
	put_dec(l, " ", "pid");
	put_dec(l, "/", "tid");
	put_hex(l, ": [", "start");
	put_hex(l, "(", "len");
	put_hex(l, ") @ ", "pgoff");
}

static void put_mmap(struct line *l)
{
	put_range(l);
	pp_out_text(l->out, l->rec->misc & PP_MISC_MMAP_DATA ? "]: r " : "]: x ");
	put_text(l, "filename");
}

static void put_two_hex(struct line *l, const char *before, uint64_t value)
{
	pp_out_text(l->out, before);
	if (value < 16)
		pp_out_char(l->out, '0');
	pp_put_digits(l->out, value);
}

static void put_mmap2(struct line *l)
{
	enum { READ = 1, WRITE = 2, EXEC = 4, SHARED = 1 };
	const uint64_t prot = number(l, "prot"), flags = number(l, "flags");
	uint64_t size;
	uint8_t *id;
	size_t room;
	char bits[4];

	put_range(l);
	id = pp_find_bytes(l->rec, PP_IS_BUILD_ID, &room);
	if (id && pp_get_u64(l->rec, "build_id_size", &size)) {
		pp_out_text(l->out, " <");
		pp_out_hex_bytes(l->out, id, size < room ? (size_t)size : room);
		pp_out_text(l->out, ">]: ");
	} else {
		put_two_hex(l, " ", number(l, "maj"));
		put_two_hex(l, ":", number(l, "min"));
		put_dec(l, " ", "ino");
		put_dec(l, " ", "ino_generation");
		pp_out_text(l->out, "]: ");
	}
	bits[0] = prot & READ ? 'r' : '-';
	bits[1] = prot & WRITE ? 'w' : '-';
	bits[2] = prot & EXEC ? 'x' : '-';
	bits[3] = flags & SHARED ? 's' : 'p';
	pp_out_bytes(l->out, bits, sizeof(bits));
	pp_out_char(l->out, ' ');
	put_text(l, "filename");
}

static void put_switch(struct line *l)
{
	const bool out = l->rec->misc & PP_MISC_SWITCH_OUT;
	char tid[12];
	int length;

	pp_out_text(l->out, !out ? " IN         " : l->rec->misc & PP_MISC_PREEMPT ? " OUT preempt" :
		    " OUT        ");
	if (l->rec->type != PP_REC_SWITCH_CPU_WIDE)
		return;
	pp_out_text(l->out, out ? "  next pid/tid: " : "  prev pid/tid: ");
	pp_put_int(l->out, (int64_t)number(l, "next_prev_pid"), 5);
	pp_out_char(l->out, '/');
	length = snprintf(tid, sizeof(tid), "%-5d", (int)number(l, "next_prev_tid"));
	pp_out_bytes(l->out, tid, (size_t)length);
}

static void put_lost(struct line *l)
{
	put_dec(l, " lost ", "lost");
}

static void put_cgroup(struct line *l)
{
	put_dec(l, " cgroup: ", "id");
	pp_out_char(l->out, ' ');
	put_text(l, "path");
}

static void put_ksymbol(struct line *l)
{
	pp_out_text(l->out, " addr ");
	pp_put_digits(l->out, number(l, "addr"));
	put_dec(l, " len ", "len");
	put_dec(l, " type ", "ksym_type");
	pp_out_text(l->out, " flags 0x");
	pp_put_digits(l->out, number(l, "flags"));
	pp_out_text(l->out, " name ");
	put_text(l, "name");
}

static void put_bpf_event(struct line *l)
{
	put_dec(l, " type ", "type");
	put_dec(l, ", flags ", "flags");
	put_dec(l, ", id ", "id");
}

static void put_namespaces(struct line *l)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const size_t known = sizeof(names) / sizeof(*names);
	struct pp_cursor c;
	uint64_t n = 0, i = 0, device = 0;
	int token;

	put_dec(l, " ", "pid");
	put_dec(l, "/", "tid");
	pp_walk(&c, l->rec);
	while ((token = pp_walk_next(&c)) > PP_END)
		n = token == PP_LIST_OPEN ? c.count : n;
	pp_out_text(l->out, " - nr_namespaces: ");
	pp_out_dec(l->out, n);
	pp_out_text(l->out, "\n\t\t[");
	pp_walk(&c, l->rec);
	while ((token = pp_walk_next(&c)) > PP_END && i < n) {
		if (token == PP_VALUE && !strcmp(c.field->name, "dev"))
			device = c.value;
		if (token != PP_VALUE || c.field->is != PP_IS_INODE)
			continue;
		if (i && !(i % 4))
			pp_out_text(l->out, "\n\t\t ");
		pp_out_dec(l->out, i);
		pp_out_char(l->out, '/');
		pp_out_text(l->out, i < known ? names[i] : "unknown");
		pp_out_text(l->out, ": ");
		pp_out_dec(l->out, device);
		pp_out_char(l->out, '/');
		put_prefixed(l, c.value);
		pp_out_text(l->out, ++i < n ? ", " : "]");
	}
}

static const struct {
	uint32_t type;
	uint64_t show;
	void (*put)(struct line *);
	bool own;                     /* the name is that of the thread that it is about */
} kinds[] = {
	{ PP_REC_COMM, PP_SCRIPT_TASKS, put_comm, true },
	{ PP_REC_FORK, PP_SCRIPT_TASKS, put_task, true },
	{ PP_REC_EXIT, PP_SCRIPT_TASKS, put_task, true },
	{ PP_REC_MMAP, PP_SCRIPT_MMAPS, put_mmap, true },
	{ PP_REC_MMAP2, PP_SCRIPT_MMAPS, put_mmap2, true },
	{ PP_REC_SWITCH, PP_SCRIPT_SWITCHES, put_switch, false },
	{ PP_REC_SWITCH_CPU_WIDE, PP_SCRIPT_SWITCHES, put_switch, false },
	{ PP_REC_LOST, PP_SCRIPT_LOST, put_lost, false },
	{ PP_REC_NAMESPACES, PP_SCRIPT_NAMESPACES, put_namespaces, true },
	{ PP_REC_CGROUP, PP_SCRIPT_CGROUPS, put_cgroup, false },
	{ PP_REC_KSYMBOL, PP_SCRIPT_BPF, put_ksymbol, false },
	{ PP_REC_BPF_EVENT, PP_SCRIPT_BPF, put_bpf_event, false },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

bool pp_script_shows(const struct pp_script *s, uint32_t type)
{
	for (size_t i = 0; s->how.show && i < KINDS; i++)
		if (kinds[i].type == type)
			return s->how.show & kinds[i].show;
	return false;
}

/* The start of a sample's line, with the name of the thread that the record is about. */
static void print_start(struct line *l, bool own)
{
	static const enum pp_script_field start[] = { F_COMM, F_PID, F_TID, F_CPU, F_MISC, F_TIME };
	const uint32_t pid = l->pid, tid = l->tid;
	uint64_t value;

	if (own && pp_get_u64(l->rec, "pid", &value))
		l->pid = (uint32_t)value;
	if (own && pp_get_u64(l->rec, "tid", &value))
		l->tid = (uint32_t)value;
	/* without times of their own they are at 0, in the thread that they are about */
	if (!(l->event->attr->plan.trailer))
		l->cpu = 0, l->time = 0;
	for (size_t i = 0; i < sizeof(start) / sizeof(*start); i++) {
		if (l->event->fields >> start[i] & 1)
			pp_script_rows[start[i]].print(l);
		if (start[i] == F_COMM && l->event->attr->plan.trailer) {
			l->pid = pid;
			l->tid = tid;
		}
	}
}

void pp_print_other(struct line *l)
{
	char name[24];

	for (size_t i = 0; i < KINDS; i++) {
		if (kinds[i].type != l->rec->type)
			continue;
		if (l->event)
			print_start(l, kinds[i].own);
		pp_out_text(l->out, "PERF_RECORD_");
		pp_out_text(l->out, pp_type_name(l->rec->type, name));
		kinds[i].put(l);
		pp_out_char(l->out, '\n');
	}
}

/* As perf_event__fprintf_auxtrace_error(): the form of the record, `fmt`, says what it has. */
void pp_print_aux_error(struct line *l)
{
	const uint64_t form = number(l, "fmt"), ns = number(l, "time");
	char text[PP_TIME_MAX + 1];

	pp_out_text(l->out, number(l, "type") == 1 ? " instruction trace" : " unknown AUX");
	put_dec(l, " error type ", "type");
	pp_out_text(l->out, " time ");
	if (form && ns)
		pp_out_bytes(l->out, text, (size_t)(pp_put_time(text, ns) - text));
	else
		pp_out_char(l->out, '0');
	if (form >= 2 && number(l, "machine_pid")) {
		put_dec(l, " machine_pid ", "machine_pid");
		put_dec(l, " vcpu ", "vcpu");
	}
	put_dec(l, " cpu ", "cpu");
	put_dec(l, " pid ", "pid");
	put_dec(l, " tid ", "tid");
	put_hex(l, " ip ", "ip");
	put_dec(l, " code ", "code");
	pp_out_text(l->out, ": ");
	put_text(l, "msg");
	pp_out_char(l->out, '\n');
}
