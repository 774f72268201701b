/*
 * page_data.c - the numbers in a page: texts, functions, nodes, threads and cells as columns of varints,
 * one column after the other, deflated.  When cells take more than a page should, times become less exact,
 * and then light nodes are counted as their callers.
 */
#include "export/flame_layout.h"
#include "export/page.h"

#include "base/format_number.h"
#include "profile/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum page_column {
	TEXTS, FUNCTIONS, DEPTHS, NODE_FUNCTIONS, THREADS, CELL_TICKS, CELL_THREADS, CELL_NODES, CELL_WEIGHTS,
	SELF, SELF_AFTER,
};
_Static_assert(SELF_AFTER + 1 == PP_PAGE_COLUMNS, "each column has its size in the head");

/* ---- numbers ---- */

static int put(struct pp_buffer *b, uint64_t value, struct pp_error *error)
{
	uint8_t *const room = pp_buffer_room(b, 10, error);
	size_t n = 0;

	if (!room)
		return -1;
	for (; value > 127; value >>= 7)
		room[n++] = (uint8_t)(value | 128);
	room[n++] = (uint8_t)value;
	b->size += n;
	return 0;
}

/* Small ones stay small, whatever their sign. */
static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
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
	struct pp_buffer raw;
	size_t begin;                 /* of the column at hand */
	struct texts names, files, threads;
	struct pp_error *error;
};

static void end_column(struct page_columns *c, enum page_column column)
{
	c->d->columns[column] = c->raw.size - c->begin;
	c->begin = c->raw.size;
}

/* The file of a function, and its kind, which a task's name has none of. */
static const char *file_of(const struct pp_page_data *d, uint32_t function, unsigned *kind)
{
	const struct pp_text *const f = &d->profile->frames.items[d->tree->frames[function]];
	const char *const file = pp_frame_file(d->how->fold, f, kind);

	return file ? file : "";
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
	}
	for (uint32_t i = 0; i < d->n_threads; i++)
		if (add_text(&c->threads, d->threads[i].name, strlen(d->threads[i].name), c->error))
			return -1;
	return put_texts(&c->names, &c->raw, c->error) || put_texts(&c->files, &c->raw, c->error) ||
	       put_texts(&c->threads, &c->raw, c->error) ? -1 : 0;
}

static int put_functions(struct page_columns *c)
{
	/* the calls of tasks alone have no node that has a function */
	for (uint32_t i = 0; i < c->d->tree->functions; i++) {
		unsigned kind;

		(void)file_of(c->d, i, &kind);
		if (put(&c->raw, c->names.numbers[i], c->error) ||
		    put(&c->raw, c->files.numbers[i], c->error) || put(&c->raw, kind, c->error) ||
		    put(&c->raw, 0, c->error) || put(&c->raw, 0, c->error))
			return -1;
	}
	end_column(c, FUNCTIONS);
	return 0;
}

static int put_nodes(struct page_columns *c)
{
	const struct pp_page_tree *const t = c->d->tree;

	for (uint32_t i = 1; i < t->n; i++)
		if (put(&c->raw, t->nodes[i - 1].depth + 1 - t->nodes[i].depth, c->error))
			return -1;
	end_column(c, DEPTHS);
	for (uint32_t i = 1; i < t->n; i++)
		if (put(&c->raw, t->nodes[i].function, c->error))
			return -1;
	end_column(c, NODE_FUNCTIONS);
	return 0;
}

static int put_threads(struct page_columns *c)
{
	for (uint32_t i = 0; i < c->d->n_threads; i++) {
		const struct pp_page_thread *const thread = &c->d->threads[i];

		if (put(&c->raw, thread->pid, c->error) || put(&c->raw, thread->tid, c->error) ||
		    put(&c->raw, c->threads.numbers[i], c->error))
			return -1;
	}
	end_column(c, THREADS);
	return 0;
}

static int put_head(struct page_columns *c)
{
	if (gather_texts(c))
		return -1;
	end_column(c, TEXTS);
	c->d->texts[0] = (uint32_t)c->names.distinct;
	c->d->texts[1] = (uint32_t)c->files.distinct;
	c->d->texts[3] = (uint32_t)c->threads.distinct;
	return put_functions(c) || put_nodes(c) || put_threads(c) ? -1 : 0;
}

