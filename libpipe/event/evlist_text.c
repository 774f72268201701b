/*
 * evlist_text.c - events as lines for people, as perf evlist shows them: names, groups, rates,
 * attributes.  available.c lists what could be recorded.
 */
#include "event/event.h"

#include <perfpipe/format.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct evlist_line {
	char text[2048];
	size_t n;
};

static void add_to_line(struct evlist_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_to_line(struct evlist_line *l, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(l->text + l->n, sizeof(l->text) - l->n, format, arguments);
	va_end(arguments);
	if (n > 0)
		l->n += (size_t)n;
	if (l->n >= sizeof(l->text))
		l->n = sizeof(l->text) - 1;
}

/* Where two meanings share a field, perf shows both names. */
static const char *name_of(const struct pp_field *f)
{
	static const struct { const char *field, *shown; } both[] = {
		{ "sample_period", "{ sample_period, sample_freq }" },
		{ "wakeup_events", "{ wakeup_events, wakeup_watermark }" },
		{ "config1", "{ bp_addr, config1 }" }, { "config2", "{ bp_len, config2 }" },
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (!strcmp(both[i].field, f->name))
			return both[i].shown;
	return f->name;
}

/* The names of a word's bits; NULL: it is a number. */
static const struct pp_part *bits_of(const struct pp_field *f)
{
	const struct { const char *field; const struct pp_part *bits; } words[] = {
		{ "sample_type", pp_sample_bits }, { "read_format", pp_read_bits },
		{ "branch_sample_type", pp_branch_bits },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].field, f->name))
			return words[i].bits;
	return NULL;
}

static uint64_t part_of(uint64_t value, const struct pp_part *p)
{
	return value >> p->bit & (UINT64_MAX >> (64 - p->width));
}

static void add_bits(struct evlist_line *l, const struct pp_part *bits, uint64_t value)
{
	const char *between = "";

	for (; bits->name; bits++) {
		if (!part_of(value, bits))
			continue;
		add_to_line(l, "%s%s", between, bits->name);
		between = "|";
	}
}

static uint64_t value_of(const struct pp_field *f, const uint8_t *at, size_t *width)
{
	switch (f->kind) {
	case PP_U16: *width = 2; return pp_load16(at);
	case PP_U32: *width = 4; return pp_load32(at);
	case PP_S32: *width = 4; return (uint64_t)(int64_t)(int32_t)pp_load32(at);
	default:     *width = 8; return pp_load64(at);
	}
}

static void add_field(struct evlist_line *l, const struct pp_field *f, uint64_t value)
{
	const struct pp_part *const bits = bits_of(f);

	add_to_line(l, "%s%s: ", l->n ? ", " : "", name_of(f));
	if (bits)
		add_bits(l, bits, value);
	else
		add_to_line(l, f->show == PP_HEX ? "%#" PRIx64 : "%" PRId64, value);
}

/* All that is not zero. */
static void add_attr(struct evlist_line *l, const struct pp_event *e)
{
	const uint8_t *at = (const uint8_t *)e->words;
	const uint8_t *const end = at + e->attr.size;
	size_t width;

	for (const struct pp_field *f = pp_attr_fields; f->name && at < end; f++, at += width) {
		const uint64_t value = value_of(f, at, &width);

		if (f->kind != PP_BITS) {
			if (value)
				add_field(l, f, value);
			continue;
		}
		for (const struct pp_part *p = f->parts; p->name; p++)
			if (part_of(value, p))
				add_to_line(l, ", %s: %" PRIu64, p->name, part_of(value, p));
	}
}

static size_t members(const struct pp_events *events, size_t leader)
{
	size_t n = 0;

	for (size_t i = leader; i < events->n; i++)
		n += events->items[i].leader == leader;
	return n;
}

static void show_group(struct evlist_line *l, const struct pp_events *events, size_t leader)
{
	const bool alone = members(events, leader) == 1;
	const char *before = alone ? "" : "{";

	for (size_t i = leader; i < events->n; i++) {
		if (events->items[i].leader != leader)
			continue;
		add_to_line(l, "%s%s", before, events->items[i].name);
		before = ",";
	}
	add_to_line(l, "%s", alone ? "" : "}");
}

void pp_events_list(const struct pp_events *events, const char *how, const struct pp_say *to)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct pp_event *const e = &events->items[i];
		struct evlist_line l = { .n = 0 }, attr = { .n = 0 };

		if (!strcmp(how, "-g")) {
			if (e->leader != i)
				continue;
			show_group(&l, events, i);
		} else {
			add_to_line(&l, "%s", e->name);
		}
		if (!strcmp(how, "-F"))
			add_to_line(&l, ": sample_%s=%" PRIu64, e->attr.freq ? "freq" : "period",
				    (uint64_t)e->attr.sample_period);
		if (!strcmp(how, "-v")) {
			add_attr(&attr, e);
			add_to_line(&l, ": %s", attr.text);
		}
		/* longer than what pp_say() takes */
		if (to->line)
			to->line(to->arg, l.text, PP_HINT_NONE);
	}
}
