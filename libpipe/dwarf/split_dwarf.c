/*
 * split_dwarf.c - the other half of a unit that has only its addresses and lines in the program: its
 * functions, in a .dwo file or a .dwp package, by the number that both halves have.
 *
 * libdw would open such a file by itself, whatever is there (a fifo, a device).  So the file is found and
 * opened as all others are, and libdw reads it without knowing that there is another half: addresses, which
 * are in the program, and lists of ranges are read here.
 */
#include "image/elf_image.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "base/procfs.h"

struct unit_piece { const uint8_t *data; size_t size; };

struct pp_split {
	struct pp_opened file;        /* a .dwo file, or empty */
	Elf *elf;                     /* of a package: with the sections of this unit */
	Dwarf *dwarf;
	Dwarf_Die unit;
	struct unit_piece info, ranges, addresses;
	uint64_t ranges_start;        /* before DWARF 5: of those of this unit, in the program's */
	Dwarf_Addr base;              /* which ranges count from */
	uint8_t address_size, offset_size;
	bool older, foreign;
	__attribute__((noreturn)) void (*lacking)(void);      /* what libdw calls where it lacks memory */
};

/* ---- Sections ---- */

/* The first that is called so and has bytes. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *const is = gelf_getshdr(s, header) && header->sh_type != SHT_NOBITS ?
				       elf_strptr(elf, names, header->sh_name) : NULL;

		if (is && !strcmp(is, name))
			return s;
	}
	return NULL;
}

static struct unit_piece bytes_of_section(Elf_Scn *s)
{
	Elf_Data *const data = elf_rawdata(s, NULL);

	return data && data->d_buf ? (struct unit_piece){ data->d_buf, data->d_size } :
				     (struct unit_piece){ NULL, 0 };
}

static struct unit_piece section(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *const s = find_section(elf, name, &header);

	return s ? bytes_of_section(s) : (struct unit_piece){ NULL, 0 };
}

static bool is_foreign(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && (header.e_ident[EI_DATA] == ELFDATA2MSB) != PP_HOST_BIG;
}

/* ---- A package: an index of units, and their parts of each section ---- */

/* Sections of which each unit has a part. */
enum { INFO, ABBREVIATIONS, OFFSETS, RANGES, PARTS };
static const struct section_kind {
	const char *name;
	uint8_t older, newer;         /* what the index calls them: before DWARF 5, and since; or 0 */
} kinds[PARTS] = {
	[INFO] = { ".debug_info.dwo", 1, 1 },
	[ABBREVIATIONS] = { ".debug_abbrev.dwo", 3, 3 },
	[OFFSETS] = { ".debug_str_offsets.dwo", 6, 6 },
	[RANGES] = { ".debug_rnglists.dwo", 0, 8 },
};

struct pp_package {
	int os;                       /* why a part could not be read; 0 */
	struct pp_opened file;
	uint8_t *bytes;               /* of its copy */
	size_t size;
	struct dwp_part {
		struct unit_piece whole;
		uint64_t header;      /* where the header of the section is; 0: there is none */
	} parts[PARTS];
	struct unit_piece index;
	bool foreign, wide;
};

/* Where the header of a section is, or 0. */
static uint64_t header_at(Elf *elf, Elf_Scn *s, size_t size)
{
	GElf_Ehdr head;
	uint64_t at;

	if (!s || !gelf_getehdr(elf, &head))
		return 0;
	at = head.e_shoff + (uint64_t)elf_ndxscn(s) * head.e_shentsize;
	return at < size && pp_fits(sizeof(Elf64_Shdr), size - at) ? at : 0;
}

static uint64_t header_of(const struct pp_package *p, const char *name)
{
	GElf_Shdr header;

	return header_at(p->file.elf, find_section(p->file.elf, name, &header), p->size);
}

/* Of the header of a section, in the copy. */
static void set(const struct pp_package *p, uint64_t at, size_t width, uint64_t value)
{
	pp_store_width(p->bytes + at, width,
		       p->foreign ? pp_swap_width(value, width) : value);
}

