/* page.h - what a page holds: a tree of calls without tasks, and its columns. */
#ifndef PP_PAGE_H
#define PP_PAGE_H

#include "profile/timeline.h"

#include <perfpipe/fold.h>

#include "base/array.h"
#include "base/hash.h"

/* More nodes than these a page does not have: the lightest are parts of their callers. */
enum { PP_PAGE_NODES = 1000000 };

/*
 * The calls of a profile as a page has them.  The first node is the whole; callers come before what they
 * call, and the heaviest of one caller first.  A stream's tasks, which its stacks begin with, are none of
 * them.
 */
struct pp_page_tree {
	uint32_t n;
	struct pp_page_node {
		uint32_t depth;
		uint32_t function;    /* of `frames` */
	} *nodes;
	uint64_t *self[PP_PROFILE_SIDES];     /* of each node; NULL: nothing weighs on that side */
	uint32_t *frames;             /* functions, by the numbers of the profile's frames */
	uint32_t functions;
	uint32_t *places;             /* of each node of the profile: its node here */
	uint32_t left_out;            /* nodes of the profile that are parts of their callers */
	uint64_t total[PP_PROFILE_SIDES];
};
/* `tasks`: the outermost frames are tasks.  0, or -1 and *error: memory. */
int pp_page_tree_open(struct pp_page_tree *, struct pp_profile *, bool tasks, struct pp_error *);
void pp_page_tree_close(struct pp_page_tree *);

/* A thread that has cells. */
struct pp_page_thread {
	const char *name;
	uint32_t pid, tid;
	uint32_t number;              /* for pp_fold_thread() */
	uint64_t weight;
};

/* What the events of a page have in common. */
struct pp_page_axis {
	/* by side: ns, where the first cell of all begins, and where the last does, or a wait ends */
	uint64_t from[PP_PROFILE_SIDES], to[PP_PROFILE_SIDES];
	size_t budget;                /* bytes that an event's numbers may take */
};

/* What a page has as columns of numbers: perfpipe.page/1, in pp-flame(1). */
enum { PP_PAGE_COLUMNS = 11 };
struct pp_page_data {
	const struct pp_page_tree *tree;
	const struct pp_profile *profile;
	const struct pp_flame_options *how;
	struct pp_page_axis axis;
	struct pp_timeline *timelines[PP_PROFILE_SIDES];      /* of its cells; NULL: none */
	struct pp_page_thread *threads;       /* the heaviest of each side first */
	uint32_t n_threads, n_before; /* before: of the first side */
	uint32_t texts[4];            /* names, files, source files, names of threads */
	uint32_t files;               /* that have a name */
	uint64_t grain;               /* weights of cells are multiples of it, or nearly */
	uint64_t tick, begin, duration;       /* ns */
	uint64_t cells, cells_before;
	double folded;                /* the share below which nodes are parts of their callers in cells */
	bool thinned;                 /* cells are not exact: the last columns are */
	size_t columns[PP_PAGE_COLUMNS];      /* bytes of each */
	struct pp_buffer packed;      /* all of them, deflated */
};
/* 0, or -1 and *error: memory. */
int pp_page_data_open(struct pp_page_data *, const struct pp_page_tree *, const struct pp_profile *,
		      const struct pp_flame_options *, const struct pp_page_axis *, struct pp_error *);
void pp_page_data_close(struct pp_page_data *);

/* ---- text ---- */

/* A weight for a reader: three digits, and ns as "2.34 ms", counts as "12,345" or "1.02 M". */
void pp_put_weight(struct pp_out *, uint64_t, bool times);
/* A share of a whole: "12.3 %". */
void pp_put_share(struct pp_out *, double);
/* What was judged of a frame: "+9.8 % (+7.1 % to +12.4 %), worse"; the verdict alone where it is not on
 * `both` sides. */
void pp_put_judgement(struct pp_out *, const struct pp_flame_judgement *, bool both);
/* What was recorded, in a line of markup: "341 ms of CPU time in 170 samples, over 344 ms, 2 CPUs ...", as
 * far as it is known.  NULL: there are no times and threads; `bold`: what counts most stands out in HTML. */
void pp_put_facts(struct pp_out *, const struct pp_flame_options *, const uint64_t total[PP_PROFILE_SIDES],
		  const struct pp_page_data *, bool bold);
/* A time since 1970, in ns: "2026-11-30 01:51:37 UTC". */
void pp_put_date(struct pp_out *, uint64_t);
/* What happened besides samples, for scripts and for readers. */
void pp_put_marks(struct pp_json *, const struct pp_flame_facts *, uint64_t begin);
void pp_put_notes(struct pp_out *, const struct pp_flame_facts *);
/* What weights are, for a reader: "CPU time", "cycles", "samples". */
const char *pp_noun_of(const struct pp_flame_options *);

#endif
