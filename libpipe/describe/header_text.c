/*
 * header_text.c - what a stream says of itself in words, as `perf report --header-only -I` has them:
 * tidied, or to the letter.  How the payloads lie, the tables know.
 */
#include "describe/describe.h"
#include "format/event_ids.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A feature's payload on its way to words. */
struct words {
	struct pp_out *out;
	const struct pp_features *all;
	const struct pp_attrs *attrs;
	enum pp_words_of of;
	struct pp_record rec;
	struct pp_cursor c, name;     /* name: at that of the event whose attribute is printed */
};

__attribute__((format(printf, 2, 3)))
static void say(struct words *w, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pp_out_text(w->out, text);
}

static void restart(struct words *w)
{
	pp_walk(&w->c, &w->rec);
}

/* Goes on to the next value of that name; false where there is none. */
static bool find(struct words *w, const char *name)
{
	return pp_walk_to(&w->c, name) == 1;
}

/* A number that the payload has once. */
static uint64_t number(struct words *w, const char *name)
{
	uint64_t v = 0;

	(void)pp_get_u64(&w->rec, name, &v);
	return v;
}

static void say_text(struct words *w)
{
	size_t length;
	const char *text = pp_walk_text(&w->c, &length);

	pp_out_printable(w->out, text, length);
}

/* "# LABEL : text" for every text of that name, each a line. */
static void say_texts(struct words *w, const char *label, const char *name)
{
	restart(w);
	while (find(w, name)) {
		pp_out_text(w->out, label);
		say_text(w);
		pp_out_char(w->out, '\n');
	}
}

static void say_nrcpus(struct words *w)
{
	say(w, "# nrcpus online : %" PRIu64 "\n", number(w, "nr_cpus_online"));
	say(w, "# nrcpus avail : %" PRIu64 "\n", number(w, "nr_cpus_avail"));
}

static void say_memory(struct words *w)
{
	say(w, "# total memory : %" PRIu64 " kB\n", number(w, "total_mem"));
}

/* perf has a backslash before each quote. */
static void say_argument(struct words *w, bool quotes)
{
	size_t length, run;
	const char *text = pp_walk_text(&w->c, &length);

	for (; quotes && length; text += run, length -= run) {
		const char *const quote = memchr(text, '\'', length);

		run = quote ? (size_t)(quote - text) : length;
		pp_out_printable(w->out, text, run);
		if (!quote)
			continue;
		pp_out_text(w->out, "\\'");
		run++;
	}
	pp_out_printable(w->out, text, length);
}

static void say_cmdline(struct words *w)
{
	const bool perf = w->of != PP_WORDS;

	pp_out_text(w->out, perf ? "# cmdline : " : "# cmdline :");
	while (find(w, "cmdline")) {
		if (!perf)
			pp_out_char(w->out, ' ');
		say_argument(w, perf);
		if (perf)
			pp_out_char(w->out, ' ');
	}
	pp_out_char(w->out, '\n');
}

static void say_topology(struct words *w)
{
	struct pp_cursor dies;
	bool has_dies, known = false;

	say_texts(w, "# sibling sockets : ", "cores");
	say_texts(w, "# sibling dies    : ", "dies");
	say_texts(w, "# sibling threads : ", "threads");
	pp_walk(&dies, &w->rec);
	has_dies = pp_walk_to(&dies, "die_id") == 1;
	restart(w);
	for (uint32_t cpu = 0; find(w, "core_id"); cpu++) {
		say(w, "# CPU %" PRIu32 ": Core ID %" PRIu64, cpu, w->c.value);
		if (has_dies && cpu < dies.count)
			say(w, ", Die ID %" PRIu64, pp_walk_u64(&dies, cpu));
		if (find(w, "socket_id"))
			say(w, ", Socket ID %" PRIu64 "\n", w->c.value);
		known = true;
	}
	if (!known && w->of != PP_WORDS)
		pp_out_text(w->out, "# Core ID and Socket ID information is not available\n");
}

