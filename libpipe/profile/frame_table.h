/* frame_table.h - texts and functions by number, each once: what samples are added up by. */
#ifndef PP_FRAME_TABLE_H
#define PP_FRAME_TABLE_H

#include <perfpipe/error.h>
#include <perfpipe/symbol.h>

#include "base/array.h"
#include "base/hash.h"
#include "symbol/strings.h"

/* A function, or an address that belongs to none.  It has no hole, so that its bytes say whether two are the
 * same. */
struct pp_code_frame {
	uint32_t dso, name;           /* texts; name 0: an address that belongs to no function */
	uint32_t line, source;        /* texts, where they are asked for; */
	uint64_t size;                /* and of the mapping */
	uint64_t start;               /* of the function in its file; or the address */
	uint64_t address, into;       /* and how far into the function; where it is asked for, or 0 */
	uint64_t offset;              /* of an address without a function: where it is in its file, */
	uint32_t file;                /* whose number this is for pp_symbols_later(); 0: in none */
	uint32_t function;            /* the place without line and address; UINT32_MAX: this one */
	uint32_t symbol;              /* the place without its file; UINT32_MAX: this one */
	char level;                   /* as perf has it: k, '.', g, u, H */
	bool inlined;
	bool exact;                   /* the address is a part of it, even if the function is known */
	bool called;                  /* nothing but calls of chains: it goes with the last of them */
};

/* Where it is, and which one of all that has the same but for that: there may be one for each address of a
 * stream, and what addresses without a name have is the same in all of a file. */
struct pp_frame_place {
	uint32_t start[2];            /* two halves, so that it has no hole */
	uint32_t kind : 31, called : 1;
};

/* All zero is empty. */
struct pp_frame_table {
	struct pp_strings texts;        /* number 0 is that of what is not known */
	struct pp_frame_place *places;
	size_t n_places, places_room;
	struct pp_numbers by_place;
	struct pp_code_frame *kinds;    /* begin at 0, and their offset is from there on */
	size_t n_kinds, kinds_room;
	struct pp_numbers by_kind;
	uint32_t *unused;             /* places that are none any more: the next ones take their numbers */
	size_t n_unused;
};

/* The number of a text.  0, or -1 and *error. */
int pp_frame_table_text(struct pp_frame_table *, const char *text, size_t length, uint32_t *number,
			struct pp_error *);
/* The same as a value: NULL is 0, and `upper` is above it. */
int pp_frame_table_value(struct pp_frame_table *, const char *text, uint64_t upper, uint64_t *value,
			 struct pp_error *);
/* That of a function, the same for the same dso, name, line, source, size, start and address.  0, or -1
 * and *error. */
int pp_frame_table_add(struct pp_frame_table *, const struct pp_code_frame *, uint32_t *number,
		       struct pp_error *);
/* All of a place but where it is: its start and offset, and whether it is nothing but called.  Its function
 * and symbol are so far before it: 0 is the place itself. */
static inline const struct pp_code_frame *pp_frame_table_kind(const struct pp_frame_table *p, uint64_t number)
{
	return &p->kinds[p->places[number].kind];
}
/* Its start. */
static inline uint64_t pp_frame_table_start(const struct pp_frame_table *p, uint64_t number)
{
	return (uint64_t)p->places[number].start[1] << 32 | p->places[number].start[0];
}
/* All of it. */
static inline struct pp_code_frame pp_frame_table_at(const struct pp_frame_table *p, uint64_t number)
{
	struct pp_code_frame place = *pp_frame_table_kind(p, number);

	place.start = pp_frame_table_start(p, number);
	place.offset += place.start;
	place.called = p->places[number].called;
	place.function = place.function ? (uint32_t)number - place.function : UINT32_MAX;
	place.symbol = place.symbol ? (uint32_t)number - place.symbol : UINT32_MAX;
	return place;
}
/* Lets go of the places of calls that are not in use, of which used[] says so by their numbers: those of
 * the others stay.  0, or -1 and *error. */
int pp_frame_table_keep(struct pp_frame_table *, const bool *used, struct pp_error *);
/* The text of the name of a file, mapped in a cpumode, as perf shortens it: its last part, [module] or
 * [JIT] tid N; 0 for NULL. */
int pp_frame_table_dso(struct pp_frame_table *, const char *name, unsigned mode, uint32_t *number,
		       struct pp_error *);
/* Bytes that places take, without texts. */
uint64_t pp_frame_table_size(const struct pp_frame_table *);
/* The level of a cpumode. */
char pp_frame_table_level(unsigned mode);
void pp_frame_table_close(struct pp_frame_table *);

#endif
