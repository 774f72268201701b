/*
 * data_access.c - which data an instruction accesses: the operand as x86_decode.c decodes it, the
 * variables that dwarf_variables.c found, and, where no variable is in its register, what the instructions
 * before left there.
 *
 * That is followed through the whole function, block by block: where two ways meet a register keeps what it
 * points to only if both agree, and what an instruction does that is not known here leaves nothing.  So what
 * is said is what holds however the function was run; the rest is not known.
 *
 * perf's annotate-data.c is where these questions come from; it follows one way to each instruction.
 */
#include "dwarf/data_access.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dwarf/dwarf_types.h"
#include "dwarf/dwarf_variables.h"
#include "dwarf/x86_decode.h"

enum {
	CODE_MOST = 1 << 18,          /* bytes of a function that are followed */
	BLOCKS_MOST = 1 << 13,
	CODES = 32,
	SCANS_MOST = 1 << 25,         /* instructions times variables; four times that for all ways through */
	STEPS = 32,                   /* times its length that a function is gone through */
	ENTRIES_MOST = 1 << 25,       /* that are looked at in all functions of a file, beside its units */
	CANARY = 0x28,                /* where glibc's thread control block has it */
};

/* What a register points to: a place in a thing of the type. */
struct content {
	Dwarf_Die type;
	int64_t offset;
	bool known;
	bool single;                  /* a variable, which is one thing of the type, and not one of several */
	bool indexed;                 /* something was added that is not known */
	bool weak;                    /* by a reference, as C++ has them, which perf does not look at */
	bool loose;                   /* or some things of the type, or of an array in it, further on */
};
struct register_state { struct content of[PP_X86_REGISTERS]; };
struct block {
	uint64_t first;               /* instruction */
	bool reached, changed;
	struct register_state before;
};
struct instruction { uint64_t at; struct pp_x86 is; };
/* Where the frame of a function is, from an address on to another. */
struct access_frame { uint64_t start, end; int64_t offset; uint8_t reg; };

/* A function that was asked for. */
struct function_code {
	const void *die;              /* whose it is; NULL: none */
	uint64_t start, end, used;
	struct pp_variables variables;
	struct instruction *items;
	struct block *blocks;
	size_t n_items, room_items, n_blocks, room_blocks;
	struct access_frame frame, base;     /* base: of all its code, if ->reg is a register */
	bool followed;
};

struct pp_accesses {
	struct pp_image *image;
	bool has_units, is_x86, has_cfi;
	Dwarf_CFI *cfi, *own;         /* own: to be ended */
	struct pp_globals globals;
	uint64_t budget, clock;
	size_t steps;                 /* that may still be gone through */
	struct pp_buffer text;
	struct pp_accesses_function of;
	struct function_code codes[CODES];     /* samples go to and fro between them */
	struct function_code *now;             /* the one at hand */
};

struct pp_accesses *pp_accesses_new(struct pp_image *image)
{
	struct pp_accesses *const a = calloc(1, sizeof(*a));
	GElf_Ehdr header;

	if (!a)
		return NULL;
	a->image = image;
	a->budget = ENTRIES_MOST;
	a->is_x86 = gelf_getehdr(image->main.elf, &header) && header.e_machine == EM_X86_64 &&
		    header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type != ET_REL;
	return a;
}

void pp_accesses_free(struct pp_accesses *a)
{
	if (!a)
		return;
	if (a->own)
		(void)dwarf_cfi_end(a->own);
	pp_globals_free(&a->globals);
	for (size_t i = 0; i < CODES; i++) {
		pp_variables_free(&a->codes[i].variables);
		free(a->codes[i].items);
		free(a->codes[i].blocks);
	}
	pp_buffer_free(&a->text);
	free(a);
}

