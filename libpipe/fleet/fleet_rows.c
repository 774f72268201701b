/* fleet_rows.c - keeps samples of a fleet until the recording has ended. */
#include "fleet/fleet_rows.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 256 * 1024 };           /* of the spool's buffer */

static const struct block_column { size_t at, width; } block_columns[] = {
	{ offsetof(struct fleet_block, times), sizeof(uint64_t) },
	{ offsetof(struct fleet_block, weights), sizeof(uint64_t) },
	{ offsetof(struct fleet_block, events), sizeof(uint32_t) },
	{ offsetof(struct fleet_block, threads), sizeof(uint32_t) },
	{ offsetof(struct fleet_block, nodes), sizeof(uint32_t) },
	{ offsetof(struct fleet_block, cpus), sizeof(uint32_t) },
	{ offsetof(struct fleet_block, groups), sizeof(uint32_t) },
};
enum { COLUMNS = sizeof(block_columns) / sizeof(*block_columns) };

/* What a block begins with in the spool. */
struct rows_head {
	uint32_t n;
	uint32_t same;                /* bits of the columns that have one value for all rows */
};

int pp_fleet_rows_open(struct fleet_rows *rows)
{
	return pp_spool_open(&rows->spool, ROOM);
}

void pp_fleet_rows_close(struct fleet_rows *rows)
{
	pp_spool_close(&rows->spool);
	free(rows->ends);
	rows->ends = NULL;
}

static size_t column_size(const struct rows_head *head, unsigned i)
{
	return block_columns[i].width * (head->same >> i & 1 ? 1 : head->n);
}

int pp_fleet_rows_end_block(struct fleet_rows *rows, struct pp_error *error)
{
	const uint8_t *const block = (const uint8_t *)&rows->block;
	struct rows_head head = { .n = (uint32_t)rows->block.n };

	if (!head.n)
		return 0;
	for (unsigned i = 0; i < COLUMNS; i++) {
		const uint8_t *const from = block + block_columns[i].at;
		const size_t width = block_columns[i].width;

		head.same |= (uint32_t)!memcmp(from, from + width, (head.n - 1) * width) << i;
	}
	if (pp_spool_write(&rows->spool, &head, sizeof(head), error))
		return -1;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (pp_spool_write(&rows->spool, block + block_columns[i].at, column_size(&head, i), error))
			return -1;
	if (PP_GROW(&rows->ends, &rows->room, rows->n + 1, error))
		return -1;
	rows->ends[rows->n++] = pp_spool_end(&rows->spool);
	rows->block.n = 0;
	return 0;
}

/* One value for all rows: what is filled is copied until it is twice as long. */
static void fill_column(uint8_t *column, size_t width, const uint8_t *from)
{
	_Static_assert(!(FLEET_ROWS & (FLEET_ROWS - 1)), "what is twice as long in the end is all");

	memcpy(column, from, width);
	for (size_t done = width; done < FLEET_ROWS * width; done *= 2)
		memcpy(column + done, column, done);
}

int pp_fleet_rows_read(struct fleet_rows *rows, size_t i, struct fleet_block *block, struct pp_error *error)
{
	uint8_t stored[sizeof(struct rows_head) + sizeof(struct fleet_block)], *from = stored;
	const uint64_t at = i ? rows->ends[i - 1] : 0;
	struct rows_head head;

	if (pp_spool_read(&rows->spool, at, stored, (size_t)(rows->ends[i] - at), error))
		return -1;
	memcpy(&head, from, sizeof(head));
	from += sizeof(head);
	block->n = head.n;
	for (unsigned k = 0; k < COLUMNS; k++) {
		uint8_t *const column = (uint8_t *)block + block_columns[k].at;
		const size_t size = column_size(&head, k);

		if (head.same >> k & 1)
			fill_column(column, block_columns[k].width, from);
		else
			memcpy(column, from, size);
		from += size;
	}
	return 0;
}
