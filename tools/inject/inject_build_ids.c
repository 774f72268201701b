/*
 * inject_build_ids.c - build-ids of the files that samples hit: where they come from, and which were added.
 *
 * They are judged in time order, since a sample hits the file that was mapped at its time, and are
 * written before the round that lets the sample through.  Maps through time are libpipe's.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "inject/inject.h"

enum { PAGE_BITS = 12, PIDS = 1024, PAGES = 8192 };

static const uint32_t kernel_pid = UINT32_MAX;

/* Which of the files of a name, as the kernel knows them; ->ino 0: it is not said. */
struct identity {
	uint64_t ino, generation;
	uint32_t maj, min;
};

/* A name of a file that was met, and which of its files that was, the last time. */
struct met {
	bool met;
	uint8_t id_size, id[20];        /* that was added, or 0 */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
};

static struct build_ids_options options;

/* What is known while the stream passes. */
static struct {
	struct pp_tasks *tasks;
	void *names;                    /* tree of files that need nothing more */
	void *known;                    /* tree of build-ids that were given */
	void *read;                     /* tree of build-ids that were put into maps, by file */
	struct met *met;                /* by pp_map.file */
	size_t n_met;
	char osrelease[sizeof(((struct utsname *)0)->release)];
	char hostname[256];
	bool host_told, kernel_told;
	uint64_t added, replaced, changed;
	/* Pages whose file needs nothing more, while their process maps nothing new. */
	uint32_t changes[PIDS];
	struct hit_page { uint64_t page; uint32_t pid, change; } pages[PAGES];
} state;

/* ---- which files need nothing more ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Remembers a file; true the first time. */
static bool first_time(const char *name)
{
	char *copy;

	if (tfind(name, &state.names, compare_names))
		return false;
	copy = strdup(name);
	if (!copy || !tsearch(copy, &state.names, compare_names))
		cli_no_memory();
	return true;
}

enum { KEY = PP_RECORD_MAX + 80 };

/* What a build-id is of: the name, and which file of that name, as far as it is known. */
static void make_key(char key[KEY], const char *name, const struct identity *is)
{
	if (is->ino)
		(void)snprintf(key, KEY, "%s\n%" PRIx32 ":%" PRIx32 " %" PRIx64 " %" PRIx64, name, is->maj,
			       is->min, is->ino, is->generation);
	else
		(void)snprintf(key, KEY, "%s", name);
}

static struct identity identity_of(const struct pp_map *map)
{
	const struct identity none = { .ino = 0 };

	return map->kernel ? none : (struct identity){ .ino = map->ino, .generation = map->ino_generation,
							  .maj = map->maj, .min = map->min };
}

static struct met *met_as(uint32_t file)
{
	if (file >= state.n_met) {
		const size_t room = ((size_t)file + 1) * 2;

		state.met = cli_grow(state.met, room, sizeof(*state.met));
		memset(state.met + state.n_met, 0, (room - state.n_met) * sizeof(*state.met));
		state.n_met = room;
	}
	return &state.met[file];
}

/* Is it the file that was met last under its name?  A map without an inode may be of any; but one that has
 * it is not taken for the file of a map that had none, or a build-id instead. */
static bool met_before(struct met *met, const struct pp_map *map)
{
	const bool same = met->met && (!map->ino || (met->ino == map->ino &&
				       met->ino_generation == map->ino_generation &&
				       met->maj == map->maj && met->min == map->min));

	if (!met->met || map->ino) {
		met->ino = map->ino;
		met->ino_generation = map->ino_generation;
		met->maj = map->maj;
		met->min = map->min;
	}
	return same;
}

/* ---- build-ids that are given ---- */

struct known_id {
	uint8_t id[20], size;
	char path[];
};

/* They are in a tree; tfind() compares what it is given with what is there. */
static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known_id *)a)->path, ((const struct known_id *)b)->path);
}

static int compare_path(const void *path, const void *known)
{
	return strcmp(path, ((const struct known_id *)known)->path);
}

