/* unwind_modules.c - opens the file that lies at an address, once; which are mapped is model/tasks.c's
 * knowledge, where a file is image/file_finder.c's. */
#include "unwind/unwind_modules.h"

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "model/map_names.h"

static const char vdso[] = "[vdso]";

/* ---- Files ---- */

/* Ours, if the process that is looked at had the same: of its build-id, or of the same kernel. */
static bool our_vdso(const struct modules *m, const struct module *module)
{
	struct pp_id own = { .size = 0 };
	struct utsname here;

	if (module->id.size)
		return pp_vdso_build_id(own.bytes, &own.size) == PP_ELF_FOUND &&
		       pp_same_id(&own, &module->id);
	return !*m->osrelease || (!uname(&here) && !strcmp(here.release, m->osrelease));
}

static uint64_t vdso_size(const uint8_t *at)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) piece;
	uint64_t size;

	memcpy(&header, at, sizeof(header));
	size = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	for (size_t i = 0; i < header.e_phnum; i++) {
		memcpy(&piece, at + header.e_phoff + i * sizeof(piece), sizeof(piece));
		if (piece.p_offset + piece.p_filesz > size)
			size = piece.p_offset + piece.p_filesz;
	}
	return size;
}

static int open_vdso(const struct modules *m, struct module *module, const struct machine *machine)
{
	const uint8_t *const at = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct pp_elf_source source = { .fd = -1, .memory = at };

	module->without = PP_UNWOUND_MISSING;
	if (!at || machine->abi != 2 || !our_vdso(m, module))
		return 0;
	source.size = vdso_size(at);
	module->found = true;
	module->without = PP_UNWOUND_NO_RULE;
	return pp_unwind_image_open(&module->image, &source, machine);
}

static void say_shorter(const struct modules *m, const struct module *module)
{
	if (module->image.shorter)
		pp_finder_lost(m->finder, module->path, "%s: not all rules of its frames: the file became "
			       "shorter while it was read", module->path);
}

static int open_file(struct modules *m, struct module *module, const struct machine *machine,
		     struct pp_error *error)
{
	static const enum pp_unwound without[] = {
		[PP_FILE_MISSING] = PP_UNWOUND_MISSING, [PP_FILE_FOUND] = PP_UNWOUND_NO_RULE,
		[PP_FILE_DIFFERS] = PP_UNWOUND_DIFFERS, [PP_FILE_SPECIAL] = PP_UNWOUND_NO_FILE,
	};
	const struct pp_wanted_file wanted = {
		.path = module->path, .pid = m->pid, .id = module->id, .ino = module->ino,
		.ino_generation = module->ino_generation, .maj = module->maj, .min = module->min,
		.recorded_by = module->recorded_by, .id_of_name = module->id_of_name && !m->other_host,
	};
	struct pp_elf_source source;
	const int got = pp_finder_open(m->finder, &wanted, &module->file, error);
	int result = 0;

	if (got < 0)
		return -1;
	module->without = without[got];
	module->found = got == PP_FILE_FOUND;
	if (!module->found)
		return 0;
	if (pp_elf_source_of(&source, module->file.fd) ||
	    pp_unwind_image_open(&module->image, &source, machine))
		result = pp_fail_os(error, "cannot read %s", module->path);
	say_shorter(m, module);
	(void)close(module->file.fd);
	module->file.fd = -1;
	return result;
}

/* Files are read again where they take too much memory together. */
static void let_go(struct modules *m, const struct module *but)
{
	for (size_t i = 0; i < m->count; i++) {
		struct module *const module = m->items[i];

		if (module == but || !module->open)
			continue;
		pp_unwind_image_close(&module->image);
		pp_found_close(&module->file);
		module->open = false;
	}
	m->n_few = 0;
}

static int open_module(struct modules *m, struct module *module, const struct machine *machine,
		       struct pp_error *error)
{
	if (module->open)
		return 0;
	if (m->held > m->limit) {
		let_go(m, module);
		m->held = 0;
	}
	module->open = true;
	module->file.fd = -1;
	if (!strcmp(module->path, vdso)) {
		if (open_vdso(m, module, machine))
			return pp_fail(error, PP_E_NOMEM, NULL);
	} else if (!pp_map_has_file(module->path)) {
		module->without = PP_UNWOUND_NO_FILE;
	} else if (open_file(m, module, machine, error)) {
		return -1;
	}
	m->held += pp_unwind_image_held(&module->image);
	return 0;
}

static bool is_of(const struct module *module, const struct pp_map *map)
{
	return module->id.size == (map->has_build_id ? map->build_id_size : 0) &&
	       !memcmp(module->id.bytes, map->build_id, module->id.size) && module->ino == map->ino &&
	       module->ino_generation == map->ino_generation && module->id_of_name == map->id_of_name &&
	       module->maj == map->maj && module->min == map->min && !strcmp(module->path, map->filename);
}

static struct module *add(struct modules *m, const struct pp_map *map, uint64_t hash,
			  struct pp_error *error)
{
	struct module *const module = calloc(1, sizeof(*module));
	const uint64_t *const same = pp_idmap_find(&m->by_hash, hash);