uint64_t pp_accesses_size(const struct pp_accesses *a)
{
	uint64_t size = a ? sizeof(*a) + a->globals.room * sizeof(*a->globals.items) : 0;

	for (size_t i = 0; a && i < CODES; i++) {
		const struct function_code *const c = &a->codes[i];

		size += c->variables.room * sizeof(*c->variables.items) + c->room_items * sizeof(*c->items) +
			c->room_blocks * sizeof(*c->blocks);
	}
	return size;
}

int pp_accesses_add_unit(struct pp_accesses *a, Dwarf_Die *unit)
{
	return a->is_x86 ? pp_globals_read(&a->globals, unit, &a->budget) : 0;
}

void pp_accesses_sort(struct pp_accesses *a)
{
	pp_globals_sort(&a->globals);
	a->has_units = true;
}

bool pp_accesses_has_units(const struct pp_accesses *a)
{
	return a->has_units;
}

/* ---- The frame ---- */

/* Debuggers' own table first; what unwinds exceptions is in the file itself. */
static void find_cfi(struct pp_accesses *a)
{
	if (a->has_cfi)
		return;
	a->has_cfi = true;
	a->cfi = dwarf_getcfi(a->image->dwarf);
	if (!a->cfi)
		a->cfi = a->own = dwarf_getcfi_elf(a->image->main.elf);
}

/* The canonical frame address at an address of the code. */
static void find_frame(struct pp_accesses *a, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start = 0, end = 0;
	Dwarf_Op *ops;
	bool signal;
	size_t n;

	a->now->frame = (struct access_frame){ address, address + 1, 0, PP_X86_NONE };
	find_cfi(a);
	if (!a->cfi || dwarf_cfi_addrframe(a->cfi, address, &frame))
		return;
	if (dwarf_frame_info(frame, &start, &end, &signal) >= -1 && start <= address && address < end) {
		a->now->frame.start = start;
		a->now->frame.end = end;
	}
	if (!dwarf_frame_cfa(frame, &ops, &n) && n == 1) {
		if (ops->atom == DW_OP_bregx && ops->number < PP_X86_REGISTERS) {
			a->now->frame.reg = (uint8_t)ops->number;
			a->now->frame.offset = (int32_t)ops->number2;
		} else if (ops->atom >= DW_OP_breg0 && ops->atom < DW_OP_breg0 + PP_X86_REGISTERS) {
			a->now->frame.reg = (uint8_t)(ops->atom - DW_OP_breg0);
			a->now->frame.offset = (int32_t)ops->number;
		}
	}
	free(frame);
}

static const struct access_frame *frame_at(struct pp_accesses *a, uint64_t address)
{
	if (a->now->base.reg != PP_X86_NONE)
		return &a->now->base;
	if (!a->now->base.end)
		return NULL;
	if (address < a->now->frame.start || address >= a->now->frame.end)
		find_frame(a, address);
	return a->now->frame.reg != PP_X86_NONE ? &a->now->frame : NULL;
}

/* What the function says its variables are counted from. */
static void find_base(struct pp_accesses *a)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	a->now->base = (struct access_frame){ 0, 0, 0, PP_X86_NONE };
	a->now->frame = (struct access_frame){ 1, 0, 0, PP_X86_NONE };
	if (!dwarf_attr(a->of.die, DW_AT_frame_base, &attr) || dwarf_getlocation(&attr, &op, &n) || n != 1)
		return;
	if (op->atom == DW_OP_call_frame_cfa) {
		a->now->base.end = UINT64_MAX;
	} else if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + PP_X86_REGISTERS) {
		a->now->base.reg = (uint8_t)(op->atom - DW_OP_breg0);
		a->now->base.offset = (int32_t)op->number;
	} else if (op->atom >= DW_OP_reg0 && op->atom < DW_OP_reg0 + PP_X86_REGISTERS) {
		a->now->base.reg = (uint8_t)(op->atom - DW_OP_reg0);
	}
}

/* ---- What is in a register ---- */

