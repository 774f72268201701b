/*
 * report_tree.c - the call tree of an entry, made of the parts of stacks that it has: level by level, so that
 * below what is too light to be shown nothing is looked at.
 */
#include "report/hist.h"
#include "profile/call_tree.h"

#include "base/format_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pp_hist_forget_trees(struct pp_report *r)
{
	free(r->trees.ranks);
	free(r->trees.met);
	free(r->trees.first_part);
	r->trees = (struct pp_hist_trees){ 0 };
}

/* ---- order ---- */

/* A place, for their order by address, and by name for what is inlined there; and a name of a file, for that
 * of names. */
struct ranked {
	uint64_t start;
	const char *name;
	uint32_t file, place;
};

static int by_address(const void *a, const void *b)
{
	const struct ranked *const x = a, *const y = b;
	int names;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	names = strcmp(x->name, y->name);
	return names ? names : (x->place > y->place) - (x->place < y->place);
}

static int by_text(const void *a, const void *b, void *arg)
{
	const struct pp_text *const texts = arg;

	return strcmp(texts[*(const uint32_t *)a].text, texts[*(const uint32_t *)b].text);
}

/* Which name of a file is before which: of each text that is one, its number in their order. */
static int rank_files(const struct pp_report *r, uint32_t *ranks, struct pp_error *error)
{
	uint32_t *const files = calloc(r->places.texts.n + 1, sizeof(*files));
	size_t n = 0;

	if (!files)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < r->places.n_places; i++) {
		const uint32_t file = pp_frame_table_kind(&r->places, i)->dso;

		if (!ranks[file])
			files[n++] = file;
		ranks[file] = 1;
	}
	qsort_r(files, n, sizeof(*files), by_text, r->places.texts.items);
	for (uint32_t i = 0; i < n; i++)
		ranks[files[i]] = i;
	free(files);
	return 0;
}

/* Which place is before which, for call trees: by the file's name, then the address. */
static int rank_places(struct pp_report *r, struct pp_error *error)
{
	const size_t n = r->places.n_places;
	struct ranked *const sorted = calloc(n + 1, sizeof(*sorted));
	uint32_t *const files = calloc(r->places.texts.n + 1, sizeof(*files));

	r->trees.ranks = calloc(n + 1, sizeof(*r->trees.ranks));
	if (!sorted || !files || !r->trees.ranks || rank_files(r, files, error)) {
		free(sorted);
		free(files);
		free(r->trees.ranks);
		r->trees.ranks = NULL;
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct pp_code_frame *const p = pp_frame_table_kind(&r->places, i);

		sorted[i] = (struct ranked){
			pp_frame_table_start(&r->places, i), r->places.texts.items[p->name].text,
			files[p->dso], i,
		};
	}
	qsort(sorted, n, sizeof(*sorted), by_address);
	for (uint32_t i = 0; i < n; i++)
		r->trees.ranks[sorted[i].place] = i;
	free(sorted);
	free(files);
	return 0;
}

/* ---- growing ---- */

/* What a call of a node leads to: parts that go on at the same place. */
struct branch {
	uint32_t place, n;
	uint32_t first;               /* where its next part goes */
	uint64_t self[PP_PROFILE_SIDES];
};

/* Parts that are in the same node, from `first` to `end`. */
struct limb {
	uint32_t first, end, node;
};

/* What an entry has of a group's stack: from there on in the order of the call tree. */
struct stack_rest {
	uint32_t group, from;
};

struct growing {
	struct pp_report *r;
	struct pp_profile *tree;
	uint64_t least;
	struct stack_rest *parts, *below;   /* at this level, and at the next; from: what is called there */
	uint32_t *ways;               /* which branch each part takes, or ENDS */
	struct limb *limbs, *next;    /* of both levels */
	size_t n_limbs, n_next, n_below;
	struct branch *branches;      /* of the limb at hand */
	size_t n_branches, branches_room;
};

#define ENDS UINT32_MAX

