/*
 * pp-split.c - pieces of a stream that can be used alone, cut by time, size or number of samples,
 * or separated by event, CPU, process, name, control group or host.  The head of a piece is left to
 * the library, the name of its file to pieces.c.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "split/pieces.h"
#include "shared/run.h"

enum {
	BUCKETS     = 4096,           /* of the pieces by key; a power of two */
	RESERVE     = 2 * PP_SEAL_SIZE,   /* of --bytes, for a round and the end */
};

static const uint64_t UNKNOWN = UINT64_MAX;   /* key of what does not say its own */

static uint64_t seconds, bytes, samples, keep;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static const char *by;
static struct pieces all;

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
		 "begin a new piece before one becomes larger than SIZE"),
	OPT_CALL(0, "samples", "COUNT", &samples, positive_number,
		 "begin a new piece after COUNT samples"),
	OPT_STRING(0, "by", "event|cpu|pid|comm|cgroup|host", &by,
		   "a piece for each event, CPU, process, name of a thread, control group or host"),
	OPT_STRING('o', "output", "PATTERN", &all.pattern,
		   "names of the pieces: %u or %03u is the number, {} the value of --by"),
	OPT_CALL(0, "keep", "COUNT", &keep, positive_number,
		 "keep the last COUNT pieces, remove older ones"),
	OPT_STRING(0, "exec", "COMMAND", &all.command,
		   "give each piece to COMMAND on its standard input, {} is its name"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "hold at most SIZE bytes if rounds are missing or larger (default: 256M)"),
	OPT_GROUP("Common options"), OPT_INPUT,
	OPT_VERBOSE("report each finished piece"), OPT_QUIET, OPT_PROGRESS, OPT_NO_VERIFY,
	OPT_SEAL, OPT_NO_SEAL,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-split",
	.summary = "Cut a stream into pieces that can be used alone",
	.operands = "[FILE]",
	.options = options,
};

/* ---- the state ---- */

/* What distinguishes pieces: a number, or a text. */
struct way {
	const char *name;
	bool (*number)(const struct pp_record *, uint64_t *);   /* false: the record does not say */
	bool (*text)(const struct pp_record *, const char **, size_t *length);
	bool (*aux)(const struct pp_record *, uint64_t *);      /* of a piece of AUX trace; or NULL */
};

/* Where a record goes. */
enum place { NOWHERE, ONE, ALL };

static struct {
	struct run *run;
	const struct way *way;        /* of --by */
	struct pp_sideband *sideband;
	struct pp_tasks *tasks;       /* of --by comm */
	struct piece *pieces, *last, *buckets[BUCKETS];
	uint64_t origin, end;         /* of --seconds: the first time; where the next piece begins */
	uint64_t now;                 /* the largest time of a sample */
	uint64_t left_out;            /* pieces of AUX trace */
	uint64_t misfits;             /* records with numbers that their host cannot have */
	struct pp_host hosts[PP_HOSTS_MOST];
	size_t n_hosts;
	bool begun;                   /* origin counts */
	bool told_head;               /* that a head leaves no room for more */
	bool hosts_known;             /* what is not a note came */
	struct { enum place place; struct piece *one; } tail;   /* where that of the last record goes */
} split;

/* ---- hosts ---- */

static int host_of(const struct pp_record *rec)
{
	return pp_host_of(split.hosts, split.n_hosts, rec);
}

/* Notes of hosts stand before any other record. */
static void note_hosts(const struct pp_record *rec)
{
	struct pp_note note;
	struct pp_host host;
	size_t at = 0, number;

	while (pp_is_note(rec) && pp_note_next(rec, &at, &note)) {
		if (!pp_host_parse(&note, &number, &host))
			continue;
		split.hosts[number] = host;
		if (number >= split.n_hosts)
			split.n_hosts = number + 1;
		pp_sideband_hosts(split.sideband, split.hosts, split.n_hosts);
	}
}

static void need_hosts(const struct run *run)
{
	split.hosts_known = true;
	for (size_t i = 0; i < split.n_hosts; i++)
		if (split.hosts[i].apart)
			return;
	cli_die(EXIT_MISUSE, "%s: --by host: it has no notes about hosts, as pp-merge --hosts "
		"writes them", run->stream->name);
}

