/* top_rows.c - the lines of a table or a tree of what is going on, out of a profile. */
#include "top/top_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfpipe/report.h>

#include "cli/message.h"
#include "top/report_view.h"
#include "top/live_profile.h"

static const struct column own_columns[] = {
	{ .name = "overhead", COLUMN(TEXT, struct top_line, cells[CELL_OVERHEAD]), .width = 8 },
	{ .name = "sample", COLUMN(TEXT, struct top_line, cells[CELL_SAMPLE]), .width = 8 },
	{ .name = "comm", COLUMN(TEXT, struct top_line, cells[CELL_COMM]), .width = -16 },
	{ .name = "dso", COLUMN(TEXT, struct top_line, cells[CELL_DSO]), .width = -24 },
	{ .name = "symbol", COLUMN(TEXT, struct top_line, cells[CELL_SYMBOL]), .width = -32 },
	{ .name = NULL }
};

/* A task is in no file, and before its calls are shown there is nothing else: files follow the names. */
static const struct column tree_columns[] = {
	{ .name = "overhead", COLUMN(TEXT, struct top_line, cells[CELL_OVERHEAD]), .width = 8 },
	{ .name = "sample", COLUMN(TEXT, struct top_line, cells[CELL_SAMPLE]), .width = 8 },
	{ .name = "calls", COLUMN(TEXT, struct top_line, cells[CELL_SYMBOL]), .width = -32 },
	{ .name = NULL }
};

static bool has_key_view(const struct lines_how *how)
{
	return how->report && how->view == LINES_TABLE;
}

void lines_choose(struct columns *columns, const struct lines_how *how)
{
	columns->count = 0;
	if (how->view == LINES_TREE) {
		(void)columns_choose(columns, tree_columns, NULL);
		return;
	}
	(void)columns_choose(columns, has_key_view(how) ? keyed_columns(how->report) : own_columns,
			     has_key_view(how) || how->by_comm ? NULL : "overhead,sample,dso,symbol");
}

/* Of functions. */
enum { SORT_OVERHEAD, SORT_SAMPLE, SORT_DSO, SORT_SYMBOL, SORTS };

const char *lines_sort_name(const struct lines_how *how)
{
	static const char *const own[SORTS] = { "overhead", "sample", "dso", "symbol" };

	if (has_key_view(how))
		return keyed_sort_name(how->report, how->sort);
	return how->sort < SORTS ? own[how->sort] : NULL;
}

enum { NAME_MOST = 1024 };      /* bytes of a name that are shown */

/* ---- which are open ---- */

static bool key_is_open(const struct lines_open *open, uint64_t key)
{
	for (size_t i = 0; open && i < open->count; i++)
		if (open->keys[i] == key)
			return true;
	return false;
}

void lines_toggle(struct lines_open *open, uint64_t key)
{
	for (size_t i = 0; i < open->count; i++) {
		if (open->keys[i] == key) {
			open->keys[i] = open->keys[--open->count];
			return;
		}
	}
	open->keys = cli_grow(open->keys, open->count + 1, sizeof(*open->keys));
	open->keys[open->count++] = key;
}

/* ---- the calls of a profile ---- */

struct top_call {
	struct pp_profile_node node;
	uint32_t comm;                /* the frame of the task */
};

/* All that is made for one look, and kept for the next. */
static struct {
	struct top_call *calls;           /* by node */
	size_t room;
	struct top_line *lines;
	size_t count, lines_room;
	char **texts;
	size_t n_texts;
	uint64_t total;
	const struct lines_how *how;
} made;

static int take_call(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct top_call *const call = &made.calls[node->node];

	(void)arg, (void)error;
	*call = (struct top_call){ *node, node->frame };
	if (node->parent != PP_PROFILE_ROOT)
		call->comm = made.calls[node->parent].comm;
	return 0;
}

/* A text that is to be freed when lines are made anew. */
static const char *keep(char *text)
{
	made.texts = cli_grow(made.texts, made.n_texts + 1, sizeof(*made.texts));
	made.texts[made.n_texts++] = text;
	return text;
}