	if (module)
		module->path = strdup(map->filename);
	if (!module || !module->path || PP_GROW(&m->items, &m->room, m->count + 1, NULL)) {
		free(module ? module->path : NULL);
		free(module);
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	module->next = same ? (uint32_t)*same : 0;
	module->file.fd = -1;
	module->ino = map->ino;
	module->ino_generation = map->ino_generation;
	module->recorded_by = pp_recorded_by(&m->recorded);
	module->id_of_name = map->id_of_name;
	module->maj = map->maj;
	module->min = map->min;
	if (map->has_build_id) {
		module->id.size = map->build_id_size;
		memcpy(module->id.bytes, map->build_id, sizeof(module->id.bytes));
	}
	m->items[m->count++] = module;
	if (!pp_idmap_set(&m->by_hash, hash, m->count))
		return module;
	(void)pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

static struct module *module_of(struct modules *m, const struct pp_map *map, struct pp_error *error)
{
	const size_t slot = map->number % BY_NUMBER;
	const uint64_t *first;
	uint64_t hash;

	if (m->by_number[slot].number == map->number)
		return m->by_number[slot].module;
	hash = XXH3_64bits_withSeed(map->filename, strlen(map->filename),
				    map->ino ^ (map->has_build_id ? pp_load64(map->build_id) : 0));
	hash >>= 1;                     /* not all ones */
	first = pp_idmap_find(&m->by_hash, hash);
	for (uint64_t i = first ? *first : 0; i; i = m->items[i - 1]->next)
		if (is_of(m->items[i - 1], map)) {
			m->by_number[slot].number = map->number;
			return m->by_number[slot].module = m->items[i - 1];
		}
	m->by_number[slot].number = map->number;
	m->by_number[slot].module = add(m, map, hash, error);
	if (!m->by_number[slot].module)
		m->by_number[slot].number = 0;
	return m->by_number[slot].module;
}

/* ---- Addresses ---- */

void pp_unwind_modules_turn(struct modules *m, uint32_t pid)
{
	m->pid = pid;
	m->n_few = m->next_few = 0;
}

static const struct mapped *known(const struct modules *m, uint64_t address)
{
	for (unsigned i = 0; i < m->n_few; i++)
		if (address - m->few[i].start < m->few[i].end - m->few[i].start)
			return &m->few[i];
	return NULL;
}

int pp_unwind_modules_at(struct modules *m, const struct machine *machine, uint64_t address,
			 const struct mapped **found, struct pp_error *error)
{
	const struct pp_map *map;
	struct module *module;
	struct mapped *to;
	uint64_t shift;

	*found = known(m, address);
	if (*found)
		return 0;
	map = pp_tasks_map(m->tasks, m->pid, PP_MISC_USER, address);
	if (!map)
		return 0;
	if (!pp_map_is_code(map))
		return 1;
	module = module_of(m, map, error);
	if (!module || open_module(m, module, machine, error))
		return -1;
	to = &m->few[m->next_few];
	m->next_few = (m->next_few + 1) % FEW_MAPPED;
	m->n_few += m->n_few < FEW_MAPPED;
	*to = (struct mapped){ .start = map->start, .end = map->end, .module = module };
	to->shifted = module->image.elf && pp_unwind_image_shift(&module->image, map->pgoff, &shift);
	if (to->shifted)
		to->shift = map->start - map->pgoff - shift;
	*found = to;
	return 0;
}

/* Takes the rules of the file with debug information, where there is one.  0, -1 and *error. */
static int seek_debug(struct modules *m, struct module *module, const struct machine *machine,
		      struct pp_error *error)
{
	struct pp_found_file debug;
	struct pp_elf_source source;
	int got, result = 0;

	module->image.debug_sought = true;
	if (!module->file.path || module->image.debug.bytes)
		return 0;
	got = pp_finder_debug(m->finder, &module->file, *module->image.link ? module->image.link : NULL,
			      module->image.link_sum, &debug, error);
	if (got < 0)
		return -1;
	if (got == PP_FILE_FOUND) {
		if (pp_elf_source_of(&source, debug.fd) ||
		    pp_unwind_image_add_debug(&module->image, &source, machine))
			result = pp_fail_os(error, "cannot read debug information of %s", module->path);
		/* what had no rule may have one now */
		if (module->image.debug.bytes)
			pp_idmap_close(&module->image.rows);
		m->held += pp_unwind_cfi_held(&module->image.debug);
		say_shorter(m, module);
	}
	pp_found_close(&debug);
	return result;
}

int pp_unwind_modules_row(struct modules *m, const struct machine *machine, const struct mapped *mapped,
			  uint64_t address, const struct row **row, struct cfi **cfi, struct pp_error *error)
{
	struct module *const module = mapped->module;
	int got;

	if (!mapped->shifted || module->image.elf != machine->elf)
		return 0;
	got = pp_unwind_image_find(&module->image, address - mapped->shift, row, cfi);
	if (!got && !module->image.debug_sought) {
		if (seek_debug(m, module, machine, error))
			return -1;
		got = pp_unwind_image_find(&module->image, address - mapped->shift, row, cfi);
	}
	return got < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : got;
}

void pp_unwind_modules_close(struct modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		pp_unwind_image_close(&m->items[i]->image);
		pp_found_close(&m->items[i]->file);
		free(m->items[i]->path);
		free(m->items[i]);
	}
	free(m->items);
	pp_idmap_close(&m->by_hash);
	pp_finder_free(m->finder);
}
