/* dwarf_variables.c - reads where variables are: of their locations those that are a register, a register
 * and an offset, a place of the frame or an address; what is computed otherwise is left out. */
#include "dwarf/dwarf_variables.h"

#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_types.h"
#include "dwarf/x86_decode.h"

enum { DEPTH_MOST = 64, LOCATIONS_MOST = 1 << 16, RANGES_MOST = 1 << 12, VARIABLES_MOST = 1 << 18 };

/* ---- Of a function ---- */

/* Where it is while the code of its block runs, v->code from `code` on: what lists say of other code may be
 * of another variable in the same place. */
static int add_variable(struct pp_variables *v, const struct pp_variable *variable, size_t code)
{
	for (size_t i = code; i < v->n_code; i++) {
		const struct pp_stretch *const c = &v->code[i];
		struct pp_variable one = *variable;

		one.start = one.start > c->start ? one.start : c->start;
		one.end = one.end < c->end ? one.end : c->end;
		if (one.start >= one.end)
			continue;
		if (v->n == VARIABLES_MOST)
			return 0;
		if (PP_GROW(&v->items, &v->room, v->n + 1, NULL))
			return -1;
		v->items[v->n++] = one;
	}
	return 0;
}

/* Of all of a variable, or of a piece.  False: it is something else. */
static bool read_location(const Dwarf_Op *op, size_t n, struct pp_variable *to)
{
	const bool sum = n == 2 && op[1].atom == DW_OP_stack_value;
	const uint8_t atom = n ? op->atom : 0;

	if ((n != 1 && !sum) || (int64_t)op->number != (int32_t)op->number)
		return false;
	to->offset = (int32_t)op->number;
	to->kind = sum ? PP_VARIABLE_SUM : PP_VARIABLE_AT;
	if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + PP_X86_REGISTERS) {
		to->reg = (uint8_t)(atom - DW_OP_breg0);
	} else if (atom == DW_OP_fbreg) {
		to->reg = PP_FRAME_BASE;
	} else if (atom >= DW_OP_reg0 && atom < DW_OP_reg0 + PP_X86_REGISTERS && !sum) {
		to->reg = (uint8_t)(atom - DW_OP_reg0);
		to->kind = PP_VARIABLE_VALUE;
		to->offset = 0;
	} else {
		return false;
	}
	return true;
}

/* Of a location its pieces: each ends with its size. */
static int read_pieces(struct pp_variables *v, const Dwarf_Op *ops, size_t n, struct pp_variable *variable,
		       size_t code)
{
	size_t first = 0;

	variable->piece = 0;
	for (size_t i = 0; n && i <= n; i++) {
		const bool ends = i < n && ops[i].atom == DW_OP_piece;

		if (!ends && i < n)
			continue;
		variable->size = ends ? ops[i].number : 0;
		/* the last piece, too, ends with its size; compilers say of pieces in memory that they are
		 * where something else is by then */
		if ((ends ? variable->size : !first) && read_location(ops + first, i - first, variable) &&
		    (!variable->size || variable->kind != PP_VARIABLE_AT) && add_variable(v, variable, code))
			return -1;
		if (!ends || variable->size > UINT32_MAX)
			break;
		variable->piece += variable->size;
		first = i + 1;
	}
	return 0;
}

static int read_variable(struct pp_variables *v, Dwarf_Die *die, unsigned depth, size_t code)
{
	struct pp_variable variable = { .depth = (uint16_t)depth };
	Dwarf_Attribute attr;
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	ptrdiff_t at = 0;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr) || !pp_dwarf_type(die, &variable.type))
		return 0;
	for (unsigned i = 0; i < LOCATIONS_MOST; i++) {
		at = dwarf_getlocations(&attr, at, &base, &start, &end, &ops, &n);
		if (at <= 0)
			break;
		variable.start = start;
		variable.end = end;
		if (read_pieces(v, ops, n, &variable, code))
			return -1;
	}
	return 0;
}