static const struct known_id *find_known(const char *path)
{
	const void *const at = state.known ? tfind(path, &state.known, compare_path) : NULL;

	return at ? *(struct known_id *const *)at : NULL;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "HEX PATH" of a line or of a list. */
static bool add_known(const char *text, size_t length)
{
	struct known_id *known;
	size_t n = 0, at;
	const void *slot;

	while (n < length && digit(text[n]) >= 0)
		n++;
	at = n;
	while (at < length && text[at] == ' ')
		at++;
	if (!n || n % 2 || n > 40 || at == n || at == length)
		return false;
	known = calloc(1, sizeof(*known) + length - at + 1);
	if (!known)
		cli_no_memory();
	known->size = (uint8_t)(n / 2);
	for (size_t i = 0; i < n; i++)
		known->id[i / 2] = (uint8_t)(known->id[i / 2] << 4 | digit(text[i]));
	memcpy(known->path, text + at, length - at);
	/* the first counts, as for perf */
	slot = tsearch(known, &state.known, compare_known);
	if (!slot)
		cli_no_memory();
	if (*(struct known_id *const *)slot != known)
		free(known);
	return true;
}

static const char *add_known_file(const char *path)
{
	FILE *const file = fopen(path, "re");
	const char *wrong = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file)
		cli_die_os("cannot open %s", path);
	while (!wrong && (length = getline(&line, &room, file)) >= 0) {
		while (length && (line[length - 1] == '\n' || line[length - 1] == ' '))
			length--;
		if (length && !add_known(line, (size_t)length))
			wrong = "has a line that is not BUILDID PATH";
	}
	if (ferror(file))
		cli_die_os("cannot read %s", path);
	(void)fclose(file);
	free(line);
	return wrong;
}

const char *build_ids_known(void *unused, const char *value)
{
	static const char scheme[] = "file://";

	(void)unused;
	if (!strncmp(value, scheme, sizeof(scheme) - 1))
		return add_known_file(value + sizeof(scheme) - 1);
	while (*value) {
		const size_t length = strcspn(value, ",");

		if (!add_known(value, length))
			return "is not a list of BUILDID PATH, or file://FILE";
		value += length + (value[length] == ',');
	}
	return NULL;
}

/* ---- where a build-id comes from ---- */

struct hit_file {
	const char *name;               /* as the record gives it */
	uint8_t id[20], size;
};

/* Is this the kernel that the stream was recorded on, as far as is known?  If not, says so once. */
static bool same_kernel(void)
{
	struct utsname here;

	if (!state.osrelease[0] || uname(&here) || !strcmp(here.release, state.osrelease))
		return true;
	if (!state.kernel_told)
		cli_warn("recorded on kernel %s: the build-ids of %s are not added",
			 state.osrelease, here.release);
	state.kernel_told = true;
	return false;
}

/* Files are looked for here, wherever the stream comes from; said once. */
static void tell_host(void)
{
	char here[sizeof(state.hostname)] = "";

	if (state.host_told || !state.hostname[0] || gethostname(here, sizeof(here) - 1) ||
	    !strcmp(here, state.hostname))
		return;
	state.host_told = true;
	cli_warn("recorded on %s: files without a build-id in the stream are read here, on %s",
		 state.hostname, here);
}

/* The name of a module, of "[ext4]" or "/lib/modules/6.1.0/.../ext4.ko.xz". */
static bool module_name(const char *path, char *name, size_t room)
{
	const char *slash = strrchr(path, '/');
	const char *start = slash ? slash + 1 : path + (*path == '[');
	const size_t length = strcspn(start, ".]");

	if (!length || length >= room)
		return false;
	memcpy(name, start, length);
	name[length] = 0;
	return true;
}

static int kernel_file(struct run *run, const struct pp_map *map, struct hit_file *file)
{
	static const char whole[] = "[kernel.kallsyms]";
	const struct pp_elf_file on_disk = { .path = map->filename };
	char module[64];
	int found;

	if (!same_kernel())
		return PP_ELF_NONE;
	if (!strcmp(file->name, whole))
		return pp_opener_kernel_build_id(opener_of(run), NULL, file->id, &file->size, &run->error);
	if (!module_name(map->filename, module, sizeof(module)))
		return PP_ELF_NONE;
	found = pp_opener_kernel_build_id(opener_of(run), module, file->id, &file->size, &run->error);
	if (found == PP_ELF_FOUND || found == PP_OPENER_GONE)
		return found;
	if (*map->filename != '/')
		return PP_ELF_NONE;
	return pp_opener_build_id(opener_of(run), &on_disk, 0, file->id, &file->size, &run->error);
}

static bool out_of_means(int os)
{
	return os == ENOMEM || os == EMFILE || os == ENFILE;
}

