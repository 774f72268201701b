/*
 * page_data.c - the numbers in a page: texts, functions, nodes, threads and cells as columns of varints,
 * one column after the other, deflated.  When cells take more than a page should, times become less exact,
 * and then light nodes are counted as their callers.
 */
#include "export/deflate_columns.h"
#include "export/flame_layout.h"
#include "export/page.h"

#include "base/format_number.h"
#include "base/varint.h"
#include "profile/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum page_column {
	TEXTS, FUNCTIONS, DEPTHS, NODE_FUNCTIONS, THREADS, CELL_TICKS, CELL_THREADS, CELL_NODES, CELL_WEIGHTS,
	SELF, SELF_AFTER,
};
_Static_assert(SELF_AFTER + 1 == PP_PAGE_COLUMNS, "each column has its size in the head");

/* ---- numbers ---- */

static int put(struct pp_buffer *b, uint64_t value, struct pp_error *error)
{
	uint8_t *const room = pp_buffer_room(b, PP_VARINT_MOST, error);

	if (!room)
		return -1;
	b->size = (size_t)(pp_put_varint(room, value) - b->data);
	return 0;
}

/* ---- texts ---- */

/* Texts, as they are shown, each once, and in the order of their bytes. */
struct texts {
	struct pp_buffer bytes;
	struct page_text {
		size_t at;
		uint32_t length;
		uint32_t place;       /* among those that were added */
	} *items;
	uint32_t *numbers;            /* by place */
	size_t n, room, distinct;
};

static int add_text(struct texts *t, const char *text, size_t length, struct pp_error *error)
{
	const size_t at = t->bytes.size;

	if (PP_GROW(&t->items, &t->room, t->n + 1, error) || pp_add_name(&t->bytes, text, length, error))
		return -1;
	t->items[t->n] = (struct page_text){ at, (uint32_t)(t->bytes.size - at), (uint32_t)t->n };
	t->n++;
	return 0;
}

static int by_bytes(const void *a, const void *b, void *arg)
{
	const struct texts *const t = arg;
	const struct page_text *const x = a, *const y = b;
	const uint32_t shorter = x->length < y->length ? x->length : y->length;
	const int d = shorter ? memcmp(t->bytes.data + x->at, t->bytes.data + y->at, shorter) : 0;

	return d ? d : (x->length > y->length) - (x->length < y->length);
}

/* As much of two texts as is the same. */
static uint32_t same_start(const struct texts *t, const struct page_text *a, const struct page_text *b)
{
	const uint8_t *const bytes = t->bytes.data;
	uint32_t n = 0;

	while (n < a->length && n < b->length && bytes[a->at + n] == bytes[b->at + n])
		n++;
	return n;
}

/* Numbers them, and adds each to the column: what it shares with the one before, and the rest. */
static int put_texts(struct texts *t, struct pp_buffer *to, struct pp_error *error)
{
	static const struct page_text none = { 0, 0, 0 };
	const struct page_text *before = &none;

	t->numbers = calloc(t->n + 1, sizeof(*t->numbers));
	if (!t->numbers)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (t->n)
		qsort_r(t->items, t->n, sizeof(*t->items), by_bytes, t);
	for (size_t i = 0; i < t->n; i++) {
		const struct page_text *const item = &t->items[i];
		const uint32_t same = same_start(t, before, item);

		if (!t->distinct || by_bytes(before, item, t)) {
			if (put(to, same, error) || put(to, item->length - same, error) ||
			    (item->length > same && pp_buffer_add(to, t->bytes.data + item->at + same,
								  item->length - same, error)))
				return -1;
			t->distinct++;
			before = item;
		}
		t->numbers[item->place] = (uint32_t)t->distinct - 1;
	}
	return 0;
}

static void close_texts(struct texts *t)
{
	pp_buffer_free(&t->bytes);
	free(t->items);
	free(t->numbers);
}

/* ---- columns that every page has ---- */

