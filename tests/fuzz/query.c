/*
 * query.c - fuzzes the filter's language: any text compiles or is refused with a place inside
 * of it, and what compiles can be asked of a sample of zeros, of records that have nothing,
 * much, or too little, and of records of every type that is judged.
 *
 * The input is an expression, in which bytes from 0x80 on stand for words of the language, and
 * after a zero the body of the records.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfpipe/perfpipe.h>

#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {
	"pid", "tid", "cpu", "time", "ip", "addr", "period", "id", "stream_id", "misc", "depth",
	"event", "type", "mode", "comm", "dso", "any_dso", "build_id", "cgroup_path", "cgroup",
	"ns.net", "ns.pid", "ns.time", "children_of(1)", "children_of(", "any(", "defined(", ")",
	"callchain", "branch[0].from", "weight.var2_w", "data_src.mem_lvl", "nr", "callchain[1]",
	"filename", "ino", "prot", "ppid", "next_prev_pid", "namespaces[3].ino", "namespaces.ino",
	"path", "name", "tag", "old", "lost", "type == MMAP2", "type in {COMM, FORK}", "identifier",
	"test:point.who", "who", "state", "test:point.state", "v[1]", "v", "path_of", "common_type",
	" == ", " != ", " < ", " >= ", " ~ ", " =~ ", " in {", "}", "..", ", ", " && ", " || ", "!",
	"(", " + ", " - ", " * ", " / ", " % ", " & ", " | ", "0x", "-1", "+5s", "-5s", "10%", "4K",
	"\"a\"", "\"*\"", "\"[a-z]*\"", "\"^a\"", "1", "77", "user", "SAMPLE", "MMAP2",
	".", "[0]", ":",
};

/* ---- What the stream told -------------------------------------------------------------------- */

static const char format[] =
	"name: point\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:char who[8];\toffset:4;\tsize:8;\tsigned:0;\n"
	"\tfield:int state;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned short v[2];\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] path_of;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"x\"\n";

static struct pp_tracepoints *known_tracepoints(void)
{
	static const uint8_t head[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '0', '.', '6', 0,
		0, 8, 0, 0x10, 0, 0,
	};
	static struct pp_tracepoints *known;
	struct pp_error error = { .code = PP_OK };
	uint8_t data[1024], *p = data;
	const uint64_t none = 0, length = sizeof(format) - 1;
	const uint32_t one = 1, zero = 0;

	if (known)
		return known;
#define PUT(from, n) (memcpy(p, from, n), p += (n))
	PUT(head, sizeof(head));
	PUT("header_page", 12);
	PUT(&none, 8);
	PUT("header_event", 13);
	PUT(&none, 8);
	PUT(&zero, 4);
	PUT(&one, 4);
	PUT("test", 5);
	PUT(&one, 4);
	PUT(&length, 8);
	PUT(format, length);
	PUT(&zero, 4);
	PUT(&zero, 4);
	PUT(&none, 8);
#undef PUT
	known = pp_tracepoints_new();
	check(known && !pp_tracepoints_note(known, data, (size_t)(p - data), &error));
	check(pp_tracepoints_by_id(known, 5) != NULL);
	return known;
}