static int user_file(struct run *run, const struct pp_map *map, uint32_t pid, struct hit_file *file)
{
	const struct pp_elf_file wanted = { .path = map->filename, .ino = map->ino, .maj = map->maj,
					    .min = map->min, .ino_generation = map->ino_generation };

	if (!strcmp(map->filename, "[vdso]")) {
		/* a 32-bit process has another one */
		if (!same_kernel() || (sizeof(void *) == 8 && map->end <= UINT32_MAX))
			return PP_ELF_NONE;
		return pp_vdso_build_id(file->id, &file->size);
	}
	if (!pp_map_has_file(map->filename))
		return PP_ELF_NONE;
	if (!options.rooted)
		tell_host();
	return pp_opener_build_id(opener_of(run), &wanted, pid, file->id, &file->size, &run->error);
}

/* As pp_opener_build_id(). */
static int find_build_id(struct run *run, const struct pp_map *map, uint32_t pid, struct hit_file *file)
{
	const struct known_id *const known = find_known(file->name);

	if (map->has_build_id) {
		memcpy(file->id, map->build_id, sizeof(file->id));
		file->size = map->build_id_size;
		return PP_ELF_FOUND;
	}
	if (known) {
		memcpy(file->id, known->id, sizeof(file->id));
		file->size = known->size;
		return PP_ELF_FOUND;
	}
	return map->kernel ? kernel_file(run, map, file) : user_file(run, map, pid, file);
}

/* ---- what a sample hits ---- */

static int put_build_id(struct run *run, const struct hit_file *file, const struct pp_map *map)
{
	uint8_t record[PP_RECORD_MAX + 1];
	struct pp_map of = *map;
	size_t size;

	of.filename = file->name;
	of.build_id_size = file->size;
	memcpy(of.build_id, file->id, sizeof(of.build_id));
	of.id_of_name = false;
	size = pp_map_build_id(&of, record);
	if (!size)                      /* a path that fills its MMAP to the last bytes */
		return 0;
	state.added++;
	return pp_writer_copy(run->out, record, size, &run->error);
}

/* Says why a file gets no build-id.  0, or -1 where the system cannot go on. */
static int tell_none(struct run *run, const char *name, int found)
{
	if (found == PP_OPENER_GONE)
		return -1;
	if (found < 0 && out_of_means(errno))
		return pp_fail_os(&run->error, "cannot read the build-id of %s", name);
	if (found < 0)
		cli_warn("cannot read the build-id of %s: %s", name, strerror(errno));
	else if (found == PP_ELF_SPECIAL)
		cli_warn("cannot read the build-id of %s: not a regular file", name);
	else if (found == PP_ELF_OTHER)
		cli_note("%s: the file on disk is not the one that was recorded", name);
	else if (found == PP_ELF_CHANGED)
		cli_note("%s: it was changed after it was recorded", name);
	else
		cli_note("no build-id: %s", name);
	state.replaced += found == PP_ELF_OTHER;
	state.changed += found == PP_ELF_CHANGED;
	return 0;
}

/* ---- build-ids in maps ---- */

/* Of a file that maps with a build-id do not tell apart any more: names in the stream may go by it. */
struct read {
	uint8_t id[20], size;
	char key[];
};

static int compare_read(const void *a, const void *b)
{
	return strcmp(((const struct read *)a)->key, ((const struct read *)b)->key);
}

static int compare_read_key(const void *key, const void *read)
{
	return strcmp(key, ((const struct read *)read)->key);
}

/* Of two files, as far as the key tells, it is neither's. */
static void keep_read(const char *name, const struct identity *is, const struct hit_file *file)
{
	char key[KEY];
	struct read *read;
	const void *at;

	make_key(key, name, is);
	at = state.read ? tfind(key, &state.read, compare_read_key) : NULL;
	if (at) {
		read = *(struct read *const *)at;
		if (read->size != file->size || memcmp(read->id, file->id, sizeof(read->id)) != 0)
			read->size = 0;
		return;
	}
	read = calloc(1, sizeof(*read) + strlen(key) + 1);
	if (!read)
		cli_no_memory();
	memcpy(read->key, key, strlen(key) + 1);
	read->size = file->size;
	memcpy(read->id, file->id, sizeof(read->id));
	if (!tsearch(read, &state.read, compare_read))
		cli_no_memory();
}