struct page_columns {
	struct pp_page_data *d;
	struct pp_buffer of[PP_PAGE_COLUMNS];
	struct texts names, files, sources, threads;
	bool nameless;                /* there are functions of no file */
	uint32_t *source_of;          /* of each function: 1 + its place in sources; 0: not known */
	struct pp_error *error;
};

/* The file of a function, and its kind, which a task's name has none of. */
static const char *file_of(const struct pp_page_data *d, uint32_t function, unsigned *kind)
{
	const struct pp_text *const f = &d->profile->frames.items[d->tree->frames[function]];
	const char *const file = pp_frame_file(d->how->fold, f, kind);

	return file ? file : "";
}

/* Where a function is in its sources, and NULL. */
static const char *source_of(const struct pp_page_data *d, uint32_t function, uint32_t *line)
{
	*line = 0;
	return d->how->fold ? pp_fold_source(d->how->fold, d->tree->frames[function], line) : NULL;
}

static int gather_sources(struct page_columns *c)
{
	const uint32_t n = c->d->tree->functions;

	c->source_of = calloc((size_t)n + 1, sizeof(*c->source_of));
	if (!c->source_of)
		return pp_fail(c->error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t line;
		const char *const source = source_of(c->d, i, &line);

		if (!source)
			continue;
		if (add_text(&c->sources, source, strlen(source), c->error))
			return -1;
		c->source_of[i] = (uint32_t)c->sources.n;
	}
	return 0;
}

static int gather_texts(struct page_columns *c)
{
	const struct pp_page_data *const d = c->d;

	for (uint32_t i = 0; i < d->tree->functions; i++) {
		const struct pp_text *const f = &d->profile->frames.items[d->tree->frames[i]];
		unsigned kind;
		const char *const file = file_of(d, i, &kind);

		if (add_text(&c->names, f->text, f->length, c->error) ||
		    add_text(&c->files, file, strlen(file), c->error))
			return -1;
		c->nameless |= !*file;
	}
	for (uint32_t i = 0; i < d->n_threads; i++)
		if (add_text(&c->threads, d->threads[i].name, strlen(d->threads[i].name), c->error))
			return -1;
	return gather_sources(c) || put_texts(&c->names, &c->of[TEXTS], c->error) ||
	       put_texts(&c->files, &c->of[TEXTS], c->error) ||
	       put_texts(&c->sources, &c->of[TEXTS], c->error) ||
	       put_texts(&c->threads, &c->of[TEXTS], c->error) ? -1 : 0;
}

static int put_functions(struct page_columns *c)
{
	struct pp_buffer *const to = &c->of[FUNCTIONS];

	/* the calls of tasks alone have no node that has a function */
	for (uint32_t i = 0; i < c->d->tree->functions; i++) {
		const uint32_t source = c->source_of[i] ? c->sources.numbers[c->source_of[i] - 1] + 1 : 0;
		unsigned kind;
		uint32_t line;

		(void)file_of(c->d, i, &kind);
		(void)source_of(c->d, i, &line);
		if (put(to, c->names.numbers[i], c->error) || put(to, c->files.numbers[i], c->error) ||
		    put(to, kind, c->error) || put(to, source, c->error) || put(to, line, c->error))
			return -1;
	}
	return 0;
}

static int put_nodes(struct page_columns *c)
{
	const struct pp_page_tree *const t = c->d->tree;

	for (uint32_t i = 1; i < t->n; i++)
		if (put(&c->of[DEPTHS], t->nodes[i - 1].depth + 1 - t->nodes[i].depth, c->error) ||
		    put(&c->of[NODE_FUNCTIONS], t->nodes[i].function, c->error))
			return -1;
	return 0;
}

static int put_threads(struct page_columns *c)
{
	for (uint32_t i = 0; i < c->d->n_threads; i++) {
		const struct pp_page_thread *const thread = &c->d->threads[i];

		if (put(&c->of[THREADS], thread->pid, c->error) ||
		    put(&c->of[THREADS], thread->tid, c->error) ||
		    put(&c->of[THREADS], c->threads.numbers[i], c->error))
			return -1;
	}
	return 0;
}