/* ---- threads ---- */

static int heaviest_thread(const void *a, const void *b)
{
	const struct pp_page_thread *const x = a, *const y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->tid != y->tid ? (x->tid > y->tid ? 1 : -1) : strcmp(x->name, y->name);
}

/* Finds the threads that have cells, and settles these. */
static int settle_cells(struct pp_page_data *d, struct pp_error *error)
{
	struct pp_timeline *const cells = d->how->cells;
	size_t n, known = 0;
	const struct pp_timeline_cell *const all = pp_timeline_all(cells, &n);
	uint32_t pid, tid, *order;

	while (pp_fold_thread(d->how->fold, (uint32_t)known, &pid, &tid))
		known++;
	d->threads = calloc(known + 1, sizeof(*d->threads));
	order = calloc(known + 1, sizeof(*order));
	if (!d->threads || !order) {
		free(order);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t *const weight = &d->threads[all[i].thread].weight;

		*weight = pp_tree_sum(*weight, all[i].weight);
	}
	for (uint32_t i = 0; i < known; i++) {
		struct pp_page_thread *const t = &d->threads[i];

		t->name = pp_fold_thread(d->how->fold, i, &t->pid, &t->tid);
		t->number = i;
	}
	qsort(d->threads, known, sizeof(*d->threads), heaviest_thread);
	while (d->n_threads < known && d->threads[d->n_threads].weight)
		d->n_threads++;
	for (uint32_t i = 0; i < known; i++)
		order[d->threads[i].number] = i;
	pp_timeline_settle(cells, d->tree->places, order, 0);
	free(order);
	return 0;
}

/* ---- cells ---- */

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Three digits of a weight that is as often below as above. */
static uint64_t about(const struct pp_timeline_cell *cells, size_t n)
{
	enum { LOOK = 1001 };
	uint64_t some[LOOK], grain = 1;
	size_t looked = 0;

	for (size_t i = 0; i < n && looked < LOOK; i += n / LOOK + 1)
		some[looked++] = cells[i].weight;
	qsort(some, looked, sizeof(*some), by_size);
	while (looked && some[looked / 2] / grain >= 1000)
		grain *= 10;
	return grain;
}

/* What all weights are multiples of, if that makes them small; else about, and the page has exact ones too.
 *  */
static void find_grain(struct pp_page_data *d, const struct pp_timeline_cell *cells, size_t n)
{
	uint64_t grain = 0, sum = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		grain = grain == 1 ? 1 : pp_common_part(grain, cells[i].weight);
		most = cells[i].weight > most ? cells[i].weight : most;
		sum = pp_tree_sum(sum, cells[i].weight);
	}
	d->grain = grain ? grain : 1;
	d->thinned |= sum != d->tree->total[PP_PROFILE_FIRST];
	if (most / d->grain > 1000000) {
		d->grain = about(cells, n);
		d->thinned = true;
	}
}

static uint64_t in_grains(const struct pp_page_data *d, uint64_t weight)
{
	const uint64_t n = weight / d->grain + (weight % d->grain > d->grain / 2);

	return n || !weight ? n : 1;
}

static int put_cells(struct page_columns *c, const struct pp_timeline_cell *cells, size_t n)
{
	struct pp_page_data *const d = c->d;
	uint32_t *const last = calloc((size_t)d->n_threads + 1, sizeof(*last));
	bool ones = true;
	int status = last ? 0 : pp_fail(c->error, PP_E_NOMEM, NULL);

	for (size_t i = 0; i < n && !status; i++)
		status = put(&c->raw, cells[i].tick - (i ? cells[i - 1].tick : d->axis.from / d->tick),
			     c->error);
	end_column(c, CELL_TICKS);
	for (size_t i = 0; i < n && !status; i++)
		status = put(&c->raw, cells[i].thread, c->error);
	end_column(c, CELL_THREADS);
	for (size_t i = 0; i < n && !status; i++) {
		status = put(&c->raw, zigzag((int64_t)cells[i].node - last[cells[i].thread]), c->error);
		last[cells[i].thread] = cells[i].node;
		ones &= in_grains(d, cells[i].weight) == 1;
	}
	end_column(c, CELL_NODES);
	for (size_t i = 0; i < n && !ones && !status; i++)
		status = put(&c->raw, in_grains(d, cells[i].weight), c->error);
	end_column(c, CELL_WEIGHTS);
	free(last);
	return status;
}

