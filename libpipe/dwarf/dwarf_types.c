/*
 * dwarf_types.c - what DWARF says of types: names as perf's die_get_typename_from_type() has them, sizes,
 * members. libdw's own functions for that would go round in circles with what is damaged.
 */
#include "dwarf/dwarf_types.h"

#include <dwarf.h>
#include <string.h>

enum { DEPTH_MOST = 32, CHAIN_MOST = 64, NAME_MOST = 4096 };

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_shared_type || tag == DW_TAG_immutable_type;
}

static bool follow_type(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die to;

	if (!dwarf_attr_integrate(of, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &to))
		return false;
	*type = to;
	return true;
}

bool pp_dwarf_type(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Die at;

	if (!follow_type(of, &at))
		return false;
	for (unsigned n = 0; is_qualifier(dwarf_tag(&at)); n++)
		if (n == CHAIN_MOST || !follow_type(&at, &at))
			return false;
	*type = at;
	return true;
}

/* Without typedefs.  False: there is nothing below them. */
static bool bare_type(Dwarf_Die *type, Dwarf_Die *bare)
{
	Dwarf_Die at = *type;

	for (unsigned n = 0; dwarf_tag(&at) == DW_TAG_typedef || is_qualifier(dwarf_tag(&at)); n++)
		if (n == CHAIN_MOST || !follow_type(&at, &at))
			return false;
	*bare = at;
	return true;
}

static bool is_pointing(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

bool pp_dwarf_pointee(Dwarf_Die *type, Dwarf_Die *to)
{
	Dwarf_Die bare;

	return bare_type(type, &bare) && is_pointing(dwarf_tag(&bare)) && pp_dwarf_type(&bare, to);
}

bool pp_dwarf_element(Dwarf_Die *type, Dwarf_Die *element)
{
	Dwarf_Die bare;

	return bare_type(type, &bare) && dwarf_tag(&bare) == DW_TAG_array_type &&
	       pp_dwarf_type(&bare, element);
}

bool pp_dwarf_is_pointer(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_pointer_type;
}

bool pp_dwarf_is_reference(Dwarf_Die *type)
{
	return is_pointing(dwarf_tag(type)) && !pp_dwarf_is_pointer(type);
}

static bool is_compound(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

bool pp_dwarf_is_compound(Dwarf_Die *type)
{
	Dwarf_Die bare;

	return bare_type(type, &bare) && is_compound(dwarf_tag(&bare));
}

/* ---- Sizes ---- */

static bool type_attribute(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*value = word;
	return true;
}

/* How many things an array has; false: unknown. */
static bool count(Dwarf_Die *array, uint64_t *n)
{
	Dwarf_Die die;
	uint64_t of, upper, lower;
	unsigned dimensions = 0;

	*n = 1;
	if (dwarf_child(array, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		lower = 0;
		(void)type_attribute(&die, DW_AT_lower_bound, &lower);
		if (!type_attribute(&die, DW_AT_count, &of)) {
			if (!type_attribute(&die, DW_AT_upper_bound, &upper) || upper < lower ||
			    upper == UINT64_MAX)
				return false;
			of = upper - lower + 1;
		}
		if (dimensions++ == DEPTH_MOST || (of && *n > UINT32_MAX / of))
			return false;
		*n *= of;
	} while (!dwarf_siblingof(&die, &die));
	return dimensions;
}

static bool size_of(Dwarf_Die *type, uint64_t *size, unsigned depth)
{
	Dwarf_Die bare, element;
	uint64_t n;

	if (depth > DEPTH_MOST || !bare_type(type, &bare))
		return false;
	if (type_attribute(&bare, DW_AT_byte_size, size))
		return true;
	if (dwarf_tag(&bare) == DW_TAG_array_type) {
		if (!count(&bare, &n) || !pp_dwarf_type(&bare, &element) ||
		    !size_of(&element, size, depth + 1) || (n && *size > UINT64_MAX / 2 / n))
			return false;
		*size *= n;
		return true;
	}
	*size = 8;
	return is_pointing(dwarf_tag(&bare));
}

bool pp_dwarf_size(Dwarf_Die *type, uint64_t *size)
{
	return size_of(type, size, 0);
}

/* ---- Members ---- */

/* Where a member is in what has it; false: it is no part of it. */
static bool starts_at(Dwarf_Die *member, uint64_t *start)
{
	const int tag = dwarf_tag(member);
	uint64_t value;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr_integrate(member, DW_AT_declaration))
		return false;
	*start = 0;
	if (dwarf_hasattr_integrate(member, DW_AT_data_member_location))
		return type_attribute(member, DW_AT_data_member_location, start);
	if (type_attribute(member, DW_AT_data_bit_offset, &value))
		*start = value / 8;
	return true;
}

/* The member of a bare compound type that has an offset, its type, and where in it that is. */
static bool find(Dwarf_Die *compound, uint64_t *offset, Dwarf_Die *member, Dwarf_Die *type, uint64_t *budget)
{
	uint64_t start, size;

	if (dwarf_child(compound, member))
		return false;
	do {
		if (!*budget)
			return false;
		--*budget;
		if (!starts_at(member, &start) || *offset < start || !pp_dwarf_type(member, type) ||
		    !pp_dwarf_size(type, &size) || *offset - start >= size)
			continue;
		*offset -= start;
		return true;
	} while (!dwarf_siblingof(member, member));
	return false;
}

bool pp_dwarf_member(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member, uint64_t *budget)
{
	Dwarf_Die bare, die, of;

	if (!bare_type(type, &bare) || !is_compound(dwarf_tag(&bare)) ||
	    !find(&bare, offset, &die, &of, budget))
		return false;
	*member = of;
	return true;
}

static bool has_arrays(Dwarf_Die *type, unsigned depth, uint64_t *budget)
{
	enum { DEPTH = 8 };
	Dwarf_Die bare, die, of;
	uint64_t start;

	if (depth > DEPTH || !bare_type(type, &bare) || dwarf_tag(&bare) == DW_TAG_array_type)
		return true;
	if (!is_compound(dwarf_tag(&bare)) || dwarf_child(&bare, &die))
		return false;
	do {
		if (!*budget)
			return true;
		--*budget;
		if (starts_at(&die, &start) &&
		    (!pp_dwarf_type(&die, &of) || has_arrays(&of, depth + 1, budget)))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

bool pp_dwarf_has_arrays(Dwarf_Die *type, uint64_t *budget)
{
	return has_arrays(type, 0, budget);
}

bool pp_dwarf_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *at, uint64_t *budget)
{
	Dwarf_Die bare, next, now = *type;
	uint64_t size;

	for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
		if (!bare_type(&now, &bare))
			return false;
		if (is_compound(dwarf_tag(&bare))) {
			if (!pp_dwarf_member(&bare, offset, &next, budget))
				return false;
		} else if (dwarf_tag(&bare) == DW_TAG_array_type) {
			if (!pp_dwarf_type(&bare, &next) || !pp_dwarf_size(&next, &size) || !size)
				return false;
			*offset %= size;
		} else {
			*at = now;
			return pp_dwarf_size(&now, &size) && *offset < size;
		}
		now = next;
	}
	return false;
}

/* ---- Names ---- */

static const char unnamed[] = "(unknown type)";

static int put_short_name(struct pp_buffer *to, const char *text)
{
	const size_t length = strlen(text);

	return pp_buffer_add(to, text, length < NAME_MOST ? length : NAME_MOST, NULL);
}

/* What is before the name of a type; NULL: it has none without one. */
static const char *word_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return NULL;
	}
}

