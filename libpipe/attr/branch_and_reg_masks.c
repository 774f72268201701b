/* branch_and_reg_masks.c - sets that have words: branches to record, registers of this architecture. */
#include "attr/event_list.h"

#include <perfpipe/types.h>

#include <string.h>
#include <strings.h>

struct word {
	const char *name;
	uint64_t bits;
};

/* As perf record -j has them; call_stack and type besides, as the kernel calls them. */
static const struct word branches[] = {
	{ "u", PP_BRANCH_USER }, { "k", PP_BRANCH_KERNEL }, { "hv", PP_BRANCH_HV },
	{ "any", PP_BRANCH_ANY }, { "any_call", PP_BRANCH_ANY_CALL },
	{ "any_ret", PP_BRANCH_ANY_RETURN }, { "ind_call", PP_BRANCH_IND_CALL },
	{ "ind_jmp", PP_BRANCH_IND_JUMP }, { "call", PP_BRANCH_CALL },
	{ "cond", PP_BRANCH_COND }, { "in_tx", PP_BRANCH_IN_TX }, { "no_tx", PP_BRANCH_NO_TX },
	{ "abort_tx", PP_BRANCH_ABORT_TX }, { "call_stack", PP_BRANCH_CALL_STACK },
	{ "stack", PP_BRANCH_CALL_STACK }, { "no_flags", PP_BRANCH_NO_FLAGS },
	{ "no_cycles", PP_BRANCH_NO_CYCLES }, { "save_type", PP_BRANCH_TYPE_SAVE },
	{ "type", PP_BRANCH_TYPE_SAVE }, { "hw_index", PP_BRANCH_HW_INDEX },
	{ "priv", PP_BRANCH_PRIV_SAVE }, { "counter", PP_BRANCH_COUNTERS },
	{ NULL, 0 }
};

/* Those that say where branches are, not which. */
#define PLACES ((uint64_t)PP_BRANCH_USER | PP_BRANCH_KERNEL | PP_BRANCH_HV)

#define BIT(n)  (UINT64_C(1) << (n))
#define TWO(n)  (UINT64_C(3) << (n))

/* arch/<name>/include/uapi/asm/perf_regs.h: the number of each. */
static const struct word registers[] = {
#if defined(__x86_64__)
	{ "ax", BIT(0) }, { "bx", BIT(1) }, { "cx", BIT(2) }, { "dx", BIT(3) }, { "si", BIT(4) },
	{ "di", BIT(5) }, { "bp", BIT(6) }, { "sp", BIT(7) }, { "ip", BIT(8) },
	{ "flags", BIT(9) }, { "cs", BIT(10) }, { "ss", BIT(11) },
	/* DS, ES, FS and GS, 12 to 15, cannot be had in 64-bit mode. */
	{ "r8", BIT(16) }, { "r9", BIT(17) }, { "r10", BIT(18) }, { "r11", BIT(19) },
	{ "r12", BIT(20) }, { "r13", BIT(21) }, { "r14", BIT(22) }, { "r15", BIT(23) },
	/* Two words each; only at an interrupt, and of what PEBS records. */
	{ "xmm0", TWO(32) }, { "xmm1", TWO(34) }, { "xmm2", TWO(36) }, { "xmm3", TWO(38) },
	{ "xmm4", TWO(40) }, { "xmm5", TWO(42) }, { "xmm6", TWO(44) }, { "xmm7", TWO(46) },
	{ "xmm8", TWO(48) }, { "xmm9", TWO(50) }, { "xmm10", TWO(52) }, { "xmm11", TWO(54) },
	{ "xmm12", TWO(56) }, { "xmm13", TWO(58) }, { "xmm14", TWO(60) }, { "xmm15", TWO(62) },
#elif defined(__aarch64__)
	{ "x0", BIT(0) }, { "x1", BIT(1) }, { "x2", BIT(2) }, { "x3", BIT(3) }, { "x4", BIT(4) },
	{ "x5", BIT(5) }, { "x6", BIT(6) }, { "x7", BIT(7) }, { "x8", BIT(8) }, { "x9", BIT(9) },
	{ "x10", BIT(10) }, { "x11", BIT(11) }, { "x12", BIT(12) }, { "x13", BIT(13) },
	{ "x14", BIT(14) }, { "x15", BIT(15) }, { "x16", BIT(16) }, { "x17", BIT(17) },
	{ "x18", BIT(18) }, { "x19", BIT(19) }, { "x20", BIT(20) }, { "x21", BIT(21) },
	{ "x22", BIT(22) }, { "x23", BIT(23) }, { "x24", BIT(24) }, { "x25", BIT(25) },
	{ "x26", BIT(26) }, { "x27", BIT(27) }, { "x28", BIT(28) }, { "x29", BIT(29) },
	{ "lr", BIT(30) }, { "sp", BIT(31) }, { "pc", BIT(32) },
#endif
	{ NULL, 0 }
};

#if defined(__x86_64__)
#define UNWOUND_BY (BIT(7) | BIT(8))
#else
#define UNWOUND_BY (BIT(31) | BIT(32))
#endif

static const struct word *find(const struct word *words, const char *name, size_t n)
{
	for (; words->name; words++)
		if (!strncasecmp(words->name, name, n) && !words->name[n])
			return words;
	return NULL;
}

/* The first word that there is not, or NULL, all being added to *bits. */
static const char *collect(const struct word *words, const char *text, uint64_t *bits)
{
	*bits = 0;
	for (;;) {
		const size_t n = strcspn(text, ",");
		const struct word *const w = find(words, text, n);

		if (!w)
			return text;
		*bits |= w->bits;
		if (!text[n])
			return NULL;
		text += n + 1;
	}
}

int pp_branches_named(const char *words, uint64_t *bits, struct pp_error *error)
{
	const char *const wrong = collect(branches, words, bits);

	if (wrong)
		return pp_fail(error, PP_E_USE, "there is no branch filter '%.*s'",
			       (int)strcspn(wrong, ","), wrong);
	if (!(*bits & ~PLACES))
		*bits |= PP_BRANCH_ANY;
	return 0;
}

const char *pp_branches_at(size_t i)
{
	return i < sizeof(branches) / sizeof(branches[0]) ? branches[i].name : NULL;
}

int pp_registers_named(const char *names, uint64_t *bits, struct pp_error *error)
{
	const char *const wrong = collect(registers, names, bits);

	if (!registers[0].name)
		return pp_fail(error, PP_E_USE,
			       "registers are not supported on this architecture");
	if (wrong)
		return pp_fail(error, PP_E_USE, "there is no register '%.*s'",
			       (int)strcspn(wrong, ","), wrong);
	return 0;
}

const char *pp_registers_at(size_t i, bool user)
{
	if (i >= sizeof(registers) / sizeof(registers[0]) ||
	    (user && registers[i].bits & ~pp_registers_all(true)))
		return NULL;
	return registers[i].name;
}

uint64_t pp_registers_all(bool user)
{
	uint64_t all = 0;

	for (const struct word *r = registers; r->name; r++)
		if (!user || !(r->bits & PP_REGS_EXTENDED))
			all |= r->bits;
	return all;
}

uint64_t pp_registers_unwound(void)
{
	return UNWOUND_BY;
}
