/* image_cache.c - looks up offsets in files and in lists of code that processes made.  It keeps what it read
 * while that fits in its memory. */
#include "lookup/image_cache.h"

#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "format/names_record.h"
#include "image/kernel_symbols.h"

/* What is known of one file of the caller's. */
struct kept_elf {
	bool tried;                   /* there is no other way to get what is NULL below */
	struct pp_image *image;
	size_t owner;                 /* 1 + number of the one whose image it is; 0: this one */
	bool shared;                  /* it is such an owner */
	struct pp_symtab code;        /* of a process */
	uint64_t used, held;          /* when it was last; bytes */
	uint64_t base;                /* of a kernel's image: where that begins as linked */
};

struct pp_image_cache {
	const struct pp_symbols_options *options;
	struct pp_finder *finder;
	struct kept_elf *known;
	size_t n_known;
	uint64_t clock, held;
	struct pp_buffer texts[PP_NAMES_FRAMES], paths[PP_NAMES_FRAMES];
};

struct pp_image_cache *pp_image_cache_new(const struct pp_symbols_options *options, struct pp_finder *finder)
{
	struct pp_image_cache *const e = calloc(1, sizeof(*e));

	if (e)
		*e = (struct pp_image_cache){ .options = options, .finder = finder };
	return e;
}

/* Of what others share it is forgotten by all. */
static void forget(struct pp_image_cache *e, struct kept_elf *k)
{
	const size_t number = (size_t)(k - e->known) + 1;

	for (size_t i = 0; k->shared && i < e->n_known; i++)
		if (e->known[i].owner == number)
			e->known[i] = (struct kept_elf){ .used = 0 };
	if (!k->owner)
		pp_image_close(k->image);
	pp_symtab_free(&k->code);
	e->held -= k->held;
	*k = (struct kept_elf){ .used = 0 };
}

void pp_image_cache_free(struct pp_image_cache *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n_known; i++)
		forget(e, &e->known[i]);
	for (size_t i = 0; i < PP_NAMES_FRAMES; i++) {
		pp_buffer_free(&e->texts[i]);
		pp_buffer_free(&e->paths[i]);
	}
	free(e->known);
	free(e);
}

static uint64_t symtab_size(const struct pp_symtab *t)
{
	return t->room * sizeof(*t->items) + t->names.room;
}

/* Lets what was not used for longest go, where it is too much; what is at work stays. */
static void keep_within(struct pp_image_cache *e, const struct kept_elf *at_work)
{
	while (e->held > e->options->memory) {
		struct kept_elf *oldest = NULL;

		for (size_t i = 0; i < e->n_known; i++)
			if (e->known[i].held && &e->known[i] != at_work &&
			    (!oldest || e->known[i].used < oldest->used))
				oldest = &e->known[i];
		if (!oldest)
			return;
		forget(e, oldest);
	}
}

static void count(struct pp_image_cache *e, struct kept_elf *k)
{
	e->held -= k->held;
	k->held = symtab_size(&k->code) + (k->image ? sizeof(*k->image) + symtab_size(&k->image->symbols) +
						  pp_lines_size(k->image->lines) : 0);
	e->held += k->held;
	keep_within(e, k);
}

/* ---- What is asked ---- */

static struct pp_id id_of(const struct pp_named_file *of)
{
	struct pp_id id = { .size = of->id_size };

	memcpy(id.bytes, of->id, sizeof(id.bytes));
	return id;
}