/* Which group a part is of, by its number, from one on that is not after it. */
static uint32_t find_group(const struct pp_report *r, uint32_t part, uint32_t from)
{
	uint32_t end = (uint32_t)r->groups.n;

	while (end - from > 1) {
		const uint32_t middle = from + (end - from) / 2;

		if (r->trees.first_part[middle] <= part)
			from = middle;
		else
			end = middle;
	}
	return from;
}

/* They are in the order of their groups. */
static void find_parts(const struct pp_report *r, const uint32_t *numbers, size_t n, struct stack_rest *parts)
{
	uint32_t group = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t frame;

		group = find_group(r, numbers[i], group);
		frame = numbers[i] - r->trees.first_part[group];
		parts[i] = (struct stack_rest){ group, frame ? frame - 1 : 0 };
	}
}

static int begin_growing(struct growing *g, struct pp_report *r, const uint32_t *numbers, size_t n,
			 struct pp_error *error)
{
	*g = (struct growing){ .r = r, .tree = pp_profile_new() };
	g->parts = malloc((n + 1) * sizeof(*g->parts));
	g->below = malloc((n + 1) * sizeof(*g->below));
	g->ways = malloc((n + 1) * sizeof(*g->ways));
	g->limbs = malloc((n + 1) * sizeof(*g->limbs));
	g->next = malloc((n + 1) * sizeof(*g->next));
	/* a tree has fewer nodes than are left */
	if (r->trees.n_limbs >= PP_TREE_MOST) {
		free(r->trees.met);
		r->trees.met = NULL;
		r->trees.n_limbs = 0;
	}
	if (!r->trees.met)
		r->trees.met = calloc(r->places.n_places + 1, sizeof(*r->trees.met));
	if (!g->tree || !g->parts || !g->below || !g->ways || !g->limbs || !g->next || !r->trees.met)
		return pp_fail(error, PP_E_NOMEM, NULL);
	find_parts(r, numbers, n, g->parts);
	g->limbs[0] = (struct limb){ 0, (uint32_t)n, PP_PROFILE_ROOT };
	g->n_limbs = n > 0;
	return 0;
}

/* Leaves the tree. */
static void end_growing(struct growing *g)
{
	free(g->parts);
	free(g->below);
	free(g->ways);
	free(g->limbs);
	free(g->next);
	free(g->branches);
}

/* The place that stands for all of a function. */
static uint32_t place_of_function(const struct pp_report *r, uint32_t seen)
{
	const uint32_t place = r->names.now[seen];

	return place - pp_frame_table_kind(&r->places, place)->function;
}

/* Which branch leads to a place from the limb with this number. */
static int find_branch(struct growing *g, uint32_t limb, uint32_t place, uint32_t *way,
		       struct pp_error *error)
{
	struct pp_hist_met *const met = &g->r->trees.met[place];

	if (met->limb != limb) {
		if (PP_GROW(&g->branches, &g->branches_room, g->n_branches + 1, error))
			return -1;
		*met = (struct pp_hist_met){ limb, (uint32_t)g->n_branches };
		g->branches[g->n_branches++] = (struct branch){ .place = place };
	}
	*way = met->branch;
	return 0;
}

/* Finds the ways of all parts of a limb, and adds up what ends in its node. */
static int part_limb(struct growing *g, const struct limb *l, struct pp_error *error)
{
	struct pp_report *const r = g->r;
	const uint32_t limb = ++r->trees.n_limbs;
	uint64_t self[PP_PROFILE_SIDES] = { 0 };
	bool ends = false;

	g->n_branches = 0;
	for (uint32_t i = l->first; i < l->end; i++) {
		const struct stack_rest *const part = &g->parts[i];
		const struct pp_hist_group *const group = &r->groups.items[part->group];
		const struct pp_hist_stack *const s = &r->chains.stacks[group->stack];
		uint64_t *to = self;

		g->ways[i] = ENDS;
		ends |= part->from >= s->count;
		if (part->from < s->count) {
			const uint32_t seen = pp_hist_frame(r, s, part->from);

			if (find_branch(g, limb, place_of_function(r, seen), &g->ways[i], error))
				return -1;
			g->branches[g->ways[i]].n++;
			to = g->branches[g->ways[i]].self;
		}
		pp_hist_add(&to[PP_PROFILE_FIRST], group->weight);
		pp_hist_add(&to[PP_PROFILE_SECOND], pp_hist_whole(r, group->samples));
	}
	return ends ? pp_tree_weigh(g->tree, l->node, self, error) : 0;
}

