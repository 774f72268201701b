/*
 * dwarf_lines.c - functions, inlined callers and lines of addresses, out of DWARF by libdw; which
 * addresses is the caller's affair, and which names are shown.
 *
 * An address leads to its unit by a table of all units' ranges, which is made once; of a unit that is
 * hit, a table of functions is made, and of a function that is hit, a list of what is inlined in it.
 * Debug information that goes round in circles ends with a budget of entries.
 *
 * Where libdw lacks memory it calls a function that may not return, and elsewhere says nothing but by
 * errno: both end in an error here.
 */
#include "image/elf_image.h"

#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dwarf/data_access.h"

enum {
	DEPTH_MOST = 256, RANGES_MOST = 1 << 16,
	SPLITS_MOST = 1 << 15,        /* each may be a file that is mapped */
	ENTRIES_MOST = 1 << 25,       /* that are looked at, in all functions of a unit together */
};

struct line_range { uint64_t start, end; uint32_t what; };
struct ranges { struct line_range *items; size_t n, room; };

/* Inlined there, or a function in a function; those around come first. */
struct inlined {
	uint64_t start, end;
	uint32_t entry;               /* index of what is known of it */
};
struct line_entry {
	const char *symbol;
	bool mangled, function;
	uint32_t file, line;          /* where it is called */
};

struct function {
	Dwarf_Die die;
	const char *symbol;
	bool mangled, read;
	struct inlined *inlined;
	struct line_entry *entries;
	size_t n_inlined, room_inlined, n_entries, room_entries;
};

struct unit {
	Dwarf_Die die;
	bool skeleton;                /* its functions are elsewhere: */
	struct pp_split *split;       /* there; NULL: not, or not yet looked for */
	bool halved;                  /* they are nowhere */
	bool read, deep;              /* its functions; those in functions */
	struct function *functions;
	size_t n_functions, room_functions;
	struct ranges ranges;         /* of functions */
	Dwarf_Files *files;
	size_t n_files;
	const char *folder;           /* that it was compiled in; NULL: not known, or not yet asked for */
	bool has_folder;
	uint64_t budget;
};

struct pp_lines {
	struct pp_image *image;
	struct pp_finder *finder;
	Dwarf *dwarf;
	unsigned with;                /* what can be asked for: PP_WITH_ */
	struct unit *units;
	size_t n_units, room_units;
	struct ranges ranges;         /* of units */
	struct ranges few;            /* of what is just looked at */
	size_t n_splits;
	struct pp_error *error;       /* of who asks */
	struct pp_accesses *accesses; /* NULL: not yet asked for */
	uint64_t held;
};

/* ---- Memory ---- */

static _Thread_local jmp_buf *enough;   /* where libdw is left; set while it is called */

static __attribute__((noreturn)) void leave(void)
{
	longjmp(*enough, 1);
}

static int no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Ranges ---- */

static int add_range(struct ranges *r, uint64_t start, uint64_t end, uint32_t what)
{
	if (start >= end)
		return 0;
	if (PP_GROW(&r->items, &r->room, r->n + 1, NULL))
		return -1;
	r->items[r->n++] = (struct line_range){ start, end, what };
	return 0;
}

/* Those of an entry of the unit; NULL: of the unit itself. */
static int add_ranges(struct ranges *r, const struct unit *unit, Dwarf_Die *die, uint32_t what)
{
	const struct pp_split *const split = unit ? unit->split : NULL;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (size_t n = 0; n < RANGES_MOST; n++) {
		at = split ? pp_split_ranges(split, die, at, &base, &start, &end) :
			     dwarf_ranges(die, at, &base, &start, &end);
		if (at <= 0)
			break;
		/* what linkers left out begins at 0 */
		if (start && add_range(r, start, end, what))
			return -1;
	}
	return 0;
}

static int compare_ranges(const void *x, const void *y)
{
	const struct line_range *const a = x, *const b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

static void sort_ranges(struct ranges *r)
{
	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), compare_ranges);
}

/* The one that begins last before an address and has it; a few overlap. */
static const struct line_range *range_at(const struct ranges *r, uint64_t address,
					 struct pp_address_range *same)
{
	enum { BACK = 16 };

	return pp_around(r->items, r->n, sizeof(*r->items), BACK, address, same);
}

/* ---- Units ---- */

/* An entry has one byte at least, and is looked at three times at most. */
static uint64_t budget_of(Dwarf *dwarf, Dwarf_Die *die)
{
	const Dwarf_Off start = dwarf_dieoffset(die) - dwarf_cuoffset(die);
	uint64_t bytes = 0;
	Dwarf_Off next;
	size_t header;

	if (!dwarf_nextcu(dwarf, start, &next, &header, NULL, NULL, NULL) && next > start)
		bytes = next - start;
	return bytes < ENTRIES_MOST / 3 ? 3 * bytes : ENTRIES_MOST;
}

