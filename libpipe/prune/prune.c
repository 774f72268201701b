/*
 * prune.c - keeps only the side-band that the samples of a stream need: holds it back until a sample
 * needs it, and writes it before that sample.
 *
 * What a sample needs:
 *
 * - of its thread, and of its process, the birth (FORK); of its thread the namespaces and the name
 *   (COMM) as they are at that moment; of threads that a tracepoint's data name, which perf sched
 *   shows by their names, the same.  A name that was inherited comes as a COMM of the heir,
 *   unless the FORK brings it along;
 * - maps (MMAP, MMAP2, KSYMBOL) that hold one of its addresses: of the instruction, the call chain,
 *   the data, the branches, and of the kernel the addresses that a tracepoint's data name, which
 *   perf shows by name.  Inherited ones come as the heir's own, and his FORK says that there is
 *   nothing to inherit, as perf's own FORKs do: the parent's maps may be others by now.  With a map
 *   come older ones that it covers in part (needed_maps.c).  Where the stack was copied, any
 *   map of the process may be asked for while it is unwound;
 * - the map of the kernel itself, without which perf warns;
 * - the path of its control group (CGROUP), and build-ids of the files (HEADER_BUILD_ID) whose maps
 *   are written;
 * - its event (needed_events.c).
 *
 * A thread with such samples is followed to its end: its EXIT is kept, also if its first sample
 * comes after it, since perf 6.12 and later show such a sample without a name; and so are the
 * context switches (SWITCH) from the first sample on, and the end of a kernel symbol.  Perf keeps
 * the maps of a process that execs until others lie over them; so they stay here.  Everything else
 * passes: what was lost, counters, and unknown types.  AUX traces hold samples that only a decoder
 * sees: with them all side-band passes.
 *
 * Records come and go in the order of their times.  One that was held has to come late: it takes
 * the time of the record before it, so that rounds keep their promise and perf's queue keeps the
 * order.  One without a time, of what was there already when the recording began, stays without:
 * perf takes it at once.
 */
#include "prune/prune_state.h"

#include <stdlib.h>
#include <xxhash.h>

enum { ENDED = 1024 };                /* threads that are remembered after their end */

/* What has a key: a control group, or the build-ids of a file. */
struct pruned_thing {
	struct pp_link link;
	uint64_t name;                /* a hash, of files, which may have several */
	bool told;
	struct pp_stored *kept;
};

static int no_memory_to_prune(const struct pp_prune *p, struct pp_error *error)
{
	return pp_budget_fail(p->keep.budget, error);
}

/* ---- Things that have a key ---- */

static struct pruned_thing *find_thing(const struct pp_table *things, uint64_t key)
{
	return (struct pruned_thing *)pp_table_find(things, key);
}

static struct pruned_thing *add_thing(struct pp_prune *p, struct pp_table *things, uint64_t key)
{
	struct pruned_thing *const t = pp_take(p->keep.budget, sizeof(*t));

	if (!t)
		return NULL;
	t->link.key = key;
	if (!pp_table_add(p->keep.budget, things, &t->link))
		return t;
	pp_give_back(p->keep.budget, t, sizeof(*t));
	return NULL;
}

static void free_things(struct pp_prune *p, struct pp_table *things)
{
	for (size_t i = 0; i < things->room; i++) {
		for (struct pp_link *link = things->buckets[i], *next; link; link = next) {
			struct pruned_thing *const t = (struct pruned_thing *)link;

			next = link->next;
			pp_stored_drop(&p->keep, t->kept);
			pp_give_back(p->keep.budget, t, sizeof(*t));
		}
	}
	pp_table_close(p->keep.budget, things);
}

static bool begins(const char *text, size_t length, const char *with)
{
	return length >= strlen(with) && !memcmp(text, with, strlen(with));
}

