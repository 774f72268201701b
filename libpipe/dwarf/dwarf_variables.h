/* dwarf_variables.h - where the variables of a function are, at each of its addresses, and those of a
 * program that have an address of their own. */
#ifndef PP_DWARF_VARIABLES_H
#define PP_DWARF_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

enum pp_variable_kind {
	PP_VARIABLE_VALUE,            /* a register holds it */
	PP_VARIABLE_AT,               /* it is in memory, where a register and an offset say */
	PP_VARIABLE_SUM,              /* it is a register and an offset: an address, as a rule */
};
enum { PP_FRAME_BASE = 254 };         /* of a variable: what the function says, and no register */
struct pp_variable {
	uint64_t start, end;          /* while the code from here to there runs */
	int64_t offset;
	uint64_t piece, size;         /* of the variable: which bytes of it these are; size 0: all */
	Dwarf_Die type;
	uint16_t depth;               /* how many blocks it is in */
	uint8_t kind, reg;
};
struct pp_variables {
	struct pp_variable *items;
	size_t n, room;
	/* ranges of code of the blocks that are just looked at */
	struct pp_stretch { uint64_t start, end; } *code;
	size_t n_code, room_code;
};

/* Those of a function and its blocks that are on the stack or in registers, those around before those
 * inside.  *budget loses one for each entry.  0, or -1: memory. */
int pp_variables_read(struct pp_variables *, Dwarf_Die *function, uint64_t *budget);
void pp_variables_free(struct pp_variables *);

struct pp_global { uint64_t start, end; Dwarf_Die type; };
struct pp_globals {
	struct pp_global *items;
	size_t n, room;
};
/* Adds those of a unit, also those in its functions.  The same. */
int pp_globals_read(struct pp_globals *, Dwarf_Die *unit, uint64_t *budget);
void pp_globals_sort(struct pp_globals *);
/* The one that has an address, or NULL. */
struct pp_global *pp_globals_at(const struct pp_globals *, uint64_t address);
void pp_globals_free(struct pp_globals *);

#endif
