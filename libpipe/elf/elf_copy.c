/* elf_copy.c - makes copies of ELF files in which what is needed of them is plain. */
#include "elf/elf_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_order.h"
#include "base/array.h"

enum {
	SECTIONS_MOST = 1 << 17, SEGMENTS_MOST = 1 << 12,       /* libelf keeps something for each */
	NEAR = 1 << 16,               /* ranges with less between them are read together, */
	RANGES_MOST = 1 << 10,        /* and with more, where there are more ranges than the kernel likes */
	MAPPED_LEAST = 16 << 20,      /* bytes of a part that is mapped */
};

struct copied_range { uint64_t from, to; };
struct copied_ranges { struct copied_range *items; size_t n, room; };

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The whole pages that bytes from here on begin in, or that bytes up to here end in. */
static uint64_t page_of(uint64_t at)
{
	return at - at % page_size();
}

static uint64_t page_after(uint64_t at)
{
	return page_of(at + page_size() - 1);
}

static int make_writable(const struct pp_elf_copy *c, uint64_t from, uint64_t to)
{
	const uint64_t first = page_of(from);

	return mprotect(c->bytes + first, (size_t)(page_after(to) - first), PROT_READ | PROT_WRITE);
}

/* Lets a part be written to; until then it is zeroes, which take nothing.  1, 0: it is too large, or -1 and
 * errno. */
static int make_room(struct pp_elf_copy *c, uint64_t from, uint64_t to)
{
	const uint64_t size = page_after(to) - page_of(from);

	if (size > c->memory_most) {
		c->too_large = true;
		return 0;
	}
	c->memory_most -= size;
	return make_writable(c, from, to) ? -1 : 1;
}

static int read_range(struct pp_elf_copy *c, uint64_t from, uint64_t to)
{
	const int got = from < to ? make_room(c, from, to) : 0;
	int64_t n;

	if (got <= 0)
		return got;
	n = pp_elf_source_read(&c->elf.from, c->bytes + from, to - from, from);
	c->elf.shorter |= n >= 0 && (uint64_t)n < to - from;
	return n < 0 ? -1 : 0;
}

/* Whether only root and this user can make the file shorter. */
static bool is_safe_to_map(const struct pp_elf_source *from)
{
	struct stat st;

	return from->fd >= 0 && !fstat(from->fd, &st) && S_ISREG(st.st_mode) &&
	       (!st.st_uid || st.st_uid == getauxval(AT_EUID)) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Maps whole pages, to be read, if there are many: libdw looks at few of them.  What a stranger can make
 * shorter is not mapped, since that would end the process; nor is a module, whose sections are
 * relocated at their places. */
static bool map_pages(const struct pp_elf_copy *c, uint64_t from, uint64_t to)
{
	return from < to && to - from >= MAPPED_LEAST && c->elf.type != ET_REL &&
	       is_safe_to_map(&c->elf.from) &&
	       mmap(c->bytes + from, (size_t)(to - from), PROT_READ, MAP_PRIVATE | MAP_FIXED, c->elf.from.fd,
		    (off_t)from) != MAP_FAILED;
}

int pp_elf_copy_range(struct pp_elf_copy *c, uint64_t offset, uint64_t size)
{
	const uint64_t all = c->elf.from.size;

	if (offset >= all)
		return 0;
	if (size > all - offset)
		size = all - offset;
	if (!map_pages(c, page_after(offset), page_of(offset + size)))
		return read_range(c, offset, offset + size);
	return read_range(c, offset, page_after(offset)) ||
	       read_range(c, page_of(offset + size), offset + size) ? -1 : 0;
}

/* ---- Headers ---- */

/* Changes a member of a section's header. */
static void set(const struct pp_elf_copy *c, uint32_t index, size_t narrow, size_t wide, bool is_32,
		uint64_t value)
{
	uint8_t *const to = c->elf.sections + (size_t)index * c->elf.section_size +
			    (c->elf.wide ? wide : narrow);
	const size_t width = is_32 || !c->elf.wide ? 4 : 8;

	pp_store_width(to, width, c->elf.foreign ? pp_swap_width(value, width) : value);
}
#define SET(copy, index, member, is_32, value) \
	set((copy), (index), offsetof(Elf32_Shdr, member), offsetof(Elf64_Shdr, member), (is_32), (value))

static void hide(const struct pp_elf_copy *c, uint32_t index)
{
	SET(c, index, sh_type, true, SHT_NOBITS);
}

/* ".zdebug_info" becomes ".debug_info", where its name ends as before: several sections may share it. */
static void rename_old(const struct pp_elf_copy *c)
{
	static const char *const begins[] = { ".zdebug_", "zdebug_" };

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < c->elf.n_sections; i++) {
			const struct pp_elf_section s = pp_elf_section(&c->elf, i);
			const char *const name = pp_elf_section_name(&c->elf, &s);

			if (s.offset < c->elf.from.size ||
			    strncmp(name, begins[pass], strlen(begins[pass])) != 0)
				continue;
			if (pass)
				c->elf.names[s.name] = '.';
			else
				SET(c, i, sh_name, true, s.name + 1);
		}
}