/*
 * A key of the files that a name stands for, since maps and build-ids have others for the same:
 * the kernel is [kernel.kallsyms]_text or [kernel.kallsyms], a module [ext4] or .../ext4.ko.xz, the
 * vdso a temporary file of perf's.
 */
static uint64_t file_key(const struct pp_record *rec, const char *name, size_t length)
{
	const bool kernel = (rec->misc & PP_MISC_CPUMODE) == PP_MISC_KERNEL;
	const char *end, *slash;
	char module[64];
	size_t n = 0;

	if (kernel && begins(name, length, "[kernel"))
		return 1;
	if (!kernel && (begins(name, length, "[vdso]") || begins(name, length, "/tmp/perf-vdso.so-")))
		return 2;
	if (!kernel)
		return XXH3_64bits(name, length);
	slash = memrchr(name, '/', length);
	end = memmem(name, length, ".ko", 3);
	length = (size_t)((end ? end : name + length) - name);
	for (const char *at = slash && slash < name + length ? slash + 1 : name;
	     at < name + length && n < sizeof(module); at++)
		if (*at != '[' && *at != ']')
			module[n++] = *at == '-' ? '_' : *at;
	return XXH3_64bits_withSeed(module, n, 1);
}

/* ---- Telling ---- */

static int wrote(struct pp_prune *p, int result)
{
	p->stats.kept += !result;
	return result;
}

/* The build-ids of the file that a map is of. */
static int tell_file(struct pp_prune *p, const struct pp_record *map, struct pp_error *error)
{
	const char *name;
	struct pruned_thing *file;
	size_t length;
	uint64_t key;

	if (!pp_find_text(map, PP_IS_PATH, &name, &length))
		return 0;
	key = file_key(map, name, length);
	file = find_thing(&p->files, key);
	if (!file && !(file = add_thing(p, &p->files, key)))
		return no_memory_to_prune(p, error);
	for (struct pruned_thing *t = file; t; t = (struct pruned_thing *)pp_table_same(t->link.next, key)) {
		struct pp_record rec;

		if (!t->told && t->kept &&
		    (pp_stored_read(&p->keep, t->kept, p->other, &rec, error) ||
		     wrote(p, pp_head_write(p->head, &rec, p->writer, error))))
			return -1;
		t->told = true;
	}
	return 0;
}

/* `now` is the time of what needs it, or 0. */
static int tell_due(struct pp_prune *p, const struct pp_pending *due, uint64_t now,
		    struct pp_error *error)
{
	uint64_t time = due->time, parent;
	struct pp_record rec;

	if (pp_stored_read(&p->keep, due->kept, p->buf, &rec, error) ||
	    pp_head_need(p->head, &rec, p->writer, error))
		return -1;
	if (due->stage == PP_STAGE_MAP && tell_file(p, &rec, error))
		return -1;
	pp_pending_own(due, &rec);
	if (due->stage == PP_STAGE_FORK && pp_find_u64(&rec, PP_IS_PPID, &parent) &&
	    (uint32_t)parent != due->pid)
		pp_store16(rec.data + 4, rec.misc | PP_MISC_FORK_EXEC);
	if (time && time < p->latest && time < now)
		time = p->latest < now ? p->latest : now;
	if (time > p->latest)
		p->latest = time;
	if (time != due->kept->time)
		pp_record_date(&rec, time);
	return wrote(p, pp_head_write(p->head, &rec, p->writer, error));
}

static int tell_dues(struct pp_prune *p, const struct pp_record *sample, struct pp_error *error)
{
	struct pp_pending_list *const dues = &p->dues;
	uint64_t now = 0;
	int status = 0;

	if (!dues->count)
		return 0;
	pp_time(sample, &now);
	pp_pending_list_sort(dues);
	for (size_t i = 0; i < dues->count && !status; i++)
		if (!pp_pending_list_repeat(dues, i))
			status = tell_due(p, &dues->items[i], now, error);
	pp_pending_list_clear(dues);
	return status;
}