/* ---- groups: calls that are one line ---- */

/* A stack of which one frame is looked at, and what of it counts there. */
struct top_part {
	uint32_t at;                  /* the node of that frame */
	uint64_t weight[PP_PROFILE_SIDES];
};

struct top_group {
	uint64_t weight[PP_PROFILE_SIDES];
	size_t first, count;          /* its parts */
	uint32_t node;                /* one of its calls */
};

struct top_groups {
	struct top_part *parts;
	size_t n_parts;
	struct top_group *items;
	size_t count;
	bool by_comm;
	size_t sort;
};

static int in_groups(const void *a, const void *b, void *arg)
{
	const struct top_call *const x = &made.calls[((const struct top_part *)a)->at];
	const struct top_call *const y = &made.calls[((const struct top_part *)b)->at];
	const struct top_groups *const g = arg;

	if (g->by_comm && x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->node.frame > y->node.frame) - (x->node.frame < y->node.frame);
}

static const char *object_of(const struct top_call *call, unsigned *kind)
{
	const char *const path = weigh_object(call->node.kind, kind);
	const char *const slash = path && *path != '[' ? strrchr(path, '/') : NULL;

	if (path && !strcmp(path, "[kernel.kallsyms]"))
		return "[kernel]";
	return !path ? "" : slash && slash[1] ? slash + 1 : path;
}

static int by_name(const struct top_call *x, const struct top_call *y)
{
	const size_t least = x->node.length < y->node.length ? x->node.length : y->node.length;
	const int d = memcmp(x->node.name, y->node.name, least);

	return d ? d : (x->node.length > y->node.length) - (x->node.length < y->node.length);
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct top_group *const x = a, *const y = b;
	const struct top_call *const cx = &made.calls[x->node], *const cy = &made.calls[y->node];
	const size_t sort = ((const struct top_groups *)arg)->sort;
	const unsigned side = sort == SORT_SAMPLE ? PP_PROFILE_SECOND : PP_PROFILE_FIRST;
	unsigned ignored;
	int d = sort == SORT_DSO ? strcmp(object_of(cx, &ignored), object_of(cy, &ignored)) :
		sort == SORT_SYMBOL ? by_name(cx, cy) : 0;

	if (d)
		return d;
	if (x->weight[side] != y->weight[side])
		return x->weight[side] > y->weight[side] ? -1 : 1;
	d = by_name(cx, cy);
	return d ? d : (x->node > y->node) - (x->node < y->node);
}

/* Puts parts that look at the same frame together. */
static void make_groups(struct top_groups *g)
{
	g->items = cli_grow(NULL, g->n_parts + 1, sizeof(*g->items));
	g->count = 0;
	qsort_r(g->parts, g->n_parts, sizeof(*g->parts), in_groups, g);
	for (size_t i = 0; i < g->n_parts; i++) {
		const bool same = i && !in_groups(&g->parts[i - 1], &g->parts[i], g);
		struct top_group *const group = &g->items[same ? g->count - 1 : g->count];

		if (!same) {
			*group = (struct top_group){ .first = i, .node = g->parts[i].at };
			g->count++;
		}
		group->count++;
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			group->weight[side] += g->parts[i].weight[side];
	}
	qsort_r(g->items, g->count, sizeof(*g->items), in_order, g);
}

/* ---- lines ---- */

static const char *comm_name(const struct top_call *call)
{
	uint32_t at = call->node.node;

	while (made.calls[at].node.parent != PP_PROFILE_ROOT)
		at = made.calls[at].node.parent;
	return made.calls[at].node.name;
}

#define KEY_START UINT64_C(14695981039346656037)

/* The key of a line that has this text, too; NULL: an empty one. */
static uint64_t mix(uint64_t key, const char *text)
{
	for (const char *c = text ? text : ""; ; c++) {
		key = (key ^ (unsigned char)*c) * UINT64_C(1099511628211);
		if (!*c)
			return key;
	}
}