/* The rows of samples that have these fields, as pp_attrs settles them. */
static const struct pp_field *settled(uint64_t bits)
{
	static struct pp_field rows[64];
	size_t n = 0;

	for (const struct pp_field *row = pp_type(PP_REC_SAMPLE)->fields; row->name; row++)
		if (row->when.reg == PP_R_SAMPLE_TYPE && row->when.value & bits) {
			check(n + 1 < sizeof(rows) / sizeof(*rows));
			rows[n] = *row;
			rows[n++].when = (struct pp_when){ .reg = PP_R_NONE };
		}
	rows[n] = (struct pp_field){ .name = NULL };
	return rows;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void ask(const struct pp_query *query, const struct pp_record *record,
		const struct pp_query_facts *facts)
{
	const bool first = pp_query_match(query, record, facts);

	check(first == pp_query_match(query, record, facts));
}

/* Records of every type with this body, in memory of just this size. */
static void ask_all(const struct pp_query *query, const struct pp_query_facts *facts,
		    const uint8_t *body, size_t size)
{
	const struct pp_attr attr = {
		.name = "test:point", .type = 2, .config = 5, .index = 1,
		.sample_type = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_RAW,
		.plan = { .ip = 8, .tid = 16, .time = 24, .fixed = 36, .t_tid = 16, .t_time = 8,
			  .trailer = 16 },
	};
	uint8_t *data;

	size = size > 400 ? 400 : size;
	data = malloc(size + PP_HEADER_SIZE);
	check(data != NULL);
	for (uint32_t type = 1; type < 24; type++) {
		struct pp_record record = {
			.data = data, .type = type, .size = (uint16_t)(size + PP_HEADER_SIZE),
			.misc = size ? (uint16_t)(body[0] << 8 | 2) : 2, .attr = &attr,
		};
		struct pp_error error;

		pp_store32(data, type);
		pp_store16(data + 4, record.misc);
		pp_store16(data + 6, record.size);
		memcpy(data + PP_HEADER_SIZE, body, size);
		if (type != PP_REC_SAMPLE && size >= attr.plan.trailer && facts->tasks)
			check(!pp_tasks_note(facts->tasks, &record, &error));
		if (pp_query_judges(query, type))
			ask(query, &record, facts);
	}
	free(data);
}

static void match(struct pp_query *query, const uint8_t *body, size_t size)
{
	uint8_t data[88] = { PP_REC_SAMPLE, [6] = sizeof(data) };
	const struct pp_attr attr = {
		.name = "cycles:u", .sample_period = 1,
		.plan = { .id = 8, .ip = 16, .tid = 24, .time = 32, .addr = 40, .stream_id = 48,
			  .cpu = 56, .period = 64, .fixed = 72 },
	};
	/* Every field that a sample can have, of lengths that are 0 and of values that are not. */
	uint8_t full[] = { [0] = PP_REC_SAMPLE, [4] = PP_MISC_USER, [6] = 80, [8] = 2,
			   [16] = 0x80, [24] = 7, [32] = 1, [48] = 9, [56] = 1, [72] = 3,
			   [79] = 0 };
	const struct pp_attr rich = {
		.name = "cycles", .sample_type = PP_SAMPLE_CALLCHAIN | PP_SAMPLE_BRANCH_STACK |
		PP_SAMPLE_WEIGHT_STRUCT | PP_SAMPLE_DATA_SRC | PP_SAMPLE_PHYS_ADDR,
	};
	const struct pp_attr fixed = {
		.name = "fixed", .index = 2,
		.sample_type = PP_SAMPLE_WEIGHT_STRUCT | PP_SAMPLE_DATA_SRC | PP_SAMPLE_CGROUP,
		.sample_fields = settled(PP_SAMPLE_WEIGHT_STRUCT | PP_SAMPLE_DATA_SRC |
					 PP_SAMPLE_CGROUP),
	};
	struct pp_budget budget = { .limit = 0 };
	struct pp_query_facts facts = {
		.size = sizeof(facts),
		.tasks = pp_tasks_new(pp_query_tasks_with(query), &budget),
		.tracepoints = known_tracepoints(), .first = 1, .last = 9,
	};
	struct pp_record records[] = {
		{ .data = data, .type = PP_REC_SAMPLE, .size = sizeof(data), .attr = &attr },
		{ .data = data, .type = PP_REC_SAMPLE, .size = PP_HEADER_SIZE, .attr = &attr },
		{ .data = data, .type = PP_REC_SAMPLE, .size = sizeof(data) },
		{ .data = full, .type = PP_REC_SAMPLE, .misc = PP_MISC_USER, .size = sizeof(full),
		  .attr = &rich },
		{ .data = full, .type = PP_REC_SAMPLE, .size = sizeof(full) - 40, .attr = &rich },
		{ .data = full, .type = PP_REC_SAMPLE, .size = sizeof(full), .attr = &fixed },
		{ .data = full + sizeof(full) - 20, .type = PP_REC_SAMPLE, .size = 20,
		  .attr = &fixed },
	};

	check(facts.tasks != NULL);
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		ask(query, &records[i], &facts);
	ask_all(query, &facts, body, size);
	pp_tasks_free(facts.tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *const zero = size ? memchr(data, 0, size) : NULL;
	const size_t length = zero ? (size_t)(zero - data) : size;
	char *const text = expand(words, sizeof(words) / sizeof(words[0]), data, length);
	struct pp_error error;
	struct pp_query *query;

	query = pp_query_compile(text, &error);
	if (query) {
		if (pp_query_settle(query, known_tracepoints(), &error))
			check(error.at <= strlen(text) && (error.code == PP_E_NOMEM || error.detail[0]));
		match(query, data + length, size - length);
	} else {
		check(error.at <= strlen(text) && (error.code == PP_E_NOMEM || error.detail[0]));
	}
	pp_query_free(query);
	free(text);
	return 0;
}
