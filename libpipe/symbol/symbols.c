/*
 * symbols.c - names of the addresses of a stream: which file and offset an address is in, by the maps
 * of its time; what the stream says of that, else this machine.  Finding and reading files is resolver.c's.
 */
#include <perfpipe/callchain.h>
#include <perfpipe/symbol.h>

#include <perfpipe/build_id.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sized_options.h"
#include "base/log.h"
#include "model/map_names.h"
#include "model/recorded.h"
#include "symbol/resolver.h"
#include "symbol/name_store.h"
#include "symbol/ksymbols.h"
#include "symbol/passing.h"

enum { PIDS = 1024, CACHED = 1 << 16, MAPPINGS_MOST = 1 << 20, MEMORY_LEAST = 1 << 20 };

static const uint32_t kernel_pid = UINT32_MAX;

struct pp_symbols {
	struct pp_symbols_options options;
	struct pp_tasks *tasks;
	struct pp_resolver *engine;     /* NULL: only the stream is asked */
	bool same_release;            /* of the recorded kernel and of this one */
	struct pp_recorded recorded;
	bool other_name;              /* the recorded host's is said, and not that of this one */
	uint64_t kernel, text;        /* where the recorded kernel begins, and its _text is; 0: not known */
	struct pp_name_store known;
	bool said_no_room;            /* that names of the stream are left out */
	struct pp_symbols_stats stats;
	struct pp_ksymbols ksymbols;
	uint32_t enough;              /* flags that make an answer complete */
	/* Addresses that are known, or wanted, while their process maps nothing new. */
	uint32_t changes[PIDS];
	struct { uint64_t address; uint32_t pid, change; } cached[CACHED];
	uint32_t *of_mapping;         /* 1 + the object of a file's mapping, by its number; 0: not known */
	size_t n_of_mapping;
	struct pp_named_frame frames[PP_NAMES_FRAMES];  /* what was answered last */
	char bare[40];                /* and its dso, where that is memory without a file */
	struct pp_packing packing;    /* what is handed out; ->put NULL: nothing is */
	size_t at_work;               /* the object that is being looked up */
	bool taken;                   /* it had an answer */
	struct pp_offsets unknown;    /* what is asked of it */
};

struct pp_symbols *pp_symbols_new(const struct pp_symbols_options *options, struct pp_tasks *tasks,
				  struct pp_error *error)
{
	struct pp_symbols_options taken;
	struct pp_symbols *s;

	if (pp_options_take(&taken, sizeof(taken), options, error))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s) {
		s->options = taken;
		s->options.lines |= taken.lines_of_files;
		s->tasks = tasks;
		s->known.memory = !taken.memory ? UINT64_C(256) << 20 :
				  taken.memory < MEMORY_LEAST ? MEMORY_LEAST : taken.memory;
		s->enough = (taken.no_inline ? 0 : PP_NAMES_INLINED) | (taken.lines ? PP_NAMES_LINES : 0) |
			    (taken.data ? PP_ANSWER_DATA : 0);
		s->engine = taken.no_files ? NULL : pp_resolver_new(&s->options);
	}
	if (s && (s->engine || taken.no_files))
		return s;
	free(s);
	pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

void pp_symbols_free(struct pp_symbols *s)
{
	if (!s)
		return;
	pp_resolver_free(s->engine);
	pp_name_store_free(&s->known);
	free(s->unknown.items);
	free(s->of_mapping);
	pp_ksymbols_free(&s->ksymbols);
	pp_packing_free(&s->packing);
	free(s);
}

const struct pp_symbols_stats *pp_symbols_stats(const struct pp_symbols *s)
{
	return &s->stats;
}

/* ---- Records ---- */

static int no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static void say_no_room(struct pp_symbols *s)
{
	if (!s->said_no_room)
		pp_say(&s->options.say, "the names in the stream take more than half of %" PRIu64 " MiB: "
		       "further ones are looked up in files, if they are here",
		       s->known.memory >> 20);
	s->said_no_room = true;
}

