/* symtab.c - symbols by address: of several at one place the one that perf shows. */
#include <stdlib.h>

#include "image/elf_image.h"

enum { OUTER = 64 };                  /* so many symbols back, one may enclose an address */

void pp_symtab_free(struct pp_symtab *t)
{
	free(t->items);
	pp_buffer_free(&t->names);
	*t = (struct pp_symtab){ .items = NULL };
}

int pp_symtab_add(struct pp_symtab *t, uint64_t start, uint64_t size, uint8_t rank, const char *name,
		  size_t length)
{
	const size_t at = t->names.size;

	if (at + length + 1 > UINT32_MAX || PP_GROW(&t->items, &t->room, t->n + 1, NULL) ||
	    pp_buffer_add(&t->names, name, length, NULL) || pp_buffer_add(&t->names, "", 1, NULL))
		return -1;
	t->items[t->n++] = (struct pp_symbol){
		.start = start, .end = start + size < start ? UINT64_MAX : start + size,
		.name = (uint32_t)at, .rank = rank,
	};
	return 0;
}

static const char *name_of(const struct pp_symtab *t, const struct pp_symbol *s)
{
	return (const char *)t->names.data + s->name;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* As perf's choose_best_symbol(): < 0 where `a` is the better. */
static int better(const struct pp_symtab *t, const struct pp_symbol *a, const struct pp_symbol *b)
{
	const char *const x = name_of(t, a), *const y = name_of(t, b);
	const size_t of_x = underscores(x), of_y = underscores(y);
	const bool sized_a = a->end > a->start, sized_b = b->end > b->start;

	if (sized_a != sized_b)
		return sized_a ? -1 : 1;
	/* where none says its size, as in kallsyms, perf lets the last reach up to the next address */
	if (!sized_a)
		return a->name > b->name ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	if (strlen(x) != strlen(y))
		return strlen(x) > strlen(y) ? -1 : 1;
	/* of equals the first of the file, which is the first of the names too */
	return a->name < b->name ? -1 : a->name > b->name;
}

const char *pp_symtab_name(const struct pp_symtab *t, size_t i)
{
	return name_of(t, &t->items[i]);
}

bool pp_symtab_better(const struct pp_symtab *t, size_t i, size_t other)
{
	return better(t, &t->items[i], &t->items[other]) < 0;
}

static int compare_symbols(const void *x, const void *y, void *arg)
{
	const struct pp_symbol *const a = x, *const b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return better(arg, a, b);
}

static bool in_order(const struct pp_symtab *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->items[i - 1].start > t->items[i].start)
			return false;
	return true;
}

/* Those of one place, wherever several are; the others have their order. */
static void sort_equals(struct pp_symtab *t)
{
	for (size_t i = 0, end; i < t->n; i = end) {
		for (end = i + 1; end < t->n && t->items[end].start == t->items[i].start;)
			end++;
		if (end - i > 1)
			qsort_r(t->items + i, end - i, sizeof(*t->items), compare_symbols, t);
	}
}

void pp_symtab_sort(struct pp_symtab *t)
{
	size_t kept = 0;

	if (!t->n)
		return;
	/* as the kernel's are */
	if (in_order(t))
		sort_equals(t);
	else
		qsort_r(t->items, t->n, sizeof(*t->items), compare_symbols, t);
	for (size_t i = 0; i < t->n; i++)
		if (!kept || t->items[kept - 1].start != t->items[i].start)
			t->items[kept++] = t->items[i];
	t->n = kept;
	for (size_t i = 0; i + 1 < kept; i++)
		if (t->items[i].end == t->items[i].start)
			t->items[i].end = t->items[i + 1].start;
	if (t->items[kept - 1].end == t->items[kept - 1].start)
		t->items[kept - 1].end = ((t->items[kept - 1].start + 4095) & ~UINT64_C(4095)) + 4096;
}

const struct pp_symbol *pp_symtab_find(const struct pp_symtab *t, uint64_t address,
				       struct pp_address_range *same)
{
	return pp_around(t->items, t->n, sizeof(*t->items), OUTER, address, same);
}