static int put_head(struct page_columns *c)
{
	if (gather_texts(c))
		return -1;
	c->d->texts[0] = (uint32_t)c->names.distinct;
	c->d->texts[1] = (uint32_t)c->files.distinct;
	c->d->files = c->d->texts[1] - c->nameless;
	c->d->texts[2] = (uint32_t)c->sources.distinct;
	c->d->texts[3] = (uint32_t)c->threads.distinct;
	return put_functions(c) || put_nodes(c) || put_threads(c) ? -1 : 0;
}

/* ---- threads ---- */

static const char *renamed(const struct pp_flame_options *how, const char *name)
{
	for (size_t i = 0; i < how->n_renames; i++)
		if (!how->renames[i].from || !strcmp(how->renames[i].from, name))
			return how->renames[i].to;
	return name;
}

static int heaviest_thread(const void *a, const void *b)
{
	const struct pp_page_thread *const x = a, *const y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->tid != y->tid ? (x->tid > y->tid ? 1 : -1) : strcmp(x->name, y->name);
}

/* As exact as anybody looks at a recording that is so long. */
static uint64_t shortest_tick(uint64_t duration)
{
	static const uint64_t minute = UINT64_C(60000000000);

	return duration < minute ? 10000 : duration < 60 * minute ? 100000 : 1000000;
}

static uint64_t duration_of(const struct pp_page_data *d, unsigned side, uint64_t tick)
{
	return (d->axis.to[side] / tick - d->axis.from[side] / tick) * tick;
}

/* Of the longer side. */
static uint64_t duration_of_all(const struct pp_page_data *d, uint64_t tick)
{
	uint64_t longest = 0;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		if (d->timelines[side] && duration_of(d, side, tick) > longest)
			longest = duration_of(d, side, tick);
	return longest;
}

/* Adds the threads of a side that have cells, and settles these. */
static int settle_side(struct pp_page_data *d, struct pp_timeline *cells, const struct pp_fold *fold,
		       struct pp_error *error)
{
	size_t known = 0;
	const uint32_t before = d->n_threads;
	struct pp_page_thread *threads;
	uint32_t pid, tid, *order;

	while (pp_fold_thread(fold, (uint32_t)known, &pid, &tid))
		known++;
	threads = reallocarray(d->threads, before + known + 1, sizeof(*threads));
	d->threads = threads ? threads : d->threads;
	order = calloc(known + 1, sizeof(*order));
	if (!threads || !order) {
		free(order);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	threads += before;
	memset(threads, 0, (known + 1) * sizeof(*threads));
	for (uint32_t i = 0; i < known; i++) {
		struct pp_page_thread *const t = &threads[i];

		t->name = renamed(d->how, pp_fold_thread(fold, i, &t->pid, &t->tid));
		t->weight = pp_timeline_of_thread(cells, i);
		t->number = i;
	}
	qsort(threads, known, sizeof(*threads), heaviest_thread);
	while (d->n_threads < before + known && d->threads[d->n_threads].weight)
		d->n_threads++;
	for (uint32_t i = 0; i < known; i++)
		order[threads[i].number] = before + i;
	pp_timeline_settle(cells, d->tree->places, order, shortest_tick(duration_of_all(d, 1)));
	free(order);
	return 0;
}

static int settle_cells(struct pp_page_data *d, struct pp_error *error)
{
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const struct pp_fold *const threads = d->how->threads[side];

		if (d->timelines[side] &&
		    settle_side(d, d->timelines[side], threads ? threads : d->how->fold, error))
			return -1;
		d->n_before = side ? d->n_before : d->n_threads;
	}
	return 0;
}

/* ---- cells ---- */

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* All cells of a page, a side after the other. */
struct page_cells {
	struct pp_timeline_cells of[PP_PROFILE_SIDES];
	size_t all;
};