/* As perf: of types that several variables say, pointers to larger things say most. */
static bool is_better(Dwarf_Die *than, Dwarf_Die *type)
{
	Dwarf_Die to, of;
	uint64_t size, least;

	if (pp_dwarf_is_pointer(than) != pp_dwarf_is_pointer(type))
		return pp_dwarf_is_pointer(type);
	to = *type;
	of = *than;
	if (pp_dwarf_is_pointer(type)) {
		if (!pp_dwarf_pointee(than, &of))
			return true;
		if (!pp_dwarf_pointee(type, &to))
			return false;
	}
	return pp_dwarf_size(&to, &size) && pp_dwarf_size(&of, &least) && least < size;
}

/* Takes one of several that hold at a time; those of inner blocks come last. */
static void choose(struct content *best, unsigned *depth, struct content *other, unsigned of)
{
	if (best->known && (best->weak != other->weak ? other->weak :
						       *depth == of || is_better(&other->type, &best->type)))
		return;
	*best = *other;
	*depth = of;
}

/* What a variable points to, or the member of it that the piece is. */
static bool points_to(struct pp_accesses *a, struct pp_variable *v, Dwarf_Die *to)
{
	enum { POINTER = 8 };
	uint64_t offset = v->piece;
	Dwarf_Die member = v->type;

	if (v->size && (v->size != POINTER || !pp_dwarf_at(&v->type, &offset, &member, &a->budget) || offset))
		return false;
	return pp_dwarf_pointee(&member, to);
}

/* What a register points to, as variables have it. */
static struct content by_variables(struct pp_accesses *a, uint8_t reg, uint64_t address)
{
	struct content best = { .known = false };
	unsigned depth = 0;

	for (size_t i = 0; i < a->now->variables.n; i++) {
		struct pp_variable *const v = &a->now->variables.items[i];
		struct content held = { .known = true, .offset = -v->offset };
		uint64_t size;

		if (v->reg != reg || v->kind == PP_VARIABLE_AT || address < v->start || address >= v->end ||
		    !points_to(a, v, &held.type) || !pp_dwarf_size(&held.type, &size))
			continue;
		held.weak = pp_dwarf_is_reference(&v->type);
		choose(&best, &depth, &held, v->depth);
	}
	return best;
}

static struct content in_register(struct pp_accesses *a, const struct register_state *s, uint8_t reg,
				  uint64_t address)
{
	struct content held = { .known = false };

	if (reg >= PP_X86_REGISTERS)
		return held;
	held = by_variables(a, reg, address);
	return held.known ? held : s->of[reg];
}

/* ---- What an operand is ---- */

/* Of an array: its bytes, how many of them are before an offset, and those of what it consists of. */
struct array { uint64_t size, before, step; };

/* Whether there is one at an offset of a struct. */
static bool has_array(struct pp_accesses *a, struct content *held, struct array *array)
{
	Dwarf_Die at = held->type, element;

	if (held->offset < 0)
		return false;
	array->before = (uint64_t)held->offset;
	while (pp_dwarf_is_compound(&at))
		if (!pp_dwarf_member(&at, &array->before, &at, &a->budget))
			return false;
	return pp_dwarf_element(&at, &element) && pp_dwarf_size(&at, &array->size) &&
	       pp_dwarf_size(&element, &array->step) && array->step;
}

/* Whether a member begins there, or an array has it. */
static bool is_member(struct pp_accesses *a, struct content *held)
{
	uint64_t at = (uint64_t)held->offset;
	struct array array;
	Dwarf_Die member;

	return has_array(a, held, &array) || (pp_dwarf_at(&held->type, &at, &member, &a->budget) && !at);
}

/* What a variable makes of an operand: it is in memory there, or points there.  False: nothing. */
static bool is_about(struct pp_accesses *a, struct pp_variable *v, const struct pp_x86 *is, uint64_t address,
		     struct content *held)
{
	const struct access_frame *const frame = v->reg == PP_FRAME_BASE ? frame_at(a, address) : NULL;
	const uint8_t reg = frame ? frame->reg : v->reg;
	uint64_t size;

