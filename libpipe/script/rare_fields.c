/* rare_fields.c - what few samples have: registers, costs, sources of data, pages, output of BPF programs. */
#include "script/script.h"

#include <string.h>

#include "base/byte_order.h"
#include "text/data_source.h"

/* ---- registers ---- */

/* Those of x86, by their numbers in asm/perf_regs.h. */
static const char *const registers[] = {
	"AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
};

static const char *name_of(unsigned i)
{
	return i < sizeof(registers) / sizeof(*registers) ? registers[i] : "unknown";
}

static void print_regs(struct line *l, const struct pp_regs *regs, uint64_t mask)
{
	uint32_t n = 0;

	if (!regs->at)
		return;
	pp_out_text(l->out, " ABI:");
	pp_out_dec(l->out, regs->abi);
	pp_out_char(l->out, ' ');
	for (unsigned i = 0; i < 64 && n < regs->count; i++) {
		if (!(mask >> i & 1))
			continue;
		pp_put_right(l->out, name_of(i), strlen(name_of(i)), 5);
		pp_out_char(l->out, ':');
		pp_out_hex(l->out, pp_load64(regs->at + n++ * sizeof(uint64_t)));
		pp_out_char(l->out, ' ');
	}
}

void pp_print_iregs(struct line *l)
{
	print_regs(l, &l->details.iregs, l->event->attr->regs_intr);
}

void pp_print_uregs(struct line *l)
{
	print_regs(l, &l->details.uregs, l->event->attr->regs_user);
}

void pp_cell_of_regs(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const struct pp_regs *const regs = (const void *)((const char *)l + row->at);
	const bool known = pp_cell_has(c, l, row) && regs->at;
	uint32_t n = 0;
	uint64_t mask;

	if (c->csv) {
		pp_cell_printed(c, l, row->name, known ? row->print : NULL);
		return;
	}
	if (!pp_cell_open(c, row->name, known, '{'))
		return;
	mask = regs == &l->details.iregs ? l->event->attr->regs_intr : l->event->attr->regs_user;
	pp_json_number(&c->json, "abi", regs->abi);
	for (unsigned i = 0; i < 64 && n < regs->count; i++) {
		char numbered[PP_DEC_MAX + 1] = "r";

		if (!(mask >> i & 1))
			continue;
		if (i >= sizeof(registers) / sizeof(*registers))
			*pp_put_dec(numbered + 1, i) = '\0';
		pp_json_hex(&c->json, numbered[1] ? numbered : registers[i],
			    pp_load64(regs->at + n++ * sizeof(uint64_t)));
	}
	pp_cell_close(c, '}');
}

/* ---- where data came from: perf_mem_data_src, in perf's words ---- */

enum { DECODED = 100 };               /* perf cuts what is longer, its end included */

static void decode(struct pp_words *w, uint64_t v, bool like_6_1)
{
	pp_words_add(w, "|OP ");
	pp_input_op(w, v);
	pp_words_add(w, "|LVL ");
	if (like_6_1)
		pp_input_level_6_1(w, v);
	else
		pp_input_level(w, v);
	pp_words_add(w, "|SNP ");
	pp_input_snoop(w, v);
	pp_words_add(w, "|TLB ");
	pp_input_tlb(w, v);
	pp_words_add(w, "|LCK ");
	pp_input_lock(w, v);
	pp_words_add(w, "|BLK ");
	pp_input_blocked(w, v);
}

static void print_words(struct line *l)
{
	struct pp_words w = { .length = 0 };

	decode(&w, l->details.data_src, l->script->how.like == PP_SCRIPT_6_1);
	pp_out_bytes(l->out, w.text, w.length);
}

void pp_cell_of_data_src(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const bool known = pp_cell_has(c, l, row);

	pp_cell_hex(c, row->name, known, l->details.data_src);
	pp_cell_printed(c, l, "data_src_words", known ? print_words : NULL);
}

/* A column that grows with what is in it. */
void pp_print_data_src(struct line *l)
{
	int *const width = &l->script->data_src_width;
	struct pp_words w = { .length = 0 };
	int length;

	decode(&w, l->details.data_src, l->script->how.like == PP_SCRIPT_6_1);
	if (w.length >= DECODED)
		w.length = DECODED - 1;
	pp_put_address(l->out, l->details.data_src);
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
	struct pp_words w = { .length = 0 };

	pp_words_page_size(&w, size);
	pp_out_char(l->out, ' ');
	pp_out_bytes(l->out, w.text, w.length);
}

void pp_print_data_page_size(struct line *l)
{
	print_page_size(l, l->details.data_page_size);
}

void pp_print_code_page_size(struct line *l)
{
	print_page_size(l, l->details.code_page_size);
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
