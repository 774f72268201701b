/*
 * features.c - what a stream says of itself: host, events, topology, notes; in words as `perf
 * report --header-only -I` has them, and as JSON.  How the payloads lie, the tables know.
 */
#include <perfpipe/perfpipe.h>

#include "base/grow.h"

#include "text/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KEPT = 64 };                   /* features that are known by number, and some to come */

struct copy {
	uint8_t *data;
	uint32_t size;
};

struct list {
	struct copy *items;
	size_t count, room;
};

struct pp_features {
	struct copy feature[KEPT];    /* the last record of each */
	struct list attrs;            /* HEADER_ATTRs, in the order of the stream */
	struct list notes;            /* their records */
};

struct pp_features *pp_features_new(void)
{
	return calloc(1, sizeof(struct pp_features));
}

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].data);
	free(list->items);
}

void pp_features_free(struct pp_features *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free(f->feature[i].data);
	free_list(&f->attrs);
	free_list(&f->notes);
	free(f);
}

/* ---- taking records in ---- */

static void as_record(struct pp_record *rec, const struct copy *copy, const struct pp_attrs *attrs)
{
	*rec = (struct pp_record){ .data = copy->data, .size = (uint16_t)copy->size, .attrs = attrs };
	rec->type = pp_load32(copy->data);
	rec->misc = pp_load16(copy->data + 4);
}

/* 1 and a copy in host order; 0: the record says nothing that can be read; -1 and *error. */
static int copy_record(struct copy *copy, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_record mine = *rec;

	copy->size = rec->size;
	copy->data = malloc(rec->size);
	if (!copy->data)
		return pp_fail(error, PP_E_NOMEM, NULL);
	memcpy(copy->data, rec->data, rec->size);
	mine.data = copy->data;
	mine.foreign = false;
	if (!rec->foreign || !pp_convert(&mine, PP_TO_HOST, NULL))
		return 1;
	free(copy->data);
	return 0;
}

static int append(struct list *list, const struct pp_record *rec, struct pp_error *error)
{
	struct copy copy;
	int got;

	if (PP_GROW(&list->items, &list->room, list->count + 1, error))
		return -1;
	got = copy_record(&copy, rec, error);
	if (got > 0)
		list->items[list->count++] = copy;
	return got < 0 ? -1 : 0;
}

static int note_feature(struct pp_features *f, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_record mine;
	struct copy copy;
	uint64_t number;
	int got;

	if (rec->size <= PP_HEADER_SIZE + sizeof(number))
		return 0;             /* the mark after the last one */
	got = copy_record(&copy, rec, error);
	if (got <= 0)
		return got;
	as_record(&mine, &copy, NULL);
	if (!pp_find_feature(&mine, &number) || number >= KEPT) {
		free(copy.data);
		return 0;
	}
	free(f->feature[number].data);
	f->feature[number] = copy;
	return 0;
}

int pp_features_note(struct pp_features *f, const struct pp_record *rec, struct pp_error *error)
{
	if (rec->type == PP_REC_HEADER_FEATURE)
		return note_feature(f, rec, error);
	if (rec->type == PP_REC_HEADER_ATTR)
		return append(&f->attrs, rec, error);
	if (pp_is_note(rec))
		return append(&f->notes, rec, error);
	return 0;
}

/* ---- notes ---- */

struct note {
	const char *key, *value;
	size_t key_length, value_length;
};

/* The next note of a record's payload, at *at; false where there is none that fits. */
static bool next_note(const struct copy *copy, size_t *at, struct note *note)
{
	size_t left = copy->size - *at;

	if (!pp_fits(8, left))
		return false;
	note->key_length = pp_load32(copy->data + *at);
	note->value_length = pp_load32(copy->data + *at + 4);
	*at += 8;
	left -= 8;
	if (!pp_fits(note->key_length, left) || !pp_fits(note->value_length, left - note->key_length))
		return false;
	note->key = (const char *)copy->data + *at;
	note->value = note->key + note->key_length;
	*at += note->key_length + note->value_length;
	return true;
}

/* How notes are written: as lines of text, or as objects in a list. */
struct note_style {
	void (*key)(struct pp_out *, const struct note *, bool first);   /* NULL: not written */
	void (*value)(struct pp_out *, const struct note *, bool more);
	const char *end;
};

/* Notes on their way out. */
struct notes {
	struct pp_out *out;
	const struct note_style *style;
	const char *key;              /* those with this key only; NULL: all */
	bool continued, written;      /* the last one: its value continues; it was written */
	size_t count;                 /* of those that were written */
};

static bool is_wanted(const struct notes *notes, const struct note *note)
{
	return !notes->key || (strlen(notes->key) == note->key_length &&
			       !memcmp(notes->key, note->key, note->key_length));
}

