/*
 * pp-split - pieces of a stream that stand alone, cut by time, size or number of samples, or told
 * apart by CPU, process or name.  What stands at the head of a piece is libpipe's to know.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.h"
#include "run.h"

enum {
	BUCKETS     = 4096,           /* of the pieces by key; a power of two */
	KEY_MAX     = 64,             /* bytes of a key in a file's name */
	DIGITS_MAX  = 20,
	RESERVE     = 2 * PP_SEAL_SIZE,   /* of --bytes, for a round and the end */
};

static uint64_t seconds, bytes, samples, keep, limit = UINT64_C(256) << 20;
static const char *by, *pattern, *command;

/* What becomes of an option that may not be zero. */
static const char *positive(void *target, const char *value, const char *(*parse)(void *, const char *))
{
	const char *const wrong = parse(target, value);

	return wrong ? wrong : *(uint64_t *)target ? NULL : "is not above zero";
}

static const char *positive_time(void *target, const char *value)
{
	return positive(target, value, cli_time);
}

static const char *positive_size(void *target, const char *value)
{
	return positive(target, value, cli_size);
}

static const char *positive_number(void *target, const char *value)
{
	return positive(target, value, cli_u64);
}

static const struct option_spec options[] = {
	OPT_CALL(0, "seconds", "TIME", &seconds, positive_time,
		 "begin a new piece every TIME seconds of the recording"),
	OPT_CALL(0, "bytes", "SIZE", &bytes, positive_size,
		 "begin a new piece where one would become larger than SIZE"),
	OPT_CALL(0, "samples", "COUNT", &samples, positive_number,
		 "begin a new piece after COUNT samples"),
	OPT_STRING(0, "by", "cpu|pid|comm", &by, "a piece for each CPU, process, or name of a thread"),
	OPT_STRING('o', "output", "PATTERN", &pattern,
		   "names of the pieces: %u or %03u is the number, {} what --by tells apart"),
	OPT_CALL(0, "keep", "COUNT", &keep, positive_number,
		 "keep the last COUNT pieces, remove older ones"),
	OPT_STRING(0, "exec", "COMMAND", &command,
		   "give each piece to COMMAND on its standard input, {} is its name"),
	OPT_SIZE('S', "size", "SIZE", &limit,
		 "hold at most SIZE bytes where rounds are missing or larger (default 256M)"),
	OPT_GROUP("Common options"), OPT_INPUT,
	OPT_VERBOSE("name each piece that is done"), OPT_QUIET, OPT_PROGRESS, OPT_NO_VERIFY,
	OPT_SEAL, OPT_NO_SEAL,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-split",
	.summary = "Cut a stream into pieces that stand alone",
	.operands = "",
	.options = options,
};

/* ---- the state ---- */

struct piece {
	struct piece *next, *chain;   /* all that are open; of a bucket */
	uint64_t key, number, samples, records;
	char name_key[KEY_MAX];
	char *name;                   /* of its file, or for its command */
	int fd;
	pid_t child;                  /* of its command; 0: a file */
	bool due;                     /* records came since the last round */
	bool gone;                    /* the command wants no more */
	struct pp_writer *out;
};

/* What a record with a tail was, until all of the tail came. */
struct whole {
	struct pp_record rec;
	uint8_t data[PP_RECORD_MAX + 1];
	uint8_t *tail;
	uint64_t have, room;
	bool waits;
};

static struct {
	struct run *run;
	struct pp_sideband *sideband;
	struct pp_tasks *tasks;       /* of --by comm */
	struct pp_rounds *rounds;
	struct piece *pieces, *buckets[BUCKETS];
	uint64_t count;               /* pieces so far */
	uint64_t origin, end;         /* of --seconds: the first time; where the next piece begins */
	uint64_t left_out, failures;  /* AUX traces; commands */
	struct stat input;
	bool begun;                   /* origin counts */
	struct whole whole;
} split;

/* ---- names ---- */

/* The conversion of the number in a pattern, "%u" or "%03u": its length, or 0. */
static size_t conversion(const char *at)
{
	const size_t digits = strspn(at + 1, "0123456789");

	return digits < 3 && at[1 + digits] == 'u' ? digits + 2 : 0;
}

