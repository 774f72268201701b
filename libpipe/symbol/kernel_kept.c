/*
 * kernel_kept.c - what functions of the running kernel are called, kept in a file from one run to the next:
 * the kernel takes long to say it.  What is kept are distances from the kernel's first byte, which are the
 * same wherever a boot put it and tell nothing of that, of its own code alone: modules, and code that was
 * made while it runs, are asked for each time.
 */
#include "symbol/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/procfs.h"
#include "base/spool.h"

enum { MOST = 64 << 20, HEAD = 4096 };

/* After it come `n` symbols, and their names. */
struct kept {
	char magic[8];
	uint64_t kernel, sum;         /* which it is; of what comes after */
	uint64_t n, names;            /* bytes */
};

static const char magic[8] = "PPKERN1";

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

/* Only what is the user's own, and no one else may write. */
static bool map(struct pp_kernel_kept *k, const char *path)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	    st.st_size > (off_t)sizeof(struct kept) && st.st_size <= MOST) {
		k->size = (size_t)st.st_size;
		k->mapped = mmap(NULL, k->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	}
	(void)close(fd);
	if (k->mapped == MAP_FAILED)
		k->mapped = NULL;
	return k->mapped;
}

/* The folder, or in it the file. */
static bool path_in(const char *folder, const char *name, char path[PP_PATH])
{
	return snprintf(path, PP_PATH, "%s/%s", folder, name) < PP_PATH;
}

void pp_kernel_kept_open(struct pp_kernel_kept *k, const char *folder)
{
	char path[PP_PATH];

	*k = (struct pp_kernel_kept){ .folder = folder };
	k->known = folder && identify(&k->kernel);
	if (!k->known || !path_in(folder, "kernel", path) || !map(k, path))
		return;
	k->there = is_sound(k);
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
	struct pp_extent same = { 1, 0 };

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
		const char *const name = (const char *)t->names.data + s->name;
		const bool sure = s->own_code && s[1].own_code && s->start >= kernel->text && *name;

		if (!sure && gap)
			continue;
		gap = !sure;
		if (pp_symtab_add(to, s->start - kernel->text, s->end - s->start, s->rank, sure ? name : "",
				  sure ? strlen(name) : 0))
			return -1;
	}
	return 0;
}

static bool write_all(int fd, const struct pp_kernel_kept *k, const struct pp_symtab *t)
{
	const struct kept head = head_of(k, t);
	const size_t items = t->n * sizeof(*t->items), size = sizeof(head) + items + t->names.size;
	struct rlimit most;

	/* larger than files may be: that would end the process */
	return size <= MOST && !getrlimit(RLIMIT_FSIZE, &most) && size <= most.rlim_cur &&
	       !pp_write_at(fd, &head, sizeof(head), 0) && !pp_write_at(fd, t->items, items, sizeof(head)) &&
	       !pp_write_at(fd, t->names.data, t->names.size, sizeof(head) + items);
}

/* The folder, and the one that it is in, which a new home has not. */
static void make_folders(const char *folder)
{
	const char *const slash = strrchr(folder, '/');
	char parent[PP_PATH];

	if (slash && slash > folder && slash - folder < PP_PATH) {
		memcpy(parent, folder, (size_t)(slash - folder));
		parent[slash - folder] = '\0';
		(void)mkdir(parent, 0700);
	}
	(void)mkdir(folder, 0700);
}

void pp_kernel_keep(const struct pp_kernel_kept *k, const struct pp_kernel *kernel)
{
	char path[PP_PATH], made[PP_PATH];
	struct pp_symtab t = { .items = NULL };
	int fd = -1;

	if (k->known && !k->there && kernel->text && !choose(&t, kernel) && t.n &&
	    path_in(k->folder, "kernel", path) && path_in(k->folder, "kernel.XXXXXX", made)) {
		make_folders(k->folder);
		fd = mkostemp(made, O_CLOEXEC);
	}
	if (fd >= 0) {
		const bool whole = write_all(fd, k, &t);

		if (close(fd) || !whole || rename(made, path))
			(void)unlink(made);
	}
	pp_symtab_free(&t);
}
