/* space.c - tries address spaces that share what is mapped in them beside arrays that have an entry for each
 * address. */
#include "model/address_space.h"
#include "unit.h"

#include <string.h>

enum { CELLS = 48, SPACES = 6 };

/* What is mapped at an address, or nothing: all of its mapping that is known. */
struct cell {
	uint64_t number;              /* of the mapping, from 1; 0: nothing */
	uint64_t from, to;
	unsigned piece;               /* what is left of a mapping left and right of another is two */
};

struct model {
	struct pp_space *space;
	struct cell cells[CELLS];
};

/* A cell is that many addresses, and the last ends where there are no more. */
static unsigned shift;

static uint64_t address(unsigned cell)
{
	return cell == CELLS && shift == 58 ? UINT64_MAX : (uint64_t)cell << shift;
}

static struct model models[SPACES];
static struct pp_spaces spaces;
static struct pp_budget budget;
static struct pp_record_store keep;
static uint64_t last_number;
static unsigned last_piece;

/* ---- What must hold of a tree ---------------------------------------------------------------- */

static uint64_t number_of(const struct pp_space *node)
{
	return spaces.keep ? node->kept->seq : node->number;
}

/* Its sums, and that it is balanced; the height. */
static unsigned sound(const struct pp_space *node, uint64_t low, uint64_t high, uint64_t *oldest)
{
	uint64_t left = UINT64_MAX, right = UINT64_MAX;
	unsigned a, b;

	*oldest = UINT64_MAX;
	if (!node)
		return 0;
	CHECK(node->users && node->start >= low && node->start < node->end && node->end <= high);
	CHECK(node->from <= node->start && node->end <= node->to);
	a = sound(node->left, low, node->start, &left);
	b = sound(node->right, node->end, high, &right);
	CHECK(a <= b + 1 && b <= a + 1);
	CHECK(node->height == (a > b ? a : b) + 1);
	if (!spaces.keep)
		return node->height;
	*oldest = node->kept->seq;
	*oldest = left < *oldest ? left : *oldest;
	*oldest = right < *oldest ? right : *oldest;
	CHECK(pp_space_oldest(&spaces, node) == *oldest);
	CHECK(node->lowest <= node->from && node->highest >= node->to);
	for (unsigned i = 0; i < 2; i++) {
		const struct pp_space *const sub = i ? node->right : node->left;

		CHECK(!sub || (node->lowest <= sub->lowest && node->highest >= sub->highest));
	}
	return node->height;
}

/* When no space is left all nodes are unused, which are got 64 at once. */
static void all_unused(void)
{
	size_t unused = 0;

	for (const struct pp_space *node = spaces.unused; node; node = node->left)
		unused++;
	CHECK(unused % 64 == 0);
	pp_spaces_close(&spaces);
}

static void compare(const struct model *m)
{
	uint64_t oldest;

	(void)sound(m->space, 0, UINT64_MAX, &oldest);
	for (unsigned i = 0; i < CELLS; i++) {
		const struct cell *const cell = &m->cells[i];
		const uint64_t at[] = { address(i), address(i + 1) - 1, address(i) + (address(1) >> 1) };
		unsigned first = i, after = i + 1;

		while (first && m->cells[first - 1].piece == cell->piece)
			first--;
		while (after < CELLS && m->cells[after].piece == cell->piece)
			after++;
		for (unsigned k = 0; k < 3; k++) {
			const struct pp_space *const node = pp_space_at(m->space, at[k]);

			CHECK(!node == !cell->number);
			if (!node)
				continue;
			CHECK(number_of(node) == cell->number);
			CHECK(node->start == address(first) && node->end == address(after));
			CHECK(node->from == cell->from && node->to == cell->to);
			CHECK(spaces.keep || node->pgoff == cell->number * 3);
		}
	}
	CHECK(!pp_space_at(m->space, UINT64_MAX));
	CHECK(shift == 58 || !pp_space_at(m->space, address(CELLS)));
}

