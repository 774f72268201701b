/* stack_cache.h - which stacks were there before, whole or from a caller on: by all that their names
 * depend on. */
#ifndef PP_STACK_CACHE_H
#define PP_STACK_CACHE_H

#include <perfpipe/callchain.h>
#include <perfpipe/error.h>
#include <perfpipe/record.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/task_places.h"
#include "profile/hash_set.h"

/* All zero is empty. */
struct pp_stack_cache {
	struct pp_hash_set whole, callers;
	struct pp_hash_set placed;    /* callers by where they are in files */
	struct pp_idmap changes;      /* by pid: how often its maps or names changed */
	uint64_t kernel_changes, file_changes;
	uint64_t pid_changes;         /* of the process that was asked for last */
	uint32_t pid;
	bool has_pid;
};

/* Takes a record that is no sample: the names of later stacks may be others.  0, or -1 and *error. */
int pp_stack_cache_note(struct pp_stack_cache *, const struct pp_record *, struct pp_error *);
/* How often what is known of a process has changed. */
uint64_t pp_stack_cache_changes(struct pp_stack_cache *, uint32_t pid);
/* Another number after each change of what the names of a process's addresses of this cpumode depend on. */
uint64_t pp_stack_cache_version(struct pp_stack_cache *, uint32_t pid, unsigned mode);
/* Another number after each change of what files are, by which the names of places in them depend. */
uint64_t pp_stack_cache_files_version(const struct pp_stack_cache *);
/*
 * Looks for the stack of a sample of a process, and for a number of the caller's with it.  True: it was
 * there, *number is what pp_stack_cache_keep() was given.
 */
bool pp_stack_cache_find(struct pp_stack_cache *, const struct pp_record *, uint32_t pid, uint64_t with,
			 uint32_t *number);
/* Remembers the one that was not there.  0, or -1 and *error. */
int pp_stack_cache_keep(struct pp_stack_cache *, uint32_t number, struct pp_error *);
/* The same of what is left of a chain once its innermost address was read: many stacks share it. */
bool pp_stack_cache_find_callers(struct pp_stack_cache *, const struct pp_chain *, uint32_t pid,
				 uint64_t with, uint32_t *number);
int pp_stack_cache_keep_callers(struct pp_stack_cache *, uint32_t number, struct pp_error *);
/* The same where addresses of files are alike that have the same place there, in whichever processes.
 * Addresses that are in no map are all alike, too, unless `nowhere`. */
bool pp_stack_cache_find_placed(struct pp_stack_cache *, struct pp_tasks *, const struct pp_chain *,
				uint32_t pid, uint64_t with, bool nowhere, uint32_t *number);
int pp_stack_cache_keep_placed(struct pp_stack_cache *, uint32_t number, struct pp_error *);
/* Forgets all stacks, but not what has changed. */
void pp_stack_cache_forget(struct pp_stack_cache *);
/* Bytes that it holds. */
uint64_t pp_stack_cache_size(const struct pp_stack_cache *);
void pp_stack_cache_close(struct pp_stack_cache *);

#endif
