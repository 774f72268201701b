/*
 * def_tables.c - turns the .def files into constant data and finds rows in it.  walk.c applies rows to
 * bytes.
 */
#include <stdio.h>
#include <strings.h>

#include "format/format.h"

/* ---- the words of the notation (see the top of records.def) ---- */

#define ROW(k, nm, ...) { .kind = PP_##k, .name = #nm, .doc = __VA_ARGS__ }
#define U8(nm, ...)    ROW(U8, nm, __VA_ARGS__)
#define U16(nm, ...)   ROW(U16, nm, __VA_ARGS__)
#define U32(nm, ...)   ROW(U32, nm, __VA_ARGS__)
#define U64(nm, ...)   ROW(U64, nm, __VA_ARGS__)
#define S32(nm, ...)   ROW(S32, nm, __VA_ARGS__)
#define S64(nm, ...)   ROW(S64, nm, __VA_ARGS__)
#define F64(nm, ...)   ROW(F64, nm, __VA_ARGS__)
#define BITS(nm, ...)  ROW(BITS, nm, __VA_ARGS__)
#define PARTS(nm, ...) ROW(PARTS, nm, __VA_ARGS__)
#define CHARS(nm, ...) ROW(CHARS, nm, __VA_ARGS__)
#define STR(nm, ...)   ROW(STR, nm, __VA_ARGS__)
#define STR8(nm, ...)  ROW(STR8, nm, __VA_ARGS__)
#define LSTR(nm, ...)  ROW(LSTR, nm, __VA_ARGS__)
#define BYTES(nm, ...) ROW(BYTES, nm, __VA_ARGS__)
#define STRS(nm, ...)  ROW(STRS, nm, __VA_ARGS__)
#define LOOK(nm, ...)  ROW(LOOK, nm, __VA_ARGS__)
#define ONE(nm, st, ...)  { .kind = PP_ONE, .name = #nm, .of = rows_##st, .doc = __VA_ARGS__ }
#define LIST(nm, st, ...) { .kind = PP_LIST, .name = #nm, .of = rows_##st, .doc = __VA_ARGS__ }

#define IS(what)   .is = PP_IS_##what
#define KEPT(at)   .kept = offsetof(struct pp_attr, at)
#define AS(how)    .show = PP_##how
#define SET(r)     .set = PP_R_##r
#define COUNTS(r)  .set = PP_R_##r, .counts = true
#define BY(r)      .by = PP_R_##r
#define N(count)   .n = count
#define REST       .rest = true
#define SPANS      .spans = true
#define TAIL       .set = PP_R_TAIL, .is = PP_IS_TAIL
#define QUIET      .quiet = true
#define HIDE(how)  .hide = PP_HIDE_##how
#define WHEN(r, t, v) .when = { PP_R_##r, PP_##t, v }
#define ALSO(r, t, v) .also = { PP_R_##r, PP_##t, v }
#define SAMPLE(bit) .when = { PP_R_SAMPLE_TYPE, PP_ANY, PP_SAMPLE_##bit }
#define READ(bit)   .when = { PP_R_READ_FORMAT, PP_ANY, PP_READ_##bit }
#define BRANCH(bit) .when = { PP_R_BRANCH_TYPE, PP_ANY, PP_BRANCH_##bit }

/* Ranges for WITHIN and OUTSIDE. */
#define RANGE(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define BUILD_ID_LENGTHS RANGE(1, 20)
#define FMT_2_AND_LATER  RANGE(2, 0xffffffff)
#define SCHEDSTAT_17     RANGE(17, 0xffff)

/* ---- bits of words ---- */

/* types.awk reads the tables too, in a way of its own: nothing may be missing there. */
#define NUMBERED(nm, number, have) _Static_assert((have) == (number), #nm " has no number in types.h");
#define STRUCT(name, ...)
#define RECORD(nm, num, ...) NUMBERED(nm, num, PP_REC_##nm)
#include "format/records.def"
#undef RECORD
#define FEATURE(nm, num, ...) NUMBERED(nm, num, PP_FEAT_##nm)
#include "format/features.def"
#undef FEATURE
#define FLAG(nm, b, w, d) NUMBERED(nm, b, PP_FLAG_##nm)
#include "format/attr.def"
#undef FLAG
#undef STRUCT