/* ---- What is needed ---- */

/* The name that a reader would give the child at its FORK now, or NULL. */
static struct pp_stored *inherited(struct pp_prune *p, const struct pp_thread *child)
{
	struct pp_record fork;
	uint64_t ppid, ptid;
	const struct pp_thread *parent;

	if (pp_stored_read(&p->keep, child->fork, p->buf, &fork, NULL) ||
	    !pp_find_u64(&fork, PP_IS_PPID, &ppid) || !pp_find_u64(&fork, PP_IS_PTID, &ptid))
		return NULL;
	parent = pp_task_table_thread(&p->table, (uint32_t)ptid);
	return parent && parent->pid == ppid ? parent->told : NULL;
}

/* Of one that ended perf 6.12 and later know nothing more, so that its name is handed down no more. */
static bool hands_down(struct pp_prune *p, const struct pp_stored *name, const struct pp_thread *child)
{
	struct pp_record fork;
	uint64_t ptid;
	const struct pp_thread *parent;

	/* a FORK without a time overtakes a name with one */
	if (name->time && !child->fork->time)
		return false;
	if (pp_stored_read(&p->keep, child->fork, p->buf, &fork, NULL) ||
	    !pp_find_u64(&fork, PP_IS_PTID, &ptid))
		return false;
	parent = pp_task_table_thread(&p->table, (uint32_t)ptid);
	return parent && !parent->ended;
}

static int need_fork(struct pp_prune *p, struct pp_thread *t)
{
	struct pp_stored *const name = inherited(p, t);
	struct pp_pending due = pp_pending_of(t);

	t->forked = true;
	/* a thread without a name must not get one */
	if (name && !t->comm)
		return 0;
	/* it may be its own parent, and this the last share of that name */
	if (name && name != t->told && hands_down(p, name, t)) {
		pp_stored_drop(&p->keep, t->told);
		t->told = pp_stored_share(name);
	}
	due.kept = t->fork;
	return pp_pending_list_add(&p->dues, &due);
}

/* The name that it has now. */
static int need_name(struct pp_prune *p, struct pp_thread *t)
{
	struct pp_pending due = pp_pending_of(t);

	if (!t->comm || t->comm == t->told)
		return 0;
	due.stage = PP_STAGE_COMM;
	due.kept = t->comm;
	pp_stored_drop(&p->keep, t->told);
	t->told = pp_stored_share(t->comm);
	return pp_pending_list_add(&p->dues, &due);
}

/* The FORK of a process comes first: it takes away what readers knew of such a one. */
static int need_thread(struct pp_prune *p, struct pp_thread *t, struct pp_error *error)
{
	struct pp_pending due = pp_pending_of(t);
	const uint32_t pid = t->pid;
	struct pp_thread *const leader = t->link.key == pid ? NULL : pp_task_table_thread(&p->table, pid);
	int status = 0;

	t->fresh = true;
	if (leader && leader->pid == pid && leader->fork && !leader->forked)
		status = need_fork(p, leader);
	if (!status && t->fork && !t->forked)
		status = need_fork(p, t);
	if (!status && !t->namesaid) {
		due.stage = PP_STAGE_NAMES;
		due.kept = t->names;
		status = pp_pending_list_add(&p->dues, &due);
		t->namesaid = true;
	}
	if (!status)
		status = need_name(p, t);
	if (!status && t->exit) {
		due.stage = PP_STAGE_EXIT;
		due.kept = t->exit;
		status = pp_pending_list_add(&p->dues, &due);
		pp_stored_drop(&p->keep, t->exit);
		t->exit = NULL;
	}
	return status ? no_memory_to_prune(p, error) : 0;
}

