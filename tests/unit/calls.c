/* calls.c - tries what no tool shows of the tree of calls: how near nodes are to where they are looked for,
 * and that they are found again after what finds them was freed. */
#include "profile/call_tree.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMES = 100000 };

/* The most places that are taken without a free one between them: so many steps it takes to find one. */
static size_t longest_run(const struct pp_numbers *numbers)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < numbers->room; i++) {
		run = numbers->places[i] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static uint32_t call(struct pp_profile *p, uint32_t from, uint32_t frame)
{
	struct pp_error error;
	uint32_t node;

	CHECK(!pp_profile_call(p, from, frame, &node, &error));
	return node;
}

/* Names of threads, of which each begins a stack: they have numbers that follow one another. */
static void many_of_one_caller(void)
{
	struct pp_profile *const p = pp_profile_new();
	struct pp_error error;

	begin_case("many names that begin a stack", 0);
	CHECK(p);
	for (uint32_t i = 0; i < NAMES; i++) {
		char name[16];
		uint32_t frame;
		const int length = snprintf(name, sizeof(name), "name-%u", i);

		CHECK(!pp_profile_frame(p, name, (size_t)length, 0, &frame, &error) && frame == i);
		CHECK(call(p, call(p, PP_PROFILE_ROOT, frame), 0) == 2 * i + 2);
		CHECK(!pp_profile_weigh(p, 2 * i + 2, PP_PROFILE_FIRST, 1, &error));
	}
	CHECK(longest_run(&p->by_call) < 1000);
	CHECK(longest_run(&p->by_node) < 1000);
	CHECK(longest_run(&p->frames.by_text) < 1000);
	pp_profile_free(p);
}

static void found_again(void)
{
	for (unsigned i = 0; i < 200; i++) {
		struct pp_profile *const p = pp_profile_new();
		uint32_t froms[300], frames[300], nodes[300], n = 0;

		begin_case("calls that are found again", i);
		CHECK(p);
		if (one_in(3))
			pp_profile_keep_order(p);
		while (n < 300) {
			froms[n] = n && !one_in(4) ? nodes[below(n)] : PP_PROFILE_ROOT;
			frames[n] = below(4);
			nodes[n] = call(p, froms[n], frames[n]);
			CHECK(p->nodes[nodes[n]].parent == froms[n] && p->nodes[nodes[n]].frame == frames[n]);
			CHECK(pp_profile_stack(p, nodes[n], NULL, 0) <= pp_profile_depth(p));
			n++;
			if (one_in(20))
				pp_tree_rest(p);
		}
		for (uint32_t k = 0; k < n && !p->in_order; k++)
			CHECK(call(p, froms[k], frames[k]) == nodes[k]);
		pp_profile_free(p);
	}
}

int main(void)
{
	many_of_one_caller();
	found_again();
	return 0;
}
