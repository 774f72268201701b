/*
 * firefox_tables.c - the tables of a Firefox profile that its threads share: libraries, functions, frames,
 * and stacks, whose distinct ones are all that is kept of a recording in memory.
 */
#include "exchange/firefox.h"

#include "base/format_number.h"
#include "exchange/recording.h"
#include "format/names_record.h"
#include "profile/call_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pp_firefox_compress(struct firefox *f)
{
	pp_gzip_write(&f->gz, f->text.buf, f->text.at);
	f->text.at = 0;
}

int pp_firefox_text(struct firefox *f, const char *name, const char *text)
{
	f->clean.size = 0;
	if (pp_clean_text(&f->clean, text, f->error))
		return -1;
	(void)firefox_next(f, name);
	(void)pp_out_json_string(f->json.out, (const char *)f->clean.data, f->clean.size);
	return 0;
}

enum { BLOCK = 256 };                  /* values of a column that are written at once, at most */

/* Where the text of a block ends at the latest: as much is compressed at once as of single values. */
static const char *end_of_block(const struct firefox *f, char *begin)
{
	return f->all.plain ? begin + BLOCK * (PP_DEC_MAX + 1) : f->text.buf + FIREFOX_TAKE;
}

/* A column of values that are all the same, of at most 7 bytes. */
static void put_same(struct firefox *f, const char *name, size_t n, const char *value)
{
	const size_t length = strlen(value) + 1;
	char text[8] = "";

	memcpy(text, value, length);
	text[length - 1] = ',';
	pp_json_open(&f->json, name, '[');
	while (n) {
		struct pp_out *const out = firefox_next(f, NULL);
		char *p = pp_out_room(out, BLOCK * (PP_DEC_MAX + 1));
		const char *const end = end_of_block(f, p);
		size_t left = n < BLOCK ? n : BLOCK;

		n -= left;
		do {
			memcpy(p, text, sizeof(text));
			p += length;
		} while (--left && p - 1 <= end);
		n += left;
		/* the next call has a comma of its own */
		out->at = (size_t)(p - out->buf) - 1;
	}
	pp_json_close(&f->json, ']');
}

/* A column of numbers: what `value` says of each row. */
static void put_numbers(struct firefox *f, const char *name, size_t n,
			uint32_t (*value)(const struct firefox *, size_t row))
{
	pp_json_open(&f->json, name, '[');
	for (size_t row = 0; row < n;) {
		struct pp_out *const out = firefox_next(f, NULL);
		char *p = pp_out_room(out, BLOCK * (PP_DEC_MAX + 1));
		const char *const end = end_of_block(f, p);
		const size_t last = n - row < BLOCK ? n : row + BLOCK;

		do {
			p = pp_put_dec(p, value(f, row));
			*p++ = ',';
		} while (++row < last && p - 1 <= end);
		out->at = (size_t)(p - out->buf) - 1;
	}
	pp_json_close(&f->json, ']');
}

/* The number of what is in f->clean among all strings.  0, or -1 and the error. */
static int number_clean_text(struct firefox *f, uint32_t *number)
{
	return pp_strings_number(&f->texts, (const char *)f->clean.data, f->clean.size, 0, number, f->error);
}

static int number_of_text(struct firefox *f, const char *text, uint32_t *number)
{
	f->clean.size = 0;
	return pp_clean_text(&f->clean, text, f->error) || number_clean_text(f, number) ? -1 : 0;
}