/* Puts a build-id into a map, in the place of what else says which file that is.  Maps from /proc, and names
 * of what they map, do not tell the generation. */
static int identify(struct pp_record *map, const struct identity *is, const struct hit_file *file,
		    struct pp_error *error)
{
	struct identity any = *is;

	any.generation = 0;
	keep_read(file->name, is, file);
	if (is->generation)
		keep_read(file->name, &any, file);
	return pp_map_identify(map, file->id, file->size, error);
}

/* For names, whose file's maps have it by now, or will: names come before the round that needs them. */
static bool id_of_names(void *arg, const struct pp_named_file *names, uint8_t id[20], uint8_t *size)
{
	const struct pp_map map = { .filename = names->path, .maj = names->maj, .min = names->min,
				    .ino = names->ino, .ino_generation = names->ino_generation };
	const struct identity is = identity_of(&map);
	struct hit_file file = { .name = names->path };
	char key[KEY];
	const void *at;

	if (!is.ino)
		return false;
	make_key(key, names->path, &is);
	at = state.read ? tfind(key, &state.read, compare_read_key) : NULL;
	if (at) {
		file.size = (*(struct read *const *)at)->size;
		memcpy(file.id, (*(struct read *const *)at)->id, sizeof(file.id));
	} else if (find_build_id(arg, &map, 0, &file) == PP_ELF_FOUND) {
		keep_read(names->path, &is, &file);
	}
	memcpy(id, file.id, sizeof(file.id));
	*size = file.size;
	return *size != 0;
}

/*
 * The map that was hit, from now on, in the place of all that were left out.  The build-id of a file that
 * was met is known; a map may have one of its own.
 */
static int put_hit_map(struct run *run, const struct pp_record *rec, const struct pp_map *map, uint32_t pid)
{
	const struct identity is = identity_of(map);
	struct met *const met = met_as(map->file);
	struct hit_file file = { .name = map->filename };
	uint8_t bytes[PP_RECORD_MAX + 1];
	uint32_t tid = pid, cpu = 0;
	uint64_t time = 0, id = 0;
	struct pp_record made;
	struct pp_build b;
	char key[64];
	size_t size;

	(void)snprintf(key, sizeof(key), "\n%" PRIx32 " %" PRIx64, pid, map->number);
	if (!first_time(key))
		return 0;
	if (map->has_build_id || !met_before(met, map)) {
		const int found = find_build_id(run, map, pid, &file);

		met->met = true;
		if (found != PP_ELF_FOUND && tell_none(run, file.name, found))
			return -1;
		met->id_size = found == PP_ELF_FOUND ? file.size : 0;
		memcpy(met->id, file.id, sizeof(met->id));
	}
	(void)(pp_task(rec, &pid, &tid) && pp_time(rec, &time) && pp_id(rec, &id) && pp_cpu(rec, &cpu));
	pp_build(&b, bytes, sizeof(bytes), PP_REC_MMAP2, PP_MISC_USER, rec->attr);
	pp_build_u64(&b, "pid", pid);
	pp_build_u64(&b, "tid", tid);
	pp_build_u64(&b, "start", map->start);
	pp_build_u64(&b, "len", map->end - map->start);
	pp_build_u64(&b, "pgoff", map->pgoff);
	pp_build_u64(&b, "maj", map->maj);
	pp_build_u64(&b, "min", map->min);
	pp_build_u64(&b, "ino", map->ino);
	pp_build_u64(&b, "ino_generation", map->ino_generation);
	pp_build_u64(&b, "prot", map->prot ? map->prot : PROT_READ | PROT_EXEC);
	pp_build_u64(&b, "flags", map->flags ? map->flags : MAP_PRIVATE);
	pp_build_text(&b, "filename", map->filename);
	pp_build_trailer(&b, pid, tid, time, id, cpu);
	size = pp_build_end(&b);
	if (!size || pp_record_at(&made, bytes, size, &run->error))
		return pp_fail(&run->error, PP_E_FULL, "a map");
	made.attr = rec->attr;
	made.attrs = rec->attrs;
	file = (struct hit_file){ .name = map->filename, .size = met->id_size };
	memcpy(file.id, met->id, sizeof(file.id));
	if (met->id_size && identify(&made, &is, &file, &run->error))
		return -1;
	state.added += met->id_size != 0;
	return pp_writer_copy(run->out, bytes, size, &run->error);
}

