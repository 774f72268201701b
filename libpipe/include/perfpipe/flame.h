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

/* What code a frame is, which gives its colour: the number that is its kind in a profile, or that stands in
 * perfpipe.page/1. */
enum pp_flame_kind {
	PP_FLAME_PROGRAM,             /* a program's own file */
	PP_FLAME_LIBRARY,             /* a shared object */
	PP_FLAME_INLINED,
	PP_FLAME_KERNEL,              /* its text, its modules, and what it maps for processes */
	PP_FLAME_JIT,
	PP_FLAME_UNKNOWN,             /* no file is mapped there */
	PP_FLAME_GROUP,               /* no code: a program, a thread */
	PP_FLAME_KINDS
};

/* When each thread had which stacks: the weight of a node, in short spans of time that become longer when
 * there are very many. */
struct pp_timeline;
/* NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_timeline *pp_timeline_new(void);
PP_API void pp_timeline_free(struct pp_timeline *);                /* NULL is fine */
/* Adds a weight of a node at a time, in ns, in a thread, by its number in struct pp_folded.  0, or -1 and
 * *error: memory. */
PP_API PP_MUST_CHECK int pp_timeline_add(struct pp_timeline *, uint64_t time, uint32_t thread, uint32_t node,
				      uint64_t weight, struct pp_error *);
/* Takes back all that was added. */
PP_API void pp_timeline_clear(struct pp_timeline *);
/* Once nodes have become others: places[i] is what node i is now. */
PP_API void pp_timeline_renumber(struct pp_timeline *, const uint32_t *places);

/* What happened besides samples, which stands on the line of time. */
enum pp_flame_mark_kind {
	PP_FLAME_LOST,                /* events were */
	PP_FLAME_THROTTLED,           /* events were held back by the kernel, so often */
	PP_FLAME_NOTE,
	PP_FLAME_MARKS
};
struct pp_flame_mark {
	enum pp_flame_mark_kind kind;
	uint64_t from, to;            /* ns, as the times of samples */
	uint64_t number;
	const char *text;             /* of a note */
};

/* What a page says of the recording, above the picture; what is not known is NULL or 0. */
struct pp_flame_facts {
	const char *command;          /* that was recorded, or how the recorder was called */
	const char *host, *system, *cpu, *recorder;
	const char *nameless;         /* how many stacks lack names, and what would help */
	const char *event;
	const char *damage;           /* what is wrong with the stream */
	const char *partners;         /* of two sides: what is compared with what, and what with nothing */
	uint64_t cpus;
	uint64_t start;               /* of the first sample, ns since 1970, */
	uint64_t first;               /* and by the clock of the samples */
	uint64_t frequency;           /* samples a second that were asked for */
	uint64_t records, samples, lost, throttled;
	bool times;                   /* weights are ns */
	bool waits;                   /* of threads that were off their CPU */
	bool between;                 /* between samples, whatever the thread did in between */
	const struct pp_flame_mark *marks;
	size_t n_marks;
	const char *const *notes;     /* about the whole of it: "key=value" */
	size_t n_notes;
	uint64_t notes_left_out;      /* since they are too many */
};

/* By what two sides are compared: as shares of their wholes, by what they weigh a second, or as they are. */
enum pp_flame_by { PP_FLAME_BY_SHARES, PP_FLAME_BY_TIME, PP_FLAME_BY_COUNT };

struct pp_fold;
/* Another event of the same recording, which a page has, too. */
struct pp_flame_event {
	struct pp_profile *profile;
	const struct pp_flame_facts *facts;
	const struct pp_fold *fold;
	struct pp_timeline *cells;
	const char *unit;
	uint64_t grain;
};

/* A program that has another name on a page. */
struct pp_flame_rename {
	const char *from;             /* NULL: all programs */
	const char *to;
};

