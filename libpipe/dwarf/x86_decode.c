/*
 * x86_decode.c - decodes instructions of x86-64, as far as lengths, operands in memory and registers go;
 * what is not known of an instruction counts as a change of all that it may change.
 *
 * Tables of operands are those of the opcode maps in Intel's manual (volume 2, appendix A).
 */
#include "dwarf/x86_decode.h"

#include <string.h>

/*
 * What follows an opcode: m a ModRM byte; b, w, z, d, v an immediate of 1, 2, 2 or 4, 4, 2 to 8 bytes; M, Z a
 * ModRM byte and a b or z; g, G the same where it is a test; o an address; e 3 bytes; . nothing.  x: there is
 * no such instruction; others lead to a further byte, a map or a prefix.
 */
static const char one_byte[] =
	"mmmmbzxxmmmmbzx0" "mmmmbzxxmmmmbzxx" "mmmmbzpxmmmmbzpx" "mmmmbzpxmmmmbzpx"
	"RRRRRRRRRRRRRRRR" "................" "xxEmppppzZbM...." "bbbbbbbbbbbbbbbb"
	"MZxMmmmmmmmmmmmm" "..........x....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
	"MMw.VUMZe.w..bx." "mmmmxxx.mmmmmmmm" "bbbbbbbbddxb...." "p.pp..gG......mm";
static const char two_byte[] =
	"mmmmx.....x.xm.M" "mmmmmmmmmmmmmmmm" "mmmmxxxxmmmmmmmm" "......x.8xAxxxxx"
	"mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "MMMMmmm.mmxxmmmm"
	"dddddddddddddddd" "mmmmmmmmmmmmmmmm" "...mMmxx...mMmmm" "mmmmmmmmmmMmmmmm"
	"mmMmMMMm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";

/* DWARF's numbers of the registers in the order of the machine's. */
static const uint8_t numbers[] = {
	PP_X86_RAX, PP_X86_RCX, PP_X86_RDX, PP_X86_RBX, PP_X86_RSP, PP_X86_RBP, PP_X86_RSI, PP_X86_RDI,
	8, 9, 10, 11, 12, 13, 14, 15,
};

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
enum { STRING_REGISTERS = 1 << PP_X86_RAX | 1 << PP_X86_RCX | 1 << PP_X86_RSI | 1 << PP_X86_RDI };

struct decoding {
	const uint8_t *at, *end;
	struct pp_x86 *to;
	bool operand_size, address_size, repeat, vex, evex;
	uint8_t rex, map, opcode;     /* map: 1, or 2, 3, 4 of 0F, 0F 38, 0F 3A */
	char what;                    /* follows the opcode */
	bool has_modrm;
	uint8_t mod, reg, rm;         /* the last two with REX's bits */
};

/* ---- Bytes ---- */

static bool next(struct decoding *d, uint8_t *byte)
{
	if (d->at == d->end)
		return false;
	*byte = *d->at++;
	return true;
}

/* A number of 1, 2, 4 or 8 bytes, the lowest first. */
static bool number(struct decoding *d, unsigned size, int64_t *value)
{
	uint64_t read = 0;

	if ((size_t)(d->end - d->at) < size)
		return false;
	for (unsigned i = 0; i < size; i++)
		read |= (uint64_t)d->at[i] << 8 * i;
	d->at += size;
	*value = size == 1 ? (int8_t)read : size == 2 ? (int16_t)read : size == 4 ? (int32_t)read :
		 (int64_t)read;
	return true;
}

/* ---- Up to the opcode ---- */

static bool read_prefixes(struct decoding *d, uint8_t *byte)
{
	while (next(d, byte)) {
		switch (one_byte[*byte]) {
		case 'p':
			d->rex = 0;
			d->operand_size |= *byte == 0x66;
			d->address_size |= *byte == 0x67;
			d->repeat |= *byte == 0xf2 || *byte == 0xf3;
			if (*byte == 0x64 || *byte == 0x65)
				d->to->segment = *byte == 0x64 ? 'f' : 'g';
			break;
		case 'R':
			d->rex = *byte;
			break;
		default:
			return true;
		}
	}
	return false;
}

