/* known.h - what is known of addresses in files: which files a stream has, and the names in them, from
 * the stream or from this machine. */
#ifndef SYMBOL_KNOWN_H
#define SYMBOL_KNOWN_H

#include <perfpipe/symbol.h>

#include "base/grow.h"
#include "base/table.h"
#include "model/model.h"
#include "symbol/extent.h"

/* A file as maps have it. */
struct pp_object {
	struct pp_named_file of;           /* ->path is its own */
	uint32_t pid;                 /* of one who has it mapped; 0: unknown */
	/* 1 + index of what the stream says there; 0: asked for, so that what is known is below */
	struct pp_idmap offsets;
	struct pp_space *extents;     /* what this machine says: ->file is the index of an answer */
	/* Offsets that are to be looked up: that have no name; whose name, from the stream, has not all that
	 * debug information could tell. */
	struct pp_offsets { uint64_t *items; size_t n, room; } unnamed, incomplete;
};
/* Of an address, or of an extent: kept for good. */
struct pp_answer {
	uint64_t start;
	uint32_t first, count;        /* frames; count 0: there is no name */
	uint32_t flags;               /* PP_NAMES_ */
	bool of_stream, asked;        /* asked: whether files have more to say of what the stream says */
};
struct pp_known {
	struct pp_object *objects;
	size_t n_objects, room_objects;
	struct pp_index by_key;       /* 1 + index of an object */
	struct pp_budget budget;
	struct pp_spaces spaces;      /* of the objects' extents */
	struct pp_answer *answers;
	size_t n_answers, room_answers;
	struct frame { uint32_t symbol, file, line; bool inlined; } *frames;
	size_t n_frames, room_frames;
	struct pp_buffer text;
	struct pp_index strings;      /* 1 + where each is in `text` */
	size_t n_strings;
};
void pp_known_free(struct pp_known *);
/* The object that `of` describes, which is added if it is new: 0, or -1: memory. */
int pp_known_object(struct pp_known *, const struct pp_named_file *of, size_t *object);
/* What is known of an offset, the stream's word first.  NULL: nothing, not even that it was asked for;
 * ->count 0: no name. */
struct pp_answer *pp_known_at(const struct pp_known *, size_t object, uint64_t offset);
/* The same of what this machine says alone. */
struct pp_answer *pp_known_here(const struct pp_known *, size_t object, uint64_t offset);
/* Notes what the stream says of an offset, unless a better answer is known.  1, 0: unneeded, -1: memory. */
int pp_known_add(struct pp_known *, size_t object, const struct pp_named *, const struct pp_named_frame *,
		 uint32_t flags);
/* Notes what this machine says of an extent: 0, or -1: memory. */
int pp_known_cover(struct pp_known *, size_t object, const struct pp_extent *, const struct pp_named *,
		   const struct pp_named_frame *, uint32_t flags);
void pp_known_frame(const struct pp_known *, uint32_t number, struct pp_named_frame *);

#endif
