/* map_ring.c - maps one of the kernel's ring buffers, and gives its memory back. */
#include "rings/rings.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int pp_ring_map(struct pp_ring *ring, int fd, uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	/* Where only the kernel may write, it waits for no reader, and overwrites. */
	const int protection = PROT_READ | (ring->backward ? 0 : PROT_WRITE);
	void *const base = mmap(NULL, page + bytes, protection, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	ring->page = base;
	ring->bytes = ring->data = (const uint8_t *)base + page;
	ring->size = ring->span = bytes;
	return 0;
}

void pp_ring_put_back(struct pp_ring *ring)
{
	if (!ring->set_aside)
		return;
	(void)munmap((void *)(uintptr_t)ring->data, ring->span);
	ring->data = ring->bytes;
	ring->span = ring->size;
	ring->set_aside = 0;
}

void pp_ring_unmap(struct pp_ring *ring)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	pp_copy_close(ring);
	pp_ring_put_back(ring);
	(void)munmap(ring->page, page + ring->size);
	free(ring->joined);
}
