/* dwarf_expression.c - evaluates the expressions of call frame information, in bounded time: those of PLTs
 * and signal frames count on a handful of operations, but there may be any. */
#include "unwind/unwind_step.h"

#include <dwarf.h>

enum { DEPTH = 64, STEPS = 4096 };

struct evaluation {
	const struct frame *frame;
	struct dump *dump;
	struct cfi_bytes bytes;
	const uint8_t *start;
	uint64_t shift;
	uint64_t stack[DEPTH];
	unsigned depth;
	bool failed;
};

static uint64_t truncated(const struct evaluation *e, uint64_t value)
{
	return e->frame->machine->word == 4 ? value & UINT32_MAX : value;
}

static void push(struct evaluation *e, uint64_t value)
{
	if (e->depth == DEPTH)
		e->failed = true;
	else
		e->stack[e->depth++] = truncated(e, value);
}

static uint64_t pop(struct evaluation *e)
{
	if (e->depth)
		return e->stack[--e->depth];
	e->failed = true;
	return 0;
}

/* Element `n` from the top. */
static uint64_t pick(struct evaluation *e, uint64_t n)
{
	if (n < e->depth)
		return e->stack[e->depth - 1 - n];
	e->failed = true;
	return 0;
}

static int64_t as_signed(const struct evaluation *e, uint64_t value)
{
	return e->frame->machine->word == 4 ? (int32_t)value : (int64_t)value;
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
	const struct machine *const m = e->frame->machine;
	const uint8_t slot = machine_slot(m, number);

	/* x86 counts its program counter after the others: PLTs ask for it */
	if (slot == NO_SLOT && m->link == NO_SLOT && number == m->slots)
		push(e, e->frame->pc + (uint64_t)offset);
	else if (slot == NO_SLOT || !(e->frame->known >> slot & 1))
		e->failed = true;
	else
		push(e, e->frame->slots[slot] + (uint64_t)offset);
}

static void push_memory(struct evaluation *e, unsigned width)
{
	uint64_t value;

	if (width > 8 || !pp_unwind_dump_read(e->dump, pop(e), width, &value))
		e->failed = true;
	else
		push(e, value);
}

static void branch(struct evaluation *e, int64_t by)
{
	const int64_t at = e->bytes.at - e->start + by;

	if (at < 0 || at > e->bytes.end - e->start)
		e->failed = true;
	else
		e->bytes.at = e->start + at;
}

