/*
 * file_finder.c - finds the file of a mapping and its separate debug file, and opens it as a regular
 * file and nothing else (elf/build_id.c).
 */
#include "image/file_finder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/procfs.h"
#include "base/log.h"
#include "base/spool.h"
#include "elf/build_id.h"
#include "image/cache_file.h"
#include "image/decompress.h"

enum { CODE_MOST = 1 << 28 };         /* bytes of a list of code */

struct pp_finder {
	struct pp_finder_options places;
	struct pp_debuginfod *debuginfod;
	bool asked_for;               /* it, or why there is none, is known */
	struct pp_idmap said;         /* hashes of what was said */
	char *cache;                  /* perf's, or NULL */
	struct pp_idmap counted;      /* hashes of the files that were found */
	uint64_t files;
	void (*watch)(void *arg, const struct pp_question *, int result, const struct pp_found_file *);
	void *watch_arg;
};

/* One try: where, and what it must be. */
struct try {
	const char *root, *path;
	const struct pp_wanted_file *inode;     /* has to be this one; NULL: any */
	const struct pp_id *id;                 /* has to have it; NULL: any */
	bool quiet;                             /* of little use to say that it is another */
};

struct pp_finder *pp_finder_new(const struct pp_finder_options *places)
{
	struct pp_finder *const f = calloc(1, sizeof(*f));
	const char *const home = getenv("HOME");

	if (!f)
		return NULL;
	f->places = *places;
	if (!f->places.deadline)
		f->places.deadline = 30;
	if (home && asprintf(&f->cache, "%s/.debug", home) < 0) {
		free(f);
		return NULL;
	}
	/* build-ids are what files say of themselves: the owner of the cache vouches for them; who asks
	 * another finder may look at nothing */
	if (home && !places->ask && !pp_cache_file_own(f->cache)) {
		free(f->cache);
		f->cache = NULL;
	}
	return f;
}

void pp_finder_free(struct pp_finder *f)
{
	if (!f)
		return;
	pp_debuginfod_close(f->debuginfod);
	pp_idmap_close(&f->said);
	pp_idmap_close(&f->counted);
	free(f->cache);
	free(f);
}

void pp_finder_identify(struct pp_finder *f, int (*identify)(void *arg, int fd, struct pp_id *), void *arg)
{
	f->places.identify = identify;
	f->places.identify_arg = arg;
}

void pp_found_close(struct pp_found_file *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->path);
	*found = (struct pp_found_file){ .fd = -1 };
}

/* Whether a line about a thing is the first of its kind. */
static bool is_unsaid(struct pp_finder *f, const char *thing, const char *format)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *p = thing; *p; p++)
		hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	for (const char *p = format; *p; p++)
		hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
	return pp_idmap_add(&f->said, hash) == 1;
}

enum { LINE = PP_PATH + 256 };

void pp_finder_say(struct pp_finder *f, enum pp_hint hint, const char *thing, const char *format, ...)
{
	char line[LINE];
	va_list args;

	if (!is_unsaid(f, thing, format))
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pp_say_hint(&f->places.say, hint, "%s", line);
}

void pp_finder_lost(struct pp_finder *f, const char *thing, const char *format, ...)
{
	char line[LINE];
	va_list args;

	if (!is_unsaid(f, thing, format))
		return;
	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pp_say_lost(&f->places.say, "%s", line);
}

static void refuse_file(struct pp_finder *f, const char *path, const char *why)
{
	char thing[PP_PATH + 64];

	/* one line a file and reason */
	(void)snprintf(thing, sizeof(thing), "%.64s%s", why, path);
	pp_finder_say(f, f->places.sought ? PP_HINT_NONE : PP_HINT_FILES, thing, "no %s for %s: %s",
		      f->places.sought ? f->places.sought : "symbols", path, why);
}

