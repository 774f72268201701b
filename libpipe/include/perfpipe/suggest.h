/*
 * suggest.h - which of the names that there are was perhaps meant, where there is none as it was written.
 *
 * Where a name is refused, all that there are are considered, and the nearest ones follow the message:
 *
 *	struct pp_nearest near = { .wanted = "cycels" };
 *	char text[PP_NEAREST_TEXT];
 *
 *	for (size_t i = 0; i < n; i++)
 *		pp_nearest_consider(&near, names[i], NULL);
 *	pp_nearest_question(&near, text, sizeof(text));
 *	printf("no event is called '%s'%s\n", near.wanted, text);
 */
#ifndef PERFPIPE_SUGGEST_H
#define PERFPIPE_SUGGEST_H

#ifndef PP_UNSTABLE
#error "<perfpipe/suggest.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_NEAREST = 3, PP_NEAREST_NAME = 192, PP_NEAREST_TEXT = 160 };

/* All empty but `wanted` at first. */
struct pp_nearest {
	const char *wanted;
	char names[PP_NEAREST][PP_NEAREST_NAME];
	size_t distance[PP_NEAREST];
};

/*
 * Takes note of a name that there is, if it is near: few letters are changed, missing, too many or in the
 * place of their neighbours, or what was written is its beginning, or a part of it.  That `part` of the
 * name which is nearer, if any, is what counts; NULL: it has none.
 */
PP_API void pp_nearest_consider(struct pp_nearest *, const char *name, const char *part);

/* "; did you mean a, b, c?", or "" if none was near.  The names that have no room in `text` are left out. */
PP_API void pp_nearest_question(const struct pp_nearest *, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
