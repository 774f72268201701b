/* name_store.h - what is known of addresses in files: which files a stream has, and the names in them, from
 * the stream or from this machine. */
#ifndef PP_NAME_STORE_H
#define PP_NAME_STORE_H

#include <perfpipe/symbol.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/mapped_files.h"
#include "model/task_table.h"
#include "image/address_range.h"

/* A file as maps have it. */
struct pp_object {
	struct pp_named_file of;      /* ->path is its own, if not `lasts` */
	bool lasts;                   /* the path is another's, which outlives this */
	uint32_t pid;                 /* of one who has it mapped; 0: unknown */
	uint64_t recorded_by;         /* when it was met first, as in struct pp_wanted_file */
	size_t is;                    /* 1 + index of the one that it was found to be; 0 */
	struct pp_idmap offsets;      /* 1 + index of what the stream says there */
	/* Where this machine was asked, so that what it knows is below; those that are forgotten are asked
	 * for again. */
	struct pp_idmap asked;
	struct pp_space *extents;     /* what this machine says: ->file is the index of an answer */
	/* Offsets that are to be looked up: that have no name; whose name, from the stream, has not all that
	 * debug information could tell. */
	struct pp_offsets { uint64_t *items; size_t n, room; } unnamed, incomplete;
	bool exhausted;               /* its file says no more than symbols */
};
/* Of an address, or of an extent. */
struct pp_lookup {
	uint64_t start, bias;         /* as in struct pp_named */
	uint32_t first, count;        /* frames; count 0: there is no name */
	uint32_t flags;               /* PP_NAMES_ */
	bool of_stream;
	/* Of the stream: whether files have more to say of it was asked; and they have. */
	bool asked, outdone;
};
/* What somebody says, each text once. */
struct pp_answers {
	struct pp_lookup *items;
	size_t n, room;
	struct pp_answer_frame {
		uint32_t symbol, file, line;
		bool inlined, long_symbol, long_file;   /* too long to be shown */
	} *frames;
	size_t n_frames, room_frames;
	struct pp_buffer text;
	struct pp_index strings;      /* 1 + where each is in `text` */
	size_t n_strings;
};
/* What the stream says is kept for good, in half of the memory; what this machine says until it takes the
 * rest of it. */
struct pp_name_store {
	uint64_t memory;              /* to be set: bytes */
	struct pp_object *objects;
	size_t n_objects, room_objects;
	struct pp_index by_key;       /* 1 + index of an object */
	struct pp_answers stream, here;
	/* They count what is kept of the stream, and here: nothing is refused by them. */
	struct pp_budget of_stream, of_here;
	struct pp_spaces spaces;      /* of the objects' extents */
};
void pp_name_store_free(struct pp_name_store *);
/* The object that `of` describes, which is added if it is new: 0, or -1: memory.  `lasts`: its path lives as
 * long as this, so that no copy is made. */
int pp_name_store_object(struct pp_name_store *, const struct pp_named_file *of, bool lasts, size_t *object);
/* Whether both describe one file. */
bool pp_name_store_same(const struct pp_named_file *, const struct pp_named_file *);
/* A build-id that may be its: where else it may be. */
void pp_name_store_hint(struct pp_object *, const struct pp_named_file *of);
/* What names of it go by in a stream. */
struct pp_named_file pp_name_store_named(const struct pp_object *);
/* What `other` describes is this object, too, whose build-id was not known: what is known of it is known of
 * this one from now on.  Its path outlives this.  0, or -1: memory. */
int pp_name_store_unite(struct pp_name_store *, const struct pp_named_file *other, size_t object);
/* What is known of an offset, the stream's word first.  NULL: nothing, not even that it was asked for;
 * ->count 0: no name. */
const struct pp_lookup *pp_name_store_at(const struct pp_name_store *, size_t object, uint64_t offset);
/* What the stream says of it, and what this machine says of it, alone; or NULL. */
struct pp_lookup *pp_name_store_said(const struct pp_name_store *, size_t object, uint64_t offset);
struct pp_lookup *pp_name_store_here(const struct pp_name_store *, size_t object, uint64_t offset);
/* The offsets for which what this machine says of one holds; false: it says nothing, or was not asked. */
bool pp_name_store_extent(const struct pp_name_store *, size_t object, uint64_t offset,
			  struct pp_address_range *);
/* Notes what the stream says of an offset, unless a better answer is known.  1, 0: unneeded, -1: memory. */
int pp_name_store_add(struct pp_name_store *, size_t object, const struct pp_named *,
		      const struct pp_named_frame *, uint32_t flags);
/* Notes what this machine says of an extent: 0, or -1: memory. */
int pp_name_store_cover(struct pp_name_store *, size_t object, const struct pp_address_range *,
			const struct pp_named *, const struct pp_named_frame *, uint32_t flags);
/* Of an answer, from 0. */
void pp_name_store_frame(const struct pp_name_store *, const struct pp_lookup *, uint32_t number,
			 struct pp_named_frame *);
/* The same for who shows it: what is too long is cut. */
void pp_name_store_shown(const struct pp_name_store *, const struct pp_lookup *, uint32_t number,
			 struct pp_named_frame *);
/* Adds an offset to those that are to be looked up: 0, or -1: memory. */
int pp_name_store_want(struct pp_name_store *, struct pp_offsets *, uint64_t offset);
/* Whether what the stream says takes its half of the memory. */
bool pp_name_store_has_no_room(const struct pp_name_store *);
/* Whether what can be forgotten takes too much; and forgets what this machine said: answers that are held
 * are gone. */
bool pp_name_store_is_full(const struct pp_name_store *);
void pp_name_store_forget(struct pp_name_store *);

#endif