/* Whether a note describes hosts and nothing else. */
static bool only_hosts(const struct pp_record *rec)
{
	struct pp_note note;
	struct pp_host host;
	size_t at = 0, number, others = 0;

	while (pp_note_next(rec, &at, &note))
		others += !pp_host_parse(&note, &number, &host);
	return at && !others;
}

/* The host's own numbers in a record, which has room for the longest; else it stays as it is. */
static void move_back(const struct pp_host *host, struct pp_record *rec)
{
	uint8_t before[PP_RECORD_MAX + 1];
	const uint16_t size = rec->size;

	memcpy(before, rec->data, size);
	if (!pp_host_move(host, true, rec, PP_RECORD_MAX, NULL))
		return;
	memcpy(rec->data, before, size);
	rec->size = size;
	split.misfits++;
}

/* What a host's piece has of the head: its own with its own numbers, and its own name. */
static int shape_for_host(void *arg, struct pp_record *rec)
{
	const struct piece *const piece = arg;
	const struct pp_host *const host = &split.hosts[piece->key];
	const int owner = host_of(rec);
	struct pp_build b;
	uint64_t feature;

	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_note(rec) && only_hosts(rec) ? PP_DROP : PP_KEEP;
	if (pp_find_feature(rec, &feature) &&
	    feature == PP_FEAT_HOSTNAME) {
		pp_build_feature(&b, rec->data, PP_RECORD_MAX, PP_FEAT_HOSTNAME);
		pp_build_text(&b, "hostname", host->name);
		rec->size = (uint16_t)pp_build_end(&b);
		return PP_KEEP;
	}
	if (owner >= 0 && (size_t)owner != piece->key)
		return PP_DROP;
	if (owner >= 0)
		move_back(host, rec);
	return PP_KEEP;
}

/* ---- what distinguishes pieces ---- */

static bool number_of_cpu(const struct pp_record *rec, uint64_t *key)
{
	uint32_t cpu;
	const bool said = pp_cpu(rec, &cpu);

	if (said)
		*key = cpu;
	return said;
}

static bool number_of_pid(const struct pp_record *rec, uint64_t *key)
{
	uint32_t pid, tid;
	const bool said = pp_task(rec, &pid, &tid);

	if (said)
		*key = pid;
	return said;
}

static bool number_of_host(const struct pp_record *rec, uint64_t *key)
{
	const int host = host_of(rec);

	if (host >= 0)
		*key = (uint64_t)host;
	return host >= 0;
}

static bool cpu_of_aux(const struct pp_record *rec, uint64_t *key)
{
	return pp_find_u64(rec, PP_IS_CPU, key) && (*key = (uint32_t)*key) != UINT32_MAX;
}

static bool pid_of_aux(const struct pp_record *rec, uint64_t *key)
{
	uint64_t tid;
	uint32_t pid;

	if (!pp_find_u64(rec, PP_IS_TID, &tid) || !pp_sideband_process(split.sideband, (uint32_t)tid, &pid))
		return false;
	*key = pid;
	return true;
}

static bool text_of_event(const struct pp_record *rec, const char **text, size_t *length)
{
	if (!rec->attr)
		return false;
	*text = rec->attr->name;
	*length = strlen(*text);
	return true;
}

static bool text_of_comm(const struct pp_record *rec, const char **text, size_t *length)
{
	uint32_t pid, tid;

	if (!pp_task(rec, &pid, &tid))
		return false;
	*text = pp_tasks_comm(split.tasks, pid, tid);
	*length = strlen(*text);
	return true;
}

/* One that no record named has its number for a path. */
static bool text_of_cgroup(const struct pp_record *rec, const char **text, size_t *length)
{
	static char digits[24];
	uint64_t id;

	if (rec->type != PP_REC_SAMPLE || !pp_find_u64(rec, PP_IS_CGROUP, &id))
		return false;
	if (pp_sideband_cgroup(split.sideband, rec, text, length))
		return true;
	*length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, id);
	*text = digits;
	return true;
}

enum { BY_EVENT, BY_CPU, BY_PID, BY_COMM, BY_CGROUP, BY_HOST };

