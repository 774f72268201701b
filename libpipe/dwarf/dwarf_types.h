/* dwarf_types.h - types of data as DWARF has them: their names, sizes and members. */
#ifndef PP_DWARF_TYPES_H
#define PP_DWARF_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* All of these look at a bounded number of entries; those with a budget take each off it, and find nothing
 * once it is used up. */

/* The type of a variable, a member or a function, or what a type is made of; without const and the like.
 * False: none.  Both may be the same entry. */
bool pp_dwarf_type(Dwarf_Die *of, Dwarf_Die *type);
/* What a pointer or a reference points to.  False: to nothing that is known. */
bool pp_dwarf_pointee(Dwarf_Die *type, Dwarf_Die *to);
/* What an array consists of.  False: it is no array. */
bool pp_dwarf_element(Dwarf_Die *type, Dwarf_Die *element);
bool pp_dwarf_is_pointer(Dwarf_Die *type);
bool pp_dwarf_is_reference(Dwarf_Die *type);
/* Of a struct, union or class, which has members. */
bool pp_dwarf_is_compound(Dwarf_Die *type);
/* In bytes.  False: unknown. */
bool pp_dwarf_size(Dwarf_Die *type, uint64_t *size);
/* What is at an offset in a type, down to what has no members: *offset is in that then.  False: nothing. */
bool pp_dwarf_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *at, uint64_t *budget);
/* The type of the member of a compound type that has the offset; *offset is in that then. */
bool pp_dwarf_member(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member, uint64_t *budget);

/* Whether there is an array among the members, or theirs; also where that is not known. */
bool pp_dwarf_has_arrays(Dwarf_Die *type, uint64_t *budget);

/* Adds what perf calls it, such as "struct node*".  0, or -1: memory. */
int pp_dwarf_name(Dwarf_Die *type, struct pp_buffer *);
/* Adds the path to the member at an offset, such as "list.next"; nothing: there is none.  The same. */
int pp_dwarf_path(Dwarf_Die *type, uint64_t offset, struct pp_buffer *, uint64_t *budget);

#endif
