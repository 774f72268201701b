/*
 * libpfm.c - names of the CPU's own events, as libpfm4 knows them.  It is loaded when it is needed,
 * since few recordings name such an event, and its tables are large.
 */
#include "base/procfs.h"
#include "event/grammar.h"

#include <errno.h>
#include <string.h>

#if __has_include(<perfmon/pfmlib_perf_event.h>)

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

const bool pp_pfm_built = true;

struct pfm {
	void *library;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_strerror) *explain;
};

static void *symbol(struct pfm *pfm, const char *name)
{
	void *const found = pfm->library ? dlsym(pfm->library, name) : NULL;

	if (!found && pfm->library) {
		(void)dlclose(pfm->library);
		pfm->library = NULL;
	}
	return found;
}

/* The library crashes where it cannot read what it has opened (libpfm 4.13, pfm_initialize()). */
static bool would_crash(void)
{
	char some[64];

	errno = 0;
	return pp_file_text(some, sizeof(some), "/proc/cpuinfo") < 0 && pp_lacking(errno);
}

/* False: it is not installed, or knows none of what this machine, or LIBPFM_FORCE_PMU, has. */
static bool load(struct pfm *pfm)
{
	if (would_crash())
		return false;
	pfm->library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	pfm->initialize = __extension__ (__typeof__(pfm->initialize))symbol(pfm, "pfm_initialize");
	pfm->encode = __extension__ (__typeof__(pfm->encode))symbol(pfm, "pfm_get_os_event_encoding");
	pfm->explain = __extension__ (__typeof__(pfm->explain))symbol(pfm, "pfm_strerror");
	return pfm->library && pfm->initialize() == PFM_SUCCESS;
}

static int fail(struct pp_parser *w, const char *at, const char *name, const char *why)
{
	return pp_words_fail(w, at, "libpfm4 has no event '%.80s': %s", name, why);
}

/* Its attribute as the library fills it: 1, 0 and *why. */
static int encode(const struct pfm *pfm, const char *name, struct perf_event_attr *attr,
		  const char **why)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int status;

	memset(attr, 0, sizeof(*attr));
	attr->size = PP_ATTR_SIZE;
	status = pfm->encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	*why = status == PFM_SUCCESS ? NULL : pfm->explain(status);
	return status == PFM_SUCCESS;
}

int pp_words_pfm(struct pp_parser *w, struct pp_slice piece)
{
	struct pfm pfm = { .library = NULL };
	const char *why = "it is not installed, or does not know this processor";
	struct perf_event_attr attr;
	struct pp_event *e = NULL;
	char name[256];
	int known = pp_piece_text(piece, name, sizeof(name)) && load(&pfm);

	known = known && encode(&pfm, name, &attr, &why);
	if (!known && w->pfm_alone)
		(void)fail(w, piece.at, name, why);
	if (known)
		e = pp_words_event(w, piece);
	if (e) {
		e->attr = attr;
		e->attr.size = PP_ATTR_SIZE;
		e->asked_modes = attr.exclude_user || attr.exclude_kernel;
		e->own_rate = attr.sample_period != 0;
		/* Its modifiers are the library's own, and in the name already. */
		e->named = true;
	}
	if (pfm.library)
		(void)dlclose(pfm.library);
	return e ? 1 : known || w->pfm_alone ? -1 : 0;
}

#else

const bool pp_pfm_built = false;

int pp_words_pfm(struct pp_parser *w, struct pp_slice piece)
{
	return w->pfm_alone ? pp_words_fail(w, piece.at, "this build has no libpfm4") : 0;
}

#endif