/* VEX of 2 or 3 bytes, EVEX of 4: the bits of REX are in them, some upside down. */
static bool read_vex(struct decoding *d, char kind)
{
	uint8_t bytes[3] = { 0 };
	const unsigned n = kind == 'U' ? 1 : kind == 'V' ? 2 : 3;

	for (unsigned i = 0; i < n; i++)
		if (!next(d, &bytes[i]))
			return false;
	d->vex = true;
	d->evex = kind == 'E';
	d->rex = (bytes[0] & 0x80 ? 0 : REX_R);
	d->map = 2;
	if (kind != 'U') {
		const uint8_t map = bytes[0] & (d->evex ? 7 : 31);

		d->rex |= (bytes[0] & 0x40 ? 0 : REX_X) | (bytes[0] & 0x20 ? 0 : REX_B) |
			  (bytes[1] & 0x80 ? REX_W : 0);
		/* those of half precision are laid out as the map of 0F */
		if (!map || map > 6 || map == 4)
			return false;
		d->map = map > 4 ? 2 : map + 1;
	}
	return next(d, &d->opcode);
}

static bool read_opcode(struct decoding *d)
{
	uint8_t byte;

	if (!read_prefixes(d, &byte))
		return false;
	d->map = 1;
	d->opcode = byte;
	d->what = one_byte[byte];
	if (d->what == 'V' || d->what == 'U' || d->what == 'E') {
		if (!read_vex(d, d->what))
			return false;
		d->what = d->map == 2 ? two_byte[d->opcode] : d->map == 3 ? 'm' : 'M';
		return d->what == 'm' || d->what == 'M' || d->opcode == 0x77;
	}
	if (d->what == '0') {
		if (!next(d, &d->opcode))
			return false;
		d->map = 2;
		d->what = two_byte[d->opcode];
	}
	if (d->what == '8' || d->what == 'A') {
		d->map = d->what == '8' ? 3 : 4;
		d->what = d->what == '8' ? 'm' : 'M';
		return next(d, &d->opcode);
	}
	return d->what != 'x';
}

/* ---- Operands ---- */

static uint8_t plain(const struct decoding *d, uint8_t field, uint8_t bit)
{
	return numbers[(field & 7) | (d->rex & bit ? 8 : 0)];
}

static bool read_memory(struct decoding *d)
{
	struct pp_x86 *const to = d->to;
	const uint8_t low = d->rm & 7;
	uint8_t sib = 0;

	to->base = plain(d, low, REX_B);
	if (low == 4) {
		if (!next(d, &sib))
			return false;
		to->scale = (uint8_t)(1 << (sib >> 6));
		to->base = plain(d, sib, REX_B);
		if ((sib >> 3 & 7) != 4 || d->rex & REX_X)
			to->index = plain(d, sib >> 3, REX_X);
	}
	to->vague = d->address_size || (d->evex && d->mod == 1) ||
		    (d->vex && d->map == 3 && d->opcode >= 0x90 && d->opcode <= 0x93);
	if (!d->mod && (low == 5 || (low == 4 && (sib & 7) == 5))) {
		to->base = low == 5 ? PP_X86_RIP : PP_X86_NONE;
		return number(d, 4, &to->displacement);
	}
	return !d->mod || number(d, d->mod == 1 ? 1 : 4, &to->displacement);
}

static bool read_modrm(struct decoding *d)
{
	uint8_t byte;

	if (!next(d, &byte))
		return false;
	d->has_modrm = true;
	d->mod = byte >> 6;
	d->reg = byte >> 3 & 7;
	d->rm = byte & 7;
	/* of control registers it counts as 3 */
	if (!d->vex && d->map == 2 && d->opcode >= 0x20 && d->opcode <= 0x23)
		d->mod = 3;
	d->to->memory = d->mod != 3;
	return d->mod == 3 || read_memory(d);
}

