/* stacks.h - which stacks were there before: by all that their names depend on. */
#ifndef STACKS_H
#define STACKS_H

#include <perfpipe/error.h>
#include <perfpipe/record.h>

#include "base/grow.h"
#include "base/table.h"

/* All zero is empty. */
struct pp_stacks {
	struct pp_known_stack *known; /* a table of them, by their hash */
	size_t count, room;           /* room: a power of two, or 0 */
	struct pp_idmap changes;      /* by pid: how often its maps or names changed */
	uint64_t kernel_changes;
	uint64_t low;                 /* the hash of what was looked for last */
	uint32_t high;
};

/* Takes a record that is no sample: the names of later stacks may be others.  0, or -1 and *error. */
int pp_stacks_note(struct pp_stacks *, const struct pp_record *, struct pp_error *);
/* How often what is known of a process has changed. */
uint64_t pp_stacks_changes(const struct pp_stacks *, uint32_t pid);
/* Another number after each change of what the names of a process's addresses of this cpumode depend on. */
uint64_t pp_stacks_version(const struct pp_stacks *, uint32_t pid, unsigned mode);
/*
 * Looks for the stack of a sample of a process, and for a number of the caller's with it.  True: it was
 * there, *number is what pp_stacks_keep() was given.
 */
bool pp_stacks_find(struct pp_stacks *, const struct pp_record *, uint32_t pid, uint64_t with,
		    uint32_t *number);
/* Remembers the one that was not there.  0, or -1 and *error. */
int pp_stacks_keep(struct pp_stacks *, uint32_t number, struct pp_error *);
void pp_stacks_close(struct pp_stacks *);

#endif
