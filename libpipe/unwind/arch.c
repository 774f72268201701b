/* arch.c - the table of processors; the steps from frame to frame are unwind_step.c's. */
#include "unwind/arch.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * The kernel's numbers are those of arch/ARCH/include/uapi/asm/perf_regs.h, DWARF's those of the
 * psABI of each processor, `kept` as there.  64 bits go before 32 of the same name.
 */
static const struct machine machines[] = {
	{
		.arch = "x86_64", .elf = EM_X86_64, .word = 8, .abi = 2, .slots = 16,
		.sp = 7, .fp = 6, .link = NO_SLOT, .pc = 8,
		/* rax rdx rcx rbx rsi rdi rbp rsp, r8 to r15 */
		.kernel = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 },
		.kept = 1 << 3 | 1 << 6 | 0xf << 12,
		.framed = true, .saved_fp = 0, .saved_ra = 8, .above = 16, .code = UINT64_MAX,
	}, {
		.arch = "x86_64", .elf = EM_386, .word = 4, .abi = 1, .slots = 8,
		.sp = 4, .fp = 5, .link = NO_SLOT, .pc = 8,
		/* eax ecx edx ebx esp ebp esi edi */
		.kernel = { 0, 2, 3, 1, 7, 6, 4, 5 },
		.kept = 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7,
		.framed = true, .saved_fp = 0, .saved_ra = 4, .above = 8, .code = UINT32_MAX,
	}, {
		.arch = "aarch64", .elf = EM_AARCH64, .word = 8, .abi = 2, .slots = 32,
		.sp = 31, .fp = 29, .link = 30, .pc = 32,
		.kernel = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
			    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
		.kept = UINT64_C(0x7ff) << 19 | UINT64_C(1) << 30,
		.framed = true, .saved_fp = 0, .saved_ra = 8, .above = 16,
		/* what lies above is the signature of the pointer: user addresses have 48 bits */
		.code = (UINT64_C(1) << 48) - 1,
	}, {
		.arch = "aarch64", .elf = EM_ARM, .word = 4, .abi = 1, .slots = 15,
		.sp = 13, .fp = 11, .link = 14, .pc = 32,
		/* the kernel shows a 32-bit process in its own registers, but these two */
		.kernel = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 31, 30 },
		.kept = UINT64_C(0xff) << 4 | 1 << 14,
		.framed = true, .saved_fp = -4, .saved_ra = 0, .above = 4,
		.code = UINT32_MAX & ~UINT64_C(1),
	}, {
		.arch = "arm", .elf = EM_ARM, .word = 4, .abi = 1, .slots = 15,
		.sp = 13, .fp = 11, .link = 14, .pc = 15,
		.kernel = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 },
		.kept = UINT64_C(0xff) << 4 | 1 << 14,
		.framed = true, .saved_fp = -4, .saved_ra = 0, .above = 4,
		.code = UINT32_MAX & ~UINT64_C(1),
	}, {
		.arch = "riscv64", .elf = EM_RISCV, .word = 8, .abi = 2, .slots = 32,
		.sp = 2, .fp = 8, .link = 1, .pc = 0,
		/* x0 has no value of its own, and pc its number */
		.kernel = { NO_SLOT, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
			    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
		.kept = 1 << 1 | 1 << 8 | 1 << 9 | UINT64_C(0x3ff) << 18,
		.framed = true, .saved_fp = -16, .saved_ra = -8, .above = 0, .code = UINT64_MAX,
	}, {
		.arch = "ppc64", .elf = EM_PPC64, .word = 8, .abi = 2, .slots = 33,
		.sp = 1, .fp = 31, .link = 32, .link_number = 65, .pc = 32,
		.kernel = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
			    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 36 },
		.kept = UINT64_C(0x3ffff) << 14 | UINT64_C(1) << 32 | 1 << 2 | 1 << 13,
		.chained = true, .saved_ra = 16, .code = UINT64_MAX,
	}, {
		.arch = "s390x", .elf = EM_S390, .word = 8, .abi = 2, .slots = 32,
		.sp = 15, .fp = 11, .link = 14, .pc = 33,
		/* r0 to r15; f0 f2 f4 f6, f1 f3 f5 f7, f8 f10 f12 f14, f9 f11 f13 f15 */
		.kernel = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22,
			    17, 19, 21, 23, 24, 26, 28, 30, 25, 27, 29, 31 },
		.kept = UINT64_C(0xff) << 6 | 1 << 14 | UINT64_C(0xff) << 24,
		.code = UINT64_MAX,
	},
};

/* As the feature ARCH, which is uname's, may give them besides. */
static const struct { const char *said, *arch; } names[] = {
	{ "i386", "x86_64" }, { "i486", "x86_64" }, { "i586", "x86_64" }, { "i686", "x86_64" },
	{ "x86", "x86_64" }, { "amd64", "x86_64" }, { "arm64", "aarch64" },
	{ "armv", "arm" }, { "s390", "s390x" },
};

const struct machine *pp_unwind_machine_of(const char *arch, uint64_t abi)
{
	struct utsname here;

	if ((!arch || !*arch) && !uname(&here))
		arch = here.machine;
	if (!arch)
		return NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(arch, names[i].said, strlen(names[i].said))) {
			arch = names[i].arch;
			break;
		}
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		const struct machine *const m = &machines[i];

		if (m->abi == abi && !strncmp(arch, m->arch, strlen(m->arch)))
			return m;
	}
	return NULL;
}