static int need_address(struct pp_prune *p, struct pp_maps *space, uint64_t address)
{
	struct known_address now, *const known = pp_prune_known(p, space, address, &now);

	if (address >= PP_CHAIN_MARKS || pp_prune_is_known(known, &now))
		return 0;
	if (pp_maps_need(&p->table.spaces, &p->kernel, address, &p->dues) ||
	    (space && pp_maps_need(&p->table.spaces, space, address, &p->dues)))
		return -1;
	*known = now;
	return 0;
}

static int need_addresses(struct pp_prune *p, struct pp_maps *space, const uint8_t *at,
			  uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (need_address(p, space, pp_load64(at + i * sizeof(uint64_t))) < 0)
			return -1;
	return 0;
}

struct pruned_event *pp_prune_event(struct pp_prune *p, const struct pp_attr *a)
{
	const struct pp_tracepoint *tracepoint;
	struct pruned_event *event;

	if (PP_TAKE_GROW(p->keep.budget, &p->events, &p->n_events, (size_t)a->index + 1))
		return NULL;
	event = &p->events[a->index];
	tracepoint = event->named || !p->tracepoints ? NULL : pp_tracepoints_of(p->tracepoints, a);
	event->named |= tracepoint != NULL;
	for (size_t i = 0; tracepoint && i < tracepoint->n_fields && event->n_pids < PP_PRUNE_PIDS; i++) {
		const struct pp_tracepoint_field *const field = &tracepoint->fields[i];

		if (!field->common && !field->array && !strcmp(field->type, "pid_t"))
			event->pids[event->n_pids++] = field;
	}
	return event;
}

/* The threads that a tracepoint's data name: perf sched shows their names. */
static int need_named(struct pp_prune *p, const struct pp_attr *a, const void *raw, size_t size)
{
	const struct pruned_event *const event = pp_prune_event(p, a);

	if (!event)
		return -1;
	for (size_t i = 0; i < event->n_pids; i++) {
		struct pp_thread *t;
		uint64_t tid;

		if (!pp_tracepoint_u64(event->pids[i], raw, size, 0, &tid))
			continue;
		t = pp_task_table_thread(&p->table, (uint32_t)tid);
		if (t)
			t->named = true;
		if (t && !t->fresh && need_thread(p, t, NULL))
			return -1;
	}
	return 0;
}

/* Threads, and pointers into the kernel, among a tracepoint's data, whose fields are aligned. */
static int need_raw(struct pp_prune *p, const struct pp_record *rec)
{
	const void *raw;
	const uint8_t *at;
	size_t size;

	if (!pp_tracepoint_raw(rec, &raw, &size))
		return 0;
	at = raw;
	for (size_t left = size; left >= sizeof(uint64_t); left -= sizeof(uint64_t)) {
		const uint64_t word = pp_load64(at);

		if (word >= PP_PRUNE_HIGH && need_address(p, NULL, word) < 0)
			return -1;
		at += sizeof(uint64_t);
	}
	return need_named(p, rec->attr, raw, size);
}

static int need_group(struct pp_prune *p, uint64_t id)
{
	struct pruned_thing *const group = find_thing(&p->groups, id);
	struct pp_pending due = { .stage = PP_STAGE_COMM };

	if (!group || group->told)
		return 0;
	group->told = true;
	due.kept = group->kept;
	return pp_pending_list_add(&p->dues, &due);
}

/* One value of a record, by what it means. */
static int need_value(struct pp_prune *p, const struct pp_record *rec, struct pp_maps *space,
		      const struct pp_cursor *c, struct pp_error *error)
{
	switch (c->field->is) {
	case PP_IS_ADDRESS: case PP_IS_CHAIN:
		return need_addresses(p, space, c->data, c->count);
	case PP_IS_CGROUP:
		return need_group(p, c->value);
	case PP_IS_EVENT_ID:
		return pp_head_need_id(p->head, rec->attrs, c->value, p->writer, error);
	default:
		return 0;
	}
}