static void set_place(const struct pp_package *p, uint64_t header, uint64_t start, uint64_t size)
{
	if (p->wide) {
		set(p, header + offsetof(Elf64_Shdr, sh_offset), 8, start);
		set(p, header + offsetof(Elf64_Shdr, sh_size), 8, size);
	} else {
		set(p, header + offsetof(Elf32_Shdr, sh_offset), 4, start);
		set(p, header + offsetof(Elf32_Shdr, sh_size), 4, size);
	}
}

static void set_part(const struct pp_package *p, uint64_t header, const struct unit_piece *part)
{
	set_place(p, header, (uint64_t)(part->data - p->bytes), part->size);
}

static void take_package(struct pp_package *p)
{
	static const char *const indexes[] = { ".debug_cu_index", ".debug_tu_index" };

	p->foreign = is_foreign(p->file.elf);
	p->wide = gelf_getclass(p->file.elf) == ELFCLASS64;
	p->bytes = p->file.copy.bytes;
	p->size = (size_t)p->file.copy.size;
	p->index = section(p->file.elf, indexes[0]);
	for (size_t i = 0; i < PARTS; i++)
		p->parts[i] = (struct dwp_part){ section(p->file.elf, kinds[i].name),
					     header_of(p, kinds[i].name) };
	/* newer libdw would look there for parts of the parts, older takes the file for no .dwo file */
	for (size_t i = 0; i < sizeof(indexes) / sizeof(*indexes); i++) {
		const uint64_t header = header_of(p, indexes[i]);

		if (header)
			set(p, header + offsetof(Elf64_Shdr, sh_name), 4, 0);
	}
}

/* A table of numbers of 32 bits: the sections' in its first row, then a row for each unit. */
struct dwp_index {
	bool newer, foreign;
	uint32_t columns, rows, slots;
	const uint8_t *slot, *row_of, *offsets, *sizes;
};

static bool open_index(struct dwp_index *index, const struct unit_piece *from, bool foreign)
{
	enum { HEADER = 16 };
	uint64_t table, room;

	if (from->size < HEADER)
		return false;
	*index = (struct dwp_index){
		.foreign = foreign, .newer = pp_in_order16(from->data, foreign) == 5,
		.columns = pp_in_order32(from->data + 4, foreign),
		.rows = pp_in_order32(from->data + 8, foreign),
		.slots = pp_in_order32(from->data + 12, foreign),
	};
	room = from->size - HEADER;
	/* the number of slots is a power of two */
	if ((!index->newer && pp_in_order32(from->data, foreign) != 2) || !index->columns ||
	    index->columns > 16 || !index->slots || (index->slots & (index->slots - 1)))
		return false;
	table = (uint64_t)index->columns * index->rows * 4;
	if (12 * (uint64_t)index->slots + 4 * (uint64_t)index->columns + 2 * table > room)
		return false;
	index->slot = from->data + HEADER;
	index->row_of = index->slot + 8 * (size_t)index->slots;
	index->offsets = index->row_of + 4 * (size_t)index->slots;
	index->sizes = index->offsets + 4 * (size_t)index->columns + table;
	return true;
}

/* The row of a unit, from 1; 0: it is not there. */
static uint32_t find_row(const struct dwp_index *index, uint64_t id)
{
	const uint32_t mask = index->slots - 1, step = (uint32_t)(id >> 32 & mask) | 1;
	uint32_t at = (uint32_t)id & mask;

	for (uint32_t i = 0; i <= mask; i++, at = (at + step) & mask) {
		const uint32_t row = pp_in_order32(index->row_of + 4 * (size_t)at, index->foreign);

		if (!row)
			return 0;
		if (pp_in_order64(index->slot + 8 * (size_t)at, index->foreign) == id)
			return row <= index->rows ? row : 0;
	}
	return 0;
}

/* Lets the headers of sections lead to the parts of a unit, for who opens the file after that.  False: it is
 * not there, or the index lies. */
