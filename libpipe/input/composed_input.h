/* composed_input.h - a stream put together of bytes that were made and of parts of a file. */
#ifndef PP_COMPOSED_INPUT_H
#define PP_COMPOSED_INPUT_H

#include <perfpipe/perfpipe.h>

struct pp_composed_input {
	struct pp_piece {
		uint64_t from, size;          /* offset in memory, or in the file */
		bool file;
		/* It does not follow in the stream: it is from `place` on, after a seal with this
		 * hash and number. */
		bool apart;
		uint64_t place, xxh3, seal;
	} *items;
	size_t count, room;
	uint8_t *memory;
	size_t used, memory_room;
	uint64_t total;               /* bytes of all pieces */
	size_t next;                  /* piece to read from, and how much of it is read */
	uint64_t done;
	uint64_t data;                /* where the last piece, the records, begins in the stream */
	uint64_t shift;               /* and how much further on it lies in the file (wraps) */
	uint64_t left_out;            /* features that no record can hold, a bit for each */
	struct pp_record *long_features;      /* of these, which are kept beside the stream */
	size_t n_long, long_room;
	bool killed;                  /* the recording was not ended: its data go on to the end */
	uint64_t features[4];         /* of the file, a bit for each */
	uint64_t data_offset, data_size;      /* as the file's header has them */
	struct pp_error late;         /* to be reported after the data, unless PP_OK */
};

void pp_composed_input_free(struct pp_composed_input *);
/* Room for `size` made bytes at the end, to be filled before the next call; NULL: no memory. */
uint8_t *pp_composed_input_room(struct pp_composed_input *, size_t size);
/* A part of the file at the end.  0, or -1: no memory. */
int pp_composed_input_file(struct pp_composed_input *, uint64_t offset, uint64_t size);
/* The last piece does not follow on the one before it, but is that of a stream at this place, after a
 * seal. */
void pp_composed_input_apart(struct pp_composed_input *, uint64_t place, uint64_t xxh3, uint64_t seal);
/* The next piece, if nothing of it was read yet and it is such a one; or NULL. */
const struct pp_piece *pp_composed_input_begins(struct pp_composed_input *);
/* Keeps a feature beside the stream; its data are freed with the rest.  0, or -1: no memory. */
int pp_composed_input_keep(struct pp_composed_input *, const struct pp_record *);
/* Remembers a feature that was left out.  0. */
int pp_composed_input_left_out(struct pp_composed_input *, unsigned feature);

#endif
