/*
 * pp-split.c - pieces of a stream that can be used alone, cut by time, size or number of samples, or
 * separated by event, CPU, process, name, control group or host.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shared/run.h"
#include "split/split_by.h"

enum {
	BUCKETS     = 4096,           /* of the pieces by key; a power of two */
	RESERVE     = 2 * PP_SEAL_SIZE,   /* of --bytes, for a round and the end */
};

static const uint64_t UNKNOWN = UINT64_MAX;   /* key of what does not say its own */

static uint64_t seconds, bytes, samples, keep;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static const char *by;
static bool prune;
static struct pieces all;
static int nowhere = -1;              /* takes heads that --bytes has measured */

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
	OPT_EXAMPLE("pp-record -a | pp-split --seconds 60 --keep 60 -o now-%u.pipe",
		    "always have the last hour"),
	OPT_EXAMPLE("pp-record -a | pp-split --seconds 60 --keep 1440 --name '%F-%H%M%S.pipe'",
		    "the last day, named by the time of day"),
	OPT_EXAMPLE("pp-split --by comm -o 'of-{}.pipe' web.pipe",
		    "one recording for each program"),
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
	OPT_STRING(0, "name", "PATTERN", &all.timed,
		   "names with the time of day, as for strftime(3), in folder -o; %n is the number"),
	OPT_SWITCH(0, "prune", &prune, "write only names, maps and events that the samples of a piece need"),
	OPT_CALL(0, "keep", "COUNT", &keep, positive_number,
		 "keep the last COUNT pieces, remove older ones"),
	OPT_STRING(0, "exec", "COMMAND", &all.command,
		   "give each piece to COMMAND on its standard input, {} is its name"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "hold at most SIZE bytes if rounds are missing or larger (default: 256M)"),
	OPT_GROUP("Common options"), OPT_INPUT,
	OPT_VERBOSE("report each finished piece"), OPT_QUIET, OPT_PROGRESS, OPT_NO_VERIFY,
	OPT_NO_SANDBOX, OPT_SEAL, OPT_NO_SEAL,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-split",
	.summary = "Cut a stream into pieces that can be used alone",
	.purpose = "For recordings that go on for days, are too large for one program, or hold "
		   "several hosts.",
	.operands = "[FILE]",
	.options = options,
};

/* ---- the state ---- */

/* Where a record goes. */
enum split_place { NOWHERE, ONE, ALL };

static struct {
	struct run *run;
	struct keys keys;             /* of --by, and what knows of tasks and hosts */
	struct pp_names_kept *names;  /* that the stream has */
	struct pp_tracepoints *tracepoints;   /* of --prune, or NULL */
	struct piece *pieces, *last, *buckets[BUCKETS];
	uint64_t origin, end;         /* of --seconds: the first time; where the next piece begins */
	uint64_t now;                 /* the largest time of a sample */
	const struct pp_record *at;   /* the record that is being taken; NULL: none */
	int64_t to_wall_clock;        /* ns to add to times for those of the day */
	uint64_t clock_read;          /* the time of the stream's clock of which that was said */
	bool clocked;                 /* it was */
	uint64_t left_out;            /* pieces of AUX trace */
	bool begun;                   /* origin counts */
	uint64_t most;                /* of --bytes: what the piece at hand may have */
	bool measured;                /* the first head */
	bool told_head;               /* that a head leaves too little room */
	struct { enum split_place place; struct piece *one; } tail;   /* where that of the last record goes */
} split = { .keys.by = BY_NONE };

/* ---- the time of day ---- */

static void note_clock(const struct pp_record *rec)
{
	uint64_t clock;

	if (rec->type == PP_REC_HEADER_FEATURE && pp_clock_data(rec, &clock, &split.to_wall_clock))
		split.clocked = pp_get_u64(rec, "clockid_time_ns", &split.clock_read);
}

/* When the piece begins that the record at hand opens, in s since 1970.  One without a time is of the time
 * before, or of when the recording began. */
static time_t time_of_day(void)
{
	uint64_t time;

	if (!all.timed)
		return 0;
	if (!split.clocked)
		cli_die(EXIT_MISUSE, "%s: --name: the stream has no CLOCK_DATA, which gives the time of the "
			"wall clock: record with perf record -k mono, or pp-record", split.run->stream->name);
	if (!split.at || !pp_time(split.at, &time) || !time)
		time = split.now ? split.now : split.clock_read;
	return (time_t)((time + (uint64_t)split.to_wall_clock) / 1000000000);
}