#define SAMPLE_BIT(nm, b, d) { .name = #nm, .bit = b, .width = 1, .doc = d },
static const struct pp_part sample_bits[] = {
#define STRUCT(name, ...)
#include "format/attr.def"
	{ 0 }
};
#undef SAMPLE_BIT
#define READ_BIT(nm, b, d) { .name = #nm, .bit = b, .width = 1, .doc = d },
static const struct pp_part read_bits[] = {
#include "format/attr.def"
	{ 0 }
};
#undef READ_BIT
#define BRANCH_BIT(nm, b, d) { .name = #nm, .bit = b, .width = 1, .doc = d },
static const struct pp_part branch_bits[] = {
#include "format/attr.def"
	{ 0 }
};
#undef BRANCH_BIT
#define FLAG(nm, b, w, d) { .name = #nm, .bit = b, .width = w, .doc = d },
static const struct pp_part attr_flags[] = {
#include "format/attr.def"
	{ 0 }
};
#undef FLAG
#undef STRUCT

/* struct perf_branch_entry; the kernel's union perf_mem_data_src; and so on. */
static const struct pp_part branch_flags[] = {
	{ "mispred",    0,  1, "predicted wrongly" },
	{ "predicted",  1,  1, "predicted rightly" },
	{ "in_tx",      2,  1, "in a transaction" },
	{ "abort",      3,  1, "aborted it" },
	{ "cycles",     4, 16, "since the branch before" },
	{ "type",      20,  4, "1 cond, 2 uncond, 3 ind, 4 call, 5 ind_call, 6 ret, 7 syscall, 8 sysret, 15 see new_type" },
	{ "spec",      24,  2, "speculation" },
	{ "new_type",  26,  4, "where type is 15" },
	{ "priv",      30,  3, "privilege level" },
	{ "reserved",  33, 31, "zero" },
	{ 0 }
};
static const struct pp_part weight_parts[] = {
	{ "var1_dw",  0, 32, "weight" },
	{ "var2_w",  32, 16, "instruction latency" },
	{ "var3_w",  48, 16, "as the PMU says" },
	{ 0 }
};
static const struct pp_part data_src_parts[] = {
	{ "mem_op",       0,  5, "1 unknown, 2 load, 4 store, 8 prefetch, 16 exec" },
	{ "mem_lvl",      5, 14, "level of memory" },
	{ "mem_snoop",   19,  5, "snoop" },
	{ "mem_lock",    24,  2, "1 unknown, 2 locked" },
	{ "mem_dtlb",    26,  7, "translation" },
	{ "mem_lvl_num", 33,  4, "level, as a number" },
	{ "mem_remote",  37,  1, "remote" },
	{ "mem_snoopx",  38,  2, "more of snoop" },
	{ "mem_blk",     40,  3, "why it was blocked" },
	{ "mem_hops",    43,  3, "hops" },
	{ "mem_region",  46,  5, "region" },
	{ "mem_rsvd",    51, 13, "zero" },
	{ 0 }
};
static const struct pp_part transaction_parts[] = {
	{ "elision",        0,  1, "from elision" },
	{ "transaction",    1,  1, "from a transaction" },
	{ "sync",           2,  1, "instruction is related" },
	{ "async",          3,  1, "instruction is not related" },
	{ "retry",          4,  1, "may succeed again" },
	{ "conflict",       5,  1, "memory conflict" },
	{ "capacity_write", 6,  1, "too much written" },
	{ "capacity_read",  7,  1, "too much read" },
	{ "reserved",       8, 24, "zero" },
	{ "abort_code",    32, 32, "of the program" },
	{ 0 }
};

/* ---- rows ---- */

static const struct pp_field rows_feature[] = { { 0 } };

#define STRUCT(name, ...) static const struct pp_field rows_##name[] = { __VA_ARGS__, { 0 } };
#include "format/attr.def"
#define RECORD(name, number, who, ...)
#include "format/records.def"
#undef RECORD
#define FEATURE(name, number, ...)
#include "format/features.def"
#undef FEATURE
#undef STRUCT
#define STRUCT(name, ...)

/* doc, rows... -> rows..., end */
#define ROWS_AFTER_DOC(doc, ...) { __VA_ARGS__ }
#define RECORD(name, number, who, ...) static const struct pp_field record_##name[] = TABLE(__VA_ARGS__, { 0 });
#define FEATURE(name, number, ...) static const struct pp_field feature_##name[] = TABLE(__VA_ARGS__, { 0 });
#define TABLE(...) ROWS_AFTER_DOC(__VA_ARGS__)
#include "format/records.def"
#include "format/features.def"
#undef RECORD
#undef FEATURE