/* What each node weighs itself, over the whole. */
static int put_self(struct page_columns *c, bool exact)
{
	const struct pp_page_tree *const t = c->d->tree;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		for (uint32_t i = 0; i < t->n && exact && t->self[side]; i++)
			if (put(&c->raw, t->self[side][i], c->error))
				return -1;
		end_column(c, SELF + side);
	}
	return 0;
}

static int deflate_all(struct page_columns *c)
{
	struct pp_buffer *const to = &c->d->packed;
	z_stream z = { .next_in = c->raw.data, .avail_in = (uInt)c->raw.size };
	size_t bound;
	uint8_t *room;
	int status;

	if (c->raw.size > UINT32_MAX || deflateInit2(&z, 4, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return pp_fail(c->error, PP_E_NOMEM, NULL);
	bound = deflateBound(&z, c->raw.size);
	to->size = 0;
	room = pp_buffer_room(to, bound, c->error);
	z.next_out = room;
	z.avail_out = (uInt)bound;
	status = room && deflate(&z, Z_FINISH) == Z_STREAM_END ? 0 : -1;
	to->size = z.total_out;
	deflateEnd(&z);
	return status && room ? pp_fail(c->error, PP_E_NOMEM, NULL) : status;
}

/* The cells as they are, after what every page has. */
static int pack(struct page_columns *c, size_t head)
{
	struct pp_page_data *const d = c->d;
	struct pp_timeline *const timeline = d->how->cells;
	size_t n = 0;
	const struct pp_timeline_cell *const cells = timeline ? pp_timeline_all(timeline, &n) : NULL;

	c->raw.size = c->begin = head;
	d->cells = n;
	d->tick = n ? pp_timeline_tick(d->how->cells) : 0;
	d->begin = n ? d->axis.from / d->tick * d->tick : 0;
	d->duration = n ? (d->axis.to / d->tick - d->axis.from / d->tick) * d->tick : 0;
	find_grain(d, cells, n);
	return put_cells(c, cells, n) || put_self(c, d->thinned || !n) || deflate_all(c) ? -1 : 0;
}

static bool fits(const struct pp_page_data *d)
{
	return d->how->whole || d->packed.size / 3 * 4 <= d->axis.budget;
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
			total[i] = pp_tree_sum(total[i], t->self[0][i]);
			if (i)
				total[parent[i]] = pp_tree_sum(total[parent[i]], total[i]);
		}
		for (uint32_t i = 1; i < t->n; i++)
			places[i] = (double)total[i] < least * (double)total[0] ? places[parent[i]] : i;
		pp_timeline_settle(d->how->cells, places, same, 0);
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
	static const uint64_t minute = UINT64_C(60000000000);
	struct pp_page_data *const d = c->d;
	const size_t head = c->raw.size;
	struct pp_timeline *const timeline = d->how->cells;
	const uint64_t duration = d->axis.to - d->axis.from;
	size_t n = 0;

	if (timeline)
		(void)pp_timeline_all(timeline, &n);
	if (!n)
		return pack(c, head);
	pp_timeline_widen(timeline, duration < minute ? 10000 : duration < 60 * minute ? 100000 : 1000000);
	if (pack(c, head))
		return -1;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks) && !fits(d); i++) {
		pp_timeline_widen(timeline, ticks[i]);
		if (pack(c, head))
			return -1;
	}
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && !fits(d); i++) {
		d->thinned = true;
		if (fold_cells(d, shares[i], c->error) || pack(c, head))
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

	*d = (struct pp_page_data){ .tree = tree, .profile = profile, .how = how, .axis = *axis };
	status = (how->cells && settle_cells(d, error)) || put_head(&c) || pack_to_fit(&c) ? -1 : 0;
	close_texts(&c.names);
	close_texts(&c.files);
	close_texts(&c.threads);
	pp_buffer_free(&c.raw);
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
