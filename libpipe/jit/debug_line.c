/*
 * debug_line.c - DWARF that leads from addresses in an image to source lines: a line program of version 2,
 * and one compilation unit that points to it.  Which readers need that much and no more is seen in
 * eu-addr2line and perf.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "jit/jit.h"

enum { ENTRY = 16, OPCODES = 10 };

/* One row: from this address on, this line. */
struct jit_row {
	uint64_t address;
	int32_t line;
	uint32_t file, seq;
};

struct rows {
	struct jit_row *items;
	size_t count, room;
	uint32_t files;
};

static int by_address(const void *a, const void *b)
{
	const struct jit_row *const x = a, *const y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Bytes added to a section; a failure sticks. */
struct section {
	struct pp_buffer *out;
	struct pp_error *error;
	bool foreign, wide, failed;
};

static void put_line(struct section *s, const void *data, size_t size)
{
	if (!s->failed && pp_buffer_add(s->out, data, size, s->error))
		s->failed = true;
}

static void put8(struct section *s, uint8_t v)
{
	put_line(s, &v, 1);
}

static void put_line16(struct section *s, uint16_t v)
{
	uint8_t bytes[2];

	pp_store_order16(bytes, v, s->foreign);
	put_line(s, bytes, sizeof(bytes));
}

static void put_line32(struct section *s, uint32_t v)
{
	uint8_t bytes[4];

	pp_store_order32(bytes, v, s->foreign);
	put_line(s, bytes, sizeof(bytes));
}

static void put_address(struct section *s, uint64_t v)
{
	uint8_t bytes[8];

	if (!s->wide) {
		put_line32(s, (uint32_t)v);
		return;
	}
	pp_store_order64(bytes, v, s->foreign);
	put_line(s, bytes, sizeof(bytes));
}

static void put_uleb(struct section *s, uint64_t v)
{
	do {
		put8(s, (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
		v >>= 7;
	} while (v);
}

static void put_sleb(struct section *s, int64_t v)
{
	for (;;) {
		const uint8_t low = v & 0x7f;

		v >>= 7;
		if ((v == 0 && !(low & 0x40)) || (v == -1 && low & 0x40)) {
			put8(s, low);
			return;
		}
		put8(s, low | 0x80);
	}
}

/* Stores what has been added since `from`, as the length that begins there. */
static void fill_length(struct section *s, size_t from)
{
	if (!s->failed)
		pp_store_order32(s->out->data + from, (uint32_t)(s->out->size - from - 4), s->foreign);
}

/* ---- the entries of DEBUG_INFO ---- */

/* The end of a file's name; NULL: it has none. */
static const uint8_t *name_end(const uint8_t *at, const uint8_t *end)
{
	return memchr(at, 0, (size_t)(end - at));
}

/* A name of just 0xff stands for the file of the entry before. */
static bool is_same_file(const uint8_t *name)
{
	return name[0] == 0xff && !name[1];
}

/*
 * Adds the names of the files, as the line program lists them, and what rows there are.  0, or -1:
 * no memory.  Entries outside of the code say nothing that could be used.
 */
static int read_entries(const struct pp_jit_body *body, uint64_t offset, struct section *s,
			struct rows *rows)
{
	const bool foreign = s->foreign;
	const uint8_t *at = body->lines, *const end = at + body->lines_size;

	while (pp_fits(ENTRY + 1, (uint64_t)(end - at))) {
		const uint64_t address = pp_in_order64(at, foreign) - body->address;
		const uint8_t *const name = at + ENTRY, *const stop = name_end(name, end);

		if (!stop)
			break;
		if (!is_same_file(name)) {
			put_line(s, name, (size_t)(stop - name) + 1);
			put_line(s, "\0\0", 3);      /* folder, time, length */
			rows->files++;
		}
		if (PP_GROW(&rows->items, &rows->room, rows->count + 1, s->error))
			return -1;
		if (rows->files && address < body->size)
			rows->items[rows->count++] = (struct jit_row){
				.address = address + offset, .file = rows->files,
				.line = (int32_t)pp_in_order32(at + 8, foreign),
				.seq = (uint32_t)rows->count,
			};
		at = stop + 1;
	}
	return s->failed ? -1 : 0;
}

/* ---- .debug_line ---- */

static void put_program(struct section *s, const struct rows *rows, uint64_t start, uint64_t end)
{
	struct jit_row now = { .address = start, .line = 1, .file = 1 };

	put8(s, 0);
	put_uleb(s, s->wide ? 9 : 5);
	put8(s, DW_LNE_set_address);
	put_address(s, start);
	for (size_t i = 0; i < rows->count; i++) {
		const struct jit_row *const row = &rows->items[i];

		/* of several at one address the last counts, as it does for readers */
		if (row->file != now.file) {
			put8(s, DW_LNS_set_file);
			put_uleb(s, row->file);
		}
		if (row->address != now.address) {
			put8(s, DW_LNS_advance_pc);
			put_uleb(s, row->address - now.address);
		}
		if (row->line != now.line) {
			put8(s, DW_LNS_advance_line);
			put_sleb(s, (int64_t)row->line - now.line);
		}
		put8(s, DW_LNS_copy);
		now = *row;
	}
	put8(s, DW_LNS_advance_pc);
	put_uleb(s, end - now.address);
	put8(s, 0);
	put_uleb(s, 1);
	put8(s, DW_LNE_end_sequence);
}

static int make_line(const struct pp_jit_body *body, uint64_t offset, struct section *s)
{
	static const uint8_t operands[OPCODES - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	struct rows rows = { .count = 0 };
	size_t header;
	int failed;

	put_line32(s, 0);
	put_line16(s, 2);
	header = s->out->size;
	put_line32(s, 0);
	put8(s, 1);                     /* smallest instruction */
	put8(s, 1);                     /* rows are statements */
	put8(s, 1);                     /* line_base, line_range: no special opcodes are used */
	put8(s, 1);
	put8(s, OPCODES);
	put_line(s, operands, sizeof(operands));
	put8(s, 0);                     /* no folders */
	failed = s->failed || read_entries(body, offset, s, &rows);
	if (!failed) {
		put8(s, 0);
		fill_length(s, header);
		if (rows.count)
			qsort(rows.items, rows.count, sizeof(*rows.items), by_address);
		put_program(s, &rows, offset, offset + body->size);
		fill_length(s, 0);
	}
	if (!failed && !rows.count)
		pp_buffer_free(s->out);
	free(rows.items);
	return failed || s->failed ? -1 : 0;
}

/* ---- the unit ---- */

static void make_abbrev(struct section *s)
{
	static const uint8_t unit[] = {
		1, DW_TAG_compile_unit, DW_CHILDREN_no,
		DW_AT_stmt_list, DW_FORM_data4,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_addr,
		DW_AT_name, DW_FORM_string,
		0, 0, 0,
	};

	put_line(s, unit, sizeof(unit));
}

static void make_info(const struct pp_jit_body *body, uint64_t offset, struct section *s)
{
	put_line32(s, 0);
	put_line16(s, 2);
	put_line32(s, 0);
	put8(s, s->wide ? 8 : 4);
	put_uleb(s, 1);
	put_line32(s, 0);
	put_address(s, offset);
	put_address(s, offset + body->size);
	put_line(s, body->name, strlen(body->name) + 1);
	fill_length(s, 0);
}

int pp_jit_lines(const struct pp_jit_body *body, uint64_t offset, bool wide, struct pp_jit_lines *lines,
		 struct pp_error *error)
{
	struct section s = { .out = &lines->line, .error = error, .wide = wide,
			     .foreign = body->big != PP_HOST_BIG };

	if (!body->lines_size)
		return 0;
	if (make_line(body, offset, &s))
		return -1;
	if (!lines->line.size)
		return 0;
	s.out = &lines->abbrev;
	make_abbrev(&s);
	s.out = &lines->info;
	make_info(body, offset, &s);
	return s.failed ? -1 : 0;
}

void pp_jit_lines_free(struct pp_jit_lines *lines)
{
	pp_buffer_free(&lines->line);
	pp_buffer_free(&lines->info);
	pp_buffer_free(&lines->abbrev);
}