static uint64_t key_of(uint64_t above, const struct top_call *call, bool by_comm)
{
	unsigned kind;
	const char *const texts[] = {
		call->node.name, has_key_view(made.how) ? NULL : object_of(call, &kind),
		by_comm ? comm_name(call) : NULL,
	};
	uint64_t key = above ^ KEY_START;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		key = mix(key, texts[i]);
	return key;
}

/* Before the name of a line: whether there are lines below it, and are shown. */
static const char *mark_of(bool opens, bool is_open)
{
	return !made.how->open ? "" : !opens ? "  " : is_open ? "- " : "+ ";
}

static const char *symbol_text(const struct top_call *call, unsigned depth, bool opens, bool is_open)
{
	unsigned kind;
	const char *const object = has_key_view(made.how) ? NULL : weigh_object(call->node.kind, &kind);
	const char *const level = !object ? "" : kind == PP_FLAME_KERNEL ? "[k] " : "[.] ";

	return keep(cli_text("%*s%s%s%.*s", (int)(2 * depth), "", mark_of(opens, is_open), level,
			     call->node.length > NAME_MOST ? NAME_MOST : (int)call->node.length,
			     call->node.name));
}

static struct top_line *new_line(uint64_t key, bool opens, bool is_open)
{
	struct top_line *line;

	if (made.count == made.lines_room) {
		made.lines_room = made.lines_room ? 2 * made.lines_room : 256;
		made.lines = cli_grow(made.lines, made.lines_room, sizeof(*made.lines));
	}
	line = &made.lines[made.count++];
	*line = (struct top_line){ .key = key, .opens = opens, .is_open = is_open };
	return line;
}

/* In a table by keys callers have weights, and stand where functions do. */
static void fill_keyed(struct top_line *line, const struct top_group *group, const char *symbol)
{
	const struct pp_report *const report = made.how->report;
	const size_t last = keyed_tree_column(report);

	for (size_t i = 0; i < pp_report_columns(report); i++)
		line->cells[i] = i == last ? symbol :
			keep(keyed_weight(report, i, group->weight[PP_PROFILE_FIRST],
					  group->weight[PP_PROFILE_SECOND], made.total));
}

static void fill(struct top_line *line, const struct top_group *group, const char *symbol, double share,
		 bool by_comm)
{
	const struct top_call *const call = &made.calls[group->node];
	unsigned kind;

	line->cells[CELL_OVERHEAD] = keep(cli_text("%.2f%%", 100 * share));
	line->cells[CELL_SAMPLE] = keep(cli_text("%" PRIu64, (group->weight[PP_PROFILE_SECOND] +
								WEIGH_SAMPLE / 2) / WEIGH_SAMPLE));
	line->cells[CELL_COMM] = by_comm || made.how->view == LINES_TREE ? comm_name(call) : "";
	line->cells[CELL_DSO] = object_of(call, &kind);
	line->cells[CELL_SYMBOL] = symbol;
	/* a frame without a name, "[libc.so.6]", is called by its file */
	if (made.how->view == LINES_TREE && *line->cells[CELL_DSO] && symbol[strlen(symbol) - 1] != ']')
		line->cells[CELL_SYMBOL] = keep(cli_text("%s (%s)", symbol, line->cells[CELL_DSO]));
}

static struct top_line *add_line(const struct top_group *group, uint64_t above, unsigned depth, bool by_comm,
				 bool opens)
{
	const struct top_call *const call = &made.calls[group->node];
	const uint64_t key = key_of(above, call, by_comm);
	const double share = made.total ? (double)group->weight[PP_PROFILE_FIRST] / (double)made.total : 0;
	const bool is_open = opens && (made.how->open_from > 0 ? share >= made.how->open_from :
				       key_is_open(made.how->open, key));
	struct top_line *const line = new_line(key, opens, is_open);
	const char *const symbol = symbol_text(call, depth, opens, is_open);
	unsigned kind;

	if (has_key_view(made.how))
		fill_keyed(line, group, symbol);
	else
		fill(line, group, symbol, share, by_comm);
	line->object = has_key_view(made.how) ? NULL : weigh_object(call->node.kind, &kind);
	if (line->object || has_key_view(made.how))
		line->function = keep(cli_text("%.*s", (int)call->node.length, call->node.name));
	return line;
}

