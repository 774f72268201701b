/* flame_layout.h - which frames of a profile a picture shows, and where. */
#ifndef PP_FLAME_LAYOUT_H
#define PP_FLAME_LAYOUT_H

#include <perfpipe/flame.h>

#include "base/array.h"

/* A frame that is shown; the first is the whole. */
struct pp_box {
	uint32_t number;
	uint32_t frame, depth;        /* as in struct pp_profile_node */
	const char *name;
	size_t length;
	unsigned kind;                /* enum pp_flame_kind */
	uint64_t self[PP_PROFILE_SIDES];    /* with what of those below it is not shown */
	uint64_t total[PP_PROFILE_SIDES];
	double left, width;           /* as shares of the whole */
};

/* A box on the way from the whole to the one at hand: where the next that it calls goes, and the first box
 * that is not below it. */
struct pp_box_way {
	double next;
	uint32_t end;
};

/* A layout may have as many boxes as its profile has nodes: each is made only when it is looked at. */
struct pp_layout {
	const struct pp_profile *profile;
	const struct pp_fold *fold;   /* which knows the kinds of frames; or NULL */
	uint32_t n;
	uint32_t *nodes;              /* of each box; callers before what they call, from left to right */
	uint32_t *ends;               /* of each box: the first that is not below it */
	double *left;                 /* of each box, where there are gaps; else NULL */
	double *width;                /* of each node */
	uint64_t *node_total[PP_PROFILE_SIDES];       /* of each node; NULL: nothing weighs on that side */
	uint64_t total[PP_PROFILE_SIDES];             /* of the whole */
	double per[PP_PROFILE_SIDES];                 /* what is a share of 1 */
	const struct pp_flame_judged *judged;         /* or NULL */
	struct pp_box_way *way;
	size_t room, left_room;
	uint64_t left_out;
	uint32_t deepest;
	bool both;                    /* there are two sides */
	uint64_t grain;               /* what one sample weighs, about */
	double least;                 /* share of the whole that a box has at least */
};

/* 0, or -1 and *error: memory. */
int pp_layout_open(struct pp_layout *, struct pp_profile *, const struct pp_flame_options *,
		   struct pp_error *);
void pp_layout_close(struct pp_layout *);
/* Goes through all boxes: the first one, and the one that follows; false: there are no more. */
bool pp_layout_first(const struct pp_layout *, struct pp_box *);
bool pp_layout_next(const struct pp_layout *, struct pp_box *);
/* The file of a frame, or NULL; and *kind, its enum pp_flame_kind.  `fold`: which made it, or NULL. */
struct pp_text;
const char *pp_frame_file(const struct pp_fold *, const struct pp_text *, unsigned *kind);
/* The share of a side that a box is. */
double pp_layout_share(const struct pp_layout *, const struct pp_box *, unsigned side);
/* Whether the difference of its sides may be chance. */
bool pp_layout_same(const struct pp_layout *, const struct pp_box *);
/* What was judged of a frame or function; NULL: nothing. */
const struct pp_flame_judgement *pp_judged_of(const struct pp_flame_judged *, enum pp_flame_family,
					      uint32_t number);
/* A weight of a side, which is a sum over its recordings, as one of them has it. */
uint64_t pp_per_run(const struct pp_flame_options *, unsigned side, uint64_t weight);

/* What one sample weighs, about: what is given, or what all weights are multiples of. */
uint64_t pp_grain_of(const struct pp_profile *, uint64_t given);

/* ---- colours: 0xrrggbb */

struct pp_kind_colour {
	const char *what;
	uint32_t light, dark;         /* for a page on white, and on black */
};
extern const struct pp_kind_colour pp_kind_colours[PP_FLAME_KINDS];
enum pp_change { PP_CHANGE_SAME, PP_CHANGE_MORE, PP_CHANGE_LESS, PP_CHANGES };
extern const struct pp_kind_colour pp_change_colours[PP_CHANGES];
/* By a frame's kind and name; of two sides, by what it gained or lost. */
uint32_t pp_colour_of(const struct pp_layout *, const struct pp_box *);

enum { PP_LEGEND_MOST = PP_FLAME_KINDS };
struct pp_legend {
	uint32_t colour;
	bool dashed;
	double share;                 /* of frames of this kind, themselves; or less than 0: not known */
	const char *what;
};
/* How many there are to explain. */
size_t pp_legend_of(const struct pp_layout *, struct pp_legend legend[PP_LEGEND_MOST]);

/* ---- text */

/* Text for HTML and XML: without control characters, and markup as what it looks like.  Long names are
 * cut. */
void pp_write_markup(struct pp_out *, const char *, size_t);
/* The same as a string of JSON that may stand in a <script>. */
void pp_write_json(struct pp_out *, const char *, size_t);
/* The same with markup as it is, added to a buffer.  0, or -1 and *error: memory. */
int pp_add_name(struct pp_buffer *, const char *, size_t, struct pp_error *);
/* A function's name as markup, shortened so that it takes no more letters than there is room for, of which
 * wide ones count two; nothing, if too little would be left. */
void pp_write_short_name(struct pp_out *, const char *, size_t, size_t room);
/* The picture itself, <svg> to </svg>: as a file `alone`, or a part of a page.  How many boxes are left out:
 * those deeper than `deepest` of the layout. */
uint64_t pp_write_svg(const struct pp_layout *, const struct pp_flame_options *, bool alone, struct pp_out *);

#endif