/* Holds the pattern to what it must have, so that no two pieces share a name. */
static void check_pattern(void)
{
	bool number = false;

	for (const char *at = pattern; (at = strchr(at, '%')); at++) {
		if (at[1] == '%')
			at++;
		else if (conversion(at))
			number = true;
		else
			cli_misuse("--output: '%s' has a %% that is neither %%u nor such as %%03u nor %%%%",
				   pattern);
	}
	if (by && !strstr(pattern, "{}"))
		cli_misuse("--output: '%s' lacks a {} for what --by tells apart", pattern);
	if (!by && !number)
		cli_misuse("--output: '%s' lacks a %%u for the number of the piece", pattern);
}

static void __attribute__((noreturn)) no_memory(void)
{
	progress_clear();
	cli_die(EXIT_SYSTEM, "out of memory");
}

/* The name of a piece; to be freed. */
static char *name_of(uint64_t number, const char *key)
{
	char *name = NULL;
	size_t size;
	FILE *const out = open_memstream(&name, &size);

	if (!out)
		no_memory();
	for (const char *at = pattern; *at; at++) {
		if (*at == '%' && at[1] != '%') {
			fprintf(out, at[1] == '0' ? "%0*" PRIu64 : "%*" PRIu64, atoi(at + 1), number);
			at += conversion(at) - 1;
		} else if (by && !strncmp(at, "{}", 2)) {
			fputs(key, out);
			at++;
		} else {
			putc(*at, out);
			at += *at == '%';
		}
	}
	if (fclose(out))
		no_memory();
	return name;
}

/* A thread's name as a part of a file's: names in a stream are not trusted. */
static void safe_key(char *key, const char *name)
{
	size_t n = 0;

	for (; name[n] && n < KEY_MAX - 1; n++) {
		const unsigned char c = (unsigned char)name[n];

		key[n] = c <= ' ' || c == 0x7f || c == '/' || (!n && (c == '.' || c == '-')) ? '_' : (char)c;
	}
	if (!n)
		key[n++] = '_';
	key[n] = '\0';
}

/* ---- commands ---- */

/* A name as one word of the shell. */
static void put_quoted(FILE *out, const char *name)
{
	putc('\'', out);
	for (; *name; name++) {
		if (*name == '\'')
			fputs("'\\''", out);
		else
			putc(*name, out);
	}
	putc('\'', out);
}

static char *command_for(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	if (!out)
		no_memory();
	for (const char *at = command; *at; at++) {
		if (!strncmp(at, "{}", 2)) {
			put_quoted(out, name);
			at++;
		} else {
			putc(*at, out);
		}
	}
	if (fclose(out))
		no_memory();
	return text;
}

static void __attribute__((noreturn)) cannot(const char *verb, const char *name, int os)
{
	progress_clear();
	errno = os ? os : EIO;
	cli_die_os("cannot %s %s", verb, name);
}

static void start_command(struct piece *piece)
{
	char *const text = command_for(piece->name);
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		cannot("run", command, errno);
	piece->child = fork();
	if (piece->child < 0)
		cannot("run", command, errno);
	if (!piece->child) {
		/* ^C is for the source of the stream: what it gave still arrives */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_DFL);
		dup2(ends[0], STDIN_FILENO);
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	free(text);
	piece->fd = ends[1];
}

static void end_command(const struct piece *piece)
{
	int status;

	while (waitpid(piece->child, &status, 0) < 0)
		if (errno != EINTR)
			cannot("wait for", command, errno);
	if (!status)
		return;
	progress_clear();
	split.failures++;
	if (WIFEXITED(status))
		cli_say("%s: the command ended with status %d", piece->name, WEXITSTATUS(status));
	else
		cli_say("%s: the command was ended by signal %d", piece->name, WTERMSIG(status));
}

/* ---- pieces ---- */

static void check(struct piece *piece, int result)
{
	const int os = pp_writer_os(piece->out);

	if (result >= 0 || piece->gone)
		return;
	if (piece->child && os == EPIPE)
		piece->gone = true;
	else if (os)
		cannot("write", piece->name, os);
	else
		no_memory();
}

/* Written in place: what a killed split wrote is there. */
static int open_file(const char *name)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		cannot("write", name, errno);
	cli_refuse_terminal(fd);
	if (!S_ISREG(status.st_mode))
		return fd;
	if (status.st_dev == split.input.st_dev && status.st_ino == split.input.st_ino) {
		progress_clear();
		cli_die(EXIT_SYSTEM, "cannot write %s: it is the input", name);
	}
	if (ftruncate(fd, 0) < 0)
		cannot("write", name, errno);
	return fd;
}

static void remove_oldest(void)
{
	struct stat status;
	char *name;

	if (!keep || split.count < keep)
		return;
	name = name_of(split.count - keep, "");
	if (!lstat(name, &status) && S_ISREG(status.st_mode) && unlink(name) < 0)
		cannot("remove", name, errno);
	free(name);
}