static struct page_cells cells_of_page(const struct pp_page_data *d)
{
	struct page_cells cells = { .all = 0 };

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		if (d->timelines[side])
			cells.of[side] = pp_timeline_all(d->timelines[side]);
		cells.all += cells.of[side].n;
	}
	return cells;
}

static uint64_t weight_at(const struct page_cells *cells, size_t i)
{
	const size_t n = cells->of[0].n;

	return pp_timeline_weight(i < n ? &cells->of[0].items[i] : &cells->of[1].items[i - n]);
}

/* Three digits of a weight that is as often below as above. */
static uint64_t about(const struct page_cells *cells)
{
	enum { LOOK = 1001 };
	uint64_t some[LOOK], grain = 1;
	size_t looked = 0;

	for (size_t i = 0; i < cells->all && looked < LOOK; i += cells->all / LOOK + 1)
		some[looked++] = weight_at(cells, i);
	qsort(some, looked, sizeof(*some), by_size);
	while (looked && some[looked / 2] / grain >= 1000)
		grain *= 10;
	return grain;
}

static uint64_t in_grains(const struct pp_page_data *d, uint64_t weight)
{
	const uint64_t n = weight / d->grain + (weight % d->grain > d->grain / 2);

	return n || !weight ? n : 1;
}

/* What all weights are multiples of, if that makes them small; else about, and the page has exact ones too.
 * Whether all are one grain. */
static bool find_grain(struct pp_page_data *d, const struct page_cells *cells)
{
	uint64_t grain = 0, sum = 0, most = 0, last = 0;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const struct pp_timeline_cells *const of = &cells->of[side];
		const bool alike = of->n && pp_timeline_each(d->timelines[side]);

		for (size_t i = 0; i < (alike ? 1 : of->n); i++) {
			const uint64_t weight = pp_timeline_weight(&of->items[i]);

			/* most are like the one before */
			if (weight == last)
				continue;
			grain = grain == 1 ? 1 : pp_common_part(grain, weight);
			last = weight;
			most = weight > most ? weight : most;
		}
	}
	for (uint32_t i = 0; i < d->n_threads; i++)
		sum = pp_tree_sum(sum, d->threads[i].weight);
	d->grain = grain ? grain : 1;
	d->thinned |= sum != pp_tree_sum(d->tree->total[PP_PROFILE_FIRST], d->tree->total[PP_PROFILE_SECOND]);
	if (most / d->grain > 1000000) {
		d->grain = about(cells);
		d->thinned = true;
	}
	/* there is none that weighs nothing */
	return in_grains(d, most) <= 1;
}

/* What a cell's numbers are differences to. */
struct cell_before {
	uint64_t tick, weight, grains;
	uint32_t *nodes;              /* by thread */
	bool ones;                    /* all weights are one grain, which the page need not say */
};

enum { CELL_COLUMNS = CELL_WEIGHTS - CELL_TICKS + 1 };

/* Some cells, a column after the other: each ends at what is returned. */
static uint8_t *put_ticks(uint8_t *to, const struct pp_timeline_cell *cells, size_t n,
			  struct cell_before *before)
{
	uint64_t tick = before->tick;

	for (size_t i = 0; i < n; i++) {
		to = pp_put_varint(to, cells[i].tick - tick);
		tick = cells[i].tick;
	}
	before->tick = tick;
	return to;
}

static uint8_t *put_cell_threads(uint8_t *to, const struct pp_timeline_cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to = pp_put_varint(to, cells[i].thread);
	return to;
}

static uint8_t *put_cell_nodes(uint8_t *to, const struct pp_timeline_cell *cells, size_t n, uint32_t *before)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *const node = &before[cells[i].thread];

		to = pp_put_short_varint(to, pp_zigzag((int64_t)cells[i].node - *node));
		*node = cells[i].node;
	}
	return to;
}

static uint8_t *put_weights(uint8_t *to, const struct pp_timeline_cell *cells, size_t n,
			    const struct pp_page_data *d, struct cell_before *before)
{
	for (size_t i = 0; i < n && !before->ones; i++) {
		const uint64_t weight = pp_timeline_weight(&cells[i]);

		if (weight != before->weight) {
			before->weight = weight;
			before->grains = in_grains(d, weight);
		}
		to = pp_put_varint(to, before->grains);
	}
	return to;
}

