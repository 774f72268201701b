/*
 * write_elf.c - an ELF image of one piece of code: headers, code, unwinding information, symbol and
 * build-id; what leads to source lines is made by debug_line.c.
 */
#include <elf.h>
#include <string.h>
#include <xxhash.h>

#include "base/byte_order.h"
#include "jit/jit.h"

enum { TEXT = 1, SECTIONS = 11, ALIGN = 16, ID_SIZE = 20, NOTE_SIZE = 12 + 4 + ID_SIZE };

static const char names[] =
	"\0.text\0.eh_frame\0.eh_frame_hdr\0.symtab\0.strtab\0.note.gnu.build-id\0"
	".debug_line\0.debug_info\0.debug_abbrev\0.shstrtab";

struct image_section {
	const char *name;
	uint32_t type, flags, link;
	uint64_t address, offset, size, align, entry;
	const void *data;
};

struct jit_image {
	struct pp_buffer *out;
	struct pp_error *error;
	bool wide, foreign, failed;
	struct image_section sections[SECTIONS + 1];
	unsigned count;
};

/* Machines whose programs have 32 bits. */
static bool is_wide(uint32_t machine)
{
	static const uint16_t narrow[] = {
		EM_386, EM_ARM, EM_PPC, EM_MIPS, EM_SPARC, EM_68K, EM_PARISC, EM_SH, EM_ARC, EM_XTENSA,
	};

	for (size_t i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
		if (machine == narrow[i])
			return false;
	return true;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* After the header and one segment, as perf has it: so all code of a machine is at the same place in
 * its image, and unwinding information is found by its section. */
uint64_t pp_jit_offset(uint32_t machine)
{
	return round_up(is_wide(machine) ? sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)
					 : sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), ALIGN);
}

/* ---- bytes ---- */

static void put_image(struct jit_image *image, const void *data, size_t size)
{
	if (!image->failed && size && pp_buffer_add(image->out, data, size, image->error))
		image->failed = true;
}

static void put_image16(struct jit_image *image, uint64_t v)
{
	uint8_t bytes[2];

	pp_store_order16(bytes, (uint16_t)v, image->foreign);
	put_image(image, bytes, sizeof(bytes));
}

static void put_image32(struct jit_image *image, uint64_t v)
{
	uint8_t bytes[4];

	pp_store_order32(bytes, (uint32_t)v, image->foreign);
	put_image(image, bytes, sizeof(bytes));
}

/* As wide as the machine's addresses. */
static void put_word(struct jit_image *image, uint64_t v)
{
	uint8_t bytes[8];

	if (!image->wide) {
		put_image32(image, v);
		return;
	}
	pp_store_order64(bytes, v, image->foreign);
	put_image(image, bytes, sizeof(bytes));
}

static void pad_to(struct jit_image *image, uint64_t offset)
{
	static const uint8_t zeros[64];

	while (!image->failed && image->out->size < offset) {
		const uint64_t missing = offset - image->out->size;

		put_image(image, zeros, missing < sizeof(zeros) ? (size_t)missing : sizeof(zeros));
	}
}

/* ---- sections ---- */

static struct image_section *add(struct jit_image *image, const char *name, uint32_t type, const void *data,
				 size_t size)
{
	struct image_section *const s = &image->sections[++image->count];

	*s = (struct image_section){ .name = name, .type = type, .data = data, .size = size, .align = 1 };
	return s;
}

/* The number of a section that was added. */
static unsigned number_of(const struct jit_image *image, const struct image_section *s)
{
	return (unsigned)(s - image->sections);
}

static uint32_t name_of(const char *name)
{
	for (size_t at = 1; at < sizeof(names); at += strlen(names + at) + 1)
		if (!strcmp(names + at, name))
			return (uint32_t)at;
	return 0;
}

