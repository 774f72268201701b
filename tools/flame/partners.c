/*
 * partners.c - what stacks begin with on two sides: programs that were renamed are compared with each other,
 * and what has no partner is named.
 */
#include "flame/partners.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/renames.h"
#include "flame/many_runs.h"
#include "fold/stream_to_profile.h"

struct partners_options partners_options;

static char words[1200];         /* there is room for a few of them */
static struct pp_flame_rename *renames;
static size_t n_renames;

/* The roots of a profile, and the frames that they become. */
struct roots {
	struct pp_profile_root *items;
	size_t n;
	uint32_t *frames;
	uint64_t total[PP_PROFILE_SIDES];
	bool changed;
};

const char *partners_words(void)
{
	return *words ? words : NULL;
}

/* ---- words ---- */

static void CLI_PRINTF(1, 2) add_words(const char *format, ...)
{
	const size_t used = strlen(words);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(words + used, sizeof(words) - used, format, args);
	va_end(args);
}

enum { NAME_MOST = 60 };

static int shown(size_t length)
{
	return length < NAME_MOST ? (int)length : NAME_MOST;
}

static void say_compared(const char *after, size_t after_length, const char *before, size_t before_length)
{
	cli_warn("%.*s is compared with %.*s", shown(after_length), after, shown(before_length), before);
	add_words("%s%.*s is compared with %.*s", *words ? "; " : "", shown(after_length), after,
		  shown(before_length), before);
}

/* ---- which become which ---- */

/* What `name` begins with, without the numbers of --pid and --tid. */
static char *program_of(const char *name, size_t length)
{
	size_t end = length;

	if (stacks_options.fold.pid || stacks_options.fold.tid)
		while (end && name[end] != '-')
			end--;
	return cli_text("%.*s", (int)(end ? end : length), name);
}

static void add_rename(char *from, char *to)
{
	renames = cli_grow(renames, n_renames + 1, sizeof(*renames));
	renames[n_renames++] = (struct pp_flame_rename){ from, to };
}

static void rename_program(const char *from, size_t from_length, const char *to, size_t to_length)
{
	add_rename(program_of(from, from_length), program_of(to, to_length));
}

const struct pp_flame_rename *partners_renames(size_t *n)
{
	*n = n_renames;
	return renames;
}

static bool is_called(const struct pp_profile_root *root, const char *name, size_t length)
{
	return root->length == length && !memcmp(root->name, name, length);
}

/* NULL: no stack begins so. */
static const struct pp_profile_root *find(const struct roots *r, const char *name, size_t length)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_called(&r->items[i], name, length))
			return &r->items[i];
	return NULL;
}

static int map(struct roots *r, struct pp_profile *p, const char *both, struct pp_error *error)
{
	size_t length;
	const char *const to = renames_part(both, &length);
	const struct pp_profile_root *const from = find(r, both, length);
	const struct pp_profile_root *const partner = find(r, to, strlen(to));
	uint32_t frame = partner ? partner->frame : 0;

	if (!from || (r->total[PP_PROFILE_SECOND] && !partner)) {
		cli_warn("--map %s: no stack begins with %.*s", both, shown(from ? strlen(to) : length),
			 from ? to : both);
		return 0;
	}
	if (!partner && pp_profile_frame(p, to, strlen(to), from->kind, &frame, error))
		return -1;
	for (size_t i = 0; i < r->n; i++)
		if (is_called(&r->items[i], both, length))
			r->frames[i] = frame;
	r->changed = true;
	rename_program(both, length, to, strlen(to));
	if (r->total[PP_PROFILE_SECOND])
		say_compared(to, strlen(to), both, length);
	return 0;
}

/* More than half of a side, and not on the other; r->n: none is. */
static size_t heavy_alone(const struct roots *r, enum pp_profile_side side)
{
	size_t i = 0;

	while (i < r->n && r->items[i].total[side] <= r->total[side] / 2)
		i++;
	return i < r->n && r->items[i].total[!side] ? r->n : i;
}