	*held = (struct content){ .known = true, .single = v->kind == PP_VARIABLE_AT, .type = v->type,
			       .offset = is->displacement - v->offset - (frame ? frame->offset : 0) };
	if (reg != is->base || held->offset < 0)
		return false;
	if (!held->single) {
		held->weak = pp_dwarf_is_reference(&v->type);
		if (!points_to(a, v, &held->type))
			return false;
	}
	return pp_dwarf_size(&held->type, &size) && (uint64_t)held->offset < size;
}

/* By variables; ->known false: none. */
static struct content by_operand(struct pp_accesses *a, const struct pp_x86 *is, uint64_t address)
{
	struct content held, best = { .known = false };
	unsigned depth = 0;

	for (size_t i = 0; i < a->now->variables.n; i++) {
		struct pp_variable *const v = &a->now->variables.items[i];

		if (address >= v->start && address < v->end && is_about(a, v, is, address, &held))
			choose(&best, &depth, &held, v->depth);
	}
	return best;
}

static struct content global_at(const struct pp_accesses *a, uint64_t address)
{
	const struct pp_global *const global = pp_globals_at(&a->globals, address);

	return global ? (struct content){ .known = true, .single = true, .type = global->type,
				       .offset = (int64_t)(address - global->start) } :
			(struct content){ .known = false };
}

/* Whether it is a place in the type; with an index, whether it is sure to be one of the same kind. */
static bool is_sound(struct pp_accesses *a, const struct pp_x86 *is, struct content *held)
{
	struct array array;
	uint64_t size;

	if (!held->known || !pp_dwarf_size(&held->type, &size) || !size || size > INT64_MAX)
		return false;
	/* it is one of several, the first of which may be before */
	if (held->loose && !pp_dwarf_is_compound(&held->type)) {
		held->offset %= (int64_t)size;
		held->offset += held->offset < 0 ? (int64_t)size : 0;
	}
	if (held->offset < 0 || (uint64_t)held->offset >= size)
		return false;
	if ((is->index == PP_X86_NONE && !held->indexed) || !pp_dwarf_is_compound(&held->type) ||
	    has_array(a, held, &array))
		return true;
	if (held->single || size % is->scale)
		return false;
	if (!pp_dwarf_has_arrays(&held->type, &a->budget))
		return true;
	/* one of several structs: what an index into an array after it may lead to begins no member */
	return (is->scale == 1 || is->scale == size) && is_member(a, held);
}

static struct content what(struct pp_accesses *a, const struct register_state *s, const struct pp_x86 *is,
			   uint64_t address)
{
	struct content held;

	if (is->base == PP_X86_RIP)
		return global_at(a, address + is->length + (uint64_t)is->displacement);
	if (is->base == PP_X86_NONE)
		return global_at(a, (uint64_t)is->displacement);
	held = by_operand(a, is, address);
	if (held.known)
		return held;
	held = in_register(a, s, is->base, address);
	if (!held.known && is->scale == 1)
		held = in_register(a, s, is->index, address);
	held.offset = (int64_t)((uint64_t)held.offset + (uint64_t)is->displacement);
	return held;
}

/* The thing that is accessed, and where in it. */
static struct content operand(struct pp_accesses *a, const struct register_state *s, const struct pp_x86 *is,
			      uint64_t address)
{
	struct content held = { .known = false };

	if (is->vague || is->segment)
		return held;
	held = what(a, s, is, address);
	held.known = is_sound(a, is, &held);
	return held;
}

/* ---- What an instruction leaves ---- */

static struct content pointer_in(struct pp_accesses *a, struct content *memory)
{
	struct content held = { .known = false };
	uint64_t offset = (uint64_t)memory->offset;
	Dwarf_Die at;