/* Code and unwinding information have addresses; they follow each other in the file as in memory. */
static void add_loaded(struct jit_image *image, const struct pp_jit_body *body, uint64_t text)
{
	struct image_section *s = add(image, ".text", SHT_PROGBITS, body->code, body->size);
	const size_t table = body->frames_size - body->header_size;
	const uint64_t frames = text + pp_align8(body->size);

	s->flags = SHF_ALLOC | SHF_EXECINSTR;
	s->address = text;
	s->align = ALIGN;
	if (!body->frames)
		return;
	s = add(image, ".eh_frame", SHT_PROGBITS, body->frames, table);
	s->flags = SHF_ALLOC;
	s->address = frames;
	s->align = text % 8 ? 1 : 8;
	s = add(image, ".eh_frame_hdr", SHT_PROGBITS, body->frames + table, body->header_size);
	s->flags = SHF_ALLOC;
	s->address = frames + table;
}

/* ---- what is made in memory before it is put in its place ---- */

static void make_symbols(const struct jit_image *image, const struct pp_jit_body *body, uint64_t text,
			 uint8_t symbols[2 * sizeof(Elf64_Sym)])
{
	uint8_t *const s = symbols + (image->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	const bool foreign = image->foreign;

	memset(symbols, 0, 2 * sizeof(Elf64_Sym));
	pp_store_order32(s, 1, foreign);                /* st_name */
	if (image->wide) {
		s[4] = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		pp_store_order16(s + 6, TEXT, foreign);
		pp_store_order64(s + 8, text, foreign);
		pp_store_order64(s + 16, body->size, foreign);
	} else {
		pp_store_order32(s + 4, (uint32_t)text, foreign);
		pp_store_order32(s + 8, (uint32_t)body->size, foreign);
		s[12] = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
		pp_store_order16(s + 14, TEXT, foreign);
	}
}

/* From all that tells one piece of code from another. */
static void make_id(const struct pp_jit_body *body, uint8_t id[ID_SIZE])
{
	const struct { const void *data; size_t size; } parts[] = {
		{ body->code, body->size }, { body->name, strlen(body->name) },
		{ body->lines, body->lines_size }, { body->frames, body->frames_size },
		{ &body->address, sizeof(body->address) },
	};
	XXH128_hash_t hash = { body->machine, body->big };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		XXH128_hash_t part = XXH3_128bits_withSeed(parts[i].size ? parts[i].data : "",
							   parts[i].size, hash.low64);

		hash.high64 = hash.high64 * 31 + part.high64;
		hash.low64 = part.low64;
	}
	pp_store64(id, hash.low64);
	pp_store64(id + 8, hash.high64);
	pp_store32(id + 16, (uint32_t)(hash.low64 >> 32 ^ hash.high64));
}