#define KERNEL    PP_OF_KERNEL
#define USER      PP_OF_USER
#define TRAILS    PP_TRAILS
#define SIDE_BAND PP_SIDE_BAND
#define MAPS      PP_MAPS
#define TASK      PP_TASK
#define LOSES     PP_LOSES
#define CARRIES   PP_CARRIES
#define ODD       PP_ODD
#define SWITCHES  PP_SWITCHES
#define AUX_TRACE PP_AUX_TRACE
#define DOC(doc, ...) doc
#define DOC_OF(...) DOC(__VA_ARGS__)
static const struct pp_type types[] = {
#define RECORD(nm, num, who, ...) \
	{ .name = #nm, .number = num, .words = (who), .doc = DOC_OF(__VA_ARGS__, 0), .fields = record_##nm },
#include "format/records.def"
#undef RECORD
};
static const struct pp_type features[] = {
#define FEATURE(nm, num, ...) \
	{ .name = #nm, .number = num, .doc = DOC_OF(__VA_ARGS__, 0), .fields = feature_##nm },
#include "format/features.def"
#undef FEATURE
};

/*
 * A number finds its row by arithmetic: the kernel's records are numbered from 1, perf's from
 * PP_USER_TYPES, features from 1, each without gaps and in the order of the file.
 */
enum {
#define RECORD(nm, ...) ROW_OF_##nm,
#include "format/records.def"
#undef RECORD
	KERNEL_TYPES = 0
#define RECORD(nm, num, ...) + ((num) < PP_USER_TYPES)
#include "format/records.def"
#undef RECORD
};
enum {
#define FEATURE(nm, ...) ROW_OF_FEATURE_##nm,
#include "format/features.def"
#undef FEATURE
};
#define RECORD(nm, num, ...) \
	_Static_assert(ROW_OF_##nm == ((num) < PP_USER_TYPES ? (num) - 1 : \
				       KERNEL_TYPES + (num) - PP_USER_TYPES), \
		       "record " #nm " is not in the order of the numbers, or one before it is missing");
#define FEATURE(nm, num, ...) \
	_Static_assert(ROW_OF_FEATURE_##nm == (num) - 1, \
		       "feature " #nm " is not in the order of the numbers, or one before it is missing");
#include "format/records.def"
#include "format/features.def"
#undef RECORD
#undef FEATURE
#undef STRUCT

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct pp_field pp_field_rest = {
	.name = "rest", .doc = "bytes that no field covers", .kind = PP_BYTES, .rest = true
};
const struct pp_field pp_field_sample_id = {
	.name = "sample_id", .doc = "what happened where", .kind = PP_ONE, .of = rows_sample_id
};
const uint8_t pp_kind_width[] = {
	[PP_U8] = 1, [PP_U16] = 2, [PP_U32] = 4, [PP_U64] = 8, [PP_S32] = 4, [PP_S64] = 8,
	[PP_F64] = 8, [PP_BITS] = 8, [PP_PARTS] = 8, [PP_CHARS] = 1, [PP_STR] = 1, [PP_STR8] = 1,
	[PP_LSTR] = 1, [PP_BYTES] = 1, [PP_ONE] = 0, [PP_LIST] = 0, [PP_STRS] = 0, [PP_LOOK] = 1,
};

const struct pp_field *const pp_sample_id_fields = rows_sample_id;
const struct pp_field *const pp_attr_fields = rows_attr;
const struct pp_part *const pp_attr_flags = attr_flags;
const struct pp_part *const pp_sample_bits = sample_bits;
const struct pp_part *const pp_read_bits = read_bits;
const struct pp_part *const pp_branch_bits = branch_bits;

const struct pp_type *pp_type(uint32_t number)
{
	if (number < PP_USER_TYPES)
		return number && number <= KERNEL_TYPES ? &types[number - 1] : NULL;
	number -= PP_USER_TYPES;
	return number < COUNT(types) - KERNEL_TYPES ? &types[KERNEL_TYPES + number] : NULL;
}

bool pp_type_is(uint32_t number, unsigned words)
{
	const struct pp_type *type = pp_type(number);

	return type && type->words & words;
}

bool pp_has_tail(uint32_t number)
{
	const struct pp_type *type = pp_type(number);

	for (const struct pp_field *f = type ? type->fields : NULL; f && f->name; f++)
		if (f->set == PP_R_TAIL)
			return true;
	return false;
}

const struct pp_type *pp_type_at(size_t i)
{
	return i < COUNT(types) ? &types[i] : NULL;
}

const struct pp_type *pp_type_named(const char *name)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (!strcasecmp(types[i].name, name))
			return &types[i];
	return NULL;
}

const struct pp_type *pp_feature(uint32_t number)
{
	return number - 1 < COUNT(features) ? &features[number - 1] : NULL;
}

const struct pp_type *pp_feature_at(size_t i)
{
	return i < COUNT(features) ? &features[i] : NULL;
}

const char *pp_type_name(uint32_t number, char *buf)
{
	const struct pp_type *type = pp_type(number);

	if (type)
		return type->name;
	snprintf(buf, 24, "UNKNOWN_%u", number);
	return buf;
}
