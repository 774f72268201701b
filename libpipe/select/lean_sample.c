/* lean_sample.c - makes samples anew without some of their parts, as the table of their rows says. */
#include "select/lean_sample.h"

#include <perfpipe/callchain.h>
#include <perfpipe/walk.h>

#include "format/event_ids.h"
#include "format/format.h"

#include <string.h>

enum { BPF_OUTPUT = 10 };

static const uint64_t bits_of_parts[PP_THIN_PARTS] = {
	[PP_THIN_USER_STACK] = PP_SAMPLE_STACK_USER,
	[PP_THIN_REGS] = PP_SAMPLE_REGS_USER | PP_SAMPLE_REGS_INTR,
	[PP_THIN_RAW] = PP_SAMPLE_RAW,
	[PP_THIN_BRANCHES] = PP_SAMPLE_BRANCH_STACK,
	[PP_THIN_CALLCHAIN] = PP_SAMPLE_CALLCHAIN,
	[PP_THIN_ADDR] = PP_SAMPLE_ADDR | PP_SAMPLE_PHYS_ADDR,
	[PP_THIN_AUX] = PP_SAMPLE_AUX,
};

/* The bits of sample_type that samples of such an event lose. */
static uint64_t lost_bits(const struct lean_rule *rule, uint32_t type, uint64_t config)
{
	/* what perf measures of threads off the CPU is in raw data, with its period and its chain */
	const uint64_t stays = type == PP_TYPE_SOFTWARE && config == BPF_OUTPUT ? PP_SAMPLE_RAW : 0;
	uint64_t lost = 0;

	for (unsigned i = 0; i < PP_THIN_PARTS; i++)
		if (rule->drop >> i & 1)
			lost |= bits_of_parts[i];
	return lost & ~stays;
}

static bool lacks_period(const struct lean_rule *rule, const struct pp_attr *a)
{
	return rule->period && a->sample_period && !(a->sample_type & PP_SAMPLE_PERIOD);
}

bool pp_lean_changes(const struct lean_rule *rule, const struct pp_record *rec)
{
	const struct pp_attr *const a = rec->attr;
	const uint8_t *ips;
	uint64_t n;

	if (!a)
		return false;
	if (a->sample_type & lost_bits(rule, a->type, a->config) || lacks_period(rule, a))
		return true;
	return rule->max_stack && a->sample_type & PP_SAMPLE_CALLCHAIN &&
	       !(pp_callchain(rec, &ips, &n) && n <= rule->max_stack);
}

/* ---- Samples ---- */

/* A sample that is being made. */
struct lean {
	const struct lean_rule *rule;
	struct pp_thin_stats *stats;
	uint64_t lost, period;
	bool needs_period;
	uint8_t *to;
	size_t size, chain_at;        /* chain_at: of the number of its addresses */
	const uint8_t *from;          /* what was taken ends there */
};

/* False: there is no room. */
static bool add_lean(struct lean *lean, const void *data, size_t size)
{
	if (!pp_fits(size, PP_RECORD_MAX - lean->size))
		return false;
	memcpy(lean->to + lean->size, data, size);
	lean->size += size;
	return true;
}

/* How many words of a chain stay: so many addresses, with the marks before them. */
static uint32_t words_that_stay(const struct pp_cursor *c, uint32_t most)
{
	uint32_t addresses = 0, stay = 0;

	for (uint32_t i = 0; i < c->count && addresses < most; i++) {
		const uint64_t word = pp_walk_u64(c, i);

		/* after this mark comes a number, and no address */
		if (word == PP_CHAIN_USER_DEFERRED)
			return c->count;
		addresses += word < PP_CHAIN_MARKS;
		stay = word < PP_CHAIN_MARKS ? i + 1 : stay;
	}
	return stay;
}

static bool add_chain(struct lean *lean, const struct pp_cursor *c)
{
	const uint32_t stay = words_that_stay(c, lean->rule->max_stack);

	if (stay == c->count)
		return add_lean(lean, c->data, (size_t)stay * c->width);
	pp_store64(lean->to + lean->chain_at, stay);
	lean->stats->chain_bytes += (uint64_t)(c->count - stay) * c->width;
	return add_lean(lean, c->data, (size_t)stay * c->width);
}

/* Which part a bit of sample_type belongs to. */
static unsigned part_of(uint64_t bit)
{
	unsigned i = 0;

	while (i < PP_THIN_PARTS && !(bits_of_parts[i] & bit))
		i++;
	return i;
}

/* Takes what the cursor has come to, of the part with this bit: false: there is no room. */
static bool take_lean(struct lean *lean, const struct pp_cursor *c, uint64_t bit)
{
	const size_t bytes = (size_t)c->count * c->width;

	if (bit & lean->lost) {
		lean->stats->part_bytes[part_of(bit)] += bytes;
		return true;
	}
	if (bit != PP_SAMPLE_CALLCHAIN || !lean->rule->max_stack)
		return add_lean(lean, c->data, bytes);
	if (c->field->is == PP_IS_CHAIN)
		return add_chain(lean, c);
	lean->chain_at = lean->size;
	return add_lean(lean, c->data, bytes);
}

