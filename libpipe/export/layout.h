/* layout.h - which frames of a profile a picture shows, and where. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <perfpipe/flame.h>

/* A frame that is shown; the first is the whole. */
struct pp_box {
	struct pp_profile_node node;
	uint64_t self[PP_PROFILE_SIDES];    /* with what of those below it is not shown */
	uint64_t total[PP_PROFILE_SIDES];
	double left, width;           /* as shares of the whole */
	double next;                  /* where the next of those that it calls goes */
	size_t parent;
};

struct pp_layout {
	struct pp_box *boxes;         /* callers before what they call, from left to right */
	size_t n, room;
	uint32_t *box_of;             /* by node: the box that has what it weighs */
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
/* The share of a side that a box is. */
double pp_layout_share(const struct pp_layout *, const struct pp_box *, unsigned side);
/* Whether the difference of its sides may be chance. */
bool pp_layout_same(const struct pp_layout *, const struct pp_box *);

/* Text for HTML and XML: without control characters, and markup as what it looks like.  Long names are
 * cut. */
void pp_write_markup(struct pp_out *, const char *, size_t);
/* The same as a string of JSON that may stand in a <script>. */
void pp_write_json(struct pp_out *, const char *, size_t);
/* The picture itself, <svg> to </svg>. */
void pp_write_svg(const struct pp_layout *, const struct pp_flame_options *, struct pp_out *);

#endif