static void write_note(struct notes *notes, const struct note *note, bool continues)
{
	const bool continued = notes->continued;

	notes->continued = continues;
	if (!continued) {
		notes->written = is_wanted(notes, note);
		if (notes->written && notes->style->key)
			notes->style->key(notes->out, note, !notes->count);
		notes->count += notes->written;
	}
	if (!notes->written)
		return;
	notes->style->value(notes->out, note, continued);
	if (!continues)
		pp_out_text(notes->out, notes->style->end);
}

static void write_record_notes(struct notes *notes, const struct copy *copy)
{
	size_t at = PP_HEADER_SIZE + 8;       /* after the magic */
	uint32_t count, flags;
	struct note note;

	if (!pp_fits(at + 8, copy->size))
		return;
	count = pp_load32(copy->data + at);
	flags = pp_load32(copy->data + at + 4);
	at += 8;
	for (; count && next_note(copy, &at, &note); count--)
		write_note(notes, &note, count == 1 && flags & 1);
}

/* How many were written. */
static size_t write_notes(const struct pp_features *f, struct pp_out *out,
			  const struct note_style *style, const char *key)
{
	struct notes notes = { .out = out, .style = style, .key = key };

	for (size_t i = 0; i < f->notes.count; i++)
		write_record_notes(&notes, &f->notes.items[i]);
	if (notes.continued && notes.written) /* a value that is not continued ends here */
		pp_out_text(out, style->end);
	return notes.count;
}

static void text_note_key(struct pp_out *out, const struct note *note, bool first)
{
	(void)first;
	pp_out_text(out, "# note : ");
	pp_out_printable(out, note->key, note->key_length);
	pp_out_text(out, " = ");
}

static void text_note_value(struct pp_out *out, const struct note *note, bool more)
{
	(void)more;
	pp_out_printable(out, note->value, note->value_length);
}

static void json_piece(struct pp_out *out, const char *text, size_t length)
{
	if (pp_out_json_string(out, text, length))
		return;
	pp_out_text(out, "{\"hex\":\"");
	pp_out_hex_bytes(out, text, length);
	pp_out_text(out, "\"}");
}

static void json_note_key(struct pp_out *out, const struct note *note, bool first)
{
	pp_out_text(out, first ? "{\"key\":" : ",{\"key\":");
	json_piece(out, note->key, note->key_length);
	pp_out_text(out, ",\"value\":[");
}

/* A value that spans records is a list of pieces: each is UTF-8, or not, for itself. */
static void json_note_value(struct pp_out *out, const struct note *note, bool more)
{
	if (more)
		pp_out_char(out, ',');
	json_piece(out, note->value, note->value_length);
}

/* ---- words ---- */

/* A feature's payload on its way to words. */
struct words {
	struct pp_out *out;
	const struct pp_features *all;
	const struct pp_attrs *attrs;
	struct pp_record rec;
	struct pp_cursor c;
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

static void say_cmdline(struct words *w)
{
	pp_out_text(w->out, "# cmdline :");
	while (find(w, "cmdline")) {
		pp_out_char(w->out, ' ');
		say_text(w);
	}
	pp_out_char(w->out, '\n');
}

static void say_topology(struct words *w)
{
	struct pp_cursor dies;
	bool has_dies;

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
	}
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

static const char *event_name(const struct words *w, size_t i)
{
	const struct pp_attr *attr = w->attrs ? pp_attrs_at(w->attrs, i) : NULL;

	return attr ? attr->name : "?";
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
			pp_out_text(w->out, event_name(w, leader + i));
			if (!w->attrs)
				break;
		}
		pp_out_text(w->out, "}\n");
	}
}