static const struct way ways[] = {
	[BY_EVENT] = { "event", NULL, text_of_event, NULL },
	[BY_CPU] = { "cpu", number_of_cpu, NULL, cpu_of_aux },
	[BY_PID] = { "pid", number_of_pid, NULL, pid_of_aux },
	[BY_COMM] = { "comm", NULL, text_of_comm, NULL },
	[BY_CGROUP] = { "cgroup", NULL, text_of_cgroup, NULL },
	[BY_HOST] = { "host", number_of_host, NULL, number_of_host },
};

static bool goes_by(int way)
{
	return split.way == &ways[way];
}

/* What a record's key is called, as a part of a file's name. */
static void name_key(const struct way *way, uint64_t key, char *name)
{
	if (goes_by(BY_HOST))
		pieces_safe_key(name, split.hosts[key].name, strlen(split.hosts[key].name));
	else if (way->number)
		snprintf(name, KEY_MAX, "%" PRId32, (int32_t)key);
}

/* The key of a record of the kernel, and its name if that is what makes the key. */
static inline bool key_of(const struct pp_record *rec, uint64_t *key, char *name)
{
	const char *text;
	size_t length;

	if (split.way->number)
		return split.way->number(rec, key);
	if (!split.way->text(rec, &text, &length))
		return false;
	pieces_safe_key(name, text, length);
	*key = UINT64_C(14695981039346656037);
	for (const char *at = name; *at; at++)
		*key = (*key ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return true;
}

/* ---- pieces ---- */

/* Everything up to the first record of its own. */
static void write_head(struct piece *piece)
{
	const uint32_t pid = (uint32_t)piece->key;
	const bool known = piece->key != UNKNOWN;
	const bool one = known && goes_by(BY_PID), hosted = known && goes_by(BY_HOST);
	struct pp_host host;
	struct pp_error error = { .code = PP_OK };

	pp_sideband_now(split.sideband, split.now);
	piece_check(piece, pp_writer_header(piece->out, split.run->stream->sealed, NULL));
	if (hosted) {
		host = split.hosts[piece->key];
		host.apart = false;
		piece_check_with(piece, pp_host_write(piece->out, 0, &host, &error), &error);
	}
	piece_check_with(piece, pp_sideband_write(split.sideband, one ? &pid : NULL,
						  hosted ? shape_for_host : NULL, piece, piece->out,
						  &error), &error);
	piece->due = true;
	if (!bytes || split.told_head || pp_fits(pp_writer_bytes(piece->out) + RESERVE, bytes))
		return;
	split.told_head = true;
	cli_warn("%s: its head alone takes %" PRIu64 " bytes: a piece for each record", piece->name,
		 pp_writer_bytes(piece->out));
}

static struct piece *begin_piece(uint64_t key, const char *name)
{
	struct piece *piece;

	if (keep && all.count >= keep)
		pieces_remove(&all, all.count - keep);
	piece = piece_open(&all, name);
	piece->key = key;
	piece->next = split.pieces;
	split.pieces = piece;
	write_head(piece);
	return piece;
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
	split.pieces = split.last = NULL;
	if (split.run->status == EXIT_SYSTEM)
		pieces_unfinished();
	for (struct piece *p = reversed; p; p = next) {
		next = p->next;
		piece_close(&all, p, run_end_flags(split.run));
	}
}

/* The pieces are whole streams, and say that more was to come. */
static void abandon(void)
{
	split.run->status = EXIT_SYSTEM;
	close_pieces();
}

static inline void write_bytes(struct piece *piece, const void *data, size_t size)
{
	if (!piece->gone && pp_writer_copy(piece->out, data, size, NULL) < 0)
		piece_check(piece, -1);
}

static inline void write_record(struct piece *piece, const struct pp_record *rec)
{
	piece->records++;
	piece->samples += rec->type == PP_REC_SAMPLE;
	piece->due = true;
	write_bytes(piece, rec->data, rec->size);
}

/* In a host's piece are its own numbers. */
static void write_to_host(struct piece *piece, const struct pp_record *rec)
{
	uint8_t data[PP_RECORD_MAX + 1];
	struct pp_record own = *rec;

	own.data = memcpy(data, rec->data, rec->size);
	move_back(&split.hosts[piece->key], &own);
	write_record(piece, &own);
}

static inline void write_to_one(struct piece *piece, const struct pp_record *rec)
{
	if (goes_by(BY_HOST) && piece->key != UNKNOWN)
		write_to_host(piece, rec);
	else
		write_record(piece, rec);
}

static void write_to_all(const struct pp_record *rec)
{
	for (struct piece *p = split.pieces; p; p = p->next)
		write_record(p, rec);
}

static void write_to(enum place place, struct piece *piece, const struct pp_record *rec)
{
	if (place == ONE)
		write_to_one(piece, rec);
	else if (place == ALL)
		write_to_all(rec);
}

/* The tail follows its record; one that heads have as well is kept for them. */
static int take_tail(struct run *run, const void *data, size_t size)
{
	if (split.tail.place == ONE)
		write_bytes(split.tail.one, data, size);
	for (struct piece *p = split.pieces; split.tail.place == ALL && p; p = p->next)
		write_bytes(p, data, size);
	return pp_sideband_tail(split.sideband, data, size, &run->error) ? -1 : 0;
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

/* The next piece begins a whole number of spans after the first time. */
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

static enum place cut(const struct pp_record *rec)
{
	uint64_t time;

	if (split.pieces && ends_before(split.pieces, rec))
		close_pieces();
	if (seconds && (!split.pieces || !split.begun))
		set_end(rec);
	/* what may wait for the head of the first piece does */
	if (!split.pieces && (pp_time(rec, &time) || !pp_sideband_keeps(rec->type)))
		begin_piece(0, "");
	return ALL;
}

/* ---- pieces by a key ---- */

static inline struct piece *find_piece(uint64_t key)
{
	struct piece *piece = split.last;

	if (piece && piece->key == key)
		return piece;
	piece = split.buckets[key & (BUCKETS - 1)];
	while (piece && piece->key != key)
		piece = piece->chain;
	if (piece)
		split.last = piece;
	return piece;
}

static struct piece *begin_piece_with(uint64_t key, char *name)
{
	struct piece **const bucket = &split.buckets[key & (BUCKETS - 1)];
	struct piece *piece;

	if (key != UNKNOWN)
		name_key(split.way, key, name);
	piece = begin_piece(key, name);
	piece->chain = *bucket;
	*bucket = piece;
	return split.last = piece;
}

/* The piece of this key; `name` is that of the key where it is not a number's. */
static inline struct piece *piece_with(uint64_t key, char *name)
{
	struct piece *const piece = find_piece(key);

	return piece ? piece : begin_piece_with(key, name);
}

/* Side-band goes to all pieces, by pid or host to that of its own; it opens none. */
static enum place place_sideband(const struct pp_record *rec, struct piece **piece)
{
	uint64_t key;
	uint32_t pid;

	if (goes_by(BY_PID) && pp_sideband_pid(rec, &pid))
		key = pid;
	else if (!goes_by(BY_HOST) || !number_of_host(rec, &key))
		return ALL;
	*piece = find_piece(key);
	return *piece ? ONE : NOWHERE;
}

static enum place place_aux(const struct pp_record *rec, struct piece **piece)
{
	char name[KEY_MAX];
	uint64_t key;

	if (!split.way->aux || !split.way->aux(rec, &key)) {
		split.left_out++;
		return NOWHERE;
	}
	*piece = piece_with(key, name);
	return ONE;
}

/* The piece of a record that says its own or, if it `must` have one, that of the unknown; or NULL. */
static inline struct piece *piece_of(const struct pp_record *rec, bool must)
{
	char name[KEY_MAX];
	uint64_t key;

	if (rec->type < PP_USER_TYPES && key_of(rec, &key, name))
		return piece_with(key, name);
	return must ? piece_with(UNKNOWN, strcpy(name, "unknown")) : NULL;
}

static enum place place(const struct pp_record *rec, struct piece **piece)
{
	if (pp_sideband_keeps(rec->type))
		return place_sideband(rec, piece);
	if (rec->type == PP_REC_AUXTRACE)
		return place_aux(rec, piece);
	*piece = piece_of(rec, !split.pieces);
	return *piece ? ONE : ALL;
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
			piece_check(p, pp_writer_round(p->out, NULL));
		p->due = false;
	}
}

/* What there is most of by far: it is for no head, which knows only its time. */
static int take_sample(const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time;

	if (split.tasks && pp_tasks_note(split.tasks, rec, error) < 0)
		return -1;
	if (by) {
		write_to_one(piece_of(rec, true), rec);
	} else {
		cut(rec);
		write_to_all(rec);
	}
	if (pp_time(rec, &time) && time > split.now)
		split.now = time;
	return 0;
}

/* The next record in time order. */
static int take(struct run *run, struct pp_record *rec)
{
	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec)) {
		end_round(rec);
		return 0;
	}
	if (rec->type == PP_REC_FINISHED_ROUND)
		note_hosts(rec);
	else if (goes_by(BY_HOST) && !split.hosts_known)
		need_hosts(run);
	if (rec->type == PP_REC_SAMPLE)
		return take_sample(rec, &run->error);
	/* a name counts from its record on, so also for that itself */
	if (split.tasks && pp_tasks_note(split.tasks, rec, &run->error) < 0)
		return -1;
	split.tail.one = NULL;
	split.tail.place = rec->type == PP_REC_FINISHED_ROUND ? ALL :
			   by ? place(rec, &split.tail.one) : cut(rec);
	write_to(split.tail.place, split.tail.one, rec);
	pp_sideband_now(split.sideband, split.now);
	return pp_sideband_note(split.sideband, rec, &run->error) ? -1 : 0;
}