static int learn_file(struct pp_symbols *s, const struct pp_named_file *names, struct pp_error *error)
{
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	size_t object;

	if (pp_name_store_has_no_room(&s->known)) {
		say_no_room(s);
		return 0;
	}
	if (pp_name_store_object(&s->known, names, false, &object))
		return no_memory(error);
	for (uint32_t i = 0; i < names->count; i++) {
		struct pp_named named;
		int got;

		pp_names_at(names, i, &named);
		for (uint32_t n = 0; n < named.count; n++)
			pp_names_frame(names, named.frame + n, &frames[n]);
		got = pp_name_store_add(&s->known, object, &named, frames,
					names->flags & ~(uint32_t)PP_ANSWER_DATA);
		if (got < 0)
			return no_memory(error);
		s->stats.from_stream += got > 0;
	}
	return 0;
}

int pp_symbols_learn(struct pp_symbols *s, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_named_file names;
	int more;

	if (rec->type != PP_REC_FINISHED_ROUND || !pp_is_names(rec))
		return 0;
	if (pp_names_open(&names, rec, error))
		return -1;
	do {
		if (learn_file(s, &names, error))
			return -1;
		more = pp_names_next(&names, error);
	} while (more > 0);
	return more;
}

static int note_ksymbol(struct pp_symbols *s, const struct pp_record *rec, struct pp_error *error)
{
	const int got = pp_ksymbols_note(&s->ksymbols, rec, error);

	s->changes[kernel_pid % PIDS]++;
	return got < 0 ? -1 : 0;
}

static bool is_text(const struct pp_record *rec, const char *field, const char *text)
{
	const char *said;
	size_t length;

	return pp_get_text(rec, field, &said, &length) && length == strlen(text) &&
	       !memcmp(said, text, length);
}

/* What tells kernels apart that have no build-id. */
static void tell_engine(struct pp_symbols *s)
{
	if (s->engine)
		pp_resolver_recorded_kernel(s->engine, s->same_release ? s->text : 0);
}

static void note_machine(struct pp_symbols *s, const struct pp_record *rec)
{
	struct utsname here;
	uint64_t feature;

	if (!pp_find_feature(rec, &feature) || uname(&here) ||
	    (feature != PP_FEAT_OSRELEASE && feature != PP_FEAT_HOSTNAME))
		return;
	if (feature == PP_FEAT_HOSTNAME) {
		s->other_name = !is_text(rec, "hostname", here.nodename);
		return;
	}
	s->same_release = is_text(rec, "osrelease", here.release);
	tell_engine(s);
}

/* Its name ends in the symbol whose address the offset is. */
static void note_kernel(struct pp_symbols *s, const struct pp_record *rec)
{
	static const char name[] = "[kernel.kallsyms]", text[] = "[kernel.kallsyms]_text";
	const char *said;
	size_t length;

	if (!pp_find_text(rec, PP_IS_PATH, &said, &length) || length < strlen(name) ||
	    memcmp(said, name, strlen(name)) != 0)
		return;
	(void)pp_find_u64(rec, PP_IS_START, &s->kernel);
	if (length == strlen(text) && !memcmp(said, text, length))
		(void)pp_find_u64(rec, PP_IS_OFFSET, &s->text);
	tell_engine(s);
}

int pp_symbols_note(struct pp_symbols *s, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t pid;

	if (rec->type == PP_REC_SAMPLE)
		return 0;
	if (rec->type == PP_REC_KSYMBOL)
		return note_ksymbol(s, rec, error);
	pp_recorded_note(&s->recorded, rec);
	if (rec->type == PP_REC_HEADER_FEATURE)
		note_machine(s, rec);
	if (pp_type_is(rec->type, PP_MAPS | PP_TASK) && pp_find_u64(rec, PP_IS_PID, &pid)) {
		s->changes[(uint32_t)pid % PIDS]++;
		if ((rec->misc & PP_MISC_CPUMODE) == PP_MISC_KERNEL) {
			s->changes[kernel_pid % PIDS]++;
			note_kernel(s, rec);
		}
	} else if (rec->type >= PP_USER_TYPES && rec->type != PP_REC_FINISHED_ROUND) {
		/* build-ids of files that are mapped already */
		for (size_t i = 0; i < PIDS; i++)
			s->changes[i]++;
		if (s->n_of_mapping)
			memset(s->of_mapping, 0, s->n_of_mapping * sizeof(*s->of_mapping));
	}
	return pp_symbols_learn(s, rec, error);
}