static bool read_operands(struct decoding *d)
{
	const unsigned z = d->operand_size ? 2 : 4;
	int64_t *const n = &d->to->number;

	switch (d->what) {
	case 'm':
		return read_modrm(d);
	case 'M':
		return read_modrm(d) && number(d, 1, n);
	case 'Z':
		return read_modrm(d) && number(d, z, n);
	case 'g':
		return read_modrm(d) && (d->reg > 1 || number(d, 1, n));
	case 'G':
		return read_modrm(d) && (d->reg > 1 || number(d, z, n));
	case 'b':
		return number(d, 1, n);
	case 'w':
		return number(d, 2, n);
	case 'z':
		return number(d, z, n);
	case 'd':
		return number(d, 4, n);
	case 'v':
		return number(d, d->rex & REX_W ? 8 : z, n);
	case 'o':
		d->to->memory = true;
		d->to->vague = true;
		return number(d, d->address_size ? 4 : 8, &d->to->displacement);
	case 'e':
		return number(d, 2, n) && number(d, 1, n);
	default:
		return true;
	}
}

/* ---- What it does ---- */

static void change(struct decoding *d, unsigned reg)
{
	d->to->changes |= (uint16_t)(1 << reg);
}

/* Of a byte it may be the second of one of the first four. */
static void change_field(struct decoding *d, uint8_t field, uint8_t bit, bool byte)
{
	change(d, plain(d, field, bit));
	if (byte && !d->rex && field >= 4)
		change(d, numbers[field & 3]);
}

static void change_reg(struct decoding *d, bool byte)
{
	change_field(d, d->reg, REX_R, byte);
}

static void change_rm(struct decoding *d, bool byte)
{
	if (d->mod == 3)
		change_field(d, d->rm, REX_B, byte);
}

static void set_kind(struct decoding *d, enum pp_x86_kind kind, uint8_t from, uint8_t to)
{
	d->to->kind = (uint8_t)kind;
	d->to->from = from;
	d->to->to = to;
}

/* An addition, or what changes its first operand. */
static void decode_addition(struct decoding *d, unsigned operation)
{
	const bool wide = d->rex & REX_W, immediate = d->opcode >= 0x80;
	const bool to_reg = !immediate && d->opcode & 2;
	const uint8_t reg = plain(d, d->reg, REX_R), rm = plain(d, d->rm, REX_B);

	if (operation == 7) {
		d->to->compares = true;
	} else if (wide && d->mod == 3 && immediate && (!operation || operation == 5)) {
		set_kind(d, PP_X86_ADD, PP_X86_NONE, rm);
		if (operation)
			d->to->number = -d->to->number;
	} else if (wide && d->mod == 3 && !immediate && !operation) {
		set_kind(d, PP_X86_ADD_REGISTER, to_reg ? rm : reg, to_reg ? reg : rm);
	} else if (to_reg) {
		change_reg(d, !(d->opcode & 1));
	} else {
		change_rm(d, !(d->opcode & 1));
	}
}

/* The first quarter of the map: add, or, adc, sbb, and, sub, xor, cmp. */
static void do_arithmetic(struct decoding *d)
{
	const unsigned operation = d->opcode >> 3;

	if ((d->opcode & 7) < 4)
		decode_addition(d, operation);
	else if (operation == 7)
		d->to->compares = true;
	else
		change(d, PP_X86_RAX);
}

static void do_move(struct decoding *d)
{
	const uint8_t reg = plain(d, d->reg, REX_R), rm = plain(d, d->rm, REX_B);
	const bool byte = !(d->opcode & 1), to_reg = d->opcode & 2;

	if (d->rex & REX_W && !byte && (to_reg || d->mod == 3))
		set_kind(d, d->mod == 3 ? PP_X86_MOVE : PP_X86_LOAD, to_reg ? rm : reg, to_reg ? reg : rm);
	else if (to_reg)
		change_reg(d, byte);
	else
		change_rm(d, byte);
}

static void do_jump(struct decoding *d, enum pp_x86_kind kind)
{
	d->to->kind = (uint8_t)kind;
	d->to->stack = kind == PP_X86_CALL;
	d->to->direct = true;
	d->to->target = d->to->number;
}