/* What was judged of a frame or a function, of two sides of several recordings each: <perfpipe/gate.h>. */
struct pp_flame_judgement {
	uint32_t number;              /* a node of the profile, 0 being the whole; or a frame of it */
	int way;                      /* 1: it weighs more than before; -1: less; 0: that may be chance */
	const char *verdict;          /* in a word: "worse" */
	double change, low, high;     /* 0.1 is 10 % more; the interval that has the true change */
};
/* What can be judged: frames with all that they call, functions by themselves and with what they call. */
enum pp_flame_family { PP_FLAME_FRAMES, PP_FLAME_SELVES, PP_FLAME_FUNCTIONS, PP_FLAME_FAMILIES };
struct pp_flame_judged {
	bool paired;                  /* run by run */
	struct pp_flame_judgements {
		struct pp_flame_judgement *items;     /* by their numbers, which rise */
		size_t n;
	} of[PP_FLAME_FAMILIES];
};

struct pp_flame_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *title;            /* above the picture; NULL: none, or of a page what was recorded */
	const char *unit;             /* of the weights, in the plural; NULL: "samples" */
	double width;                 /* of the picture in pixels; 0: 1200 */
	double least;                 /* pixels that a frame is wide at least; 0: 0.1 */
	bool icicle;                  /* of a picture: the outermost frames on top */
	bool as_made;                 /* those that one frame calls in the order in which they were
				       * made, rather than by name */
	uint64_t grain;               /* of two sides: what one sample weighs, about, so that what may be
				       * chance is not shown as a difference; 0: what all weights are
				       * multiples of */
	const struct pp_flame_facts *facts;       /* or NULL */
	const struct pp_fold *fold;   /* which made the profile with `objects`, and for a page with `threads`;
				       * NULL: kinds are those of enum pp_flame_kind */
	struct pp_timeline *cells;       /* of the same profile: a page shows when there was what; or NULL */
	bool flame;                   /* a page opens with the outermost frames at the bottom */
	bool reverse;                 /* a page opens with the innermost frames first */
	bool chart;                   /* a page opens with what came after what */
	bool by_program, by_thread;   /* a page opens with stacks below their programs, or threads */
	bool whole;                   /* a page may be as large as all times of all samples make it */
	uint64_t every;               /* ns after which a page is made again; 0: it is the last */
	const struct pp_flame_event *more;   /* which a page shows where they are chosen */
	size_t n_more;
	/* Of two sides: */
	enum pp_flame_by by;
	uint64_t durations[PP_PROFILE_SIDES];     /* ns: for PP_FLAME_BY_TIME, and what is said of them */
	/* for a page: when there was what on the second side, and what numbered the threads of each, which is
	 * not `fold`; or NULL */
	struct pp_timeline *after;
	const struct pp_fold *threads[PP_PROFILE_SIDES];
	const struct pp_flame_rename *renames;    /* of programs on that page */
	size_t n_renames;
	bool apart;                   /* a thread, which takes no signals, packs half of a large page */
	/* Of sides that are several recordings, whose weights a profile has as sums: how many they are; 0:
	 * one.  `durations` are those of one.  What was judged of them, in place of what the number of
	 * samples lets expect of chance; or NULL. */
	uint64_t runs[PP_PROFILE_SIDES];
	const struct pp_flame_judged *judged;
};

struct pp_flame_stats {
	uint64_t left_out;            /* nodes that would have been too narrow */
	uint64_t tick;                /* of a page's first event: to how many ns times are kept; 0: there
				       * are none */
};

/* Write it.  Where the profile has weights on its second side, each frame is as wide as on the side
 * where it was more, each side as a share of its whole.  0, or -1 and *error: memory; errors of the output
 * stay in it. */
PP_API PP_MUST_CHECK int pp_flame_svg(struct pp_profile *, const struct pp_flame_options *, struct pp_out *,
				      struct pp_flame_stats *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_flame_html(struct pp_profile *, const struct pp_flame_options *, struct pp_out *,
				       struct pp_flame_stats *, struct pp_error *);
/* Loads the library that compresses pages fast, if it is there.  pp_flame_html() does so by itself: this is
 * for a caller that may open no more files by then. */
PP_API void pp_flame_load(void);

#ifdef __cplusplus
}
#endif

#endif
