/* ring.c - the kernel's ring buffers: mapped, read without copying, given back. */
#include "capture/capture.h"

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

static int hand_on(const uint8_t *data, size_t size, struct pp_writer *w, struct pp_compressor *z,
		   struct pp_error *error)
{
	if (!size)
		return 0;
	if (z)
		return pp_compressor_put(z, data, size, error);
	return pp_writer_put(w, data, size, error);
}

static int hand_on_until(struct pp_ring *ring, uint64_t end, struct pp_writer *w,
			 struct pp_compressor *z, struct pp_error *error)
{
	const uint64_t at = ring->tail & (ring->size - 1), size = end - ring->tail;
	const uint64_t first = size < ring->size - at ? size : ring->size - at;

	ring->tail = end;
	return hand_on(ring->data + at, first, w, z, error) ||
	       hand_on(ring->data, size - first, w, z, error) ? -1 : 0;
}

/*
 * Linux (6.18 is one) sets this bit in the MMAP2 records of every recorder once it has set it for
 * one that asked for build-ids: perf_event_mmap_output() does not take it back.  What would then
 * be read as a build-id is the device and inode, and perf 6.1 overruns its stack.
 */
static bool is_mismarked(const struct pp_ring *ring, const uint8_t *header)
{
	return !ring->build_ids && pp_load16(header + 4) & PP_MISC_MMAP_BUILD_ID;
}

/* All before the record at `at`, and that record's header without the mark. */
static int hand_on_unmarked(struct pp_ring *ring, uint64_t at, struct pp_writer *w,
			    struct pp_compressor *z, struct pp_error *error)
{
	uint8_t header[PP_HEADER_SIZE];

	if (hand_on_until(ring, at, w, z, error))
		return -1;
	memcpy(header, ring->data + (at & (ring->size - 1)), sizeof(header));
	pp_store16(header + 4, pp_load16(header + 4) & (uint16_t)~PP_MISC_MMAP_BUILD_ID);
	ring->tail += sizeof(header);
	if (z)
		return pp_compressor_put(z, header, sizeof(header), error);
	return pp_writer_copy(w, header, sizeof(header), error);
}

int pp_ring_read(struct pp_ring *ring, struct pp_writer *w, struct pp_compressor *z,
		 struct pp_capture_stats *stats, struct pp_error *error)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t mask = ring->size - 1;

	if (head == ring->tail)
		return 0;
	/* Hops from header to header: little else of the records is looked at. */
	for (uint64_t at = ring->tail; at < head;) {
		/* Records are multiples of 8, so neither a header nor a u64 wraps. */
		const uint8_t *const header = ring->data + (at & mask);
		const uint32_t type = pp_load32(header);
		const uint16_t size = pp_load16(header + 6);

		if (size < PP_HEADER_SIZE)
			break;
		stats->records++;
		if (type == PP_REC_SAMPLE)
			stats->samples++;
		else if (type == PP_REC_LOST)
			stats->overruns += pp_load64(ring->data + ((at + 16) & mask));
		else if (type == PP_REC_MMAP2 && is_mismarked(ring, header) &&
			 hand_on_unmarked(ring, at, w, z, error))
			return -1;
		at += size;
	}
	return hand_on_until(ring, head, w, z, error) ? -1 : 1;
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
