/* describe.h - features and attributes in words, as perf report --header-only shows them. */
#ifndef PERFPIPE_DESCRIBE_H
#define PERFPIPE_DESCRIBE_H

#include <perfpipe/api.h>
#include <perfpipe/output.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features and attributes in words, as `perf report --header-only` shows them. */
struct pp_features;
PP_API PP_MUST_CHECK struct pp_features *pp_features_new(void);
PP_API void pp_features_free(struct pp_features *);
PP_API PP_MUST_CHECK int pp_features_note(struct pp_features *, const struct pp_record *,
					  struct pp_error *);
/* Lines "# hostname : ..." to `out`; `attrs` may be NULL. */
PP_API void pp_features_text(const struct pp_features *, const struct pp_attrs *, struct pp_out *);
/* The values of the notes with this key, each on a line, in the order of the stream; the last one
 * counts.  False: there is none. */
PP_API bool pp_features_values(const struct pp_features *, const char *key, struct pp_out *);
/* The same as one JSON object. */
PP_API void pp_features_json(const struct pp_features *, const struct pp_attrs *, struct pp_out *);

#ifdef __cplusplus
}
#endif

#endif
