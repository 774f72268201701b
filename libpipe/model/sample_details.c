/* sample_details.c - finds what few samples have, in one walk. */
#include "model/sample_details.h"

#include <perfpipe/walk.h>

#include <stddef.h>
#include <string.h>

static void take_number(struct pp_details *d, const struct pp_cursor *c)
{
	static const struct { const char *name; size_t at; } numbers[] = {
		{ "addr", offsetof(struct pp_details, addr) },
		{ "data_src", offsetof(struct pp_details, data_src) },
		{ "transaction", offsetof(struct pp_details, transaction) },
		{ "phys_addr", offsetof(struct pp_details, phys_addr) },
		{ "cgroup", offsetof(struct pp_details, cgroup) },
		{ "data_page_size", offsetof(struct pp_details, data_page_size) },
		{ "code_page_size", offsetof(struct pp_details, code_page_size) },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(c->field->name, numbers[i].name))
			memcpy((char *)d + numbers[i].at, &c->value, sizeof(c->value));
}

static void take_weight(struct pp_details *d, const struct pp_cursor *c)
{
	const bool parts = c->field->parts;

	d->weight = parts ? c->value & UINT32_MAX : c->value;
	d->ins_lat = parts ? c->value >> 32 & UINT16_MAX : 0;
	d->retire_lat = parts ? c->value >> 48 : 0;
}

void pp_details(struct pp_details *d, const struct pp_record *rec)
{
	struct pp_cursor c;
	struct pp_regs *regs = NULL;
	int token;

	*d = (struct pp_details){ 0 };
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		const char *const name = c.field->name;

		if (token == PP_OPEN && !strncmp(name, "regs_", 5))
			regs = strcmp(name, "regs_user") ? &d->iregs : &d->uregs;
		if (token == PP_LIST_OPEN && !strcmp(name, "entries"))
			d->n_branches = c.count;
		if (token != PP_VALUE)
			continue;
		if (regs && !strcmp(name, "abi")) {
			regs->abi = c.value;
		} else if (regs && !strcmp(name, "regs")) {
			regs->at = c.data;
			regs->count = c.count;
		} else if (!strcmp(name, "from")) {
			if (!d->branches)
				d->branches = c.data;
		} else if (!strcmp(name, "weight")) {
			take_weight(d, &c);
		} else {
			take_number(d, &c);
		}
	}
}