static bool show_unit(struct pp_package *p, struct pp_split *s, uint64_t id)
{
	struct dwp_index index;
	uint32_t row;

	if (!open_index(&index, &p->index, p->foreign))
		return false;
	row = find_row(&index, id);
	for (uint32_t c = 0; row && c < index.columns; c++) {
		const uint32_t what = pp_in_order32(index.offsets + 4 * (size_t)c, index.foreign);
		const size_t at = 4 * ((size_t)(row - 1) * index.columns + c);
		const uint32_t start = pp_in_order32(index.offsets + 4 * (size_t)index.columns + at,
						     index.foreign);
		const uint32_t size = pp_in_order32(index.sizes + at, index.foreign);

		for (size_t i = 0; i < PARTS; i++) {
			const struct dwp_part *const part = &p->parts[i];
			struct unit_piece own;

			if (!what || what != (index.newer ? kinds[i].newer : kinds[i].older))
				continue;
			if (!part->header || start > part->whole.size || size > part->whole.size - start)
				return false;
			own = (struct unit_piece){ part->whole.data + start, size };
			if (pp_elf_copy_range(&p->file.copy, (uint64_t)(own.data - p->bytes), size)) {
				p->os = errno;
				return false;
			}
			set_part(p, part->header, &own);
			if (i == INFO)
				s->info = own;
			if (i == RANGES)
				s->ranges = own;
		}
	}
	return row;
}

/* ---- What is in the program ---- */

static const char *text_of(Dwarf_Die *die, unsigned name, unsigned older)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) || dwarf_attr(die, older, &attr) ? dwarf_formstring(&attr) : NULL;
}

static uint64_t unit_attribute(Dwarf_Die *die, unsigned name, unsigned older)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return (dwarf_attr(die, name, &attr) || dwarf_attr(die, older, &attr)) &&
	       !dwarf_formudata(&attr, &value) ? value : 0;
}

/* The addresses of a unit, from where it says they begin. */
static struct unit_piece addresses(Elf *program, Dwarf_Die *skeleton, const struct pp_split *s)
{
	const struct unit_piece all = section(program, ".debug_addr");
	const uint64_t start = unit_attribute(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base);
	struct unit_piece own = { NULL, 0 };

	if (start >= all.size)
		return own;
	own = (struct unit_piece){ all.data + start, all.size - (size_t)start };
	/* their length is before them, and counts what is between */
	if (!s->older && start >= 8) {
		const uint32_t length = pp_in_order32(own.data - 8, s->foreign);

		if (length >= 4 && length - 4 < own.size)
			own.size = length - 4;
	}
	return own;
}

/* ---- Files ---- */

static bool find_unit(struct pp_split *s, uint64_t wanted)
{
	Dwarf_CU *cu = NULL;
	uint64_t id;
	uint8_t type;

	while (!dwarf_get_units(s->dwarf, cu, &cu, NULL, &type, &s->unit, NULL))
		if (type == DW_UT_split_compile &&
		    !dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, &s->address_size,
				   &s->offset_size) && id == wanted)
			return true;
	return false;
}

/* Whether the other half is in a file. */
static bool is_in(struct pp_split *s, Elf *file, uint64_t id)
{
	s->dwarf = dwarf_begin_elf(file, DWARF_C_READ, NULL);
	if (!s->dwarf)
		return false;
	dwarf_new_oom_handler(s->dwarf, s->lacking);
	return find_unit(s, id);
}

static bool is_in_package(struct pp_split *s, struct pp_package *p, uint64_t id)
{
	if (!p->file.elf || !p->bytes || p->foreign != s->foreign || !show_unit(p, s, id))
		return false;
	s->elf = elf_memory((char *)p->bytes, p->size);
	return s->elf && is_in(s, s->elf, id);
}

/* Whether all units are of types. */
static bool has_only_types(const struct unit_piece *info, bool foreign)
{
	enum { AT = 4, WIDER = 8, LEAST = 8 };  /* of the version; with lengths of 64 bits */
	size_t at = 0;

	while (info->size - at > LEAST + WIDER) {
		const uint8_t *const unit = info->data + at;
		const uint64_t narrow = pp_in_order32(unit, foreign);
		const bool wide = narrow == UINT32_MAX;
		const uint64_t length = wide ? pp_in_order64(unit + 4, foreign) : narrow;
		const uint8_t *const version = unit + AT + (wide ? WIDER : 0);
		const size_t before = wide ? 4 + WIDER : 4;

		if (pp_in_order16(version, foreign) < 5 || version[2] != DW_UT_split_type)
			return false;
		if (length > info->size - at - before)
			break;
		at += before + (size_t)length;
	}
	return at;
}

/* A .dwo file has a section for each of its types, of which libdw would read the first alone.  The headers
 * are those of our copy. */