/* Takes what a walk passes over, since it is zero: of the part that was taken last. */
static bool take_gap(struct lean *lean, const uint8_t *to, uint64_t bit)
{
	const size_t bytes = (size_t)(to - lean->from);

	if (!(bit & lean->lost))
		return add_lean(lean, lean->from, bytes);
	lean->stats->part_bytes[part_of(bit)] += bytes;
	return true;
}

/* Whether a period lies before what has this bit; 0: after all. */
static bool is_after_period(uint64_t bit)
{
	const uint64_t before = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME |
				PP_SAMPLE_ADDR | PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU;

	return !(bit & before);
}

static bool add_period(struct lean *lean)
{
	lean->needs_period = false;
	return add_lean(lean, &lean->period, sizeof(lean->period));
}

uint16_t pp_lean_make(const struct lean_rule *rule, const struct pp_record *rec, uint64_t period, uint8_t *to,
		      struct pp_thin_stats *stats, struct pp_error *error)
{
	struct pp_attr attr = *rec->attr;
	struct pp_record whole = *rec;
	struct lean lean = { rule, stats, lost_bits(rule, attr.type, attr.config), period,
			     lacks_period(rule, &attr), to, 0, 0,
			     rec->data + PP_HEADER_SIZE };
	struct pp_cursor c;
	uint64_t bit = 0, last = 0;
	unsigned depth = 0;
	int token;
	bool fits = add_lean(&lean, rec->data, PP_HEADER_SIZE);

	/* the rows of the table, unlike those of an event, say which bit they are there for */
	attr.sample_fields = NULL;
	whole.attr = &attr;
	pp_walk(&c, &whole);
	while (fits && (token = pp_walk_next(&c)) > PP_END) {
		if (!depth && token <= PP_OPEN)
			bit = c.field->when.reg == PP_R_SAMPLE_TYPE ? c.field->when.value : 0;
		depth += token == PP_OPEN || token == PP_LIST_OPEN;
		depth -= token == PP_CLOSE || token == PP_LIST_CLOSE;
		if (token != PP_VALUE)
			continue;
		fits = take_gap(&lean, c.data, last) &&
		       (!lean.needs_period || !is_after_period(bit) || add_period(&lean)) &&
		       take_lean(&lean, &c, bit);
		lean.from = c.data + (size_t)c.count * c.width;
		last = bit;
	}
	*error = c.error;
	if (error->code)
		return 0;
	if (!fits || !take_gap(&lean, rec->data + rec->size, last) ||
	    (lean.needs_period && !add_period(&lean)))
		return 0;
	pp_store16(to + 6, (uint16_t)lean.size);
	return (uint16_t)lean.size;
}

/* ---- Attributes ---- */

static void put_number(const struct pp_cursor *c, uint64_t value)
{
	pp_store_width(c->data, c->width, value);
}

static bool is_named(const struct pp_cursor *c, const char *name)
{
	return !strcmp(c->field->name, name);
}

/* The fields after sample_type, of an event that had `had` and has lost `lost` of it. */
static void rewrite_later(const struct lean_rule *rule, const struct pp_cursor *c, uint64_t had,
			  uint64_t lost)
{
	static const struct { const char *name; uint64_t bit; } fields[] = {
		{ "branch_sample_type", PP_SAMPLE_BRANCH_STACK }, { "sample_regs_user", PP_SAMPLE_REGS_USER },
		{ "sample_stack_user", PP_SAMPLE_STACK_USER }, { "sample_regs_intr", PP_SAMPLE_REGS_INTR },
		{ "aux_sample_size", PP_SAMPLE_AUX }, { "sample_max_stack", PP_SAMPLE_CALLCHAIN },
	};
	const uint64_t deferred = UINT64_C(1) << PP_FLAG_defer_callchain |
				  UINT64_C(1) << PP_FLAG_defer_output;

	if (c->field->is == PP_IS_FLAGS && lost & PP_SAMPLE_CALLCHAIN)
		put_number(c, c->value & ~deferred);
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (had & lost & fields[i].bit && is_named(c, fields[i].name))
			put_number(c, 0);
	if (rule->max_stack && had & ~lost & PP_SAMPLE_CALLCHAIN && is_named(c, "sample_max_stack") &&
	    (!c->value || c->value > rule->max_stack))
		put_number(c, rule->max_stack);
}

void pp_lean_attrs(const struct lean_rule *rule, struct pp_record *rec)
{
	uint64_t type = 0, config = 0, period = 0, had = 0, lost = 0;
	struct pp_cursor c;

	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE)
			continue;
		if (is_named(&c, "type")) {
			type = c.value;
			had = lost = 0;
		} else if (is_named(&c, "config")) {
			config = c.value;
		} else if (is_named(&c, "sample_period")) {
			period = c.value;
		} else if (c.field->is == PP_IS_SAMPLE_TYPE) {
			had = c.value;
			lost = lost_bits(rule, (uint32_t)type, config);
			put_number(&c, (had & ~lost) |
				   (rule->period && period ? (uint64_t)PP_SAMPLE_PERIOD : 0));
		} else {
			rewrite_later(rule, &c, had, lost);
		}
	}
}
