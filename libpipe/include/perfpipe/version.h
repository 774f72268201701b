/* version.h - what each reader of streams can read, and how to adapt records for it. */
#ifndef PERFPIPE_VERSION_H
#define PERFPIPE_VERSION_H

#ifndef PP_UNSTABLE
#error "<perfpipe/version.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* perf of a version ("6.1", "6.12", "7.3"), or "quipper". */
struct pp_version;
PP_API const struct pp_version *pp_version_named(const char *name);    /* NULL if unknown */
PP_API const struct pp_version *pp_version_at(size_t i);               /* NULL past the last */
PP_API const char *pp_version_name(const struct pp_version *);
/* It refuses a FINISHED_ROUND with a seal or a note. */
PP_API bool pp_version_bare_rounds(const struct pp_version *);

enum pp_fit {
	PP_FIT_AS_IT_IS,
	PP_FIT_CHANGED,               /* adapted: rec->data is in `buf` now */
	PP_FIT_UNKNOWN,               /* the reader would fail at it, or skip it */
	PP_FIT_ORPHAN,                /* the reader gives up at an id that belongs to no event */
};
/* Adapts a record in host order.  `buf` has PP_RECORD_MAX + 8 bytes; *lost: something other than
 * zeros had to be left out. */
PP_API enum pp_fit pp_version_fit(const struct pp_version *, struct pp_record *rec, uint8_t *buf,
				  bool *lost);

#ifdef __cplusplus
}
#endif

#endif