static const char *base_of(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- stacks ---- */

/* The place of a node's frame; 0: it has none. */
static uint32_t place_of_node(const struct pp_export_event *event, uint32_t node)
{
	uint32_t thread, cpu;

	return pp_fold_place(event->fold, pp_tree_text(event->profile, node)->kind, &thread, &cpu);
}

/* For each node whether something is called from there. */
static bool *find_callers(const struct pp_export_event *event)
{
	const struct pp_profile *const p = event->profile;
	bool *const calls = calloc(p->n_nodes + 1, sizeof(*calls));

	for (size_t i = 1; calls && i < p->n_nodes; i++)
		calls[p->nodes[i].parent] |= place_of_node(event, (uint32_t)i) != 0;
	return calls;
}

static int number_frame(struct firefox *f, uint32_t place, bool calls, uint32_t *frame)
{
	uint32_t *const known = &f->of_frame[2 * (size_t)place + calls];

	if (!*known) {
		if (PP_GROW(&f->frames, &f->frames_room, f->n_frames + 1, f->error))
			return -1;
		f->frames[f->n_frames++] = (struct firefox_frame){ place, calls };
		*known = (uint32_t)f->n_frames;
	}
	*frame = *known - 1;
	return 0;
}

static int add_stack(struct firefox *f, uint32_t prefix, uint32_t frame)
{
	if (PP_GROW(&f->stacks, &f->stacks_room, f->n_stacks + 1, f->error))
		return -1;
	f->stacks[f->n_stacks++] = (struct firefox_stack){ frame, prefix };
	return 0;
}

/* 1 + the stack that a place, and what is inlined there, make of that of its callers, in *stack.  0, or -1
 * and the error. */
static int number_calls(struct firefox *f, uint32_t number, bool calls, uint32_t *stack)
{
	uint32_t places[PP_NAMES_FRAMES + 1], frame;
	size_t n = 0;

	for (uint32_t at = f->next[number]; at && at != number && n < PP_NAMES_FRAMES; at = f->next[at])
		places[n++] = at;
	for (places[n++] = number; n; n--) {
		if (number_frame(f, places[n - 1], calls, &frame) || add_stack(f, *stack, frame))
			return -1;
		*stack = (uint32_t)f->n_stacks;
	}
	return 0;
}

/* Stacks of an event, each once, as in its profile: callers come before what they call. */
static int gather_stacks(struct firefox *f, size_t which)
{
	const struct pp_export_event *const event = &f->all.events[which];
	const struct pp_profile *const p = event->profile;
	uint32_t *const of_node = calloc(p->n_nodes + 1, sizeof(*of_node));
	bool *const calls = find_callers(event);
	int status = 0;

	f->of_node[which] = of_node;
	if (!of_node || !calls)
		status = pp_fail(f->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; i < p->n_nodes && !status; i++) {
		const uint32_t place = place_of_node(event, i);

		of_node[i] = of_node[p->nodes[i].parent];
		if (place)
			status = number_calls(f, place, calls[i], &of_node[i]);
	}
	free(calls);
	return status;
}

int pp_firefox_gather_tables(struct firefox *f)
{
	const uint32_t n = pp_places_count(f->all.places);
	struct pp_code_place place;
	int status = 0;

	f->next = calloc((size_t)n + 1, sizeof(*f->next));
	f->of_frame = calloc(2 * ((size_t)n + 1), sizeof(*f->of_frame));
	f->of_node = calloc(f->all.n_events, sizeof(*f->of_node));
	f->libs = calloc((size_t)pp_places_files(f->all.places) + 1, sizeof(*f->libs));
	if (!f->next || !f->of_frame || !f->of_node || !f->libs)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; i <= n; i++) {
		pp_places_at(f->all.places, i, &place);
		f->next[i] = place.inner ? place.inner : place.into;
	}
	for (size_t i = 0; i < f->all.n_events && !status; i++)
		status = gather_stacks(f, i);
	return status;
}

void pp_firefox_close_tables(struct firefox *f)
{
	for (size_t i = 0; i < f->all.n_events && f->of_node; i++)
		free(f->of_node[i]);
	free(f->of_node);
	free(f->of_frame);
	free(f->libs);
	free(f->frames);
	free(f->stacks);
	free(f->symbols);
	pp_idmap_close(&f->of_symbol);
	free(f->next);
	pp_strings_close(&f->texts);
	pp_buffer_free(&f->clean);
}

