/*
 * elf.c - build-ids out of ELF notes: of files, of the running kernel and its modules, of the
 * vdso.  Names and paths are the caller's affair; what a file says of itself is not trusted.
 *
 * libelf only translates the headers.  Its own view of a file keeps something for every section
 * that the file claims to have, which for a sparse file of a few gigabytes is more than we own.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libpipe.h"

enum {
	NOTES_MAX = 65536,              /* more than this of one segment's notes is not searched */
	ID_MAX    = 20,
};

/* Whichever class the file is of, what we ask of its headers. */
struct elf_file {
	int fd;
	bool wide;                      /* 64 bits */
	bool big;                       /* byte order */
};

struct notes_place { uint64_t offset, size, align; bool are_notes; };

/* Reads up to `size` bytes at `offset`; how many there were, or -1. */
static ssize_t read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	size_t got = 0;

	while (got < size && offset + got <= INT64_MAX) {
		ssize_t n = pread(fd, (char *)buf + got, size - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static uint32_t note_word(const uint8_t *at, bool big)
{
	uint32_t v = pp_load32(at);

	return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* The GNU build-id among notes; 1 or 0. */
static int search_notes(const uint8_t *notes, size_t length, uint64_t align, bool big,
			uint8_t id[ID_MAX], uint8_t *size)
{
	while (pp_fits(sizeof(Elf32_Nhdr), length)) {
		uint32_t namesz = note_word(notes, big);
		uint32_t descsz = note_word(notes + 4, big);
		uint32_t type = note_word(notes + 8, big);
		uint64_t desc = round_up(sizeof(Elf32_Nhdr) + (uint64_t)namesz, align);
		uint64_t next;

		if (!pp_fits(desc, length) || !pp_fits(descsz, length - desc))
			return 0;
		if (type == NT_GNU_BUILD_ID && descsz && namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + sizeof(Elf32_Nhdr), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			*size = descsz < ID_MAX ? (uint8_t)descsz : ID_MAX;
			memset(id, 0, ID_MAX);
			memcpy(id, notes + desc, *size);
			return 1;
		}
		next = round_up(desc + descsz, align);
		if (!pp_fits(next, length))
			return 0;
		notes += next;
		length -= next;
	}
	return 0;
}

/* Reads and translates one header of a type that libelf knows; 1, 0 where it is not whole. */
static int read_header(const struct elf_file *file, uint64_t offset, Elf_Type type, size_t size,
		       void *to)
{
	uint8_t raw[sizeof(Elf64_Ehdr)];
	Elf_Data from_data = { .d_buf = raw, .d_type = type, .d_version = EV_CURRENT,
			       .d_size = size };
	Elf_Data to_data = { .d_buf = to, .d_type = type, .d_version = EV_CURRENT,
			     .d_size = size };
	unsigned order = file->big ? ELFDATA2MSB : ELFDATA2LSB;

	if (read_at(file->fd, raw, size, offset) != (ssize_t)size)
		return 0;
	return (file->wide ? elf64_xlatetom(&to_data, &from_data, order)
			   : elf32_xlatetom(&to_data, &from_data, order)) != NULL;
}

static bool segment(const struct elf_file *file, uint64_t offset, struct notes_place *place)
{
	union { Elf32_Phdr narrow; Elf64_Phdr wide; } h;
	size_t size = file->wide ? sizeof(h.wide) : sizeof(h.narrow);

	if (!read_header(file, offset, ELF_T_PHDR, size, &h))
		return false;
	if (file->wide)
		*place = (struct notes_place){ h.wide.p_offset, h.wide.p_filesz, h.wide.p_align,
					       h.wide.p_type == PT_NOTE };
	else
		*place = (struct notes_place){ h.narrow.p_offset, h.narrow.p_filesz,
					       h.narrow.p_align, h.narrow.p_type == PT_NOTE };
	return true;
}

static bool section(const struct elf_file *file, uint64_t offset, struct notes_place *place)
{
	union { Elf32_Shdr narrow; Elf64_Shdr wide; } h;
	size_t size = file->wide ? sizeof(h.wide) : sizeof(h.narrow);

	if (!read_header(file, offset, ELF_T_SHDR, size, &h))
		return false;
	if (file->wide)
		*place = (struct notes_place){ h.wide.sh_offset, h.wide.sh_size,
					       h.wide.sh_addralign, h.wide.sh_type == SHT_NOTE };
	else
		*place = (struct notes_place){ h.narrow.sh_offset, h.narrow.sh_size,
					       h.narrow.sh_addralign,
					       h.narrow.sh_type == SHT_NOTE };
	return true;
}

/* Looks through a table of segments or sections for notes with a build-id; 1 or 0. */
static int search_table(const struct elf_file *file, uint64_t offset, uint16_t step, uint16_t n,
			bool (*entry)(const struct elf_file *, uint64_t, struct notes_place *),
			uint8_t id[ID_MAX], uint8_t *size)
{
	uint8_t *notes = offset && n ? malloc(NOTES_MAX) : NULL;
	struct notes_place place;
	int found = 0;

	if (!notes || offset > INT64_MAX) {
		free(notes);
		return 0;
	}
	for (uint32_t i = 0; !found && i < n; i++) {
		ssize_t length;

		if (!entry(file, offset + (uint64_t)i * step, &place))
			break;
		if (!place.are_notes || place.offset > INT64_MAX)
			continue;
		length = read_at(file->fd, notes,
				 place.size < NOTES_MAX ? (size_t)place.size : NOTES_MAX,
				 place.offset);
		if (length > 0)
			found = search_notes(notes, (size_t)length, place.align == 8 ? 8 : 4,
					     file->big, id, size);
	}
	free(notes);
	return found;
}

static int search_file(struct elf_file *file, uint8_t id[ID_MAX], uint8_t *size)
{
	union { Elf32_Ehdr narrow; Elf64_Ehdr wide; } h;
	uint8_t ident[EI_NIDENT];
	uint64_t phoff, shoff;
	uint16_t phstep, phnum, shstep, shnum;

	if (read_at(file->fd, ident, sizeof(ident), 0) != sizeof(ident) ||
	    memcmp(ident, ELFMAG, SELFMAG) || ident[EI_CLASS] - 1u > 1 || ident[EI_DATA] - 1u > 1)
		return 0;
	file->wide = ident[EI_CLASS] == ELFCLASS64;
	file->big = ident[EI_DATA] == ELFDATA2MSB;
	if (!read_header(file, 0, ELF_T_EHDR, file->wide ? sizeof(h.wide) : sizeof(h.narrow), &h))
		return 0;
	phoff = file->wide ? h.wide.e_phoff : h.narrow.e_phoff;
	phstep = file->wide ? h.wide.e_phentsize : h.narrow.e_phentsize;
	phnum = file->wide ? h.wide.e_phnum : h.narrow.e_phnum;
	shoff = file->wide ? h.wide.e_shoff : h.narrow.e_shoff;
	shstep = file->wide ? h.wide.e_shentsize : h.narrow.e_shentsize;
	shnum = file->wide ? h.wide.e_shnum : h.narrow.e_shnum;
	return search_table(file, phoff, phstep, phnum, segment, id, size) ||
	       search_table(file, shoff, shstep, shnum, section, id, size);
}

/*
 * Opens a regular file and nothing else: a device may act on being opened, and a fifo would
 * wait.  A descriptor, or -1 and errno.
 */
static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -1;
	if (S_ISREG(st.st_mode)) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
			return fd;
		close(fd);
	}
	errno = S_ISDIR(st.st_mode) ? EISDIR : ENOEXEC;
	return -1;
}

int pp_elf_build_id(const char *path, uint8_t id[20], uint8_t *size)
{
	struct elf_file file = { .fd = open_regular(path) };
	int found = 0;

	if (file.fd < 0)
		return -1;
	if (elf_version(EV_CURRENT) != EV_NONE)
		found = search_file(&file, id, size);
	close(file.fd);
	return found;
}

int pp_notes_build_id(const void *notes, size_t length, uint8_t id[20], uint8_t *size)
{
	return search_notes(notes, length, 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, id, size);
}

/* The build-id in a file of sysfs that is nothing but notes; as pp_elf_build_id. */
static int notes_file(const char *path, uint8_t id[ID_MAX], uint8_t *size)
{
	uint8_t notes[4096];
	ssize_t length;
	int fd = open_regular(path);

	if (fd < 0)
		return -1;
	length = read_at(fd, notes, sizeof(notes), 0);
	close(fd);
	return length < 0 ? -1 : pp_notes_build_id(notes, (size_t)length, id, size);
}

int pp_kernel_build_id(uint8_t id[20], uint8_t *size)
{
	return notes_file("/sys/kernel/notes", id, size);
}

int pp_module_build_id(const char *module, uint8_t id[20], uint8_t *size)
{
	char path[128];
	int n = snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);

	if (*module == '.' || strchr(module, '/') || n >= (int)sizeof(path)) {
		errno = ENOENT;
		return -1;
	}
	for (char *p = path + strlen("/sys/module/"); *p && *p != '/'; p++)
		if (*p == '-')
			*p = '_';
	return notes_file(path, id, size);
}

int pp_vdso_build_id(uint8_t id[20], uint8_t *size)
{
	const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) header;
	ElfW(Phdr) segment_header;

	if (!vdso)
		return 0;
	memcpy(&header, vdso, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		memcpy(&segment_header, vdso + header.e_phoff + i * sizeof(segment_header),
		       sizeof(segment_header));
		if (segment_header.p_type == PT_NOTE &&
		    pp_notes_build_id(vdso + segment_header.p_offset, segment_header.p_filesz, id,
				      size))
			return 1;
	}
	return 0;
}