/* Takes what was opened if it has the build-id that is wanted: an enum pp_find_result, or -1 (errno). */
static int accept(struct pp_finder *f, const struct try *try, struct pp_found_file *found)
{
	const int got = f->places.identify ?
			f->places.identify(f->places.identify_arg, found->fd, &found->id) :
			pp_unpacked_build_id(found->fd, &found->id);

	if (got != PP_ELF_FOUND)
		found->id.size = 0;
	if (got < 0 && pp_lacking(errno))
		return -1;
	/* what is in it ended who would have said so: it is no other file for that */
	if (got < 0 && errno == EPIPE)
		return PP_FILE_MISSING;
	if (try->id && !pp_same_id(try->id, &found->id)) {
		if (!try->quiet)
			refuse_file(f, try->path, "its build-id is not the one that was recorded");
		return PP_FILE_DIFFERS;
	}
	if (asprintf(&found->path, "%s%s", try->root ? try->root : "", try->path) < 0) {
		found->path = NULL;
		errno = ENOMEM;
		return -1;
	}
	return PP_FILE_FOUND;
}

/* An enum pp_find_result, or -1: memory, descriptors, I/O (errno). */
static int look_at(struct pp_finder *f, const struct try *try, struct pp_found_file *found)
{
	struct pp_elf_file wanted = { .root = try->root, .path = try->path };
	int result;

	*found = (struct pp_found_file){ .fd = -1 };
	if (try->inode) {
		wanted.ino = try->inode->ino;
		wanted.ino_generation = try->inode->ino_generation;
		wanted.maj = try->inode->maj;
		wanted.min = try->inode->min;
		/* a build-id tells more */
		wanted.recorded_by = try->id ? 0 : try->inode->recorded_by;
	}
	switch (pp_elf_open(&wanted, &found->fd)) {
	case PP_ELF_FOUND:
		break;
	case PP_ELF_OTHER:
		if (!try->quiet)
			refuse_file(f, try->path, "the file on disk is not the one that was recorded");
		return PP_FILE_DIFFERS;
	case PP_ELF_CHANGED:
		if (!try->quiet)
			refuse_file(f, try->path, "it was changed after it was recorded, and its "
				    "build-id was not recorded");
		return PP_FILE_DIFFERS;
	case PP_ELF_SPECIAL:
		refuse_file(f, try->path, "it is not a regular file");
		return PP_FILE_SPECIAL;
	case PP_ELF_NONE:
		return PP_FILE_MISSING;
	default:
		return pp_lacking(errno) ? -1 : PP_FILE_MISSING;
	}
	result = accept(f, try, found);
	if (result != PP_FILE_FOUND) {
		const int os = errno;

		pp_found_close(found);
		errno = os;
	}
	return result;
}

/* Tries another place after `result`: the better of both. */
static int or_else(struct pp_finder *f, int result, const struct try *try, struct pp_found_file *found)
{
	int another;

	if (result == PP_FILE_FOUND || result < 0)
		return result;
	another = look_at(f, try, found);
	return another == PP_FILE_MISSING ? result : another;
}

/* ---- By build-id ---- */

/* "ab/cdef..." of a build-id, and after it. */
static void hex_path(const struct pp_id *id, char to[48], const char *after)
{
	char *p = to;

	for (uint8_t i = 0; i < id->size && i < 20; i++) {
		p += sprintf(p, "%02x", id->bytes[i]);
		if (!i)
			*p++ = '/';
	}
	(void)snprintf(p, (size_t)(to + 48 - p), "%s", after);
}

/* The folders of build-ids, and perf's cache. */
static int by_id(struct pp_finder *f, const struct pp_id *id, bool debug, int result,
		 struct pp_found_file *found)
{
	struct try try = { .id = id, .root = f->places.root };
	char path[PP_PATH], hex[48];

	if (!id->size)
		return result;
	hex_path(id, hex, debug ? ".debug" : "");
	try.path = path;
	(void)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%s", hex);
	result = or_else(f, result, &try, found);
	if (!f->cache)
		return result;
	/* the cache is that of who asks, wherever the files are */
	try.root = NULL;
	hex_path(id, hex, "");
	(void)snprintf(path, sizeof(path), "%s/.build-id/%s/%s", f->cache, hex, debug ? "debug" : "elf");
	return or_else(f, result, &try, found);
}

