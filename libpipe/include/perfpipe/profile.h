/*
 * profile.h - how often each stack was there: one tree of calls, whose frames are names.
 *
 * Stacks that begin alike share their beginning, so a profile is as large as its distinct stacks,
 * however many samples there were.  Each has a weight on two sides, of which the second is for what
 * the first is compared with.  The stacks of one process and how often they were there:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/profile.h>
 *	#include <unistd.h>
 *
 *	int main(void)
 *	{
 *		struct pp_error error;
 *		struct pp_profile *p = pp_profile_new();
 *		struct pp_out out;
 *		uint32_t stack[2];
 *
 *		if (!p || pp_profile_frame(p, "main", 4, 0, &stack[0], &error) ||
 *		    pp_profile_frame(p, "work", 4, 0, &stack[1], &error) ||
 *		    pp_profile_add(p, stack, 2, PP_PROFILE_FIRST, 5, &error) ||
 *		    pp_out_open(&out, STDOUT_FILENO))
 *			return 4;
 *		if (pp_profile_write_folded(p, &out, &error))
 *			return 4;
 *		pp_profile_free(p);
 *		return pp_out_close(&out) ? 4 : 0;
 *	}
 *
 * prints "main;work 5".
 */
#ifndef PERFPIPE_PROFILE_H
#define PERFPIPE_PROFILE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/profile.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/error.h>
#include <perfpipe/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_profile;
enum pp_profile_side { PP_PROFILE_FIRST, PP_PROFILE_SECOND, PP_PROFILE_SIDES };

/* Most frames in a stack: of a deeper one the innermost are left out. */
#define PP_PROFILE_DEEPEST 4096

/* NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_profile *pp_profile_new(void);
PP_API void pp_profile_free(struct pp_profile *);            /* NULL is fine */

/*
 * The number of a frame, by its name of `length` bytes and its kind, a number of the caller's: the same
 * for the same.  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_profile_frame(struct pp_profile *, const char *name, size_t length,
					  unsigned kind, uint32_t *frame, struct pp_error *);

/* The node of a frame called from another; PP_PROFILE_ROOT is where all stacks begin.  0, or -1 and
 * *error. */
#define PP_PROFILE_ROOT 0
PP_API PP_MUST_CHECK int pp_profile_call(struct pp_profile *, uint32_t from, uint32_t frame,
					 uint32_t *node, struct pp_error *);
/*
 * For a picture of what came after what, before the first call: those that begin a stack have one node each,
 * and any other call is one with what its caller called last, or else a new one.  Every stack ends in a frame
 * of this kind, which is no function and has no name.
 */
#define PP_PROFILE_END 0x7fffffffu
PP_API void pp_profile_keep_order(struct pp_profile *);
/* Adds to the stack that ends in this node.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_profile_weigh(struct pp_profile *, uint32_t node, enum pp_profile_side,
					  uint64_t weight, struct pp_error *);
/* Takes back all weights of a side; stacks keep their numbers. */
PP_API void pp_profile_clear(struct pp_profile *, enum pp_profile_side);
/* Both for a whole stack, its outermost frame first.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_profile_add(struct pp_profile *, const uint32_t *frames, size_t n,
					enum pp_profile_side, uint64_t weight, struct pp_error *);

/* For a profile of what is going on: all weights become `times` of `over` what they were. */
PP_API void pp_profile_scale(struct pp_profile *, uint32_t times, uint32_t over);
/* About how many bytes it takes. */
PP_API uint64_t pp_profile_size(const struct pp_profile *);
/*
 * Leaves out stacks, the lightest of the first side first, so that at most so many nodes are left.
 * Numbers of nodes and frames are others then.  *left_out: what they weighed on that side.  0, or -1 and
 * *error: memory, and all is as it was.
 */
PP_API PP_MUST_CHECK int pp_profile_lighten(struct pp_profile *, uint32_t nodes, uint64_t *left_out,
					    struct pp_error *);

/* ---- where stacks begin */

/* An outermost frame, and what all stacks that begin with it weigh. */
struct pp_profile_root {
	uint32_t frame;
	const char *name;             /* lives as long as the profile */
	size_t length;
	unsigned kind;
	uint64_t total[PP_PROFILE_SIDES];
};
/* All of them, in the order in which they were made, in *roots, which the caller frees.  0, or -1 and *error:
 * memory. */
