/* ring.c - the kernel's ring buffers: mapped, read without copying, given back. */
#include "capture.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int pp_ring_map(struct pp_ring *ring, int fd, uint32_t cpu, uint64_t *bytes, struct pp_error *error)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *base;

	for (;;) {
		base = mmap(NULL, page + *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (base != MAP_FAILED)
			break;
		/* Locked memory is limited for users; a smaller ring does as well. */
		if ((errno != EPERM && errno != ENOMEM) || *bytes / 2 < page)
			return pp_fail_os(error, "cannot map a buffer of %llu KiB",
					  (unsigned long long)*bytes / 1024);
		*bytes /= 2;
	}
	ring->cpu = cpu;
	ring->page = base;
	ring->data = (const uint8_t *)base + page;
	ring->size = *bytes;
	return 0;
}

/* Hops from header to header: nothing else of the records is looked at. */
static void count(const struct pp_ring *ring, uint64_t head, struct pp_capture_stats *stats)
{
	const uint64_t mask = ring->size - 1;

	for (uint64_t at = ring->tail; at < head;) {
		/* Records are multiples of 8, so neither a header nor a u64 wraps. */
		const uint8_t *const header = ring->data + (at & mask);
		const uint32_t type = pp_load32(header);
		const uint16_t size = pp_load16(header + 6);

		if (size < PP_HEADER_SIZE)
			return;
		stats->records++;
		if (type == PP_REC_SAMPLE)
			stats->samples++;
		else if (type == PP_REC_LOST)
			stats->overruns += pp_load64(ring->data + ((at + 16) & mask));
		at += size;
	}
}

static int hand_on(const uint8_t *data, size_t size, struct pp_writer *w, struct pp_compressor *z,
		   struct pp_error *error)
{
	if (!size)
		return 0;
	if (z)
		return pp_compressor_put(z, data, size, error);
	if (!pp_writer_put(w, data, size))
		return 0;
	errno = pp_writer_os(w);
	return pp_fail_output(error);
}

int pp_ring_read(struct pp_ring *ring, struct pp_writer *w, struct pp_compressor *z,
		 struct pp_capture_stats *stats, struct pp_error *error)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t at = ring->tail & (ring->size - 1);
	const uint64_t size = head - ring->tail;
	const uint64_t first = size < ring->size - at ? size : ring->size - at;

	if (!size)
		return 0;
	count(ring, head, stats);
	if (hand_on(ring->data + at, first, w, z, error) ||
	    hand_on(ring->data, size - first, w, z, error))
		return -1;
	ring->tail = head;
	return 1;
}

uint64_t pp_ring_used(const struct pp_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED) - ring->tail;
}

void pp_ring_release(struct pp_ring *ring)
{
	if (ring->told == ring->tail)
		return;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	ring->told = ring->tail;
}

void pp_rings_free(struct pp_rings *rings)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < rings->n; i++)
		(void)munmap(rings->items[i].page, page + rings->items[i].size);
}