static struct pp_debuginfod *servers(struct pp_finder *f)
{
	const char *why;

	if (f->asked_for || !f->places.debuginfod)
		return f->debuginfod;
	f->asked_for = true;
	f->debuginfod = pp_debuginfod_open(f->places.deadline, &why);
	if (!f->debuginfod)
		pp_say(&f->places.say, "debuginfod is not asked: %s", why);
	return f->debuginfod;
}

static int from_servers(struct pp_finder *f, const struct pp_id *id, bool debug, int result,
			struct pp_found_file *found)
{
	const struct try try = { .id = id, .path = "debuginfod's file" };
	struct pp_debuginfod *const d = result == PP_FILE_FOUND || result < 0 || !id->size ?
					NULL : servers(f);
	struct stat st;
	char *path;
	int got;

	if (!d)
		return result;
	found->fd = pp_debuginfod_find(d, id, debug, &path);
	if (pp_debuginfod_late(d))
		pp_finder_say(f, PP_HINT_NONE, "", "debuginfod is not asked any more: %u s are over",
			      f->places.deadline);
	if (found->fd < 0)
		return result;
	got = fstat(found->fd, &st) || !S_ISREG(st.st_mode) ? PP_FILE_SPECIAL : accept(f, &try, found);
	if (got == PP_FILE_FOUND) {
		free(found->path);
		found->path = path;
		return got;
	}
	free(path);
	pp_found_close(found);
	return got == PP_FILE_MISSING ? result : got;
}

/* ---- Files ---- */

static int finish(int result, const char *path, struct pp_error *error)
{
	return result < 0 ? pp_fail_os(error, "cannot read %s", path) : result;
}

static int find_file(struct pp_finder *f, const struct pp_wanted_file *wanted, struct pp_found_file *found,
		     struct pp_error *error)
{
	const struct pp_id *const id = wanted->id.size ? &wanted->id : NULL;
	struct try try = { .root = f->places.root, .path = wanted->path, .id = id,
			   .inode = f->places.root || (id && !wanted->id_of_name) ? NULL : wanted };
	int result = PP_FILE_MISSING;
	char own[32];

	*found = (struct pp_found_file){ .fd = -1 };
	if (*wanted->path == '/') {
		/* a container's own file of that name comes first: the other is another for sure */
		if (wanted->pid && !f->places.root && (id || wanted->ino)) {
			struct try there = try;

			(void)snprintf(own, sizeof(own), "/proc/%" PRIu32 "/root", wanted->pid);
			there.root = own;
			there.quiet = true;
			result = or_else(f, result, &there, found);
			if (result == PP_FILE_DIFFERS)
				result = PP_FILE_MISSING;
		}
		result = or_else(f, result, &try, found);
	}
	result = by_id(f, &wanted->id, false, result, found);
	return finish(from_servers(f, &wanted->id, false, result, found), wanted->path, error);
}

/* ---- Debug files ---- */

/* The sum that .gnu_debuglink has of the whole file (CRC-32, as in zlib).  1, 0: another, -1 (errno). */
static int sum_is(int fd, uint32_t wanted)
{
	uint32_t table[256], crc = UINT32_MAX;
	uint8_t piece[16384];
	uint64_t at = 0;
	ssize_t n;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		table[i] = c;
	}
	while ((n = pp_read_up_to(fd, piece, sizeof(piece), at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ piece[i]) & 0xff] ^ crc >> 8;
		at += (uint64_t)n;
	}
	return n < 0 ? -1 : ~crc == wanted;
}

/* Tries a name; without a build-id the sum decides. */
static int by_link(struct pp_finder *f, const struct pp_id *id, const char *path, uint32_t crc,
		   int result, struct pp_found_file *found)
{
	const struct try try = { .root = f->places.root, .path = path, .id = id->size ? id : NULL };
	int same, os;

	if (result == PP_FILE_FOUND || result < 0)
		return result;
	result = or_else(f, result, &try, found);
	if (result != PP_FILE_FOUND || id->size)
		return result;
	same = sum_is(found->fd, crc);
	if (same > 0)
		return result;
	os = errno;
	if (!same)
		refuse_file(f, path, "it is not the debug file that is linked to");
	pp_found_close(found);
	errno = os;
	return same ? -1 : PP_FILE_DIFFERS;
}