static int add_unit(struct pp_lines *l, Dwarf_Die *die, bool skeleton)
{
	const size_t i = l->n_units;

	if (PP_GROW(&l->units, &l->room_units, i + 1, NULL))
		return -1;
	l->units[i] = (struct unit){ .die = *die, .skeleton = skeleton,
				      .budget = budget_of(l->dwarf, die) };
	l->n_units++;
	return add_ranges(&l->ranges, NULL, die, (uint32_t)i);
}

static int read_units(struct pp_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	/* libdw would open the other half of a skeleton by itself, whatever the file says that is */
	while (!dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		/* what it made then is not whole */
		if (errno == ENOMEM)
			return -1;
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    add_unit(l, &die, type == DW_UT_skeleton))
			return -1;
	}
	sort_ranges(&l->ranges);
	return 0;
}

static void close_lines(struct pp_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_units; i++) {
		for (size_t n = 0; n < l->units[i].n_functions; n++) {
			free(l->units[i].functions[n].inlined);
			free(l->units[i].functions[n].entries);
		}
		free(l->units[i].functions);
		free(l->units[i].ranges.items);
		pp_split_close(l->units[i].split);
	}
	free(l->units);
	free(l->ranges.items);
	free(l->few.items);
	pp_accesses_free(l->accesses);
	free(l);
}

/* Opens the bytes of a module a second time, since it was not linked.  1, 0: there is none, -1: memory. */
static int open_module(struct pp_image *image, const struct pp_elf_copy *copy)
{
	Elf *const elf = elf_memory((char *)copy->bytes, (size_t)copy->size);

	return elf ? pp_relocate(&image->relocated, elf, &image->dwarf) : -1;
}

static int open_dwarf(struct pp_image *image)
{
	const struct pp_opened *const of = image->debug.elf ? &image->debug : &image->main;
	GElf_Ehdr header;

	if (gelf_getehdr(of->elf, &header) && header.e_type == ET_REL)
		return of->file.path ? open_module(image, &of->copy) : 0;
	image->dwarf = dwarf_begin_elf(of->elf, DWARF_C_READ, NULL);
	return image->dwarf != NULL;
}

/* Reads what is asked for of the files: 0, or -1 and *error. */
static int take_debug(struct pp_image *image, struct pp_finder *finder, unsigned with, struct pp_error *error)
{
	struct pp_opened *const files[] = { &image->main, &image->debug, &image->alt };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (pp_opened_take_debug(files[i], with, error))
			return -1;
		pp_opened_say(files[i], finder);
	}
	return 0;
}

/* 1, 0: there is none, -1: memory.  What it made is the image's in any case. */
static int open_lines(struct pp_image *image, struct pp_finder *finder, unsigned with)
{
	struct pp_lines *const l = calloc(1, sizeof(*l));
	int got;

	if (!l)
		return -1;
	image->lines = l;
	image->close_lines = close_lines;
	got = open_dwarf(image);
	if (got <= 0)
		return got;
	dwarf_new_oom_handler(image->dwarf, leave);
	if (image->alt.elf) {
		image->alt_dwarf = dwarf_begin_elf(image->alt.elf, DWARF_C_READ, NULL);
		if (!image->alt_dwarf)
			return 0;
		dwarf_new_oom_handler(image->alt_dwarf, leave);
		dwarf_setalt(image->dwarf, image->alt_dwarf);
	}
	*l = (struct pp_lines){
		.image = image, .finder = finder, .dwarf = image->dwarf, .with = with,
	};
	if (read_units(l))
		return -1;
	l->held = l->room_units * sizeof(*l->units) + l->ranges.room * sizeof(*l->ranges.items);
	return l->ranges.n > 0;
}

int pp_lines_open(struct pp_image *image, struct pp_finder *finder, unsigned with, struct pp_error *error)
{
	jmp_buf here;
	int got;

	if (image->looked_for_lines)
		return image->lines != NULL;
	image->looked_for_lines = true;
	if (pp_image_find_debug(image, finder, error))
		return -1;
	/* libdw would look for it by itself, wherever the file says */
	if (image->alt_missing)
		return 0;
	if (take_debug(image, finder, with, error))
		return -1;
	errno = 0;
	enough = &here;
	got = setjmp(here) ? -1 : open_lines(image, finder, with);
	enough = NULL;
	if (got < 0 || errno == ENOMEM)
		return no_memory(error);
	if (!got) {
		close_lines(image->lines);
		image->lines = NULL;
	}
	return got;
}

