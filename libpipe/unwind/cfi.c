/*
 * cfi.c - finds the entry of an address, and executes its instructions once, into rows; libdw finds
 * the borders of entries, files are cfi_image.c's, and what is done with a row is unwind_step.c's.
 *
 *	from the start    CFA       rbp      return address
 *	+0                rsp + 8   same     at CFA - 8
 *	+1                rsp + 16  CFA-16   at CFA - 8         after push %rbp
 *	+4                rbp + 16  CFA-16   at CFA - 8         after mov %rsp, %rbp
 *
 * A row holds from its address to the next one's.  To step from a frame to its caller is to find the
 * row and to follow it; the instructions are not looked at again.
 *
 * An entry is executed here rather than by libdw, which would keep what a hostile one asks for: a
 * register's number may make it take gigabytes.
 */
#include "unwind/cfi.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "base/array.h"

enum {
	ROWS_MOST = 1 << 16,          /* of one entry */
	RULES_MOST = 1 << 23,         /* of a section: 64 MiB */
	REMEMBERED = 32,              /* states, one in the other */
	WORK = 4,                     /* times the section that may be executed: entries may overlap */
	WORK_LEAST = 1 << 20,
	NEGATE_RA_STATE = 0x2d,       /* AArch64: the return address is signed, or no more */
};

/* What a CIE says. */
struct common {
	Dwarf_CIE cie;
	uint8_t encoding;             /* of addresses */
	bool signal, sized;           /* after a signal; entries have a size of augmentation */
	uint8_t ra;
};

struct cfi_state {
	struct rule rules[SLOTS + 1];
	uint8_t cfa_kind, cfa_slot;
	uint16_t cfa_length;
	int32_t cfa;
};

struct execution {
	struct cfi *cfi;
	const struct common *common;
	uint64_t start, end, at;      /* of the entry; where it is */
	struct cfi_state now, first, kept[REMEMBERED];
	unsigned depth;
	size_t row;                   /* index of its first */
	bool initial;
};

static struct cfi_bytes bytes_of(const struct cfi *cfi, const uint8_t *at, const uint8_t *end)
{
	return (struct cfi_bytes){ .at = at, .end = end, .foreign = cfi->foreign };
}

static uint64_t cfi_mask(const struct cfi *cfi)
{
	return cfi->machine->word == 4 ? UINT32_MAX : UINT64_MAX;
}

/* ---- Addresses ---- */

/* An address in one of the forms of .eh_frame; `base` is that of DW_EH_PE_datarel. */
static uint64_t encoded(const struct cfi *cfi, struct cfi_bytes *b, uint8_t encoding, uint64_t here,
			uint64_t base)
{
	uint64_t value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		value = pp_unwind_cfi_number(b, cfi->machine->word);
		break;
	case DW_EH_PE_uleb128:
		value = pp_unwind_cfi_uleb(b);
		break;
	case DW_EH_PE_udata2:
		value = pp_unwind_cfi_number(b, 2);
		break;
	case DW_EH_PE_udata4:
		value = pp_unwind_cfi_number(b, 4);
		break;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = pp_unwind_cfi_number(b, 8);
		break;
	case DW_EH_PE_sleb128:
		value = (uint64_t)pp_unwind_cfi_sleb(b);
		break;
	case DW_EH_PE_sdata2:
		value = (uint64_t)pp_unwind_cfi_signed(b, 2);
		break;
	case DW_EH_PE_sdata4:
		value = (uint64_t)pp_unwind_cfi_signed(b, 4);
		break;
	default:
		b->over = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		value += here;
		break;
	case DW_EH_PE_datarel:
		value += base;
		break;
	default:
		b->over = true;
	}
	/* where it is only known to the program: no linker writes that here */
	if (encoding & DW_EH_PE_indirect)
		b->over = true;
	return value & cfi_mask(cfi);
}

/* ---- Entries ---- */

static Elf_Data section_of(const struct cfi *cfi)
{
	return (Elf_Data){ .d_buf = cfi->bytes, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT,
			   .d_size = cfi->size };
}

