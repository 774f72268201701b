/*
 * scrub_addresses.c - addresses of a record as if its process had been loaded elsewhere.
 *
 * The bases are those of perf inject --aslr: the first map of a process goes to 2 MiB, those of the kernel to
 * where its half begins, the next one a page after the last.  Maps that a process inherits are at the same
 * place as its parent's.
 */
#include "scrub/scrub_addresses.h"

#include <perfpipe/callchain.h>
#include <perfpipe/walk.h>

#include <string.h>

static const uint64_t user_base = 0x200000, kernel_base = UINT64_C(0xffff800010000000), page = 4096;
/* In ->next: all maps of the process are its parent's. */
static const uint64_t inherited = 1;
/* The key of the kernel in ->next. */
static const uint64_t kernel_pid = UINT32_MAX;

int pp_scrub_addresses_open(struct pp_scrub_addresses *a, struct pp_pseudonyms *names, struct pp_error *error)
{
	a->names = names;
	a->tasks = pp_tasks_new(PP_TASKS_MAPS, &a->budget);
	return a->tasks ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

void pp_scrub_addresses_close(struct pp_scrub_addresses *a)
{
	pp_tasks_free(a->tasks);
	pp_idmap_close(&a->moved);
	pp_idmap_close(&a->next);
}

static bool is_kernel_mode(unsigned mode)
{
	return mode == PP_MISC_KERNEL || mode == PP_MISC_GUEST_KERNEL;
}

/* ---- Where maps go ---- */

/* Finds a place for a map that is new; what begins in another one goes where that went. */
static int place_map(struct pp_scrub_addresses *a, const struct pp_map *map, uint64_t start, uint64_t length,
		     uint64_t pid, const uint64_t *over, struct pp_error *error)
{
	const uint64_t *const next = pp_idmap_find(&a->next, pid);
	const uint64_t base = next ? *next & ~inherited : pid == kernel_pid ? kernel_base : user_base;
	const uint64_t to = over ? start + *over : base + start % page;
	uint64_t end = to + length;

	end += (page - end % page) % page + page;
	end = end < base ? base : end;
	return pp_idmap_set(&a->moved, map->number, to - start) || pp_idmap_set(&a->next, pid, end) ?
		pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static uint64_t moved_by(const struct pp_scrub_addresses *a, const struct pp_map *map)
{
	const uint64_t *const by = map ? pp_idmap_find(&a->moved, map->number) : NULL;

	return by ? *by : 0;
}

static int note_map(struct pp_scrub_addresses *a, const struct pp_record *rec, struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	uint64_t start, length, pid, over = 0;
	const struct pp_map *map;
	bool is_over;

	if (!pp_find_u64(rec, PP_IS_START, &start) || !pp_find_u64(rec, PP_IS_LENGTH, &length) ||
	    !pp_find_u64(rec, PP_IS_PID, &pid))
		return pp_tasks_note(a->tasks, rec, error);
	map = pp_tasks_map(a->tasks, (uint32_t)pid, mode, start);
	is_over = map && pp_idmap_find(&a->moved, map->number);
	if (is_over)
		over = moved_by(a, map);
	if (pp_tasks_note(a->tasks, rec, error))
		return -1;
	map = pp_tasks_map(a->tasks, (uint32_t)pid, mode, start);
	if (!map || pp_idmap_find(&a->moved, map->number))
		return 0;
	return place_map(a, map, start, length, is_kernel_mode(mode) ? kernel_pid : (uint32_t)pid,
			 is_over ? &over : NULL, error);
}

/* A new process goes on where its parent's maps end, unless it runs another program first. */
static int note_fork(struct pp_scrub_addresses *a, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t pid, parent;
	const uint64_t *next;

	if (!pp_find_u64(rec, PP_IS_PID, &pid) || !pp_find_u64(rec, PP_IS_PPID, &parent) || pid == parent)
		return 0;
	next = pp_idmap_find(&a->next, (uint32_t)parent);
	return next && pp_idmap_set(&a->next, (uint32_t)pid, *next | inherited) ?
		pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static void note_exec(struct pp_scrub_addresses *a, const struct pp_record *rec)
{
	const uint64_t *next;
	uint64_t pid;

	if (!(rec->misc & PP_MISC_COMM_EXEC) || !pp_find_u64(rec, PP_IS_PID, &pid))
		return;
	next = pp_idmap_find(&a->next, (uint32_t)pid);
	if (next && *next & inherited)
		pp_idmap_drop(&a->next, (uint32_t)pid);
}

/* ---- Addresses ---- */

/* An address in no map keeps its place in the page, and the half that it is in; a small one is no address. */
static uint64_t hidden_address(struct pp_scrub_addresses *a, uint64_t address)
{
	const uint64_t half = address >> 63 ? UINT64_C(0xffff) << 48 : 0;
	const uint64_t bits = (UINT64_C(1) << 47) - 1;

	if (address < page || address >= PP_CHAIN_MARKS)
		return address;
	return half | (pp_pseudonym_page(a->names, address / page) * page & bits) |
	       (half ? UINT64_C(1) << 47 : 0) | address % page;
}

static uint64_t other_address(struct pp_scrub_addresses *a, uint32_t pid, unsigned mode, uint64_t address)
{
	const struct pp_map *const map = pp_tasks_map(a->tasks, pid, mode, address);

	return map && pp_idmap_find(&a->moved, map->number) ? address + moved_by(a, map) :
							       hidden_address(a, address);
}

/* The mode of an address that may be of the kernel while its sample is not, and the other way round. */
static unsigned mode_of_half(unsigned mode, uint64_t address)
{
	const bool guest = mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER;

	if (address >> 63)
		return guest ? PP_MISC_GUEST_KERNEL : PP_MISC_KERNEL;
	return guest ? PP_MISC_GUEST_USER : PP_MISC_USER;
}

static void change_chain(struct pp_scrub_addresses *a, const struct pp_cursor *c, uint32_t pid, unsigned mode)
{
	for (uint32_t i = 0; i < c->count; i++) {
		uint8_t *const at = c->data + (size_t)i * sizeof(uint64_t);
		const uint64_t word = pp_load64(at);

		if (word >= PP_CHAIN_MARKS)
			mode = pp_chain_mode(word);
		else if (!i || pp_load64(at - sizeof(word)) != PP_CHAIN_USER_DEFERRED)
			pp_store64(at, other_address(a, pid, mode ? mode : mode_of_half(0, word), word));
	}
}

/* What maps say of the file stays; memory that is of no file has an address there. */
static uint64_t other_offset(uint64_t offset, const struct pp_map *map, uint64_t start)
{
	return offset && map && (map->kernel || !pp_map_has_file(map->filename)) ? start : offset;
}

static int change_map(struct pp_scrub_addresses *a, struct pp_record *rec, struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	uint64_t start = 0, pid = 0, by;
	const struct pp_map *map;
	struct pp_cursor c;
	int token;

	(void)pp_find_u64(rec, PP_IS_START, &start);
	(void)pp_find_u64(rec, PP_IS_PID, &pid);
	map = pp_tasks_map(a->tasks, (uint32_t)pid, mode, start);
	by = map ? moved_by(a, map) : hidden_address(a, start) - start;
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE || c.count != 1)
			continue;
		if (c.field->is == PP_IS_START)
			pp_store64(c.data, start + by);
		else if (c.field->is == PP_IS_OFFSET)
			pp_store64(c.data, other_offset(c.value, map, start + by));
	}
	*error = c.error;
	return token < 0 ? -1 : 0;
}

static int change_others(struct pp_scrub_addresses *a, struct pp_record *rec, struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	uint32_t pid = 0, tid;
	struct pp_cursor c;
	int token;

	(void)pp_task(rec, &pid, &tid);
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_CHAIN)
			change_chain(a, &c, pid, mode);
		else if (c.count == 1 && (c.field->is == PP_IS_ADDRESS || c.field->is == PP_IS_START))
			pp_store64(c.data, other_address(a, pid, mode_of_half(mode, c.value), c.value));
	}
	*error = c.error;
	return token < 0 ? -1 : 0;
}

int pp_scrub_addresses_change(struct pp_scrub_addresses *a, struct pp_record *rec, struct pp_error *error)
{
	if (pp_type_is(rec->type, PP_MAPS))
		return note_map(a, rec, error) ? -1 : change_map(a, rec, error);
	if (pp_tasks_note(a->tasks, rec, error))
		return -1;
	if (rec->type == PP_REC_COMM)
		note_exec(a, rec);
	if (rec->type == PP_REC_FORK)
		return note_fork(a, rec, error);
	return change_others(a, rec, error);
}