static int need_values(struct pp_prune *p, const struct pp_record *rec, struct pp_maps *space,
		       struct pp_error *error)
{
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END)
		if (token == PP_VALUE && need_value(p, rec, space, &c, error) < 0)
			return -1;
	return 0;             /* what is damaged needs no more than what comes before it */
}

static int need_places(struct pp_prune *p, const struct pp_record *rec, struct pp_maps *space,
		       struct pp_error *error)
{
	const struct pp_attr *const a = rec->attr;
	const bool walked = pp_prune_walks(a);
	const uint8_t *ips;
	uint64_t value, n;

	if (a->sample_type & PP_SAMPLE_STACK_USER && space &&
	    pp_maps_need_all(&p->table.spaces, space, &p->dues))
		return -1;
	if (a->type == PP_TYPE_TRACEPOINT && a->sample_type & PP_SAMPLE_RAW && need_raw(p, rec))
		return -1;
	if (walked && need_values(p, rec, space, error))
		return -1;
	if (pp_attr_is_off_cpu(a)) {
		if (pp_find_u64(rec, PP_IS_CGROUP, &value) && need_group(p, value))
			return -1;
	} else if (walked) {
		return 0;
	}
	if (pp_ip(rec, &value) && need_address(p, space, value) < 0)
		return -1;
	if (pp_addr(rec, &value) && need_address(p, space, value) < 0)
		return -1;
	return pp_callchain(rec, &ips, &n) ? need_addresses(p, space, ips, n) : 0;
}

static int need_machine(struct pp_prune *p, const struct pp_record *rec)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;

	if (p->core_due && pp_maps_need(&p->table.spaces, &p->kernel, p->core, &p->dues))
		return -1;
	p->core_due = false;
	if (mode != PP_MISC_GUEST_KERNEL && mode != PP_MISC_GUEST_USER)
		return 0;
	while (p->n_guests) {
		struct pp_stored *const kept = p->guests[--p->n_guests];
		const struct pp_pending due = { .stage = PP_STAGE_MAP, .kept = kept };
		const int status = pp_pending_list_add(&p->dues, &due);

		pp_stored_drop(&p->keep, kept);
		if (status)
			return -1;
	}
	return 0;
}

static int need_sample(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_thread *t = NULL;
	uint32_t pid, tid;

	if (pp_head_need(p->head, rec, p->writer, error))
		return -1;
	if (!rec->attr)
		return 0;
	if (pp_task(rec, &pid, &tid) && tid != UINT32_MAX) {
		t = pp_task_table_thread_of(&p->table, pid, tid);
		if (!t)
			return no_memory_to_prune(p, error);
		t->sampled = true;
		if (!t->fresh && need_thread(p, t, error))
			return -1;
	}
	if (need_machine(p, rec) || need_places(p, rec, t ? &t->process->maps : NULL, error))
		return error && error->code ? -1 : no_memory_to_prune(p, error);
	return tell_dues(p, rec, error);
}

/* ---- Records ---- */

/* What of a fact of a thread passes: nothing, where it could be kept. */
static int held(int noted)
{
	return noted < 0 ? -1 : noted ? PP_DROP : PP_KEEP;
}

static int note_fact(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_thread *t;

	return held(pp_task_table_note_fact(&p->table, rec, &t, error));
}

static int note_fork(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	return held(pp_task_table_note_fork(&p->table, rec, error));
}

static int replace(struct pp_prune *p, struct pp_stored **place, const struct pp_record *rec,
		   struct pp_error *error)
{
	return pp_stored_replace(&p->keep, place, rec, error) ? -1 : PP_DROP;
}

static int note_guest(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	if (PP_TAKE_GROW(p->keep.budget, &p->guests, &p->room_guests, p->n_guests + 1))
		return no_memory_to_prune(p, error);
	p->guests[p->n_guests] = NULL;
	if (replace(p, &p->guests[p->n_guests], rec, error) < 0)
		return -1;
	p->n_guests++;
	return PP_DROP;
}