/* ---- Addresses ---- */

/*
 * What was said of a file before all was known of it: where its maps came from /proc, which does not tell
 * the generation; and before its build-id was learnt.  0, or -1: memory.
 */
static int unite(struct pp_symbols *s, const struct pp_map *map, size_t object)
{
	struct pp_named_file other = {
		.kind = PP_NAMES_FILE, .path = map->filename, .maj = map->maj, .min = map->min,
		.ino = map->ino, .ino_generation = map->ino_generation,
	};

	if (map->has_build_id && !map->id_of_name && pp_name_store_unite(&s->known, &other, object))
		return -1;
	if (!map->ino_generation)
		return 0;
	other.ino_generation = 0;
	return pp_name_store_unite(&s->known, &other, object);
}

/* Which object a mapping is of, and the offset in it.  0, or -1: memory. */
static int object_of(struct pp_symbols *s, const struct pp_map *map, uint32_t pid, uint64_t address,
		     size_t *object, uint64_t *offset)
{
	struct pp_named_file of = { .kind = PP_NAMES_FILE, .path = map->filename };
	char kernel[64];

	if (map->has_build_id) {
		of.id_size = map->build_id_size;
		memcpy(of.id, map->build_id, sizeof(of.id));
		of.id_of_name = map->id_of_name;
	}
	of.maj = map->maj;
	of.min = map->min;
	of.ino = map->ino;
	of.ino_generation = map->ino_generation;
	*offset = address - map->start + map->pgoff;
	if (map->kernel) {
		const size_t length = strcspn(map->filename, "]") + 1;

		of.kind = PP_NAMES_KERNEL;
		*offset = address - map->start;
		/* the name of the kernel's map ends in a symbol that says where it begins */
		if (*map->filename == '[' && length < sizeof(kernel) && map->filename[length - 1]) {
			memcpy(kernel, map->filename, length);
			kernel[length] = '\0';
			of.path = kernel;
		}
	} else if (pp_map_is_of_process(map->filename)) {
		of = (struct pp_named_file){ .kind = PP_NAMES_PROCESS, .pid = pid, .path = "" };
		*offset = address;
	}
	/* names of maps are the tasks' own, which outlive this */
	if (pp_name_store_object(&s->known, &of, of.path == map->filename, object))
		return -1;
	if (of.kind != PP_NAMES_FILE || !map->ino)
		return 0;
	pp_name_store_hint(&s->known.objects[*object], &of);
	return unite(s, map, *object);
}

/* Something in it was hit.  The first time counts: of what was changed after that, this hit had something
 * else. */
static void meet(const struct pp_symbols *s, struct pp_object *o, uint32_t pid)
{
	o->pid = pid;
	if (!o->recorded_by)
		o->recorded_by = pp_recorded_by(&s->recorded);
}

/* The same of a file, once for each mapping: programs that start have few new files and many addresses. */
static int file_of(struct pp_symbols *s, const struct pp_map *map, uint32_t pid, uint64_t address,
		   size_t *object, uint64_t *offset)
{
	if (map->number < s->n_of_mapping && s->of_mapping[map->number]) {
		*object = s->of_mapping[map->number] - 1;
		*offset = address - map->start + map->pgoff;
	} else {
		if (object_of(s, map, pid, address, object, offset))
			return -1;
		if (s->known.objects[*object].of.kind == PP_NAMES_FILE && map->number < MAPPINGS_MOST) {
			if (PP_GROW_ZEROED(&s->of_mapping, &s->n_of_mapping, map->number + 1, NULL))
				return -1;
			s->of_mapping[map->number] = (uint32_t)*object + 1;
		}
	}
	meet(s, &s->known.objects[*object], pid);
	return 0;
}

/* The map of the kernel ends with the code that stays.  Code that runs once comes after that and after
 * the data: start_kernel() and its callers, from which the idle task of the first processor comes.  perf
 * makes the map longer when it has read the symbols. */