	held.known = memory->known && pp_dwarf_at(&memory->type, &offset, &at, &a->budget) && !offset &&
		     pp_dwarf_pointee(&at, &held.type);
	return held;
}

/* The address of an array is that of its first thing. */
static struct content address_of_held(struct pp_accesses *a, struct content held, bool indexed)
{
	uint64_t size;
	Dwarf_Die element;

	held.indexed |= indexed;
	while (held.known && pp_dwarf_element(&held.type, &element)) {
		held.known = held.offset >= 0 && a->budget && pp_dwarf_size(&element, &size) && size;
		if (held.known) {
			a->budget--;
			held.type = element;
			held.single = false;
			held.offset %= (int64_t)size;
		}
	}
	return held;
}

/* What is added to a pointer is as many things as it points to; in a variable, as there are in an array. */
static struct content sum(struct pp_accesses *a, struct content one, struct content other)
{
	struct array array;

	if (one.known == other.known)
		one.known = false;
	else if (other.known)
		one = other;
	if (one.known && one.single && pp_dwarf_is_compound(&one.type))
		one.known = has_array(a, &one, &array);
	one.indexed = true;
	return one;
}

static struct content returned(struct pp_accesses *a, const struct pp_x86 *is, uint64_t address)
{
	struct content held = { .known = false };
	Dwarf_Die function, type;

	address += is->length + (uint64_t)is->target;
	held.known = is->direct && a->of.find(a->of.arg, address, &function) &&
		     pp_dwarf_type(&function, &type) && pp_dwarf_pointee(&type, &held.type);
	return held;
}

static struct content result(struct pp_accesses *a, const struct register_state *s, const struct pp_x86 *is,
			     uint64_t address)
{
	struct content held = { .known = false };

	switch (is->kind) {
	case PP_X86_MOVE:
		return in_register(a, s, is->from, address);
	case PP_X86_LOAD:
		held = operand(a, s, is, address);
		return pointer_in(a, &held);
	case PP_X86_ADDRESS:
		held = operand(a, s, is, address);
		return address_of_held(a, held, is->index != PP_X86_NONE);
	case PP_X86_ADD:
		held = in_register(a, s, is->to, address);
		held.offset = (int64_t)((uint64_t)held.offset + (uint64_t)is->number);
		return held;
	case PP_X86_ADD_REGISTER:
		return sum(a, in_register(a, s, is->to, address), in_register(a, s, is->from, address));
	case PP_X86_CALL:
		return returned(a, is, address);
	default:
		return held;
	}
}

static void step(struct pp_accesses *a, struct register_state *s, const struct instruction *i)
{
	const uint64_t address = a->of.start + i->at;
	const struct content held = result(a, s, &i->is, address);
	const unsigned changes = i->is.changes | (i->is.kind == PP_X86_CALL ? PP_X86_CALLER_SAVED : 0);

	for (unsigned reg = 0; reg < PP_X86_REGISTERS; reg++)
		if (changes >> reg & 1)
			s->of[reg].known = false;
	if (i->is.to < PP_X86_REGISTERS)
		s->of[i->is.to] = held;
	else if (i->is.kind == PP_X86_CALL)
		s->of[PP_X86_RAX] = held;
}

/* Variables that were in registers before it, and need not be said to be there after it. */
static void note_variables(struct pp_accesses *a, struct register_state *s, uint64_t address)
{
	for (size_t i = 0; i < a->now->variables.n; i++) {
		const struct pp_variable *const v = &a->now->variables.items[i];

		if (v->start == address && v->kind != PP_VARIABLE_AT && v->reg < PP_X86_REGISTERS) {
			const struct content held = by_variables(a, v->reg, address);

			if (held.known)
				s->of[v->reg] = held;
		}
	}
}

/* ---- The blocks of a function ---- */

/* The instruction at an offset, or NULL. */
static struct instruction *at_offset(const struct pp_accesses *a, uint64_t offset)
{
	const size_t n = pp_after(a->now->items, a->now->n_items, sizeof(*a->now->items), offset);

