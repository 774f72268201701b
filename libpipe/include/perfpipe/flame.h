/*
 * flame.h - a profile as a picture: an SVG, or a page with that and a program that zooms and searches.
 *
 * Nothing is loaded from elsewhere, so both work from a disk without a network, and the page shows the
 * picture where scripts are off.  What would be narrower than can be seen is left out, and counted.
 * Names are text, whatever is in them.
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/flame.h>
 *	#include <string.h>
 *	#include <unistd.h>
 *
 *	int main(void)
 *	{
 *		static const char line[] = "main;work 5";
 *		struct pp_flame_options how = { sizeof(how), "an example", "samples" };
 *		struct pp_profile *p = pp_profile_new();
 *		struct pp_flame_stats stats;
 *		struct pp_error error;
 *		struct pp_out out;
 *
 *		if (!p || pp_out_open(&out, STDOUT_FILENO) ||
 *		    pp_profile_read_folded(p, line, strlen(line), PP_PROFILE_FIRST, false, &error) < 0 ||
 *		    pp_flame_svg(p, &how, &out, &stats, &error))
 *			return 4;
 *		pp_profile_free(p);
 *		return pp_out_close(&out) ? 4 : 0;
 *	}
 */
#ifndef PERFPIPE_FLAME_H
#define PERFPIPE_FLAME_H

#ifndef PP_UNSTABLE
#error "<perfpipe/flame.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/profile.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame is, by the number that is its kind in a profile: gives its colour. */
enum pp_flame_kind { PP_FLAME_NATIVE, PP_FLAME_KERNEL, PP_FLAME_JIT, PP_FLAME_INLINED, PP_FLAME_OTHER };

/* When there were which stacks: how much of a node's own weight fell into each short span. */
struct pp_heat;
/* `rows` spans a second: 1 to 1000.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_heat *pp_heat_new(unsigned rows);
PP_API void pp_heat_free(struct pp_heat *);                  /* NULL is fine */
/* Adds a weight of a node at a time, in ns; what is before the first that was added counts as at the
 * beginning of its second, and what is a year after it as at the end of that.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_heat_add(struct pp_heat *, uint64_t time, uint32_t node, uint64_t weight,
				     struct pp_error *);
/* Takes back all that was added. */
PP_API void pp_heat_clear(struct pp_heat *);
/* Once nodes have become others: places[i] is what node i is now. */
PP_API void pp_heat_renumber(struct pp_heat *, const uint32_t *places);

struct pp_flame_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *title;            /* above the picture; NULL: none */
	const char *unit;             /* of the weights, in the plural; NULL: "samples" */
	double width;                 /* of the picture in pixels; 0: 1200 */
	double least;                 /* pixels that a frame is wide at least; 0: 0.1 */
	bool icicle;                  /* the outermost frames on top */
	bool as_made;                 /* those that one frame calls in the order in which they were
				       * made, rather than by name */
	uint64_t grain;               /* of two sides: what one sample weighs, about, so that what may be
				       * chance is not shown as a difference; 0: what all weights are
				       * multiples of */
	struct pp_heat *heat;         /* of the same profile: a page shows it, one only; or NULL */
};

struct pp_flame_stats {
	uint64_t left_out;            /* nodes that would have been too narrow */
	uint64_t heat_seconds;        /* that a heat map would have had to show, but not its spans all:
				       * there are more than PP_HEAT_SPANS, and it was left out; or 0 */
};
/* So many spans of time a page shows at most: 23 hours of 50 a second, some MB of the page. */
enum { PP_HEAT_SPANS = 1 << 22 };

/* Write it.  Where the profile has weights on its second side, each frame is as wide as on the side
 * where it was more, each side as a share of its whole.  0, or -1 and *error: memory; errors of the output
 * stay in it. */
PP_API PP_MUST_CHECK int pp_flame_svg(struct pp_profile *, const struct pp_flame_options *, struct pp_out *,
				      struct pp_flame_stats *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_flame_html(struct pp_profile *, const struct pp_flame_options *, struct pp_out *,
				       struct pp_flame_stats *, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