/* The folder of a file, as the root has it: its length, up to the slash and not with it. */
static int folder_of(const struct pp_finder *f, const struct pp_found_file *of, const char **folder)
{
	const size_t root = f->places.root ? strlen(f->places.root) : 0;
	const char *slash;

	*folder = of->path;
	if (root && !strncmp(of->path, f->places.root, root))
		*folder += root;
	slash = strrchr(*folder, '/');
	return slash ? (int)(slash - *folder) : 0;
}

static int find_debug(struct pp_finder *f, const struct pp_found_file *of, const char *link, uint32_t crc,
		      struct pp_found_file *found, struct pp_error *error)
{
	int result = PP_FILE_MISSING, length;
	char path[PP_PATH];
	const char *folder;

	*found = (struct pp_found_file){ .fd = -1 };
	result = by_id(f, &of->id, true, result, found);
	/* the link is a name, and no path */
	if (*link && !strchr(link, '/')) {
		static const char *const ways[] = { "%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s" };

		length = folder_of(f, of, &folder);
		for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			if (snprintf(path, sizeof(path), ways[i], length, folder, link) <
			    (int)sizeof(path))
				result = by_link(f, &of->id, path, crc, result, found);
#pragma GCC diagnostic pop
		}
	}
	return finish(from_servers(f, &of->id, true, result, found), of->path, error);
}

static int find_beside(struct pp_finder *f, const struct pp_found_file *of, const char *path,
		       const struct pp_id *id, struct pp_found_file *found, struct pp_error *error)
{
	struct try try = { .root = f->places.root, .id = id->size ? id : NULL };
	char whole[PP_PATH];
	const char *folder;
	int length, result;

	*found = (struct pp_found_file){ .fd = -1 };
	length = folder_of(f, of, &folder);
	try.path = path;
	if (*path != '/') {
		if (snprintf(whole, sizeof(whole), "%.*s/%s", length, folder, path) >= (int)sizeof(whole))
			return PP_FILE_MISSING;
		try.path = whole;
	}
	result = look_at(f, &try, found);
	result = by_id(f, id, true, result, found);
	return finish(from_servers(f, id, true, result, found), path, error);
}

/* ---- The list of code that a process made: perf-PID.map in /tmp ---- */

/* Who may speak of the code of a process. */
struct speaker {
	uint32_t number;              /* of the process, for itself: the last of its namespaces */
	uid_t owner;                  /* its own; root where it is not known */
};

/* The nth number of a line that begins so, the last where `nth` is 0; `otherwise` without such a line. */
static uint32_t number_in(const char *status, const char *line, unsigned nth, uint32_t otherwise)
{
	const char *at = strstr(status, line);
	uint32_t number = otherwise;
	char *end;

	at = at ? at + strlen(line) : "";
	for (unsigned i = 1; *at == '\t' || *at == ' '; i++, at = end) {
		number = (uint32_t)strtoul(at, &end, 10);
		if (end == at || i == nth)
			break;
	}
	return number;
}

static struct speaker speaker_of(uint32_t pid)
{
	struct speaker who = { .number = pid };
	char status[4096];

	if (pp_file_text(status, sizeof(status), "/proc/%" PRIu32 "/status", pid) < 0)
		return who;
	who.number = number_in(status, "\nNStgid:", 0, pid);
	who.owner = number_in(status, "\nUid:", 2, 0);
	return who;
}

/* In /tmp anybody may have written it, or put a link there to what others wrote.  *fd: the file, or -1.  An
 * enum pp_elf, or -1 and errno. */
