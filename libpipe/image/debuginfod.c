/*
 * debuginfod.c - files from the servers of $DEBUGINFOD_URLS, by build-id, within one deadline for all
 * questions together; whether to ask is the caller's affair.
 *
 * The library is loaded when it is first asked for: it brings a whole HTTP client.
 */
#include "image/file_finder.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/procfs.h"
#include "image/cache_file.h"

struct debuginfod_client;
typedef int find_fn(struct debuginfod_client *, const unsigned char *id, int length, char **path);
typedef int progress_fn(struct debuginfod_client *, long, long);

struct failed { struct pp_id id; bool debug; };

struct pp_debuginfod {
	struct debuginfod_client *client;
	find_fn *debuginfo, *executable;
	void (*end)(struct debuginfod_client *);
	struct timespec until;
	unsigned seconds;             /* of all questions; the time runs from the first */
	unsigned long own;            /* the user's own limit of a question, in seconds; 0: none */
	bool begun;
	struct failed *failed;        /* what no server has */
	size_t n_failed, room_failed;
};

static bool is_past(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > until->tv_sec ||
	       (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

bool pp_debuginfod_late(const struct pp_debuginfod *d)
{
	return d->begun && is_past(&d->until);
}

static const char longest[] = "DEBUGINFOD_MAXTIME";

/* Since elfutils 0.192 the library does not call while a server is silent, but reads this for every
 * question: whole seconds, of which at least one goes by. */
static void limit_question(const struct pp_debuginfod *d)
{
	struct timespec now;
	unsigned long left;
	char text[24];

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = d->until.tv_sec > now.tv_sec ? (unsigned long)(d->until.tv_sec - now.tv_sec) : 1;
	(void)snprintf(text, sizeof(text), "%lu", d->own && d->own < left ? d->own : left);
	(void)setenv(longest, text, 1);
}

/* Called while the library waits: not 0 ends that. */
static int watch(struct debuginfod_client *client, long a, long b)
{
	void *(*get)(struct debuginfod_client *);

	(void)a;
	(void)b;
	*(void **)&get = dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
	return get && pp_debuginfod_late(get(client));
}

/* The library keeps files in one of these places, and makes it where it is not there. */
static bool keeps_in_own_folder(void)
{
	static const char *const places[] = { "DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME" };
	char above[PP_PATH];
	struct stat st;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *const place = getenv(places[i]);
		const char *slash;

		if (!place || !*place)
			continue;
		slash = strrchr(place, '/');
		if (!lstat(place, &st) || errno != ENOENT)
			return pp_cache_file_own(place);
		(void)snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - place + 1) : 1,
			       slash ? place : ".");
		return pp_cache_file_own(above);
	}
	return true;
}

struct pp_debuginfod *pp_debuginfod_open(unsigned seconds, const char **why)
{
	struct debuginfod_client *(*begin)(void);
	void (*set_data)(struct debuginfod_client *, void *);
	void (*set_progress)(struct debuginfod_client *, progress_fn *);
	const char *const urls = getenv("DEBUGINFOD_URLS");
	struct pp_debuginfod *d;
	void *library;

	*why = "DEBUGINFOD_URLS names no server";
	if (!urls || !*urls)
		return NULL;
	*why = "what it gives would be kept in another user's folder (see DEBUGINFOD_CACHE_PATH)";
	if (!keeps_in_own_folder())
		return NULL;
	*why = "libdebuginfod.so.1 is not installed";
	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		return NULL;
	*why = "out of memory";
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->seconds = seconds;
	d->own = strtoul(getenv(longest) ? getenv(longest) : "", NULL, 10);
	*(void **)&begin = dlsym(library, "debuginfod_begin");
	*(void **)&set_data = dlsym(library, "debuginfod_set_user_data");
	*(void **)&set_progress = dlsym(library, "debuginfod_set_progressfn");
	*(void **)&d->debuginfo = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&d->executable = dlsym(library, "debuginfod_find_executable");
	*(void **)&d->end = dlsym(library, "debuginfod_end");
	*why = "libdebuginfod.so.1 is not the one that is known";
	if (begin && set_data && set_progress && d->debuginfo && d->executable && d->end)
		d->client = begin();
	if (!d->client) {
		free(d);
		return NULL;
	}
	set_data(d->client, d);
	set_progress(d->client, watch);
	return d;
}

void pp_debuginfod_close(struct pp_debuginfod *d)
{
	if (!d)
		return;
	d->end(d->client);
	free(d->failed);
	free(d);
}

static bool has_failed(const struct pp_debuginfod *d, const struct pp_id *id, bool debug)
{
	for (size_t i = 0; i < d->n_failed; i++)
		if (d->failed[i].debug == debug && pp_same_id(&d->failed[i].id, id))
			return true;
	return false;
}

int pp_debuginfod_find(struct pp_debuginfod *d, const struct pp_id *id, bool debug, char **path)
{
	int fd;

	*path = NULL;
	if (!id->size || has_failed(d, id, debug) || pp_debuginfod_late(d))
		return -1;
	if (!d->begun) {
		clock_gettime(CLOCK_MONOTONIC, &d->until);
		d->until.tv_sec += d->seconds;
		d->begun = true;
	}
	limit_question(d);
	fd = (debug ? d->debuginfo : d->executable)(d->client, id->bytes, id->size, path);
	if (fd >= 0)
		return fd;
	*path = NULL;
	if (!PP_GROW(&d->failed, &d->room_failed, d->n_failed + 1, NULL))
		d->failed[d->n_failed++] = (struct failed){ *id, debug };
	return -1;
}