static int call_place(struct growing *g, uint32_t place, uint32_t *node, struct pp_error *error)
{
	const struct pp_report *const r = g->r;
	const struct pp_code_frame *const p = pp_frame_table_kind(&r->places, place);
	const struct pp_text *const name = &r->places.texts.items[p->name];
	char address[PP_HEX_MAX], inlined[1024];
	const char *text = name->text;
	size_t length = name->length;
	uint32_t frame;

	if (!p->name) {
		const uint64_t start = pp_frame_table_start(&r->places, place);

		/* perf has no 0x before 0 */
		length = start ? (size_t)(pp_put_hex(address, start) - address) : 1;
		text = start ? address : "0";
	} else if (p->inlined) {
		(void)snprintf(inlined, sizeof(inlined), "%s (inlined)", name->text);
		text = inlined;
		length = strlen(text);
	}
	return pp_profile_frame(g->tree, text, length, r->trees.ranks[place], &frame, error) ||
	       pp_profile_call(g->tree, *node, frame, node, error) ? -1 : 0;
}

/* Calls what the branches of a node lead to: those that are too light end there. */
static int call_branches(struct growing *g, uint32_t from, struct pp_error *error)
{
	for (size_t i = 0; i < g->n_branches; i++) {
		struct branch *const b = &g->branches[i];
		uint32_t node = from;

		if (call_place(g, b->place, &node, error))
			return -1;
		b->first = ENDS;
		if (b->self[PP_PROFILE_FIRST] < g->least) {
			if (pp_tree_weigh(g->tree, node, b->self, error))
				return -1;
			continue;
		}
		b->first = (uint32_t)g->n_below;
		g->n_below += b->n;
		g->next[g->n_next++] = (struct limb){ b->first, (uint32_t)g->n_below, node };
	}
	return 0;
}

static int grow_limb(struct growing *g, const struct limb *l, struct pp_error *error)
{
	if (part_limb(g, l, error) || call_branches(g, l->node, error))
		return -1;
	for (uint32_t i = l->first; i < l->end; i++) {
		struct branch *const b = g->ways[i] != ENDS ? &g->branches[g->ways[i]] : NULL;

		if (b && b->first != ENDS)
			g->below[b->first++] = (struct stack_rest){ g->parts[i].group, g->parts[i].from + 1 };
	}
	return 0;
}

static int grow_level(struct growing *g, struct pp_error *error)
{
	struct stack_rest *const parts = g->parts;
	struct limb *const limbs = g->limbs;

	g->n_below = g->n_next = 0;
	for (size_t i = 0; i < g->n_limbs; i++)
		if (grow_limb(g, &g->limbs[i], error))
			return -1;
	g->parts = g->below;
	g->below = parts;
	g->limbs = g->next;
	g->next = limbs;
	g->n_limbs = g->n_next;
	return 0;
}

struct pp_profile *pp_report_tree(struct pp_report *r, size_t event, size_t entry, uint64_t least,
				  struct pp_error *error)
{
	const struct pp_hist_event *const e = pp_hist_event_at(r, event);
	const uint32_t number = e->sorted[entry], first = e->first_part[number];
	struct growing g = { 0 };
	int status;

	if (!r->trees.ranks && rank_places(r, error))
		return NULL;
	status = begin_growing(&g, r, e->parts + first, e->first_part[number + 1] - first, error);
	g.least = least;
	while (!status && g.n_limbs)
		status = grow_level(&g, error);
	end_growing(&g);
	if (!status)
		return g.tree;
	pp_profile_free(g.tree);
	return NULL;
}