static int open_map(struct pp_finder *finder, const char *root, const char *path, uid_t owner, int *fd)
{
	const struct pp_elf_file file = { .root = root, .path = path };
	const int got = pp_regular_open_itself(&file, 1, fd);
	struct stat st;

	if (got == PP_ELF_SPECIAL)
		refuse_file(finder, path, "it is not a regular file");
	if (got != PP_ELF_FOUND) {
		*fd = -1;
		return got;
	}
	if (fstat(*fd, &st)) {
		const int os = errno;

		close(*fd);
		*fd = -1;
		errno = os;
		return -1;
	}
	if ((!st.st_uid || st.st_uid == geteuid() || st.st_uid == owner) && st.st_size <= CODE_MOST)
		return got;
	refuse_file(finder, path, "it is another user's, or too long");
	close(*fd);
	*fd = -1;
	return PP_ELF_SPECIAL;
}

/* Of the process's own mount namespace while it lives, else of this one.  *fd: it, or -1.  0, or -1 and
 * *error. */
static int find_code(struct pp_finder *finder, const char *root, uint32_t pid, int *fd,
		     struct pp_error *error)
{
	/* below a root it is a process of another machine, or of another time */
	const struct speaker who = root ? (struct speaker){ .number = pid } : speaker_of(pid);
	char own[32], path[64];
	int got;