static void prepare(const struct pp_split *s)
{
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(s->file.elf, &names))
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(s->file.elf, scn));) {
		const char *const name = gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS ?
					 elf_strptr(s->file.elf, names, header.sh_name) : NULL;
		struct unit_piece whole;

		if (!name || strcmp(name, kinds[INFO].name) != 0)
			continue;
		whole = bytes_of_section(scn);
		if (!has_only_types(&whole, s->foreign))
			continue;
		header.sh_type = SHT_NOBITS;
		(void)gelf_update_shdr(scn, &header);
	}
}

static bool is_in_file(struct pp_split *s, uint64_t id)
{
	if (!s->file.elf || is_foreign(s->file.elf) != s->foreign)
		return false;
	errno = 0;
	prepare(s);
	if (errno == ENOMEM || !is_in(s, s->file.elf, id))
		return false;
	s->info = section(s->file.elf, kinds[INFO].name);
	s->ranges = section(s->file.elf, kinds[RANGES].name);
	return true;
}

static void leave(struct pp_split *s)
{
	if (s->dwarf)
		dwarf_end(s->dwarf);
	if (s->elf)
		elf_end(s->elf);
	s->dwarf = NULL;
	s->elf = NULL;
	pp_opened_close(&s->file);
}

/* *file: open, if there is one.  0, or -1 and *error. */
static int open_beside(struct pp_finder *finder, const struct pp_opened *of, const char *path, unsigned with,
		       struct pp_opened *file, struct pp_error *error)
{
	const struct pp_id none = { .size = 0 };

	if (pp_finder_beside(finder, &of->file, path, &none, &file->file, error) < 0 ||
	    (file->file.fd >= 0 && pp_opened_open(file, error)) ||
	    pp_opened_take_debug(file, PP_WITH_ALL | with, error))
		return -1;
	pp_opened_say(file, finder);
	return 0;
}

static void close_package(struct pp_package *p)
{
	pp_opened_close(&p->file);
	free(p);
}

/* The package beside a program, which is looked for once. */
static int open_package(struct pp_image *image, struct pp_finder *finder, struct pp_error *error)
{
	const char *const slash = strrchr(image->main.file.path, '/');
	char path[PP_PATH];

	if (image->package)
		return 0;
	image->package = calloc(1, sizeof(*image->package));
	if (!image->package)
		return pp_fail(error, PP_E_NOMEM, NULL);
	image->close_package = close_package;
	image->package->file.file.fd = -1;
	if (snprintf(path, sizeof(path), "%s.dwp", slash ? slash + 1 : image->main.file.path) >=
	    (int)sizeof(path))
		return 0;
	if (open_beside(finder, &image->main, path, PP_WITH_PARTS, &image->package->file, error))
		return -1;
	errno = 0;
	if (image->package->file.elf)
		take_package(image->package);
	return pp_parsed(error);
}

/* In its package, or the file that it names: where the program is, or where it was built.  1, 0: nowhere, -1
 * and *error. */
static int find_half(struct pp_split *s, struct pp_image *image, struct pp_finder *finder,
		     Dwarf_Die *skeleton, uint64_t id, struct pp_error *error)
{
	const struct pp_opened *const program = image->debug.elf ? &image->debug : &image->main;
	const char *const name = text_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *const folder = text_of(skeleton, DW_AT_comp_dir, DW_AT_comp_dir);
	char path[2][PP_PATH];
	size_t n = 0;

	if (pp_parsed(error) || open_package(image, finder, error))
		return -1;
	if (is_in_package(s, image->package, id))
		return 1;
	if (image->package->os) {
		errno = image->package->os;
		return pp_fail_os(error, "cannot read %s", image->package->file.file.path);
	}
	if (pp_parsed(error))
		return -1;
	leave(s);
	if (name && snprintf(path[n], PP_PATH, "%s", name) < PP_PATH)
		n++;
	if (name && *name != '/' && folder && snprintf(path[n], PP_PATH, "%s/%s", folder, name) < PP_PATH)
		n++;
	for (size_t i = 0; i < n; i++) {
		if (open_beside(finder, program, path[i], 0, &s->file, error))
			return -1;
		if (is_in_file(s, id))
			return 1;
		if (pp_parsed(error))
			return -1;
		leave(s);
	}
	pp_finder_say(finder, PP_HINT_NONE, image->main.file.path,
		      "%s: not all inlined callers: %s is not there, or another's",
		      image->main.file.path, name ? name : "the .dwo file");
	return 0;
}

