/*
 * stacks.c - remembers stacks by a hash of all that their names depend on, so that each is looked up
 * once, however many samples have it.  What a stack is made into is left to others.
 */
#include "profile/stacks.h"

#include <perfpipe/callchain.h>

#include "base/byte_order.h"
#include "format/format.h"

#include <stdlib.h>
#include <xxhash.h>

/* A stack that was there before: its hash, and what became of it.  Nothing but this is touched when it
 * is there again, so that it takes one line of the processor's cache. */
struct pp_known_stack {
	uint64_t low;
	uint32_t high;
	uint32_t number;              /* and 1; 0: free */
};

/* What is known of a process changes; of the kernel, for all. */
int pp_stacks_note(struct pp_stacks *s, const struct pp_record *rec, struct pp_error *error)
{
	const struct pp_type *const type = pp_type(rec->type);
	/* not that of the trailer, which only says in whose time it was */
	const uint16_t place = pp_fixed_place(rec->type, PP_IS_PID);
	const uint32_t pid = place && rec->size > place + 4u ? pp_load32(rec->data + place) : UINT32_MAX;
	uint64_t *count;

	if (!type || !(type->words & (PP_SIDE_BAND | PP_TASK)))
		return 0;
	if (pid == UINT32_MAX) {
		s->kernel_changes++;
		return 0;
	}
	count = pp_idmap_find(&s->changes, pid);
	if (count)
		++*count;
	else if (pp_idmap_set(&s->changes, pid, 1))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

uint64_t pp_stacks_changes(const struct pp_stacks *s, uint32_t pid)
{
	const uint64_t *const changes = pp_idmap_find(&s->changes, pid);

	return changes ? *changes : 0;
}

uint64_t pp_stacks_version(const struct pp_stacks *s, uint32_t pid, unsigned mode)
{
	return s->kernel_changes + (mode == PP_MISC_KERNEL ? 0 : pp_stacks_changes(s, pid));
}

static XXH128_hash_t hash_of(const struct pp_stacks *s, const struct pp_record *rec, uint32_t pid,
			     uint64_t with)
{
	struct pp_chain chain = { 0 };
	struct {
		uint64_t pid, with, changes, kernel_changes, mode, ip;
	} head = {
		.pid = pid, .with = with, .changes = pp_stacks_changes(s, pid),
		.kernel_changes = s->kernel_changes, .mode = rec->misc & PP_MISC_CPUMODE,
	};

	(void)pp_ip(rec, &head.ip);
	(void)pp_chain_open(&chain, rec);
	return XXH3_128bits_withSeed(chain.left ? chain.at : (const uint8_t *)"",
				     chain.left * sizeof(uint64_t), XXH3_64bits(&head, sizeof(head)));
}

/* Where the one of this hash is, or would be; there is room. */
static size_t place_of(const struct pp_stacks *s, uint64_t low, uint32_t high)
{
	size_t at = (size_t)low & (s->room - 1);

	while (s->known[at].number && (s->known[at].low != low || s->known[at].high != high))
		at = (at + 1) & (s->room - 1);
	return at;
}

bool pp_stacks_find(struct pp_stacks *s, const struct pp_record *rec, uint32_t pid, uint64_t with,
		    uint32_t *number)
{
	const XXH128_hash_t hash = hash_of(s, rec, pid, with);
	size_t at;

	s->low = hash.low64;
	s->high = (uint32_t)hash.high64;
	if (!s->room)
		return false;
	at = place_of(s, s->low, s->high);
	if (!s->known[at].number)
		return false;
	*number = s->known[at].number - 1;
	return true;
}

static int make_room(struct pp_stacks *s, struct pp_error *error)
{
	struct pp_stacks larger = { .room = s->room ? 2 * s->room : 1024 };

	larger.known = pp_empty_table(larger.room, sizeof(*larger.known));
	if (!larger.known)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < s->room; i++) {
		const struct pp_known_stack *const k = &s->known[i];

		if (k->number)
			larger.known[place_of(&larger, k->low, k->high)] = *k;
	}
	free(s->known);
	s->known = larger.known;
	s->room = larger.room;
	return 0;
}

int pp_stacks_keep(struct pp_stacks *s, uint32_t number, struct pp_error *error)
{
	if (number == UINT32_MAX)
		return pp_fail(error, PP_E_NOMEM, NULL);
	/* dense, so that more of it is in the processor's cache */
	if (s->room / 4 * 3 <= s->count && make_room(s, error))
		return -1;
	s->known[place_of(s, s->low, s->high)] = (struct pp_known_stack){ s->low, s->high, number + 1 };
	s->count++;
	return 0;
}

void pp_stacks_close(struct pp_stacks *s)
{
	pp_idmap_close(&s->changes);
	free(s->known);
	*s = (struct pp_stacks){ 0 };
}
