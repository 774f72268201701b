/* data_access.h - which data the instructions of a function access, by what DWARF says of its variables: for
 * x86-64.  Which function an address is in is dwarf_lines.c's. */
#ifndef PP_DATA_ACCESS_H
#define PP_DATA_ACCESS_H

#include "image/elf_image.h"

/* What one keeps of an image, and of the function that was asked for last. */
struct pp_accesses;
struct pp_accesses *pp_accesses_new(struct pp_image *);         /* NULL: memory */
void pp_accesses_free(struct pp_accesses *);    /* NULL is fine */
uint64_t pp_accesses_size(const struct pp_accesses *);          /* about, in bytes; NULL is fine */

/* A function that an address is in: its entry, and the piece of its code that has the address. */
struct pp_accesses_function {
	Dwarf_Die *die;
	uint64_t start, end;
	/* The entry of the function that begins at an address; false: not known.  It may leave by libdw. */
	bool (*find)(void *arg, uint64_t address, Dwarf_Die *die);
	void *arg;
};
/* Adds the variables of a unit that have addresses.  0, or -1: memory. */
int pp_accesses_add_unit(struct pp_accesses *, Dwarf_Die *unit);
/* After the last. */
void pp_accesses_sort(struct pp_accesses *);
bool pp_accesses_has_units(const struct pp_accesses *);
/* What the instruction at the address accesses: texts are valid until the next call.  0, or -1: memory. */
int pp_accesses_at(struct pp_accesses *, const struct pp_accesses_function *, uint64_t address,
		   struct pp_line_data *);

/* The same of an address that is in no function: all that can be known without one. */
void pp_accesses_bare(const struct pp_accesses *, uint64_t address, struct pp_line_data *);

#endif