	(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", who.number);
	(void)snprintf(own, sizeof(own), "/proc/%" PRIu32 "/root", pid);
	got = open_map(finder, root ? root : own, path, who.owner, fd);
	if (!root && got != PP_ELF_FOUND && got != PP_ELF_SPECIAL && !(got < 0 && pp_lacking(errno))) {
		(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
		got = open_map(finder, NULL, path, who.owner, fd);
	}
	return got < 0 && pp_lacking(errno) ? pp_fail_os(error, "cannot read %s", path) : 0;
}

/* ---- Whatever is mapped, and notes: for who looks at it ---- */

static bool is_out_of_means(int os)
{
	return os == ENOMEM || os == EMFILE || os == ENFILE;
}

/* At its path or, where that is another and its process is in a container that still runs, in the root of
 * that.  As pp_regular_open(). */
static int open_mapped(const struct pp_finder *f, const struct pp_wanted_file *wanted, int *fd)
{
	struct pp_elf_file file = { .root = f->places.root, .path = wanted->path };
	char own[32];
	int got, there, os;

	if (!file.root) {
		file.ino = wanted->ino;
		file.ino_generation = wanted->ino_generation;
		file.maj = wanted->maj;
		file.min = wanted->min;
		file.recorded_by = wanted->recorded_by;
	}
	got = pp_regular_open(&file, 0, fd);
	if (!file.ino || (got >= 0 && got != PP_ELF_OTHER) || (got < 0 && is_out_of_means(errno)))
		return got;
	os = errno;
	(void)snprintf(own, sizeof(own), "/proc/%" PRIu32 "/root", wanted->pid);
	file.root = own;
	there = pp_regular_open(&file, 0, fd);
	if (there == PP_ELF_FOUND || there == PP_ELF_CHANGED || (there < 0 && is_out_of_means(errno)))
		return there;
	errno = os;
	return got;
}

static int find_mapped(const struct pp_finder *f, const struct pp_wanted_file *wanted,
		       struct pp_found_file *found, struct pp_error *error)
{
	const int got = open_mapped(f, wanted, &found->fd);

	if (got == PP_ELF_FOUND)
		return PP_FILE_FOUND;
	found->fd = -1;
	return got < 0 ? finish(got, wanted->path, error) :
	       got == PP_ELF_OTHER ? PP_FILE_DIFFERS :
	       got == PP_ELF_CHANGED ? PP_FILE_CHANGED : PP_FILE_SPECIAL;
}

static int find_notes(const char *module, struct pp_found_file *found, struct pp_error *error)
{
	found->fd = pp_elf_open_notes(*module ? module : NULL);
	return finish(found->fd < 0 ? -1 : PP_FILE_FOUND, "notes", error);
}

/* Whoever may read it sees it: what it holds is only shown. */
static int find_source(const struct pp_finder *f, const char *path, struct pp_found_file *found,
		       struct pp_error *error)
{
	const struct pp_elf_file file = { .root = f->places.root, .path = path };
	int got;

	if (*path != '/')
		return PP_FILE_MISSING;
	got = pp_regular_open(&file, 1, &found->fd);
	if (got == PP_ELF_FOUND)
		return PP_FILE_FOUND;
	found->fd = -1;
	if (got < 0 && is_out_of_means(errno))
		return finish(got, path, error);
	return got == PP_ELF_SPECIAL ? PP_FILE_SPECIAL : PP_FILE_MISSING;
}

/* ---- Questions ---- */

uint64_t pp_finder_files(const struct pp_finder *f)
{
	return f->files;
}

void pp_finder_watch(struct pp_finder *f, void (*watch)(void *arg, const struct pp_question *, int result,
							const struct pp_found_file *), void *arg)
{
	f->watch = watch;
	f->watch_arg = arg;
}

/* Each once, however often it is asked for. */
static void count(struct pp_finder *f, const struct pp_wanted_file *wanted)
{
	const uint64_t what[] = { wanted->ino, wanted->maj, wanted->min };
	const uint64_t id = XXH3_64bits_withSeed(wanted->id.bytes, wanted->id.size,
						 XXH3_64bits(wanted->path, strlen(wanted->path)));

	f->files += pp_idmap_add(&f->counted, XXH3_64bits_withSeed(what, sizeof(what), id)) != 0;
}

static int look_for(struct pp_finder *f, const struct pp_question *q, struct pp_found_file *found,
		    struct pp_error *error)
{
	int got;

	switch (q->what) {
	case PP_ASK_FILE:
		got = find_file(f, &q->wanted, found, error);
		if (got == PP_FILE_FOUND)
			count(f, &q->wanted);
		return got;
	case PP_ASK_DEBUG:
		return find_debug(f, &q->of, q->wanted.path, q->crc, found, error);
	case PP_ASK_BESIDE:
		return find_beside(f, &q->of, q->wanted.path, &q->wanted.id, found, error);
	case PP_ASK_MAPPED:
		return find_mapped(f, &q->wanted, found, error);
	case PP_ASK_NOTES:
		return find_notes(q->wanted.path, found, error);
	case PP_ASK_SOURCE:
		return find_source(f, q->wanted.path, found, error);
	default:
		if (find_code(f, f->places.root, q->wanted.pid, &found->fd, error))
			return -1;
		return found->fd < 0 ? PP_FILE_MISSING : PP_FILE_FOUND;
	}
}

int pp_finder_answer(struct pp_finder *f, const struct pp_question *q, struct pp_found_file *found,
		     struct pp_error *error)
{
	int got;

	*found = (struct pp_found_file){ .fd = -1 };
	if (f->places.ask)
		return f->places.ask(f->places.ask_arg, q, found, error);
	got = look_for(f, q, found, error);
	if (f->watch)
		f->watch(f->watch_arg, q, got, found);
	return got;
}

int pp_finder_open(struct pp_finder *f, const struct pp_wanted_file *wanted, struct pp_found_file *found,
		   struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_FILE, .wanted = *wanted };

	return pp_finder_answer(f, &q, found, error);
}

int pp_finder_debug(struct pp_finder *f, const struct pp_found_file *of, const char *link, uint32_t crc,
		    struct pp_found_file *found, struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_DEBUG, .wanted.path = link ? link : "", .crc = crc,
				       .of = *of };

	return pp_finder_answer(f, &q, found, error);
}

int pp_finder_beside(struct pp_finder *f, const struct pp_found_file *of, const char *path,
		     const struct pp_id *id, struct pp_found_file *found, struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_BESIDE, .wanted = { .path = path, .id = *id },
				       .of = *of };

	return pp_finder_answer(f, &q, found, error);
}

int pp_finder_source(struct pp_finder *f, const char *path, struct pp_found_file *found,
		     struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_SOURCE, .wanted.path = path };

	return pp_finder_answer(f, &q, found, error);
}

int pp_finder_code(struct pp_finder *f, uint32_t pid, struct pp_found_file *found, struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_CODE, .wanted = { .path = "", .pid = pid } };

	return pp_finder_answer(f, &q, found, error);
}
