/* inject.h - what pp-inject adds, a stage each: code of JIT compilers, merged switches, build-ids. */
#ifndef INJECT_H
#define INJECT_H

#include "shared/run.h"

/* What opens the files that are named in the stream, for the stages here. */
static inline struct pp_opener *opener_of(const struct run *run)
{
	return run->arg;
}

/* ---- inject_build_ids.c ---- */

struct build_ids_options {
	bool rooted;                  /* they are those of another machine: no inode counts */
	bool hit;                     /* of the files that samples hit */
	bool only_hit;                /* maps that no sample hits are left out */
	bool all;                     /* of all files that are mapped */
	bool maps;                    /* in the MMAP2 records themselves */
	struct pp_budget *budget;
};
/* PATH and build-id, as of --known-build-ids: NULL, or the end of a sentence. */
const char *build_ids_known(void *, const char *value);
void build_ids_open(const struct build_ids_options *);
/* A record, in time order for ->hit: PP_KEEP, perhaps after a change, PP_DROP, or -1 and run->error. */
int build_ids_judge(struct run *, struct pp_record *);
/* Up to which number samples of a batch, from one on, stay and hit nothing new. */
uint32_t build_ids_judge_batch(const struct pp_batch *, uint32_t from);
void build_ids_end(void);             /* reports what was left out */
void build_ids_close(void);

/* ---- inject_jit.c ---- */

struct jit_options {
	const char *folder;           /* where images are written, made if it is missing; NULL: ./jitted */
	bool rooted;                  /* files are those of another machine: no inode counts */
	/* Shown each record that is made, before it is written: what follows in the row; or NULL. */
	int (*next)(struct run *, struct pp_record *);
};
void jit_open(const struct jit_options *);
const char *jit_folder(void);         /* its path, or NULL: nothing is written */
/* A record, in time order: PP_KEEP, PP_DROP, or -1 and run->error.  Maps of code that was born by then
 * are written before it. */
int jit_judge(struct run *, struct pp_record *);
int jit_end(struct run *);            /* writes the rest: 0, or -1 and run->error */
void jit_close(void);

/* ---- inject_sched.c ---- */

/* `next` as in jit_options. */
void sched_open(struct pp_budget *, int (*next)(struct run *, struct pp_record *));
int sched_start(struct run *);
/* The same of samples of the scheduler: those of sched_stat_* become the switch that they measure. */
int sched_judge(struct run *, struct pp_record *);
void sched_end(void);
void sched_close(void);

#endif
