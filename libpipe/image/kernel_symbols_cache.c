/*
 * kernel_symbols_cache.c - what functions of the running kernel are called, kept in a file from one run to
 * the next: the kernel takes long to say it.  What is kept are distances from the kernel's first byte,
 * which are the same wherever a boot put it and tell nothing of that, of its own code alone: modules, and
 * code that was made while it runs, are asked for each time.
 */
#include "image/kernel_symbols.h"

#include <sys/mman.h>
#include <xxhash.h>

#include "base/procfs.h"
#include "image/cache_file.h"

enum { MOST = 64 << 20, HEAD = 4096 };

/* After it come `n` symbols, and their names. */
struct kept {
	char magic[8];
	uint64_t kernel, sum;         /* which it is; of what comes after */
	uint64_t n, names;            /* bytes */
};

static const char magic[8] = "PPKERN1", name[] = "kernel";

static struct kept head_of(const struct pp_kernel_kept *k, const struct pp_symtab *t)
{
	struct kept head = { .kernel = k->kernel, .n = t->n, .names = t->names.size };

	memcpy(head.magic, magic, sizeof(magic));
	head.sum = XXH3_64bits_withSeed(t->items, t->n * sizeof(*t->items),
					XXH3_64bits(t->names.data, t->names.size));
	return head;
}

/*
 * Which kernel runs: its build-id, and what the first symbols are called.  Their addresses are not in it,
 * but where all are hidden, nothing is known.
 */
static bool identify(uint64_t *kernel)
{
	struct pp_id id;
	char head[HEAD];
	bool shown = false;

	if (pp_kernel_build_id(id.bytes, &id.size) != 1 ||
	    pp_file_text(head, sizeof(head), "/proc/kallsyms") <= 0)
		return false;
	*kernel = XXH3_64bits(id.bytes, id.size);
	for (const char *line = head, *end; (end = strchr(line, '\n')); line = end + 1) {
		const size_t digits = strspn(line, "0123456789abcdef");

		shown = shown || strspn(line, "0") < digits;
		*kernel = XXH3_64bits_withSeed(line + digits, (size_t)(end - line) - digits, *kernel);
	}
	return shown;
}

/* ---- reading ---- */

/* Whether it is whole, and that kernel's; then the symbols are there. */
static bool is_sound(struct pp_kernel_kept *k)
{
	const uint8_t *const bytes = k->mapped;
	struct kept head, due;

	memcpy(&head, bytes, sizeof(head));
	if (head.n > (k->size - sizeof(head)) / sizeof(struct pp_symbol) ||
	    head.names != k->size - sizeof(head) - head.n * sizeof(struct pp_symbol) || !head.names ||
	    bytes[k->size - 1])
		return false;
	k->symbols = (struct pp_symtab){
		.items = (struct pp_symbol *)(void *)((uint8_t *)k->mapped + sizeof(head)), .n = head.n,
		.names = { .data = (uint8_t *)k->mapped + (k->size - head.names), .size = head.names },
	};
	due = head_of(k, &k->symbols);
	if (memcmp(&head, &due, sizeof(head)) != 0)
		return false;
	for (size_t i = 0; i < k->symbols.n; i++)
		if (k->symbols.items[i].name >= head.names)
			return false;
	return true;
}

void pp_kernel_kept_open(struct pp_kernel_kept *k, const char *folder)
{
	*k = (struct pp_kernel_kept){ .folder = folder };
	k->known = folder && identify(&k->kernel);
	if (k->known)
		k->mapped = pp_cache_file_map(folder, name, sizeof(struct kept) + 1, MOST, &k->size);
	k->there = k->mapped && is_sound(k);
	if (!k->there)
		pp_kernel_kept_close(k);
}

void pp_kernel_kept_close(struct pp_kernel_kept *k)
{
	if (k->mapped)
		(void)munmap(k->mapped, k->size);
	k->mapped = NULL;
	k->symbols = (struct pp_symtab){ .items = NULL };
	k->there = false;
}

bool pp_kernel_kept_covers(const struct pp_kernel_kept *k, const uint64_t *offsets, size_t n)
{
	struct pp_address_range same = { 1, 0 };

	for (size_t i = 0; k->there && i < n; i++) {
		const struct pp_symbol *s;

		if (pp_is_within(&same, offsets[i]))
			continue;
		same = pp_everywhere;
		s = pp_symtab_find(&k->symbols, offsets[i], &same);
		if (!s || !k->symbols.names.data[s->name])
			return false;
	}
	return k->there;
}

/* ---- writing ---- */

/*
 * Of functions of the kernel itself those that another of them follows, so that nothing but its code is
 * between them; of all between two such, one without a name.
 */
static int choose(struct pp_symtab *to, const struct pp_kernel *kernel)
{
	const struct pp_symtab *const t = &kernel->symbols;
	bool gap = true;

	for (size_t i = 0; i + 1 < t->n; i++) {
		const struct pp_symbol *const s = &t->items[i];
		const char *const symbol = (const char *)t->names.data + s->name;
		const bool sure = s->own_code && s[1].own_code && s->start >= kernel->text && *symbol;

		if (!sure && gap)
			continue;
		gap = !sure;
		if (pp_symtab_add(to, s->start - kernel->text, s->end - s->start, s->rank, sure ? symbol : "",
				  sure ? strlen(symbol) : 0))
			return -1;
	}
	return 0;
}

void pp_kernel_keep(const struct pp_kernel_kept *k, const struct pp_kernel *kernel)
{
	struct pp_symtab t = { .items = NULL };

	if (k->known && !k->there && kernel->text && !choose(&t, kernel) && t.n) {
		const struct kept head = head_of(k, &t);
		const struct pp_cache_file_part parts[] = {
			{ &head, sizeof(head) },
			{ t.items, t.n * sizeof(*t.items) },
			{ t.names.data, t.names.size },
		};

		(void)pp_cache_file_write(k->folder, name, parts, sizeof(parts) / sizeof(*parts), MOST);
	}
	pp_symtab_free(&t);
}