/* The name of the kernel's map ends in the symbol that its address belongs to: it is put into `to`
 * without that. */
static const char *name_of(const struct pp_map *map, char *to, size_t room)
{
	const size_t length = strcspn(map->filename, "]") + 1;

	if (!map->kernel || *map->filename != '[' || length >= room || !map->filename[length - 1])
		return map->filename;
	memcpy(to, map->filename, length);
	to[length] = 0;
	return to;
}

/* A map that was hit: 0, or -1 where the output fails, or the system. */
static int hit(struct run *run, const struct pp_map *map, uint32_t pid)
{
	const struct identity is = identity_of(map);
	struct met *const met = met_as(map->file);
	const bool first = !met->met;
	char kernel[64], key[KEY];
	struct hit_file file;
	int found;

	if (met_before(met, map))
		return 0;
	met->met = true;
	file.name = name_of(map, kernel, sizeof(kernel));
	make_key(key, file.name, &is);
	/* what the stream says of a name is of the file that was there first */
	if ((first && !first_time(file.name)) || (is.ino && !first_time(key)))
		return 0;
	found = find_build_id(run, map, pid, &file);
	return found == PP_ELF_FOUND ? put_build_id(run, &file, map) : tell_none(run, file.name, found);
}

static bool is_hit_mode(unsigned cpumode)
{
	return cpumode == PP_MISC_KERNEL || cpumode == PP_MISC_USER;
}

static inline uint32_t owner_of(uint32_t pid, unsigned cpumode)
{
	return cpumode == PP_MISC_KERNEL ? kernel_pid : pid;
}

/* From 1 on. */
static inline uint64_t page_of(uint64_t address)
{
	return (address >> PAGE_BITS) + 1;
}

/* The page of an address, and where it is noted that it was hit. */
static inline struct hit_page *place_of_page(uint32_t pid, unsigned cpumode, uint64_t address,
					     struct hit_page *page)
{
	page->page = page_of(address);
	page->pid = owner_of(pid, cpumode);
	page->change = state.changes[page->pid % PIDS];
	return &state.pages[(page->page ^ page->pid * 2654435761u) % PAGES];
}

static inline bool is_same_page(const struct hit_page *a, const struct hit_page *b)
{
	return a->page == b->page && a->pid == b->pid && a->change == b->change;
}

/* Addresses of one mode: u64, unaligned. */
static int hit_addresses(struct run *run, const struct pp_record *rec, uint32_t pid, unsigned cpumode,
			 const void *addresses, size_t n)
{
	for (size_t i = 0; i < n && is_hit_mode(cpumode); i++) {
		const uint64_t address = pp_chain_address(addresses, i);
		struct hit_page page, *const place = place_of_page(pid, cpumode, address, &page);
		const struct pp_map *map;

		if (is_same_page(place, &page))
			continue;
		map = pp_tasks_map(state.tasks, pid, cpumode, address);
		if (map &&
		    (options.only_hit && !map->kernel ? put_hit_map(run, rec, map, pid) : hit(run, map, pid)))
			return -1;
		*place = page;
	}
	return 0;
}

static int hit_chain(struct run *run, const struct pp_record *rec, uint32_t pid)
{
	struct pp_chain chain;
	const void *addresses;
	size_t n;

	/* a damaged record is for those who read it to report */
	if (!pp_chain_open(&chain, rec))
		return 0;
	while ((n = pp_chain_run(&chain, &addresses)))
		if (hit_addresses(run, rec, pid, chain.mode, addresses, n))
			return -1;
	return 0;
}

static int hit_sample(struct run *run, const struct pp_record *rec)
{
	uint32_t pid, tid;
	uint64_t ip;

	if (!pp_task(rec, &pid, &tid))
		return 0;
	if (pp_ip(rec, &ip) && hit_addresses(run, rec, pid, rec->misc & PP_MISC_CPUMODE, &ip, 1))
		return -1;
	return hit_chain(run, rec, pid);
}

/* Whether nothing comes of hit_addresses(). */
static bool were_hit(uint32_t pid, unsigned cpumode, const void *addresses, size_t n)
{
	struct hit_page page;

	for (size_t i = 0; i < n && is_hit_mode(cpumode); i++)
		if (!is_same_page(place_of_page(pid, cpumode, pp_chain_address(addresses, i), &page), &page))
			return false;
	return true;
}

