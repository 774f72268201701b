/* builds.c - builds of what both sides should have alike: shared objects, the kernel, its modules. */
#include "diff/builds.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { ID_SIZE = 20, MOST = 10000 };  /* files: more are not looked at */

/* A file as some recordings have it. */
struct build {
	char *path;
	uint8_t id[ID_SIZE];
	bool *in;                     /* by the place of each recording */
};

static struct {
	struct build *builds;
	size_t n, last;               /* last: what was met last, since maps repeat */
} state;

/* A program may be what is compared: another build on the other side, and perhaps at the same path. */
static bool is_shared(const char *path, size_t length)
{
	char *const text = cli_text("%.*s", (int)length, path);
	const char *const slash = strrchr(text, '/'), *const name = slash ? slash + 1 : text;
	const char *const so = strstr(name, ".so"), *const ko = strstr(name, ".ko");
	const bool shared = *text == '[' || (so && (!so[3] || so[3] == '.')) ||
			    (ko && (!ko[3] || ko[3] == '.'));

	free(text);
	return shared;
}

static bool is_build(const struct build *b, const char *path, size_t length, const uint8_t *id)
{
	return !strncmp(b->path, path, length) && !b->path[length] && !memcmp(b->id, id, ID_SIZE);
}

static struct build *find_build(const char *path, size_t length, const uint8_t *id, size_t n)
{
	if (state.n && is_build(&state.builds[state.last], path, length, id))
		return &state.builds[state.last];
	for (state.last = 0; state.last < state.n; state.last++)
		if (is_build(&state.builds[state.last], path, length, id))
			return &state.builds[state.last];
	state.last = 0;
	if (state.n == MOST || !is_shared(path, length))
		return NULL;
	if (!(state.n & (state.n - 1)))
		state.builds = cli_grow(state.builds, state.n ? 2 * state.n : 1, sizeof(*state.builds));
	state.last = state.n++;
	state.builds[state.last] = (struct build){
		.path = cli_text("%.*s", (int)length, path), .in = cli_grow(NULL, n, sizeof(bool)),
	};
	memset(state.builds[state.last].in, 0, n * sizeof(bool));
	memcpy(state.builds[state.last].id, id, ID_SIZE);
	return &state.builds[state.last];
}

void builds_note(const struct pp_record *rec, size_t place, size_t n)
{
	uint8_t id[ID_SIZE] = { 0 };
	const uint8_t *bytes;
	struct build *build;
	size_t length, size;
	const char *path;

	if (rec->type == PP_REC_SAMPLE || !pp_find_text(rec, PP_IS_PATH, &path, &length))
		return;
	bytes = pp_find_bytes(rec, PP_IS_BUILD_ID, &size);
	if (!bytes)
		return;
	memcpy(id, bytes, size < ID_SIZE ? size : ID_SIZE);
	build = find_build(path, length, id, n);
	if (build)
		build->in[place] = true;
}

/* A recording of this side that has it; NULL: none has. */
static const struct diff_recording *one_with(const struct build *b, bool after,
					     const struct diff_recording *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].after == after && b->in[all[i].place])
			return &all[i];
	return NULL;
}

static bool is_before_alone(const struct build *b, const struct diff_recording *all, size_t n)
{
	return one_with(b, false, all, n) && !one_with(b, true, all, n);
}

/* Another build of the file, which the second side has, and the first not; NULL: there is none. */
static const struct build *find_other(const struct build *of, const struct diff_recording *all, size_t n)
{
	for (const struct build *b = state.builds; b < state.builds + state.n; b++)
		if (!strcmp(b->path, of->path) && one_with(b, true, all, n) && !one_with(b, false, all, n))
			return b;
	return NULL;
}

static void say_builds(const struct build *first, bool more, const struct diff_recording *all, size_t n)
{
	const struct diff_recording *const after = one_with(find_other(first, all, n), true, all, n);
	const struct diff_recording *const before = one_with(first, false, all, n);

	cli_warn("%s: %s is of another build than in %s%s: what changed may be that, not the program: "
		 "record both with the same ones", after->path, first->path, before->path,
		 more ? ", and others" : "");
}

void builds_compare(const struct diff_recording *all, size_t n)
{
	const struct build *first = NULL;
	size_t found = 0;

	for (const struct build *b = state.builds; b < state.builds + state.n; b++)
		if (is_before_alone(b, all, n) && find_other(b, all, n) && !found++)
			first = b;
	if (found)
		say_builds(first, found > 1, all, n);
	for (size_t i = 0; i < state.n; i++) {
		free(state.builds[i].path);
		free(state.builds[i].in);
	}
	free(state.builds);
	memset(&state, 0, sizeof(state));
}