static void say_numa(struct words *w)
{
	while (find(w, "node")) {
		const uint64_t node = w->c.value;

		say(w, "# node%" PRIu64 " meminfo  :", node);
		if (find(w, "mem_total"))
			say(w, " total = %" PRIu64 " kB,", w->c.value);
		if (find(w, "mem_free"))
			say(w, " free = %" PRIu64 " kB\n", w->c.value);
		say(w, "# node%" PRIu64 " cpu list : ", node);
		if (find(w, "cpus"))
			say_text(w);
		pp_out_char(w->out, '\n');
	}
}

static void say_pmus(struct words *w)
{
	const char *separator = "# pmu mappings: ";

	while (find(w, "type")) {
		const uint64_t type = w->c.value;

		pp_out_text(w->out, separator);
		if (find(w, "name"))
			say_text(w);
		say(w, " = %" PRIu64, type);
		separator = ", ";
	}
	pp_out_char(w->out, '\n');
}

static void say_groups(struct words *w)
{
	while (find(w, "name")) {
		size_t length;
		const char *name = pp_walk_text(&w->c, &length);
		uint64_t leader = 0;

		pp_out_text(w->out, "# group: ");
		if (length && name[0] != '{')         /* perf calls those without a name so */
			say_text(w);
		if (find(w, "leader_idx"))
			leader = w->c.value;
		if (!find(w, "nr_members"))
			return;
		for (uint64_t i = 0; i < w->c.value; i++) {
			if (w->attrs && leader + i >= pp_attrs_count(w->attrs))
				break;
			pp_out_char(w->out, i ? ',' : '{');
			pp_out_text(w->out, pp_head_event(w->attrs, leader + i));
			if (!w->attrs)
				break;
		}
		pp_out_text(w->out, "}\n");
	}
}

/* In a column of perf's that is as wide, to the left if that is negative. */
static void say_wide(struct words *w, int width)
{
	size_t length;
	int blanks;

	(void)pp_walk_text(&w->c, &length);
	blanks = w->of == PP_WORDS || length > 15 ? 0 : abs(width) - (int)length;
	if (width > 0)
		say(w, "%*s", blanks > 0 ? blanks : 0, "");
	say_text(w);
	if (width < 0)
		say(w, "%*s", blanks > 0 ? blanks : 0, "");
}

static void say_caches(struct words *w)
{
	pp_out_text(w->out, "# CPU cache info:\n");
	while (find(w, "level")) {
		say(w, "#  L%" PRIu64 " ", w->c.value);
		if (find(w, "type"))
			say_wide(w, -15);
		pp_out_char(w->out, ' ');
		if (find(w, "size"))
			say_wide(w, 8);
		pp_out_text(w->out, " [");
		if (find(w, "map"))
			say_text(w);
		pp_out_text(w->out, "]\n");
	}
}

