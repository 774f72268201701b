/*
 * set_aside.c - room in the kernel's rings while their reader waits for an answer.
 *
 * A record that waits for a build-id stays where it is, and so does all that the kernel writes after it.
 * On a busy machine the process that is asked may not run for some milliseconds, in which a CPU fills
 * megabytes.  What is in a ring that fills is copied to memory then, and read there.  The pass that
 * comes to the end of the copy ends no round: by then there may be more in the ring.
 */
#include "rings/rings.h"

#include <sys/mman.h>

enum {
	FULL_AT = 4,                  /* a ring of which such a part is full is copied */
	MOST = 64 * 1024 * 1024,      /* bytes, of a ring: beyond that the kernel counts what it drops */
};

/* Bytes of the positions from `at` to `end`, from memory of one size to that of another: powers of two. */
static void copy_bytes(const uint8_t *from, uint64_t from_size, uint8_t *to, uint64_t to_size, uint64_t at,
		       uint64_t end)
{
	while (at < end) {
		const uint64_t source = at & (from_size - 1), target = at & (to_size - 1);
		uint64_t n = end - at;

		n = n < from_size - source ? n : from_size - source;
		n = n < to_size - target ? n : to_size - target;
		memcpy(to + target, from + source, n);
		at += n;
	}
}

/* Memory for all that is not read up to `head`, with what was copied already.  NULL: there is none. */
static uint8_t *make_room(struct pp_ring *ring, uint64_t head)
{
	const uint64_t need = head - ring->tail, copied = ring->set_aside;
	uint64_t span = 4 * ring->size;
	uint8_t *to;

	if (copied && need <= ring->span)
		return (uint8_t *)(uintptr_t)ring->data;
	while (span < 2 * need)
		span *= 2;
	to = span > MOST ? MAP_FAILED : mmap(NULL, span, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return NULL;
	if (copied)
		copy_bytes(ring->data, ring->span, to, span, ring->tail, copied);
	pp_ring_put_back(ring);
	ring->data = to;
	ring->span = span;
	ring->set_aside = copied ? copied : ring->tail;
	return to;
}

static void set_ring_aside(struct pp_ring *ring)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint8_t *const to = make_room(ring, head);

	if (!to)
		return;
	copy_bytes(ring->bytes, ring->size, to, ring->span, ring->set_aside, head);
	ring->set_aside = head;
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static bool wants_room(const struct pp_ring *ring)
{
	const uint64_t from = ring->set_aside ? ring->set_aside : ring->tail;

	/* what threads copy has room elsewhere */
	return !ring->backward && !ring->copy &&
	       __atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED) - from >= ring->size / FULL_AT;
}

bool pp_rings_want_room(const struct pp_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (wants_room(&r->items[i]))
			return true;
	return false;
}

void pp_rings_set_aside(struct pp_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (wants_room(&r->items[i]))
			set_ring_aside(&r->items[i]);
}