/* The parts of a group, each one frame further: to callers in a table, to what is called in a tree. */
static void step_out(const struct top_groups *g, const struct top_group *group, struct top_groups *callers)
{
	*callers = (struct top_groups){ .sort = g->sort,
				    .parts = cli_grow(NULL, group->count + 1, sizeof(*callers->parts)) };
	for (size_t i = group->first; i < group->first + group->count; i++) {
		struct top_part part = g->parts[i];

		part.at = made.calls[part.at].node.parent;
		if (part.at != PP_PROFILE_ROOT)
			callers->parts[callers->n_parts++] = part;
	}
}

static void close_groups(struct top_groups *g)
{
	free(g->parts);
	free(g->items);
}

/* Lines of callers, below those whom they call. */
static void add_callers(struct top_groups *g, uint64_t above, unsigned depth, size_t most)
{
	make_groups(g);
	for (size_t i = 0; i < g->count && (!most || i < most); i++) {
		const struct top_group *const group = &g->items[i];
		const struct top_line *const line =
			add_line(group, above, depth, g->by_comm,
				 made.calls[group->node].node.parent != PP_PROFILE_ROOT);
		const uint64_t key = line->key;
		struct top_groups callers;

		if (!line->is_open)
			continue;
		step_out(g, group, &callers);
		add_callers(&callers, key, depth + 1, 0);
		close_groups(&callers);
	}
}

static void add_table(size_t n)
{
	struct top_groups g = { .by_comm = made.how->by_comm, .sort = made.how->sort,
			    .parts = cli_grow(NULL, n, sizeof(*g.parts)) };

	for (uint32_t i = 1; i < n; i++) {
		const uint64_t *const self = made.calls[i].node.self;

		if (self[0] || self[1])
			g.parts[g.n_parts++] = (struct top_part){ i, { self[0], self[1] } };
	}
	add_callers(&g, 0, 0, made.how->most);
	close_groups(&g);
}

/* Those below each node, by what they come after: children[first[i]] to children[first[i + 1]]. */
struct below { uint32_t *first, *children; };

static struct below find_below(size_t n)
{
	struct below b = { cli_grow(NULL, n + 2, sizeof(*b.first)), cli_grow(NULL, n, sizeof(*b.children)) };