/* The kernel's own, whole, with its sections at the end. */
static size_t vdso_size(const void *vdso)
{
	ElfW(Ehdr) header;

	memcpy(&header, vdso, sizeof(header));
	return header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

static int open_vdso(struct kept_elf *k, const struct pp_id *id, struct pp_error *error)
{
	const void *const vdso = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct pp_id here;

	if (!vdso || pp_vdso_build_id(here.bytes, &here.size) != 1 || !pp_same_id(&here, id))
		return 0;
	k->image = pp_image_of(vdso, vdso_size(vdso), error);
	return k->image || !error->code ? 0 : -1;
}

/* A file that a stream describes in two ways, by its build-id and by its inode, is read once. */
static bool share(struct pp_image_cache *e, struct kept_elf *k, struct pp_found_file *found)
{
	for (size_t i = 0; found->id.size && i < e->n_known; i++) {
		struct kept_elf *const other = &e->known[i];

		if (!other->image || other->owner || !other->image->main.file.path ||
		    !pp_same_id(&other->image->main.file.id, &found->id) ||
		    strcmp(other->image->main.file.path, found->path) != 0)
			continue;
		k->image = other->image;
		k->owner = i + 1;
		other->shared = true;
		pp_found_close(found);
		return true;
	}
	return false;
}

static int open_file(struct pp_image_cache *e, struct kept_elf *k, const struct pp_asked *a, uint32_t pid,
		     struct pp_error *error)
{
	const struct pp_named_file *const of = &a->of;
	const struct pp_wanted_file wanted = {
		.path = of->path, .pid = pid, .recorded_by = a->recorded_by, .id = id_of(of),
		.ino = of->ino, .maj = of->maj, .min = of->min, .ino_generation = of->ino_generation,
		.id_of_name = of->id_of_name,
	};
	struct pp_found_file found;
	int got;

	if (!strcmp(of->path, "[vdso]"))
		return open_vdso(k, &wanted.id, error);
	got = pp_finder_open(e->finder, &wanted, &found, error);
	if (got != PP_FILE_FOUND)
		return got < 0 ? -1 : 0;
	if (share(e, k, &found))
		return 0;
	k->image = pp_image_open(&found, e->finder, error);
	return k->image || !error->code ? 0 : -1;
}

/* vmlinux, where the kernel is not the one that runs: "_text" is where its map begins. */
static int open_kernel(struct pp_image_cache *e, struct kept_elf *k, const struct pp_named_file *of,
		       struct pp_error *error)
{
	const struct pp_wanted_file wanted = { .path = "/boot/vmlinux", .id = id_of(of) };
	struct pp_found_file found;
	int got;

	if (!wanted.id.size)
		return 0;
	got = pp_finder_open(e->finder, &wanted, &found, error);
	if (got != PP_FILE_FOUND)
		return got < 0 ? -1 : 0;
	k->image = pp_image_open(&found, e->finder, error);
	if (!k->image)
		return error->code ? -1 : 0;
	if (pp_image_read_symbols(k->image, e->finder, error))
		return -1;
	for (size_t i = 0; i < k->image->symbols.n; i++) {
		const struct pp_symbol *const s = &k->image->symbols.items[i];
		const char *const name = (const char *)k->image->symbols.names.data + s->name;

		if (!strcmp(name, "_text") || !strcmp(name, "_stext"))
			k->base = s->start;
	}
	return 0;
}

/* Of a module: of another there are names enough that would be wrong. */
static int open_module(struct pp_image_cache *e, struct kept_elf *k, const struct pp_asked *a,
		       struct pp_error *error)
{
	return *a->of.path == '/' && (a->of.id_size || e->options->root) ? open_file(e, k, a, 0, error) : 0;
}

/* ---- What is answered ---- */

int pp_image_cache_symbols(struct pp_image_cache *e, const struct pp_symtab *t, uint64_t base,
			   const struct pp_asked *a,
			   const struct pp_answered *to, struct pp_error *error)
{
	struct pp_address_range same = { 1, 0 };

	for (size_t i = 0; i < a->n; i++) {
		const uint64_t offset = a->offsets[i], address = offset + base;
		struct pp_named named = { .offset = offset, .start = offset };
		struct pp_named_frame frame = { .file = "" };
		struct pp_address_range around = pp_everywhere;
		const struct pp_symbol *s;

		if (pp_is_within(&same, offset))
			continue;
		s = pp_symtab_find(t, address, &around);
		if (s) {
			named.count = 1;
			named.start = s->start - base;
			frame.symbol = pp_demangled(&e->texts[0], (const char *)t->names.data + s->name,
						    e->options->demangle, false);
			if (!frame.symbol)
				return pp_fail(error, PP_E_NOMEM, NULL);
		}
		same = pp_everywhere;
		pp_narrow_like(&same, offset, &around, address);
		if (to->put(to->arg, &named, &frame, 0, &same, error))
			return -1;
	}
	return 0;
}

static const char *stripped(const struct pp_image_cache *e, const char *file)
{
	const char *const *prefix = e->options->strip;

	for (; file && prefix && *prefix; prefix++)
		if (!strncmp(file, *prefix, strlen(*prefix)))
			return file + strlen(*prefix);
	return file ? file : "";
}

/* Its path from the root on, if that is asked for and known.  NULL: memory. */
static const char *path_of(const struct pp_image_cache *e, const struct pp_line_frame *found,
			   struct pp_buffer *path)
{
	if (!e->options->whole_paths || !found->file || *found->file == '/' || !found->folder)
		return stripped(e, found->file);
	path->size = 0;
	return pp_buffer_add(path, found->folder, strlen(found->folder), NULL) ||
	       pp_buffer_add(path, "/", 1, NULL) ||
	       pp_buffer_add(path, found->file, strlen(found->file) + 1, NULL) ?
	       NULL : stripped(e, (const char *)path->data);
}

static int add_data(struct pp_image *image, uint64_t address, struct pp_named_frame *frame,
		    struct pp_error *error)
{
	struct pp_line_data data;

	if (pp_lines_data(image, address, &data, error))
		return -1;
	*frame = (struct pp_named_frame){
		.symbol = data.type ? data.type : "", .file = data.member ? data.member : "",
		.line = data.offset, .inlined = !data.member,
	};
	return 0;
}

/* Frames as DWARF has them, but the name of the function itself is that of its symbol, where it has
 * one, as in perf.  *whole: whether there are all that are inlined.  Their number, or -1 and *error. */
static int frames_at(struct pp_image_cache *e, struct pp_image *image, uint64_t address, const char *symbol,
		     struct pp_named_frame *frames, bool *whole, struct pp_address_range *same,
		     struct pp_error *error)
{
	struct pp_line_frame found[PP_NAMES_FRAMES];
	const size_t most = PP_NAMES_FRAMES - e->options->data;
	const int n = !image->lines ? 0 :
		      pp_lines_at(image, address, e->options->lines, found, most, same, error);
	const int first = e->options->no_inline && n > 0 ? n - 1 : 0, all = n || !symbol ? n : 1;

	*whole = !image->lines || n < 0 || !found[0].halved;
	if (!n)
		found[0] = (struct pp_line_frame){ .symbol = symbol };
	/* without the inlined ones the line is that of the innermost, as in perf */
	if (first) {
		found[first].file = found[0].file;
		found[first].folder = found[0].folder;
		found[first].line = found[0].line;
	}
	for (int i = first; i < all; i++) {
		const bool last = i + 1 == all;
		const char *const name = last && symbol ? symbol : found[i].symbol;

		frames[i - first] = (struct pp_named_frame){
			.symbol = name ? pp_demangled(&e->texts[i], name, e->options->demangle,
							true) : "",
			.file = path_of(e, &found[i], &e->paths[i]), .line = found[i].line, .inlined = !last,
		};
		if (!frames[i - first].symbol || !frames[i - first].file)
			return pp_fail(error, PP_E_NOMEM, NULL);
	}
	return all - first;
}

/* What is at an offset, and at those around it: 0, or -1 and *error. */
static int name_offset(struct pp_image_cache *e, struct kept_elf *k, bool based, uint64_t offset,
		       uint32_t flags,
		       struct pp_address_range *same, const struct pp_answered *to, struct pp_error *error)
{
	struct pp_image *const image = k->image;
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	struct pp_named named = { .offset = offset, .start = offset };
	struct pp_address_range around = pp_everywhere;
	uint64_t address = offset + k->base;
	const struct pp_symbol *s;
	bool whole;
	int n;

	*same = pp_everywhere;
	if (!based && !pp_image_address(image, offset, &address, same)) {
		pp_narrow(same, offset, offset);
		return to->put(to->arg, &named, frames, flags, same, error);
	}
	named.bias = based ? 0 : address - offset;
	s = pp_symtab_find(&image->symbols, address, &around);
	n = frames_at(e, image, address, s ? (const char *)image->symbols.names.data + s->name : NULL, frames,
		      &whole, &around, error);
	if (n < 0)
		return -1;
	named.count = (uint32_t)n;
	if (n && flags & PP_ANSWER_DATA) {
		if (add_data(image, address, &frames[named.count++], error))
			return -1;
		pp_narrow(&around, address, address);
	}
	if (s)
		named.start = offset - (address - s->start);
	/* where its symbol begins is not known of the next */
	else if (n)
		pp_narrow(&around, address, address);
	pp_narrow_like(same, offset, &around, address);
	return to->put(to->arg, &named, frames, whole ? flags : flags & ~PP_NAMES_INLINED, same, error);
}

static void say_no_data(struct pp_image_cache *e, const struct pp_named_file *of)
{
	if (of->kind == PP_NAMES_FILE && *of->path == '/')
		pp_finder_say(e->finder, PP_HINT_NONE, "types of data",
			      "no data types: %s has no debug information on this machine", of->path);
}

static int by_image(struct pp_image_cache *e, struct kept_elf *k, const struct pp_asked *a,
		    const struct pp_answered *to, struct pp_error *error)
{
	struct pp_image *const image = k->image;
	struct pp_address_range same = { 1, 0 };
	const unsigned with = (e->options->lines ? PP_WITH_LINES : 0) | (e->options->data ? PP_WITH_DATA : 0);
	uint32_t flags = 0;

	if ((!e->options->no_inline || with) && pp_lines_open(image, e->finder, with, error) < 0)
		return -1;
	if (a->named && !image->lines) {
		if (e->options->data)
			say_no_data(e, &a->of);
		return 0;
	}
	if (pp_image_read_symbols(image, e->finder, error))
		return -1;
	pp_image_settle(image);
	if (image->lines)
		flags = (e->options->no_inline ? 0 : PP_NAMES_INLINED) |
			(e->options->lines ? PP_NAMES_LINES : 0) |
			(e->options->data ? PP_ANSWER_DATA : 0);
	else if (e->options->data)
		say_no_data(e, &a->of);
	for (size_t i = 0; i < a->n; i++)
		if (!pp_is_within(&same, a->offsets[i]) &&
		    name_offset(e, k, a->of.kind == PP_NAMES_KERNEL, a->offsets[i], flags, &same, to, error))
			return -1;
	return 0;
}

static int try_image(struct pp_image_cache *e, struct kept_elf *k, const struct pp_asked *a,
		     struct pp_error *error)
{
	const struct pp_named_file *const of = &a->of;

	if (k->tried)
		return 0;
	k->tried = true;
	switch (of->kind) {
	case PP_NAMES_PROCESS:
		return pp_perf_map_read(&k->code, e->finder, of->pid, error);
	case PP_NAMES_KERNEL:
		return strcmp(of->path, "[kernel.kallsyms]") ? open_module(e, k, a, error) :
							       open_kernel(e, k, of, error);
	default:
		return open_file(e, k, a, a->pid, error);
	}
}

int pp_image_cache_names(struct pp_image_cache *e, const struct pp_asked *a, const struct pp_answered *to,
			 struct pp_error *error)
{
	struct kept_elf *k, *owner;
	int got = 0;

	if (PP_GROW_ZEROED(&e->known, &e->n_known, a->number + 1, error))
		return -1;
	k = &e->known[a->number];
	if (try_image(e, k, a, error))
		return -1;
	owner = k->owner ? &e->known[k->owner - 1] : k;
	owner->used = ++e->clock;
	if (!k->image && e->options->data)
		say_no_data(e, &a->of);
	if (a->of.kind == PP_NAMES_PROCESS)
		got = pp_image_cache_symbols(e, &k->code, 0, a, to, error);
	else if (k->image)
		got = by_image(e, k, a, to, error);
	/* of a kernel without a build-id the stream may still say that it is this one */
	else if (a->n && !a->named && (a->of.kind != PP_NAMES_KERNEL || a->of.id_size))
		got = to->put(to->arg, &(struct pp_named){ .offset = *a->offsets }, NULL, 0, &pp_everywhere,
			      error);
	count(e, owner);
	return got;
}
