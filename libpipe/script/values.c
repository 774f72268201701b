/* values.c - what few samples have: registers, costs, sources of data, pages, output of BPF programs. */
#include "script/script.h"

#include <string.h>

#include "base/byte_order.h"

/* ---- finding them ---- */

static void take_number(struct rest *r, const struct pp_cursor *c)
{
	static const struct { const char *name; size_t at; } numbers[] = {
		{ "data_src", offsetof(struct rest, data_src) },
		{ "phys_addr", offsetof(struct rest, phys_addr) },
		{ "cgroup", offsetof(struct rest, cgroup) },
		{ "data_page_size", offsetof(struct rest, data_page_size) },
		{ "code_page_size", offsetof(struct rest, code_page_size) },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(c->field->name, numbers[i].name))
			memcpy((char *)r + numbers[i].at, &c->value, sizeof(c->value));
}

static void take_weight(struct rest *r, const struct pp_cursor *c)
{
	const bool parts = c->field->parts;

	r->weight = parts ? c->value & UINT32_MAX : c->value;
	r->ins_lat = parts ? (uint16_t)(c->value >> 32) : 0;
	r->retire_lat = parts ? (uint16_t)(c->value >> 48) : 0;
}

void pp_script_rest(struct line *l)
{
	struct rest *const r = &l->rest;
	struct pp_cursor c;
	struct pp_regs *regs = NULL;
	int token;

	*r = (struct rest){ 0 };
	pp_walk(&c, l->rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		const char *const name = c.field->name;

		if (token == PP_OPEN && !strncmp(name, "regs_", 5))
			regs = strcmp(name, "regs_user") ? &r->iregs : &r->uregs;
		if (token == PP_LIST_OPEN && !strcmp(name, "entries"))
			r->n_branches = c.count;
		if (token != PP_VALUE)
			continue;
		if (regs && !strcmp(name, "abi")) {
			regs->abi = c.value;
		} else if (regs && !strcmp(name, "regs")) {
			regs->at = c.data;
			regs->count = c.count;
		} else if (!strcmp(name, "from")) {
			if (!r->branches)
				r->branches = c.data;
		} else if (!strcmp(name, "weight")) {
			take_weight(r, &c);
		} else {
			take_number(r, &c);
		}
	}
}

/* ---- registers ---- */

/* Those of x86, by their numbers in perf_regs.h. */
static const char *const registers[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
};

static void print_regs(struct line *l, const struct pp_regs *regs, uint64_t mask)
{
	uint32_t n = 0;

	if (!regs->at)
		return;
	pp_out_text(l->out, " ABI:");
	pp_out_dec(l->out, regs->abi);
	pp_out_char(l->out, ' ');
	for (size_t i = 0; i < 64 && n < regs->count; i++) {
		const bool known = i < sizeof(registers) / sizeof(*registers);
		const char *const name = known ? registers[i] : "unknown";

		if (!(mask >> i & 1))
			continue;
		pp_put_right(l->out, name, strlen(name), 5);
		pp_out_char(l->out, ':');
		pp_out_hex(l->out, pp_load64(regs->at + n++ * sizeof(uint64_t)));
		pp_out_char(l->out, ' ');
	}
}

void pp_print_iregs(struct line *l)
{
	print_regs(l, &l->rest.iregs, l->event->attr->regs_intr);
}

void pp_print_uregs(struct line *l)
{
	print_regs(l, &l->rest.uregs, l->event->attr->regs_user);
}

/* ---- where data came from: perf_mem_data_src, in perf's words ---- */

enum { DECODED = 100 };               /* perf cuts what is longer, its end included */

