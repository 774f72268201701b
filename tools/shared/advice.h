/* advice.h - what would make a recording better, judged by what was counted of it. */
#ifndef PP_ADVICE_H
#define PP_ADVICE_H

#include <perfpipe/perfpipe.h>

#include <stdbool.h>
#include <stdint.h>

/* Records that found no room in a buffer, as LOST records count them, and samples that counters lost, as the
 * LOST_SAMPLES at the end count them: with those that LOST records have counted already. */
struct advice_losses { uint64_t records, samples; };

/* Adds a record that says what was lost; any other is passed over. */
void advice_count_lost(struct advice_losses *, const struct pp_record *);
/* How much was lost in all. */
uint64_t advice_lost(const struct advice_losses *);

enum advice_rule {
	ADVICE_LOST, ADVICE_THROTTLED, ADVICE_NAMELESS, ADVICE_FILES, ADVICE_MULTIPLEXED, ADVICE_FEW,
	ADVICE_RECORDER, ADVICE_LATE, ADVICE_IDLE, ADVICE_LOAD, ADVICE_RULES
};

/* What was counted; what was not is 0. */
struct advice_facts {
	struct advice_losses lost;
	uint64_t samples;
	uint64_t throttled;           /* times that the kernel switched an event off for a while */
	uint64_t stacks, nameless;    /* stacks; those that mostly have functions without a name */
	bool unwound;                 /* they were made of raw stacks, which need no frame pointers */
	uint64_t files, useless;      /* files that were sampled; those that are missing or others here */
	const char *file;             /* one of these; NULL: there is none */
	uint64_t reads, multiplexed;  /* values of counters; those of events that waited for a counter */
	uint64_t counts;              /* counts of perf stat or pp-count */
	uint64_t own;                 /* samples of the recorder */
	uint64_t records, late;       /* all; those that came after the promise of a round */
	uint64_t worst;               /* by how many ns at most */
	uint64_t idle;                /* samples of idle processors */
	uint64_t cpus;                /* of the machine */
	double others;                /* how many of them were busy with what was not recorded, */
	bool others_known;            /* where a note says it */
};

/* One line of advice: what is wrong, and which option cures it. */
struct advice {
	const char *name, *cure;      /* name: of the rule */
	uint64_t count, of;           /* how many of how many */
	bool unfit;                   /* the recording is not to be compared with any other */
	char text[512];
};

/* Takes what a record says of losses, throttling, processors and the load of others: each record of a stream,
 * in any order.  The other facts are its caller's. */
void advice_note(struct advice_facts *, const struct pp_record *);
/* Whether a rule has something to say of a recording: *advice then. */
bool advice_judge(enum advice_rule, const struct advice_facts *, struct advice *);

/* Warns of what was lost of the stream `name`, if anything was: shares of its samples are shown. */
void advice_warn_of_loss(const char *name, uint64_t samples, const struct advice_losses *);
/* Warns where the rule of nameless stacks has something to say; not of a few, which say nothing of how
 * programs were built. */
void advice_warn_of_nameless(const char *name, uint64_t stacks, uint64_t nameless, bool unwound);
/* Whether it has: *advice then. */
bool advice_of_nameless(struct advice *advice, uint64_t stacks, uint64_t nameless, bool unwound);

#endif