/* ---- pieces ---- */

static int shape_for_host(void *arg, struct pp_record *rec, struct pp_error *error)
{
	const struct piece *const piece = arg;

	(void)error;
	return hosts_shape(&split.keys.hosts, piece->key, rec);
}

/* The least that --bytes can be with such a head: what is written again with each piece then is at most
 * eight times of what is not. */
static uint64_t least_with(uint64_t head)
{
	return head + head / 8 + RESERVE;
}

/* What a head would take now. */
static uint64_t measure_head(void)
{
	struct pp_writer *const out = pp_writer_open(nowhere, all.sealing);
	struct pp_error error = { .code = PP_OK };
	char text[512];
	uint64_t size;

	if (!out)
		cli_no_memory();
	if (pp_writer_header(out, split.run->stream->sealed, &error) ||
	    pp_sideband_write(split.keys.sideband, NULL, NULL, NULL, out, &error)) {
		errno = pp_writer_os(out);
		if (errno)
			cli_die_os("cannot write /dev/null");
		cli_error_text(&error, text, sizeof(text));
		cli_die(pp_error_status(&error), "%s", text);
	}
	size = pp_writer_bytes(out);
	pp_writer_close(out);
	return size;
}

/* Before there is a piece: a command line that would make thousands of them, each mostly a head, is
 * refused. */
static void check_head(void)
{
	uint64_t head, enough = 1024;

	split.measured = true;
	head = measure_head();
	if (pp_fits(least_with(head), bytes))
		return;
	while (enough < 2 * least_with(head))
		enough *= 2;
	cli_misuse("--bytes: the names and maps that every piece needs take %" PRIu64 " KiB, more than a "
		   "piece has room for: use at least %" PRIu64 "%c", (head + 1023) >> 10,
		   enough >> (enough < 1 << 20 ? 10 : 20), enough < 1 << 20 ? 'k' : 'M');
}

/* The head, which then waits for what needs it. */
static void begin_pruning(struct piece *piece, const uint32_t *pid)
{
	struct pp_error error = { .code = PP_OK };

	piece->pruner = pp_prune_new(&budget, split.tracepoints, NULL, piece->out);
	if (!piece->pruner)
		piece_check(piece, -1);
	piece_check_with(piece, pp_prune_head(piece->pruner, split.keys.sideband, pid, &error), &error);
}

/* Whether a record is written as it is, now: --prune leaves it out, keeps it until it is needed, or has
 * written it. */
static bool is_needed(struct piece *piece, const struct pp_record *rec)
{
	struct pp_error error = { .code = PP_OK };
	int verdict;

	if (!piece->pruner)
		return true;
	if (piece->gone)
		return false;
	verdict = pp_prune_judge(piece->pruner, rec, &error);
	piece_check_with(piece, verdict, &error);
	return verdict == PP_KEEP;
}

/* Everything up to the first record of its own. */
static void write_head(struct piece *piece)
{
	const uint32_t pid = (uint32_t)piece->key;
	const bool known = piece->key != UNKNOWN;
	const bool one = known && split.keys.by == BY_PID, hosted = known && split.keys.by == BY_HOST;
	struct pp_host host;
	struct pp_error error = { .code = PP_OK };

	pp_sideband_now(split.keys.sideband, split.now);
	piece_check(piece, pp_writer_header(piece->out, split.run->stream->sealed, NULL));
	if (hosted) {
		host = split.keys.hosts.items[piece->key];
		host.apart = false;
		piece_check_with(piece, pp_host_write(piece->out, 0, &host, &error), &error);
	}
	if (prune)
		begin_pruning(piece, one ? &pid : NULL);
	else
		piece_check_with(piece, pp_sideband_write(split.keys.sideband, one ? &pid : NULL,
							  hosted ? shape_for_host : NULL, piece, piece->out,
							  &error), &error);
	piece->due = true;
	if (!bytes)
		return;
	split.most = least_with(pp_writer_bytes(piece->out));
	if (pp_fits(split.most, bytes)) {
		split.most = bytes;
	} else if (!split.told_head) {
		split.told_head = true;
		cli_warn("%s: the names and maps that it needs take %" PRIu64 " bytes by now: this and later "
			 "pieces are larger than --bytes", piece->name, pp_writer_bytes(piece->out));
	}
}