/* ---- What is done to them -------------------------------------------------------------------- */

static struct pp_stored *keep_one(void)
{
	uint8_t data[PP_HEADER_SIZE] = { 0 };
	struct pp_record rec = { .data = data, .type = PP_REC_MMAP, .size = sizeof(data) };

	return pp_stored_new(&keep, &rec, NULL);
}

/* Cells get a piece number of their own, from one on, up to where the same was before. */
static void renumber(struct model *m, unsigned from)
{
	const unsigned old = from < CELLS ? m->cells[from].piece : 0;

	last_piece++;
	for (unsigned i = from; old && i < CELLS && m->cells[i].piece == old; i++)
		m->cells[i].piece = last_piece;
}

/* Puts a mapping over what is there: 0, or -1 where memory ended. */
static int put(struct model *m)
{
	const unsigned from = below(CELLS), to = from + below(one_in(4) ? CELLS - from + 1 : 5);
	struct pp_space piece = { .start = address(from), .from = address(from) };
	int status;

	last_number++;
	piece.end = piece.to = address(to > CELLS ? CELLS : to);
	if (spaces.keep) {
		piece.kept = keep_one();
		if (!piece.kept)
			return -1;
		last_number = piece.kept->seq;
	} else {
		piece.pgoff = last_number * 3;
		piece.number = last_number;
	}
	status = pp_space_put(&spaces, &m->space, &piece);
	if (spaces.keep)
		pp_stored_drop(&keep, piece.kept);
	if (from == to || status)
		return status;
	/* what is left to the right of a mapping is a piece of its own */
	if (to < CELLS && m->cells[to].piece == m->cells[from].piece)
		renumber(m, to);
	last_piece++;
	for (unsigned i = from; i < to && i < CELLS; i++)
		m->cells[i] = (struct cell){ last_number, piece.from, piece.to, last_piece };
	return 0;
}

static int cut_out(struct model *m)
{
	const unsigned at = below(CELLS + 1);
	const unsigned piece = at < CELLS ? m->cells[at].piece : 0;
	const int status = pp_space_cut_out(&spaces, &m->space, address(at));

	if (piece && (!at || m->cells[at - 1].piece != piece))
		for (unsigned i = at; i < CELLS && m->cells[i].piece == piece; i++)
			m->cells[i] = (struct cell){ 0 };
	return status;
}

static int forget(struct model *m)
{
	const uint64_t least = last_number - below(20);

	if (!spaces.keep || last_number < 20)
		return 0;
	for (unsigned i = 0; i < CELLS; i++)
		if (m->cells[i].number < least)
			m->cells[i] = (struct cell){ 0 };
	return pp_space_forget(&spaces, &m->space, least);
}

/* A space becomes another's, as that of a child: what either does later is its own affair. */
static int inherit(struct model *m)
{
	const struct model *const parent = &models[below(SPACES)];

	if (parent == m)
		return 0;
	pp_space_drop(&spaces, m->space);
	*m = *parent;
	(void)pp_space_share(m->space);
	return 0;
}