/* Whatever else lies at their place in the file, the copy has the headers as they were changed. */
static int put_headers(const struct pp_elf_copy *c)
{
	const struct pp_elf_reader *const elf = &c->elf;
	const uint64_t sections = elf->sections_at, size = (uint64_t)elf->n_sections * elf->section_size;
	const uint64_t names = elf->names ? pp_elf_section(elf, elf->names_in).offset : 0;

	/* between large parts they may have been mapped, to be read only */
	if ((elf->sections && make_writable(c, sections, sections + size)) ||
	    (elf->names && make_writable(c, names, names + elf->names_size)))
		return -1;
	if (elf->sections)
		memcpy(c->bytes + sections, elf->sections, (size_t)size);
	if (elf->names)
		memcpy(c->bytes + names, elf->names, (size_t)elf->names_size);
	return 0;
}

/* Addresses for the file, and for what its sections say that they expand to: 0, or -1 and errno. */
static int reserve(struct pp_elf_copy *c)
{
	const uint64_t page = page_size();
	uint64_t room = c->elf.from.size, left = c->expanded_most;
	void *bytes;

	for (uint32_t i = 0; i < c->elf.n_sections; i++) {
		const struct pp_elf_section s = pp_elf_section(&c->elf, i);
		struct pp_elf_packed packed;

		if (pp_elf_packed(&c->elf, &s, &packed))
			return -1;
		if (packed.how == PP_ELF_PLAIN || packed.size > left)
			continue;
		left -= packed.size;
		/* they begin at whole pages, so that each can be aligned as it wants to be */
		room += packed.size + page + (page - packed.size % page);
	}
	room += page;
	if (room > SIZE_MAX / 2) {
		errno = ENOMEM;
		return -1;
	}
	bytes = mmap(NULL, (size_t)room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -1;
	c->bytes = bytes;
	c->room = room;
	c->size = c->elf.from.size;
	return 0;
}

static bool is_bounded(const struct pp_elf_reader *elf)
{
	const uint64_t table = (uint64_t)elf->n_sections * elf->section_size;

	/* numbers in the first section's header are more than libelf ought to trust */
	return elf->n_sections <= SECTIONS_MOST && elf->n_segments <= SEGMENTS_MOST &&
	       (elf->n_sections || !elf->sections_at) && elf->sections_at <= elf->from.size &&
	       table <= elf->from.size - elf->sections_at;
}

static int take_headers(struct pp_elf_copy *c)
{
	const struct pp_elf_reader *const elf = &c->elf;
	const struct pp_elf_section names = elf->names ? pp_elf_section(elf, elf->names_in) :
							 (struct pp_elf_section){ .size = 0 };

	return pp_elf_copy_range(c, 0, sizeof(Elf64_Ehdr)) ||
	       pp_elf_copy_range(c, elf->segments_at, (uint64_t)elf->n_segments * elf->segment_size) ||
	       pp_elf_copy_range(c, elf->sections_at, (uint64_t)elf->n_sections * elf->section_size) ||
	       pp_elf_copy_range(c, names.offset, elf->names_size) ? -1 : !c->too_large;
}

int pp_elf_copy_open(struct pp_elf_copy *c, const struct pp_elf_source *source)
{
	struct pp_elf_reader *const elf = &c->elf;
	int got;

	*c = (struct pp_elf_copy){ .size = 0 };
	got = pp_elf_begin(elf, source);
	if (got > 0 && (pp_elf_read_segments(elf) || pp_elf_read_sections(elf)))
		got = -1;
	c->memory_most = pp_machine_memory() / 2;
	c->expanded_most = pp_elf_expansion_most(elf);
	c->read_most = source->size < UINT64_MAX / 8 ? 4 * source->size : UINT64_MAX;
	if (got > 0)
		got = !is_bounded(elf) ? 0 : reserve(c) ? -1 : take_headers(c);
	if (got <= 0) {
		const bool too_large = c->too_large, shorter = elf->shorter;
		const int os = errno;

		pp_elf_copy_close(c);
		c->too_large = too_large;
		elf->shorter = shorter;
		errno = os;
	}
	return got;
}

void pp_elf_copy_close(struct pp_elf_copy *c)
{
	pp_elf_end(&c->elf);
	if (c->bytes)
		(void)munmap(c->bytes, (size_t)c->room);
	*c = (struct pp_elf_copy){ .elf.from.fd = -1 };
}

/* ---- Sections ---- */

/* Expands a section after the end of what there is.  1, 0: it cannot be, -1 and errno. */
static int expand(struct pp_elf_copy *c, const struct pp_elf_section *s, const struct pp_elf_packed *packed)
{
	const uint64_t page = page_size(), start = c->size + (page - c->size % page);
	uint8_t *data;
	size_t n;
	int got, os;

	if (packed->how == PP_ELF_UNKNOWN || !packed->size || s->size > c->read_most ||
	    packed->size > c->expanded_most || start > c->room || packed->size > c->room - start) {
		c->too_large |= packed->how != PP_ELF_UNKNOWN && packed->size;
		c->unknown |= packed->how == PP_ELF_UNKNOWN;
		return 0;
	}
	c->read_most -= s->size;
	c->expanded_most -= packed->size;
	data = pp_elf_bytes(&c->elf, s->offset, s->size, c->elf.from.size, &n);
	if (!data)
		return errno ? -1 : 0;
	got = n > packed->header ? make_room(c, start, start + packed->size) : 0;
	if (got > 0)
		got = pp_elf_expand(packed->how, data + packed->header, n - packed->header,
				    c->bytes + start, (size_t)packed->size);
	os = errno;
	free(data);
	errno = os;
	if (got <= 0) {
		c->unknown |= !got && !c->too_large;
		return got;
	}
	c->size = start + packed->size;
	SET(c, s->index, sh_offset, false, start);
	SET(c, s->index, sh_size, false, packed->size);
	SET(c, s->index, sh_flags, false, s->flags & ~(uint64_t)SHF_COMPRESSED);
	SET(c, s->index, sh_addralign, false, packed->align);
	return 1;
}

static int by_place(const void *x, const void *y)
{
	const struct copied_range *const a = x, *const b = y;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Each byte is read once, whatever sections say that they have it. */
static int read_ranges(struct pp_elf_copy *c, struct copied_ranges *r)
{
	const uint64_t even = c->elf.from.size / RANGES_MOST, near = even > NEAR ? even : NEAR;

	if (r->n)
		qsort(r->items, r->n, sizeof(*r->items), by_place);
	for (size_t i = 0, next; i < r->n; i = next) {
		struct copied_range all = r->items[i];

		for (next = i + 1; next < r->n && r->items[next].from <= all.to + near; next++)
			if (r->items[next].to > all.to)
				all.to = r->items[next].to;
		if (pp_elf_copy_range(c, all.from, all.to - all.from))
			return -1;
	}
	return 0;
}

/* 0, or -1 and errno. */
static int take_section(struct pp_elf_copy *c, const struct pp_elf_section *s, struct copied_ranges *plain)
{
	const uint64_t all = c->elf.from.size;
	struct pp_elf_packed packed;
	int got;

	if (pp_elf_packed(&c->elf, s, &packed))
		return -1;
	if (packed.how != PP_ELF_PLAIN) {
		got = expand(c, s, &packed);
		if (!got)
			hide(c, s->index);
		return got < 0 ? -1 : 0;
	}
	if (s->offset >= all || !s->size)
		return 0;
	if (PP_GROW(&plain->items, &plain->room, plain->n + 1, NULL)) {
		errno = ENOMEM;
		return -1;
	}
	plain->items[plain->n++] = (struct copied_range){
		s->offset, s->size < all - s->offset ? s->offset + s->size : all,
	};
	return 0;
}

int pp_elf_copy_take(struct pp_elf_copy *c, pp_elf_part_fn *part, void *arg)
{
	struct copied_ranges plain = { .n = 0 };
	int failed = 0, os;

	for (uint32_t i = 0; !failed && i < c->elf.n_sections; i++) {
		const struct pp_elf_section s = pp_elf_section(&c->elf, i);
		const enum pp_elf_part is = s.type == SHT_NOBITS ? PP_ELF_LEAVE :
					    part(arg, pp_elf_section_name(&c->elf, &s), &s);

		if (is == PP_ELF_HIDE)
			hide(c, i);
		else if (is == PP_ELF_TAKE)
			failed = take_section(c, &s, &plain);
	}
	if (!failed)
		failed = read_ranges(c, &plain);
	os = errno;
	rename_old(c);
	if (put_headers(c) && !failed) {
		os = errno;
		failed = -1;
	}
	free(plain.items);
	errno = os;
	return failed;
}
