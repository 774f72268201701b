/*
 * stack_cache.c - remembers stacks, and what they have in common but for their innermost address, by a
 * hash of all that their names depend on, so that each is looked up once, however many samples have
 * it.
 */
#include "profile/stack_cache.h"

#include "base/byte_order.h"
#include "format/format.h"

/* ---- processes ---- */

/* What is known of a process changes; of the kernel, for all. */
int pp_stack_cache_note(struct pp_stack_cache *s, const struct pp_record *rec, struct pp_error *error)
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
	s->has_pid = false;
	count = pp_idmap_find(&s->changes, pid);
	if (count)
		++*count;
	else if (pp_idmap_set(&s->changes, pid, 1))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

uint64_t pp_stack_cache_changes(struct pp_stack_cache *s, uint32_t pid)
{
	const uint64_t *changes;

	if (!s->has_pid || s->pid != pid) {
		changes = pp_idmap_find(&s->changes, pid);
		s->pid_changes = changes ? *changes : 0;
		s->pid = pid;
		s->has_pid = true;
	}
	return s->pid_changes;
}

uint64_t pp_stack_cache_version(struct pp_stack_cache *s, uint32_t pid, unsigned mode)
{
	return s->kernel_changes + (mode == PP_MISC_KERNEL ? 0 : pp_stack_cache_changes(s, pid));
}

/* ---- stacks ---- */

static bool find(struct pp_stack_cache *s, struct pp_hash_set *among, const struct pp_chain *chain,
		 uint32_t pid, uint64_t with, uint64_t ip, uint32_t *number)
{
	uint64_t seed = pp_hash_more(0, (uint64_t)chain->mode << 32 | pid);

	/* not before the process is spread over all bits: numbers of both rise by one from task to task */
	seed = pp_hash_more(seed, with);
	seed = pp_hash_more(seed, pp_stack_cache_changes(s, pid));
	seed = pp_hash_more(seed, s->kernel_changes);
	return pp_hash_set_find(among, chain->left ? chain->at : (const uint8_t *)"",
				chain->left * sizeof(uint64_t), pp_hash_more(seed, ip), number);
}

bool pp_stack_cache_find(struct pp_stack_cache *s, const struct pp_record *rec, uint32_t pid, uint64_t with,
			 uint32_t *number)
{
	struct pp_chain chain;
	uint64_t ip = 0;

	(void)pp_ip(rec, &ip);
	if (!pp_chain_open_raw(&chain, rec))
		chain.left = 0;
	chain.mode = rec->misc & PP_MISC_CPUMODE;
	return find(s, &s->whole, &chain, pid, with, ip, number);
}

int pp_stack_cache_keep(struct pp_stack_cache *s, uint32_t number, struct pp_error *error)
{
	return pp_hash_set_keep(&s->whole, number, error);
}

bool pp_stack_cache_find_callers(struct pp_stack_cache *s, const struct pp_chain *chain, uint32_t pid,
				 uint64_t with, uint32_t *number)
{
	return find(s, &s->callers, chain, pid, with, 0, number);
}

int pp_stack_cache_keep_callers(struct pp_stack_cache *s, uint32_t number, struct pp_error *error)
{
	return pp_hash_set_keep(&s->callers, number, error);
}

uint64_t pp_stack_cache_size(const struct pp_stack_cache *s)
{
	return pp_hash_set_size(&s->whole) + pp_hash_set_size(&s->callers) +
	       s->changes.room * 2 * sizeof(uint64_t);
}

void pp_stack_cache_forget(struct pp_stack_cache *s)
{
	pp_hash_set_close(&s->whole);
	pp_hash_set_close(&s->callers);
}

void pp_stack_cache_close(struct pp_stack_cache *s)
{
	pp_idmap_close(&s->changes);
	pp_stack_cache_forget(s);
	*s = (struct pp_stack_cache){ 0 };
}