static int note_map(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	struct pp_field_query said[] = { { .is = PP_IS_PID }, { .is = PP_IS_START }, { .is = PP_IS_LENGTH } };
	struct pp_maps *maps = &p->kernel;
	const char *name;
	uint64_t length;
	size_t n;

	if (mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER)
		return note_guest(p, rec, error);
	pp_lookup_fields(rec, said, 3);
	length = said[2].value;
	if (!said[1].there || !said[2].there)
		return PP_KEEP;
	if (said[0].there && pp_is_process_map(rec, (uint32_t)said[0].value)) {
		maps = pp_task_table_maps(&p->table, (uint32_t)said[0].value);
		if (!maps)
			return no_memory_to_prune(p, error);
	} else if (pp_find_text(rec, PP_IS_PATH, &name, &n) && begins(name, n, "[kernel")) {
		p->core_due = true;
		p->core = said[1].value;
		if (!length)
			length = UINT64_MAX;
	}
	return pp_task_table_note_map(&p->table, maps, rec, said[1].value,
				      pp_end_of(said[1].value, length), error) ? -1 : PP_DROP;
}

static int note_exit(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_thread *t;
	uint64_t tid;
	bool known;

	if (!pp_find_u64(rec, PP_IS_TID, &tid))
		return PP_KEEP;
	t = pp_task_table_thread(&p->table, (uint32_t)tid);
	if (!t || t->ended)
		return PP_DROP;
	known = t->sampled || t->named;
	/* a sample that comes after it needs that it came: since 6.12 perf has no name for it then */
	if (!known && replace(p, &t->exit, rec, error) < 0)
		return -1;
	t->fresh &= known;
	/* nor can a name come after it */
	if ((known && need_name(p, t)) || pp_task_table_end(&p->table, t))
		return no_memory_to_prune(p, error);
	return !known ? PP_DROP : tell_dues(p, rec, error) ? -1 : PP_KEEP;
}

static int note_ksymbol(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t start, length, flags;
	int told;

	if (!pp_find_u64(rec, PP_IS_START, &start) || !pp_find_u64(rec, PP_IS_LENGTH, &length) ||
	    !pp_find_u64(rec, PP_IS_FLAGS, &flags))
		return PP_KEEP;
	if (flags & 1) {
		told = pp_maps_remove(&p->table.spaces, &p->kernel, start);
		return told < 0 ? no_memory_to_prune(p, error) : told ? PP_KEEP : PP_DROP;
	}
	return pp_task_table_note_map(&p->table, &p->kernel, rec, start, pp_end_of(start, length), error) ?
	       -1 : PP_DROP;
}

static int note_cgroup(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	struct pruned_thing *group;
	uint64_t id;

	if (!pp_find_u64(rec, PP_IS_CGROUP, &id))
		return PP_KEEP;
	group = find_thing(&p->groups, id);
	if (!group)
		group = add_thing(p, &p->groups, id);
	if (!group)
		return no_memory_to_prune(p, error);
	group->told = false;
	return replace(p, &group->kept, rec, error);
}

/* What the record is about: a name, or one file of that name. */
static uint64_t subject(const struct pp_record *rec, const char *name, size_t length)
{
	uint64_t is[4] = { 0 };

	if (rec->misc & PP_MISC_BUILD_ID_FILE &&
	    !(pp_find_u64(rec, PP_IS_MAJOR, &is[0]) && pp_find_u64(rec, PP_IS_MINOR, &is[1]) &&
	      pp_find_u64(rec, PP_IS_INODE, &is[2]) && pp_find_u64(rec, PP_IS_GENERATION, &is[3])))
		is[0] = 0;
	return XXH3_64bits_withSeed(name, length, is[2] ? XXH3_64bits(is, sizeof(is)) : 0);
}