/* ---- What others ask ---- */

int pp_split_open(struct pp_split **to, struct pp_image *image, struct pp_finder *finder, Dwarf_Die *skeleton,
		  __attribute__((noreturn)) void (*lacking)(void), struct pp_error *error)
{
	Elf *const program = image->debug.elf ? image->debug.elf : image->main.elf;
	struct pp_split *const s = calloc(1, sizeof(*s));
	Dwarf_Half version;
	uint64_t id;
	int got;

	*to = s;
	if (!s)
		return pp_fail(error, PP_E_NOMEM, NULL);
	s->file.file.fd = -1;
	s->lacking = lacking;
	if (dwarf_cu_info(skeleton->cu, &version, NULL, NULL, NULL, &id, NULL, NULL) ||
	    !image->main.file.path)
		return 0;
	s->older = version < 5;
	s->foreign = is_foreign(program);
	if (dwarf_lowpc(skeleton, &s->base))
		s->base = 0;
	s->addresses = addresses(program, skeleton, s);
	got = find_half(s, image, finder, skeleton, id, error);
	if (s->older) {
		s->ranges = section(program, ".debug_ranges");
		s->ranges_start = unit_attribute(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base);
	}
	return got > 0 && pp_parsed(error) ? -1 : got;
}

void pp_split_close(struct pp_split *s)
{
	if (!s)
		return;
	leave(s);
	free(s);
}

Dwarf *pp_split_unit(const struct pp_split *s, Dwarf_Die *unit)
{
	*unit = s->unit;
	return s->dwarf;
}

/* ---- Ranges: libdw would look for addresses, and for what they count from, in the other half ---- */

/* Reads numbers; what is not there is zero, and fails it. */
struct dwp_reader {
	const struct pp_split *of;
	const struct unit_piece *from;
	uint64_t at;
	bool failed;
};

static uint64_t next_number(struct dwp_reader *r, size_t width)
{
	uint64_t v;

	if (r->at > r->from->size || !pp_fits(width, r->from->size - r->at)) {
		r->failed = true;
		return 0;
	}
	v = pp_load_width(r->from->data + r->at, width);
	r->at += width;
	return r->of->foreign ? pp_swap_width(v, width) : v;
}

static uint64_t next_leb(struct dwp_reader *r)
{
	uint64_t v = 0, byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && shift < 64; shift += 7) {
		byte = next_number(r, 1);
		v |= (byte & 0x7f) << shift;
	}
	return v;
}

/* The address of that number. */
static uint64_t address_at(struct dwp_reader *r, uint64_t index)
{
	const size_t width = r->of->address_size;
	struct dwp_reader addresses = { .of = r->of, .from = &r->of->addresses };
	uint64_t v;

	if (!pp_fits_n(index, width, addresses.from->size)) {
		r->failed = true;
		return 0;
	}
	addresses.at = index * width;
	v = next_number(&addresses, width);
	r->failed |= addresses.failed;
	return v;
}

/* Pairs; the highest address says what the next count from, and two zeros end it.  False: its end. */
static bool next_older(struct dwp_reader *r, Dwarf_Addr *base, Dwarf_Addr *start, Dwarf_Addr *end)
{
	const size_t width = r->of->address_size;
	const uint64_t highest = width == 4 ? UINT32_MAX : UINT64_MAX;

	for (;;) {
		*start = next_number(r, width);
		*end = next_number(r, width);
		if (r->failed || (!*start && !*end))
			return false;
		if (*start != highest) {
			*start += *base;
			*end += *base;
			return true;
		}
		*base = *end;
	}
}

