/* heat.c - when there were which stacks: weights by short spans of time and nodes of a profile. */
#include "profile/heat.h"

#include "base/grow.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

enum { A_YEAR = 366 * 24 * 3600, ROWS_MOST = 1000 };

struct pp_heat {
	unsigned rows;
	bool begun, disordered;
	uint64_t origin;              /* a whole second */
	struct pp_heat_cell *cells;   /* as they came: mostly in the order of time */
	size_t n, room;
	size_t *last;                 /* by node: 1 + its last cell */
	size_t nodes;
};

struct pp_heat *pp_heat_new(unsigned rows)
{
	struct pp_heat *const h = calloc(1, sizeof(*h));

	if (h)
		h->rows = !rows ? 1 : rows > ROWS_MOST ? ROWS_MOST : rows;
	return h;
}

void pp_heat_free(struct pp_heat *h)
{
	if (!h)
		return;
	free(h->cells);
	free(h->last);
	free(h);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static uint32_t bin_of(struct pp_heat *h, uint64_t time)
{
	uint64_t since, bin;

	if (!h->begun)
		h->origin = time - time % SECOND;
	h->begun = true;
	since = time > h->origin ? time - h->origin : 0;
	if (since / SECOND >= A_YEAR)
		since = A_YEAR * SECOND - 1;
	/* Two steps, so that nothing overflows. */
	bin = since / SECOND * h->rows + since % SECOND * h->rows / SECOND;
	return bin > UINT32_MAX ? UINT32_MAX : (uint32_t)bin;
}

int pp_heat_add(struct pp_heat *h, uint64_t time, uint32_t node, uint64_t weight, struct pp_error *error)
{
	const uint32_t bin = bin_of(h, time);
	struct pp_heat_cell *last;

	if (PP_GROW_ZEROED(&h->last, &h->nodes, (size_t)node + 1, error))
		return -1;
	last = h->last[node] ? &h->cells[h->last[node] - 1] : NULL;
	if (last && last->bin == bin) {
		last->weight = add_up(last->weight, weight);
		return 0;
	}
	if (PP_GROW(&h->cells, &h->room, h->n + 1, error))
		return -1;
	h->disordered |= h->n && h->cells[h->n - 1].bin > bin;
	h->cells[h->n++] = (struct pp_heat_cell){ bin, node, weight };
	h->last[node] = h->n;
	return 0;
}

void pp_heat_renumber(struct pp_heat *h, const uint32_t *places)
{
	for (size_t i = 0; i < h->n; i++)
		h->cells[i].node = places[h->cells[i].node];
	free(h->last);
	h->last = NULL;
	h->nodes = 0;
}

static int by_bin(const void *a, const void *b)
{
	const struct pp_heat_cell *const x = a, *const y = b;

	return (x->bin > y->bin) - (x->bin < y->bin);
}

static int by_node(const void *a, const void *b)
{
	const struct pp_heat_cell *const x = a, *const y = b;

	return (x->node > y->node) - (x->node < y->node);
}

const struct pp_heat_cell *pp_heat_cells(struct pp_heat *h, const uint32_t *places, size_t *n)
{
	size_t kept = 0;

	if (h->disordered)
		qsort(h->cells, h->n, sizeof(*h->cells), by_bin);
	h->disordered = false;
	pp_heat_renumber(h, places);
	for (size_t from = 0, to; from < h->n; from = to) {
		const size_t first = kept;

		for (to = from; to < h->n && h->cells[to].bin == h->cells[from].bin; to++)
			;
		qsort(&h->cells[from], to - from, sizeof(*h->cells), by_node);
		for (size_t i = from; i < to; i++) {
			if (kept > first && h->cells[kept - 1].node == h->cells[i].node)
				h->cells[kept - 1].weight = add_up(h->cells[kept - 1].weight,
								   h->cells[i].weight);
			else
				h->cells[kept++] = h->cells[i];
		}
	}
	*n = h->n = kept;
	return h->cells;
}

unsigned pp_heat_rows(const struct pp_heat *h)
{
	return h->rows;
}

uint64_t pp_heat_origin(const struct pp_heat *h)
{
	return h->origin;
}
