/* elf_image.h - an ELF file that was found, open: its segments, its symbols, its debug information.  Where
 * such files are is file_finder.c's. */
#ifndef PP_ELF_IMAGE_H
#define PP_ELF_IMAGE_H

#include <libelf.h>
#include <elfutils/libdw.h>

#include <perfpipe/symbol.h>

#include "base/array.h"
#include "elf/elf_copy.h"
#include "image/address_range.h"
#include "image/file_finder.h"

/* A symbol; addresses are those of the image's own, as linked. */
struct pp_symbol {
	uint64_t start, end;
	uint32_t name;                /* in pp_symtab.names */
	uint8_t rank;                 /* of several at one place: the higher is shown */
	bool own_code;                /* a function of the running kernel, and of no module */
	uint8_t zero[2];
};
struct pp_symtab {
	struct pp_symbol *items;      /* by start, one of each */
	size_t n, room;
	struct pp_buffer names;
};
void pp_symtab_free(struct pp_symtab *);
/* Adds one; a size of 0 is not known.  0, or -1: memory. */
int pp_symtab_add(struct pp_symtab *, uint64_t start, uint64_t size, uint8_t rank, const char *name,
		  size_t length);
/* Of those added so far: the name of one, valid until the next; and whether it is shown rather than
 * another at its place. */
const char *pp_symtab_name(const struct pp_symtab *, size_t i);
bool pp_symtab_better(const struct pp_symtab *, size_t i, size_t other);
/* After the last: sorts them, gives ends to those that have none, and keeps the best of each place. */
void pp_symtab_sort(struct pp_symtab *);
/* The one that an address belongs to, or NULL; *same is narrowed to the addresses that this holds for. */
const struct pp_symbol *pp_symtab_find(const struct pp_symtab *, uint64_t address,
				       struct pp_address_range *same);

struct pp_lines;
struct pp_package;
struct pp_relocated;

/* A file that is open.  Its descriptor is, until all that will be needed of it is copied. */
struct pp_opened {
	struct pp_found_file file;
	struct pp_buffer unpacked;    /* of a file that is packed as a whole */
	struct pp_elf_copy copy;
	bool whole;                   /* no more will be copied */
	Elf *elf;                     /* NULL: there is no file, or it is not ELF */
};
struct pp_image {
	struct pp_opened main, debug, alt;
	Dwarf *dwarf, *alt_dwarf;
	struct pp_relocated *relocated;       /* whose `dwarf` then is */
	bool alt_missing;             /* without it, debug information is not whole */
	struct pp_segment { uint64_t offset, address, size; } *segments;
	size_t n_segments;
	struct pp_symtab symbols;
	bool has_symbols, looked_for_debug, looked_for_lines;
	struct pp_package *package;   /* split_dwarf.c's; NULL: not yet asked for */
	void (*close_package)(struct pp_package *);
	struct pp_lines *lines;       /* dwarf_lines.c's; NULL: no debug information, or not yet asked for */
	void (*close_lines)(struct pp_lines *);
};

/* Reads what symbols need of what was found: 0, or -1 and *error. */
int pp_opened_open(struct pp_opened *, struct pp_error *);
/* Reads what else is asked for (PP_WITH_), once; ->elf is another then.  0, or -1 and *error. */
int pp_opened_take_debug(struct pp_opened *, unsigned with, struct pp_error *);
void pp_opened_close(struct pp_opened *);       /* and leaves it without a file */
/* Says once why what is in it is not all known, if that is so. */
void pp_opened_say(const struct pp_opened *, struct pp_finder *);
/* Opens what was found, which is the image's from then on.  NULL: it cannot be read as one
 * (error->code is PP_OK then), or *error. */
struct pp_image *pp_image_open(struct pp_found_file *, struct pp_finder *, struct pp_error *);
/* Of bytes in memory, which are copied. */
struct pp_image *pp_image_of(const void *bytes, size_t size, struct pp_error *);
void pp_image_settle(struct pp_image *);        /* no more will be asked of its files: closes them */
void pp_image_close(struct pp_image *);         /* NULL is fine */
/* The address, as linked, of what is at an offset of the file, and the offsets around it that are mapped with
 * it; false: it is mapped nowhere. */
bool pp_image_address(const struct pp_image *, uint64_t offset, uint64_t *address,
		      struct pp_address_range *mapped);
/* The reverse; false: it is in no segment. */
bool pp_image_offset(const struct pp_image *, uint64_t address, uint64_t *offset);
/* Opens the separate debug file, if there is one and it is needed.  0, or -1 and *error. */
int pp_image_find_debug(struct pp_image *, struct pp_finder *, struct pp_error *);
/* After calls of libelf, libdw and the like, which do not say why there is nothing: 0, or -1 and *error,
 * where memory was lacking.  errno was 0 before. */