	return n && a->now->items[n - 1].at == offset ? &a->now->items[n - 1] : NULL;
}

static struct instruction *target_of(const struct pp_accesses *a, const struct instruction *i)
{
	return i->is.direct && i->is.kind != PP_X86_CALL ?
	       at_offset(a, i->at + i->is.length + (uint64_t)i->is.target) : NULL;
}

/* The last one that does not begin after an instruction. */
static struct block *block_of(const struct pp_accesses *a, const struct instruction *i)
{
	return &a->now->blocks[pp_after(a->now->blocks, a->now->n_blocks, sizeof(*a->now->blocks),
					(uint64_t)(i - a->now->items)) - 1];
}

static bool ends_block(const struct instruction *i)
{
	return i->is.kind >= PP_X86_JUMP;
}

static bool same(const struct content *x, const struct content *y)
{
	if (!x->known || !y->known)
		return x->known == y->known;
	return x->type.addr == y->type.addr && x->offset == y->offset && x->loose == y->loose &&
	       x->single == y->single && x->indexed == y->indexed;
}

static bool is_small(int64_t offset)
{
	return offset == (int32_t)offset;
}

/* Whether two pointers may be one that goes from thing to thing: of such a type, or of an array in it. */
static bool are_steps(struct pp_accesses *a, struct content *x, const struct content *y)
{
	struct array array;
	uint64_t size;
	int64_t apart;

	if (!x->known || !y->known || x->type.addr != y->type.addr || x->single != y->single ||
	    !is_small(x->offset) || !is_small(y->offset) || !pp_dwarf_size(&x->type, &size) || !size ||
	    size > UINT32_MAX)
		return false;
	apart = y->offset - x->offset;
	if (!apart || (!x->single && !(apart % (int64_t)size)))
		return true;
	return has_array(a, x, &array) && array.size <= UINT32_MAX && apart >= -(int64_t)array.before &&
	       apart <= (int64_t)(array.size - array.before) && !(apart % (int64_t)array.step);
}

/* Goes on from a state into a block. */
static void enter(struct pp_accesses *a, struct block *to, const struct register_state *from)
{
	if (!to->reached) {
		to->before = *from;
		to->reached = to->changed = true;
		return;
	}
	for (unsigned i = 0; i < PP_X86_REGISTERS; i++) {
		struct content *const held = &to->before.of[i];
		const struct content *const other = &from->of[i];
		const struct content before = *held;

		if (!held->known)
			continue;
		held->known = are_steps(a, held, other);
		held->loose |= other->loose || held->offset != other->offset;
		held->indexed |= other->indexed;
		to->changed |= !same(held, &before);
	}
}

static size_t after(const struct pp_accesses *a, size_t block)
{
	return block + 1 < a->now->n_blocks ? a->now->blocks[block + 1].first : a->now->n_items;
}

static void go_through(struct pp_accesses *a, size_t number)
{
	struct register_state s = a->now->blocks[number].before;
	const size_t end = after(a, number);
	const struct instruction *i = NULL;
	struct instruction *target;

	a->now->blocks[number].changed = false;
	for (size_t n = a->now->blocks[number].first; n < end; n++) {
		i = &a->now->items[n];
		note_variables(a, &s, a->of.start + i->at);
		step(a, &s, i);
		a->steps += a->steps > 0 ? -1 : 0;
	}
	target = target_of(a, i);
	if (target)
		enter(a, block_of(a, target), &s);
	if (i->is.kind != PP_X86_JUMP && i->is.kind != PP_X86_END && number + 1 < a->now->n_blocks)
		enter(a, &a->now->blocks[number + 1], &s);
	/* by a table, it may go on anywhere */
	for (size_t n = 0; i->is.kind == PP_X86_JUMP && !i->is.direct && n < a->now->n_blocks; n++)
		enter(a, &a->now->blocks[n], &s);
}