/* Everything up to the first record of its own. */
static void write_head(struct piece *piece)
{
	const uint32_t pid = (uint32_t)piece->key;
	const bool one = by && !strcmp(by, "pid") && piece->key <= UINT32_MAX;
	struct pp_error error;

	check(piece, pp_writer_header(piece->out, split.run->stream->sealed));
	check(piece, pp_sideband_write(split.sideband, one ? &pid : NULL, piece->out, &error));
	piece->due = true;
}

static struct piece *open_piece(uint64_t key, const char *name_key)
{
	const enum pp_sealing sealing = common.seal ? PP_SEAL_YES : common.no_seal ? PP_SEAL_NO :
					PP_SEAL_AUTO;
	struct piece *const piece = calloc(1, sizeof(*piece));

	if (!piece)
		no_memory();
	remove_oldest();
	piece->key = key;
	piece->number = split.count++;
	snprintf(piece->name_key, sizeof(piece->name_key), "%s", name_key);
	piece->name = name_of(piece->number, name_key);
	if (command)
		start_command(piece);
	else
		piece->fd = open_file(piece->name);
	piece->out = pp_writer_open(piece->fd, sealing);
	if (!piece->out)
		no_memory();
	piece->next = split.pieces;
	split.pieces = piece;
	write_head(piece);
	return piece;
}

/* The flags of an END: what the stages before knew, and what was met here. */
static uint32_t end_flags(void)
{
	const struct pp_stream *const stream = split.run->stream;
	uint32_t flags = stream->flags & (PP_SEAL_UNSEALED | PP_SEAL_DAMAGED);

	if (!stream->sealed || stream->rewritten)
		flags |= PP_SEAL_UNSEALED;
	if (split.run->status >= EXIT_DAMAGED || stream->dropped)
		flags |= PP_SEAL_DAMAGED;
	return flags;
}

/* Ends it by a round, which an END is too, and forgets it. */
static void close_piece(struct piece *piece)
{
	const uint32_t flags = end_flags();

	if (piece->due && !pp_writer_sealing(piece->out) && !(flags & PP_SEAL_DAMAGED))
		check(piece, pp_writer_round(piece->out));
	check(piece, pp_writer_end(piece->out, flags));
	if (close(piece->fd) < 0)
		cannot("write", piece->name, errno);
	if (piece->child)
		end_command(piece);
	cli_note("%s: %" PRIu64 " samples, %" PRIu64 " bytes", piece->name, piece->samples,
		 pp_writer_bytes(piece->out));
	pp_writer_close(piece->out);
	free(piece->name);
	free(piece);
}

/* In the order in which they were opened. */
static void close_pieces(void)
{
	struct piece *reversed = NULL, *next;

	for (struct piece *p = split.pieces; p; p = next) {
		next = p->next;
		p->next = reversed;
		reversed = p;
	}
	split.pieces = NULL;
	for (struct piece *p = reversed; p; p = next) {
		next = p->next;
		close_piece(p);
	}
}

static void write_record(struct piece *piece, const struct pp_record *rec, const void *tail)
{
	piece->records++;
	piece->samples += rec->type == PP_REC_SAMPLE;
	piece->due = true;
	if (piece->gone)
		return;
	check(piece, pp_writer_copy(piece->out, rec->data, rec->size));
	if (tail)
		check(piece, pp_writer_copy(piece->out, tail, rec->tail));
}

static void write_to_all(const struct pp_record *rec, const void *tail)
{
	for (struct piece *p = split.pieces; p; p = p->next)
		write_record(p, rec, tail);
}

/* ---- cuts ---- */

/* Whether a piece ends before this record. */
static bool ends_before(const struct piece *piece, const struct pp_record *rec)
{
	uint64_t time;

	if (seconds)
		return pp_time(rec, &time) && time >= split.end;
	if (samples)
		return rec->type == PP_REC_SAMPLE && piece->samples == samples;
	return piece->records && !pp_fits(rec->size + rec->tail + RESERVE + pp_writer_bytes(piece->out),
					  bytes);
}

/* The next piece begins a whole number of spans behind the first time. */
static void set_end(const struct pp_record *rec)
{
	uint64_t time, spans;

	if (!pp_time(rec, &time))
		return;
	if (!split.begun)
		split.origin = time;
	split.begun = true;
	spans = time < split.origin ? 0 : (time - split.origin) / seconds;
	split.end = spans >= (UINT64_MAX - split.origin) / seconds ? UINT64_MAX :
		    split.origin + (spans + 1) * seconds;
}