/* ---- libraries ---- */

static void put_build_id(struct firefox *f, const struct pp_place_file *file)
{
	/* The fields of a GUID, the first three of which are numbers in another byte order, and an age. */
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8_t id[sizeof(file->build_id)] = { 0 };
	char text[2 * sizeof(order) + 2];

	memcpy(id, file->build_id, file->build_id_size < sizeof(id) ? file->build_id_size : sizeof(id));
	for (size_t i = 0; i < sizeof(order); i++)
		snprintf(text + 2 * i, 3, "%02X", id[order[i]]);
	memcpy(text + 2 * sizeof(order), "0", 2);
	(void)pp_json_text(&f->json, "breakpadId", text, strlen(text));
	if (file->build_id_size)
		pp_json_bytes(&f->json, "codeId", id, file->build_id_size);
	else
		pp_out_text(firefox_next(f, "codeId"), "null");
}

static int put_lib(struct firefox *f, const struct pp_place_file *file)
{
	const char *const system = f->all.facts->system ? f->all.facts->system : "";
	char arch[64];

	snprintf(arch, sizeof(arch), "%.*s", (int)strcspn(system, ","), system);
	pp_json_open(&f->json, NULL, '{');
	if (pp_firefox_text(f, "arch", arch) || pp_firefox_text(f, "name", base_of(file->dso)) ||
	    pp_firefox_text(f, "path", file->dso) || pp_firefox_text(f, "debugName", base_of(file->dso)) ||
	    pp_firefox_text(f, "debugPath", file->dso))
		return -1;
	put_build_id(f, file);
	pp_json_close(&f->json, '}');
	return 0;
}

/* Files, and the kernel; code that a process made has none. */
int pp_firefox_put_libs(struct firefox *f)
{
	const uint32_t n = pp_places_files(f->all.places);
	uint32_t libs = 0;

	pp_json_open(&f->json, "libs", '[');
	for (uint32_t i = 1; i <= n; i++) {
		const struct pp_place_file *const file = pp_places_file(f->all.places, i);

		if (file->kind == PP_NAMES_PROCESS)
			continue;
		if (put_lib(f, file))
			return -1;
		f->libs[i] = ++libs;
	}
	pp_json_close(&f->json, ']');
	return 0;
}

/* ---- tables ---- */

/* Begins a table: its length, and what all rows have. */
static void open_json_table(struct firefox *f, const char *name, size_t n)
{
	pp_json_open(&f->json, name, '{');
	firefox_number(f, "length", n);
}

static void end_column(struct firefox *f)
{
	pp_json_close(&f->json, ']');
}

static void end_table(struct firefox *f)
{
	pp_json_close(&f->json, '}');
}

static uint32_t frame_of_stack(const struct firefox *f, size_t i)
{
	return f->stacks[i].frame;
}

static uint32_t offset_of_prefix(const struct firefox *f, size_t i)
{
	return f->stacks[i].prefix ? (uint32_t)(i + 1 - f->stacks[i].prefix) : 0;
}

static void put_stack_table(struct firefox *f)
{
	open_json_table(f, "stackTable", f->n_stacks);
	put_numbers(f, "frame", f->n_stacks, frame_of_stack);
	put_numbers(f, "prefixOffset", f->n_stacks, offset_of_prefix);
	end_table(f);
}

static enum firefox_category category_of(const struct pp_code_place *place, unsigned *subcategory)
{
	*subcategory = 0;
	if (place->into)
		return FIREFOX_INLINED;
	switch ((enum pp_flame_kind)place->kind) {
	case PP_FLAME_PROGRAM:
		*subcategory = 1;
		return FIREFOX_USER;
	case PP_FLAME_LIBRARY:
		*subcategory = 2;
		return FIREFOX_USER;
	case PP_FLAME_INLINED:
		return FIREFOX_INLINED;
	case PP_FLAME_KERNEL:
		return FIREFOX_KERNEL;
	case PP_FLAME_JIT:
		return FIREFOX_JIT;
	case PP_FLAME_UNKNOWN:
	case PP_FLAME_GROUP:
	case PP_FLAME_KINDS:
		break;
	}
	return FIREFOX_OTHER;
}