static const char *mark_of(int tag)
{
	return tag == DW_TAG_pointer_type ? "*" : tag == DW_TAG_array_type ? "[]" :
	       tag == DW_TAG_reference_type ? "&" : tag == DW_TAG_rvalue_reference_type ? "&&" : NULL;
}

/* Of a type that is no pointer, reference or array. */
static int add_name(Dwarf_Die *type, struct pp_buffer *to)
{
	const int tag = dwarf_tag(type);
	const char *const word = word_of(tag), *const name = dwarf_diename(type);

	if (tag == DW_TAG_subroutine_type)
		return put_short_name(to, "(function_type)");
	if (!name && !word)
		return put_short_name(to, unnamed);
	return (word && put_short_name(to, word)) || (name && put_short_name(to, name)) ? -1 : 0;
}

int pp_dwarf_name(Dwarf_Die *type, struct pp_buffer *to)
{
	const char *marks[DEPTH_MOST];
	Dwarf_Die at = *type;
	bool ends = false;
	unsigned n = 0;

	while (!ends && mark_of(dwarf_tag(&at))) {
		const int tag = dwarf_tag(&at);

		if (n == DEPTH_MOST)
			return put_short_name(to, unnamed);
		marks[n++] = mark_of(tag);
		ends = !pp_dwarf_type(&at, &at);
		if (ends && tag != DW_TAG_pointer_type)
			return put_short_name(to, unnamed);
	}
	if (ends ? put_short_name(to, "void") : add_name(&at, to))
		return -1;
	while (n)
		if (put_short_name(to, marks[--n]))
			return -1;
	return 0;
}

int pp_dwarf_path(Dwarf_Die *type, uint64_t offset, struct pp_buffer *to, uint64_t *budget)
{
	const size_t before = to->size;
	Dwarf_Die bare, member, now = *type;

	for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
		const char *name;

		if (!bare_type(&now, &bare) || !is_compound(dwarf_tag(&bare)) ||
		    !find(&bare, &offset, &member, &now, budget))
			return 0;
		/* members that are structs or unions may have no name, as base classes */
		name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
		if (name && ((to->size > before && put_short_name(to, ".")) || put_short_name(to, name)))
			return -1;
	}
	return 0;
}