/* Constants and registers.  False: it is something else. */
static bool load(struct evaluation *e, uint8_t op)
{
	struct cfi_bytes *const b = &e->bytes;
	const unsigned word = e->frame->machine->word;
	uint64_t number;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		push(e, op - DW_OP_lit0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		push_register(e, op - DW_OP_breg0, pp_unwind_cfi_sleb(b));
	else if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		push_register(e, op - DW_OP_reg0, 0);
	else switch (op) {
	case DW_OP_addr:
		push(e, pp_unwind_cfi_number(b, word) + e->shift);
		break;
	case DW_OP_const1u: case DW_OP_const2u: case DW_OP_const4u: case DW_OP_const8u:
		push(e, pp_unwind_cfi_number(b, 1U << (op - DW_OP_const1u) / 2));
		break;
	case DW_OP_const1s: case DW_OP_const2s: case DW_OP_const4s: case DW_OP_const8s:
		push(e, (uint64_t)pp_unwind_cfi_signed(b, 1U << (op - DW_OP_const1s) / 2));
		break;
	case DW_OP_constu:
		push(e, pp_unwind_cfi_uleb(b));
		break;
	case DW_OP_consts:
		push(e, (uint64_t)pp_unwind_cfi_sleb(b));
		break;
	case DW_OP_regx:
		push_register(e, pp_unwind_cfi_uleb(b), 0);
		break;
	case DW_OP_bregx:
		number = pp_unwind_cfi_uleb(b);
		push_register(e, number, pp_unwind_cfi_sleb(b));
		break;
	case DW_OP_deref:
		push_memory(e, word);
		break;
	case DW_OP_deref_size:
		push_memory(e, (unsigned)pp_unwind_cfi_number(b, 1));
		break;
	default:
		return false;
	}
	return true;
}

static bool arrange(struct evaluation *e, uint8_t op)
{
	uint64_t top, second, third;

	switch (op) {
	case DW_OP_dup:
		push(e, pick(e, 0));
		break;
	case DW_OP_drop:
		(void)pop(e);
		break;
	case DW_OP_over:
		push(e, pick(e, 1));
		break;
	case DW_OP_pick:
		push(e, pick(e, pp_unwind_cfi_number(&e->bytes, 1)));
		break;
	case DW_OP_swap:
		top = pop(e);
		second = pop(e);
		push(e, top);
		push(e, second);
		break;
	case DW_OP_rot:
		top = pop(e);
		second = pop(e);
		third = pop(e);
		push(e, top);
		push(e, third);
		push(e, second);
		break;
	case DW_OP_skip:
		branch(e, pp_unwind_cfi_signed(&e->bytes, 2));
		break;
	case DW_OP_bra:
		top = (uint64_t)pp_unwind_cfi_signed(&e->bytes, 2);
		if (pop(e))
			branch(e, (int64_t)top);
		break;
	case DW_OP_nop:
		break;
	default:
		return false;
	}
	return true;
}

static bool change(struct evaluation *e, uint8_t op)
{
	const uint64_t value = e->depth ? pick(e, 0) : 0;

	switch (op) {
	case DW_OP_abs:
		(void)pop(e);
		push(e, as_signed(e, value) < 0 ? -value : value);
		break;
	case DW_OP_neg:
		(void)pop(e);
		push(e, -value);
		break;
	case DW_OP_not:
		(void)pop(e);
		push(e, ~value);
		break;
	case DW_OP_plus_uconst:
		(void)pop(e);
		push(e, value + pp_unwind_cfi_uleb(&e->bytes));
		break;
	default:
		return false;
	}
	return true;
}

static uint64_t divided(struct evaluation *e, uint64_t a, uint64_t b)
{
	const int64_t x = as_signed(e, a), y = as_signed(e, b);

	e->failed |= !y;
	if (!y)
		return 0;
	return y == -1 ? -a : (uint64_t)(x / y);
}

static uint64_t shifted(const struct evaluation *e, uint8_t op, uint64_t a, uint64_t b)
{
	const int64_t x = as_signed(e, a);

	if (op == DW_OP_shra)
		return (uint64_t)(x >> (b < 63 ? b : 63));
	if (b > 63)
		return 0;
	return op == DW_OP_shl ? a << b : a >> b;
}

static uint64_t combined(struct evaluation *e, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return divided(e, a, b);
	case DW_OP_mod:
		e->failed |= !b;
		return b ? a % b : 0;
	case DW_OP_shl: case DW_OP_shr: case DW_OP_shra:
		return shifted(e, op, a, b);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return as_signed(e, a) < as_signed(e, b);
	case DW_OP_le:
		return as_signed(e, a) <= as_signed(e, b);
	case DW_OP_gt:
		return as_signed(e, a) > as_signed(e, b);
	case DW_OP_ge:
		return as_signed(e, a) >= as_signed(e, b);
	default:
		e->failed = true;
		return 0;
	}
}

bool pp_unwind_expression_value(const struct frame *frame, struct dump *dump, struct cfi_bytes bytes,
				uint64_t shift, bool pushed, uint64_t initial, uint64_t *value)
{
	struct evaluation e = { .frame = frame, .dump = dump, .bytes = bytes, .start = bytes.at,
				.shift = shift };

	if (pushed)
		push(&e, initial);
	for (unsigned steps = 0; e.bytes.at < e.bytes.end && !e.failed && !e.bytes.over; steps++) {
		const uint8_t op = (uint8_t)pp_unwind_cfi_number(&e.bytes, 1);

		if (steps == STEPS)
			return false;
		if (load(&e, op) || arrange(&e, op) || change(&e, op))
			continue;
		if (op == DW_OP_stack_value)
			break;
		if (op == DW_OP_call_frame_cfa && pushed) {
			push(&e, initial);
		} else {
			const uint64_t b = pop(&e), a = pop(&e);

			push(&e, combined(&e, op, a, b));
		}
	}
	*value = pick(&e, 0);
	return !e.failed && !e.bytes.over;
}