static void say_sample_time(struct words *w)
{
	const uint64_t first = number(w, "first"), last = number(w, "last");

	say(w, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n", first / 1000000000,
	    first % 1000000000 / 1000);
	say(w, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n", last / 1000000000,
	    last % 1000000000 / 1000);
	say(w, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static bool map_bit(const struct pp_cursor *c, uint64_t bit)
{
	return bit / 64 < c->count && pp_walk_u64(c, (uint32_t)(bit / 64)) >> bit % 64 & 1;
}

/* "0-23,32-199" of the map at the cursor; returns how many bits are set. */
static uint64_t say_map(struct words *w, bool silent)
{
	const uint64_t bits = (uint64_t)w->c.count * 64;
	const char *separator = "";
	uint64_t set = 0;

	for (uint64_t bit = 0; bit < bits; bit++) {
		uint64_t end = bit;

		if (!map_bit(&w->c, bit))
			continue;
		while (map_bit(&w->c, end + 1))
			end++;
		set += end - bit + 1;
		if (!silent)
			say(w, end > bit ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, separator, bit, end);
		separator = ",";
		bit = end;
	}
	return set;
}

static void say_size(struct words *w, uint64_t bytes)
{
	const char *unit = "BKMG";

	while (bytes / 1024 > 1 && unit[1]) {
		bytes /= 1024;
		unit++;
	}
	say(w, "%" PRIu64 "%c", bytes, *unit);
}

static void say_memory_topology(struct words *w)
{
	const uint64_t block = number(w, "block_size");

	restart(w);
	say(w, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", number(w, "nr"), block);
	while (find(w, "node")) {
		say(w, "#  %3" PRIu64 " [", w->c.value);
		if (!find(w, "map"))
			return;
		say_size(w, say_map(w, true) * block);
		pp_out_text(w->out, "]: ");
		(void)say_map(w, false);
		pp_out_char(w->out, '\n');
	}
}

static void say_clockid_resolution(struct words *w)
{
	say(w, "# clockid frequency: %" PRIu64 " MHz\n", number(w, "resolution") * 1000);
}

static void say_directory(struct words *w)
{
	say(w, "# directory data version : %" PRIu64 "\n", number(w, "version"));
}

static void say_programs(struct words *w)
{
	if (number(w, "nr"))
		say(w, "# bpf_prog_info of %" PRIu64 " programs\n", number(w, "nr"));
	else if (w->of != PP_WORDS)
		pp_out_text(w->out, "# bpf_prog_info empty\n");
}

static void say_btfs(struct words *w)
{
	if (w->of != PP_WORDS && !number(w, "nr"))
		pp_out_text(w->out, "# btf info empty\n");
	while (find(w, "id"))
		say(w, "# btf info of id %" PRIu64 "\n", w->c.value);
}

void pp_head_compression(const struct pp_compression *of, struct pp_out *out)
{
	char text[80];

	(void)snprintf(text, sizeof(text), "# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
		       of->type == 1 ? "Zstd" : "Unknown", of->level, of->ratio);
	pp_out_text(out, text);
}

static void say_compressed(struct words *w)
{
	const struct pp_compression of = {
		.type = (uint32_t)number(w, "type"), .level = (uint32_t)number(w, "level"),
		.ratio = (uint32_t)number(w, "ratio"),
	};

	pp_head_compression(&of, w->out);
}

static void say_core_caps(struct words *w)
{
	const char *separator = "# cpu pmu capabilities: ";

	while (find(w, "name")) {
		pp_out_text(w->out, separator);
		say_text(w);
		pp_out_char(w->out, '=');
		if (find(w, "value"))
			say_text(w);
		separator = ", ";
	}
	if (separator[0] == '#')
		pp_out_text(w->out, "# cpu pmu capabilities: not available");
	pp_out_char(w->out, '\n');
}

/* The name of a PMU follows its capabilities: one walk finds it, another prints them. */
static void say_pmu_caps(struct words *w)
{
	struct pp_cursor names = w->c;

	while (find(w, "nr_caps")) {
		const char *separator = "";
		uint64_t n = w->c.value;
		struct pp_cursor caps;

		if (pp_walk_to(&names, "pmu_name") != 1)
			return;
		caps = w->c;
		w->c = names;
		pp_out_text(w->out, "# ");
		say_text(w);
		pp_out_text(w->out, n ? " pmu capabilities: " : " pmu capabilities: not available");
		w->c = caps;
		for (; n && find(w, "name"); n--) {
			pp_out_text(w->out, separator);
			say_text(w);
			pp_out_char(w->out, '=');
			if (find(w, "value"))
				say_text(w);
			separator = ", ";
		}
		pp_out_char(w->out, '\n');
	}
}

static const char *clock_name(uint64_t clockid)
{
	const char *const name = pp_clock_name(clockid);

	return name ? name : "(not found)";
}

/* In UTC, whatever the reader's time zone. */
static void say_clock(struct words *w)
{
	const uint64_t wall = number(w, "wall_clock_ns"), clock = number(w, "clockid_time_ns");
	const uint64_t clockid = number(w, "clockid");
	const time_t seconds = (time_t)(wall / 1000000000);
	struct tm tm;
	char day[64] = "?";

	if (gmtime_r(&seconds, &tm))
		(void)strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
	say(w, "# clockid: %s (%" PRIu64 ")\n", clock_name(clockid), clockid);
	say(w, "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
	    ".%09" PRIu64 " (%s)\n", day, wall % 1000000000 / 1000, wall / 1000000000,
	    wall % 1000000000 / 1000, clock / 1000000000, clock % 1000000000, clock_name(clockid));
}

static void say_hybrid(struct words *w)
{
	pp_out_text(w->out, "# hybrid cpu system:\n");
	while (find(w, "name")) {
		pp_out_text(w->out, "# ");
		say_text(w);
		pp_out_text(w->out, " cpu list : ");
		if (find(w, "cpus"))
			say_text(w);
		pp_out_char(w->out, '\n');
	}
}

/* A line for each value, as perf has them; "nr_domains" is also what it calls that. */
static void say_domains_of_perf(struct words *w)
{
	static const struct { const char *field, *label; } lines[] = {
		{ "schedstat_version", "# schedstat version\t: " },
		{ "max_sched_domains", "# Maximum sched domains\t: " },
		{ "cpu", "# cpu\t\t: " },
		{ "nr_domains", "# nr_domains\t: " },
		{ "domain", "# Domain\t\t: " },
		{ "name", "# Domain name      : " }, { "cpumask", "# Domain cpu map   : " },
		{ "cpulist", "# Domain cpu list  : " },
	};
	int token;

	while ((token = pp_walk_next(&w->c)) > PP_END) {
		for (size_t i = 0; token == PP_VALUE && i < sizeof(lines) / sizeof(lines[0]); i++) {
			if (strcmp(lines[i].field, w->c.field->name))
				continue;
			pp_out_text(w->out, lines[i].label);
			if (i < 5)
				say(w, "%" PRIu64, w->c.value);
			else
				say_text(w);
			pp_out_char(w->out, '\n');
		}
	}
}

static void say_domains(struct words *w)
{
	int token;

	if (w->of != PP_WORDS) {
		say_domains_of_perf(w);
		return;
	}
	say(w, "# schedstat version : %" PRIu64 "\n", number(w, "schedstat_version"));
	say(w, "# maximum sched domains : %" PRIu64 "\n", number(w, "max_sched_domains"));
	while ((token = pp_walk_next(&w->c)) > PP_END) {
		const char *name = w->c.field->name;

		if (token != PP_VALUE)
			continue;
		if (!strcmp(name, "cpu"))
			say(w, "# CPU %" PRIu64 " sched domains:\n", w->c.value);
		else if (!strcmp(name, "domain"))
			say(w, "#  domain %" PRIu64 " :", w->c.value);
		if (!strcmp(name, "name") || !strcmp(name, "cpulist")) {
			pp_out_char(w->out, ' ');
			say_text(w);
			if (name[0] == 'c')
				pp_out_char(w->out, '\n');
		}
	}
}

static void say_machine(struct words *w)
{
	say(w, w->of == PP_WORDS ? "# e_machine : %" PRIu64 ", e_flags : 0x%" PRIx64 "\n" :
				   "# e_machine : %" PRIu64 "\n#   e_flags : %" PRIu64 "\n",
	    number(w, "e_machine"), number(w, "e_flags"));
}

static void say_cache_line(struct words *w)
{
	say(w, w->of == PP_WORDS ? "# cacheline size : %" PRIu64 "\n" : "# cacheline size: %" PRIu64 "\n",
	    number(w, "cln_size"));
}

/* ---- events ---- */

/* "IP|TID|TIME" */
static void say_bits(struct words *w, const struct pp_part *part, uint64_t v)
{
	const char *separator = "";

	for (; part->width; part++) {
		const uint64_t bit = UINT64_C(1) << part->bit;

		if (!(v & bit))
			continue;
		say(w, "%s%s", separator, part->name);
		separator = "|";
		v &= ~bit;
	}
	if (v && w->of == PP_WORDS)
		say(w, "%s0x%" PRIx64, separator, v);
}

/* In perf's own order, in which TRANSACTION has no place. */
static void say_sample_bits(struct words *w, uint64_t v)
{
	static const uint64_t turns[] = {
		PP_SAMPLE_WEIGHT - 1, PP_SAMPLE_IDENTIFIER | PP_SAMPLE_REGS_INTR, PP_SAMPLE_DATA_SRC,
		PP_SAMPLE_WEIGHT, -PP_SAMPLE_PHYS_ADDR,
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		if (!(v & turns[i]))
			continue;
		pp_out_text(w->out, separator);
		say_bits(w, pp_sample_bits, v & turns[i]);
		separator = "|";
	}
}

static void say_flags(struct words *w, const struct pp_part *part, uint64_t v)
{
	for (; part->width; part++) {
		const uint64_t value = v >> part->bit & ((UINT64_C(1) << part->width) - 1);

		if (value)
			say(w, ", %s = %" PRIu64, part->name, value);
	}
}

/* Names that perf joins, and words whose bits have names. */
static const struct attr_words {
	const char *field, *label;
	const struct pp_part *const *bits;
} attr_words[] = {
	{ "sample_period", "{ sample_period, sample_freq }", NULL },
	{ "wakeup_events", "{ wakeup_events, wakeup_watermark }", NULL },
	{ "config1", "{ bp_addr, config1 }", NULL },
	{ "config2", "{ bp_len, config2 }", NULL },
	{ "sample_type", "sample_type", &pp_sample_bits },
	{ "read_format", "read_format", &pp_read_bits },
	{ "branch_sample_type", "branch_sample_type", &pp_branch_bits },
};

static const struct attr_words *words_of(const char *field)
{
	for (size_t i = 0; i < sizeof(attr_words) / sizeof(attr_words[0]); i++)
		if (!strcmp(attr_words[i].field, field))
			return &attr_words[i];
	return NULL;
}

/* perf 7.3 says these with what they begin with in the kernel's headers. */
#define CACHE "PERF_COUNT_HW_CACHE_"

static void say_cache_event(struct words *w, uint64_t config)
{
	const char *const cache = pp_event_cache_word(0, config & 0xff);
	const char *const operation = pp_event_cache_word(1, config >> 8 & 0xff);
	const char *const result = pp_event_cache_word(2, config >> 16 & 0xff);

	if (cache && operation && result)
		say(w, " (" CACHE "%s | " CACHE "%s | " CACHE "%s)", result, operation, cache);
}

/* The event's own name, without modifiers: perf asks the machine where it runs what number that is there. */
static void say_tracepoint(struct words *w)
{
	size_t length;
	const char *const name = pp_walk_text(&w->name, &length);
	const char *const colon = length ? memchr(name, ':', length) : NULL;
	const size_t after = colon ? (size_t)(colon + 1 - name) : length;
	const char *const modifier = colon ? memchr(colon + 1, ':', length - after) : NULL;

	if (!colon)
		return;
	pp_out_text(w->out, " (");
	pp_out_printable(w->out, name, modifier ? (size_t)(modifier - name) : length);
	pp_out_char(w->out, ')');
}

/* Shows a field that perf 7.3 shows even if it is zero, by the kernel's name; other fields: false. */
static bool say_named(struct words *w, uint64_t *type)
{
	const uint64_t v = w->c.value;
	const char *word = NULL, *begin = "PERF_COUNT_";

	if (!strcmp(w->c.field->name, "type")) {
		*type = v;
		begin = "PERF_TYPE_";
		word = pp_event_type_word(v);
		say(w, ", type = %" PRIu64, v);
	} else if (!strcmp(w->c.field->name, "config")) {
		say(w, v ? ", config = 0x%" PRIx64 : ", config = %" PRIu64, v);
		word = pp_event_word(*type, v);
		if (*type == PP_TYPE_TRACEPOINT)
			say_tracepoint(w);
		if (*type == PP_TYPE_HW_CACHE)
			say_cache_event(w, v);
	} else {
		return false;
	}
	if (word)
		say(w, " (%s%s)", begin, word);
	return true;
}

static void say_attr_field(struct words *w, uint64_t *type)
{
	const struct pp_field *f = w->c.field;
	const struct attr_words *known = words_of(f->name);

	if ((w->of == PP_WORDS_7_3 && say_named(w, type)) || !w->c.value)
		return;
	if (f->kind == PP_BITS) {
		say_flags(w, f->parts, w->c.value);
		return;
	}
	say(w, ", %s = ", known ? known->label : f->name);
	if (known && known->bits == &pp_sample_bits && w->of != PP_WORDS)
		say_sample_bits(w, w->c.value);
	else if (known && known->bits)
		say_bits(w, *known->bits, w->c.value);
	else
		say(w, f->show == PP_HEX ? "0x%" PRIx64 : "%" PRIu64, w->c.value);
}

/* Those at the cursor. */
static void say_ids(struct words *w)
{
	if (!w->c.count)
		return;
	pp_out_text(w->out, ", id = {");
	for (uint32_t i = 0; i < w->c.count; i++)
		say(w, "%s %" PRIu64, i ? "," : "", pp_walk_u64(&w->c, i));
	pp_out_text(w->out, " }");
}

/* The attribute at the cursor, to its end. */
static void say_attr(struct words *w)
{
	uint64_t type = 0;
	int token;

	while ((token = pp_walk_next(&w->c)) > PP_END && token != PP_CLOSE)
		if (token == PP_VALUE && w->c.width <= 8 && !w->c.array)
			say_attr_field(w, &type);
	pp_out_char(w->out, '\n');
}

static void say_event(struct words *w, size_t i)
{
	pp_head_record(&w->rec, &w->all->attrs.items[i], w->attrs);
	pp_out_text(w->out, "# event : name = ");
	pp_out_printable(w->out, pp_head_event(w->attrs, i), strlen(pp_head_event(w->attrs, i)));
	restart(w);
	if (find(w, "id"))
		say_ids(w);
	restart(w);
	say_attr(w);
}

/* In a stream the events are those of its HEADER_ATTRs; EVENT_DESC repeats them. */
static void say_events(struct words *w)
{
	for (size_t i = 0; i < w->all->attrs.count; i++)
		say_event(w, i);
}

/* The same of EVENT_DESC, where the attribute comes first and what perf prints first after it. */
static void say_described(struct words *w)
{
	int token;

	while ((token = pp_walk_next(&w->c)) > PP_END) {
		struct pp_cursor attr;

		if (token != PP_OPEN || !w->c.field || strcmp(w->c.field->name, "attr"))
			continue;
		attr = w->c;
		pp_out_text(w->out, "# event : name = ");
		if (!find(w, "name"))
			return;
		say_text(w);
		w->name = w->c;
		pp_out_text(w->out, ", ");
		if (pp_walk_next(&w->c) == PP_VALUE && !strcmp(w->c.field->name, "id"))
			say_ids(w);
		w->c = attr;
		say_attr(w);
	}
}

/* ---- all of it ---- */

/* One text each, or a function; in the order of their numbers, events at the place of theirs. */
static const struct {
	uint32_t feature;
	const char *label, *field;
	void (*say)(struct words *);
} sayings[] = {
	{ PP_FEAT_HOSTNAME, "# hostname : ", "hostname", NULL },
	{ PP_FEAT_OSRELEASE, "# os release : ", "osrelease", NULL },
	{ PP_FEAT_VERSION, "# perf version : ", "version", NULL },
	{ PP_FEAT_ARCH, "# arch : ", "arch", NULL },
	{ PP_FEAT_NRCPUS, NULL, NULL, say_nrcpus },
	{ PP_FEAT_CPUDESC, "# cpudesc : ", "cpudesc", NULL },
	{ PP_FEAT_CPUID, "# cpuid : ", "cpuid", NULL },
	{ PP_FEAT_TOTAL_MEM, NULL, NULL, say_memory },
	{ PP_FEAT_CMDLINE, NULL, NULL, say_cmdline },
	{ PP_FEAT_EVENT_DESC, NULL, NULL, NULL },
	{ PP_FEAT_CPU_TOPOLOGY, NULL, NULL, say_topology },
	{ PP_FEAT_NUMA_TOPOLOGY, NULL, NULL, say_numa },
	{ PP_FEAT_BRANCH_STACK, "# contains samples with branch stack\n", NULL, NULL },
	{ PP_FEAT_PMU_MAPPINGS, NULL, NULL, say_pmus },
	{ PP_FEAT_GROUP_DESC, NULL, NULL, say_groups },
	{ PP_FEAT_AUXTRACE, "# contains AUX area data (e.g. instruction trace)\n", NULL, NULL },
	{ PP_FEAT_STAT, "# contains stat data\n", NULL, NULL },
	{ PP_FEAT_CACHE, NULL, NULL, say_caches },
	{ PP_FEAT_SAMPLE_TIME, NULL, NULL, say_sample_time },
	{ PP_FEAT_MEM_TOPOLOGY, NULL, NULL, say_memory_topology },
	{ PP_FEAT_CLOCKID, NULL, NULL, say_clockid_resolution },
	{ PP_FEAT_DIR_FORMAT, NULL, NULL, say_directory },
	{ PP_FEAT_BPF_PROG_INFO, NULL, NULL, say_programs },
	{ PP_FEAT_BPF_BTF, NULL, NULL, say_btfs },
	{ PP_FEAT_COMPRESSED, NULL, NULL, say_compressed },
	{ PP_FEAT_CPU_PMU_CAPS, NULL, NULL, say_core_caps },
	{ PP_FEAT_CLOCK_DATA, NULL, NULL, say_clock },
	{ PP_FEAT_HYBRID_TOPOLOGY, NULL, NULL, say_hybrid },
	{ PP_FEAT_PMU_CAPS, NULL, NULL, say_pmu_caps },
	{ PP_FEAT_CPU_DOMAIN_INFO, NULL, NULL, say_domains },
	{ PP_FEAT_E_MACHINE, NULL, NULL, say_machine },
	{ PP_FEAT_CLN_SIZE, NULL, NULL, say_cache_line },
};

#define BIT(feature) (UINT64_C(1) << PP_FEAT_##feature)
/* What perf shows only where all is asked for, and what its version 6.1 does not show. */
static const uint64_t long_ones = BIT(CPU_TOPOLOGY) | BIT(NUMA_TOPOLOGY) | BIT(CACHE) | BIT(MEM_TOPOLOGY) |
	BIT(CPU_DOMAIN_INFO);
static const uint64_t new_ones = BIT(BPF_PROG_INFO) | BIT(BPF_BTF) | BIT(CPU_DOMAIN_INFO) | BIT(E_MACHINE) |
	BIT(CLN_SIZE);

/* The cursor is at the beginning of the payload. */
static void say_feature(struct words *w, size_t i)
{
	if (sayings[i].say)
		sayings[i].say(w);
	else if (sayings[i].field)
		say_texts(w, sayings[i].label, sayings[i].field);
	else if (sayings[i].label)
		pp_out_text(w->out, sayings[i].label);
}

void pp_features_text(const struct pp_features *f, const struct pp_attrs *attrs, struct pp_out *out)
{
	struct words w = { .out = out, .all = f, .attrs = attrs };

	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++) {
		const struct pp_head_copy *copy = &f->feature[sayings[i].feature];

		if (sayings[i].feature == PP_FEAT_EVENT_DESC)
			say_events(&w);
		if (!copy->data) {
			if (f->of_file >> sayings[i].feature & 1)
				pp_head_empty_feature(sayings[i].feature, out);
			continue;
		}
		pp_head_record(&w.rec, copy, attrs);
		restart(&w);
		say_feature(&w, i);
	}
	(void)pp_head_notes_text(f, NULL, out);
	pp_head_names_text(f, out);
}

void pp_head_feature(const struct pp_record *rec, uint64_t number, enum pp_words_of of, bool full,
		     struct pp_out *out)
{
	struct words w = { .out = out, .attrs = rec->attrs, .of = of, .rec = *rec };
	size_t i = 0;

	while (i < sizeof(sayings) / sizeof(sayings[0]) && sayings[i].feature != number)
		i++;
	if (i == sizeof(sayings) / sizeof(sayings[0]) || (of == PP_WORDS_6_1 && new_ones >> number & 1))
		return;
	if (!full && long_ones >> number & 1) {
		say(&w, "# %s info available, use -I to display\n", pp_feature((uint32_t)number)->name);
		return;
	}
	restart(&w);
	if (number == PP_FEAT_EVENT_DESC)
		say_described(&w);
	else
		say_feature(&w, i);
}

void pp_head_empty_feature(uint64_t number, struct pp_out *out)
{
	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++)
		if (sayings[i].feature == number && sayings[i].label && !sayings[i].field)
			pp_out_text(out, sayings[i].label);
}