static void make_note(const struct jit_image *image, const uint8_t id[ID_SIZE], uint8_t note[NOTE_SIZE])
{
	pp_store_order32(note, sizeof(ELF_NOTE_GNU), image->foreign);
	pp_store_order32(note + 4, ID_SIZE, image->foreign);
	pp_store_order32(note + 8, NT_GNU_BUILD_ID, image->foreign);
	memcpy(note + 12, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	memcpy(note + 16, id, ID_SIZE);
}

/* ---- the file ---- */

/* Gives each section its place: those with addresses at these.  Returns where the table of all is. */
static uint64_t lay_out(struct jit_image *image, uint64_t text)
{
	uint64_t end = text;

	for (unsigned i = 1; i <= image->count; i++) {
		struct image_section *const s = &image->sections[i];

		s->offset = s->address ? s->address : round_up(end, s->align);
		end = s->offset + s->size;
	}
	return pp_align8(end);
}

static void put_header(struct jit_image *image, const struct pp_jit_body *body, uint64_t text,
		       uint64_t table)
{
	const uint8_t ident[EI_NIDENT] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, image->wide ? ELFCLASS64 : ELFCLASS32,
		body->big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT,
	};

	put_image(image, ident, sizeof(ident));
	put_image16(image, ET_DYN);
	put_image16(image, body->machine);
	put_image32(image, EV_CURRENT);
	put_word(image, text);
	put_word(image, image->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	put_word(image, table);
	put_image32(image, 0);
	put_image16(image, image->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	put_image16(image, image->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	put_image16(image, 1);
	put_image16(image, image->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	put_image16(image, image->count + 1);
	put_image16(image, image->count);             /* .shstrtab is the last */
}

static void put_segment(struct jit_image *image, uint64_t at, uint64_t size)
{
	const uint32_t flags = PF_R | PF_X;

	put_image32(image, PT_LOAD);
	if (image->wide)
		put_image32(image, flags);
	put_word(image, at);
	put_word(image, at);
	put_word(image, at);
	put_word(image, size);
	put_word(image, size);
	if (!image->wide)
		put_image32(image, flags);
	put_word(image, 8);
}

static void put_sections(struct jit_image *image, uint64_t table)
{
	for (unsigned i = 1; i <= image->count; i++) {
		pad_to(image, image->sections[i].offset);
		put_image(image, image->sections[i].data, (size_t)image->sections[i].size);
	}
	pad_to(image, table);
	for (unsigned i = 0; i <= image->count; i++) {
		const struct image_section *const s = &image->sections[i];

		put_image32(image, i ? name_of(s->name) : 0);
		put_image32(image, s->type);
		put_word(image, s->flags);
		put_word(image, s->address);
		put_word(image, s->offset);
		put_word(image, s->size);
		put_image32(image, s->link);
		put_image32(image, s->type == SHT_SYMTAB);    /* sh_info: the first global symbol */
		put_word(image, s->align);
		put_word(image, s->entry);
	}
}

static void add_symbols(struct jit_image *image, const uint8_t *symbols, const char *strings, size_t length)
{
	struct image_section *const s = add(image, ".symtab", SHT_SYMTAB, symbols,
					    2 * (image->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)));

	s->align = 8;
	s->entry = s->size / 2;
	s->link = number_of(image, add(image, ".strtab", SHT_STRTAB, strings, length));
}

static void add_rest(struct jit_image *image, const uint8_t *note, const struct pp_jit_lines *lines)
{
	add(image, ".note.gnu.build-id", SHT_NOTE, note, NOTE_SIZE)->align = 4;
	if (lines->line.size) {
		add(image, ".debug_line", SHT_PROGBITS, lines->line.data, lines->line.size);
		add(image, ".debug_info", SHT_PROGBITS, lines->info.data, lines->info.size);
		add(image, ".debug_abbrev", SHT_PROGBITS, lines->abbrev.data, lines->abbrev.size);
	}
	add(image, ".shstrtab", SHT_STRTAB, names, sizeof(names));
}

static void put_all(struct jit_image *image, const struct pp_jit_body *body, uint64_t text)
{
	const uint64_t table = lay_out(image, text);
	const struct image_section *const header = &image->sections[TEXT + 2];
	const uint64_t loaded = body->frames ? header->address + header->size - text : body->size;

	put_header(image, body, text, table);
	put_segment(image, text, loaded);
	put_sections(image, table);
}

int pp_jit_build(const struct pp_jit_body *body, struct pp_buffer *out, uint8_t id[ID_SIZE],
		 struct pp_error *error)
{
	const uint64_t text = pp_jit_offset(body->machine);
	struct jit_image image = { .out = out, .error = error, .wide = is_wide(body->machine),
			       .foreign = body->big != PP_HOST_BIG };
	struct pp_jit_lines lines = { .line = { .size = 0 } };
	struct pp_buffer strings = { .size = 0 };
	uint8_t symbols[2 * sizeof(Elf64_Sym)], note[NOTE_SIZE];

	make_id(body, id);
	make_note(&image, id, note);
	make_symbols(&image, body, text, symbols);
	image.failed = pp_buffer_add(&strings, "", 1, error) ||
		       pp_buffer_add(&strings, body->name, strlen(body->name) + 1, error) ||
		       pp_jit_lines(body, text, image.wide, &lines, error);
	if (!image.failed) {
		add_loaded(&image, body, text);
		add_symbols(&image, symbols, (const char *)strings.data, strings.size);
		add_rest(&image, note, &lines);
		put_all(&image, body, text);
	}
	pp_buffer_free(&strings);
	pp_jit_lines_free(&lines);
	return image.failed ? -1 : 0;
}
