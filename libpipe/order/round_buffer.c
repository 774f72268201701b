/*
 * round_buffer.c - memory for held records, in chunks, one after the other, each record with a small head
 * before it; and a file for tails that are too large for memory.
 */
#include "order/round_buffer.h"
#include "base/array.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
	BLOCK  = 2 << 20,		/* of chunks, where many are held: a page, if the kernel has such */
	SINGLE = 16,			/* chunks that are got one by one, before any block */
	PIECE  = 64 << 10,
};

void pp_hold_open(struct pp_hold *hold, bool in_time_order, bool thrifty, struct pp_writer *writer)
{
	*hold = (struct pp_hold){
		.in_time_order = in_time_order, .thrifty = thrifty, .writer = writer,
		.spill.fd = -1,
	};
}

/* So much, aligned to it, and no address more: malloc() would take twice as many. */
static void *map_block(size_t size)
{
	uint8_t *const map = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const size_t lead = -(uintptr_t)map & (size - 1);

	if (map == MAP_FAILED)
		return NULL;
	if (lead)
		munmap(map, lead);
	munmap(map + lead + size, size - lead);
	return map + lead;
}

static size_t block_size(const struct pp_hold *hold, size_t block)
{
	return block < SINGLE || hold->thrifty ? CHUNK : BLOCK;
}

void pp_hold_free_chunk(struct pp_hold *hold, struct chunk *chunk)
{
	struct chunk *last;

	if (!hold->thrifty || hold->n_blocks <= SINGLE) {
		chunk->next = hold->spare;
		hold->spare = chunk;
		return;
	}
	if (hold->borrowed)
		(void)pp_writer_flush(hold->writer, NULL);
	hold->borrowed = false;
	last = hold->blocks[--hold->n_blocks];
	last->block = chunk->block;
	hold->blocks[last->block] = last;
	munmap(chunk, CHUNK);
}

/*
 * Streams whose rounds are small are held in little memory.  Where they are large, most of the
 * time would go by in faults of small pages.  NULL: out of memory.
 */
static struct chunk *new_chunk(struct pp_hold *hold)
{
	const size_t size = block_size(hold, hold->n_blocks);
	uint8_t *block;

	if (PP_GROW(&hold->blocks, &hold->room_blocks, hold->n_blocks + 1, NULL))
		return NULL;
	block = map_block(size);
	if (!block)
		return NULL;
	/* before it is touched; where it is refused the pages are small */
	if (size == BLOCK)
		(void)madvise(block, size, MADV_HUGEPAGE);
	((struct chunk *)(void *)block)->block = hold->n_blocks;
	hold->blocks[hold->n_blocks++] = block;
	for (size_t at = size - CHUNK; at; at -= CHUNK)
		pp_hold_free_chunk(hold, (struct chunk *)(void *)(block + at));
	return (struct chunk *)(void *)block;
}

struct chunk *pp_hold_next_chunk(struct pp_hold *hold, struct pp_error *error)
{
	struct chunk *chunk = hold->spare;

	if (chunk && hold->borrowed) {
		/* A failure shows at the next write. */
		(void)pp_writer_flush(hold->writer, NULL);
		hold->borrowed = false;
	}
	if (chunk)
		hold->spare = chunk->next;
	else
		chunk = new_chunk(hold);
	if (!chunk) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	*chunk = (struct chunk){ .number = hold->filled++, .used = CHUNK_START, .block = chunk->block };
	if (!hold->front) {
		hold->front = chunk;
		hold->front_at = CHUNK_START;
	}
	if (hold->fill)
		hold->fill->next = chunk;
	if (hold->fill && !hold->fill->live && hold->in_time_order)
		pp_hold_free_chunk(hold, hold->fill);
	return hold->fill = chunk;
}

/* ---- tails that are too large for memory ---- */

void pp_hold_unspill(struct pp_hold *hold, const struct tail *tail)
{
	if (--hold->spilled)
		pp_spool_forget(&hold->spill, tail->at, tail->at + tail->size);
	else
		pp_spool_cut(&hold->spill, 0);
}

int pp_hold_tail(struct pp_hold *hold, struct held *h, struct pp_reader *reader,
		 struct pp_error *error)
{
	struct tail *const tail = tail_of(h);
	uint8_t *to = (uint8_t *)(tail + 1);
	uint64_t left = tail->size;
	const void *piece;
	size_t size;
	int got;

	if (tail->size > INLINE_TAIL) {
		if (!hold->piece && !(hold->piece = malloc(PIECE)))
			return pp_fail(error, PP_E_NOMEM, NULL);
		tail->at = pp_spool_end(&hold->spill);
		to = NULL;
	}
	while ((got = pp_reader_tail(reader, &piece, &size, error)) > 0) {
		if (!pp_fits(size, left))
			return pp_fail(error, PP_E_VALUE, "more tail than there is");
		left -= size;
		if (!to && pp_spool_write(&hold->spill, piece, size, error))
			return -1;
		if (to) {
			memcpy(to, piece, size);
			to += size;
		}
	}
	hold->spilled += !to;
	return got;
}

int pp_hold_piece(struct pp_hold *hold, const struct tail *tail, uint64_t done,
		      const void **piece, size_t *size, struct pp_error *error)
{
	const uint64_t left = tail->size - done;

	if (!left)
		return 0;
	*piece = (const uint8_t *)(tail + 1) + done;
	*size = (size_t)left;
	if (tail->at == NEVER)
		return 1;
	*piece = hold->piece;
	*size = left < PIECE ? (size_t)left : PIECE;
	return pp_spool_read(&hold->spill, tail->at + done, hold->piece, *size, error) ? -1 : 1;
}

void pp_hold_empty(struct pp_hold *hold)
{
	for (size_t i = 0; i < hold->n_blocks; i++)
		munmap(hold->blocks[i], block_size(hold, i));
	hold->n_blocks = 0;
	hold->fill = hold->spare = hold->front = NULL;
}

void pp_hold_close(struct pp_hold *hold)
{
	pp_hold_empty(hold);
	free(hold->blocks);
	free(hold->piece);
	pp_spool_close(&hold->spill);
}