static int change(struct model *m)
{
	const unsigned dice = below(20);

	return dice < 13 ? put(m) : dice < 16 ? cut_out(m) : dice < 17 ? forget(m) : inherit(m);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void open_all(const char *what, unsigned i, struct pp_budget with)
{
	static const unsigned shifts[] = { 1, 12, 30, 58 };

	begin_case(what, i);
	shift = shifts[below(4)];
	budget = with;
	keep = (struct pp_record_store){ .budget = &budget };
	spaces = (struct pp_spaces){ .budget = &budget, .keep = i % 2 ? &keep : NULL };
	memset(models, 0, sizeof(models));
	last_number = last_piece = 0;
}

static void close_all(uint64_t held)
{
	for (unsigned i = 0; i < SPACES; i++)
		pp_space_drop(&spaces, models[i].space);
	all_unused();
	pp_record_store_close(&keep);
	CHECK(budget.held == held);
}

static void many(void)
{
	for (unsigned i = 0; i < 250; i++) {
		open_all("spaces", i, (struct pp_budget){ .held = 0 });
		for (unsigned step = 0; step < 120; step++) {
			struct model *const m = &models[below(SPACES)];

			CHECK(!change(m));
			compare(m);
		}
		for (unsigned k = 0; k < SPACES; k++)
			compare(&models[k]);
		close_all(0);
	}
}

/* Of nothing, and of all that there is. */
static void edges(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct pp_space none = { .start = 7, .end = 7, .to = 9 };
		struct pp_space all = { .start = 0, .end = UINT64_MAX, .to = UINT64_MAX };

		open_all("edges", i, (struct pp_budget){ .held = 0 });
		none.kept = all.kept = spaces.keep ? keep_one() : NULL;
		CHECK(!pp_space_at(NULL, 0) && !pp_space_share(NULL));
		CHECK(!pp_space_put(&spaces, &models[0].space, &none) && !models[0].space);
		none.end = 6;
		CHECK(!pp_space_put(&spaces, &models[0].space, &none) && !models[0].space);
		CHECK(!pp_space_cut_out(&spaces, &models[0].space, 0) && !models[0].space);
		CHECK(!pp_space_put(&spaces, &models[0].space, &all));
		CHECK(!pp_space_put(&spaces, &models[0].space, &all));
		CHECK(pp_space_at(models[0].space, 0) == models[0].space && models[0].space->height == 1);
		CHECK(pp_space_at(models[0].space, UINT64_MAX - 1));
		CHECK(!pp_space_at(models[0].space, UINT64_MAX));
		CHECK(!pp_space_cut_out(&spaces, &models[0].space, 1) && models[0].space);
		CHECK(!pp_space_cut_out(&spaces, &models[0].space, UINT64_MAX) && models[0].space);
		CHECK(!pp_space_cut_out(&spaces, &models[0].space, 0) && !models[0].space);
		if (spaces.keep)
			pp_stored_drop(&keep, all.kept);
		close_all(0);
	}
}

/* One after the other from below, and from above: the worst for a tree. */
static void one_sided(void)
{
	enum { PIECES = 5000 };

	for (unsigned i = 0; i < 4; i++) {
		uint64_t oldest;

		open_all("one side", i, (struct pp_budget){ .held = 0 });
		for (uint64_t k = 0; k < PIECES; k++) {
			const uint64_t start = i < 2 ? k : PIECES - k;
			struct pp_space piece = { .start = start, .end = start + 1, .from = start,
						  .to = start + 1 };

			piece.kept = spaces.keep ? keep_one() : NULL;
			CHECK(!pp_space_put(&spaces, &models[0].space, &piece));
			if (spaces.keep)
				pp_stored_drop(&keep, piece.kept);
		}
		CHECK(sound(models[0].space, 0, UINT64_MAX, &oldest) < 1.45 * 13);
		close_all(0);
	}
}

/* Wherever memory ends: it says so, what is left is sound, and all of it is given back. */
static void without_memory(void)
{
	for (unsigned i = 0; i < 300; i++) {
		const struct pp_budget little = { .limit = 1, .held = PP_BUDGET_SPARE - i * 100 };
		bool failed = false;

		open_all("spaces without memory", i, little);
		for (unsigned step = 0; !failed && step < 400; step++)
			failed = change(&models[below(SPACES)]) < 0;
		CHECK(failed == budget.refused && spaces.failed <= failed);
		for (unsigned k = 0; k < SPACES; k++) {
			uint64_t oldest;

			(void)sound(models[k].space, 0, UINT64_MAX, &oldest);
		}
		close_all(little.held);
	}
}

int main(void)
{
	many();
	edges();
	one_sided();
	without_memory();
	return 0;
}
