/* permissions.c - what this process may do, and who forbids what is refused.  selftest.c tries what
 * really works. */
#include "base/procfs.h"
#include "counter/permissions.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* ---- powers ---- */

static uint64_t capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

/* The first user namespace maps every user to itself. */
static bool in_user_namespace(void)
{
	unsigned long inside, outside, count;
	char text[128];

	return pp_file_text(text, sizeof(text), "/proc/self/uid_map") > 0 &&
	       (sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3 ||
		inside || outside || count < UINT32_MAX);
}

void pp_powers_read(struct pp_powers *p)
{
	char text[64];

	*p = (struct pp_powers){ .paranoid = PP_PARANOID_UNKNOWN };
	p->namespaced = in_user_namespace();
	p->capabilities = p->namespaced ? 0 : capabilities();
	p->filtered = prctl(PR_GET_SECCOMP) == 2;
	if (pp_file_text(text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") > 0)
		p->paranoid = atoi(text);
	p->confidential = pp_file_text(text, sizeof(text), "/sys/kernel/security/lockdown") > 0 &&
			  strstr(text, "[confidentiality]");
}

bool pp_powers_have(const struct pp_powers *p, unsigned capability)
{
	return p->capabilities >> capability & 1;
}

/* ---- results ---- */

void pp_result_set(struct pp_check_result *r, enum pp_check_state state, const char *by, int os)
{
	r->state = state;
	r->by = by;
	r->os = os;
}

void pp_result_found(struct pp_check_result *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(r->found, sizeof(r->found), format, args);
	va_end(args);
}

void pp_result_cure(struct pp_check_result *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(r->cure, sizeof(r->cure), format, args);
	va_end(args);
}

/* Who refuses what capabilities would permit, or have permitted: none of them is at fault. */
static bool blame_others(struct pp_check_result *r, const struct pp_powers *p, int os)
{
	if (p->filtered) {
		pp_result_set(r, PP_CHECK_REFUSED, "seccomp", os);
		pp_result_found(r, "not permitted: a seccomp filter of system calls is in force");
		pp_result_cure(r, "run it outside of the container, or start that with a seccomp profile "
			       "that allows this call");
		return true;
	}
	if (p->confidential) {
		pp_result_set(r, PP_CHECK_REFUSED, "lockdown", os);
		pp_result_found(r, "not permitted: the kernel is locked down for confidentiality");
		pp_result_cure(r, "start the machine with lockdown=integrity, or without secure boot");
		return true;
	}
	return false;
}

static void blame_module(struct pp_check_result *r, int os)
{
	pp_result_set(r, PP_CHECK_REFUSED, "module", os);
	pp_result_found(r, "not permitted, although capabilities would do: %s", strerror(os));
	pp_result_cure(r, "look at what the security module (SELinux, AppArmor) logs");
}

static void blame_container(struct pp_check_result *r, int os, const char *capability)
{
	pp_result_set(r, PP_CHECK_REFUSED, "container", os);
	pp_result_found(r, "not permitted: the %s of a user namespace does not count here", capability);
	pp_result_cure(r, "run it outside of the container, or in one without a user namespace");
}

static void blame_permission(struct pp_check_result *r, const struct pp_powers *p, int os, int enough)
{
	const bool may = pp_powers_have(p, CAP_PERFMON) || pp_powers_have(p, CAP_SYS_ADMIN);

	if (may || p->no_call || p->paranoid <= enough) {
		if (!blame_others(r, p, os))
			blame_module(r, os);
		return;
	}
	pp_result_set(r, PP_CHECK_REFUSED, "paranoid", os);
	if (p->paranoid == PP_PARANOID_UNKNOWN)
		pp_result_found(r, "not permitted: kernel.perf_event_paranoid is unknown");
	else
		pp_result_found(r, "not permitted: kernel.perf_event_paranoid is %d", p->paranoid);
	pp_result_cure(r, "as root: setcap cap_perfmon=ep on the program, or "
		       "sysctl kernel.perf_event_paranoid=%d%s", enough,
		       p->namespaced ? "; capabilities of a user namespace do not count" : "");
}

void pp_blame_open(struct pp_check_result *r, const struct pp_powers *p, int os, int enough,
		   const char *since)
{
	struct utsname u = { .release = "" };

	switch (os) {
	case EACCES:
	case EPERM:
		blame_permission(r, p, os, enough);
		return;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		pp_result_set(r, PP_CHECK_ABSENT, "hardware", os);
		pp_result_found(r, "this machine has no such counter");
		return;
	case EINVAL:
	case E2BIG:
		(void)uname(&u);
		pp_result_set(r, PP_CHECK_ABSENT, "kernel", os);
		pp_result_found(r, "this kernel (%.60s) does not take it", u.release);
		pp_result_cure(r, "Linux %s and later have it", since);
		return;
	case EMFILE:
	case ENFILE:
		pp_result_set(r, PP_CHECK_REFUSED, "limit", os);
		pp_result_found(r, "too many open files");
		pp_result_cure(r, "raise the limit on open files (ulimit -n)");
		return;
	default:
		pp_result_set(r, PP_CHECK_REFUSED, "kernel", os);
		pp_result_found(r, "%s", strerror(os));
	}
}

void pp_blame_capability(struct pp_check_result *r, const struct pp_powers *p, int os,
			 unsigned capability, const char *name)
{
	if (pp_powers_have(p, capability)) {
		if (!blame_others(r, p, os))
			blame_module(r, os);
	} else if (p->namespaced) {
		blame_container(r, os, name);
	} else {
		pp_result_set(r, PP_CHECK_REFUSED, "capability", os);
		pp_result_found(r, "not permitted without %s", name);
		pp_result_cure(r, "run it as root; or as root: setcap %s%s=ep on the program",
			       capability == CAP_PERFMON ? "" : "cap_perfmon,", name);
	}
}
