/* heat.c - when there were which stacks: weights by short spans of time and nodes of a profile. */
#include "profile/heat.h"

#include "base/table.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

enum { A_YEAR = 366 * 24 * 3600, ROWS_MOST = 1000 };

struct pp_heat {
	unsigned rows;
	bool begun;
	uint64_t origin;              /* a whole second */
	uint64_t last_bin;
	struct pp_idmap weights;      /* by bin and node */
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
	if (h)
		pp_idmap_close(&h->weights);
	free(h);
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

int pp_heat_add(struct pp_heat *h, uint64_t time, uint32_t node, uint64_t weight, struct pp_error *error)
{
	uint64_t since, bin, key, *sum;

	if (!h->begun)
		h->origin = time - time % SECOND;
	h->begun = true;
	since = time > h->origin ? time - h->origin : 0;
	if (since / SECOND >= A_YEAR)
		since = A_YEAR * SECOND - 1;
	/* Two steps, so that nothing overflows. */
	bin = since / SECOND * h->rows + since % SECOND * h->rows / SECOND;
	if (bin > UINT32_MAX)
		bin = UINT32_MAX;
	key = bin << 32 | node;
	if (key == UINT64_MAX)
		return 0;
	sum = pp_idmap_find(&h->weights, key);
	if (sum)
		*sum = add_up(*sum, weight);
	else if (pp_idmap_set(&h->weights, key, weight))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

int pp_heat_renumber(struct pp_heat *h, const uint32_t *places, struct pp_error *error)
{
	struct pp_idmap renumbered = { 0 };

	for (size_t i = 0; i < h->weights.room; i++) {
		const uint64_t key = h->weights.keys[i];
		const uint64_t to = (key & ~(uint64_t)UINT32_MAX) | places[key == UINT64_MAX ? 0 : (uint32_t)key];
		uint64_t *const sum = key == UINT64_MAX ? NULL : pp_idmap_find(&renumbered, to);

		if (key == UINT64_MAX)
			continue;
		if (sum)
			*sum = add_up(*sum, h->weights.values[i]);
		else if (pp_idmap_set(&renumbered, to, h->weights.values[i])) {
			pp_idmap_close(&renumbered);
			return pp_fail(error, PP_E_NOMEM, NULL);
		}
	}
	pp_idmap_close(&h->weights);
	h->weights = renumbered;
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct pp_heat_cell *const x = a, *const y = b;

	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

struct pp_heat_cell *pp_heat_cells(const struct pp_heat *h, size_t *n, struct pp_error *error)
{
	struct pp_heat_cell *const cells = calloc(h->weights.count, sizeof(*cells));

	*n = 0;
	if (!h->weights.count || !cells) {
		if (h->weights.count)
			(void)pp_fail(error, PP_E_NOMEM, NULL);
		free(cells);
		return NULL;
	}
	for (size_t i = 0; i < h->weights.room; i++)
		if (h->weights.keys[i] != UINT64_MAX)
			cells[(*n)++] = (struct pp_heat_cell){ (uint32_t)(h->weights.keys[i] >> 32),
							       (uint32_t)h->weights.keys[i],
							       h->weights.values[i] };
	qsort(cells, *n, sizeof(*cells), in_order);
	return cells;
}

unsigned pp_heat_rows(const struct pp_heat *h)
{
	return h->rows;
}

uint64_t pp_heat_origin(const struct pp_heat *h)
{
	return h->origin;
}
