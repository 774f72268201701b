/* disassemble.c - code as text, by libcapstone, which is loaded if it is there. */
#include "annotate/annotate_state.h"
#include "base/loaded_library.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<capstone/capstone.h>)

#include <capstone/capstone.h>
#include <pthread.h>

#define NAME_OF(major) NAME_OF_(major)
#define NAME_OF_(major) "libcapstone.so." #major
/* its structs are those of one version */
static const char library_name[] = NAME_OF(CS_API_MAJOR);

/* It stays for as long as the process. */
static struct capstone_library {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *new;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *next;
	__typeof__(cs_insn_group) *is_in;
	bool failed;                  /* there was no memory to load it */
} capstone_library;

/* ---- its memory ---- */

/* capstone does not look whether it got memory.  It gets that of the call, which was there before; outside of
 * a call it may be another's, and gets what malloc(3) has. */
enum { POOL_SIZE = 1 << 20, POOL_STEP = 16 };
struct pool { size_t used; uint8_t bytes[]; };
static _Thread_local struct pool *pool;

PP_CALLED_BY_LIBRARY
static bool in_pool(const void *p)
{
	const uint8_t *const at = p;

	return pool && at >= pool->bytes && at < pool->bytes + POOL_SIZE;
}

/* What is taken has its size before it. */
PP_CALLED_BY_LIBRARY
static void *take_of_pool(size_t size)
{
	const size_t all = POOL_STEP + ((size + POOL_STEP - 1) & ~(size_t)(POOL_STEP - 1));
	uint8_t *at;

	if (!pool || size > POOL_SIZE || all > POOL_SIZE - pool->used)
		return malloc(size);
	at = pool->bytes + pool->used;
	pool->used += all;
	memcpy(at, &size, sizeof(size));
	return at + POOL_STEP;
}

PP_CALLED_BY_LIBRARY
static void *take_zeroed(size_t n, size_t size)
{
	void *const p = size && n > SIZE_MAX / size ? NULL : take_of_pool(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

PP_CALLED_BY_LIBRARY
static void *take_again(void *was, size_t size)
{
	size_t known;
	void *p;

	if (!in_pool(was))
		return was ? realloc(was, size) : take_of_pool(size);
	memcpy(&known, (uint8_t *)was - POOL_STEP, sizeof(known));
	p = take_of_pool(size);
	return p ? memcpy(p, was, known < size ? known : size) : NULL;
}

PP_CALLED_BY_LIBRARY
static void give_to_pool(void *p)
{
	if (!in_pool(p))
		free(p);
}

/* ---- the library ---- */

static void load_capstone(void)
{
	static cs_opt_mem own_memory = {
		take_of_pool, take_zeroed, take_again, give_to_pool, vsnprintf,
	};
	const char *why;
	void *const library = pp_library_load(library_name, &why);
	struct capstone_library found = { .failed = false };

	if (!library) {
		capstone_library.failed = pp_library_failed(why);
		return;
	}
	if (pp_library_find(library, "cs_open", &found.open) &&
	    pp_library_find(library, "cs_close", &found.close) &&
	    pp_library_find(library, "cs_option", &found.option) &&
	    pp_library_find(library, "cs_malloc", &found.new) &&
	    pp_library_find(library, "cs_free", &found.free) &&
	    pp_library_find(library, "cs_disasm_iter", &found.next) &&
	    pp_library_find(library, "cs_insn_group", &found.is_in) &&
	    found.option(0, CS_OPT_MEM, (size_t)&own_memory) == CS_ERR_OK)
		capstone_library = found;
}

void pp_disassemble_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load_capstone);
}