/* The letters of an augmentation that libdw leaves; false: it cannot be interpreted. */
static bool read_augmentation(const struct cfi *cfi, struct common *common)
{
	const char *letter = common->cie.augmentation;
	const uint8_t *const data = common->cie.augmentation_data;
	struct cfi_bytes b;

	if (!*letter)
		return true;
	if (*letter++ != 'z' || !data)
		return false;
	b = bytes_of(cfi, data, data + common->cie.augmentation_data_size);
	common->sized = true;
	for (; *letter; letter++) {
		switch (*letter) {
		case 'R':
			common->encoding = (uint8_t)pp_unwind_cfi_number(&b, 1);
			break;
		case 'P':
			(void)encoded(cfi, &b, pp_unwind_cfi_number(&b, 1) & 0x0f, 0, 0);
			break;
		case 'L':
			pp_unwind_cfi_skip(&b, 1);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': case 'G':             /* AArch64: the other key; tagged memory */
			break;
		default:                        /* its data were skipped by their size */
			return !b.over;
		}
	}
	return !b.over;
}

static bool read_common(const struct cfi *cfi, uint64_t offset, struct common *common)
{
	Elf_Data section = section_of(cfi);
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	*common = (struct common){ .encoding = DW_EH_PE_absptr };
	if (offset >= cfi->size ||
	    dwarf_next_cfi(cfi->ident, &section, cfi->eh, offset, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return false;
	common->cie = entry.cie;
	common->ra = machine_slot(cfi->machine, entry.cie.return_address_register);
	if (common->ra == NO_SLOT)
		common->ra = cfi->machine->slots;
	return read_augmentation(cfi, common);
}

/* The code that an entry is about, and its instructions. */
static bool read_range(const struct cfi *cfi, const struct common *common, const Dwarf_FDE *fde,
		       struct cfi_entry *entry, struct cfi_bytes *b)
{
	*b = bytes_of(cfi, fde->start, fde->end);
	entry->start = encoded(cfi, b, common->encoding,
			       cfi->address + (uint64_t)(fde->start - cfi->bytes), cfi->header_address);
	entry->end = entry->start + encoded(cfi, b, common->encoding & 0x0f, 0, 0);
	if (common->sized)
		pp_unwind_cfi_skip(b, pp_unwind_cfi_uleb(b));
	return !b->over && entry->end > entry->start;
}

/* ---- Instructions ---- */

static struct rule *rule_of(struct execution *x, uint64_t number)
{
	const struct machine *const m = x->cfi->machine;
	uint8_t slot = machine_slot(m, number);

	/* the column of a return address that is no register */
	if (slot == NO_SLOT && number == x->common->cie.return_address_register)
		slot = m->slots;
	return slot == NO_SLOT ? NULL : &x->now.rules[slot];
}

static bool narrow(int64_t value, int32_t *to)
{
	*to = (int32_t)value;
	return *to == value;
}

static bool set(struct execution *x, uint64_t number, enum rule_kind kind, int64_t value)
{
	struct rule *const rule = rule_of(x, number);
	int32_t small;

	if (!rule)
		return true;
	if (!narrow(value, &small))
		return false;
	*rule = (struct rule){ .slot = (uint8_t)(rule - x->now.rules), .kind = kind, .value = small };
	return true;
}

static bool set_expression(struct execution *x, struct cfi_bytes *b, uint64_t number,
			   enum rule_kind kind)
{
	const uint64_t length = pp_unwind_cfi_uleb(b);
	const uint64_t place = (uint64_t)(b->at - x->cfi->bytes);
	struct rule *const rule = rule_of(x, number);

	pp_unwind_cfi_skip(b, length);
	if (b->over || length > UINT16_MAX || place > INT32_MAX)
		return false;
	if (rule)
		*rule = (struct rule){ .slot = (uint8_t)(rule - x->now.rules), .kind = kind,
				       .length = (uint16_t)length, .value = (int32_t)place };
	return true;
}

static bool set_cfa(struct execution *x, uint64_t number, int64_t offset)
{
	const uint8_t slot = machine_slot(x->cfi->machine, number);

	x->now.cfa_kind = slot == NO_SLOT ? CFA_NONE : CFA_REGISTER;
	x->now.cfa_slot = slot;
	return narrow(offset, &x->now.cfa);
}

static bool restore(struct execution *x, uint64_t number)
{
	struct rule *const rule = rule_of(x, number);

	if (rule)
		*rule = x->first.rules[rule - x->now.rules];
	return !x->initial;
}

static bool in_other_register(struct execution *x, uint64_t number, uint64_t other)
{
	const uint8_t slot = machine_slot(x->cfi->machine, other);

	return slot == NO_SLOT ? set(x, number, RULE_UNDEFINED, 0) : set(x, number, RULE_IN, slot);
}

static bool same_rules(const struct cfi *cfi, const struct row *a, const struct row *b)
{
	return a->n_rules == b->n_rules && !memcmp(cfi->rules + a->rules, cfi->rules + b->rules,
						   a->n_rules * sizeof(*cfi->rules));
}

/* What holds from x->at becomes a row. */
static int add_row(struct execution *x)
{
	struct cfi *const cfi = x->cfi;
	const uint64_t at = x->at - x->start;
	struct row row = {
		.at = (uint32_t)at, .rules = (uint32_t)cfi->n_rules, .ra = x->common->ra,
		.flags = (x->common->signal ? ROW_SIGNAL : 0) | (cfi->eh ? 0 : ROW_DEBUG),
		.cfa_kind = x->now.cfa_kind, .cfa_slot = x->now.cfa_slot,
		.cfa_length = x->now.cfa_length, .cfa = x->now.cfa,
	};

	/* of two for the same place the second holds */
	if (cfi->n_rows > x->row && cfi->rows[cfi->n_rows - 1].at == row.at)
		cfi->n_rows--;
	if (at > UINT32_MAX || cfi->n_rows - x->row >= ROWS_MOST || cfi->n_rules >= RULES_MOST)
		return 0;
	if (PP_GROW(&cfi->rows, &cfi->room_rows, cfi->n_rows + 1, NULL) ||
	    PP_GROW(&cfi->rules, &cfi->room_rules, cfi->n_rules + SLOTS + 1, NULL))
		return -1;
	for (uint8_t slot = 0; slot <= cfi->machine->slots; slot++)
		if (x->now.rules[slot].slot != NO_SLOT) {
			cfi->rules[cfi->n_rules++] = x->now.rules[slot];
			row.n_rules++;
		}
	/* most instructions move the CFA only: the rules are those of the row before */
	if (cfi->n_rows > x->row && same_rules(cfi, &row, &cfi->rows[cfi->n_rows - 1])) {
		cfi->n_rules = row.rules;
		row.rules = cfi->rows[cfi->n_rows - 1].rules;
	}
	cfi->rows[cfi->n_rows++] = row;
	return 1;
}

static int advance(struct execution *x, uint64_t to)
{
	const int added = x->initial ? 0 : to > x->at ? add_row(x) : to == x->at;

	x->at = to;
	return added;
}

/* Instructions with an operand in their own byte; as those below. */
static int execute_short(struct execution *x, struct cfi_bytes *b, uint8_t op)
{
	const Dwarf_CIE *const cie = &x->common->cie;
	const uint8_t operand = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(x, x->at + operand * cie->code_alignment_factor);
	case DW_CFA_offset:
		return set(x, operand, RULE_AT, (int64_t)(pp_unwind_cfi_uleb(b) *
							  (uint64_t)cie->data_alignment_factor));
	default:
		return restore(x, operand);
	}
}

static int keep(struct execution *x, bool keep_it)
{
	if (keep_it ? x->depth == REMEMBERED : !x->depth)
		return 0;
	if (keep_it)
		x->kept[x->depth++] = x->now;
	else
		x->now = x->kept[--x->depth];
	return 1;
}

/* 1, 0: it cannot be, -1: memory. */
static int execute_cfa(struct execution *x, struct cfi_bytes *b, uint8_t op)
{
	const uint64_t factor = (uint64_t)x->common->cie.data_alignment_factor;
	uint64_t number;

	switch (op) {
	case DW_CFA_def_cfa:
		number = pp_unwind_cfi_uleb(b);
		return set_cfa(x, number, (int64_t)pp_unwind_cfi_uleb(b));
	case DW_CFA_def_cfa_sf:
		number = pp_unwind_cfi_uleb(b);
		return set_cfa(x, number, (int64_t)((uint64_t)pp_unwind_cfi_sleb(b) * factor));
	case DW_CFA_def_cfa_register:
		return set_cfa(x, pp_unwind_cfi_uleb(b), x->now.cfa);
	case DW_CFA_def_cfa_offset:
		return narrow((int64_t)pp_unwind_cfi_uleb(b), &x->now.cfa);
	case DW_CFA_def_cfa_offset_sf:
		return narrow((int64_t)((uint64_t)pp_unwind_cfi_sleb(b) * factor), &x->now.cfa);
	case DW_CFA_def_cfa_expression:
		number = pp_unwind_cfi_uleb(b);
		if (number > UINT16_MAX || b->at - x->cfi->bytes > INT32_MAX)
			return 0;
		x->now.cfa_kind = CFA_EXPRESSION;
		x->now.cfa_length = (uint16_t)number;
		x->now.cfa = (int32_t)(b->at - x->cfi->bytes);
		pp_unwind_cfi_skip(b, number);
		return 1;
	default:
		return 0;
	}
}

static int execute_rule(struct execution *x, struct cfi_bytes *b, uint8_t op)
{
	const uint64_t factor = (uint64_t)x->common->cie.data_alignment_factor;
	const uint64_t number = pp_unwind_cfi_uleb(b);

	switch (op) {
	case DW_CFA_offset_extended:
		return set(x, number, RULE_AT, (int64_t)(pp_unwind_cfi_uleb(b) * factor));
	case DW_CFA_offset_extended_sf:
		return set(x, number, RULE_AT, (int64_t)((uint64_t)pp_unwind_cfi_sleb(b) * factor));
	case DW_CFA_GNU_negative_offset_extended:
		return set(x, number, RULE_AT, -(int64_t)(pp_unwind_cfi_uleb(b) * factor));
	case DW_CFA_val_offset:
		return set(x, number, RULE_IS, (int64_t)(pp_unwind_cfi_uleb(b) * factor));
	case DW_CFA_val_offset_sf:
		return set(x, number, RULE_IS, (int64_t)((uint64_t)pp_unwind_cfi_sleb(b) * factor));
	case DW_CFA_restore_extended:
		return restore(x, number);
	case DW_CFA_undefined:
		return set(x, number, RULE_UNDEFINED, 0);
	case DW_CFA_same_value:
		return set(x, number, RULE_SAME, 0);
	case DW_CFA_register:
		return in_other_register(x, number, pp_unwind_cfi_uleb(b));
	case DW_CFA_expression:
		return set_expression(x, b, number, RULE_AT_EXPRESSION);
	case DW_CFA_val_expression:
		return set_expression(x, b, number, RULE_IS_EXPRESSION);
	default:
		return 0;
	}
}

static int execute(struct execution *x, struct cfi_bytes *b)
{
	const uint64_t scale = x->common->cie.code_alignment_factor;
	const uint8_t op = (uint8_t)pp_unwind_cfi_number(b, 1);

	if (op & 0xc0)
		return execute_short(x, b, op);
	switch (op) {
	case DW_CFA_nop:
	case NEGATE_RA_STATE:           /* what signs it is cut off in any case */
		return 1;
	case DW_CFA_set_loc:
		return advance(x, encoded(x->cfi, b, x->common->encoding,
					  x->cfi->address + (uint64_t)(b->at - x->cfi->bytes),
					  x->cfi->header_address));
	case DW_CFA_advance_loc1:
		return advance(x, x->at + pp_unwind_cfi_number(b, 1) * scale);
	case DW_CFA_advance_loc2:
		return advance(x, x->at + pp_unwind_cfi_number(b, 2) * scale);
	case DW_CFA_advance_loc4:
		return advance(x, x->at + pp_unwind_cfi_number(b, 4) * scale);
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return keep(x, op == DW_CFA_remember_state);
	case DW_CFA_GNU_args_size:
		(void)pp_unwind_cfi_uleb(b);
		return 1;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return execute_cfa(x, b, op);
	default:
		return execute_rule(x, b, op);
	}
}

/* All of them: 1, 0: what comes after here cannot be, -1: memory. */
static int execute_all(struct execution *x, struct cfi_bytes b)
{
	int result = 1;

	x->cfi->work += (uint64_t)(b.end - b.at);
	while (result > 0 && b.at < b.end) {
		result = execute(x, &b);
		if (b.over && result > 0)
			result = 0;
	}
	return result;
}

/* Executes an entry.  1, 0: it cannot be; -1: memory. */
static int compile(struct cfi *cfi, const struct common *common, struct cfi_entry *entry,
		   struct cfi_bytes instructions)
{
	struct execution x = { .cfi = cfi, .common = common, .start = entry->start, .at = entry->start,
			       .end = entry->end, .row = cfi->n_rows, .initial = true };
	const struct cfi_bytes initial = bytes_of(cfi, common->cie.initial_instructions,
						  common->cie.initial_instructions_end);
	int result;

	for (size_t i = 0; i <= SLOTS; i++)
		x.now.rules[i].slot = NO_SLOT;
	x.first = x.now;
	result = execute_all(&x, initial);
	x.first = x.now;
	x.initial = false;
	if (result > 0)
		result = execute_all(&x, instructions);
	if (result >= 0 && x.at < x.end)
		result = add_row(&x) < 0 ? -1 : result;
	entry->first = (uint32_t)x.row;
	entry->count = (uint32_t)(cfi->n_rows - x.row);
	return result;
}

/* ---- Finding ---- */

/* Compiles the entry at an offset: its number, -1: memory, -2: it cannot be. */
static int64_t compile_at(struct cfi *cfi, uint64_t offset)
{
	Elf_Data section = section_of(cfi);
	struct cfi_bytes instructions;
	struct cfi_entry entry = { .start = 0 };
	struct common common;
	Dwarf_CFI_Entry found;
	Dwarf_Off next;

	if (cfi->work / WORK > cfi->size && cfi->work > WORK_LEAST) {
		cfi->damaged = true;
		return -2;
	}
	if (dwarf_next_cfi(cfi->ident, &section, cfi->eh, offset, &next, &found) ||
	    dwarf_cfi_cie_p(&found) || !read_common(cfi, found.fde.CIE_pointer, &common) ||
	    !read_range(cfi, &common, &found.fde, &entry, &instructions)) {
		cfi->damaged = true;
		entry.end = entry.start;
	} else {
		const int result = compile(cfi, &common, &entry, instructions);

		if (result < 0)
			return -1;
		cfi->damaged |= !result;
	}
	if (PP_GROW(&cfi->entries, &cfi->room_entries, cfi->n_entries + 1, NULL) ||
	    pp_idmap_set(&cfi->compiled, offset, cfi->n_entries))
		return -1;
	cfi->entries[cfi->n_entries] = entry;
	return (int64_t)cfi->n_entries++;
}

static int by_start(const void *a, const void *b)
{
	const struct cfi_range *const x = a, *const y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Notes the code of all entries, of a section without a table of them.  0, -1: memory. */
static int make_index(struct cfi *cfi)
{
	Elf_Data section = section_of(cfi);
	uint64_t known = UINT64_MAX;
	struct common common = { .sized = false };
	bool usable = false;

	cfi->indexed = true;
	for (Dwarf_Off at = 0, next; at < cfi->size; at = next) {
		struct cfi_bytes rest;
		struct cfi_entry entry;
		Dwarf_CFI_Entry found;
		const int got = dwarf_next_cfi(cfi->ident, &section, cfi->eh, at, &next, &found);

		if (got > 0 || next <= at)
			break;
		if (got < 0) {
			cfi->damaged = true;
			if (next >= cfi->size)
				break;
			continue;
		}
		if (dwarf_cfi_cie_p(&found))
			continue;
		if (found.fde.CIE_pointer != known) {
			known = found.fde.CIE_pointer;
			usable = read_common(cfi, known, &common);
		}
		if (!usable || !read_range(cfi, &common, &found.fde, &entry, &rest))
			continue;
		if (PP_GROW(&cfi->ranges, &cfi->room_ranges, cfi->n_ranges + 1, NULL))
			return -1;
		cfi->ranges[cfi->n_ranges++] = (struct cfi_range){ entry.start, entry.end, at };
	}
	if (cfi->n_ranges)
		qsort(cfi->ranges, cfi->n_ranges, sizeof(*cfi->ranges), by_start);
	return 0;
}

/* The offset of the entry that may cover an address, or UINT64_MAX. */
static uint64_t in_table(const struct cfi *cfi, uint64_t address)
{
	const uint64_t base = cfi->header_address;
	size_t low = 0, high = cfi->n_pairs;
	uint64_t place;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const uint32_t start = pp_in_order32(cfi->pairs + 8 * middle, cfi->foreign);

		if (((base + (uint64_t)(int64_t)(int32_t)start) & cfi_mask(cfi)) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return UINT64_MAX;
	place = pp_in_order32(cfi->pairs + 8 * (low - 1) + 4, cfi->foreign);
	place = (base + (uint64_t)(int64_t)(int32_t)place) & cfi_mask(cfi);
	return place - cfi->address < cfi->size ? place - cfi->address : UINT64_MAX;
}

static uint64_t in_ranges(const struct cfi *cfi, uint64_t address)
{
	const size_t after = pp_after(cfi->ranges, cfi->n_ranges, sizeof(*cfi->ranges), address);

	return after && address < cfi->ranges[after - 1].end ? cfi->ranges[after - 1].offset : UINT64_MAX;
}

int pp_unwind_cfi_find(struct cfi *cfi, uint64_t address, uint32_t *row)
{
	const struct cfi_entry *entry;
	const uint64_t *known;
	uint64_t offset;
	int64_t number;
	size_t low, high;

	if (!cfi->bytes)
		return 0;
	if (!cfi->pairs && !cfi->indexed && make_index(cfi))
		return -1;
	offset = cfi->pairs ? in_table(cfi, address) : in_ranges(cfi, address);
	if (offset == UINT64_MAX)
		return 0;
	known = pp_idmap_find(&cfi->compiled, offset);
	number = known ? (int64_t)*known : compile_at(cfi, offset);
	if (number < 0)
		return number == -1 ? -1 : 0;
	entry = &cfi->entries[number];
	if (address < entry->start || address >= entry->end)
		return 0;
	low = entry->first;
	high = low + entry->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (cfi->rows[middle].at <= address - entry->start)
			low = middle + 1;
		else
			high = middle;
	}
	*row = (uint32_t)low - 1;
	return low > entry->first;
}

/* ---- Sections ---- */

void pp_unwind_cfi_open(struct cfi *cfi)
{
	struct cfi_bytes b;
	uint8_t version, place, count, table;
	uint64_t n;

	if (!cfi->header)
		return;
	b = bytes_of(cfi, cfi->header, cfi->header + cfi->header_size);
	version = (uint8_t)pp_unwind_cfi_number(&b, 1);
	place = (uint8_t)pp_unwind_cfi_number(&b, 1);
	count = (uint8_t)pp_unwind_cfi_number(&b, 1);
	table = (uint8_t)pp_unwind_cfi_number(&b, 1);
	(void)encoded(cfi, &b, place & 0x0f, 0, 0);
	n = encoded(cfi, &b, count & 0x0f, 0, 0);
	if (b.over || version != 1 || count == DW_EH_PE_omit ||
	    table != (DW_EH_PE_datarel | DW_EH_PE_sdata4) || !n ||
	    !pp_fits_n(n, 8, (uint64_t)(b.end - b.at)))
		return;
	cfi->pairs = b.at;
	cfi->n_pairs = (size_t)n;
}

uint64_t pp_unwind_cfi_held(const struct cfi *cfi)
{
	return cfi->size + cfi->header_size + cfi->room_ranges * sizeof(*cfi->ranges) +
	       cfi->room_rows * sizeof(*cfi->rows) + cfi->room_rules * sizeof(*cfi->rules) +
	       cfi->room_entries * sizeof(*cfi->entries) + cfi->compiled.room * 16;
}

void pp_unwind_cfi_close(struct cfi *cfi)
{
	pp_idmap_close(&cfi->compiled);
	free(cfi->entries);
	free(cfi->rules);
	free(cfi->rows);
	free(cfi->ranges);
	free(cfi->header);
	free(cfi->bytes);
	*cfi = (struct cfi){ .bytes = NULL };
}
