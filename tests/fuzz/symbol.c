/*
 * symbol.c - fuzz target: an ELF file with symbols and debug information, packed or not, looked at by
 * address, and, where the input begins like one, a record of names: read, learned and printed.
 */
#include <perfpipe/symbol.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <elf.h>

#include "reading.h"
#include "symbol/resolver.h"
#include "image/decompress.h"

static int put(void *arg, const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags,
	       const struct pp_address_range *same, struct pp_error *error)
{
	(void)arg;
	(void)same;
	(void)flags;
	(void)error;
	for (uint32_t i = 0; i < named->count; i++)
		if (!frames[i].symbol || !frames[i].file)
			abort();
	return 0;
}

static void look_up(const uint8_t *data, size_t size)
{
	static const struct pp_symbols_options options = {
		.size = sizeof(options), .lines = true, .data = true,
	};
	uint64_t offsets[64];
	char path[PATH_MAX];
	const struct pp_asked asked = { .of = { .kind = PP_NAMES_FILE, .path = path }, .offsets = offsets,
					.n = 64 };
	const struct pp_answered answered = { put, NULL };
	struct pp_resolver *const engine = pp_resolver_new(&options);
	FILE *const file = tmpfile();
	struct pp_error error;

	if (!engine || !file || fwrite(data, 1, size, file) != size || fflush(file))
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	for (size_t i = 0; i < 64; i++)
		offsets[i] = i * (size / 64 + 1);
	(void)pp_resolver_names(engine, &asked, &answered, &error);
	pp_resolver_free(engine);
	(void)fclose(file);
}

static void learn(const uint8_t *data, size_t size)
{
	static uint8_t buf[PP_RECORD_MAX + 1];
	struct pp_budget budget = { 0 };
	struct pp_tasks *const tasks = pp_tasks_new(PP_TASKS_MAPS, &budget);
	const struct pp_symbols_options options = { .size = sizeof(options), .no_files = true };
	struct pp_record rec = { .data = buf, .type = PP_REC_FINISHED_ROUND,
				 .size = (uint16_t)(PP_HEADER_SIZE + size) };
	struct pp_symbols *symbols;
	struct pp_error error;

	pp_store32(buf, rec.type);
	pp_store16(buf + 4, 0);
	pp_store16(buf + 6, rec.size);
	memcpy(buf + PP_HEADER_SIZE, data, size);
	symbols = tasks ? pp_symbols_new(&options, tasks, &error) : NULL;
	if (!symbols)
		abort();
	(void)pp_symbols_learn(symbols, &rec, &error);
	pp_symbols_free(symbols);
	pp_tasks_free(tasks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)read_bytes;
	if (size > 8 && size <= PP_RECORD_MAX - PP_HEADER_SIZE && !memcmp(data, "PPNAMES", 8))
		learn(data, size);
	else if ((size > 4 && !memcmp(data, ELFMAG, SELFMAG)) || pp_is_packed(data, size))
		look_up(data, size);
	return 0;
}