static int note_build_id(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	const char *name;
	struct pruned_thing *file;
	size_t length;
	uint64_t key;

	if (!pp_find_text(rec, PP_IS_PATH, &name, &length))
		return PP_KEEP;
	key = file_key(rec, name, length);
	file = find_thing(&p->files, key);
	if (file && file->told)
		return PP_KEEP;
	while (file && file->name != subject(rec, name, length))
		file = (struct pruned_thing *)pp_table_same(file->link.next, key);
	if (!file)
		file = add_thing(p, &p->files, key);
	if (!file)
		return no_memory_to_prune(p, error);
	file->name = subject(rec, name, length);
	return replace(p, &file->kept, rec, error);
}

static bool was_sampled(const struct pp_prune *p, uint32_t tid)
{
	const struct pp_thread *const t = pp_task_table_thread(&p->table, tid);

	return t && t->sampled;
}

static int note_switch(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	uint32_t pid, tid;
	uint64_t other;

	(void)error;
	if (!pp_task(rec, &pid, &tid) || was_sampled(p, tid))
		return PP_KEEP;
	return pp_find_u64(rec, PP_IS_OTHER_TID, &other) && was_sampled(p, (uint32_t)other) ?
		       PP_KEEP : PP_DROP;
}

/* The rest of a call chain, which comes when its thread goes back to user mode. */
static int note_deferred(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_thread *t = NULL;
	uint32_t pid, tid;

	if (pp_task(rec, &pid, &tid))
		t = pp_task_table_thread(&p->table, tid);
	if (!t || !t->sampled)
		return PP_KEEP;
	if (need_values(p, rec, &t->process->maps, error))
		return no_memory_to_prune(p, error);
	return tell_dues(p, rec, error) ? -1 : PP_KEEP;
}

static int note_sample(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	return need_sample(p, rec, error) ? -1 : PP_KEEP;
}

/* A decoder makes samples of AUX traces that cannot be seen here: all stays. */
static int note_aux(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	bool failed = false;

	if (p->all)
		return PP_KEEP;
	p->all = true;
	for (size_t i = 0; i < p->table.threads.room; i++)
		for (struct pp_link *l = p->table.threads.buckets[i]; l; l = l->next)
			failed |= need_thread(p, (struct pp_thread *)l, error) != 0;
	for (size_t i = 0; i < p->table.processes.room; i++)
		for (struct pp_link *l = p->table.processes.buckets[i]; l; l = l->next)
			failed |= pp_maps_need_all(&p->table.spaces,
						   &((struct pp_process *)l)->maps, &p->dues) != 0;
	for (size_t i = 0; i < p->groups.room; i++)
		for (const struct pp_link *l = p->groups.buckets[i]; l; l = l->next)
			failed |= need_group(p, l->key) != 0;
	failed |= pp_maps_need_all(&p->table.spaces, &p->kernel, &p->dues) != 0;
	return failed ? no_memory_to_prune(p, error) : tell_dues(p, rec, error) ? -1 : PP_KEEP;
}

static const struct prune_rule {
	uint32_t type;
	bool side_band;               /* counted */
	int (*note)(struct pp_prune *, const struct pp_record *, struct pp_error *);
} rules[] = {
	{ PP_REC_SAMPLE, false, note_sample }, { PP_REC_MMAP2, true, note_map },
	{ PP_REC_MMAP, true, note_map }, { PP_REC_COMM, true, note_fact },
	{ PP_REC_FORK, true, note_fork }, { PP_REC_EXIT, true, note_exit },
	{ PP_REC_SWITCH, true, note_switch }, { PP_REC_SWITCH_CPU_WIDE, true, note_switch },
	{ PP_REC_NAMESPACES, true, note_fact }, { PP_REC_KSYMBOL, true, note_ksymbol },
	{ PP_REC_CGROUP, true, note_cgroup }, { PP_REC_HEADER_BUILD_ID, true, note_build_id },
	{ PP_REC_CALLCHAIN_DEFERRED, false, note_deferred }, { PP_REC_AUXTRACE_INFO, false, note_aux },
	{ PP_REC_AUXTRACE, false, note_aux },
};

