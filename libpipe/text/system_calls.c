/* system_calls.c - names of system calls, by libseccomp, which is loaded if it is there; and of errors. */
#include "text/system_calls.h"

#include "base/loaded_library.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- machines ---- */

#ifndef AUDIT_ARCH_LOONGARCH64        /* since Linux 5.19 */
#define AUDIT_ARCH_LOONGARCH64 (258 | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE)
#endif
/* As libseccomp has it: calls of x86-64 with addresses of 32 bits have this bit in their numbers. */
enum { X32_CALL = 0x40000000, X32_ARCH = 62 | __AUDIT_ARCH_LE };

/* All of these number their errors as <asm-generic/errno.h> does. */
static const struct { const char *machine; uint32_t arch; } arches[] = {
	{ "x86_64", AUDIT_ARCH_X86_64 }, { "amd64", AUDIT_ARCH_X86_64 },
	{ "i386", AUDIT_ARCH_I386 }, { "i486", AUDIT_ARCH_I386 }, { "i586", AUDIT_ARCH_I386 },
	{ "i686", AUDIT_ARCH_I386 },
	{ "aarch64", AUDIT_ARCH_AARCH64 }, { "arm64", AUDIT_ARCH_AARCH64 },
	{ "armv6l", AUDIT_ARCH_ARM }, { "armv7l", AUDIT_ARCH_ARM }, { "armv8l", AUDIT_ARCH_ARM },
	{ "ppc64le", AUDIT_ARCH_PPC64LE }, { "ppc64", AUDIT_ARCH_PPC64 }, { "ppc", AUDIT_ARCH_PPC },
	{ "s390x", AUDIT_ARCH_S390X }, { "s390", AUDIT_ARCH_S390 },
	{ "riscv64", AUDIT_ARCH_RISCV64 }, { "loongarch64", AUDIT_ARCH_LOONGARCH64 },
};

bool pp_is_audit_arch(uint64_t number)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++)
		if (arches[i].arch == number)
			return true;
	return false;
}

uint32_t pp_audit_arch(const char *machine)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++)
		if (!strcmp(arches[i].machine, machine))
			return arches[i].arch;
	return 0;
}

/* ---- the library ---- */

/* It stays for as long as the process. */
static struct seccomp_library {
	char *(*resolve)(uint32_t arch, int number);   /* seccomp_syscall_resolve_num_arch(3) */
	bool failed;                  /* there was no memory to load it */
} seccomp_library;

static void load_seccomp(void)
{
	const char *why;
	void *const library = pp_library_load("libseccomp.so.2", &why);

	if (library)
		(void)pp_library_find(library, "seccomp_syscall_resolve_num_arch", &seccomp_library.resolve);
	else
		seccomp_library.failed = pp_library_failed(why);
}

/* ---- names ---- */

/* A process makes few of them: those with the same last digits replace each other. */
enum { CALLS_KEPT = 512 };
struct pp_call_names {
	struct kept_call {
		uint64_t number;
		uint32_t arch;
		char name[52];        /* empty: none was kept */
	} kept[CALLS_KEPT];
};

struct pp_call_names *pp_call_names_new(struct pp_error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct pp_call_names *names;

	(void)pthread_once(&once, load_seccomp);
	if (!seccomp_library.resolve) {
		if (seccomp_library.failed)
			(void)pp_fail(error, PP_E_NOMEM, NULL);
		else
			(void)pp_fail(error, PP_E_USE, "libseccomp.so.2, which has the names of system "
				      "calls, is not installed");
		return NULL;
	}
	names = calloc(1, sizeof(*names));
	if (!names)
		(void)pp_fail(error, PP_E_NOMEM, NULL);
	return names;
}

void pp_call_names_free(struct pp_call_names *names)
{
	free(names);
}

static int ask_for_call(struct kept_call *call, struct pp_error *error)
{
	const bool x32 = call->arch == AUDIT_ARCH_X86_64 && call->number & X32_CALL && !(call->number >> 31);
	char *name = NULL;

	/* it has numbers of its own below 0, which no kernel has */
	errno = 0;
	if (call->arch && call->number <= INT32_MAX)
		name = seccomp_library.resolve(x32 ? (uint32_t)X32_ARCH : call->arch, (int)call->number);
	if (!name && errno == ENOMEM)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (name)
		snprintf(call->name, sizeof(call->name), "%s", name);
	else
		snprintf(call->name, sizeof(call->name), "%" PRId64, (int64_t)call->number);
	free(name);
	return 0;
}

const char *pp_call_name(struct pp_call_names *names, uint32_t arch, uint64_t number, struct pp_error *error)
{
	struct kept_call *const call = &names->kept[number % CALLS_KEPT];

	if (*call->name && call->number == number && call->arch == arch)
		return call->name;
	*call = (struct kept_call){ .number = number, .arch = arch };
	return ask_for_call(call, error) ? NULL : call->name;
}

const char *pp_call_error(uint32_t arch, uint32_t number, char name[PP_ERROR_NAME])
{
	/* programs do not see these: the call is made again */
	static const char *const of_kernel[] = {
		"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK",
	};
	const uint32_t first_of_kernel = 512, in_kernel = number - first_of_kernel;
	const char *known = NULL;

	if (arch && in_kernel < sizeof(of_kernel) / sizeof(*of_kernel))
		known = of_kernel[in_kernel];
	else if (arch && number <= INT32_MAX)
		known = strerrorname_np((int)number);
	if (known)
		snprintf(name, PP_ERROR_NAME, "%s", known);
	else
		snprintf(name, PP_ERROR_NAME, "%" PRIu32, number);
	return name;
}