/* 1; 0: it does not know that machine; -1: memory. */
static int open_capstone(const struct pp_function_code *code, csh *handle)
{
	static const struct { uint16_t machine; cs_arch arch; unsigned narrow, wide; } machines[] = {
		{ EM_X86_64, CS_ARCH_X86, CS_MODE_32, CS_MODE_64 },
		{ EM_386, CS_ARCH_X86, CS_MODE_32, CS_MODE_32 },
		{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, CS_MODE_ARM },
		{ EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, CS_MODE_ARM },
		{ EM_PPC64, CS_ARCH_PPC, CS_MODE_64, CS_MODE_64 },
		{ EM_PPC, CS_ARCH_PPC, CS_MODE_32, CS_MODE_32 },
		{ EM_S390, CS_ARCH_SYSZ, CS_MODE_BIG_ENDIAN, CS_MODE_BIG_ENDIAN },
		{ EM_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS32, CS_MODE_MIPS64 },
#if CS_API_MAJOR >= 5
		{ EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC,
		  CS_MODE_RISCV64 | CS_MODE_RISCVC },
#endif
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		cs_err status;
		unsigned mode = code->wide ? machines[i].wide : machines[i].narrow;

		if (machines[i].machine != code->machine)
			continue;
		mode |= code->big_endian ? (unsigned)CS_MODE_BIG_ENDIAN : 0;
		status = capstone_library.open(machines[i].arch, (cs_mode)mode, handle);
		if (status != CS_ERR_OK)
			return status == CS_ERR_MEM ? -1 : 0;
		(void)capstone_library.option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
		(void)capstone_library.option(*handle, CS_OPT_SKIPDATA, CS_OPT_ON);
		if (machines[i].arch == CS_ARCH_X86)
			(void)capstone_library.option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		return 1;
	}
	return 0;
}

/* The last operand, where that is a number: capstone writes where a jump leads as an address. */
static bool read_target(const char *operands, uint64_t *target)
{
	const char *last = strrchr(operands, ',');
	char *end;

	for (last = last ? last + 1 : operands; *last == ' ' || *last == '#' || *last == '$'; last++)
		;
	if (*last < '0' || *last > '9')
		return false;
	*target = strtoull(last, &end, 0);
	return !*end;
}

/* What is at a distance from the next instruction, of x86: "-0x10(%rip)". */
static bool read_relative(const char *operands, uint64_t next, uint64_t *target)
{
	const char *const base = strstr(operands, "(%rip)");
	const char *at = base;
	bool negative;

	while (at && at > operands && strchr("0123456789abcdefx-", at[-1]))
		at--;
	if (!base || at == base)
		return false;
	negative = *at == '-';
	*target = strtoull(at + negative, NULL, 0);
	*target = negative ? next - *target : next + *target;
	return true;
}

static struct pp_decoded decoded(csh handle, const cs_insn *insn)
{
	struct pp_decoded d = { .address = insn->address, .size = insn->size, .name = insn->mnemonic,
				.operands = insn->op_str };

	/* of data there are no details */
	if (!insn->id)
		return d;
	d.jumps = capstone_library.is_in(handle, insn, CS_GRP_JUMP);
	d.calls = capstone_library.is_in(handle, insn, CS_GRP_CALL);
	d.aimed = ((d.jumps || d.calls) && read_target(d.operands, &d.target)) ||
		  read_relative(d.operands, d.address + d.size, &d.target);
	return d;
}

static int disassemble_code(const struct pp_function_code *code, uint64_t address, pp_decoded_fn *show,
			    void *arg, const char **lack, struct pp_error *error)
{
	const uint8_t *bytes = code->bytes;
	size_t left = code->n;
	cs_insn *insn;
	csh handle = 0;
	int status;

	status = open_capstone(code, &handle);
	if (status <= 0) {
		*lack = NAME_OF(CS_API_MAJOR) " does not know its machine";
		return status < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	}
	status = 0;
	insn = capstone_library.new(handle);
	if (!insn)
		status = pp_fail(error, PP_E_NOMEM, NULL);
	while (!status && capstone_library.next(handle, &bytes, &left, &address, insn)) {
		const struct pp_decoded d = decoded(handle, insn);

		status = show(arg, &d, error);
	}
	if (insn)
		capstone_library.free(insn, 1);
	(void)capstone_library.close(&handle);
	return status ? -1 : 1;
}

int pp_disassemble(const struct pp_function_code *code, uint64_t address, pp_decoded_fn *show, void *arg,
		   const char **lack, struct pp_error *error)
{
	int status;

	pp_disassemble_load();
	if (capstone_library.failed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!capstone_library.is_in) {
		*lack = NAME_OF(CS_API_MAJOR) " cannot be loaded";
		return 0;
	}
	pool = calloc(1, sizeof(*pool) + POOL_SIZE);
	if (!pool)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = disassemble_code(code, address, show, arg, lack, error);
	free(pool);
	pool = NULL;
	return status;
}

#else

void pp_disassemble_load(void)
{
}

int pp_disassemble(const struct pp_function_code *code, uint64_t address, pp_decoded_fn *show, void *arg,
		   const char **lack, struct pp_error *error)
{
	(void)code, (void)address, (void)show, (void)arg, (void)error;
	*lack = "it was built without libcapstone";
	return 0;
}

#endif