/* FE and FF: inc, dec, call, jmp, push. */
static void do_last_group(struct decoding *d)
{
	if (d->reg < 2 || d->opcode == 0xfe) {
		change_rm(d, d->opcode == 0xfe);
	} else if (d->reg < 4) {
		d->to->kind = PP_X86_CALL;
		d->to->stack = true;
	} else if (d->reg < 6) {
		d->to->kind = PP_X86_JUMP;
	} else {
		d->to->stack = true;
	}
}

/* 80 to 8F. */
static void do_eighth_row(struct decoding *d)
{
	switch (d->opcode) {
	case 0x84:
	case 0x85:
		d->to->compares = true;
		break;
	case 0x86:
	case 0x87:
		change_reg(d, d->opcode == 0x86);
		change_rm(d, d->opcode == 0x86);
		break;
	case 0x88:
	case 0x89:
	case 0x8a:
	case 0x8b:
		do_move(d);
		break;
	case 0x8c:
		change_rm(d, false);
		break;
	case 0x8d:
		d->to->memory = false;
		if (d->rex & REX_W && !d->operand_size)
			set_kind(d, PP_X86_ADDRESS, PP_X86_NONE, plain(d, d->reg, REX_R));
		else
			change_reg(d, false);
		break;
	case 0x8e:
		break;
	case 0x8f:
		d->to->stack = true;
		change_rm(d, false);
		break;
	default:
		decode_addition(d, d->reg);
	}
}

/* C0 to CF. */
static void do_twelfth_row(struct decoding *d)
{
	switch (d->opcode) {
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		d->to->kind = PP_X86_END;
		d->to->stack = d->opcode != 0xcf;
		break;
	case 0xc8:
	case 0xc9:
		change(d, PP_X86_RBP);
		change(d, PP_X86_RSP);
		break;
	case 0xcc:
		d->to->kind = PP_X86_END;
		break;
	default:
		if (d->has_modrm)
			change_rm(d, !(d->opcode & 1));
	}
}

/* F0 to FF. */
static void do_last_row(struct decoding *d)
{
	if (d->opcode == 0xf4)
		d->to->kind = PP_X86_END;
	else if (d->opcode >= 0xfe)
		do_last_group(d);
	else if (d->has_modrm && d->reg < 2)
		d->to->compares = true;
	else if (d->has_modrm && d->reg < 4)
		change_rm(d, d->opcode == 0xf6);
	else if (d->has_modrm)
		d->to->changes |= 1 << PP_X86_RAX | 1 << PP_X86_RDX;
}

/* E0 to EF. */
static void do_fourteenth_row(struct decoding *d)
{
	const uint8_t o = d->opcode;

	if (o == 0xe8)
		do_jump(d, PP_X86_CALL);
	else if (o == 0xe9 || o == 0xeb)
		do_jump(d, PP_X86_JUMP);
	else if (o < 0xe4)
		do_jump(d, PP_X86_BRANCH);
	d->to->changes |= 1 << PP_X86_RAX | (o < 0xe4 ? 1 << PP_X86_RCX : 0);
}

static void do_one_byte(struct decoding *d)
{
	const uint8_t o = d->opcode, low = o & 15;

	switch (o >> 4) {
	case 0:
	case 1:
	case 2:
	case 3:
		do_arithmetic(d);
		break;
	case 5:
		d->to->stack = true;
		if (low >= 8)
			change_field(d, o, REX_B, false);
		break;
	case 6:
		d->to->stack = o == 0x68 || o == 0x6a;
		if (o == 0x63 || o == 0x69 || o == 0x6b)
			change_reg(d, false);
		break;
	case 7:
		do_jump(d, PP_X86_BRANCH);
		break;
	case 8:
		do_eighth_row(d);
		break;
	case 9:
		change(d, o == 0x99 ? PP_X86_RDX : PP_X86_RAX);
		if (low < 8)
			change_field(d, o, REX_B, false);
		d->to->stack = o == 0x9c || o == 0x9d;
		if ((o == 0x90 && !d->rex) || (low > 10 && low < 15))
			d->to->changes = 0;
		break;
	case 10:
		if (o != 0xa8 && o != 0xa9)
			d->to->changes |= STRING_REGISTERS;
		break;
	case 11:
		change_field(d, o, REX_B, low < 8);
		break;
	case 12:
		do_twelfth_row(d);
		break;
	case 13:
		if (low < 4)
			change_rm(d, !(o & 1));
		else
			change(d, PP_X86_RAX);
		break;
	case 14:
		do_fourteenth_row(d);
		break;
	default:
		do_last_row(d);
	}
}

