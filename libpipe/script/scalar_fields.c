/*
 * scalar_fields.c - values of samples that are one number or name, in perf's columns, and the text that
 * all of the room is made of.
 */
#include "script/script.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COMM_WIDTH = 16 };

/* ---- text ---- */

static void put_blanks(struct pp_out *out, size_t n)
{
	memset(pp_out_room(out, n), ' ', n);
	out->at += n;
}

void pp_put_name(struct pp_out *out, const char *name)
{
	const size_t length = strlen(name);

	if (pp_is_plain(name, length))
		pp_out_bytes(out, name, length);
	else
		pp_out_printable(out, name, length);
}

void pp_put_right(struct pp_out *out, const char *text, size_t length, size_t width)
{
	if (length < width)
		put_blanks(out, width - length);
	if (pp_is_plain(text, length))
		pp_out_bytes(out, text, length);
	else
		pp_out_printable(out, text, length);
}

void pp_print_trace(struct line *l)
{
	if (pp_trace_text_print(l->script->traces, l->rec, l->out, l->error))
		l->failed = -1;
}

/* A number in a column, blanks before it. */
static void put_padded(struct pp_out *out, uint64_t value, unsigned width)
{
	char digits[PP_DEC_MAX];
	const size_t length = (size_t)(pp_put_dec(digits, value) - digits);
	char *const to = pp_out_room(out, width + PP_DEC_MAX);
	const size_t blanks = length < width ? width - length : 0;

	memset(to, ' ', blanks);
	memcpy(to + blanks, digits, length);
	out->at += blanks + length;
}

void pp_put_int(struct pp_out *out, int64_t value, unsigned width)
{
	char digits[PP_DEC_MAX + 1] = "-";
	size_t length;

	if (value >= 0) {
		put_padded(out, (uint64_t)value, width);
		return;
	}
	length = (size_t)(pp_put_dec(digits + 1, -(uint64_t)value) - digits);
	pp_put_right(out, digits, length, width);
}

void pp_put_digits(struct pp_out *out, uint64_t value)
{
	char digits[PP_HEX_MAX + 16];

	pp_out_bytes(out, digits + 2, (size_t)(pp_put_hex(digits, value) - digits - 2));
}

void pp_put_address(struct pp_out *out, uint64_t value)
{
	enum { WIDTH = 16 };
	char digits[PP_HEX_MAX], *const to = pp_out_room(out, WIDTH);
	const size_t length = (size_t)(pp_put_hex(digits, value) - digits - 2);

	memset(to, ' ', WIDTH);
	memcpy(to + WIDTH - length, digits + 2, length);
	out->at += WIDTH;
}

/* ---- the start of a line ---- */

static bool prints(const struct line *l, uint64_t field)
{
	return l->event->fields & field;
}

const char *pp_script_comm(const struct line *l, char unknown[UNKNOWN_COMM])
{
	const uint64_t *const ended = pp_idmap_find(&l->script->ended, l->tid);

	if (!ended || !*ended)
		return pp_tasks_comm(l->script->tasks, l->pid, l->tid);
	unknown[0] = ':';
	*pp_put_dec(unknown + 1, l->tid) = '\0';
	return unknown;
}

void pp_print_comm(struct line *l)
{
	char unknown[UNKNOWN_COMM];
	const char *const comm = pp_script_comm(l, unknown);

	/* where frames follow, in lines of their own, names are no column */
	pp_put_right(l->out, comm, strlen(comm), prints(l, FIELD(IP)) && l->event->chain ? 0 : COMM_WIDTH);
	pp_out_char(l->out, ' ');
}

static unsigned task_width(const struct line *l)
{
	return l->script->how.like == PP_SCRIPT_6_1 ? 5 : 7;
}

void pp_print_pid(struct line *l)
{
	const unsigned width = task_width(l);
	size_t before;

	pp_put_int(l->out, (int32_t)l->pid, width);
	if (prints(l, FIELD(TID))) {
		pp_out_char(l->out, '/');
		(void)pp_out_room(l->out, PP_DEC_MAX + width);
		before = l->out->at;
		pp_put_int(l->out, (int32_t)l->tid, 0);
		if (l->out->at - before < width)
			put_blanks(l->out, width - (l->out->at - before));
	}
	pp_out_char(l->out, ' ');
}

void pp_print_tid(struct line *l)
{
	if (prints(l, FIELD(PID)))
		return;
	pp_put_int(l->out, (int32_t)l->tid, task_width(l));
	pp_out_char(l->out, ' ');
}

void pp_print_cpu(struct line *l)
{
	char *to;

	if (l->cpu > 999) {           /* also "[-01]", where the event does not say */
		pp_out_text(l->out, l->cpu == UINT32_MAX ? "[-0" : "[");
		pp_out_dec(l->out, l->cpu == UINT32_MAX ? 1 : l->cpu);
		pp_out_text(l->out, "] ");
		return;
	}
	to = pp_out_room(l->out, 8);
	*to++ = '[';
	*to++ = (char)('0' + l->cpu / 100);
	memcpy(to, pp_two_digits + (size_t)(l->cpu % 100) * 2, 2);
	memcpy(to + 2, "] ", 2);
	l->out->at += 6;
}