static const struct pp_map *map_of(struct pp_symbols *s, uint32_t pid, unsigned cpumode, uint64_t address)
{
	enum { LARGEST = 128 << 20 };
	const struct pp_map *const map = pp_tasks_map(s->tasks, pid, cpumode, address);

	if (map || cpumode != PP_MISC_KERNEL || !s->kernel || address - s->kernel >= LARGEST)
		return map;
	return pp_tasks_map(s->tasks, pid, cpumode, s->kernel);
}

/* Where an address is: a file and an offset in it.  1, 0: nowhere, -1: memory. */
static int locate(struct pp_symbols *s, uint32_t pid, unsigned cpumode, uint64_t address, size_t *object,
		  uint64_t *offset, const struct pp_map **where)
{
	const struct pp_map *const map = map_of(s, pid, cpumode, address);

	*where = map;
	if (!map)
		return 0;
	return (map->kernel ? object_of : file_of)(s, map, pid, address, object, offset) ? -1 : 1;
}

static int add_offset(struct pp_offsets *to, uint64_t offset)
{
	if (PP_GROW(&to->items, &to->room, to->n + 1, NULL))
		return -1;
	to->items[to->n++] = offset;
	return 0;
}

/* Whether debug information could tell more than the stream does. */
static bool is_incomplete(const struct pp_symbols *s, const struct pp_lookup *a)
{
	return a->of_stream && !a->asked && (s->options.whole_paths || s->enough & ~a->flags);
}

/* It is asked once, even where it has nothing better. */
static bool ask_for_more(struct pp_symbols *s, struct pp_lookup *a)
{
	if (!is_incomplete(s, a))
		return false;
	a->asked = true;
	return true;
}

/* Adds an offset to what will be looked up, unless it is known or was asked for. */
static int want(struct pp_symbols *s, size_t number, uint64_t offset)
{
	struct pp_object *const o = &s->known.objects[number];
	struct pp_lookup *const said = pp_name_store_said(&s->known, number, offset);
	int got;

	if (said)
		return ask_for_more(s, said) ? pp_name_store_want(&s->known, &o->incomplete, offset) : 0;
	got = pp_idmap_add(&o->asked, offset);
	return got > 0 ? pp_name_store_want(&s->known, &o->unnamed, offset) : got;
}

/* Wants an address that was not among the last ones. */
static int want_address(struct pp_symbols *s, uint32_t pid, unsigned cpumode, uint64_t address)
{
	const struct pp_map *map;
	uint64_t offset;
	size_t object;
	int got;

	if (!s->engine || (cpumode == PP_MISC_KERNEL && pp_ksymbols_at(&s->ksymbols, address, &offset)))
		return 0;
	got = locate(s, pid, cpumode, address, &object, &offset, &map);
	return got < 0 || (got && want(s, object, offset)) ? -1 : 0;
}

int pp_symbols_want(struct pp_symbols *s, uint32_t pid, unsigned cpumode, const void *addresses, size_t n,
		    struct pp_error *error)
{
	const uint32_t owner = cpumode == PP_MISC_KERNEL ? kernel_pid : pid;
	const uint32_t change = s->changes[owner % PIDS] + 1;
	const uint64_t of = owner * UINT64_C(40503);
	bool any = false;

	/* what frame pointers lead to may look like a mark, of which nothing is mapped */
	if (cpumode != PP_MISC_KERNEL && cpumode != PP_MISC_USER)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t address = pp_chain_address(addresses, i);
		const size_t slot = (size_t)((address ^ address >> 15 ^ of) % CACHED);

		if (s->cached[slot].address == address && s->cached[slot].pid == owner &&
		    s->cached[slot].change == change)
			continue;
		s->cached[slot].address = address;
		s->cached[slot].pid = owner;
		s->cached[slot].change = change;
		any = true;
		if (want_address(s, pid, cpumode, address))
			return no_memory(error);
	}
	return any && pp_name_store_is_full(&s->known);
}

/* ---- Looking up ---- */

