/* address_space.h - what is mapped where, in trees that processes share. */
#ifndef PP_ADDRESS_SPACE_H
#define PP_ADDRESS_SPACE_H

#include "model/record_store.h"

/* A piece of a map, and what is left and right of it.  NULL is a space where nothing lies. */
struct pp_space {
	uint32_t users, height;
	struct pp_space *left, *right;
	uint64_t start, end;          /* the piece */
	uint64_t from, to;            /* what the map was when it was made */
	union {
		struct pp_stored *kept; /* with ->keep */
		uint64_t pgoff;       /* at `from` */
	};
	union {
		uint32_t told;        /* the owner who noted it last */
		uint32_t file;        /* of struct pp_files */
	};
	/* With ->keep, of this node and all below: */
	uint32_t teller;              /* for whom `oldest` counts */
	union {
		/* No smaller ->kept->seq is among those that it did not note. */
		uint64_t oldest;
		uint64_t number;      /* without ->keep: of the mapping, which its pieces share */
	};
	uint64_t lowest, highest;     /* `from`, `to` */
};
/* What spaces that share maps have in common.  All zero but what is set. */
struct pp_spaces {
	struct pp_budget *budget;     /* to be set */
	struct pp_record_store *keep;         /* to be set, where pieces are of records that are kept */
	uint32_t owner;               /* who is noting just now, 0: none */
	bool failed;                  /* memory ended */
	struct pp_space *unused;
	struct pp_space_block *blocks;
};
struct pp_space *pp_space_share(struct pp_space *);             /* NULL is fine */
void pp_space_drop(struct pp_spaces *, struct pp_space *);      /* NULL is fine */
const struct pp_space *pp_space_at(const struct pp_space *, uint64_t address);
/* Puts a piece over what is there: of `piece` its start, end, from, to, kept or pgoff and file count;
 * it gets a share of ->kept of its own.  0, -1: memory. */
int pp_space_put(struct pp_spaces *, struct pp_space **, const struct pp_space *piece);
/* Takes out the piece that begins there, if there is one.  0, -1: memory. */
int pp_space_cut_out(struct pp_spaces *, struct pp_space **, uint64_t start);
/* Takes out what was kept before this ordinal.  0, -1: memory. */
int pp_space_forget(struct pp_spaces *, struct pp_space **, uint64_t before);
/* The node, or an unshared copy of it: takes the caller's share; NULL: memory. */
struct pp_space *pp_space_own(struct pp_spaces *, struct pp_space *);
/* Sums up what is in a node and below it. */
void pp_space_sum(const struct pp_spaces *, struct pp_space *);
static inline uint64_t pp_space_oldest(const struct pp_spaces *s, const struct pp_space *space)
{
	return !space->teller || space->teller == s->owner ? space->oldest : 0;
}
void pp_spaces_close(struct pp_spaces *);       /* after all spaces were dropped */

#endif