static const struct prune_rule *rule_of(uint32_t type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].type == type)
			return &rules[i];
	return NULL;
}

static int judge(struct pp_prune *p, const struct pp_record *rec, const struct prune_rule *rule,
		 struct pp_error *error)
{
	int verdict = pp_head_note(p->head, rec, p->writer, error);

	if (verdict == PP_KEEP && rule && (!p->all || !rule->side_band))
		verdict = rule->note(p, rec, error);
	if (verdict == PP_KEEP && rec->type < PP_USER_TYPES && rec->type != PP_REC_SAMPLE &&
	    pp_head_need(p->head, rec, p->writer, error))
		return -1;
	return verdict;
}

int pp_prune_judge(struct pp_prune *p, const struct pp_record *rec, struct pp_error *error)
{
	const struct prune_rule *const rule = rule_of(rec->type);
	uint64_t time;
	int verdict;

	if (p->failed)
		return PP_STOP;
	p->attrs = rec->attrs ? rec->attrs : p->attrs;
	verdict = judge(p, rec, rule, error);
	if (rule && rule->side_band) {
		p->stats.side_band++;
		p->stats.kept += verdict == PP_KEEP;
	}
	if (verdict == PP_KEEP && pp_time(rec, &time) && time > p->latest)
		p->latest = time;
	if (p->keep.file)
		p->stats.spilled = true;
	if (verdict == PP_KEEP && !rec->tail && rec->type != PP_REC_FINISHED_ROUND &&
	    pp_head_closed(p->head))
		verdict = pp_head_write(p->head, rec, p->writer, error) ? -1 : PP_DROP;
	p->failed = verdict < 0;
	return verdict;
}

static int judge_head(void *arg, struct pp_record *rec, struct pp_error *error)
{
	return pp_prune_judge(arg, rec, error);
}

int pp_prune_head(struct pp_prune *p, struct pp_sideband *s, const uint32_t *pid, struct pp_error *error)
{
	pp_head_from(p->head, s);
	return pp_sideband_write(s, pid, judge_head, p, p->writer, error);
}

int pp_prune_end(struct pp_prune *p, struct pp_error *error)
{
	return p->failed ? 0 : pp_head_end(p->head, p->attrs, p->writer, error);
}

const struct pp_prune_stats *pp_prune_stats(const struct pp_prune *p)
{
	return &p->stats;
}

struct pp_prune *pp_prune_new(struct pp_budget *budget, const struct pp_tracepoints *tracepoints,
			      struct pp_reader *reader, struct pp_writer *w)
{
	struct pp_prune *const p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->keep.budget = budget;
	p->dues.keep = &p->keep;
	p->tracepoints = tracepoints;
	p->head = pp_head_new(&p->keep, reader);
	pp_task_table_open(&p->table, budget, &p->keep, ENDED);
	p->writer = w;
	if (!p->head) {
		pp_prune_free(p);
		return NULL;
	}
	p->kernel.owner = ++p->table.owners;
	return p;
}

void pp_prune_free(struct pp_prune *p)
{
	if (!p)
		return;
	pp_pending_list_close(&p->dues);
	for (size_t i = 0; i < p->n_guests; i++)
		pp_stored_drop(&p->keep, p->guests[i]);
	pp_give_back(p->keep.budget, p->guests, p->room_guests * sizeof(struct pp_stored *));
	pp_give_back(p->keep.budget, p->events, p->n_events * sizeof(*p->events));
	pp_space_drop(&p->table.spaces, p->kernel.space);
	pp_task_table_close(&p->table);
	free_things(p, &p->groups);
	free_things(p, &p->files);
	pp_head_free(p->head);
	pp_record_store_close(&p->keep);
	free(p);
}