static int read_code_ranges(struct pp_variables *v, Dwarf_Die *block)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (unsigned i = 0; i < RANGES_MOST; i++) {
		at = dwarf_ranges(block, at, &base, &start, &end);
		if (at <= 0)
			break;
		if (PP_GROW(&v->code, &v->room_code, v->n_code + 1, NULL))
			return -1;
		v->code[v->n_code++] = (struct pp_stretch){ start, end };
	}
	return 0;
}

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static int read_block(struct pp_variables *v, Dwarf_Die *block, unsigned depth, uint64_t *budget)
{
	const size_t code = v->n_code;
	Dwarf_Die die;
	int failed;

	if (depth > DEPTH_MOST || dwarf_child(block, &die))
		return 0;
	failed = read_code_ranges(v, block);
	do {
		const int tag = dwarf_tag(&die);

		if (!*budget)
			break;
		--*budget;
		if (!failed && is_variable(tag))
			failed = read_variable(v, &die, depth, code);
		else if (!failed && is_block(tag))
			failed = read_block(v, &die, depth + 1, budget);
	} while (!failed && !dwarf_siblingof(&die, &die));
	v->n_code = code;
	return failed;
}

int pp_variables_read(struct pp_variables *v, Dwarf_Die *function, uint64_t *budget)
{
	v->n = v->n_code = 0;
	return read_block(v, function, 0, budget);
}

void pp_variables_free(struct pp_variables *v)
{
	free(v->items);
	free(v->code);
	*v = (struct pp_variables){ .n = 0 };
}

/* ---- Of a program ---- */

/* An address, or the number of one in the table of addresses.  False: it is something else. */
static bool read_address(Dwarf_Attribute *location, uint64_t *address)
{
	Dwarf_Attribute attr;
	Dwarf_Addr at;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_getlocation(location, &op, &n) || n != 1)
		return false;
	*address = op->number;
	if (op->atom == DW_OP_addr)
		return true;
	if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
	    dwarf_getlocation_attr(location, op, &attr) || dwarf_formaddr(&attr, &at))
		return false;
	*address = at;
	return true;
}

static int read_global(struct pp_globals *g, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	uint64_t address, size;

	if (!dwarf_attr(die, DW_AT_location, &attr) || !read_address(&attr, &address) || !address ||
	    !pp_dwarf_type(die, &type) || !pp_dwarf_size(&type, &size) || !size ||
	    size > UINT64_MAX - address)
		return 0;
	if (PP_GROW(&g->items, &g->room, g->n + 1, NULL))
		return -1;
	g->items[g->n++] = (struct pp_global){ address, address + size, type };
	return 0;
}

static int read_globals_below(struct pp_globals *g, Dwarf_Die *of, unsigned depth, uint64_t *budget)
{
	Dwarf_Die die;
	int failed = 0;

	if (depth > DEPTH_MOST || dwarf_child(of, &die))
		return 0;
	do {
		const int tag = dwarf_tag(&die);

		if (!*budget)
			break;
		--*budget;
		if (tag == DW_TAG_variable)
			failed = read_global(g, &die);
		else if (is_block(tag) || tag == DW_TAG_subprogram || tag == DW_TAG_namespace)
			failed = read_globals_below(g, &die, depth + 1, budget);
	} while (!failed && !dwarf_siblingof(&die, &die));
	return failed;
}

int pp_globals_read(struct pp_globals *g, Dwarf_Die *unit, uint64_t *budget)
{
	return read_globals_below(g, unit, 0, budget);
}

static int compare_globals(const void *x, const void *y)
{
	const struct pp_global *const a = x, *const b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	/* as they stand in the file */
	return (a->type.addr > b->type.addr) - (a->type.addr < b->type.addr);
}

void pp_globals_sort(struct pp_globals *g)
{
	if (g->n)
		qsort(g->items, g->n, sizeof(*g->items), compare_globals);
}

struct pp_global *pp_globals_at(const struct pp_globals *g, uint64_t address)
{
	size_t low = 0, high = g->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (g->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < g->items[low - 1].end ? &g->items[low - 1] : NULL;
}

void pp_globals_free(struct pp_globals *g)
{
	free(g->items);
	*g = (struct pp_globals){ .n = 0 };
}
