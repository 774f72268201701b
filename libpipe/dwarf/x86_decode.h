/* x86_decode.h - instructions of x86-64: how long each is, which memory it accesses, and what it does
 * to registers that may hold addresses. */
#ifndef PP_X86_DECODE_H
#define PP_X86_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by DWARF's numbers (System V ABI, AMD64 supplement, figure 3.36). */
enum {
	PP_X86_RAX, PP_X86_RDX, PP_X86_RCX, PP_X86_RBX, PP_X86_RSI, PP_X86_RDI, PP_X86_RBP, PP_X86_RSP,
	PP_X86_REGISTERS = 16,
	PP_X86_RIP = 16,              /* of a base: what comes after the instruction */
	PP_X86_NONE = 255,
};

enum pp_x86_kind {
	PP_X86_OTHER,
	PP_X86_MOVE,                  /* `to` is what `from` is */
	PP_X86_LOAD,                  /* `to` is what is in memory; these are all of 8 bytes */
	PP_X86_ADDRESS,               /* `to` is the address of the operand: lea */
	PP_X86_ADD,                   /* `number` is added to `to` */
	PP_X86_ADD_REGISTER,          /* `from` is added to `to` */
	PP_X86_CALL,                  /* of `target`, if `direct` */
	PP_X86_JUMP,                  /* to it */
	PP_X86_BRANCH,                /* to it, or not */
	PP_X86_END,                   /* nothing that comes after it is reached from it */
};

struct pp_x86 {
	uint8_t length;
	uint8_t kind;                 /* enum pp_x86_kind */
	bool memory;                  /* it accesses the operand below, */
	bool stack;                   /* or what the stack pointer points to */
	bool compares;                /* cmp or test: a branch after it may be one with it */
	bool direct;
	uint8_t base, index, scale;   /* of the operand: registers or NONE */
	char segment;                 /* 'f' or 'g'; 0: none that matters */
	bool vague;                   /* the operand is more than these say */
	uint8_t from, to;
	uint16_t changes;             /* bits of registers that it writes, but for `to` */
	int64_t displacement, number;
	int64_t target;               /* from its end on */
};

/* What registers a function that is called may change. */
enum { PP_X86_CALLER_SAVED = 1 << PP_X86_RAX | 1 << PP_X86_RDX | 1 << PP_X86_RCX | 1 << PP_X86_RSI |
			     1 << PP_X86_RDI | 0xf00 };

/* The instruction that begins there; false: there is none, or it is cut. */
bool pp_x86_decode(const uint8_t *bytes, size_t size, struct pp_x86 *);

#endif