uint64_t pp_lines_size(const struct pp_lines *l)
{
	return l ? l->held + pp_accesses_size(l->accesses) : 0;
}

/* ---- Functions of a unit ---- */

static const char *name_of(Dwarf_Die *die, bool *mangled)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	*mangled = true;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (name)
		return name;
	*mangled = false;
	return dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static int add_function(struct pp_lines *l, struct unit *unit, Dwarf_Die *die)
{
	const size_t before = unit->ranges.n;

	if (PP_GROW(&unit->functions, &unit->room_functions, unit->n_functions + 1, NULL) ||
	    add_ranges(&unit->ranges, unit, die, (uint32_t)unit->n_functions))
		return -1;
	if (unit->ranges.n == before)
		return 0;
	unit->functions[unit->n_functions++] = (struct function){ .die = *die };
	l->held += sizeof(struct function);
	return 0;
}

static bool may_have_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Functions, and where `deep`, those in other functions alone: of local classes and lambdas. */
static int read_functions(struct pp_lines *l, struct unit *unit, Dwarf_Die *of, unsigned depth, bool deep,
			  bool inside)
{
	Dwarf_Die die;

	if (depth > DEPTH_MOST || dwarf_child(of, &die))
		return 0;
	do {
		const int tag = dwarf_tag(&die);

		if (!unit->budget)
			return 0;
		unit->budget--;
		if (tag == DW_TAG_subprogram && deep == inside && add_function(l, unit, &die))
			return -1;
		if ((may_have_functions(tag) ||
		     (deep && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block))) &&
		    read_functions(l, unit, &die, depth + 1, deep, inside || tag == DW_TAG_subprogram))
			return -1;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

/* Where its functions are: false, that is nowhere. */
static bool body_of(const struct unit *unit, Dwarf_Die *body)
{
	if (unit->halved)
		return false;
	*body = unit->die;
	if (unit->split)
		(void)pp_split_unit(unit->split, body);
	return true;
}

/* 0, or -1: memory, or what is in *l->error. */
static int find_other_half(struct pp_lines *l, struct unit *unit)
{
	Dwarf_Die body;
	int got = 0;

	if (l->n_splits < SPLITS_MOST) {
		l->n_splits++;
		got = pp_split_open(&unit->split, l->image, l->finder, &unit->die, leave, l->error);
	}
	unit->halved = got <= 0;
	if (got > 0)
		unit->budget = budget_of(pp_split_unit(unit->split, &body), &body);
	return got < 0 ? -1 : 0;
}

static int read_unit(struct pp_lines *l, struct unit *unit)
{
	Dwarf_Die body;

	if (unit->read)
		return 0;
	unit->read = true;
	if ((unit->skeleton && find_other_half(l, unit)) ||
	    (body_of(unit, &body) && read_functions(l, unit, &body, 0, false, false)))
		return -1;
	sort_ranges(&unit->ranges);
	if (l->with & PP_WITH_LINES && dwarf_getsrcfiles(&unit->die, &unit->files, &unit->n_files))
		unit->files = NULL;
	return 0;
}

/* *f: the function at an address, or NULL.  0, or -1: memory. */
static int function_at(struct pp_lines *l, struct unit *unit, uint64_t address, struct function **f,
		       struct pp_address_range *same)
{
	const struct line_range *place;
	Dwarf_Die body;

	*f = NULL;
	if (read_unit(l, unit))
		return -1;
	place = range_at(&unit->ranges, address, same);
	if (!place && !unit->deep) {
		unit->deep = true;
		if (body_of(unit, &body) && read_functions(l, unit, &body, 0, true, false))
			return -1;
		sort_ranges(&unit->ranges);
		place = range_at(&unit->ranges, address, same);
	}
	*f = place ? &unit->functions[place->what] : NULL;
	return 0;
}

/* ---- What is inlined in a function ---- */

static uint32_t line_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) && value <= INT32_MAX ?
	       (uint32_t)value : 0;
}