/* A column of frames, some of whose values are no plain numbers. */
enum frame_column { ADDRESS, NATIVE_SYMBOL, LINE };

/* How many functions a frame's is inlined into. */
static uint32_t inline_depth(const struct firefox *f, size_t frame)
{
	struct pp_code_place place;
	uint32_t depth = 0;

	pp_places_at(f->all.places, f->frames[frame].place, &place);
	for (; place.into; depth++)
		pp_places_at(f->all.places, place.into, &place);
	return depth;
}

static uint32_t category_of_frame(const struct firefox *f, size_t frame)
{
	struct pp_code_place place;
	unsigned subcategory;

	pp_places_at(f->all.places, f->frames[frame].place, &place);
	return category_of(&place, &subcategory);
}

static uint32_t subcategory_of_frame(const struct firefox *f, size_t frame)
{
	struct pp_code_place place;
	unsigned subcategory;

	pp_places_at(f->all.places, f->frames[frame].place, &place);
	(void)category_of(&place, &subcategory);
	return subcategory;
}

static uint32_t function_of_frame(const struct firefox *f, size_t frame)
{
	return f->functions.of_place[f->frames[frame].place];
}

/* Where a place is in its library, for which the front end has 32 bits; 0: in none, or not known. */
static uint32_t address_in_lib(const struct firefox *f, const struct pp_code_place *place)
{
	uint64_t address = pp_recording_address(&f->all, place);

	if (!f->libs[place->file])
		return 0;
	/* the kernel says where it runs */
	if (pp_places_file(f->all.places, place->file)->kind == PP_NAMES_KERNEL)
		address = place->offset;
	return address > UINT32_MAX ? 0 : (uint32_t)address;
}

static void put_frame_address(struct firefox *f, const struct firefox_frame *frame,
			      const struct pp_code_place *place)
{
	const uint32_t address = address_in_lib(f, place);

	if (address)
		firefox_number(f, NULL, frame->calls ? address - 1 : address);
	else
		pp_out_text(firefox_next(f, NULL), "-1");
}

/* The symbol that a frame is in, which that has that others are inlined into.  *number: UINT32_MAX, if none
 * is known.  0, or -1 and the error. */
static int number_symbol(struct firefox *f, uint32_t number, uint32_t *symbol)
{
	struct pp_code_place place;
	const uint64_t *known;
	uint32_t address;
	uint64_t key;

	*symbol = UINT32_MAX;
	for (pp_places_at(f->all.places, number, &place); place.into;) {
		number = place.into;
		pp_places_at(f->all.places, number, &place);
	}
	address = address_in_lib(f, &place);
	if (!address || !place.function || place.past > address)
		return 0;
	key = (uint64_t)f->libs[place.file] << 32 | (address - place.past);
	known = pp_idmap_find(&f->of_symbol, key);
	*symbol = (uint32_t)(known ? *known : f->n_symbols);
	if (known)
		return 0;
	if (PP_GROW(&f->symbols, &f->symbols_room, f->n_symbols + 1, f->error))
		return -1;
	if (pp_idmap_set(&f->of_symbol, key, f->n_symbols))
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	f->symbols[f->n_symbols++] = (struct firefox_symbol){ number, address - place.past };
	return 0;
}

static int put_frame_symbol(struct firefox *f, uint32_t place)
{
	uint32_t symbol;

	if (number_symbol(f, place, &symbol))
		return -1;
	if (symbol == UINT32_MAX)
		pp_out_text(firefox_next(f, NULL), "null");
	else
		firefox_number(f, NULL, symbol);
	return 0;
}