static void say_caches(struct words *w)
{
	pp_out_text(w->out, "# CPU cache info:\n");
	while (find(w, "level")) {
		say(w, "#  L%" PRIu64 " ", w->c.value);
		if (find(w, "type"))
			say_text(w);
		pp_out_char(w->out, ' ');
		if (find(w, "size"))
			say_text(w);
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
}

static void say_btfs(struct words *w)
{
	while (find(w, "id"))
		say(w, "# btf info of id %" PRIu64 "\n", w->c.value);
}

static void say_compressed(struct words *w)
{
	say(w, "# compressed : %s, level = %" PRIu64 ", ratio = %" PRIu64 "\n",
	    number(w, "type") == 1 ? "Zstd" : "Unknown", number(w, "level"), number(w, "ratio"));
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
	static const struct { uint64_t id; const char *name; } clocks[] = {
		{ CLOCK_REALTIME, "realtime" }, { CLOCK_MONOTONIC, "monotonic" },
		{ CLOCK_MONOTONIC_RAW, "monotonic_raw" }, { CLOCK_BOOTTIME, "boottime" },
		{ CLOCK_TAI, "tai" }, { CLOCK_REALTIME_COARSE, "real" },
		{ CLOCK_MONOTONIC_COARSE, "mono" },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == clockid)
			return clocks[i].name;
	return "unknown";
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

static void say_domains(struct words *w)
{
	int token;

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
	say(w, "# e_machine : %" PRIu64 ", e_flags : 0x%" PRIx64 "\n", number(w, "e_machine"),
	    number(w, "e_flags"));
}

static void say_cache_line(struct words *w)
{
	say(w, "# cacheline size : %" PRIu64 "\n", number(w, "cln_size"));
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
	if (v)
		say(w, "%s0x%" PRIx64, separator, v);
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

static void say_attr_field(struct words *w)
{
	const struct pp_field *f = w->c.field;
	const struct attr_words *known = words_of(f->name);

	if (!w->c.value)
		return;
	if (f->kind == PP_BITS) {
		say_flags(w, f->parts, w->c.value);
		return;
	}
	say(w, ", %s = ", known ? known->label : f->name);
	if (known && known->bits)
		say_bits(w, *known->bits, w->c.value);
	else
		say(w, f->show == PP_HEX ? "0x%" PRIx64 : "%" PRIu64, w->c.value);
}

static void say_ids(struct words *w)
{
	restart(w);
	if (!find(w, "id") || !w->c.count)
		return;
	pp_out_text(w->out, ", id = {");
	for (uint32_t i = 0; i < w->c.count; i++)
		say(w, "%s %" PRIu64, i ? "," : "", pp_walk_u64(&w->c, i));
	pp_out_text(w->out, " }");
}

static void say_event(struct words *w, size_t i)
{
	int token;

	as_record(&w->rec, &w->all->attrs.items[i], w->attrs);
	pp_out_text(w->out, "# event : name = ");
	pp_out_printable(w->out, event_name(w, i), strlen(event_name(w, i)));
	say_ids(w);
	restart(w);
	while ((token = pp_walk_next(&w->c)) > PP_END && token != PP_CLOSE)
		if (token == PP_VALUE && w->c.width <= 8 && !w->c.array)
			say_attr_field(w);
	pp_out_char(w->out, '\n');
}

/* In a stream the events are those of its HEADER_ATTRs; EVENT_DESC repeats them. */
static void say_events(struct words *w)
{
	for (size_t i = 0; i < w->all->attrs.count; i++)
		say_event(w, i);
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

void pp_features_text(const struct pp_features *f, const struct pp_attrs *attrs, struct pp_out *out)
{
	static const struct note_style style = { text_note_key, text_note_value, "\n" };
	struct words w = { .out = out, .all = f, .attrs = attrs };

	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]); i++) {
		const struct copy *copy = &f->feature[sayings[i].feature];

		if (sayings[i].feature == PP_FEAT_EVENT_DESC)
			say_events(&w);
		if (!copy->data)
			continue;
		as_record(&w.rec, copy, attrs);
		restart(&w);
		if (sayings[i].say)
			sayings[i].say(&w);
		else if (sayings[i].field)
			say_texts(&w, sayings[i].label, sayings[i].field);
		else if (sayings[i].label)
			pp_out_text(out, sayings[i].label);
	}
	(void)write_notes(f, out, &style, NULL);
}

bool pp_features_values(const struct pp_features *f, const char *key, struct pp_out *out)
{
	static const struct note_style style = { NULL, text_note_value, "\n" };

	return write_notes(f, out, &style, key) > 0;
}

/* ---- JSON ---- */

static void json_event(const struct pp_features *f, const struct pp_attrs *attrs, size_t i,
		       struct pp_json *j)
{
	struct words w = { .out = j->out, .all = f, .attrs = attrs };
	const char *name = event_name(&w, i);

	as_record(&w.rec, &f->attrs.items[i], attrs);
	pp_json_open(j, NULL, '{');
	pp_json_key(j, "name");
	json_piece(j->out, name, strlen(name));
	pp_json_open(j, "id", '[');
	restart(&w);
	if (find(&w, "id"))
		for (uint32_t n = 0; n < w.c.count; n++)
			pp_json_hex(j, NULL, pp_walk_u64(&w.c, n));
	pp_json_close(j, ']');
	pp_json_key(j, "attr");
	(void)pp_print_json_struct(j->out, &w.rec, "attr");
	pp_json_close(j, '}');
}

void pp_features_json(const struct pp_features *f, const struct pp_attrs *attrs, struct pp_out *out)
{
	static const struct note_style style = { json_note_key, json_note_value, "]}" };
	struct pp_json json = { .out = out }, *const j = &json;

	pp_json_open(j, NULL, '{');
	pp_json_open(j, "features", '{');
	for (uint32_t i = 0; i < KEPT; i++) {
		const struct pp_type *type = pp_feature(i);
		struct pp_record rec;

		if (!f->feature[i].data || !type)
			continue;
		pp_json_key(j, type->name);
		as_record(&rec, &f->feature[i], attrs);
		(void)pp_print_json_struct(out, &rec, "data");
	}
	pp_json_close(j, '}');
	pp_json_open(j, "events", '[');
	for (size_t i = 0; i < f->attrs.count; i++)
		json_event(f, attrs, i, j);
	pp_json_close(j, ']');
	pp_json_open(j, "notes", '[');
	(void)write_notes(f, out, &style, NULL);
	pp_out_text(out, "]}\n");
}
