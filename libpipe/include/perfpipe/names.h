/*
 * names.h - names in a stream: symbols, lines and inlined callers of addresses, by file and offset.
 *
 * They are in FINISHED_ROUND records, as notes are; each record is about one file or several, and whole in
 * itself, so that records of several streams may be mixed.  Programs that show names ask
 * <perfpipe/symbol.h>, which reads these records too.
 */
#ifndef PERFPIPE_NAMES_H
#define PERFPIPE_NAMES_H

#ifndef PP_UNSTABLE
#error "<perfpipe/names.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_names_kind {
	PP_NAMES_FILE,                /* offsets are of the file, as mapped */
	PP_NAMES_KERNEL,              /* of the kernel or a module: from the start of its map */
	PP_NAMES_PROCESS,             /* of code that a process made: addresses */
};
enum {                                /* what is known of an address besides its symbol */
	PP_NAMES_INLINED = 1 << 0,    /* debug information was asked for inlined callers */
	PP_NAMES_LINES   = 1 << 1,    /* and for lines */
};

/* A file, as maps of the stream describe it, and names of addresses in it: a record, or a part of one. */
struct pp_named_file {
	enum pp_names_kind kind;
	uint32_t flags;               /* PP_NAMES_ */
	uint32_t pid;                 /* of a PROCESS */
	uint32_t maj, min;            /* of a file without a build-id */
	uint64_t ino;
	uint64_t ino_generation;      /* 0: not known */
	uint8_t id_size, id[20];      /* its build-id; size 0: the stream does not say */
	bool id_of_name;              /* as in struct pp_map; not in records */
	const char *path;
	/* private */
	const uint8_t *data;
	uint32_t count, frames, text, part, left;
};
/* An address, and what is there: the symbol, and those that are inlined into each other there. */
struct pp_named {
	uint64_t offset, start;       /* start: of the symbol; as `offset` where it is not known */
	uint32_t frame, count;        /* frames: from the innermost to the symbol itself */
	uint64_t bias;                /* from the offset to the address as linked, where a file was read;
	                                 not in records */
};
struct pp_named_frame {
	const char *symbol, *file;    /* "": not known */
	uint32_t line;                /* 0: not known */
	bool inlined;                 /* into the next */
};

PP_API bool pp_is_names(const struct pp_record *);
/* The first file of a record in host order, which outlives `names`, all of which is checked: 0, or -1 and
 * *error. */
PP_API PP_MUST_CHECK int pp_names_open(struct pp_named_file *, const struct pp_record *, struct pp_error *);
/* Likewise the next file of that record: 1; 0: there is none; -1 and *error. */
PP_API PP_MUST_CHECK int pp_names_next(struct pp_named_file *, struct pp_error *);
/* The address with this number, below names->count. */
PP_API void pp_names_at(const struct pp_named_file *, uint32_t number, struct pp_named *);
/* A frame of one of its addresses. */
PP_API void pp_names_frame(const struct pp_named_file *, uint32_t frame, struct pp_named_frame *);

/*
 * Gives each file of a record that has no build-id the one that `id_of` says, if it does: maps may have got
 * it since.  The record, in host order, keeps its size.  0, or -1 and *error.
 */
typedef bool pp_names_id_fn(void *arg, const struct pp_named_file *, uint8_t id[20], uint8_t *size);
PP_API PP_MUST_CHECK int pp_names_identify(struct pp_record *, pp_names_id_fn *id_of, void *arg,
					   struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
