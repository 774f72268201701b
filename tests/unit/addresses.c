/* addresses.c - tries what no tool shows of the table of addresses: that it stays small, however many there
 * are, and says nothing wrong of those that it does not have any more. */
#include "profile/address_cache.h"
#include "unit.h"

enum { MANY = 2000000, OFTEN = 1000, MOST = 32 << 20 };

static void set(struct pp_address_cache *a, uint32_t number)
{
	const struct pp_address of = { .address = number * UINT64_C(16), .space = 1, .place = number };
	struct pp_error error;

	CHECK(!pp_address_cache_set(a, &of, &error));
}

static bool is_there(const struct pp_address_cache *a, uint32_t number)
{
	const struct pp_address *const known = pp_address_cache_find(a, number * UINT64_C(16), 1);

	CHECK(!known || known->place == number);
	return known;
}

int main(void)
{
	struct pp_address_cache a = { .count = 0 };
	uint32_t least = 0;

	begin_case("more addresses than are kept", 0);
	for (uint32_t i = 0; i < MANY; i++) {
		set(&a, i);
		CHECK(is_there(&a, i) && !is_there(&a, MANY));
		if (i % OFTEN)
			continue;
		/* they go all at once, the others are from one on */
		while (!is_there(&a, least))
			least++;
		CHECK(is_there(&a, least + (i - least) / 2));
	}
	CHECK(a.room * sizeof(*a.items) <= MOST);
	pp_address_cache_close(&a);
	return 0;
}
