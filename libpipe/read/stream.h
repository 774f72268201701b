/* stream.h - what the parts of the reader and the writer share; nothing outside of this folder
 * includes it. */
#ifndef STREAM_H
#define STREAM_H

#include <perfpipe/perfpipe.h>
#include "base/spool.h"

#include <sys/types.h>
#include <xxhash.h>

/* ---- Integers in the stream's byte order ---- */

static inline uint16_t pp_in_order16(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap16(pp_load16(p)) : pp_load16(p);
}
static inline uint32_t pp_in_order32(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap32(pp_load32(p)) : pp_load32(p);
}
static inline uint64_t pp_in_order64(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap64(pp_load64(p)) : pp_load64(p);
}

/* ---- dialect.c: writers who do it their own way ---- */

enum pp_dialect { PP_DIALECT_NONE, PP_DIALECT_GOOGLE, PP_DIALECT_SIMPLEPERF, PP_DIALECT_HIPERF };

const char *pp_dialect_name(enum pp_dialect);   /* NULL of none */
/* Whether the first record of a stream shows the Google dialect: there, before it has attributes,
 * types 69 to 80 hold what are the sections of features 3 to 14 in a file. */
bool pp_is_google(const uint8_t *data, uint32_t type, size_t size, bool foreign);
/* Such a record as a HEADER_FEATURE, in the same byte order; `out` has PP_RECORD_MAX bytes.  Its
 * size, or 0: it does not fit. */
size_t pp_google_feature(uint8_t *out, const uint8_t *data, uint32_t type, size_t size, bool foreign);
/* A record of simpleperf's own has the upper half of its size in misc. */
static inline size_t pp_simpleperf_size(uint32_t type, uint16_t misc, size_t size)
{
	return type >= 32768 ? size | (size_t)misc << 16 : size;
}
/* simpleperf has the data of a TRACING_DATA record in it.  Makes the record that it should be in
 * `out` (16 bytes) and returns how many bytes follow it, which begin at `data` + 12. */
uint32_t pp_simpleperf_tracing(uint8_t out[16], const uint8_t *data, size_t size, bool foreign);
/* The bits of a file's features tell who wrote it: those from 128 on are nobody else's. */
enum pp_dialect pp_dialect_of(const uint64_t features[4]);

/* ---- pieces.c: a stream put together of made bytes and of parts of a file ---- */