/* Until nothing changes any more: what is known of a register can only become less. */
static void follow_blocks(struct pp_accesses *a)
{
	bool changed = a->now->n_blocks > 0;

	if (!changed)
		return;
	a->steps = a->now->n_items * STEPS;
	if (a->steps > (size_t)SCANS_MOST * 4 / (a->now->variables.n + 1))
		a->steps = (size_t)SCANS_MOST * 4 / (a->now->variables.n + 1);
	a->now->blocks[0].reached = a->now->blocks[0].changed = true;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < a->now->n_blocks; i++) {
			if (!a->now->blocks[i].changed)
				continue;
			changed = true;
			if (!a->steps)
				return;
			go_through(a, i);
		}
	}
	a->now->followed = true;
}

/* 0, or -1: memory. */
static int find_blocks(struct pp_accesses *a, bool *begins)
{
	begins[0] = true;
	for (size_t i = 0; i < a->now->n_items; i++) {
		struct instruction *const target = target_of(a, &a->now->items[i]);

		if (target)
			begins[target - a->now->items] = true;
		if (ends_block(&a->now->items[i]) && i + 1 < a->now->n_items)
			begins[i + 1] = true;
	}
	for (size_t i = 0; i < a->now->n_items; i++) {
		if (!begins[i])
			continue;
		if (a->now->n_blocks == BLOCKS_MOST) {
			a->now->n_blocks = 0;
			return 0;
		}
		if (PP_GROW(&a->now->blocks, &a->now->room_blocks, a->now->n_blocks + 1, NULL))
			return -1;
		a->now->blocks[a->now->n_blocks] = (struct block){ .first = i };
		a->now->n_blocks++;
	}
	return 0;
}

/* ---- The function ---- */

/* Its code in the file; NULL: it is not there. */
static const uint8_t *code_at(const struct pp_image *image, uint64_t address, uint64_t size)
{
	const uint8_t *const bytes = image->main.copy.bytes;
	const uint64_t all = image->main.copy.elf.from.size;
	uint64_t offset;

	return bytes && pp_image_offset(image, address, &offset) && offset <= all && size <= all - offset ?
	       bytes + offset : NULL;
}

static int decode(struct pp_accesses *a, const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at < size) {
		if (PP_GROW(&a->now->items, &a->now->room_items, a->now->n_items + 1, NULL))
			return -1;
		a->now->items[a->now->n_items].at = at;
		/* it is not known where the next one begins */
		if (!pp_x86_decode(code + at, size - at, &a->now->items[a->now->n_items].is))
			break;
		at += a->now->items[a->now->n_items++].is.length;
	}
	return 0;
}

/* Whether that is all of it. */
static bool is_decoded(const struct pp_accesses *a, uint64_t size)
{
	const struct instruction *const last = a->now->n_items ? &a->now->items[a->now->n_items - 1] : NULL;

	return last && last->at + last->is.length == size;
}

/* The one that is known, or else the place of what was not asked for for longest. */
static struct function_code *place_of(struct pp_accesses *a, const struct pp_accesses_function *f)
{
	struct function_code *oldest = a->codes;

	for (size_t i = 0; i < CODES; i++) {
		struct function_code *const c = &a->codes[i];

		if (c->die == f->die->addr && c->start == f->start && c->end == f->end)
			return c;
		if (c->used < oldest->used)
			oldest = c;
	}
	oldest->die = NULL;
	return oldest;
}

/* Reads a function: 0, or -1: memory. */
static int read_function_code(struct pp_accesses *a)
{
	const uint64_t size = a->of.end - a->of.start;
	const uint8_t *code;
	bool *begins;
	int failed;

	a->now->n_items = a->now->n_blocks = a->now->variables.n = 0;
	a->now->followed = false;
	code = a->is_x86 && size <= CODE_MOST ? code_at(a->image, a->of.start, size) : NULL;
	if (code && (decode(a, code, size) || pp_variables_read(&a->now->variables, a->of.die, &a->budget)))
		return -1;
	find_base(a);
	/* what could not be decoded may lead back to what was, with anything in its registers */
	if (!is_decoded(a, size) || (a->now->variables.n + 1) * a->now->n_items > SCANS_MOST)
		return 0;
	begins = calloc(a->now->n_items, sizeof(*begins));
	failed = !begins || find_blocks(a, begins);
	free(begins);
	if (!failed)
		follow_blocks(a);
	return failed ? -1 : 0;
}

