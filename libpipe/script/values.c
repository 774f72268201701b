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

void pp_print_data_src(struct line *l)
{
	(void)l;
}

void pp_print_iregs(struct line *l)
{
	(void)l;
}

void pp_print_uregs(struct line *l)
{
	(void)l;
}

void pp_print_bpf_output(struct line *l)
{
	(void)l;
}

void pp_print_data_page_size(struct line *l)
{
	(void)l;
}

void pp_print_code_page_size(struct line *l)
{
	(void)l;
}

void pp_print_brstack(struct line *l) { (void)l; }
void pp_print_brstacksym(struct line *l) { (void)l; }
void pp_print_brstackoff(struct line *l) { (void)l; }