static bool next_newer(struct dwp_reader *r, Dwarf_Addr *base, Dwarf_Addr *start, Dwarf_Addr *end)
{
	const size_t width = r->of->address_size;

	while (!r->failed) {
		switch (next_number(r, 1)) {
		case DW_RLE_base_addressx:
			*base = address_at(r, next_leb(r));
			continue;
		case DW_RLE_base_address:
			*base = next_number(r, width);
			continue;
		case DW_RLE_startx_endx:
			*start = address_at(r, next_leb(r));
			*end = address_at(r, next_leb(r));
			break;
		case DW_RLE_startx_length:
			*start = address_at(r, next_leb(r));
			*end = *start + next_leb(r);
			break;
		case DW_RLE_offset_pair:
			*start = *base + next_leb(r);
			*end = *base + next_leb(r);
			break;
		case DW_RLE_start_end:
			*start = next_number(r, width);
			*end = next_number(r, width);
			break;
		case DW_RLE_start_length:
			*start = next_number(r, width);
			*end = *start + next_leb(r);
			break;
		default:
			return false;
		}
		return !r->failed;
	}
	return false;
}

/* An attribute's own bytes. */
static struct dwp_reader bytes_of(const struct pp_split *s, const Dwarf_Attribute *attr)
{
	const uint8_t *const at = attr->valp;
	const bool inside = at >= s->info.data && at <= s->info.data + s->info.size;

	return (struct dwp_reader){ s, &s->info, inside ? (uint64_t)(at - s->info.data) : 0, !inside };
}

/* Where its list begins: *at.  False: nowhere. */
static bool find_list(const struct pp_split *s, Dwarf_Attribute *attr, uint64_t *at)
{
	enum { HEADER = 12 };                   /* before the places of lists, which count from its end */
	struct dwp_reader r = bytes_of(s, attr), places = { .of = s, .from = &s->ranges };

	if (dwarf_whatform(attr) != DW_FORM_rnglistx) {
		*at = next_number(&r, dwarf_whatform(attr) == DW_FORM_data4 ? 4 : s->offset_size) +
		      s->ranges_start;
		return !r.failed;
	}
	places.at = next_leb(&r);
	if (!pp_fits_n(places.at, 4, s->ranges.size))
		return false;
	places.at = HEADER + 4 * places.at;
	*at = HEADER + next_number(&places, 4);
	return !r.failed && !places.failed;
}

static bool address_attribute(const struct pp_split *s, Dwarf_Die *die, unsigned name, Dwarf_Addr *to)
{
	Dwarf_Attribute attr;
	struct dwp_reader r;
	uint64_t index;

	if (!dwarf_attr(die, name, &attr))
		return false;
	r = bytes_of(s, &attr);
	switch (dwarf_whatform(&attr)) {
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		index = next_leb(&r);
		break;
	case DW_FORM_addrx1:
		index = next_number(&r, 1);
		break;
	case DW_FORM_addrx2:
		index = next_number(&r, 2);
		break;
	case DW_FORM_addrx4:
		index = next_number(&r, 4);
		break;
	default:
		return !dwarf_formaddr(&attr, to);
	}
	*to = address_at(&r, index);
	return !r.failed;
}

/* Its end is an address, or a length. */
static bool whole_range(const struct pp_split *s, Dwarf_Die *die, Dwarf_Addr *start, Dwarf_Addr *end)
{
	Dwarf_Attribute attr;
	Dwarf_Word length;

	if (!address_attribute(s, die, DW_AT_low_pc, start) || !dwarf_attr(die, DW_AT_high_pc, &attr))
		return false;
	if (address_attribute(s, die, DW_AT_high_pc, end))
		return true;
	if (dwarf_formudata(&attr, &length))
		return false;
	*end = *start + length;
	return true;
}

ptrdiff_t pp_split_ranges(const struct pp_split *s, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			  Dwarf_Addr *start, Dwarf_Addr *end)
{
	enum { WHOLE = 1 };                     /* no place in a list, where one has been read */
	struct dwp_reader r = { .of = s, .from = &s->ranges, .at = (uint64_t)at };
	Dwarf_Attribute attr;

	if (at == WHOLE || (s->address_size != 4 && s->address_size != 8))
		return 0;
	if (!at && whole_range(s, die, start, end))
		return WHOLE;
	if (!at && (!dwarf_attr(die, DW_AT_ranges, &attr) || !find_list(s, &attr, &r.at)))
		return 0;
	if (!at)
		*base = s->base;
	return (s->older ? next_older : next_newer)(&r, base, start, end) ? (ptrdiff_t)r.at : 0;
}