/* Those of the map of 0F that write no register but for vectors: most. */
static void do_two_bytes(struct decoding *d)
{
	const uint8_t o = d->opcode;

	if (o >= 0x80 && o <= 0x8f)
		do_jump(d, PP_X86_BRANCH);
	else if (o == 0x0b)
		d->to->kind = PP_X86_END;
	else if (o == 0x0d || (o >= 0x18 && o <= 0x1f))
		d->to->memory = false;        /* prefetches, hints and nop */
	else if (o <= 0x09 || (o >= 0x30 && o <= 0x37) || o == 0xa2 || o == 0xc7)
		d->to->changes = 0xffff;
	else if (o >= 0x90 && o <= 0x9f)
		change_rm(d, true);
	else if ((o >= 0x20 && o <= 0x23) || o == 0x7e)
		change_rm(d, false);
	else if ((o >= 0xa3 && o <= 0xa5) || o == 0xab || o == 0xac || o == 0xad || o == 0xb3 || o == 0xba ||
		 o == 0xbb)
		change_rm(d, false);
	else if ((o >= 0x40 && o <= 0x4f) || o == 0x2c || o == 0x2d || o == 0x50 || o == 0xaf ||
		 (o >= 0xb2 && o <= 0xbf) || o == 0xc5 || o == 0xd7 || o == 0x02 || o == 0x03)
		change_reg(d, o == 0xb6 || o == 0xbe);
	else if (o >= 0xc8 && o <= 0xcf)
		change_field(d, o, REX_B, false);
	if (o == 0xb0 || o == 0xb1 || o == 0xc0 || o == 0xc1) {
		change_rm(d, !(o & 1));
		change_reg(d, !(o & 1));
		change(d, PP_X86_RAX);
	}
	d->to->stack = !d->has_modrm && (o == 0xa0 || o == 0xa1 || o == 0xa8 || o == 0xa9);
}

/* What is in the further maps works on vectors, but for some, of which all registers count as changed. */
static void do_further(struct decoding *d)
{
	const uint8_t o = d->opcode;

	if (d->map == 3 && o >= 0xf0)
		d->to->changes = 0xffff;
	if (d->map == 4 && (o == 0xf0 || (o >= 0x14 && o <= 0x17) || (o >= 0x60 && o <= 0x63)))
		d->to->changes = 0xffff;
}

/* VEX has masks, whose moves are in this map. */
static void do_vex(struct decoding *d)
{
	if (d->map != 2)
		do_further(d);
	else if (d->opcode < 0x80 || d->opcode > 0xa0)
		do_two_bytes(d);
	else
		change_reg(d, false);
}

bool pp_x86_decode(const uint8_t *bytes, size_t size, struct pp_x86 *to)
{
	enum { MOST = 15 };
	struct decoding d = { .at = bytes, .end = bytes + (size < MOST ? size : MOST), .to = to };

	*to = (struct pp_x86){
		.base = PP_X86_NONE, .index = PP_X86_NONE, .scale = 1, .from = PP_X86_NONE, .to = PP_X86_NONE,
	};
	if (!read_opcode(&d) || !read_operands(&d))
		return false;
	to->length = (uint8_t)(d.at - bytes);
	if (d.vex)
		do_vex(&d);
	else if (d.map == 1)
		do_one_byte(&d);
	else if (d.map == 2)
		do_two_bytes(&d);
	else
		do_further(&d);
	return true;
}