/* Some of a side at a time, which the cache holds, and for which there is room. */
static int put_side(struct page_columns *c, const struct pp_timeline_cell *cells, size_t n,
		    struct cell_before *before)
{
	enum { TOGETHER = 1024 };

	for (size_t at = 0; at < n; at += TOGETHER) {
		const struct pp_timeline_cell *const some = &cells[at];
		const size_t of_some = n - at < TOGETHER ? n - at : TOGETHER;
		uint8_t *to[CELL_COLUMNS];

		for (unsigned i = 0; i < CELL_COLUMNS; i++)
			if (!(to[i] = pp_buffer_room(&c->of[CELL_TICKS + i], TOGETHER * PP_VARINT_MOST,
						     c->error)))
				return -1;
		to[0] = put_ticks(to[0], some, of_some, before);
		to[1] = put_cell_threads(to[1], some, of_some);
		to[2] = put_cell_nodes(to[2], some, of_some, before->nodes);
		to[3] = put_weights(to[3], some, of_some, c->d, before);
		for (unsigned i = 0; i < CELL_COLUMNS; i++)
			c->of[CELL_TICKS + i].size = (size_t)(to[i] - c->of[CELL_TICKS + i].data);
	}
	return 0;
}

/* Of each side the ticks are counted from its own begin. */
static int put_cells(struct page_columns *c, const struct page_cells *cells)
{
	struct pp_page_data *const d = c->d;
	struct cell_before before = {
		.nodes = calloc((size_t)d->n_threads + 1, sizeof(*before.nodes)),
		.ones = find_grain(d, cells),
	};
	int status = before.nodes ? 0 : pp_fail(c->error, PP_E_NOMEM, NULL);

	/* about as much as they take, rather than copying them as they grow */
	for (unsigned i = 0; i < CELL_COLUMNS && !status; i++)
		status = pp_buffer_room(&c->of[CELL_TICKS + i], 2 * cells->all + PP_VARINT_MOST,
					c->error) ? 0 : -1;
	for (unsigned side = 0; side < PP_PROFILE_SIDES && !status; side++) {
		const struct pp_timeline_cells *const of = &cells->of[side];

		before.tick = of->n ? d->axis.from[side] / d->tick - of->from : 0;
		status = put_side(c, of->items, of->n, &before);
	}
	free(before.nodes);
	return status;
}

/* What each node weighs itself, over the whole. */
static int put_self(struct page_columns *c, bool exact)
{
	const struct pp_page_tree *const t = c->d->tree;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		for (uint32_t i = 0; i < t->n && exact && t->self[side]; i++)
			if (put(&c->of[SELF + side], t->self[side][i], c->error))
				return -1;
	return 0;
}

/* Times of both sides are as exact. */
static void widen(struct pp_page_data *d, uint64_t tick)
{
	for (int again = 0; again < 2; again++)
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			if (d->timelines[side]) {
				pp_timeline_widen(d->timelines[side], tick);
				tick = pp_timeline_tick(d->timelines[side]);
			}
	d->tick = tick;
}

/* The cells as they are, after what every page has; no more than `most` bytes are of use. */
static int pack(struct page_columns *c, size_t most)
{
	struct pp_page_data *const d = c->d;
	const struct page_cells cells = cells_of_page(d);

	for (unsigned i = CELL_TICKS; i < PP_PAGE_COLUMNS; i++)
		c->of[i].size = 0;
	d->cells = cells.all;
	d->cells_before = cells.of[0].n;
	d->begin = cells.all ? d->axis.from[0] / d->tick * d->tick : 0;
	d->duration = cells.all ? duration_of_all(d, d->tick) : 0;
	if (put_cells(c, &cells) || put_self(c, d->thinned || !cells.all))
		return -1;
	for (unsigned i = 0; i < PP_PAGE_COLUMNS; i++)
		d->columns[i] = c->of[i].size;
	return pp_deflate_columns(c->of, PP_PAGE_COLUMNS, most, d->how->apart, &d->packed, c->error);
}