static int add_inlined(struct pp_lines *l, const struct unit *unit, struct function *f, Dwarf_Die *die,
		       bool function)
{
	struct ranges *const ranges = &l->few;
	struct line_entry entry = { .function = function };
	int failed;

	ranges->n = 0;
	failed = add_ranges(ranges, unit, die, 0);
	if (!failed && ranges->n) {
		entry.symbol = name_of(die, &entry.mangled);
		entry.file = line_attribute(die, DW_AT_call_file);
		entry.line = line_attribute(die, DW_AT_call_line);
		failed = PP_GROW(&f->entries, &f->room_entries, f->n_entries + 1, NULL) ||
			 PP_GROW(&f->inlined, &f->room_inlined, f->n_inlined + ranges->n, NULL);
	}
	for (size_t i = 0; !failed && i < ranges->n; i++)
		f->inlined[f->n_inlined++] = (struct inlined){ ranges->items[i].start, ranges->items[i].end,
							       (uint32_t)f->n_entries };
	if (!failed && ranges->n) {
		f->entries[f->n_entries++] = entry;
		l->held += sizeof(entry) + ranges->n * sizeof(*f->inlined);
	}
	return failed ? -1 : 0;
}

static int read_inlined(struct pp_lines *l, struct unit *unit, struct function *f, Dwarf_Die *of,
			unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MOST || dwarf_child(of, &die))
		return 0;
	do {
		const int tag = dwarf_tag(&die);
		const bool inlined = tag == DW_TAG_inlined_subroutine, function = tag == DW_TAG_subprogram;

		if (!unit->budget)
			return 0;
		unit->budget--;
		if ((inlined || function) && add_inlined(l, unit, f, &die, function))
			return -1;
		if ((inlined || function || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block || may_have_functions(tag)) &&
		    read_inlined(l, unit, f, &die, depth + 1))
			return -1;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

static int read_function(struct pp_lines *l, struct unit *unit, struct function *f)
{
	if (f->read)
		return 0;
	f->read = true;
	f->symbol = name_of(&f->die, &f->mangled);
	return read_inlined(l, unit, f, &f->die, 0);
}

/* ---- An address ---- */

/* Of a path that is not whole: what it begins in. */
static const char *folder_of(struct unit *unit)
{
	Dwarf_Attribute attr;

	if (!unit->has_folder)
		unit->folder = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attr));
	unit->has_folder = true;
	return unit->folder;
}

static const char *file_of(const struct unit *unit, uint32_t number)
{
	return unit->files && number < unit->n_files ? dwarf_filesrc(unit->files, number, NULL, NULL) : NULL;
}

/* As dwarf_getsrc_die(), which does not say where the next line begins. */
static Dwarf_Line *line_at(Dwarf_Lines *lines, size_t n, uint64_t address, struct pp_address_range *same)
{
	size_t low = 0, high = n;
	Dwarf_Addr start;
	bool ends;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &start))
			return NULL;
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
		pp_narrow(same, start <= address ? start : 0, start <= address ? UINT64_MAX : start - 1);
	}
	return low && !dwarf_lineendsequence(dwarf_onesrcline(lines, low - 1), &ends) && !ends ?
	       dwarf_onesrcline(lines, low - 1) : NULL;
}

static void set_line(struct unit *unit, uint64_t address, struct pp_line_frame *frame,
		     struct pp_address_range *same)
{
	Dwarf_Lines *lines;
	size_t n;
	Dwarf_Line *const line = dwarf_getsrclines(&unit->die, &lines, &n) ? NULL :
				 line_at(lines, n, address, same);
	int number;

	if (!line || dwarf_lineno(line, &number) || number < 0)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	frame->line = (uint32_t)number;
	frame->folder = folder_of(unit);
}

/* The entries that an address is in, from the outermost; their number. */
static size_t around(const struct function *f, uint64_t address, uint32_t *entries, size_t most,
		     struct pp_address_range *same)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_inlined; i++) {
		const struct inlined *const in = &f->inlined[i];

		pp_narrow(same, address < in->start ? 0 : address < in->end ? in->start : in->end,
			  address < in->start ? in->start - 1 : address < in->end ? in->end - 1 : UINT64_MAX);
		if (address < in->start || address >= in->end || (n && entries[n - 1] == in->entry))
			continue;
		/* a function in a function has nothing to do with what is around it */
		if (f->entries[in->entry].function)
			n = 0;
		if (n < most)
			entries[n++] = in->entry;
	}
	return n;
}

