/*
 * inject_jit.c - puts maps of the code that JIT compilers made into the stream: finds their jitdump files by
 * the maps that mark them, has images of the code written, and writes a map at each piece's birth.
 * What is in a jitdump file is read by the library.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inject/inject.h"
#include "cli/trust.h"

enum {
	POLL = 10000000,                /* ns after which files that ended are looked at again */
	USE_CLOCKID = 25,               /* bit of an attribute's flags */
};

/* A jitdump file, and the process that wrote it, as the stream knows it. */
struct jit_dump {
	struct pp_jit *jit;
	char *name;
	uint32_t pid, attr, cpu;
	uint64_t id, begin;             /* of the record that marked it */
	uint64_t maj, min, ino;
};

static struct {
	int (*next)(struct run *, struct pp_record *);
	bool rooted;
	uid_t user;                     /* asked for while that was possible */
	int folder;
	char path[PATH_MAX];            /* of that */
	struct jit_dump *dumps;
	size_t count;
	struct pp_jit_clock clock;
	bool clock_known, clock_told;
	bool marked;                    /* a map of a jitdump file was met */
	uint64_t due, now;              /* nothing is to be done before; the time of the last record */
	uint64_t added, moved, late, lost;
} state = { .folder = -1, .due = UINT64_MAX };

/* The folder for images, of which samples will have their names: `asked` for, or by default. */
static void open_folder(const char *folder, bool asked)
{
	char *why, *const path = trust_resolve(folder, &why);
	struct stat st;

	if (!path && why)
		cli_die(EXIT_SYSTEM, "cannot write to %s: %s", folder, why);
	if (!path || (mkdir(path, 0700) && errno != EEXIST))
		cli_die_os("cannot make %s", folder);
	state.folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (state.folder < 0 || fstat(state.folder, &st) || !realpath(path, state.path))
		cli_die_os("cannot open %s", folder);
	if (!asked && (st.st_uid != geteuid() || st.st_mode & S_IWOTH))
		cli_die(EXIT_SYSTEM, "cannot write to %s: others may write to this folder, too: name one "
			"with --jit-folder", folder);
	free(path);
}

void jit_open(const struct jit_options *options)
{
	state.next = options->next;
	state.rooted = options->rooted;
	state.user = geteuid();
	open_folder(options->folder ? options->folder : "jitted", options->folder);
}

const char *jit_folder(void)
{
	return state.folder < 0 ? NULL : state.path;
}

/* ---- images and maps ---- */

static void name_image(char name[64], uint32_t pid, uint64_t number)
{
	(void)snprintf(name, 64, "jitted-%" PRIu32 "-%" PRIu64 ".so", pid, number);
}

