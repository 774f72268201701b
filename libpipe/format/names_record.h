/* names_record.h - the bytes of names records, to make or swap them; reading is <perfpipe/names.h>. */
#ifndef PP_NAMES_RECORD_H
#define PP_NAMES_RECORD_H

#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "base/hash.h"

enum { PP_NAMES_MOST = PP_RECORD_MAX / 8 * 8, PP_NAMES_FRAMES = 128 };
/* Bytes of an address, and of a frame without its texts; of all else about a file but its path, at most. */
enum { PP_NAMES_ADDRESS = 24, PP_NAMES_FRAME = 16, PP_NAMES_HEAD = 128 };

/* A record that is being made; all zero is empty. */
struct pp_names_build {
	struct pp_buffer addresses, frames, text;
	struct pp_index strings;      /* 1 + where each is in `text` */
	struct pp_idmap single;       /* frames that are alone: what is in them, and where */
	struct pp_named_file of;           /* strings are copied */
	uint32_t path;
};
/* Begins a record about a file.  0, or -1: out of memory. */
int pp_names_begin(struct pp_names_build *, const struct pp_named_file *of);
/* Adds an address, whose ->frame is ignored; 1, 0: the record has no room for it, -1: memory. */
int pp_names_add(struct pp_names_build *, const struct pp_named *, const struct pp_named_frame *);
/* How many addresses are in it. */
size_t pp_names_count(const struct pp_names_build *);
/* Writes the record, and leaves it empty: its size, at most PP_NAMES_MOST. */
size_t pp_names_end(struct pp_names_build *, uint8_t *to);
void pp_names_discard(struct pp_names_build *);
/* Adds the files of one record, which was made here as well, to another: its size then; 0: no room. */
size_t pp_names_join(uint8_t *to, size_t size, const struct pp_record *more);
/* Whether the names of all files of a record lie in it, and can be. */
bool pp_names_fit(const struct pp_record *);
/* Turns the integers of names around, to host order or from it. */
void pp_names_swap(uint8_t *data, size_t size, bool to_host);

#endif