static void cut(const struct pp_record *rec, const void *tail)
{
	uint64_t time;

	if (split.pieces && ends_before(split.pieces, rec))
		close_pieces();
	if (seconds && (!split.pieces || !split.begun))
		set_end(rec);
	/* what may wait for the head of the first piece does */
	if (!split.pieces && (pp_time(rec, &time) || !pp_sideband_keeps(rec->type)))
		open_piece(0, "");
	write_to_all(rec, tail);
}

/* ---- pieces by a key ---- */

/* What the key of --by says of a record; false: nothing. */
static bool key_of(const struct pp_record *rec, uint64_t *key, char *name)
{
	uint32_t cpu, pid, tid;

	if (!strcmp(by, "cpu")) {
		if (!pp_cpu(rec, &cpu))
			return false;
		*key = cpu;
		return snprintf(name, KEY_MAX, "%" PRIu32, cpu) > 0;
	}
	if (!pp_task(rec, &pid, &tid))
		return false;
	if (!strcmp(by, "pid")) {
		*key = pid;
		return snprintf(name, KEY_MAX, "%" PRId32, (int32_t)pid) > 0;
	}
	safe_key(name, pp_tasks_comm(split.tasks, pid, tid));
	*key = 0;
	for (const char *at = name; *at; at++)
		*key = (*key ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return true;
}

static struct piece *piece_with(uint64_t key, const char *name, bool open)
{
	struct piece **const bucket = &split.buckets[key & (BUCKETS - 1)];
	struct piece *piece = *bucket;

	while (piece && (piece->key != key || strcmp(piece->name_key, name) != 0))
		piece = piece->chain;
	if (piece || !open)
		return piece;
	piece = open_piece(key, name);
	piece->chain = *bucket;
	*bucket = piece;
	return piece;
}

/* Side-band goes to all pieces, by pid to that of its process; it opens none. */
static void sort_sideband(const struct pp_record *rec, const void *tail)
{
	char name[KEY_MAX];
	struct piece *piece;
	uint32_t pid;

	if (strcmp(by, "pid") != 0 || !pp_sideband_pid(rec, &pid)) {
		write_to_all(rec, tail);
		return;
	}
	snprintf(name, sizeof(name), "%" PRId32, (int32_t)pid);
	piece = piece_with(pid, name, false);
	if (piece)
		write_record(piece, rec, tail);
}

static void sort_out(const struct pp_record *rec, const void *tail)
{
	char name[KEY_MAX];
	uint64_t key;

	if (pp_sideband_keeps(rec->type)) {
		sort_sideband(rec, tail);
	} else if (rec->type < PP_USER_TYPES && key_of(rec, &key, name)) {
		write_record(piece_with(key, name, true), rec, tail);
	} else if (rec->type == PP_REC_SAMPLE) {
		write_record(piece_with(UINT64_MAX, "unknown", true), rec, tail);
	} else if (rec->type == PP_REC_AUXTRACE) {
		split.left_out++;
	} else {
		write_to_all(rec, tail);
	}
}

/* ---- records ---- */

static void end_round(const struct pp_record *rec)
{
	struct pp_seal seal;

	/* the first and the last are no rounds of the stream */
	if (pp_is_seal(rec, &seal) && (!seal.number || seal.flags & PP_SEAL_END))
		return;
	for (struct piece *p = split.pieces; p; p = p->next) {
		if (p->due && !p->gone)
			check(p, pp_writer_round(p->out));
		p->due = false;
	}
}

/* The next record in time order. */
static int take(const struct pp_record *rec, const void *tail, struct pp_error *error)
{
	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec)) {
		end_round(rec);
		return 0;
	}
	/* a name counts from its record on, so also for that itself */
	if (split.tasks && pp_tasks_note(split.tasks, rec, error) < 0)
		return -1;
	if (rec->type == PP_REC_FINISHED_ROUND)
		write_to_all(rec, NULL);
	else if (by)
		sort_out(rec, tail);
	else
		cut(rec, tail);
	return pp_sideband_note(split.sideband, rec, tail, error);
}

static int take_in_order(void *arg, struct pp_record *rec, struct pp_error *error)
{
	(void)arg;
	return take(rec, NULL, error) < 0 ? -1 : PP_DROP;
}