static int put_frame_value(struct firefox *f, enum frame_column column, const struct firefox_frame *frame)
{
	struct pp_code_place place;

	pp_places_at(f->all.places, frame->place, &place);
	switch (column) {
	case ADDRESS:
		put_frame_address(f, frame, &place);
		break;
	case NATIVE_SYMBOL:
		return put_frame_symbol(f, frame->place);
	case LINE:
		if (place.line)
			firefox_number(f, NULL, place.line);
		else
			pp_out_text(firefox_next(f, NULL), "null");
		break;
	}
	return 0;
}

static int put_frame_column(struct firefox *f, const char *name, enum frame_column column)
{
	pp_json_open(&f->json, name, '[');
	for (size_t i = 0; i < f->n_frames; i++)
		if (put_frame_value(f, column, &f->frames[i]))
			return -1;
	end_column(f);
	return 0;
}

static int put_frame_table(struct firefox *f)
{
	open_json_table(f, "frameTable", f->n_frames);
	if (put_frame_column(f, "address", ADDRESS))
		return -1;
	put_numbers(f, "inlineDepth", f->n_frames, inline_depth);
	put_numbers(f, "category", f->n_frames, category_of_frame);
	put_numbers(f, "subcategory", f->n_frames, subcategory_of_frame);
	put_numbers(f, "func", f->n_frames, function_of_frame);
	if (put_frame_column(f, "nativeSymbol", NATIVE_SYMBOL) || put_frame_column(f, "line", LINE))
		return -1;
	put_same(f, "column", f->n_frames, "null");
	put_same(f, "innerWindowID", f->n_frames, "0");
	put_same(f, "originalLocation", f->n_frames, "null");
	end_table(f);
	return 0;
}

/* Of each function, its name, and where it comes from. */
static int put_func_table(struct firefox *f, struct pp_idmap *sources)
{
	const size_t n = f->functions.n;
	struct pp_code_place place;
	uint32_t number;

	open_json_table(f, "funcTable", n);
	pp_json_open(&f->json, "name", '[');
	for (size_t i = 0; i < n; i++) {
		if (pp_export_function_name(&f->functions, i, true, &f->clean, f->error) ||
		    number_clean_text(f, &number))
			return -1;
		firefox_number(f, NULL, number);
	}
	end_column(f);
	pp_json_open(&f->json, "resource", '[');
	for (size_t i = 0; i < n; i++) {
		pp_places_at(f->all.places, f->functions.items[i].place, &place);
		pp_out_int(firefox_next(f, NULL), (int64_t)f->libs[place.file] - 1);
	}
	end_column(f);
	pp_json_open(&f->json, "source", '[');
	for (size_t i = 0; i < n; i++) {
		const uint64_t *known;

		pp_places_at(f->all.places, f->functions.items[i].place, &place);
		if (!place.source) {
			pp_out_text(firefox_next(f, NULL), "null");
			continue;
		}
		if (number_of_text(f, place.source, &number))
			return -1;
		known = pp_idmap_find(sources, number);
		if (!known && pp_idmap_set(sources, number, sources->count))
			return pp_fail(f->error, PP_E_NOMEM, NULL);
		firefox_number(f, NULL, *pp_idmap_find(sources, number));
	}
	end_column(f);
	put_same(f, "isJS", n, "false");
	put_same(f, "relevantForJS", n, "false");
	put_same(f, "lineNumber", n, "null");
	put_same(f, "columnNumber", n, "null");
	put_same(f, "originalLocation", n, "null");
	end_table(f);
	return 0;
}