/* Writes the image under its name, in place of an older one, only if it is complete. */
static int write_image(struct run *run, struct jit_dump *dump, const struct pp_jit_code *code,
		       const char *name, uint8_t id[20])
{
	char unfinished[32];
	int fd, failed;

	(void)snprintf(unfinished, sizeof(unfinished), ".unfinished-%d", (int)getpid());
	(void)unlinkat(state.folder, unfinished, 0);
	fd = openat(state.folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return pp_fail_os(&run->error, "cannot write %s/%s", state.path, name);
	failed = pp_jit_image(dump->jit, code, fd, id, &run->error);
	if (close(fd) && !failed)
		failed = pp_fail_os(&run->error, "cannot write %s/%s", state.path, name);
	if (!failed && renameat(state.folder, unfinished, state.folder, name))
		failed = pp_fail_os(&run->error, "cannot write %s/%s", state.path, name);
	if (failed)
		(void)unlinkat(state.folder, unfinished, 0);
	return failed;
}

/* The numbers of a namespace are not the stream's: what is known is the process. */
static uint32_t thread_of(const struct jit_dump *dump, const struct pp_jit_code *code)
{
	return code->pid == dump->pid ? code->tid : dump->pid;
}

static int put_code_map(struct run *run, const struct jit_dump *dump, const struct pp_jit_code *code,
			const char *name, const uint8_t id[20])
{
	const struct pp_attr *const attr = pp_attrs_at(run->stream->attrs, dump->attr);
	const uint32_t tid = thread_of(dump, code);
	uint8_t bytes[PP_RECORD_MAX + 1];
	char path[sizeof(state.path) + 64];
	struct pp_record rec;
	struct pp_build b;
	size_t size;

	(void)snprintf(path, sizeof(path), "%s/%s", state.path, name);
	pp_build(&b, bytes, sizeof(bytes), PP_REC_MMAP2, PP_MISC_USER | PP_MISC_MMAP_BUILD_ID, attr);
	pp_build_u64(&b, "pid", dump->pid);
	pp_build_u64(&b, "tid", tid);
	pp_build_u64(&b, "start", code->address);
	pp_build_u64(&b, "len", code->mapped);
	pp_build_u64(&b, "pgoff", code->offset);
	pp_build_u64(&b, "build_id_size", 20);
	pp_build_bytes(&b, "build_id", id, 20);
	pp_build_u64(&b, "prot", PROT_READ | PROT_EXEC);
	pp_build_u64(&b, "flags", MAP_SHARED);
	pp_build_text(&b, "filename", path);
	pp_build_trailer(&b, dump->pid, tid, code->time, dump->id, dump->cpu);
	size = pp_build_end(&b);
	if (!size || pp_record_at(&rec, bytes, size, &run->error))
		return pp_fail(&run->error, PP_E_FULL, "a map of code");
	rec.attr = attr;
	rec.attrs = run->stream->attrs;
	if (state.next && state.next(run, &rec) < 0)
		return -1;
	return pp_writer_copy(run->out, bytes, size, &run->error);
}

/* The build-id of an image that was written, maybe in another run: 1; 0: there is none; -1 and errno. */
static int identify_image(const char *name, uint8_t id[20])
{
	const int fd = openat(state.folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	uint8_t size = 0;
	int found, os;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	found = pp_elf_read_build_id(fd, id, &size);
	os = errno;
	(void)close(fd);
	errno = os;
	return found < 0 ? -1 : found == PP_ELF_FOUND && size == 20;
}

/* Code that moved has the image that it had. */
static int put_moved(struct run *run, const struct jit_dump *dump, const struct pp_jit_code *code,
		     const char *name)
{
	uint8_t id[20];
	const int found = identify_image(name, id);

	if (found < 0)
		return pp_fail_os(&run->error, "cannot read %s/%s", state.path, name);
	if (!found) {
		state.lost++;
		return 0;
	}
	state.moved++;
	return put_code_map(run, dump, code, name, id);
}

static int put_code(struct run *run, struct jit_dump *dump, const struct pp_jit_code *code)
{
	uint8_t id[20];
	char name[64];

	state.late += code->time < state.now && code->time > dump->begin;
	name_image(name, dump->pid, code->number);
	if (code->moved)
		return put_moved(run, dump, code, name);
	if (write_image(run, dump, code, name, id))
		return -1;
	state.added++;
	return put_code_map(run, dump, code, name, id);
}

/* ---- jitdump files ---- */

/* What is wrong with one does not end the run, unless the system failed. */
static int give_up(struct run *run, struct jit_dump *dump)
{
	char text[600];

	pp_jit_close(dump->jit);
	dump->jit = NULL;
	if (pp_error_status(&run->error) != EXIT_DAMAGED)
		return -1;
	cli_error_text(&run->error, text, sizeof(text));
	cli_say("%s: %s", dump->name, text);
	if (run->status < EXIT_DAMAGED)
		run->status = EXIT_DAMAGED;
	return 0;
}

/* Writes what was born by then.  0, or -1 and run->error. */
static int write_born(struct run *run, struct jit_dump *dump, uint64_t until)
{
	struct pp_jit_code code;
	enum pp_status got;

	while ((got = pp_jit_next(dump->jit, until, &code, &run->error)) == PP_MORE)
		if (put_code(run, dump, &code))
			return give_up(run, dump);
	return got == PP_FAILED ? give_up(run, dump) : 0;
}

static int write_all_born(struct run *run, uint64_t until)
{
	state.due = UINT64_MAX;
	for (size_t i = 0; i < state.count; i++) {
		struct jit_dump *const dump = &state.dumps[i];

		if (!dump->jit)
			continue;
		if (write_born(run, dump, until))
			return -1;
		if (dump->jit && pp_jit_due(dump->jit) < state.due)
			state.due = pp_jit_due(dump->jit);
	}
	if (state.count && until < UINT64_MAX - POLL && until + POLL < state.due)
		state.due = until + POLL;
	return 0;
}

/* Writes the rest of it, reports on it, and forgets it. */
static int finish(struct run *run, size_t at)
{
	struct jit_dump *const dump = &state.dumps[at];

	if (dump->jit && write_born(run, dump, UINT64_MAX))
		return -1;
	if (dump->jit && (pp_jit_damaged(dump->jit) || pp_jit_left(dump->jit))) {
		cli_say("%s: %" PRIu64 " records cannot be, %" PRIu64 " bytes at the end are no record",
			dump->name, pp_jit_damaged(dump->jit), pp_jit_left(dump->jit));
		if (run->status < EXIT_DAMAGED)
			run->status = EXIT_DAMAGED;
	}
	pp_jit_close(dump->jit);
	free(dump->name);
	state.dumps[at] = state.dumps[--state.count];
	return 0;
}

/* A process ended, and its jitdump files with it. */
static int finish_process(struct run *run, uint32_t pid)
{
	for (size_t i = state.count; i-- > 0;)
		if (state.dumps[i].pid == pid && finish(run, i))
			return -1;
	return 0;
}

/* ---- the maps that mark them ---- */

/* The number in a path that ends in jit-NUMBER.dump. */
static bool is_dump_name(const char *path, uint32_t *number)
{
	const char *const slash = strrchr(path, '/');
	char *end;

	if (!slash || strncmp(slash, "/jit-", 5) || slash[5] < '0' || slash[5] > '9')
		return false;
	*number = (uint32_t)strtoul(slash + 5, &end, 10);
	return !strcmp(end, ".dump");
}

/* Are its times those of the stream's records?  If not, says so. */
static bool is_in_time(const struct pp_jit *jit, const struct pp_attr *attr, const char *name)
{
	if (pp_jit_counts_cycles(jit)) {
		if (state.clock_known && !pp_attr_flag(attr, USE_CLOCKID))
			return true;
		cli_warn("%s: its times are cycles of a counter, which the stream does not explain: "
			 "it is left out", name);
	} else {
		if (pp_attr_flag(attr, USE_CLOCKID) && attr->clockid == CLOCK_MONOTONIC)
			return true;
		cli_warn("%s: the stream has the times of another clock (record with -k monotonic): "
			 "it is left out", name);
	}
	return false;
}

/* Where no inode says that the process mapped this very file, anybody may have put it there.  1, 0 and a
 * warning, or -1 and run->error. */
static int is_believed(struct run *run, const struct jit_dump *dump, const char *path, int fd)
{
	struct stat st;

	if (state.rooted || dump->ino)
		return 1;
	if (fstat(fd, &st))
		return pp_fail_os(&run->error, "cannot open %s", path);
	if (!st.st_uid || st.st_uid == state.user)
		return 1;
	cli_warn("%s: left out: it is another user's", path);
	return 0;
}

/* The dump at a path, or NULL and the reason was said, or run->error has a code. */
static struct pp_jit *open_dump(struct run *run, const struct jit_dump *dump, const char *path)
{
	const struct pp_elf_file wanted = {
		.path = path, .ino = dump->ino, .maj = (uint32_t)dump->maj, .min = (uint32_t)dump->min,
	};
	struct pp_jit *jit;
	int fd = -1, found;
	char text[600];

	found = pp_opener_open(opener_of(run), &wanted, dump->pid, &fd, &run->error);
	if (found == PP_OPENER_GONE)
		return NULL;
	if (found != PP_ELF_FOUND) {
		if (found < 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
			(void)pp_fail_os(&run->error, "cannot open %s", path);
		else
			cli_warn("cannot read %s: %s", path, found < 0 ? strerror(errno) :
				 found == PP_ELF_OTHER ? "the file on disk is not the one that was recorded" :
				 "not a regular file");
		return NULL;
	}
	if (is_believed(run, dump, path, fd) <= 0) {
		(void)close(fd);
		return NULL;
	}
	jit = pp_jit_open(fd, &run->error);
	if (!jit && pp_error_status(&run->error) == EXIT_DAMAGED) {
		cli_error_text(&run->error, text, sizeof(text));
		cli_say("%s: %s", path, text);
		run->error.code = PP_OK;
		if (run->status < EXIT_DAMAGED)
			run->status = EXIT_DAMAGED;
	}
	return jit;
}

static uint64_t said(const struct pp_record *rec, enum pp_meaning meaning)
{
	uint64_t value;

	return pp_find_u64(rec, meaning, &value) ? value : 0;
}

/* Does it have a jitdump file?  That says what its anonymous maps hold. */
static bool is_jitted(uint32_t pid)
{
	for (size_t i = 0; i < state.count; i++)
		if (state.dumps[i].pid == pid)
			return true;
	return false;
}

static bool is_open(const struct jit_dump *dump, const char *path)
{
	for (size_t i = 0; i < state.count; i++)
		if (state.dumps[i].pid == dump->pid && state.dumps[i].ino == dump->ino &&
		    !strcmp(state.dumps[i].name, path))
			return true;
	return false;
}

/* A map of a jitdump file, made only to be found: PP_DROP, PP_KEEP where it cannot be used, or -1. */
static int take_marker(struct run *run, const struct pp_record *rec, const char *path, uint32_t number)
{
	struct jit_dump dump = {
		.pid = (uint32_t)said(rec, PP_IS_PID), .ino = said(rec, PP_IS_INODE),
		.maj = said(rec, PP_IS_MAJOR), .min = said(rec, PP_IS_MINOR),
	};

	if (!rec->attr || !pp_time(rec, &dump.begin))
		dump.begin = 0;
	dump.attr = rec->attr ? rec->attr->index : 0;
	(void)(pp_id(rec, &dump.id) && pp_cpu(rec, &dump.cpu));
	if (is_open(&dump, path))
		return PP_DROP;
	run->error.code = PP_OK;
	dump.jit = rec->attr ? open_dump(run, &dump, path) : NULL;
	if (!dump.jit)
		return run->error.code == PP_OK ? PP_KEEP : -1;
	pp_jit_set_clock(dump.jit, &state.clock);
	if ((pp_jit_pid(dump.jit) && pp_jit_pid(dump.jit) != number) ||
	    !is_in_time(dump.jit, rec->attr, path)) {
		pp_jit_close(dump.jit);
		return PP_KEEP;
	}
	dump.name = strdup(path);
	if (!dump.name)
		cli_no_memory();
	state.dumps = cli_grow(state.dumps, state.count + 1, sizeof(*state.dumps));
	state.dumps[state.count++] = dump;
	state.due = 0;
	return PP_DROP;
}

static int judge_map(struct run *run, const struct pp_record *rec)
{
	char path[PP_RECORD_MAX + 1];
	uint32_t number;
	const char *text;
	size_t length;

	if (!pp_find_text(rec, PP_IS_PATH, &text, &length))
		return PP_KEEP;
	memcpy(path, text, length);
	path[length] = 0;
	state.marked |= is_dump_name(path, &number);
	if (is_dump_name(path, &number))
		return take_marker(run, rec, path, number);
	return pp_map_is_for_jit(path) && is_jitted((uint32_t)said(rec, PP_IS_PID)) ? PP_DROP : PP_KEEP;
}

/* ---- records ---- */

static void take_clock(const struct pp_record *rec)
{
	uint64_t wraps = 0;

	state.clock_known = pp_get_u64(rec, "time_shift", &state.clock.shift) &&
			    pp_get_u64(rec, "time_mult", &state.clock.mult) &&
			    pp_get_u64(rec, "time_zero", &state.clock.zero);
	state.clock.wraps = pp_get_u64(rec, "cap_user_time_short", &wraps) && wraps &&
			    pp_get_u64(rec, "time_cycles", &state.clock.cycles) &&
			    pp_get_u64(rec, "time_mask", &state.clock.mask);
}

int jit_judge(struct run *run, struct pp_record *rec)
{
	uint64_t time;

	if (pp_time(rec, &time)) {
		if (time >= state.due && write_all_born(run, time))
			return -1;
		state.now = time;
	}
	if (rec->type == PP_REC_TIME_CONV)
		take_clock(rec);
	else if (pp_type_is(rec->type, PP_MAPS))
		return judge_map(run, rec);
	else if (rec->type == PP_REC_EXIT && state.count && said(rec, PP_IS_PID) == said(rec, PP_IS_TID))
		return finish_process(run, (uint32_t)said(rec, PP_IS_PID)) ? -1 : PP_KEEP;
	return PP_KEEP;
}

int jit_end(struct run *run)
{
	while (state.count)
		if (finish(run, state.count - 1))
			return -1;
	if (state.late)
		cli_warn("%" PRIu64 " piece%s of code came after samples that may have hit them: a "
			 "jitdump file is complete only when its process has ended", state.late,
			 cli_plural(state.late));
	if (state.lost)
		cli_warn("%" PRIu64 " piece%s of code moved, but had not been loaded", state.lost,
			 cli_plural(state.lost));
	if (!state.marked)
		cli_warn("--jit: the stream has no map of a jitdump file, jit-PID.dump: the program has to "
			 "write one, as node --perf-prof does");
	cli_note("%" PRIu64 " pieces of code added, %" PRIu64 " moved", state.added, state.moved);
	return 0;
}

void jit_close(void)
{
	while (state.count) {
		pp_jit_close(state.dumps[--state.count].jit);
		free(state.dumps[state.count].name);
	}
	free(state.dumps);
	if (state.folder >= 0)
		close(state.folder);
}
