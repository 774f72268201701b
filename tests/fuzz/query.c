/*
 * query.c - fuzzes the filter's language: any text compiles or is refused with a place inside
 * of it, and what compiles can be asked of a sample of zeros, and of records that have nothing,
 * much, or too little.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libpipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* libc's regular expressions may take exponential time and room, as everybody's of their kind:
 * what repeats a repetition, or refers back, is not asked for. */
static bool is_tame(const char *text)
{
	return (!strstr(text, "=~") && !strstr(text, "!~")) || !strpbrk(text, "*+?{\\");
}

static void match(const struct pp_query *query)
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
	struct pp_tasks *const tasks = pp_tasks_new(pp_query_tasks_with(query));
	const struct pp_query_facts facts = { .tasks = tasks, .first = 1, .last = 9 };
	struct pp_record records[] = {
		{ .data = data, .type = PP_REC_SAMPLE, .size = sizeof(data), .attr = &attr },
		{ .data = data, .type = PP_REC_SAMPLE, .size = PP_HEADER_SIZE, .attr = &attr },
		{ .data = data, .type = PP_REC_SAMPLE, .size = sizeof(data) },
		{ .data = full, .type = PP_REC_SAMPLE, .misc = PP_MISC_USER, .size = sizeof(full),
		  .attr = &rich },
		{ .data = full, .type = PP_REC_SAMPLE, .size = sizeof(full) - 40, .attr = &rich },
	};

	for (size_t i = 0; tasks && i < sizeof(records) / sizeof(*records); i++) {
		const bool first = pp_query_match(query, &records[i], &facts);

		check(first == pp_query_match(query, &records[i], &facts));
	}
	pp_tasks_free(tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = calloc(size + 1, 1);
	struct pp_query_error error;
	struct pp_query *query;

	check(text != NULL);
	if (size)
		memcpy(text, data, size);
	if (is_tame(text)) {
		query = pp_query_compile(text, &error);
		if (query)
			match(query);
		else
			check(error.at <= strlen(text) && error.text[0]);
		pp_query_free(query);
	}
	free(text);
	return 0;
}