static struct piece *begin_piece(uint64_t key, const char *name)
{
	const time_t when = time_of_day();
	struct piece *piece;

	if (keep && all.count >= keep)
		pieces_remove(&all, all.count - keep);
	piece = piece_open(&all, name, when);
	piece->key = key;
	piece->names = pp_names_share_new(split.names);
	if (!piece->names)
		piece_check(piece, -1);
	piece->next = split.pieces;
	split.pieces = piece;
	write_head(piece);
	return piece;
}

/* Writes names in the place of a round that is due: 1, or 0: there are none. */
static int write_names(struct piece *piece)
{
	struct pp_error error = { .code = PP_OK };
	const void *record;
	size_t size;
	const int got = piece->gone ? 0 : pp_names_share_next(piece->names, &record, &size, &error);

	piece_check_with(piece, got, &error);
	if (got > 0)
		piece_check(piece, pp_writer_copy(piece->out, record, size, NULL));
	return got;
}

/* All names that its samples need are there. */
static void close_piece(struct piece *piece)
{
	struct pp_error error = { .code = PP_OK };

	if (piece->pruner)
		piece_check_with(piece, pp_prune_end(piece->pruner, &error), &error);
	while (write_names(piece))
		piece->due = false;
	pp_names_share_free(piece->names);
	pp_prune_free(piece->pruner);
	piece_close(&all, piece, run_end_flags(split.run));
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
		close_piece(p);
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

/* Before it gets another host's numbers. */
static inline void take_hits(struct piece *piece, const struct pp_record *rec)
{
	struct pp_error error;

	/* most streams have no names: then nothing is looked at */
	if (piece->gone || pp_names_kept_whole(split.names))
		return;
	error.code = PP_OK;
	piece_check_with(piece, pp_names_share_take(piece->names, rec, &error), &error);
}

static inline void write_record(struct piece *piece, const struct pp_record *rec)
{
	piece->records++;
	piece->samples += rec->type == PP_REC_SAMPLE;
	piece->due = true;
	if (is_needed(piece, rec))
		write_bytes(piece, rec->data, rec->size);
}

/* In a host's piece are its own numbers. */
static void write_to_host(struct piece *piece, const struct pp_record *rec)
{
	uint8_t data[PP_RECORD_MAX + 1];
	struct pp_record own = *rec;

	own.data = memcpy(data, rec->data, rec->size);
	hosts_move_back(&split.keys.hosts, piece->key, &own);
	write_record(piece, &own);
}

static inline void write_to_one(struct piece *piece, const struct pp_record *rec)
{
	take_hits(piece, rec);
	if (split.keys.by == BY_HOST && piece->key != UNKNOWN)
		write_to_host(piece, rec);
	else
		write_record(piece, rec);
}

static void write_to_all(const struct pp_record *rec)
{
	for (struct piece *p = split.pieces; p; p = p->next) {
		take_hits(p, rec);
		write_record(p, rec);
	}
}

static void write_to(enum split_place place, struct piece *piece, const struct pp_record *rec)
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
	return pp_sideband_tail(split.keys.sideband, data, size, &run->error) ? -1 : 0;
}

/* ---- cuts ---- */

/* Whether a record fits below --bytes, with the names that it needs. */
static bool has_room(struct piece *piece, const struct pp_record *rec)
{
	bool fits;

	take_hits(piece, rec);
	fits = pp_fits(rec->size + rec->tail + RESERVE + pp_writer_bytes(piece->out) +
		       pp_names_share_bytes(piece->names), split.most);
	if (!fits)
		pp_names_share_untake(piece->names);
	return fits;
}

