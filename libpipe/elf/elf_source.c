/* elf_source.c - reads bytes of an ELF file, or of one that is in memory; holes of a file take no time. */
#include "elf/elf_reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spool.h"

enum { HOLES_FROM = 1 << 20 };        /* reads of more than this ask where the file has blocks */

int pp_elf_source_of(struct pp_elf_source *s, int fd)
{
	struct stat st;

	*s = (struct pp_elf_source){ .fd = fd };
	if (fstat(fd, &st))
		return -1;
	s->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	return 0;
}

/* The next bytes that a file has blocks for, from `at` on and before `end`; a file system that does not say
 * has all.  False: there are none. */
static bool next_data(int fd, uint64_t at, uint64_t end, uint64_t *from, uint64_t *to)
{
	const off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	off_t hole;

	*from = at;
	*to = end;
	if (data < 0)
		return errno != ENXIO;
	if ((uint64_t)data >= end)
		return false;
	*from = (uint64_t)data;
	hole = lseek(fd, data, SEEK_HOLE);
	if (hole > data && (uint64_t)hole < end)
		*to = (uint64_t)hole;
	return true;
}

/* Of a large part of a file: as pp_elf_source_read(). */
static int64_t read_data(int fd, uint8_t *to, uint64_t size, uint64_t offset)
{
	uint64_t at = offset, from, end;
	struct stat st;

	while (at < offset + size && next_data(fd, at, offset + size, &from, &end)) {
		const ssize_t n = pp_read_up_to(fd, to + (from - offset), (size_t)(end - from), from);

		if (n < 0)
			return -1;
		if ((uint64_t)n < end - from)
			return (int64_t)(from - offset) + n;
		at = end;
	}
	/* a hole at the end, or the end itself, which came nearer */
	if (at < offset + size && fstat(fd, &st))
		return -1;
	if (at < offset + size && (uint64_t)st.st_size < offset + size)
		return (uint64_t)st.st_size > offset ? (int64_t)((uint64_t)st.st_size - offset) : 0;
	return (int64_t)size;
}

int64_t pp_elf_source_read(const struct pp_elf_source *s, void *to, uint64_t size, uint64_t offset)
{
	if (offset >= s->size || offset > INT64_MAX)
		return 0;
	if (size > s->size - offset)
		size = s->size - offset;
	if (s->fd >= 0)
		return size > HOLES_FROM ? read_data(s->fd, to, size, offset) :
					   (int64_t)pp_read_up_to(s->fd, to, (size_t)size, offset);
	memcpy(to, s->memory + offset, (size_t)size);
	return (int64_t)size;
}