static int flush(struct run *run)
{
	(void)run;
	for (struct piece *p = split.pieces; p; p = p->next)
		if (!p->gone)
			piece_check(p, pp_writer_flush(p->out, NULL));
	return 0;
}

/* ---- begin and end ---- */

static int start(struct run *run)
{
	struct rlimit files;

	split.run = run;
	all.sealing = run_sealing();
	if (common.input ? stat(common.input, &all.input) : fstat(STDIN_FILENO, &all.input))
		all.input.st_ino = 0;
	if (by && !getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	all.abandon = abandon;
	/* a command that has enough ends its own piece, not ours */
	if (all.command)
		signal(SIGPIPE, SIG_IGN);
	split.sideband = pp_sideband_new(&budget);
	if (goes_by(BY_COMM))
		split.tasks = pp_tasks_new(0, &budget);
	if (!split.sideband || (goes_by(BY_COMM) && !split.tasks))
		cli_no_memory();
	return 0;
}

static void report(const char *name)
{
	if (split.left_out)
		cli_warn("%s: %" PRIu64 " piece%s of AUX trace left out, which --by %s cannot "
			 "assign",
			 name, split.left_out, cli_plural(split.left_out), by);
	if (split.misfits)
		cli_warn("%s: %" PRIu64 " record%s with numbers that are impossible on %s host",
			 name, split.misfits, cli_plural(split.misfits),
			 split.misfits == 1 ? "its" : "their");
}

static int end(struct run *run)
{
	/* a stream that says only what it is about is one piece */
	if (run->status < EXIT_SYSTEM && !by && !all.count && run->stream->records)
		begin_piece(0, "");
	close_pieces();
	report(run->stream->name);
	if (all.failures)
		run->status = EXIT_SYSTEM;
	if (split.tasks)
		pp_tasks_free(split.tasks);
	pp_sideband_free(split.sideband);
	return 0;
}

static void check_options(void)
{
	if (!seconds + !bytes + !samples + !by != 3)
		cli_misuse("one of --seconds, --bytes, --samples and --by is required");
	for (size_t i = 0; by && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(by, ways[i].name))
			split.way = &ways[i];
	if (by && !split.way)
		cli_misuse("--by: '%s' is not one of event, cpu, pid, comm, cgroup, host", by);
	if (keep && by)
		cli_misuse("--keep cannot be combined with --by, whose pieces all end at the end");
	if (keep && all.command)
		cli_misuse("--keep cannot be combined with --exec, whose output is unknown");
	if (!all.pattern && all.command)
		all.pattern = by ? "{}" : "%u";
	if (!all.pattern)
		cli_misuse("--output names the pieces: -o piece-%%03u.pipe");
	all.keyed = by;
	pieces_check_pattern(&all);
	if (!budget.limit)
		cli_misuse("--size: nothing can be ordered in 0 bytes");
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = take, .tail = take_tail, .end = end, .flush = flush,
		.time_order = true, .budget = &budget, .late = ": in the piece being written then",
	};

	cli_parse(&tool, argc, argv);
	check_options();
	return run_sink(&tool, &sink);
}