/* Whether a piece ends before this record. */
static bool ends_before(struct piece *piece, const struct pp_record *rec)
{
	uint64_t time;

	if (seconds)
		return pp_time(rec, &time) && time >= split.end;
	if (samples)
		return rec->type == PP_REC_SAMPLE && piece->samples == samples;
	return piece->records && !has_room(piece, rec);
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

static enum split_place cut(const struct pp_record *rec)
{
	uint64_t time;

	if (split.pieces && ends_before(split.pieces, rec))
		close_pieces();
	if (seconds && (!split.pieces || !split.begun))
		set_end(rec);
	/* what may wait for the head of the first piece does */
	if (!split.pieces && (pp_time(rec, &time) || !pp_sideband_keeps(rec->type))) {
		if (bytes && !split.measured)
			check_head();
		begin_piece(0, "");
	}
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
		keys_name(&split.keys, key, name);
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
static enum split_place place_sideband(const struct pp_record *rec, struct piece **piece)
{
	uint64_t key;
	uint32_t pid;

	if (split.keys.by == BY_PID && pp_sideband_pid(rec, &pid))
		key = pid;
	else if (split.keys.by != BY_HOST || !key_of(&split.keys, rec, &key, NULL))
		return ALL;
	*piece = find_piece(key);
	return *piece ? ONE : NOWHERE;
}

static enum split_place place_aux(const struct pp_record *rec, struct piece **piece)
{
	char name[KEY_MAX];
	uint64_t key;

	if (!split.keys.way->aux || !split.keys.way->aux(&split.keys, rec, &key)) {
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

	if (rec->type < PP_USER_TYPES && key_of(&split.keys, rec, &key, name))
		return piece_with(key, name);
	return must ? piece_with(UNKNOWN, strcpy(name, "unknown")) : NULL;
}

static enum split_place place(const struct pp_record *rec, struct piece **piece)
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
	struct pp_record plain = *rec;
	uint8_t header[PP_HEADER_SIZE];
	struct pp_seal seal;
	struct pp_build b;

	/* the first and the last are not rounds of the stream */
	if (pp_is_seal(rec, &seal) && (!seal.number || seal.flags & PP_SEAL_END))
		return;
	pp_build(&b, header, sizeof(header), PP_REC_FINISHED_ROUND, 0, NULL);
	plain.data = header;
	plain.size = (uint16_t)pp_build_end(&b);
	for (struct piece *p = split.pieces; p; p = p->next) {
		if (p->due && !p->gone && is_needed(p, &plain) && !write_names(p))
			piece_check(p, pp_writer_round(p->out, NULL));
		p->due = false;
	}
}

/* Names are a round, too.  Where it cannot be said which of them a piece needs all pieces have them, in place
 * of that round or, later ones, at their head. */
static int take_names(const struct pp_record *rec, struct pp_error *error)
{
	if (!pp_names_kept_whole(split.names)) {
		end_round(rec);
		return 0;
	}
	for (struct piece *p = split.pieces; p; p = p->next) {
		if (!p->gone)
			piece_check(p, pp_writer_copy(p->out, rec->data, rec->size, NULL));
		p->due = false;
	}
	return pp_sideband_note(split.keys.sideband, rec, error) ? -1 : 0;
}

/* What there is most of by far: it is for no head, which knows only its time. */
static int take_sample(const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time;

	if (split.keys.tasks && pp_tasks_note(split.keys.tasks, rec, error) < 0)
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
	split.at = rec;
	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_names(rec))
		return take_names(rec, &run->error);
	if (pp_names_kept_note(split.names, rec, &run->error))
		return -1;
	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec)) {
		end_round(rec);
		return 0;
	}
	if (rec->type == PP_REC_FINISHED_ROUND)
		hosts_note(&split.keys.hosts, rec, split.keys.sideband);
	else if (split.keys.by == BY_HOST && !split.keys.hosts.known)
		hosts_need(&split.keys.hosts, run->stream->name);
	if (rec->type == PP_REC_SAMPLE)
		return take_sample(rec, &run->error);
	note_clock(rec);
	/* a name counts from its record on, so also for that itself */
	if (split.keys.tasks && pp_tasks_note(split.keys.tasks, rec, &run->error) < 0)
		return -1;
	split.tail.one = NULL;
	split.tail.place = rec->type == PP_REC_FINISHED_ROUND ? ALL :
			   by ? place(rec, &split.tail.one) : cut(rec);
	write_to(split.tail.place, split.tail.one, rec);
	pp_sideband_now(split.keys.sideband, split.now);
	return pp_sideband_note(split.keys.sideband, rec, &run->error) ? -1 : 0;
}