/* As they are known, or as they are shown. */
static void take_frames(struct pp_symbols *s, const struct pp_lookup *a,
			void (*frame)(const struct pp_name_store *, const struct pp_lookup *, uint32_t number,
				      struct pp_named_frame *))
{
	for (uint32_t i = 0; i < a->count; i++)
		frame(&s->known, a, i, &s->frames[i]);
}

/* How many of its frames are functions: the last may be data. */
static uint32_t functions_of(const struct pp_lookup *a)
{
	return a->count && a->flags & PP_ANSWER_DATA ? a->count - 1 : a->count;
}

static int take(void *arg, const struct pp_named *named, const struct pp_named_frame *frames,
		uint32_t flags, const struct pp_address_range *extent, struct pp_error *error)
{
	struct pp_symbols *const s = arg;

	s->taken = true;
	return pp_name_store_cover(&s->known, s->at_work, extent, named, frames, flags) ?
		       no_memory(error) : 0;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of what had no name when it was wanted, the stream may have said one since. */
static int leave_unnamed(struct pp_symbols *s, size_t number)
{
	struct pp_object *const o = &s->known.objects[number];
	size_t kept = 0;

	for (size_t i = 0; i < o->unnamed.n; i++) {
		const uint64_t offset = o->unnamed.items[i];
		struct pp_lookup *const said = pp_name_store_said(&s->known, number, offset);

		if (!said)
			o->unnamed.items[kept++] = offset;
		else if (ask_for_more(s, said) && pp_name_store_want(&s->known, &o->incomplete, offset))
			return -1;
	}
	o->unnamed.n = kept;
	return 0;
}

/* The vdso of which a stream says no build-id is this kernel's, where that was recorded.  Who may not see
 * where the kernel is records no map of it: then the release alone tells. */
static void identify_vdso(struct pp_symbols *s, struct pp_named_file *of)
{
	const struct pp_map *const kernel = pp_tasks_map(s->tasks, 0, PP_MISC_KERNEL, s->kernel);
	struct pp_id id = { .size = 0 };
	bool same;

	if (s->options.root || of->kind != PP_NAMES_FILE || of->id_size || strcmp(of->path, "[vdso]") != 0)
		return;
	if (kernel && kernel->has_build_id) {
		id.size = kernel->build_id_size;
		memcpy(id.bytes, kernel->build_id, sizeof(id.bytes));
	}
	same = id.size || s->text ? pp_resolver_runs(s->engine, &id) : s->same_release;
	if (!same || pp_vdso_build_id(of->id, &of->id_size) != 1)
		of->id_size = 0;
}

/* What this machine does not know yet is asked of its files, by one of each extent. */
static int ask(struct pp_symbols *s, size_t number, const uint64_t *offsets, size_t n, bool named,
	       struct pp_error *error)
{
	struct pp_object *const o = &s->known.objects[number];
	const struct pp_answered answered = { take, s };
	struct pp_asked asked = { .number = number, .of = o->of, .pid = o->pid, .recorded_by = o->recorded_by,
				  .named = named };

	/* inodes are those of the recorded machine */
	asked.of.id_of_name &= !s->other_name;
	s->unknown.n = 0;
	if (named && o->exhausted)
		return 0;
	identify_vdso(s, &asked.of);
	for (size_t i = 0; i < n; i++)
		if (!pp_name_store_here(&s->known, number, offsets[i]) && add_offset(&s->unknown, offsets[i]))
			return no_memory(error);
	asked.offsets = s->unknown.items;
	asked.n = s->unknown.n;
	s->at_work = number;
	s->taken = false;
	if (asked.n && pp_resolver_names(s->engine, &asked, &answered, error))
		return -1;
	o->exhausted |= named && asked.n && !s->taken;
	s->stats.files = pp_resolver_files(s->engine);
	s->stats.isolated = pp_resolver_isolated(s->engine);
	return 0;
}

/* Hands out what is known here of an offset, if that is more than the stream says. */
static int tell(struct pp_symbols *s, size_t number, uint64_t offset, bool named, struct pp_error *error)
{
	const struct pp_lookup *const a = pp_name_store_here(&s->known, number, offset);
	struct pp_lookup *const said = named ? pp_name_store_said(&s->known, number, offset) : NULL;
	struct pp_named at = { .offset = offset };

	/* the stream's paths may not be whole */
	if (!a || !functions_of(a) || (said && !(a->flags & ~said->flags) &&
				       !(s->options.whole_paths && a->flags & PP_NAMES_LINES)))
		return 0;
	s->stats.named++;
	if (said)
		said->outdone = true;
	if (!s->packing.put)
		return 0;
	at.start = a->start;
	at.count = functions_of(a);
	take_frames(s, a, pp_name_store_frame);
	return pp_packing_add(&s->packing, &at, s->frames, a->flags & ~(uint32_t)PP_ANSWER_DATA, error);
}

/* So many at a time that what is said of them fits in the memory for names. */
static int look_up(struct pp_symbols *s, size_t number, struct pp_offsets *offsets, bool named,
		   struct pp_error *error)
{
	enum { SOME = 1 << 13 };
	const size_t n = offsets->n;

	if (n > 1)
		qsort(offsets->items, n, sizeof(*offsets->items), by_number);
	s->packing.of = pp_name_store_named(&s->known.objects[number]);
	for (size_t at = 0; at < n; at += SOME) {
		const size_t some = n - at < SOME ? n - at : SOME;

		if (at && pp_name_store_is_full(&s->known))
			pp_name_store_forget(&s->known);
		if (ask(s, number, offsets->items + at, some, named, error))
			return -1;
		for (size_t i = at; i < at + some; i++)
			if (tell(s, number, offsets->items[i], named, error))
				return -1;
	}
	offsets->n = 0;
	return pp_packing_flush(&s->packing, error);
}

static int resolve_object(struct pp_symbols *s, size_t number, bool unnamed, struct pp_error *error)
{
	struct pp_object *const o = &s->known.objects[number];

	if (unnamed && o->unnamed.n) {
		if (leave_unnamed(s, number))
			return no_memory(error);
		s->stats.addresses += o->unnamed.n;
		if (look_up(s, number, &o->unnamed, false, error))
			return -1;
	}
	if (o->incomplete.n) {
		const uint64_t before = s->stats.named;

		if (look_up(s, number, &o->incomplete, true, error))
			return -1;
		s->stats.addresses += s->stats.named - before;
	}
	return 0;
}

int pp_symbols_resolve(struct pp_symbols *s, bool last, pp_symbols_put_fn *put, void *arg,
		       struct pp_error *error)
{
	const bool unnamed = last || !s->stats.from_stream || pp_name_store_is_full(&s->known);
	int status = 0;

	s->packing.put = put;
	s->packing.arg = arg;
	for (size_t i = 0; !status && i < s->known.n_objects; i++)
		status = resolve_object(s, i, unnamed, error);
	s->packing.put = NULL;
	if (pp_name_store_is_full(&s->known))
		pp_name_store_forget(&s->known);
	return status;
}

static bool answer_ksymbol(struct pp_symbols *s, uint64_t address, struct pp_location *place)
{
	uint64_t start;
	const char *const name = pp_ksymbols_at(&s->ksymbols, address, &start);

	if (!name)
		return false;
	s->frames[0] = (struct pp_named_frame){ .symbol = name, .file = "" };
	*place = (struct pp_location){ .dso = strncmp(name, "bpf_prog_", 9) ? "[kernel.kallsyms]" : name,
				    .offset = address - start, .into = address - start,
				    .frames = s->frames, .count = 1, .of_stream = true };
	return true;
}

static int answer(struct pp_symbols *s, const struct pp_lookup *a, uint64_t offset, struct pp_location *place)
{
	if (a && a->bias)
		place->linked = offset + a->bias;
	if (!a || !functions_of(a))
		return 0;
	take_frames(s, a, pp_name_store_shown);
	place->into = offset - a->start;
	place->frames = s->frames;
	place->count = functions_of(a);
	if (place->count < a->count && *s->frames[place->count].symbol) {
		const struct pp_named_frame *const data = &s->frames[place->count];

		place->type = data->symbol;
		place->member = data->inlined ? NULL : data->file;
		place->type_offset = data->line;
	}
	place->of_stream = a->of_stream;
	return 1;
}

int pp_symbols_later(struct pp_symbols *s, uint32_t file, uint64_t offset, struct pp_location *place)
{
	*place = (struct pp_location){ .offset = offset, .file = file };
	return file && file <= s->known.n_objects ?
	       answer(s, pp_name_store_at(&s->known, file - 1, offset), offset, place) : 0;
}

/* What a map is called. */
static const char *name_of(struct pp_symbols *s, const struct pp_map *map, uint32_t pid)
{
	if (!pp_map_is_code(map) || !pp_map_in_perf_map(map->filename, strlen(map->filename)))
		return map->filename;
	snprintf(s->bare, sizeof(s->bare), "/tmp/perf-%" PRIu32 ".map", pid);
	return s->bare;
}

/* What is known of an offset, once it was asked for.  1; 0: no name; -1 and *error. */
static int name_place(struct pp_symbols *s, size_t object, uint64_t offset, struct pp_location *place,
		      struct pp_error *error)
{
	const struct pp_lookup *a = pp_name_store_at(&s->known, object, offset);

	if (s->engine && (!a || is_incomplete(s, a))) {
		if (want(s, object, offset))
			return no_memory(error);
		if (resolve_object(s, object, true, error))
			return -1;
		a = pp_name_store_at(&s->known, object, offset);
	}
	return answer(s, a, offset, place);
}

int pp_symbols_name(struct pp_symbols *s, uint32_t file, uint64_t offset, struct pp_location *place,
		    struct pp_error *error)
{
	*place = (struct pp_location){ .offset = offset, .file = file };
	if (pp_name_store_is_full(&s->known))
		pp_name_store_forget(&s->known);
	return name_place(s, file - 1, offset, place, error);
}

int pp_symbols_at(struct pp_symbols *s, uint32_t pid, unsigned cpumode, uint64_t address,
		  struct pp_location *place, struct pp_error *error)
{
	const struct pp_map *map;
	uint64_t offset;
	bool beyond;
	size_t object;
	int got;

	*place = (struct pp_location){ .dso = NULL };
	if (pp_name_store_is_full(&s->known))
		pp_name_store_forget(&s->known);
	if (cpumode == PP_MISC_KERNEL && answer_ksymbol(s, address, place))
		return 1;
	got = locate(s, pid, cpumode, address, &object, &offset, &map);
	if (got <= 0)
		return got < 0 ? no_memory(error) : 0;
	beyond = address >= map->end;
	place->dso = map->kernel && s->known.objects[object].of.path ? s->known.objects[object].of.path :
		     name_of(s, map, pid);
	place->offset = offset;
	place->file = object < UINT32_MAX ? (uint32_t)object + 1 : 0;
	got = name_place(s, object, offset, place, error);
	/* an address without a name there may be anything */
	if (!got && beyond)
		place->dso = NULL;
	return got;
}

int pp_symbols_where(struct pp_symbols *s, uint32_t pid, unsigned cpumode, uint64_t address, uint32_t *file,
		     uint64_t *offset)
{
	const struct pp_map *map;
	uint64_t start;
	size_t object;
	int got;

	if (cpumode == PP_MISC_KERNEL && pp_ksymbols_at(&s->ksymbols, address, &start))
		return 0;
	got = locate(s, pid, cpumode, address, &object, offset, &map);
	if (got < 0)
		return -1;
	*file = got ? (uint32_t)object + 1 : 0;
	*offset = got ? *offset : address;
	if (!got)
		return 1;
	return object < UINT32_MAX && address < map->end;
}

/* ---- As they are ---- */

int pp_symbols_file(struct pp_symbols *s, const struct pp_named_file *of, uint32_t *file)
{
	size_t object;

	if (pp_name_store_object(&s->known, of, false, &object) || object >= UINT32_MAX)
		return -1;
	*file = (uint32_t)object + 1;
	return 0;
}

const struct pp_named_file *pp_symbols_named(const struct pp_symbols *s, uint32_t file)
{
	return &s->known.objects[file - 1].of;
}

uint32_t pp_symbols_same(const struct pp_symbols *s, uint32_t file)
{
	/* each was met later than the one before */
	for (size_t i = 0; i < s->known.n_objects && s->known.objects[file - 1].is; i++)
		file = (uint32_t)s->known.objects[file - 1].is;
	return file;
}

int pp_symbols_extent(struct pp_symbols *s, uint32_t file, uint64_t offset, uint64_t *start, uint64_t *end,
		      struct pp_error *error)
{
	struct pp_address_range extent;
	const struct pp_lookup *here;

	if (s->engine && !pp_name_store_here(&s->known, file - 1, offset) &&
	    ask(s, file - 1, &offset, 1, false, error))
		return -1;
	here = pp_name_store_here(&s->known, file - 1, offset);
	if (!here || !here->count || !pp_name_store_extent(&s->known, file - 1, offset, &extent) ||
	    extent.last == UINT64_MAX)
		return 0;
	*start = here->start;
	*end = extent.last + 1;
	return 1;
}

int pp_symbols_want_lines(struct pp_symbols *s, struct pp_error *error)
{
	s->options.lines = s->options.whole_paths = true;
	s->options.no_inline = false;
	s->enough |= PP_NAMES_INLINED | PP_NAMES_LINES;
	pp_name_store_forget(&s->known);
	for (size_t i = 0; i < s->known.n_objects; i++)
		s->known.objects[i].exhausted = false;
	if (s->options.no_files)
		return 0;
	pp_resolver_free(s->engine);
	s->engine = pp_resolver_new(&s->options);
	if (!s->engine)
		return no_memory(error);
	tell_engine(s);
	return 0;
}

int pp_symbols_want_place(struct pp_symbols *s, uint32_t file, uint64_t offset)
{
	return s->engine ? want(s, file - 1, offset) : 0;
}

void pp_symbols_wanted(const struct pp_symbols *s, uint32_t file, struct pp_wanted_file *wanted)
{
	const struct pp_object *const o = &s->known.objects[file - 1];

	*wanted = (struct pp_wanted_file){
		.path = o->of.path, .pid = o->pid, .ino = o->of.ino, .ino_generation = o->of.ino_generation,
		.maj = o->of.maj, .min = o->of.min, .recorded_by = o->recorded_by,
		.id_of_name = o->of.id_of_name && !s->other_name, .id.size = o->of.id_size,
	};
	memcpy(wanted->id.bytes, o->of.id, sizeof(wanted->id.bytes));
}

size_t pp_symbols_bytes(struct pp_symbols *s, uint32_t file, uint64_t offset)
{
	const struct pp_lookup *const a = pp_name_store_said(&s->known, file - 1, offset);
	struct pp_named_frame frame;
	size_t size = a && a->count ? PP_NAMES_ADDRESS : 0;

	for (uint32_t i = 0; size && i < a->count; i++) {
		pp_name_store_frame(&s->known, a, i, &frame);
		size += PP_NAMES_FRAME + strlen(frame.symbol) + 1 + strlen(frame.file) + 1;
	}
	return size;
}

size_t pp_symbols_file_bytes(const struct pp_symbols *s, uint32_t file)
{
	return PP_NAMES_HEAD + strlen(s->known.objects[file - 1].of.path) + 1;
}

int pp_symbols_pass(struct pp_symbols *s, uint32_t file, uint64_t offset, struct pp_packing *to,
		    struct pp_error *error)
{
	const struct pp_lookup *const a = pp_name_store_said(&s->known, file - 1, offset);
	const struct pp_named_file of = pp_name_store_named(&s->known.objects[file - 1]);
	const struct pp_named named = {
		.offset = offset, .start = a ? a->start : 0, .count = a ? a->count : 0,
	};

	if (!named.count)
		return 0;
	if (to->of.path && !pp_name_store_same(&to->of, &of) && pp_packing_flush(to, error))
		return -1;
	to->of = of;
	take_frames(s, a, pp_name_store_frame);
	return pp_packing_add(to, &named, s->frames, a->flags, error);
}