/* Cells of nodes below a share of the whole become those of their callers. */
static int fold_cells(struct pp_page_data *d, double least, struct pp_error *error)
{
	const struct pp_page_tree *const t = d->tree;
	uint64_t *const total = calloc(t->n, sizeof(*total));
	uint32_t *const parent = calloc(t->n, sizeof(*parent));
	uint32_t *const places = calloc(t->n, sizeof(*places));
	uint32_t *const same = calloc((size_t)d->n_threads + 1, sizeof(*same));

	for (uint32_t i = 0; i < d->n_threads && same; i++)
		same[i] = i;
	if (total && parent && places && same) {
		for (uint32_t i = 1; i < t->n; i++) {
			uint32_t at = i - 1;

			while (t->nodes[at].depth >= t->nodes[i].depth)
				at = parent[at];
			parent[i] = at;
		}
		for (uint32_t i = t->n; i-- > 0;) {
			for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
				total[i] = pp_tree_sum(total[i], t->self[side] ? t->self[side][i] : 0);
			if (i)
				total[parent[i]] = pp_tree_sum(total[parent[i]], total[i]);
		}
		for (uint32_t i = 1; i < t->n; i++)
			places[i] = (double)total[i] < least * (double)total[0] ? places[parent[i]] : i;
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			if (d->timelines[side])
				pp_timeline_settle(d->timelines[side], places, same, 0);
		d->folded = least;
	}
	free(total);
	free(parent);
	free(places);
	free(same);
	return d->folded >= least ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* Times are as exact as the page's size allows. */
static int pack_to_fit(struct page_columns *c)
{
	static const uint64_t ticks[] = { 20000000, 200000000, 2000000000 };
	static const double shares[] = { 0.0001, 0.001 };
	enum { TICKS = sizeof(ticks) / sizeof(*ticks), WAYS = TICKS + sizeof(shares) / sizeof(*shares) };
	struct pp_page_data *const d = c->d;
	const size_t most = d->axis.budget / 4 * 3;

	if (!cells_of_page(d).all)
		return pack(c, SIZE_MAX / 2);
	widen(d, shortest_tick(duration_of_all(d, 1)));
	if (pack(c, d->how->whole ? SIZE_MAX / 2 : most))
		return -1;
	for (size_t i = 0; i < WAYS && !d->how->whole && d->packed.size > most; i++) {
		if (i < TICKS)
			widen(d, ticks[i]);
		d->thinned |= i >= TICKS;
		if ((i >= TICKS && fold_cells(d, shares[i - TICKS], c->error)) ||
		    pack(c, i + 1 < WAYS ? most : SIZE_MAX / 2))
			return -1;
	}
	return 0;
}

int pp_page_data_open(struct pp_page_data *d, const struct pp_page_tree *tree,
		      const struct pp_profile *profile, const struct pp_flame_options *how,
		      const struct pp_page_axis *axis, struct pp_error *error)
{
	struct page_columns c = { .d = d, .error = error };
	int status;

	*d = (struct pp_page_data){ .tree = tree, .profile = profile, .how = how, .axis = *axis,
				    .timelines = { how->cells, how->after } };
	status = (how->cells && settle_cells(d, error)) || put_head(&c) || pack_to_fit(&c) ? -1 : 0;
	close_texts(&c.names);
	close_texts(&c.files);
	close_texts(&c.sources);
	free(c.source_of);
	close_texts(&c.threads);
	for (unsigned i = 0; i < PP_PAGE_COLUMNS; i++)
		pp_buffer_free(&c.of[i]);
	if (status)
		pp_page_data_close(d);
	return status;
}

void pp_page_data_close(struct pp_page_data *d)
{
	free(d->threads);
	pp_buffer_free(&d->packed);
	*d = (struct pp_page_data){ 0 };
}
