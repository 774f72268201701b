/* base.c - what base/ promises and no tool can bring about: overflow, the error that tells of it,
 * maps that lose as much as they get, budgets that are used up, heaps of any order. */
#include "base/array.h"
#include "base/format_number.h"
#include "base/heap.h"
#include "base/hash.h"

#include <perfpipe/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(that) ((that) ? (void)0 : fail(__LINE__, #that))

static void fail(int line, const char *that)
{
	printf("base.c:%d: %s\n", line, that);
	exit(1);
}

static const size_t huge[] = {
	SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8, SIZE_MAX / 8 + 2, SIZE_MAX / 4 + 2,
};

static void arrays(void)
{
	struct pp_error error = { .code = PP_OK };
	uint64_t *numbers = NULL;
	size_t room = 0;

	for (size_t i = 0; i < 100000; i++) {
		CHECK(!PP_GROW(&numbers, &room, i + 1, &error));
		CHECK(room > i);
		numbers[i] = i;
	}
	CHECK(room < 400000);
	for (size_t i = 0; i < 100000; i++)
		CHECK(numbers[i] == i);
	/* the last are few bytes, where the product wraps */
	for (size_t i = 0; i < sizeof(huge) / sizeof(*huge); i++) {
		const size_t before = room;

		error.code = PP_OK;
		CHECK(PP_GROW(&numbers, &room, huge[i], &error) == -1);
		CHECK(error.code == PP_E_NOMEM && room == before && numbers[99999] == 99999);
	}
	free(numbers);
	numbers = NULL;
	room = 0;
	for (size_t i = 0; i < 10000; i += 77) {
		CHECK(!PP_GROW_ZEROED(&numbers, &room, i + 1, NULL));
		for (size_t k = i; k < room; k++)
			CHECK(!numbers[k]);
		numbers[i] = 0;
	}
	free(numbers);
}

static void bytes(void)
{
	struct pp_buffer b = { .data = NULL };
	struct pp_error error = { .code = PP_OK };

	CHECK(!pp_buffer_add(&b, NULL, 0, &error) && !b.data);
	for (int i = 0; i < 5000; i++)
		CHECK(!pp_buffer_add(&b, "abc", 3, &error));
	CHECK(b.size == 15000 && !memcmp(b.data + 14997, "abc", 3));
	CHECK(!pp_buffer_room(&b, SIZE_MAX - 5, &error) && error.code == PP_E_NOMEM);
	CHECK(b.size == 15000);
	pp_buffer_free(&b);
	CHECK(!b.data && !b.size && !b.room);
}

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Against an array: as many deletions as insertions, in a map that stays small. */
static void maps(struct pp_budget *budget)
{
	enum { KEYS = 500 };
	struct pp_idmap map = { .budget = budget };
	uint64_t values[KEYS] = { 0 }, state = 88172645463325252u;

	CHECK(!pp_idmap_find(&map, 1));
	pp_idmap_drop(&map, 1);
	CHECK(!pp_idmap_set(&map, UINT64_MAX, 1) && !pp_idmap_find(&map, UINT64_MAX) && !map.count);
	for (int i = 0; i < 300000; i++) {
		const uint64_t r = random_number(&state), k = r % KEYS;

		values[k] = r >> 32 & 1 ? 0 : r >> 33 | 1;
		if (values[k])
			CHECK(!pp_idmap_set(&map, k << 32, values[k]));
		else
			pp_idmap_drop(&map, k << 32);
		if (i % 1000)
			continue;
		for (size_t n = 0; n < KEYS; n++) {
			const uint64_t *const found = pp_idmap_find(&map, (uint64_t)n << 32);

			CHECK(found ? *found == values[n] : !values[n]);
		}
	}
	CHECK(map.room <= 1024);
	pp_idmap_close(&map);
	CHECK(!map.count && (!budget || !budget->held));
}

static void sweeping(void)
{
	struct pp_budget budget = { 0 };
	struct pp_idmap map = { .budget = &budget };

	/* only the last hundred are young: there is never need of much room */
	for (uint64_t i = 0; i < 100000; i++) {
		CHECK(!pp_idmap_sweep(&map, i < 100 ? 0 : i - 100));
		CHECK(!pp_idmap_set(&map, i, i));
		CHECK(i < 100 || *pp_idmap_find(&map, i - 99) == i - 99);
	}
	CHECK(map.room <= 1024);
	pp_idmap_close(&map);
	CHECK(!budget.held);
}