static int begin(struct pp_accesses *a, const struct pp_accesses_function *f)
{
	a->of = *f;
	a->now = place_of(a, f);
	a->now->used = ++a->clock;
	if (a->now->die)
		return 0;
	if (read_function_code(a))
		return -1;
	a->now->start = f->start;
	a->now->end = f->end;
	a->now->die = f->die->addr;
	return 0;
}

/* ---- An instruction ---- */

/* What registers point to when it is reached. */
static void state_at(struct pp_accesses *a, const struct instruction *i, struct register_state *s)
{
	const struct block *block;

	memset(s, 0, sizeof(*s));
	if (!a->now->followed)
		return;
	block = block_of(a, i);
	*s = block->before;
	for (const struct instruction *at = a->now->items + block->first;; at++) {
		note_variables(a, s, a->of.start + at->at);
		if (at == i)
			return;
		step(a, s, at);
	}
}

/* Adds a text: where it is in a->text, or -1: memory. */
static int put(struct pp_accesses *a, const char *text)
{
	const size_t at = a->text.size;

	return pp_buffer_add(&a->text, text, strlen(text) + 1, NULL) ? -1 : (int)at;
}

static int name(struct pp_accesses *a, struct content *held, struct pp_line_data *to)
{
	size_t member;

	if (pp_dwarf_name(&held->type, &a->text) || put(a, "") < 0)
		return -1;
	member = a->text.size;
	if (pp_dwarf_path(&held->type, (uint64_t)held->offset, &a->text, &a->budget) || put(a, "") < 0)
		return -1;
	to->type = (const char *)a->text.data;
	to->member = to->type + member;
	to->offset = (uint32_t)held->offset;
	return 0;
}

/* What an instruction accesses that is no variable; NULL: it may be one. */
static const char *without_variables(const struct pp_x86 *is)
{
	if (is->stack)
		return PP_DATA_STACK;
	return is->memory && is->segment == 'f' && is->base == PP_X86_NONE && is->index == PP_X86_NONE &&
	       is->displacement == CANARY ? PP_DATA_CANARY : NULL;
}

void pp_accesses_bare(const struct pp_accesses *a, uint64_t address, struct pp_line_data *to)
{
	enum { LONGEST = 15 };
	const uint8_t *code = NULL;
	struct pp_x86 is;
	size_t n = LONGEST;

	*to = (struct pp_line_data){ .type = NULL };
	while (a->is_x86 && n && !(code = code_at(a->image, address, n)))
		n--;
	if (code && pp_x86_decode(code, n, &is))
		to->type = without_variables(&is);
}

int pp_accesses_at(struct pp_accesses *a, const struct pp_accesses_function *f, uint64_t address,
		   struct pp_line_data *to)
{
	const struct instruction *i;
	struct register_state s;
	struct content held;

	if (begin(a, f))
		return -1;
	i = at_offset(a, address - f->start);
	/* a comparison and the branch by it are done as one */
	if (i && i->is.kind == PP_X86_BRANCH && i > a->now->items && i[-1].is.compares)
		i--;
	if (!i)
		return 0;
	to->type = without_variables(&i->is);
	if (to->type || !i->is.memory)
		return 0;
	state_at(a, i, &s);
	held = operand(a, &s, &i->is, f->start + i->at);
	a->text.size = 0;
	return held.known && held.offset <= UINT32_MAX ? name(a, &held, to) : 0;
}