void pp_print_misc(struct line *l)
{
	/* perf asks for the bits of each mode, so that one that has all bits of another is that as well */
	static const struct { uint16_t mode; char text; } modes[] = {
		{ 1, 'K' }, { 2, 'U' }, { 3, 'H' }, { 4, 'G' }, { 5, 'g' },
	};
	static const struct { uint32_t type; uint16_t bit; char text; } bits[] = {
		{ PP_REC_MMAP, PP_MISC_MMAP_DATA, 'M' }, { PP_REC_MMAP2, PP_MISC_MMAP_DATA, 'M' },
		{ PP_REC_COMM, PP_MISC_COMM_EXEC, 'E' },
		{ PP_REC_SWITCH, PP_MISC_SWITCH_OUT, 'S' },
		{ PP_REC_SWITCH_CPU_WIDE, PP_MISC_SWITCH_OUT, 'S' },
	};
	char text[8];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if ((l->rec->misc & modes[i].mode) == modes[i].mode)
			text[n++] = modes[i].text;
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (l->rec->type == bits[i].type && l->rec->misc & bits[i].bit) {
			text[n++] = bits[i].text;
			if (bits[i].text == 'S' && l->rec->misc & PP_MISC_PREEMPT)
				text[n++] = 'p';
		}
	pp_out_bytes(l->out, text, n);
	put_blanks(l->out, n < 6 ? 6 - n : 1);
}

uint64_t pp_script_time(struct line *l)
{
	struct pp_script *const s = l->script;
	const uint64_t last = s->last_time;

	s->last_time = l->time;
	if (!s->first_time)
		s->first_time = l->time;
	return s->how.times == PP_SCRIPT_SINCE_FIRST ? l->time - s->first_time :
	       s->how.times != PP_SCRIPT_SINCE_LAST ? l->time : last ? l->time - last : 0;
}

/* As perf, by the clock on the wall of who reads it. */
void pp_print_tod(struct line *l)
{
	const struct pp_script *const s = l->script;
	const uint64_t ns = l->time + (uint64_t)s->to_wall_clock;
	const time_t seconds = (time_t)(ns / 1000000000);
	char text[64];
	struct tm tm;

	if (!s->has_wall_clock || !localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%F %H:%M:%S", &tm)) {
		pp_out_text(l->out, "disabled ");
		return;
	}
	pp_out_text(l->out, text);
	(void)snprintf(text, sizeof(text), s->how.nanoseconds ? ".%09u " : ".%06u ",
		       (unsigned)(ns % 1000000000 / (s->how.nanoseconds ? 1 : 1000)));
	pp_out_text(l->out, text);
}

void pp_print_time(struct line *l)
{
	char text[PP_TIME_MAX + 8];
	const size_t length = (size_t)(pp_put_time(text, pp_script_time(l)) - text);

	if (l->script->how.nanoseconds)
		pp_put_right(l->out, text, length, 15);
	else
		pp_put_right(l->out, text, length - 3, 12);
	pp_out_bytes(l->out, ": ", 2);
}

/* ---- what else is one value ---- */

void pp_print_period(struct line *l)
{
	put_padded(l->out, l->period, 10);
	pp_out_char(l->out, ' ');
}

static unsigned widest_name(const struct pp_attrs *attrs)
{
	size_t most = 0;

	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const size_t length = strlen(pp_attrs_at(attrs, i)->name);

		if (length > most)
			most = length;
	}
	return most < PP_RECORD_MAX ? (unsigned)most : PP_RECORD_MAX;
}

void pp_print_event(struct line *l)
{
	const char *const name = l->event->attr->name;

	if (!l->script->name_width)
		l->script->name_width = widest_name(l->rec->attrs);
	pp_put_right(l->out, name, strlen(name), l->script->name_width);
	pp_out_bytes(l->out, ": ", 2);
}

void pp_print_weight(struct line *l)
{
	put_padded(l->out, l->details.weight, 16);
}

void pp_print_ins_lat(struct line *l)
{
	put_padded(l->out, l->details.ins_lat, 16);
}

void pp_print_retire_lat(struct line *l)
{
	put_padded(l->out, l->details.retire_lat, 16);
}

void pp_print_cgroup(struct line *l)
{
	const char *const path = pp_tasks_cgroup(l->script->tasks, l->details.cgroup);

	pp_out_char(l->out, ' ');
	pp_put_name(l->out, path ? path : "unknown");
}

void pp_print_phys_addr(struct line *l)
{
	pp_put_address(l->out, l->details.phys_addr);
}
