/*
 * stack_cache.c - remembers stacks, and what they have in common but for their innermost address, by a
 * hash of all that their names depend on, so that each is looked up once, however many samples have
 * it.
 */
#include "profile/stack_cache.h"

#include "base/byte_order.h"
#include "format/format.h"

#include <xxhash.h>

/* ---- processes ---- */

/* Whether later maps of the same file may be found to be of another one: by build-ids. */
static bool changes_files(const struct pp_type *type, const struct pp_record *rec)
{
	return rec->type == PP_REC_HEADER_FEATURE ||
	       (type->words & PP_SIDE_BAND && !(type->words & (PP_MAPS | PP_TASK)) &&
		rec->type != PP_REC_NAMESPACES);
}

/* What is known of a process changes; of the kernel, for all. */
int pp_stack_cache_note(struct pp_stack_cache *s, const struct pp_record *rec, struct pp_error *error)
{
	const struct pp_type *const type = pp_type(rec->type);
	/* not that of the trailer, which only says in whose time it was */
	const uint16_t place = pp_fixed_place(rec->type, PP_IS_PID);
	const uint32_t pid = place && rec->size > place + 4u ? pp_load32(rec->data + place) : UINT32_MAX;
	uint64_t *count;

	s->file_changes += type && changes_files(type, rec);
	if (!type || !(type->words & (PP_SIDE_BAND | PP_TASK)))
		return 0;
	if (pid == UINT32_MAX || (type->words & PP_MAPS && (rec->misc & PP_MISC_CPUMODE) == PP_MISC_KERNEL)) {
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

uint64_t pp_stack_cache_files_version(const struct pp_stack_cache *s)
{
	return s->kernel_changes + s->file_changes;
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
	s->whole.forgets = true;
	return pp_hash_set_keep(&s->whole, number, error);
}

bool pp_stack_cache_find_callers(struct pp_stack_cache *s, const struct pp_chain *chain, uint32_t pid,
				 uint64_t with, uint32_t *number)
{
	return find(s, &s->callers, chain, pid, with, 0, number);
}

int pp_stack_cache_keep_callers(struct pp_stack_cache *s, uint32_t number, struct pp_error *error)
{
	s->callers.forgets = true;
	return pp_hash_set_keep(&s->callers, number, error);
}

/* Some of what is left of a chain, as its names depend on it; *of_process: on the process, too.  `nowhere`:
 * also on which address it is, if that is in no map. */
static size_t place_words(struct pp_tasks *tasks, struct pp_chain *chain, uint32_t pid, bool nowhere,
			  uint64_t *words, size_t room, bool *of_process)
{
	struct pp_file_place place;
	size_t n = 0;

	for (; chain->left && n < room; chain->at += sizeof(*words), chain->left--) {
		const uint64_t address = pp_load64(chain->at);

		words[n] = address;
		if (address >= PP_CHAIN_MARKS) {
			chain->mode = pp_chain_mode(address);
		} else if (chain->mode == PP_MISC_USER) {
			switch (pp_tasks_place(tasks, pid, address, &place)) {
			case PP_PLACED_IN_FILE:
				/* files are far apart, wherever in them it is */
				words[n] = place.offset + (place.file + 1) * UINT64_C(0x9e3779b97f4a7c15);
				break;
			case PP_PLACED_IN_PROCESS:
				*of_process = true;
				break;
			case PP_PLACED_NOWHERE:
				words[n] = nowhere ? address : 0;
			}
		}
		n++;
	}
	return n;
}

bool pp_stack_cache_find_placed(struct pp_stack_cache *s, struct pp_tasks *tasks,
				const struct pp_chain *chain, uint32_t pid, uint64_t with, bool nowhere,
				uint32_t *number)
{
	enum { SOME = 64 };
	struct pp_chain rest = *chain;
	uint64_t words[SOME], seed = pp_hash_more(pp_hash_more(0, chain->mode), with);
	bool of_process = false;

	seed = pp_hash_more(seed, pp_stack_cache_files_version(s));
	for (;;) {
		const size_t n = place_words(tasks, &rest, pid, nowhere, words, SOME, &of_process);

		if (of_process)
			seed = pp_hash_more(pp_hash_more(seed, pid), pp_stack_cache_changes(s, pid) + 1);
		if (!rest.left)
			return pp_hash_set_find(&s->placed, words, n * sizeof(*words), seed, number);
		seed = XXH3_64bits_withSeed(words, n * sizeof(*words), seed);
	}
}

int pp_stack_cache_keep_placed(struct pp_stack_cache *s, uint32_t number, struct pp_error *error)
{
	return pp_hash_set_keep(&s->placed, number, error);
}

uint64_t pp_stack_cache_size(const struct pp_stack_cache *s)
{
	return pp_hash_set_size(&s->whole) + pp_hash_set_size(&s->callers) + pp_hash_set_size(&s->placed) +
	       s->changes.room * 2 * sizeof(uint64_t);
}

void pp_stack_cache_forget(struct pp_stack_cache *s)
{
	pp_hash_set_close(&s->whole);
	pp_hash_set_close(&s->callers);
	pp_hash_set_close(&s->placed);
}

void pp_stack_cache_close(struct pp_stack_cache *s)
{
	pp_idmap_close(&s->changes);
	pp_stack_cache_forget(s);
	*s = (struct pp_stack_cache){ 0 };
}