static void sets(void)
{
	struct pp_idmap set = { .keys = NULL };

	for (uint64_t i = 0; i < 10000; i++)
		CHECK(pp_idmap_add(&set, i * i) == 1);
	for (uint64_t i = 0; i < 10000; i++)
		CHECK(!pp_idmap_add(&set, i * i));
	CHECK(set.count == 10000 && !pp_idmap_add(&set, UINT64_MAX));
	pp_idmap_close(&set);
}

static void budgets(void)
{
	struct pp_budget budget = { .limit = 1 << 20 };
	struct pp_idmap map = { .budget = &budget };
	struct pp_error error = { .code = PP_OK };
	uint64_t i = 0, *numbers = NULL;
	size_t room = 0, before;

	while (!pp_idmap_set(&map, i, i))
		CHECK(++i < 10000000);
	CHECK(budget.refused && budget.held <= (1 << 20) + PP_BUDGET_SPARE);
	for (uint64_t k = 0; k < i; k++)
		CHECK(*pp_idmap_find(&map, k) == k);
	CHECK(pp_budget_fail(&budget, &error) == -1 && error.code == PP_E_LIMIT);
	pp_idmap_close(&map);
	CHECK(!budget.held);
	while (!PP_TAKE_GROW(&budget, &numbers, &room, room + 1))
		CHECK(!numbers[room - 1]);
	before = room;
	for (size_t k = 0; k < sizeof(huge) / sizeof(*huge); k++)
		CHECK(PP_TAKE_GROW(&budget, &numbers, &room, huge[k]) == -1 && room == before);
	pp_give_back(&budget, numbers, room * sizeof(*numbers));
	CHECK(!budget.held);
}

static bool before(const int *calls, const uint64_t *a, const uint64_t *b)
{
	return calls ? *a < *b : *a > *b;
}

PP_HEAP(sink, uint64_t, const int *, before)

static void heaps(void)
{
	uint64_t heap[1000], state = 1234567, last = 0;
	const int up = 1;

	for (size_t n = 0; n <= 1000; n += 37) {
		for (size_t i = 0; i < n; i++)
			heap[i] = random_number(&state) % 500;
		for (size_t i = n / 2; i--;)
			sink(heap, n, i, &up);
		last = 0;
		for (size_t left = n; left;) {
			CHECK(heap[0] >= last);
			last = heap[0];
			heap[0] = heap[--left];
			if (left)
				sink(heap, left, 0, &up);
		}
	}
}

/* As printf() has it, near the middle between two texts, too. */
static void fixed(void)
{
	const double special[] = {
		0, -0.0, 0.5, 1.5, 2.5, 0.005, 1e12, 999999999999.5, 1e300, 5e-324, -3.25,
	};
	uint64_t state = 7;

	for (size_t i = 0; i < 200000; i++) {
		const unsigned digits = (unsigned)(i % 8);
		const size_t n = sizeof(special) / sizeof(special[0]);
		double v = (double)(random_number(&state) >> random_number(&state) % 60);
		char text[PP_FIXED_MOST + 1], want[PP_FIXED_MOST + 1];

		v = i < 8 * n ? special[i / 8] : v / (i % 3 ? 1000 : 1024) / (i % 5 ? 1 : 1e6);
		text[pp_fixed(text, v, digits)] = '\0';
		(void)snprintf(want, sizeof(want), "%.*f", (int)digits, v);
		CHECK(!strcmp(text, want));
	}
}

/* Each byte at each place of texts of each length, among others: looked at one by one. */
static void texts(void)
{
	char text[40], seen[256];

	for (size_t length = 1; length <= 26; length++)
		for (unsigned i = 0; i < 256 * length; i++) {
			const unsigned char c = (unsigned char)(i % 256);
			const bool printable = c >= ' ' && c <= '~';
			const bool plain = printable && c != '"' && c != '\\';
			struct pp_out out = { .buf = seen, .room = sizeof(seen) };

			memset(text, 'A', sizeof(text));
			text[i / 256] = (char)c;
			CHECK(pp_is_plain(text, length) == plain);
			CHECK(pp_is_utf8(text, length) == (c < 0x80));
			pp_out_printable(&out, text, length);
			CHECK(out.at == length + (printable ? 0 : 3));
			CHECK(printable == !memcmp(seen, text, length));
			out.at = 0;
			pp_out_csv(&out, text, length);
			CHECK((out.at == length) == (printable && c != '"' && c != ',' &&
						     !pp_is_formula(text, length)));
		}
	CHECK(pp_is_plain("", 0) && pp_is_utf8("", 0));
}

int main(void)
{
	struct pp_budget budget = { 0 };

	arrays();
	bytes();
	maps(NULL);
	maps(&budget);
	sweeping();
	sets();
	budgets();
	heaps();
	fixed();
	texts();
	return 0;
}