static void join_renamed(struct roots *r)
{
	const size_t before = heavy_alone(r, PP_PROFILE_FIRST), after = heavy_alone(r, PP_PROFILE_SECOND);

	if (before == r->n || after == r->n)
		return;
	r->frames[before] = r->items[after].frame;
	rename_program(r->items[before].name, r->items[before].length, r->items[after].name,
		       r->items[after].length);
	r->changed = true;
	say_compared(r->items[after].name, r->items[after].length, r->items[before].name,
		     r->items[before].length);
}

static int choose(struct roots *r, struct pp_profile *p, bool apart, struct pp_error *error)
{
	const bool leave_out = rename_options.no_comm && !apart;

	for (size_t i = 0; i < r->n; i++)
		r->frames[i] = leave_out ? PP_PROFILE_END : r->items[i].frame;
	r->changed = leave_out;
	if (rename_options.no_comm)
		add_rename(NULL, cli_text("any program"));
	for (size_t i = 0; i < rename_options.maps.count; i++)
		if (map(r, p, rename_options.maps.items[i], error))
			return -1;
	if (!partners_options.no_map && !renames_asked() && r->total[PP_PROFILE_FIRST] &&
	    r->total[PP_PROFILE_SECOND])
		join_renamed(r);
	return 0;
}

/* ---- which have none ---- */

static void name_alone(const struct roots *r, enum pp_profile_side side)
{
	enum { NAMED = 3 };
	unsigned alone = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct pp_profile_root *const root = &r->items[i];
		const double share = (double)root->total[side] / (double)r->total[side];

		if (root->total[!side] || share <= 0.05 || ++alone > NAMED)
			continue;
		if (alone == 1)
			add_words("%sonly %s: ", *words ? "; " : "", side ? "after" : "before");
		add_words("%s%.*s %.1f %%", alone > 1 ? ", " : "", shown(root->length), root->name,
			  100 * share);
	}
	if (alone > NAMED)
		add_words(" and %u more", alone - NAMED);
}

static void close_roots(struct roots *r)
{
	free(r->items);
	free(r->frames);
	r->items = NULL;
	r->frames = NULL;
}

static int rename_roots(const struct roots *r, struct pp_profile *p, struct pp_error *error)
{
	uint32_t *const places = cli_grow(NULL, pp_profile_nodes(p), sizeof(*places));
	const int status = pp_profile_begin_with(p, r->frames, places, error);

	if (!status)
		stacks_renumber(p, places);
	if (!status)
		many_runs_renumber(places);
	free(places);
	return status;
}

/* What is there once it was joined. */
static int look_again(struct roots *r, struct pp_profile *p, struct pp_error *error)
{
	const int status = r->changed ? rename_roots(r, p, error) : 0;

	close_roots(r);
	return status || pp_profile_roots(p, &r->items, &r->n, error) ? -1 : 0;
}

int partners_join(struct pp_profile *p, bool apart, struct pp_error *error)
{
	struct roots r = { .total = { pp_profile_total(p, PP_PROFILE_FIRST),
				      pp_profile_total(p, PP_PROFILE_SECOND) } };
	int status = -1;

	*words = 0;
	n_renames = 0;
	if (!renames_asked() && !(r.total[PP_PROFILE_FIRST] && r.total[PP_PROFILE_SECOND]))
		return 0;
	if (pp_profile_roots(p, &r.items, &r.n, error))
		return -1;
	r.frames = cli_grow(NULL, r.n + 1, sizeof(*r.frames));
	if (!choose(&r, p, apart, error) && !look_again(&r, p, error)) {
		status = 0;
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			if (r.total[side] && r.total[!side] && !rename_options.no_comm)
				name_alone(&r, side);
	}
	close_roots(&r);
	return status;
}
