/* memory_files.h - files in memory with paths, for fuzz targets of what opens its input by a path. */
#ifndef MEMORY_FILES_H
#define MEMORY_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file { int fd; char path[32]; };

static inline void make_files(struct memory_file *files, int n)
{
	for (int i = 0; i < n; i++) {
		files[i].fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(files[i].path, sizeof(files[i].path), "/proc/self/fd/%d", files[i].fd);
		if (files[i].fd < 0)
			abort();
	}
}

/* From its beginning on, in place of what is in it. */
static inline void fill(const struct memory_file *file, const uint8_t *data, size_t size)
{
	if (ftruncate(file->fd, 0) || lseek(file->fd, 0, SEEK_SET) ||
	    pwrite(file->fd, data, size, 0) != (ssize_t)size)
		abort();
}

#endif
