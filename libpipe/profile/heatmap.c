/* heatmap.c - when there were which stacks: weights by short spans of time and nodes of a profile. */
#include "profile/heatmap.h"

#include "base/array.h"
#include "base/format_number.h"
#include "base/hash.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

enum { A_YEAR = 366 * 24 * 3600, ROWS_MOST = 1000 };

struct pp_heat {
	unsigned rows;
	bool begun, disordered;
	uint64_t origin;              /* a whole second */
	struct { uint64_t from, length; uint32_t bin; } span;   /* of the last time */
	struct pp_heat_cell *cells;   /* as they came: mostly in the order of time */
	size_t n, room;
	struct pp_idmap last;         /* by node, of which few have any: its last cell */
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
	pp_idmap_close(&h->last);
	free(h);
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* A row begins so many ns after its second. */
static uint64_t begin_of(const struct pp_heat *h, uint64_t row)
{
	return (row * SECOND + h->rows - 1) / h->rows;
}

static void find_span(struct pp_heat *h, uint64_t time)
{
	uint64_t since, second, row, bin;

	if (!h->begun)
		h->origin = time - time % SECOND;
	h->begun = true;
	since = time > h->origin ? time - h->origin : 0;
	if (since / SECOND >= A_YEAR)
		since = A_YEAR * SECOND - 1;
	/* Two steps, so that nothing overflows. */
	second = since / SECOND;
	row = since % SECOND * h->rows / SECOND;
	bin = second * h->rows + row;
	h->span.from = h->origin + second * SECOND + begin_of(h, row);
	h->span.length = begin_of(h, row + 1) - begin_of(h, row);
	h->span.bin = bin > UINT32_MAX ? UINT32_MAX : (uint32_t)bin;
}

static uint32_t bin_of(struct pp_heat *h, uint64_t time)
{
	if (time - h->span.from >= h->span.length)
		find_span(h, time);
	return h->span.bin;
}

int pp_heat_add(struct pp_heat *h, uint64_t time, uint32_t node, uint64_t weight, struct pp_error *error)
{
	const uint32_t bin = bin_of(h, time);
	uint64_t *const known = pp_idmap_find(&h->last, node);
	struct pp_heat_cell *const last = known ? &h->cells[*known] : NULL;

	if (last && last->bin == bin) {
		last->weight = add_bounded(last->weight, weight);
		return 0;
	}
	if (PP_GROW(&h->cells, &h->room, h->n + 1, error))
		return -1;
	h->disordered |= h->n && h->cells[h->n - 1].bin > bin;
	if (known)
		*known = h->n;
	else if (pp_idmap_set(&h->last, node, h->n))
		return pp_fail(error, PP_E_NOMEM, NULL);
	h->cells[h->n++] = (struct pp_heat_cell){ bin, node, weight };
	return 0;
}

void pp_heat_clear(struct pp_heat *h)
{
	pp_idmap_close(&h->last);
	h->n = 0;
	h->begun = h->disordered = false;
	h->span.length = 0;
}

/* false: its node was left out. */
static bool move_cell(struct pp_heat_cell *cell, const uint32_t *places)
{
	const uint32_t place = places[cell->node];

	if (!place && cell->node)
		return false;
	cell->node = place;
	return true;
}

void pp_heat_renumber(struct pp_heat *h, const uint32_t *places)
{
	size_t i = 0, kept;

	/* mostly nothing was left out */
	while (i < h->n && move_cell(&h->cells[i], places))
		i++;
	for (kept = i; i < h->n; i++)
		if (move_cell(&h->cells[i], places))
			h->cells[kept++] = h->cells[i];
	h->n = kept;
	pp_idmap_close(&h->last);
}

static int by_bin(const void *a, const void *b)
{
	const struct pp_heat_cell *const x = a, *const y = b;

	return (x->bin > y->bin) - (x->bin < y->bin);
}

/* The nodes of one bin: what each weighs, and which there are, as bits, and as bits of words of those. */
struct heat_tally {
	uint64_t *weights;
	uint64_t *nodes, *words;
	size_t n_words;
};

static void close_tally(struct heat_tally *t)
{
	free(t->weights);
	free(t->nodes);
	free(t->words);
}

static int open_tally(struct heat_tally *t, uint32_t most, struct pp_error *error)
{
	const size_t nodes = most / 64 + 1;

	t->n_words = nodes / 64 + 1;
	t->weights = calloc((size_t)most + 1, sizeof(*t->weights));
	t->nodes = calloc(nodes, sizeof(*t->nodes));
	t->words = calloc(t->n_words, sizeof(*t->words));
	if (t->weights && t->nodes && t->words)
		return 0;
	close_tally(t);
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static void tally_cell(struct heat_tally *t, const struct pp_heat_cell *cell)
{
	t->weights[cell->node] = add_bounded(t->weights[cell->node], cell->weight);
	t->nodes[cell->node / 64] |= UINT64_C(1) << cell->node % 64;
	t->words[cell->node / 4096] |= UINT64_C(1) << cell->node / 64 % 64;
}

/* Makes cells of what was tallied, by node, and empties it; how many they are. */
static size_t take_cells(struct heat_tally *t, uint32_t bin, struct pp_heat_cell *cells)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_words; i++)
		for (; t->words[i]; t->words[i] &= t->words[i] - 1) {
			const size_t word = i * 64 + (size_t)__builtin_ctzll(t->words[i]);

			for (; t->nodes[word]; t->nodes[word] &= t->nodes[word] - 1) {
				const size_t node = word * 64 + (size_t)__builtin_ctzll(t->nodes[word]);

				cells[n++] = (struct pp_heat_cell){ bin, (uint32_t)node, t->weights[node] };
				t->weights[node] = 0;
			}
		}
	return n;
}

int pp_heat_settle(struct pp_heat *h, const uint32_t *places, uint32_t most, struct pp_error *error)
{
	struct heat_tally tally;
	size_t kept = 0;

	if (open_tally(&tally, most, error))
		return -1;
	if (h->disordered)
		qsort(h->cells, h->n, sizeof(*h->cells), by_bin);
	h->disordered = false;
	pp_heat_renumber(h, places);
	for (size_t at = 0; at < h->n;) {
		const uint32_t bin = h->cells[at].bin;

		while (at < h->n && h->cells[at].bin == bin)
			tally_cell(&tally, &h->cells[at++]);
		kept += take_cells(&tally, bin, &h->cells[kept]);
	}
	h->n = kept;
	close_tally(&tally);
	return 0;
}

const struct pp_heat_cell *pp_heat_cells(const struct pp_heat *h, size_t *n)
{
	*n = h->n;
	return h->cells;
}

uint64_t pp_heat_bins(const struct pp_heat *h)
{
	return h->n ? UINT64_C(1) + h->cells[h->n - 1].bin : 0;
}

uint64_t pp_heat_grain(const struct pp_heat *h)
{
	uint64_t grain = 0;

	for (size_t i = 0; i < h->n && grain != 1; i++)
		grain = pp_common_part(grain, h->cells[i].weight);
	return grain ? grain : 1;
}

unsigned pp_heat_rows(const struct pp_heat *h)
{
	return h->rows;
}

uint64_t pp_heat_origin(const struct pp_heat *h)
{
	return h->origin;
}