static const char *const ops[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const levels[] = {
	"N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
	"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
};
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
static const char *const tlbs[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
static const char *const hops[] = {
	"", "core, same node", "node, same socket", "socket, same board", "board", "(null)", "(null)",
	"(null)",
};
enum { LEVEL_NA = 15 };
static const char *const numbers_6_1[16] = {
	[9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
	[15] = "N/A",
};
static const char *const numbers[16] = {
	[5] = "L2 MHB", [6] = "Memory-side Cache", [7] = "Unknown level 7", [8] = "Uncached", [9] = "CXL",
	[10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
};

struct words { char text[512]; size_t length; };

static void add(struct words *w, const char *text)
{
	const size_t length = strlen(text);

	if (length < sizeof(w->text) - w->length) {
		memcpy(w->text + w->length, text, length);
		w->length += length;
	}
}

/* The names of bits, " or " between them; how many there were. */
static unsigned add_bits(struct words *w, uint64_t bits, const char *const *names, size_t n)
{
	unsigned count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		add(w, count++ ? " or " : "");
		add(w, names[i]);
	}
	return count;
}

static void add_number(struct words *w, unsigned number, const char *const *names)
{
	const char digits[3] = { 'L', (char)('0' + number % 10), '\0' };

	add(w, names[number] ? names[number] : digits);
}

static const char *found(uint64_t bits)
{
	return bits & 2 ? "hit" : bits & 4 ? "miss" : "";
}

static void add_origin(struct words *w, uint64_t v)
{
	if (v >> 37 & 1)
		add(w, "Remote ");
	if (v >> 43 & 7) {
		add(w, hops[v >> 43 & 7]);
		add(w, " ");
	}
}

static void add_level_6_1(struct words *w, uint64_t v)
{
	const uint64_t bits = v >> 5 & 0x3fff;
	const unsigned number = v >> 33 & 15;
	const size_t before = w->length;
	unsigned count;

	add_origin(w, v);
	count = add_bits(w, bits & 1 ? 0 : bits, levels, sizeof(levels) / sizeof(*levels));
	if (number) {
		add(w, count ? " or " : "");
		add_number(w, number, numbers_6_1);
	}
	if (w->length == before)
		add(w, "N/A");
	add(w, bits & 2 ? " hit" : "");
	add(w, bits & 4 ? " miss" : "");
}

static void add_level(struct words *w, uint64_t v)
{
	const uint64_t bits = v >> 5 & 0x3fff;
	const unsigned number = v >> 33 & 15;

	if (number && number != LEVEL_NA) {
		add_origin(w, v);
		add_number(w, number, numbers);
	} else if (!add_bits(w, bits & ~UINT64_C(1), levels, sizeof(levels) / sizeof(*levels))) {
		add(w, "N/A");
		return;
	}
	add(w, " ");
	add(w, found(bits));
}

static void decode(struct words *w, uint64_t v, bool like_6_1)
{
	add(w, "|OP ");
	if (!add_bits(w, v & 1 ? 1 : v & 31, ops, sizeof(ops) / sizeof(*ops)))
		add(w, "No");
	add(w, "|LVL ");
	if (like_6_1)
		add_level_6_1(w, v);
	else
		add_level(w, v);
	add(w, "|SNP ");
	if (!add_bits(w, (v >> 19 & 31) | (v >> 38 & 3) << 5, snoops, sizeof(snoops) / sizeof(*snoops)))
		add(w, "N/A");
	add(w, "|TLB ");
	if (!add_bits(w, v >> 26 & 127, tlbs, sizeof(tlbs) / sizeof(*tlbs)))
		add(w, "N/A");
	add(w, v >> 27 & 1 ? " hit" : "");
	add(w, v >> 28 & 1 ? " miss" : "");
	add(w, "|LCK ");
	add(w, v >> 24 & 1 ? "N/A" : v >> 25 & 1 ? "Yes" : "No");
	add(w, "|BLK ");
	add(w, v >> 41 & 1 ? " Data" : "");
	add(w, v >> 42 & 1 ? " Addr" : "");
	add(w, v >> 41 & 3 ? "" : " N/A");
}

/* A column that grows with what is in it. */
void pp_print_data_src(struct line *l)
{
	int *const width = &l->script->data_src_width;
	struct words w = { .length = 0 };
	int length;

	decode(&w, l->rest.data_src, l->script->how.like == PP_SCRIPT_6_1);
	if (w.length >= DECODED)
		w.length = DECODED - 1;
	pp_put_address(l->out, l->rest.data_src);
	pp_out_char(l->out, ' ');
	if (w.length > DECODED - 1 - 17)
		w.length = DECODED - 1 - 17;
	pp_out_bytes(l->out, w.text, w.length);
	length = (int)w.length;
	if (*width < length)
		*width = length;
	pp_put_right(l->out, "", 0, (size_t)(*width - length));
}

/* ---- pages ---- */

static void print_page_size(struct line *l, uint64_t size)
{
	static const char units[] = "BKMG";
	unsigned unit = 0;

	pp_out_char(l->out, ' ');
	if (!size) {
		pp_out_text(l->out, "N/A");
		return;
	}
	for (; size / 1024 > 1 && unit < sizeof(units) - 2; size /= 1024)
		unit++;
	pp_out_dec(l->out, size);
	pp_out_char(l->out, units[unit]);
}

void pp_print_data_page_size(struct line *l)
{
	print_page_size(l, l->rest.data_page_size);
}

void pp_print_code_page_size(struct line *l)
{
	print_page_size(l, l->rest.code_page_size);
}

/* ---- what a BPF program wrote ---- */

enum { BYTES_A_LINE = 8 };

static char shown(uint8_t c)
{
	return c >= ' ' && c <= '~' ? (char)c : '.';
}

static void print_bytes(struct line *l, const uint8_t *data, size_t at, size_t n)
{
	pp_put_right(l->out, at ? "           " : "BPF output:", 11, 17);
	pp_out_char(l->out, ' ');
	for (int shift = 12; shift >= 0; shift -= 4)
		pp_out_char(l->out, "0123456789abcdef"[at >> shift & 15]);
	pp_out_char(l->out, ':');
	for (size_t i = 0; i < BYTES_A_LINE; i++) {
		pp_out_char(l->out, ' ');
		if (i < n)
			pp_out_hex_bytes(l->out, data + at + i, 1);
		else
			pp_out_text(l->out, "  ");
	}
	pp_out_text(l->out, "  ");
	for (size_t i = 0; i < BYTES_A_LINE; i++)
		pp_out_char(l->out, i < n ? shown(data[at + i]) : ' ');
	pp_out_char(l->out, '\n');
}

/* Whether it is text and then only zeros. */
static bool is_text(const uint8_t *data, size_t size)
{
	size_t length = 0;

	while (length < size && shown(data[length]) == (char)data[length])
		length++;
	if (length == size)
		return false;
	for (size_t i = length; i < size; i++)
		if (data[i])
			return false;
	return true;
}

void pp_print_bpf_output(struct line *l)
{
	const void *raw;
	const uint8_t *data;
	size_t size;

	if (!pp_tracepoint_raw(l->rec, &raw, &size))
		return;
	data = raw;
	pp_out_char(l->out, '\n');
	for (size_t at = 0; at < size; at += BYTES_A_LINE)
		print_bytes(l, data, at, size - at < BYTES_A_LINE ? size - at : BYTES_A_LINE);
	if (!is_text(data, size))
		return;
	pp_put_right(l->out, "BPF string:", 11, 17);
	pp_out_text(l->out, " \"");
	pp_put_name(l->out, raw);
	pp_out_text(l->out, "\"\n");
}
