/* threads.h - the threads of a recording that is exported, and the samples of each. */
#ifndef EXCHANGE_THREADS_H
#define EXCHANGE_THREADS_H

#include <perfpipe/export.h>

#include "exchange/sample_times.h"

/* A thread is one whatever names it had, or several of a process. */
struct pp_export_thread {
	uint32_t pid, tid;
	const char *name;             /* its last; of several that of their process */
	const char *process;          /* the last name of the first thread of its process */
	uint32_t several;             /* so many threads in one; 0: it is one */
	uint64_t samples;             /* of all events */
	size_t first_part, parts;     /* of pp_export_threads.parts */
};

struct pp_export_threads {
	const struct pp_export *all;
	struct pp_export_thread *items;       /* those with most samples first */
	size_t n;
	struct pp_thread_part {
		uint32_t event, number;       /* of its fold */
	} *parts;
	size_t n_parts;
	uint64_t joined;              /* threads that are in others, which are of several */
};

/* Of more than `most` threads those with the fewest samples are one for each process.  0, or -1 and *error:
 * memory.  It may be closed in any case. */
int pp_export_threads_open(struct pp_export_threads *, const struct pp_export *, size_t most,
			   struct pp_error *);
void pp_export_threads_close(struct pp_export_threads *);

/* The samples of a thread that are of one event, in the order of their times. */
struct pp_thread_samples {
	struct pp_sample_reader *heads;       /* the one whose sample is the earliest comes first */
	size_t n, open;
	size_t given;                 /* samples of the first head, which the next call takes out */
};
/* 0, or -1 and *error: memory, or the file they are in.  It may be closed in any case. */
int pp_thread_samples_open(struct pp_thread_samples *, const struct pp_export_threads *,
			   const struct pp_export_thread *, size_t event, struct pp_error *);
/* 1: the next ones, at most a block of a file, which live until the next call; 0: there are no more; -1 and
 * *error. */
int pp_thread_samples_next(struct pp_thread_samples *, const struct pp_sample_time **samples, size_t *n,
			   struct pp_error *);
void pp_thread_samples_close(struct pp_thread_samples *);
/* What all of them have. */
struct pp_thread_times pp_thread_samples_of(const struct pp_export_threads *, const struct pp_export_thread *,
					    size_t event);

#endif
