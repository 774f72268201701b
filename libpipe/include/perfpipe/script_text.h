/*
 * script_text.h - what perf script prints, into a profile: for those who have a recording only as text.
 *
 * Any perf's text, and pp-script's, with the fields that people ask for: a line with a time or an event, and
 * the frames in the same line or, the innermost first, in lines of their own up to an empty one.  Any
 * other line is an error that says its number, and the next ones can be read.  What pp-fold(1)
 * prints of such a text:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/script_text.h>
 *	#include <stdio.h>
 *	#include <unistd.h>
 *
 *	int main(void)
 *	{
 *		struct pp_error error;
 *		struct pp_folded folded;
 *		struct pp_fold_options how = { sizeof(how) };
 *		struct pp_profile *profile = pp_profile_new();
 *		struct pp_script_text *text = pp_script_text_new(&how, profile);
 *		struct pp_out out;
 *		char *line = NULL;
 *		size_t room = 0;
 *		int status = 0;
 *		long n;
 *
 *		while (text && (n = getline(&line, &room, stdin)) > 0)
 *			if (pp_script_text_line(text, line, n - (line[n - 1] == '\n'), &folded, &error) < 0)
 *				status = 3;
 *		if (!text || pp_script_text_end(text, &folded, &error) < 0)
 *			status = 3;
 *		if (!text || pp_out_open(&out, STDOUT_FILENO) ||
 *		    pp_profile_write_folded(profile, &out, &error) || pp_out_close(&out))
 *			return 4;
 *		pp_script_text_free(text);
 *		pp_profile_free(profile);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_SCRIPT_TEXT_H
#define PERFPIPE_SCRIPT_TEXT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/script_text.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/fold.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_script_text;
/*
 * `objects` and `late_names` of the options mean nothing here.  Numbers that the text does not have are "?".
 * The profile outlives it.  NULL: out of memory, or there is no profile.
 */
PP_API PP_MUST_CHECK struct pp_script_text *pp_script_text_new(const struct pp_fold_options *,
							       struct pp_profile *);
PP_API void pp_script_text_free(struct pp_script_text *);    /* NULL is fine */

/* Whether a line is the first of a sample, by its time or event: false of some where neither was printed. */
PP_API bool pp_script_text_begins(const char *line, size_t length);
/* Whether a line is a frame of a sample: no other line that is not empty begins with a tab or with a blank,
 * and an address. */
PP_API bool pp_script_text_is_frame(const char *line, size_t length);

/*
 * Takes the next line, without its end.  1: a sample has ended, *folded says what became of it, or of the
 * one of its thread before it, where they weigh time; 0: not yet, or it was of another event; -1 and *error:
 * PP_E_VALUE, it is not what perf script prints, and was left out; PP_E_USE, its samples cannot be weighed by
 * time; or memory.
 */
PP_API PP_MUST_CHECK int pp_script_text_line(struct pp_script_text *, const char *line, size_t length,
					     struct pp_folded *, struct pp_error *);
/* Counts a line that its reader left out, such as one that is too long. */
PP_API void pp_script_text_skip(struct pp_script_text *);
/* Says that there are no more lines.  As above; PP_E_VALUE: the end of the last sample's frames is missing,
 * and it was left out. */
PP_API PP_MUST_CHECK int pp_script_text_end(struct pp_script_text *, struct pp_folded *, struct pp_error *);

/* Does after a line that ended a sample what pp_fold_lighten() does. */
PP_API PP_MUST_CHECK int pp_script_text_lighten(struct pp_script_text *, uint32_t *places, uint64_t *left_out,
						struct pp_error *);
/* As pp_fold_stats(); what `event` leads to lives as long as the text. */
PP_API void pp_script_text_stats(const struct pp_script_text *, struct pp_fold_stats *);

#ifdef __cplusplus
}
#endif

#endif
