/* address_cache.h - what became of the addresses that were looked up, by where and when they were seen. */
#ifndef PP_ADDRESS_CACHE_H
#define PP_ADDRESS_CACHE_H

#include <perfpipe/error.h>

#include "base/hash.h"
#include "model/task_places.h"
#include "profile/stack_cache.h"

/* An address in a space, which is that of a process until it maps something new, or a place in a file.  As
 * small as it can be: there are as many as a stream has addresses. */
struct pp_address {
	uint64_t address;
	uint32_t space : 28;          /* and 1; 0: this one is free */
	bool called : 1, sampled : 1; /* whether place and inlined are known, and sample */
	bool left_out : 1;            /* samples there are in no entry */
	bool apart : 1;               /* of a place in a file: each process has its own of what is called */
	uint32_t place;
	uint32_t inlined;             /* the caller's number for more places; 0: there are none */
	uint32_t sample;              /* the place of a sample that was there */
};

/* A space that was asked for: of whom, and for what. */
enum { PP_ADDRESS_SPACES = 64 };
struct pp_address_space {
	uint64_t version;             /* and 1; 0: there is none */
	uint32_t whose, use, space;
};

/* All zero is empty. */
struct pp_address_cache {
	struct pp_address *items;     /* a table, by their hash: those that were set last */
	size_t count, room;           /* room: a power of two, or 0 */
	size_t most;                  /* to be set: no more room, a power of two; 0: a million */
	struct pp_idmap spaces;       /* by the hash of what a space is */
	uint32_t n_spaces;
	struct pp_address_space last[PP_ADDRESS_SPACES];      /* by their hash */
};

/*
 * Fills in the space of an address: the same for the same process (the kernel is in all), while what is known
 * of its maps does not change, and for the same use, a number below 8.  0, or -1 and *error: memory.
 */
int pp_address_cache_in_process(struct pp_address_cache *, struct pp_stack_cache *, uint32_t pid,
				unsigned mode, unsigned use, struct pp_address *, struct pp_error *);
/* Makes of an address what is the same in all processes that have the file: its offset, and a space of the
 * file. */
int pp_address_cache_in_file(struct pp_address_cache *, const struct pp_stack_cache *,
			     const struct pp_file_place *, unsigned use, struct pp_address *,
			     struct pp_error *);
/* This one will be looked for: meanwhile it comes nearer. */
void pp_address_cache_ahead(const struct pp_address_cache *, uint64_t address, uint32_t space);
/* The one with this address and space, until another is added: NULL, if it is not there. */
const struct pp_address *pp_address_cache_find(const struct pp_address_cache *, uint64_t address,
					       uint32_t space);
/* Adds one that is not there, or changes the one that is.  0, or -1 and *error: memory. */
int pp_address_cache_set(struct pp_address_cache *, const struct pp_address *, struct pp_error *);
/* Empties the table.  Spaces keep their numbers. */
void pp_address_cache_forget(struct pp_address_cache *);
void pp_address_cache_close(struct pp_address_cache *);

#endif