/* The same of one, where the last was hit. */
static inline bool was_ip_hit(uint32_t pid, unsigned cpumode, uint64_t ip, struct hit_page *last)
{
	struct hit_page page;

	if (!is_hit_mode(cpumode) || (last->page == page_of(ip) && last->pid == owner_of(pid, cpumode)))
		return true;
	if (!is_same_page(place_of_page(pid, cpumode, ip, &page), &page))
		return false;
	*last = page;
	return true;
}

static bool was_chain_hit(uint32_t pid, const struct pp_record *rec)
{
	struct pp_chain chain;
	const void *addresses;
	size_t n;

	if (!pp_chain_open(&chain, rec))
		return true;
	while ((n = pp_chain_run(&chain, &addresses)))
		if (!were_hit(pid, chain.mode, addresses, n))
			return false;
	return true;
}

/* The same of hit_sample(): of one of a batch, of which another hit `last`. */
static inline bool was_sample_hit(const struct pp_batch *b, uint32_t i, struct hit_page *last)
{
	const struct pp_attr *const a = b->attr[i];
	const uint8_t *const data = b->data + b->at[i];
	const size_t size = pp_batch_size(b, i);
	struct pp_record rec;
	uint32_t pid;

	if (!a || !a->plan.tid || !pp_fits(a->plan.tid + sizeof(uint64_t), size))
		return true;
	memcpy(&pid, data + a->plan.tid, sizeof(pid));
	if (a->plan.ip && pp_fits(a->plan.ip + sizeof(uint64_t), size) &&
	    !was_ip_hit(pid, pp_load16(data + 4) & PP_MISC_CPUMODE, pp_load64(data + a->plan.ip), last))
		return false;
	if (!pp_attr_has_chain(a))
		return true;
	pp_batch_record(b, i, &rec);
	return was_chain_hit(pid, &rec);
}

/* ---- records ---- */

static uint64_t number_in(const struct pp_record *rec, enum pp_meaning meaning)
{
	uint64_t value;

	return pp_find_u64(rec, meaning, &value) ? value : 0;
}

static struct identity said_identity(const struct pp_record *rec)
{
	return (struct identity){
		.ino = number_in(rec, PP_IS_INODE), .generation = number_in(rec, PP_IS_GENERATION),
		.maj = (uint32_t)number_in(rec, PP_IS_MAJOR), .min = (uint32_t)number_in(rec, PP_IS_MINOR),
	};
}

static void learn_build_id(const struct pp_record *rec)
{
	const struct identity is = said_identity(rec);
	char name[PP_RECORD_MAX + 1] = "", key[KEY];

	(void)pp_copy_text(rec, "filename", name, sizeof(name));
	make_key(key, name, &is);
	(void)first_time(key);
}

/* What a record other than a sample says about files, maps and the machine. */
static int learn(struct run *run, const struct pp_record *rec)
{
	uint64_t number;
	uint32_t pid, tid;

	if (rec->type == PP_REC_HEADER_BUILD_ID) {
		learn_build_id(rec);
	} else if (pp_find_feature(rec, &number)) {
		if (number == PP_FEAT_OSRELEASE)
			(void)pp_copy_text(rec, "osrelease", state.osrelease, sizeof(state.osrelease));
		else if (number == PP_FEAT_HOSTNAME)
			(void)pp_copy_text(rec, "hostname", state.hostname, sizeof(state.hostname));
	} else if (rec->type == PP_REC_CALLCHAIN_DEFERRED && pp_task(rec, &pid, &tid)) {
		return hit_chain(run, rec, pid);
	} else if (pp_type_is(rec->type, PP_MAPS | PP_TASK) && pp_find_u64(rec, PP_IS_PID, &number)) {
		state.changes[(uint32_t)number % PIDS]++;
	}
	return options.hit ? pp_tasks_note(state.tasks, rec, &run->error) : 0;
}

/* ---- all files that are mapped ---- */

