/*
 * overwrite_rings.c - rings that the kernel writes round and round, from their end: which events write
 * so, and what is in them when a snapshot is taken.
 *
 * In such a ring no room is given back: it holds the last of what was written, newest first.  What
 * tells of tasks is in other rings, which are read as always, so that samples keep their names; but no
 * round ends before a snapshot, whose samples are older than much of that.
 */
#include "rings/rings.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool pp_overwrite_choose(struct pp_events *events, bool all)
{
	bool any = false;

	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &events->items[i];
		const bool own = e->own.given & PP_TERM_OVERWRITE;

		e->attr.write_backward = !pp_event_is_dummy(e) && (own ? e->own.overwrite : all);
		any |= e->attr.write_backward;
	}
	return any;
}

int pp_overwrite_open(struct pp_rings *r, struct pp_error *error)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].backward && r->items[i].size > most)
			most = r->items[i].size;
	if (!most)
		return 0;
	r->turned = malloc(most);
	return r->turned ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/*
 * Copies what was written since the last snapshot and is still whole, oldest first, to the end of
 * `to`, which has room for a ring.  How many bytes there are.  What is beyond the last whole record
 * is the rest of one that was overwritten, or was never written, and then zero.
 */
static uint64_t turn(const struct pp_ring *ring, uint64_t head, uint8_t *to)
{
	const uint64_t mask = ring->size - 1;
	const uint64_t written = ring->tail - head;
	const uint64_t most = written < ring->size ? written : ring->size;
	uint64_t used = 0;

	while (most - used >= PP_HEADER_SIZE) {
		const uint64_t at = head + used;
		const uint16_t size = pp_load16(ring->data + (at & mask) + 6);

		if (size < PP_HEADER_SIZE || size > most - used)
			break;
		used += size;
		pp_ring_copy(ring, at, to + ring->size - used, size);
	}
	return used;
}

static int snapshot_of_ring(struct pp_rings *r, struct pp_ring *ring, struct pp_error *error)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t used = turn(ring, head, r->turned);
	/* From here on they are records in a ring like others. */
	struct pp_ring turned = { .data = r->turned + ring->size - used, .span = ring->size };

	/* The kernel is not told: its page is not ours to write to. */
	ring->tail = ring->told = head;
	return pp_ring_read_until(r, &turned, used, error) || pp_rings_release(r, error) ? -1 : 0;
}

static int pause_all(const struct pp_rings *r, bool on, struct pp_error *error)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].backward &&
		    ioctl(r->items[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, (unsigned long)on))
			return pp_fail_os(error, "cannot %s a buffer for a snapshot",
					  on ? "pause" : "resume");
	/* The kernel writes records as readers of RCU, for which this waits: none is half written then. */
	if (on)
		(void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return 0;
}

static int end_snapshot_round(struct pp_rings *r, struct pp_error *error)
{
	if (r->sink.round && r->sink.round(r->sink.arg, error))
		return -1;
	return pp_rings_release(r, error);
}

/* What tells of tasks is read twice, and ends a round each time: the second lets go of the first, and
 * while no samples are written none can come that is older. */
static int read_all(struct pp_rings *r, struct pp_error *error)
{
	if (pp_rings_read(r, error) || pp_rings_release(r, error))
		return -1;
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].backward && snapshot_of_ring(r, &r->items[i], error))
			return -1;
	return end_snapshot_round(r, error) || pp_rings_read(r, error) ||
	       end_snapshot_round(r, error) ? -1 : 0;
}

int pp_overwrite_snapshot(struct pp_rings *r, struct pp_error *error)
{
	return pause_all(r, true, error) || read_all(r, error) || pause_all(r, false, error) ? -1 : 0;
}
