/*
 * span_words.h - what samples of spans say besides how long they are, under names of their own.
 *
 * Where a thread waited, addr is its state, and weight is how long it waited since it was woken.  Of a system
 * call addr is the number, and weight the result; config1 of the event is the machine (AUDIT_ARCH_), if that
 * is known.
 */
#ifndef SPAN_WORDS_H
#define SPAN_WORDS_H

#include <perfpipe/record.h>

#include "text/system_calls.h"

/* As the kernel has them since 4.14; and what stands for a state that is not known. */
enum {
	STATE_RUNNABLE = 0, STATE_SLEEPING = 0x1, STATE_DISK = 0x2, STATE_STOPPED = 0x4, STATE_TRACED = 0x8,
	STATE_DEAD = 0x10, STATE_ZOMBIE = 0x20, STATE_PARKED = 0x40, STATE_IDLE = 0x80,
	STATE_UNKNOWN = 1 << 30,
};

/* X(NAME, name, kind, meaning) */
#define PP_SPAN_WORDS(X) \
	X(STATE,   state,   "text", "of a wait: the thread's state, as sleeping or disk, or as in ps(1)") \
	X(WOKEN,   woken,   "time", "of a wait: when the thread was woken") \
	X(SYSCALL, syscall, "text", "of a system call: its name") \
	X(ERROR,   error,   "text", "of a system call that failed: ENOENT and the like")

enum pp_span_word {
	PP_SPAN_NO_WORD,
#define X(upper, name, kind, doc) PP_SPAN_##upper,
	PP_SPAN_WORDS(X)
#undef X
	PP_SPAN_WORD_COUNT,
};

struct pp_span_word_row { const char *name, *kind, *doc; };
/* From 1; NULL members before. */
extern const struct pp_span_word_row pp_span_word_rows[PP_SPAN_WORD_COUNT];
enum pp_span_word pp_span_word_named(const char *name);
/* Whether samples of the event may say it. */
bool pp_span_says(const struct pp_attr *, enum pp_span_word);

/* Whether its samples are of who woke a thread, whom addr names. */
bool pp_span_is_of_wakers(const struct pp_attr *);

/* Of a sample whose event says it: false, NULL: it does not. */
bool pp_span_woken(const struct pp_record *, uint64_t *time);
/* "sleeping", and, unless NULL, the letter of the state as text, or NULL. */
const char *pp_span_state(const struct pp_record *, const char **letter);
/* 1, 0: it does not; -1 and *error: no memory.  What *name points at is valid until the next call. */
int pp_span_syscall(const struct pp_record *, struct pp_call_names *, const char **name, struct pp_error *);
const char *pp_span_error(const struct pp_record *, char name[PP_ERROR_NAME]);

#endif