int pp_parsed(struct pp_error *);
/* A section by its name; NULL: there is none. */
Elf_Scn *pp_section(Elf *, const char *name, GElf_Shdr *);

/* ---- elf_symbols.c ---- */

/* Reads the symbols, once.  0, or -1 and *error. */
int pp_image_read_symbols(struct pp_image *, struct pp_finder *, struct pp_error *);

/* ---- module_relocate.c: modules of the kernel, which were not linked ---- */

/* Where the kernel puts each section of a module's code, from where the module begins; what is elsewhere is
 * at UINT64_MAX.  The caller's; NULL: memory. */
uint64_t *pp_module_places(Elf *, size_t *n);
/* Of a module: takes the file, and changes it where addresses are missing.  1, 0: there is none, -1: memory;
 * *to is the caller's to end in any case, and then *dwarf with it. */
int pp_relocate(struct pp_relocated **to, Elf *, Dwarf **dwarf);
void pp_relocated_end(struct pp_relocated *);   /* NULL is fine */
/* What an address of its symbols is there; false: no code of the module can have it. */
bool pp_relocated_address(uint64_t address, uint64_t *relocated);

/* ---- plt.c: names of what a PLT calls ---- */

/* Adds "NAME@plt" for each entry.  0, or -1: memory. */
int pp_plt_add(Elf *, struct pp_symtab *);

/* ---- dwarf_lines.c: what DWARF says ---- */

struct pp_line_frame {
	const char *symbol;           /* linkage name, or name, or NULL; valid while the image is open */
	bool mangled;
	const char *file;             /* NULL: not known */
	const char *folder;           /* in which it is, where its path is not whole; NULL: not known */
	uint32_t line;
	bool halved;                  /* what is inlined there would be in a file that is missing */
};
/* The data that an instruction accesses; valid until the next is asked for. */
struct pp_line_data {
	const char *type;             /* as perf calls it; NULL: not known */
	const char *member;           /* its path in the type, or ""; NULL: ->type is one of these: */
	uint32_t offset;              /* in the type */
};
#define PP_DATA_STACK  "(stack operation)"
#define PP_DATA_CANARY "(stack canary)"
/* What is asked for beside functions; all; and of a package not what each unit has a part of, which
 * pp_elf_copy_range() reads then. */
enum { PP_WITH_LINES = 1 << 0, PP_WITH_DATA = 1 << 1, PP_WITH_ALL = 1 << 2, PP_WITH_PARTS = 1 << 3 };
/* Whether there is any such for this image, with what will be asked for: looks for it once.  1, 0, or -1 and
 * *error. */
int pp_lines_open(struct pp_image *, struct pp_finder *, unsigned with, struct pp_error *);
uint64_t pp_lines_size(const struct pp_lines *);        /* about, in bytes; NULL is fine */
/* The functions that are inlined into each other at an address, the innermost first; the last is the
 * function itself.  Their number, at most `most`; 0: not known, but whether the first is halved; -1 and
 * *error.  *same is narrowed to the addresses that this holds for. */
int pp_lines_at(struct pp_image *, uint64_t address, bool with_lines, struct pp_line_frame *, size_t most,
		struct pp_address_range *same, struct pp_error *);
/* What the instruction at an address accesses.  0, or -1 and *error. */
int pp_lines_data(struct pp_image *, uint64_t address, struct pp_line_data *, struct pp_error *);

/* ---- split_dwarf.c: the half of a unit that is in a .dwo file or a .dwp package ---- */

struct pp_split;
/* Looks for it by the half in the program, its skeleton; where libdw lacks memory it calls `leave`.  1; 0: it
 * is nowhere, which is said; -1 and *error.  *to is the caller's to close, whatever comes of it, also where
 * libdw is left; NULL: memory. */
int pp_split_open(struct pp_split **to, struct pp_image *, struct pp_finder *, Dwarf_Die *skeleton,
		  __attribute__((noreturn)) void (*leave)(void), struct pp_error *);
void pp_split_close(struct pp_split *);         /* NULL is fine */
/* The unit, and what it is in. */
Dwarf *pp_split_unit(const struct pp_split *, Dwarf_Die *);
/* As dwarf_ranges() would be if it knew both halves. */
ptrdiff_t pp_split_ranges(const struct pp_split *, Dwarf_Die *, ptrdiff_t at, Dwarf_Addr *base,
			  Dwarf_Addr *start, Dwarf_Addr *end);

/* ---- demangle.c ---- */

/* The name in its language, in `to`, which is emptied before; or as it is, where it is not mangled.  Those of
 * OCaml and Java are recognized in ELF files alone: `of_file`.  NULL: memory. */
const char *pp_demangled(struct pp_buffer *to, const char *name, enum pp_demangle, bool of_file);

#endif