PP_API PP_MUST_CHECK int pp_profile_roots(const struct pp_profile *, struct pp_profile_root **roots,
					  size_t *n, struct pp_error *);
/* In place of the outermost frame i of these, stacks begin with frames[i], or with what it calls where that
 * is PP_PROFILE_END.  `places`, one for each node, get the new numbers of nodes.  Not where order is
 * kept.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_profile_begin_with(struct pp_profile *, const uint32_t *frames, uint32_t *places,
					       struct pp_error *);

/* ---- what came of it */

/* One call: a node of the tree. */
struct pp_profile_node {
	uint32_t node, parent;
	uint32_t frame;
	uint32_t depth;               /* 1 for the outermost frames; the root has 0 */
	const char *name;             /* lives as long as the profile */
	size_t length;
	unsigned kind;
	uint64_t self[PP_PROFILE_SIDES];    /* of stacks that end here */
	uint64_t total[PP_PROFILE_SIDES];   /* and of those that go on from here */
};

/*
 * Calls `fn` for each node but the root, callers before what they call: those of one caller by their
 * names, in the order in which they were made, or the heaviest on the first side first (and of those the
 * one whose kind is the greatest number); or for each node that is the end of a stack, in the
 * order of the bytes of pp_profile_write_folded()'s lines.  It returns 0; 1, which leaves out what the
 * node calls; or -1 and *error, which ends it.  0, or -1 and *error.
 */
enum pp_profile_order { PP_PROFILE_BY_NAME, PP_PROFILE_AS_MADE, PP_PROFILE_LINES, PP_PROFILE_BY_WEIGHT };
typedef int pp_profile_fn(void *arg, const struct pp_profile_node *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_profile_each(struct pp_profile *, enum pp_profile_order, pp_profile_fn *,
					 void *arg, struct pp_error *);
/* The nodes of the stack that ends in a node, the outermost first, as far as there is room; how many
 * there are. */
PP_API size_t pp_profile_stack(const struct pp_profile *, uint32_t node, uint32_t *nodes, size_t room);
/* The name of a node's frame; it lives as long as the profile. */
PP_API const char *pp_profile_name(const struct pp_profile *, uint32_t node, size_t *length);
/* What the whole weighs on a side. */
PP_API uint64_t pp_profile_total(const struct pp_profile *, enum pp_profile_side);
/* How many nodes there are, the root included, and what the deepest has as its depth. */
PP_API uint32_t pp_profile_nodes(const struct pp_profile *);
PP_API uint32_t pp_profile_depth(const struct pp_profile *);

/*
 * Writes a line for each stack, in the order of the lines' bytes: its frames, the outermost first, with
 * ';' between them, and its weight; both weights where there are two sides.  In a name what would end
 * a frame or a line is ':' and ' '.  0, or -1 and *error; errors of the output stay in it.
 */
PP_API PP_MUST_CHECK int pp_profile_write_folded(struct pp_profile *, struct pp_out *, struct pp_error *);
/* What is not in a profile as it came. */
struct pp_profile_losses {
	uint64_t cut;                 /* stacks that were deeper than PP_PROFILE_DEEPEST, and end there */
	uint64_t fractions;           /* weights of text whose fractions were left out */
	bool full;                    /* weights add up to more than 64 bits hold */
};
PP_API void pp_profile_losses(const struct pp_profile *, struct pp_profile_losses *);

/* The same for a terminal: control characters, and bytes that are not UTF-8, are \xNN. */
PP_API PP_MUST_CHECK int pp_profile_print_folded(struct pp_profile *, struct pp_out *, struct pp_error *);
/*
 * Adds a line like those, "a;b;c 12", to a side; or to both, by two weights, "a;b;c 12 13", where `side`
 * is PP_PROFILE_SIDES; names that end in _[k], _[j] or _[i] are of the kinds of <perfpipe/flame.h> that
 * pp-fold(1) marks so, all others of kind 0; `reversed` begins at the innermost frame.  1; 0 where there is
 * nothing in the line but blanks or a comment (#); or -1 and *error: it has no weight (PP_E_VALUE), or there
 * is no memory.
 */
PP_API PP_MUST_CHECK int pp_profile_read_folded(struct pp_profile *, const char *line, size_t length,
						enum pp_profile_side side, bool reversed,
						struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