/* Names count from when they are read. */
static int learn(struct run *run, const struct pp_record *rec)
{
	if (!pp_names_kept_learn(split.names, rec, &run->error))
		return 0;
	if (pp_error_ends(&run->error))
		return -1;
	run_report(run);
	return 0;
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

/* Does what needs files while they may be opened: from then on a deputy makes pieces and runs commands. */
static int confine(struct run *run)
{
	struct rlimit files;

	if (common.input ? stat(common.input, &all.input) : fstat(STDIN_FILENO, &all.input))
		all.input.st_ino = 0;
	if (by && !getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (bytes && (nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
		cli_die_os("cannot open /dev/null");
	/* a command that has enough ends its own piece, not ours */
	if (all.command)
		signal(SIGPIPE, SIG_IGN);
	if (pieces_start(&all, &run->error))
		return -1;
	return run_confine(run, PP_STAGE_DEPUTY | PP_STAGE_SPOOLS, NULL);
}

static int start(struct run *run)
{
	split.run = run;
	all.sealing = run_sealing();
	all.abandon = abandon;
	split.names = pp_names_kept_new(&budget);
	split.keys.sideband = pp_sideband_new(&budget);
	if (split.keys.by == BY_COMM)
		split.keys.tasks = pp_tasks_new(0, &budget);
	if (prune)
		split.tracepoints = pp_tracepoints_new();
	if (!split.names || !split.keys.sideband || (split.keys.by == BY_COMM && !split.keys.tasks) ||
	    (prune && !split.tracepoints))
		cli_no_memory();
	if (prune)
		pp_tracepoints_watch(split.tracepoints, run->in);
	return 0;
}

static void report(const char *name)
{
	if (split.left_out)
		cli_warn("%s: %" PRIu64 " piece%s of AUX trace left out, which --by %s cannot "
			 "assign",
			 name, split.left_out, cli_plural(split.left_out), by);
	if (split.keys.hosts.misfits)
		cli_warn("%s: %" PRIu64 " record%s with numbers that are impossible on %s host",
			 name, split.keys.hosts.misfits, cli_plural(split.keys.hosts.misfits),
			 split.keys.hosts.misfits == 1 ? "its" : "their");
}

static int end(struct run *run)
{
	split.at = NULL;
	/* a stream that says only what it is about is one piece */
	if (run->status < EXIT_SYSTEM && !by && !all.count && run->stream->records)
		begin_piece(0, "");
	close_pieces();
	report(run->stream->name);
	if (all.failures)
		run->status = EXIT_SYSTEM;
	if (split.keys.tasks)
		pp_tasks_free(split.keys.tasks);
	pp_sideband_free(split.keys.sideband);
	pp_names_kept_free(split.names);
	pp_tracepoints_free(split.tracepoints);
	return 0;
}

static void check_options(void)
{
	if (!seconds + !bytes + !samples + !by != 3)
		cli_misuse("one of --seconds, --bytes, --samples and --by is required");
	if (by && !keys_choose(&split.keys, by))
		cli_misuse("--by: '%s' is not one of event, cpu, pid, comm, cgroup, host", by);
	if (keep && by)
		cli_misuse("--keep cannot be combined with --by, whose pieces all end at the end");
	if (keep && all.command)
		cli_misuse("--keep cannot be combined with --exec, whose output is unknown");
	if (prune && bytes)
		cli_misuse("--prune cannot be combined with --bytes: how much a head takes is known only at "
			   "the end of its piece");
	if (prune && split.keys.by == BY_HOST)
		cli_misuse("--prune cannot be combined with --by host: pp-filter --prune its pieces");
	if (all.command)
		pieces_check_command(&all);
	if (!all.pattern && !all.timed && all.command)
		all.pattern = by ? "{}" : "%u";
	if (!all.pattern && !all.timed)
		cli_misuse("--output names the pieces: -o piece-%%03u.pipe");
	all.keyed = by;
	all.keeps = keep;
	pieces_check_pattern(&all);
	if (!budget.limit)
		cli_misuse("--size: nothing can be ordered in 0 bytes");
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.opens = true, .opened = confine,
		.start = start, .early = learn, .record = take, .tail = take_tail, .end = end, .flush = flush,
		.time_order = true, .budget = &budget, .late = ": in the piece being written then",
	};
	int status;

	cli_parse(&tool, argc, argv);
	check_options();
	status = run_sink(&tool, &sink);
	pieces_end();
	return status;
}