/* The map that a record tells of; its name is copied.  False: it is damaged. */
static bool map_of(const struct pp_record *rec, struct pp_map *map, char name[PP_RECORD_MAX + 1])
{
	const struct identity is = said_identity(rec);
	const char *text;
	size_t length;

	if (!pp_find_text(rec, PP_IS_PATH, &text, &length))
		return false;
	memcpy(name, text, length);
	name[length] = 0;
	*map = (struct pp_map){
		.start = number_in(rec, PP_IS_START), .filename = name,
		.maj = is.maj, .min = is.min, .ino = is.ino, .ino_generation = is.generation,
		.kernel = (rec->misc & PP_MISC_CPUMODE) == PP_MISC_KERNEL,
	};
	map->end = map->start + number_in(rec, PP_IS_LENGTH);
	return true;
}

static bool is_guest(const struct pp_record *rec)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;

	return mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER;
}

static bool is_code_of_user(const struct pp_record *rec)
{
	return pp_type_is(rec->type, PP_MAPS) && !(rec->misc & PP_MISC_MMAP_DATA) &&
	       (rec->misc & PP_MISC_CPUMODE) == PP_MISC_USER;
}

static int take_map(struct run *run, struct pp_record *rec)
{
	char text[PP_RECORD_MAX + 1], kernel[64], key[KEY];
	struct hit_file file;
	struct identity is;
	struct pp_map map;
	uint8_t *id;
	size_t size;
	int found;

	if (is_guest(rec) || !map_of(rec, &map, text))
		return 0;
	is = identity_of(&map);
	file.name = name_of(&map, kernel, sizeof(kernel));
	id = pp_find_bytes(rec, PP_IS_BUILD_ID, &size);
	if (id && size == sizeof(map.build_id)) {
		map.has_build_id = true;
		map.build_id_size = (uint8_t)number_in(rec, PP_IS_BUILD_ID_SIZE);
		memcpy(map.build_id, id, size);
	}
	make_key(key, file.name, &is);
	if (!options.maps && !first_time(key))
		return 0;
	if (options.maps && (map.has_build_id || rec->type != PP_REC_MMAP2))
		return 0;
	found = find_build_id(run, &map, (uint32_t)number_in(rec, PP_IS_PID), &file);
	if (found != PP_ELF_FOUND)
		return options.maps && found != PP_OPENER_GONE && !first_time(file.name) ?
		       0 : tell_none(run, file.name, found);
	if (!options.maps)
		return put_build_id(run, &file, &map);
	state.added++;
	return identify(rec, &is, &file, &run->error);
}

static void tell_left_out(void)
{
	if (state.replaced)
		cli_warn("%" PRIu64 " file%s left out: there is another file at the path now (-v "
			 "names each)", state.replaced, state.replaced == 1 ? "" : "s");
	if (state.changed)
		cli_warn("%" PRIu64 " file%s left out: changed after what was recorded (-v names each)",
			 state.changed, state.changed == 1 ? "" : "s");
}


/* ---- the stage ---- */

void build_ids_open(const struct build_ids_options *wanted)
{
	options = *wanted;
	if (!options.hit)
		return;
	state.tasks = pp_tasks_new(PP_TASKS_MAPS, options.budget);
	if (!state.tasks)
		cli_no_memory();
}

int build_ids_judge(struct run *run, struct pp_record *rec)
{
	const bool sample = rec->type == PP_REC_SAMPLE;
	int failed = 0;

	if (!sample)
		pp_opener_note(opener_of(run), rec);
	if (!sample && (options.all || options.maps) && pp_type_is(rec->type, PP_MAPS))
		failed = take_map(run, rec);
	if (!failed && (!sample || options.hit))
		failed = (sample ? hit_sample : learn)(run, rec);
	if (!failed && (options.maps || options.only_hit) && pp_is_names(rec))
		failed = pp_names_identify(rec, id_of_names, run, &run->error);
	if (failed)
		return -1;
	return options.only_hit && is_code_of_user(rec) ? PP_DROP : PP_KEEP;
}

uint32_t build_ids_judge_batch(const struct pp_batch *batch, uint32_t from)
{
	struct hit_page last = { 0 };

	if (!options.hit)
		return batch->count;
	for (; from < batch->count && was_sample_hit(batch, from, &last); from++)
		pp_batch_ahead(batch, from);
	return from;
}

void build_ids_end(void)
{
	tell_left_out();
	cli_note("%" PRIu64 " build-ids added", state.added);
}

void build_ids_close(void)
{
	pp_tasks_free(state.tasks);
	tdestroy(state.names, free);
	tdestroy(state.known, free);
	tdestroy(state.read, free);
	free(state.met);
}
