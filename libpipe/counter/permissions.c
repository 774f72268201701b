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

static uint64_t capabilities(bool *unread)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	*unread = syscall(SYS_capget, &header, data) != 0;
	if (*unread)
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
	p->capabilities = p->namespaced ? 0 : capabilities(&p->unread);
	p->filtered = prctl(PR_GET_SECCOMP) == 2;
	if (pp_file_text(text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") > 0)
		p->paranoid = atoi(text);
	p->kptr = pp_file_u64(0, "/proc/sys/kernel/kptr_restrict");
	p->confidential = pp_file_text(text, sizeof(text), "/sys/kernel/security/lockdown") > 0 &&
			  strstr(text, "[confidentiality]");
}

bool pp_powers_have(const struct pp_powers *p, unsigned capability)
{
	return p->capabilities >> capability & 1;
}

bool pp_powers_sample(const struct pp_powers *p, int enough)
{
	return p->unread || p->paranoid <= enough || pp_powers_have(p, CAP_PERFMON) ||
	       pp_powers_have(p, CAP_SYS_ADMIN);
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

/* What to give to setcap, which takes away what is not named: what the program has, and what it lacks. */
static const char *with_capabilities(char *to, size_t room, const struct pp_powers *p, uint64_t lacking)
{
	static const struct { unsigned capability; const char *name; } known[] = {
		{ CAP_PERFMON, "cap_perfmon" }, { CAP_SYSLOG, "cap_syslog" },
		{ CAP_SYS_PTRACE, "cap_sys_ptrace" }, { CAP_IPC_LOCK, "cap_ipc_lock" },
		{ CAP_SYS_ADMIN, "cap_sys_admin" },
	};
	size_t n = 0;

	*to = '\0';
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((p->capabilities | lacking) >> known[i].capability & 1)
			n += (size_t)snprintf(to + n, room - n, "%s%s", n ? "," : "", known[i].name);
	return to;
}
#define CAPABILITY(name) (UINT64_C(1) << CAP_##name)
enum { LIST_ROOM = 96 };              /* more than all of them take */

/* kernel.perf_event_paranoid is too high: what else has to be, for names of the kernel's functions too. */
static void cure_paranoid(struct pp_check_result *r, const struct pp_powers *p, int enough, bool kernel)
{
	const bool names = kernel && !pp_powers_have(p, CAP_SYSLOG);
	char list[LIST_ROOM];

	pp_result_cure(r, "as root: setcap %s=ep on the program%s%s%s, or "
		       "sysctl kernel.perf_event_paranoid=%d%s%s",
		       with_capabilities(list, sizeof(list), p,
					 CAPABILITY(PERFMON) | (names ? CAPABILITY(SYSLOG) : 0)),
		       names ? " (cap_syslog" : "",
		       names && p->kptr > 1 ? ", with sysctl kernel.kptr_restrict=1," : "",
		       names ? " for names of the kernel's functions)" : "", enough,
		       names && p->kptr ? " kernel.kptr_restrict=0" : "",
		       p->namespaced ? "; capabilities of a user namespace do not count" : "");
}

static void blame_permission(struct pp_check_result *r, const struct pp_powers *p, int os, int enough,
			     bool kernel)
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
	cure_paranoid(r, p, enough, kernel);
}

void pp_blame_open(struct pp_check_result *r, const struct pp_powers *p, int os, int enough,
		   bool kernel, const char *since)
{
	struct utsname u = { .release = "" };

	switch (os) {
	case EACCES:
	case EPERM:
		blame_permission(r, p, os, enough, kernel);
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
	char list[LIST_ROOM];

	if (pp_powers_have(p, capability)) {
		if (!blame_others(r, p, os))
			blame_module(r, os);
	} else if (p->namespaced) {
		blame_container(r, os, name);
	} else {
		pp_result_set(r, PP_CHECK_REFUSED, "capability", os);
		pp_result_found(r, "not permitted without %s", name);
		pp_result_cure(r, "run it as root; or as root: setcap %s=ep on the program",
			       with_capabilities(list, sizeof(list), p,
						 CAPABILITY(PERFMON) | UINT64_C(1) << capability));
	}
}

void pp_blame_hidden(struct pp_check_result *r, const struct pp_powers *p)
{
	const bool may = pp_powers_have(p, CAP_SYSLOG);
	char list[LIST_ROOM];

	with_capabilities(list, sizeof(list), p, CAPABILITY(PERFMON) | CAPABILITY(SYSLOG));
	pp_blame_capability(r, p, EPERM, CAP_SYSLOG, "cap_syslog");
	if (p->kptr > 1) {
		pp_result_set(r, PP_CHECK_REFUSED, "kptr_restrict", EPERM);
		pp_result_found(r, "all addresses are 0: kernel.kptr_restrict is %llu",
				(unsigned long long)p->kptr);
		pp_result_cure(r, "as root: sysctl kernel.kptr_restrict=1%s%s%s", may ? "" : ", and setcap ",
			       may ? "" : list, may ? "" : "=ep on the program");
	} else if (!may && !p->namespaced && (p->paranoid > 1 || p->kptr)) {
		/* the kernel lets everybody see them who may sample it */
		pp_result_cure(r, "run it as root; or as root: setcap %s=ep on the program, or "
			       "sysctl%s%s", list, p->paranoid > 1 ? " kernel.perf_event_paranoid=1" : "",
			       p->kptr ? " kernel.kptr_restrict=0" : "");
	}
}