/* Records with tails are user records: they count where they stand. */
static int split_tail(struct run *run, const void *piece, size_t size)
{
	struct whole *const w = &split.whole;
	const uint64_t have = w->have + size;

	if (!w->waits)
		return 0;
	if (have > w->room) {
		w->room = have > 2 * w->room ? have : 2 * w->room;
		w->tail = realloc(w->tail, w->room);
		if (!w->tail)
			no_memory();
	}
	memcpy(w->tail + w->have, piece, size);
	w->have = have;
	if (have < w->rec.tail)
		return 0;
	w->waits = false;
	return take(&w->rec, w->tail, &run->error);
}

static int split_record(struct run *run, struct pp_record *rec)
{
	struct whole *const w = &split.whole;

	if (!rec->tail)
		return pp_rounds_put(split.rounds, rec, &run->error) < 0 ? -1 : 0;
	w->rec = *rec;
	w->rec.data = memcpy(w->data, rec->data, rec->size);
	w->have = 0;
	w->waits = true;
	return 0;
}

static int flush(void *arg)
{
	(void)arg;
	for (struct piece *p = split.pieces; p; p = p->next)
		if (!p->gone)
			check(p, pp_writer_flush(p->out));
	return 0;
}

/* ---- begin and end ---- */

static int start(struct run *run)
{
	const struct pp_rounds_options order = {
		.order = PP_ROUNDS_TIME, .limit = limit, .judge = take_in_order,
	};
	struct rlimit files;

	split.run = run;
	if (common.input ? stat(common.input, &split.input) : fstat(STDIN_FILENO, &split.input))
		split.input.st_ino = 0;
	if (by && !getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* a command that has enough ends its own piece, not ours */
	if (command)
		signal(SIGPIPE, SIG_IGN);
	split.sideband = pp_sideband_new();
	split.rounds = pp_rounds_open(&order, run->in, NULL);
	if (by && !strcmp(by, "comm"))
		split.tasks = pp_tasks_new(false);
	if (!split.sideband || !split.rounds || (by && !strcmp(by, "comm") && !split.tasks))
		no_memory();
	return 0;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void report(const struct run *run)
{
	const struct pp_rounds_stats *const stats = pp_rounds_stats(split.rounds);
	const char *const name = run->stream->name;

	progress_clear();
	if (stats->late)
		cli_warn("%s: %" PRIu64 " record%s came after later ones had been let go, by up to "
			 "%" PRIu64 ".%09" PRIu64 " s: in the piece of that moment", name, stats->late,
			 plural(stats->late), stats->worst / 1000000000, stats->worst % 1000000000);
	if (stats->overflows)
		cli_warn("%s: more than may be held came without a round: the older half was let "
			 "go early, %" PRIu64 " time%s", name, stats->overflows,
			 plural(stats->overflows));
	if (split.left_out)
		cli_warn("%s: %" PRIu64 " piece%s of AUX trace left out, which --by cannot tell apart",
			 name, split.left_out, plural(split.left_out));
}

static int end(struct run *run)
{
	const int result = pp_rounds_end(split.rounds, &run->error);

	/* a stream that says only what it is about is one piece */
	if (result >= 0 && !by && !split.count && run->stream->records)
		open_piece(0, "");
	close_pieces();
	report(run);
	if (split.tasks)
		pp_tasks_free(split.tasks);
	pp_sideband_free(split.sideband);
	pp_rounds_close(split.rounds);
	free(split.whole.tail);
	return result;
}

static void check_options(void)
{
	if (!seconds + !bytes + !samples + !by != 3)
		cli_misuse("one of --seconds, --bytes, --samples and --by says where to cut");
	if (by && strcmp(by, "cpu") && strcmp(by, "pid") && strcmp(by, "comm"))
		cli_misuse("--by: '%s' is none of cpu, pid, comm", by);
	if (keep && by)
		cli_misuse("--keep: the pieces of --by all end at the end");
	if (keep && command)
		cli_misuse("--keep: what --exec makes of the pieces is not known here");
	if (!pattern && command)
		pattern = by ? "{}" : "%u";
	if (!pattern)
		cli_misuse("--output names the pieces: -o piece-%%03u.pipe");
	check_pattern();
	if (!limit)
		cli_misuse("--size: nothing can be ordered in 0 bytes");
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = split_record, .tail = split_tail, .end = end, .flush = flush,
	};
	int status;

	cli_parse(&tool, argc, argv);
	check_options();
	status = run_sink(&tool, &sink);
	return split.failures && status != EXIT_SYSTEM ? EXIT_SYSTEM : status;
}