	memset(b.first, 0, (n + 2) * sizeof(*b.first));
	for (size_t i = 1; i < n; i++)
		b.first[made.calls[i].node.parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		b.first[i] += b.first[i - 1];
	for (uint32_t i = 1; i < n; i++)
		b.children[b.first[made.calls[i].node.parent + 1]++] = i;
	return b;
}

/* Lines of what a node calls. */
static void add_called(const struct below *b, uint32_t from, uint64_t above, unsigned depth)
{
	const size_t n = b->first[from + 1] - b->first[from];
	struct top_groups g = { .sort = has_key_view(made.how) ? SORT_OVERHEAD : made.how->sort,
			    .parts = cli_grow(NULL, n + 1, sizeof(*g.parts)) };

	for (size_t i = 0; i < n; i++) {
		const uint32_t at = b->children[b->first[from] + i];
		const uint64_t *const total = made.calls[at].node.total;

		if (total[0] || total[1])
			g.parts[g.n_parts++] = (struct top_part){ at, { total[0], total[1] } };
	}
	make_groups(&g);
	for (size_t i = 0; i < g.count && (depth || !made.how->most || i < made.how->most); i++) {
		const uint32_t at = g.items[i].node;
		const struct top_line *line;

		if ((double)g.items[i].weight[0] < made.how->open_from * (double)made.total)
			continue;
		line = add_line(&g.items[i], above, depth, false, b->first[at] < b->first[at + 1]);
		if (line->is_open)
			add_called(b, at, line->key, depth + 1);
	}
	close_groups(&g);
}

static void take_calls(struct pp_profile *profile)
{
	const size_t n = pp_profile_nodes(profile);
	struct pp_error error;

	if (n > made.room) {
		made.calls = cli_grow(made.calls, n, sizeof(*made.calls));
		made.room = n;
	}
	if (pp_profile_each(profile, PP_PROFILE_AS_MADE, take_call, NULL, &error))
		cli_no_memory();
}

static void add_tree(struct pp_profile *profile)
{
	struct below b = find_below(pp_profile_nodes(profile));

	add_called(&b, PP_PROFILE_ROOT, 0, 0);
	free(b.first);
	free(b.children);
}

/* ---- a table by keys ---- */

/* Lines of the callers of an entry: of those of a function not itself once more. */
static void add_callers_of_entry(size_t event, size_t entry, uint64_t key)
{
	struct pp_error error;
	struct pp_profile *const tree = pp_report_tree(made.how->report, event, entry, 0, &error);
	struct pp_report_column column;
	uint32_t from = PP_PROFILE_ROOT;
	struct below b;

	if (!tree)
		cli_no_memory();
	take_calls(tree);
	b = find_below(pp_profile_nodes(tree));
	pp_report_column(made.how->report, keyed_tree_column(made.how->report), &column);
	if (!strcmp(column.name, "symbol") && b.first[1] - b.first[0] == 1)
		from = b.children[0];
	add_called(&b, from, key, 1);
	free(b.first);
	free(b.children);
	pp_profile_free(tree);
}

static void add_entry(size_t event, size_t entry, bool opens)
{
	const struct pp_report *const report = made.how->report;
	const size_t last = keyed_tree_column(report);
	const size_t n = pp_report_columns(report);
	const char *cells[CELLS_MOST];
	const char *function = NULL;
	uint64_t key = KEY_START;
	struct top_line *line;

	for (size_t i = 0; i < n; i++) {
		struct pp_report_column column;

		pp_report_column(report, i, &column);
		cells[i] = keep(keyed_cell(report, event, entry, i));
		if (!strcmp(column.name, "symbol"))
			function = keep(keyed_function(report, event, entry, i));
		key = column.key ? mix(key, cells[i]) : key;
	}
	line = new_line(key, opens, opens && key_is_open(made.how->open, key));
	memcpy(line->cells, cells, n * sizeof(*cells));
	line->function = function;
	if (opens)
		line->cells[last] = keep(cli_text("%s%s", mark_of(true, line->is_open), cells[last]));
	if (line->is_open)
		add_callers_of_entry(event, entry, key);
}

static void add_entries(void)
{
	const struct pp_report *const report = made.how->report;
	struct pp_report_event of;
	size_t event, n, *order;

	if (!keyed_event(report, made.how->event, &event))
		return;
	pp_report_event(report, event, &of);
	made.total = of.weight;
	n = pp_report_entries(report, event);
	order = keyed_order(report, event, made.how->sort);
	for (size_t i = 0; i < n && (!made.how->most || i < made.how->most); i++)
		add_entry(event, order[i], made.how->open && of.has_chains);
	free(order);
}

const struct top_line *lines_make(struct pp_profile *profile, const struct lines_how *how, size_t *count)
{
	while (made.n_texts)
		free(made.texts[--made.n_texts]);
	made.how = how;
	made.count = 0;
	made.total = pp_profile_total(profile, PP_PROFILE_FIRST);
	if (has_key_view(how)) {
		add_entries();
	} else {
		take_calls(profile);
		if (how->view == LINES_TABLE)
			add_table(pp_profile_nodes(profile));
		else
			add_tree(profile);
	}
	*count = made.count;
	return made.lines;
}

void lines_free(struct lines_open *open)
{
	while (made.n_texts)
		free(made.texts[--made.n_texts]);
	free(made.texts);
	free(made.lines);
	free(made.calls);
	free(open->keys);
}