struct pp_pieces {
	struct pp_piece {
		uint64_t from, size;          /* offset in memory, or in the file */
		bool file;
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
	bool killed;                  /* the recording was not ended: its data go on to the end */
	enum pp_dialect dialect;
	struct pp_error late;         /* to be told when the data are through, unless PP_OK */
};

void pp_pieces_free(struct pp_pieces *);
/* Room for `size` made bytes at the end, to be filled before the next call; NULL: no memory. */
uint8_t *pp_pieces_room(struct pp_pieces *, size_t size);
/* A part of the file at the end.  0, or -1: no memory. */
int pp_pieces_file(struct pp_pieces *, uint64_t offset, uint64_t size);
/* Remembers a feature that was left out.  0. */
int pp_pieces_left_out(struct pp_pieces *, unsigned feature);

/* ---- source.c: the bytes ---- */

struct pp_unwrap;

struct pp_source {
	int fd;
	bool close;                   /* it was opened here */
	bool spooled;                 /* it is a copy of what came through a pipe */
	bool hasty;                   /* it does not wait for what has not come yet */
	const char *name;
	uint64_t base;                /* where the input begins in the file */
	off_t start;                  /* the same, for one that is read twice */
	struct pp_unwrap *unwrap;     /* the input is zstd as a whole */
	struct pp_pieces pieces;      /* where there are any, reading goes by them */
};

/* 0, or -1 and *error.  `path` NULL or "-" is standard input. */
int pp_source_open(struct pp_source *, const char *path, struct pp_error *error);
void pp_source_close(struct pp_source *);
/* Remembers where it begins: 0, or -1 and *error: it cannot be read twice. */
int pp_source_mark(struct pp_source *, struct pp_error *error);
/* Moves `from` into *s, to be read from where it was marked.  0, or -1 and *error; `from` can only
 * be closed. */
int pp_source_again(struct pp_source *s, struct pp_source *from, struct pp_error *error);
/* Bytes read, 0 at the end, -1 and *error; -2: interrupted by a signal, or nothing there
 * yet (it waited for more): ask again; -3: nothing there yet, and it is hasty. */
ssize_t pp_source_read(struct pp_source *, void *buf, size_t size, struct pp_error *error);
/* The input is zstd as a whole, and these were its first bytes: what is read from now on is
 * what it expands to, from its beginning. */
int pp_source_unwrap(struct pp_source *, const void *head, size_t size, struct pp_error *error);
/* Has pread work from the beginning of the input, of which `head` was read already; what is no
 * regular file is copied to a temporary one without a name. */
int pp_source_seekable(struct pp_source *, const void *head, size_t size, struct pp_error *error);
/* Bytes read at an offset of the input, -1 and errno.  Short only at the end. */
ssize_t pp_source_pread(struct pp_source *, void *buf, size_t size, uint64_t offset);
int pp_source_length(struct pp_source *, uint64_t *length);    /* 0, or -1 and errno */

/* The bytes as they come, not unwrapped and not by pieces. */
ssize_t pp_source_read_plain(struct pp_source *, void *buf, size_t size, struct pp_error *error);

/* ---- unwrap.c: an input that is zstd as a whole ---- */

struct pp_unwrap *pp_unwrap_new(const void *head, size_t size);     /* NULL: out of memory */
void pp_unwrap_free(struct pp_unwrap *);        /* NULL is fine */
/* As pp_source_read: expands what pp_source_read_plain gives. */
ssize_t pp_unwrap_read(struct pp_unwrap *, void *buf, size_t size, struct pp_source *,
		       struct pp_error *error);

/* ---- container_*.c: what the first bytes say ---- */

enum pp_container { PP_CONTAINER_PIPE, PP_CONTAINER_FILE, PP_CONTAINER_ZSTD };

/* Which container begins with these 16 bytes, and a pipe's byte order; -1 and *error. */
int pp_container(const uint8_t *head, bool *foreign, struct pp_error *error);
/* Turns a perf.data file into pieces of its source, which must be seekable. */
int pp_container_file(struct pp_source *, struct pp_error *error);
/* Turns one of the bare files beside it into pieces of its source: a header, and all of it. */
int pp_container_bare(struct pp_source *, bool foreign, struct pp_error *error);
/* Says what `have` bytes are that no container knows.  Returns -1. */
int pp_container_unknown(const uint8_t *head, size_t have, struct pp_error *error);
/* Whether these 8 bytes are a stream's magic, of either byte order. */
bool pp_is_stream_magic(const uint8_t *head);

/* ---- container_dir.c: several files as one stream ---- */

struct pp_dir;
/* `attrs` is what all of them say of events.  NULL and *error. */
struct pp_dir *pp_dir_open(const char *folder, const struct pp_reader_options *,
			   struct pp_attrs *attrs, struct pp_error *error);
void pp_dir_close(struct pp_dir *);             /* NULL is fine */
int pp_dir_next(struct pp_dir *, struct pp_record *, struct pp_error *error);
int pp_dir_tail(struct pp_dir *, const void **piece, size_t *size, struct pp_error *error);
void pp_dir_tie_call(struct pp_dir *, int (*flush)(void *arg), void *arg);
void pp_dir_watch_tail(struct pp_dir *, uint32_t type, pp_tail_fn *, void *arg);
/* What was met in the i-th of them; NULL past the last. */
const struct pp_stream *pp_dir_stream(const struct pp_dir *, size_t i);
/* A reader of one of them; frees `path`.  All but the `first` (then NULL) are bare: without a
 * header, in the byte order of the first, and telling no events. */
struct pp_reader *pp_reader_open_part(char *path, const struct pp_reader *first,
				      const struct pp_reader_options *, struct pp_attrs *attrs,
				      struct pp_error *error);

/* ---- seal.c: seals and notes ---- */

/* True and *seal if the `size` bytes of this FINISHED_ROUND carry a seal. */
bool pp_seal_load(struct pp_seal *seal, const uint8_t *data, size_t size, bool foreign);
/* The record, in host order or the other. */
void pp_seal_store(uint8_t data[PP_SEAL_SIZE], const struct pp_seal *seal, bool foreign);
/* The header of a FINISHED_ROUND of `size` bytes. */
void pp_round_header(uint8_t data[PP_HEADER_SIZE], uint16_t size, bool foreign);
/* Turns the integers of a seal or of notes around, to host order or from it. */
void pp_seal_swap(uint8_t *data, size_t size, bool to_host);

/*
 * The hash that runs along a stream.  `seed` is the last seal's xxh3, and a seal's hash
 * goes over the bytes behind that seal and over itself with xxh3 as zero.
 */
struct pp_sum {
	XXH3_state_t *state, *scratch;
	uint64_t number;              /* of the next seal */
	uint64_t from;                /* offset where the last seal ended */
};

int pp_sum_open(struct pp_sum *);               /* 0, or -1: out of memory */
void pp_sum_close(struct pp_sum *);
void pp_sum_start(struct pp_sum *, uint64_t seed, uint64_t number, uint64_t from);
void pp_sum_add(struct pp_sum *, const void *, size_t);
/* The hash that this seal must have here, whatever it has. */
uint64_t pp_sum_seal(const struct pp_sum *, const uint8_t data[PP_SEAL_SIZE]);
/*
 * Compares a seal with what was summed up before it, and notes in the stream whether it is sealed
 * or was rewritten.  0, or -1 and *error, which has no place yet.
 */
int pp_sum_check(struct pp_sum *, struct pp_stream *, const struct pp_record *rec,
		 const struct pp_seal *, struct pp_error *error);

/* ---- expand.c: COMPRESSED and COMPRESSED2 ---- */

/*
 * perf 6.16 to 7.1 wrote what did not fit in one COMPRESSED2 record as a chain of them and then
 * overwrote the first header's size, cut to 16 bits, and data_size by those of the chain.
 * `chain` is how many bytes of one are still to come.
 */
struct pp_carrier {
	uint64_t chain;
	size_t size;                  /* of the whole record, as it really is */
	size_t at, length;            /* its piece of the zstd stream */
	bool damaged;                 /* data_size cannot be */
};

enum { PP_CARRIER_HEAD = 16 };        /* bytes of a COMPRESSED2 that tell its size */

/* Sizes up a COMPRESSED2 record of which PP_CARRIER_HEAD bytes are there. */
void pp_carrier_size2(struct pp_carrier *, const uint8_t *data, bool foreign);

/* What a call of zstd failed with: no memory, or else this code and "WHAT: why". */
int pp_fail_zstd(struct pp_error *, size_t result, enum pp_code, const char *what);
struct pp_expand;
struct pp_expand *pp_expand_new(void);          /* NULL: out of memory */
void pp_expand_free(struct pp_expand *);        /* NULL is fine */
/* The next piece of the zstd stream; it must stay in place until it is used up. */
void pp_expand_feed(struct pp_expand *, const uint8_t *data, size_t size);
/* Whether bytes may still come out of what was fed. */
bool pp_expand_pending(const struct pp_expand *);
/*
 * Expands as much as fits in `room` bytes (more than 0): how many came, or -1 and *error; then
 * the rest of this piece is dropped, and what is fed after it until a zstd frame begins.
 */
ssize_t pp_expand_more(struct pp_expand *, uint8_t *out, size_t room, struct pp_error *error);

/* ---- pace.c: new rounds in a stream that is in order ---- */

struct pp_pace {
	struct pp_cadence every;
	uint64_t records, bytes;      /* with a time, since the last round */
	uint64_t due;                 /* time of the next one; 0: nothing came yet */
};

bool pp_paced(const struct pp_pace *);          /* whether there are to be any */
/* Before a record with this time is written: writes the round that is due.  0 or -1, the writer's. */
int pp_pace(struct pp_pace *, struct pp_writer *, uint64_t time, size_t size);
int pp_pace_end(struct pp_pace *, struct pp_writer *);
/* Whether new rounds stand for this record: a round that carries nothing but a seal. */
bool pp_pace_replaces(const struct pp_record *);

/* ---- what the writer asks of the reader ---- */

bool pp_reader_tied(const struct pp_reader *, const struct pp_writer *);
bool pp_reader_raw(const struct pp_reader *);

#endif