/* A resource for each library, in their order. */
static int put_resource_table(struct firefox *f)
{
	const uint32_t n = pp_places_files(f->all.places);
	uint32_t libs = 0, number;

	for (uint32_t i = 1; i <= n; i++)
		libs += f->libs[i] != 0;
	open_json_table(f, "resourceTable", libs);
	pp_json_open(&f->json, "lib", '[');
	for (uint32_t i = 0; i < libs; i++)
		firefox_number(f, NULL, i);
	end_column(f);
	pp_json_open(&f->json, "name", '[');
	for (uint32_t i = 1; i <= n; i++) {
		if (!f->libs[i])
			continue;
		if (number_of_text(f, base_of(pp_places_file(f->all.places, i)->dso), &number))
			return -1;
		firefox_number(f, NULL, number);
	}
	end_column(f);
	put_same(f, "host", libs, "null");
	put_same(f, "type", libs, "1");
	end_table(f);
	return 0;
}

/* No stream has the sizes of symbols: the front end takes what is up to the last frame in it. */
static int put_native_symbols(struct firefox *f)
{
	struct pp_code_place place;
	uint32_t number;

	open_json_table(f, "nativeSymbols", f->n_symbols);
	pp_json_open(&f->json, "libIndex", '[');
	for (size_t i = 0; i < f->n_symbols; i++) {
		pp_places_at(f->all.places, f->symbols[i].place, &place);
		firefox_number(f, NULL, f->libs[place.file] - 1);
	}
	end_column(f);
	pp_json_open(&f->json, "address", '[');
	for (size_t i = 0; i < f->n_symbols; i++)
		firefox_number(f, NULL, f->symbols[i].address);
	end_column(f);
	pp_json_open(&f->json, "name", '[');
	for (size_t i = 0; i < f->n_symbols; i++) {
		pp_places_at(f->all.places, f->symbols[i].place, &place);
		if (number_of_text(f, place.function, &number))
			return -1;
		firefox_number(f, NULL, number);
	}
	end_column(f);
	put_same(f, "functionSize", f->n_symbols, "null");
	end_table(f);
	return 0;
}

static int put_sources(struct firefox *f, const struct pp_idmap *sources)
{
	uint32_t *const texts = calloc(sources->count + 1, sizeof(*texts));

	if (!texts)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < sources->room; i++)
		if (sources->keys[i] != UINT64_MAX)
			texts[sources->values[i]] = (uint32_t)sources->keys[i];
	open_json_table(f, "sources", sources->count);
	pp_json_open(&f->json, "filename", '[');
	for (size_t i = 0; i < sources->count; i++)
		firefox_number(f, NULL, texts[i]);
	end_column(f);
	free(texts);
	put_same(f, "id", sources->count, "null");
	put_same(f, "startLine", sources->count, "1");
	put_same(f, "startColumn", sources->count, "1");
	put_same(f, "sourceMapURL", sources->count, "null");
	put_same(f, "content", sources->count, "null");
	end_table(f);
	open_json_table(f, "sourceLocationTable", 0);
	put_same(f, "source", 0, "");
	put_same(f, "line", 0, "");
	put_same(f, "column", 0, "");
	end_table(f);
	return 0;
}

static void put_strings(struct firefox *f)
{
	pp_json_open(&f->json, "stringArray", '[');
	for (size_t i = 0; i < f->texts.n; i++)
		(void)pp_out_json_string(firefox_next(f, NULL), f->texts.items[i].text,
					 f->texts.items[i].length);
	end_column(f);
}

/* Strings come last, since the tables number them. */
int pp_firefox_put_tables(struct firefox *f)
{
	struct pp_idmap sources = { .count = 0 };
	int status;

	pp_json_open(&f->json, "shared", '{');
	put_stack_table(f);
	status = put_frame_table(f) || put_func_table(f, &sources) || put_resource_table(f) ||
		 put_sources(f, &sources) || put_native_symbols(f) ? -1 : 0;
	pp_idmap_close(&sources);
	if (status)
		return -1;
	put_strings(f);
	pp_json_close(&f->json, '}');
	return 0;
}