/* The frames and their number, at most `most`; -1: memory. */
static int lines_at(struct pp_lines *l, uint64_t address, bool with_lines, struct pp_line_frame *frames,
		    size_t most, struct pp_address_range *same)
{
	const struct line_range *const in = range_at(&l->ranges, address, same);
	struct unit *const unit = in ? &l->units[in->what] : NULL;
	struct function *f = NULL;
	uint32_t entries[DEPTH_MOST];
	size_t n, first;

	if (unit && function_at(l, unit, address, &f, same))
		return -1;
	frames[0] = (struct pp_line_frame){ .halved = unit && unit->halved };
	/* a unit may have lines alone */
	if (unit && with_lines && (unit->halved || !f))
		set_line(unit, address, &frames[0], same);
	if (!f)
		return frames[0].file != NULL;
	if (read_function(l, unit, f))
		return -1;
	n = around(f, address, entries, most - 1 < DEPTH_MOST ? most - 1 : DEPTH_MOST, same);
	first = n && f->entries[entries[0]].function;
	for (size_t i = 0; i < n - first; i++) {
		const struct line_entry *const e = &f->entries[entries[n - 1 - i]];

		frames[i] = (struct pp_line_frame){ .symbol = e->symbol, .mangled = e->mangled };
	}
	frames[n - first] = first ? (struct pp_line_frame){ .symbol = f->entries[entries[0]].symbol } :
				    (struct pp_line_frame){ .symbol = f->symbol, .mangled = f->mangled };
	if (!with_lines)
		return (int)(n - first + 1);
	set_line(unit, address, &frames[0], same);
	for (size_t i = 1; i < n - first + 1; i++) {
		const struct line_entry *const e = &f->entries[entries[n - i]];

		frames[i].file = file_of(unit, e->file);
		frames[i].folder = folder_of(unit);
		frames[i].line = e->line;
	}
	return (int)(n - first + 1);
}

/* ---- Data ---- */

/* Of the same unit: others would have to be read for it. */
static bool find_function(void *arg, uint64_t address, Dwarf_Die *die)
{
	struct pp_address_range same = pp_everywhere;
	struct unit *const unit = arg;
	const struct line_range *const place = range_at(&unit->ranges, address, &same);

	if (!place || place->start != address)
		return false;
	*die = unit->functions[place->what].die;
	return true;
}

/* What has addresses is looked for in all units: 0, or -1: memory. */
static int read_globals_of_units(struct pp_lines *l)
{
	for (size_t i = 0; i < l->n_units; i++)
		if (!l->units[i].skeleton && pp_accesses_add_unit(l->accesses, &l->units[i].die))
			return -1;
	pp_accesses_sort(l->accesses);
	return 0;
}

static int data_at(struct pp_lines *l, uint64_t address, struct pp_line_data *data)
{
	struct pp_address_range same = pp_everywhere;
	const struct line_range *const in = range_at(&l->ranges, address, &same);
	struct unit *const unit = in ? &l->units[in->what] : NULL;
	struct pp_accesses_function of = { .find = find_function, .arg = unit };
	const struct line_range *place;
	struct function *f = NULL;

	if (!l->accesses)
		l->accesses = pp_accesses_new(l->image);
	if (!l->accesses)
		return -1;
	/* the other half of a unit has locations that libdw does not read by itself */
	if (unit && !unit->skeleton && function_at(l, unit, address, &f, &same))
		return -1;
	if (!f) {
		pp_accesses_bare(l->accesses, address, data);
		return 0;
	}
	if (!pp_accesses_has_units(l->accesses) && read_globals_of_units(l))
		return -1;
	place = range_at(&unit->ranges, address, &same);
	of.die = &f->die;
	of.start = place->start;
	of.end = place->end;
	return pp_accesses_at(l->accesses, &of, address, data);
}

int pp_lines_data(struct pp_image *image, uint64_t address, struct pp_line_data *data, struct pp_error *error)
{
	jmp_buf here;
	int got;

	*data = (struct pp_line_data){ .type = NULL };
	/* what was not linked has no addresses to tell variables by */
	if (!image->lines || image->relocated)
		return 0;
	error->code = PP_OK;
	image->lines->error = error;
	errno = 0;
	enough = &here;
	got = setjmp(here) ? -1 : data_at(image->lines, address, data);
	enough = NULL;
	if (got < 0 && error->code)
		return -1;
	return got < 0 || errno == ENOMEM ? no_memory(error) : 0;
}

/* ---- Frames ---- */

int pp_lines_at(struct pp_image *image, uint64_t address, bool with_lines, struct pp_line_frame *frames,
		size_t most, struct pp_address_range *same, struct pp_error *error)
{
	struct pp_address_range around = pp_everywhere;
	uint64_t there = address;
	jmp_buf here;
	int got;

	if (image->relocated && !pp_relocated_address(address, &there))
		return 0;
	error->code = PP_OK;
	image->lines->error = error;
	errno = 0;
	enough = &here;
	got = setjmp(here) ? -1 : lines_at(image->lines, there, with_lines, frames, most, &around);
	enough = NULL;
	pp_narrow_like(same, address, &around, there);
	if (got < 0 && error->code)
		return -1;
	return got < 0 || errno == ENOMEM ? no_memory(error) : got;
}
