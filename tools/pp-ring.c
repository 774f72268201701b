/* pp-ring.c - the last minutes of a stream, which are let out when something happens. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring_control.h"
#include "ring/ring_output.h"
#include "shared/run.h"
#include "shared/sample_filter.h"

enum { AT_LEAST = 4096 };             /* of --size */

static const uint64_t SECOND = 1000000000;

static uint64_t keep = UINT64_C(300000000000), packed = UINT64_C(256) << 20;
static uint64_t after = UINT64_C(1000000000), apart = UINT64_C(60000000000), times;
static bool no_last;
static const char *on, *when;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };
static struct ring_output output;
static struct ring_control control = { .channel = { .fd = -1, .ack = -1 } };

/* "5m", "2h", or as every time. */
static const char *parse_span(void *target, const char *value)
{
	static const struct { char letter; uint64_t seconds; } units[] = {
		{ 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
	};
	const size_t n = strlen(value), digits = strspn(value, "0123456789");
	uint64_t *const ns = target;

	for (size_t i = 0; digits && digits + 1 == n && i < sizeof(units) / sizeof(*units); i++) {
		if (value[digits] != units[i].letter)
			continue;
		if (digits > 9 || strtoull(value, NULL, 10) > UINT64_MAX / SECOND / units[i].seconds)
			return "is too long";
		*ns = strtoull(value, NULL, 10) * units[i].seconds * SECOND;
		return NULL;
	}
	return cli_time(target, value);
}

static const char *parse_keep(void *target, const char *value)
{
	const char *const wrong = parse_span(target, value);

	return wrong ? wrong : *(uint64_t *)target ? NULL : "is not above zero";
}

static const char *parse_on(void *target, const char *value)
{
	*(const char **)target = value;
	return !strcmp(value, "USR2") || !strcmp(value, "SIGUSR2") ? NULL : "is not USR2";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a -g -F 99 | pp-ring --on USR2 -o '%Y%m%d-%H%M%S.pipe'",
		    "write the last five minutes when SIGUSR2 comes"),
	OPT_EXAMPLE("pp-ring --keep 10s -o last.pipe web.pipe", "the last ten seconds of a recording"),
	OPT_CALL(0, "keep", "TIME", &keep, parse_keep,
		 "keep the last TIME of the recording: 90, 5m, 2h (default: 5m)"),
	OPT_SIZE('S', "size", "SIZE", &packed, "keep at most SIZE bytes, compressed (default: 256M)"),
	OPT_CALL(0, "on", "USR2", &on, parse_on, "let it out when the signal comes"),
	OPT_STRING(0, "when", "EXPRESSION", &when,
		   "let it out when a record matches, in the language of pp-filter"),
	OPT_CALL(0, "control", "fifo:FILE[,ACK]", &control, parse_ring_control,
		 "take commands from there: dump, status, ping; answer them to ACK"),
	OPT_CALL(0, "after", "TIME", &after, parse_span, "record on for TIME before that (default: 1s)"),
	OPT_CALL(0, "apart", "TIME", &apart, parse_span,
		 "pass over what comes sooner than TIME after the last (default: 1m)"),
	OPT_U64(0, "times", "COUNT", &times, "end after COUNT times (default: go on)"),
	OPT_SWITCH(0, "no-last", &no_last, "do not let it out at the end of the input"),
	OPT_STRING('o', "output", "PATTERN", &output.pattern,
		   "names of files, as for strftime(3); %u is the number"),
	OPT_GROUP("Common options"), OPT_INPUT,
	OPT_VERBOSE("report each stream that was let out"), OPT_QUIET, OPT_PROGRESS, OPT_NO_VERIFY,
	OPT_NO_SANDBOX, OPT_SEAL, OPT_NO_SEAL,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-ring",
	.summary = "Keep the last minutes of a stream, and let them out when asked",
	.purpose = "For recordings that are always on, of which only the minutes before something "
		   "happened are wanted.",
	.operands = "[FILE]",
	.options = options,
};

/* ---- the state ---- */

static struct {
	struct pp_ring_store *ring;
	struct pp_writer *out;        /* NULL: nothing is being let out */
	uint64_t newest;              /* time of what was taken */
	bool pending, waiting;        /* one is to begin; one more comes after that */
	uint64_t moment, next;        /* of these; `moment` is that of the last one while none is pending */
	uint64_t latest;              /* of the pending one, by the clock of this machine */
	time_t named;                 /* when it was asked for */
	int64_t to_wall_clock;        /* ns to add to times for those of the day */
	bool clocked;                 /* the recording says that */
	bool begun_once;
	uint64_t count, merged, passed;         /* begun; triggers merged; passed over for --apart */
	bool said_full;
	bool of_file;                 /* the input is one, from which nothing can be lost */
} state;

/* A pipe to the loop, so that no signal is missed before a wait. */
static int woken[2] = { -1, -1 };
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	const int os = errno;
	const char byte = 0;

	(void)number;
	asked = 1;
	if (write(woken[1], &byte, 1) < 0)
		errno = os;
	errno = os;
}

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* ---- triggers ---- */

static uint64_t end_of(uint64_t moment)
{
	return after > UINT64_MAX - moment ? UINT64_MAX : moment + after;
}

static void expect(uint64_t moment)
{
	state.pending = true;
	state.moment = moment;
	state.latest = end_of(now() + 2 * SECOND);
	state.named = time(NULL);
}

/* After the last one that was taken. */
static bool is_too_soon(uint64_t moment)
{
	return moment < state.moment || moment - state.moment < apart;
}

static void trigger(uint64_t moment)
{
	const bool busy = state.pending || state.out;

	if (busy && moment <= end_of(state.moment)) {
		state.merged++;
	} else if ((busy || state.begun_once) && is_too_soon(moment)) {
		state.passed++;
	} else if (!busy) {
		expect(moment);
	} else if (state.waiting) {
		state.merged++;
	} else {
		state.waiting = true;
		state.next = moment;
	}
}

/* By what has been read so far. */
static void trigger_now(const struct run *run)
{
	trigger(run->stream->last_time > state.newest ? run->stream->last_time : state.newest);
}

static void take_signal(const struct run *run)
{
	if (!asked)
		return;
	asked = 0;
	trigger_now(run);
}

static void say_status(void)
{
	struct pp_ring_store_kept kept;
	char text[400];

	pp_ring_store_kept(state.ring, &kept);
	(void)snprintf(text, sizeof(text), "{\"kept\":\"%.3fs\",\"samples\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"compressed\":%" PRIu64 ",\"state\":\"%s\",\"written\":%" PRIu64
		       ",\"merged\":%" PRIu64 ",\"passed\":%" PRIu64 "}",
		       kept.first > kept.last ? 0 : (double)(kept.last - kept.first) / (double)SECOND,
		       kept.samples, kept.plain, kept.packed,
		       state.out ? "writing" : state.pending ? "triggered" : "waiting", state.count,
		       state.merged, state.passed);
	ring_control_answer(&control, text);
}

static void take_commands(const struct run *run)
{
	enum ring_command command;

	while ((command = ring_control_next(&control)) != RING_NO_COMMAND) {
		if (command == RING_DUMP)
			trigger_now(run);
		if (command == RING_STATUS)
			say_status();
		else
			ring_control_answer(&control, NULL);
	}
}

/* ---- what --when waits for ---- */

static struct {
	struct pp_tasks *tasks;       /* NULL: the expression asks for none */
	struct pp_symbols *symbols;   /* likewise */
} known;

static int start_watching(struct run *run)
{
	const struct pp_symbols_options names = {
		.size = sizeof(names), .no_files = true, .lines = matching_needs_lines(),
	};

	if (!when)
		return 0;
	if (matching_needs_tasks()) {
		known.tasks = pp_tasks_new(MATCHING_TASKS, &budget);
		if (!known.tasks)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
	}
	if (matching_needs_names()) {
		known.symbols = pp_symbols_new(&names, known.tasks, &run->error);
		if (!known.symbols)
			return -1;
	}
	return matching_start(run, known.tasks, known.symbols);
}

/* Names of functions count from when they are read. */
static int learn(struct run *run, const struct pp_record *rec)
{
	if (!known.symbols || !pp_symbols_learn(known.symbols, rec, &run->error))
		return 0;
	if (pp_error_ends(&run->error))
		return -1;
	run_report(run);
	return 0;
}

static int note(struct run *run, const struct pp_record *rec)
{
	matching_note(rec);
	if (rec->type == PP_REC_SAMPLE)
		return 0;
	if (known.tasks && pp_tasks_note(known.tasks, rec, &run->error))
		return -1;
	return known.symbols ? pp_symbols_note(known.symbols, rec, &run->error) : 0;
}

/* What was there before the recording has no time, and is no occurrence. */
static int watch(struct run *run, const struct pp_record *rec)
{
	uint64_t time;
	int got;

	if (note(run, rec))
		return -1;
	if (!rec->attr || !matching_judges(rec->type) || !pp_time(rec, &time) || !time)
		return 0;
	got = matching_judge(run, rec);
	if (got > 0)
		trigger(time);
	return got < 0 ? -1 : 0;
}

static void stop_watching(void)
{
	pp_symbols_free(known.symbols);
	pp_tasks_free(known.tasks);
	matching_free();
}

/* ---- letting out ---- */

static void check(int failed, const struct pp_error *error)
{
	const int os = failed && state.out ? pp_writer_os(state.out) : 0;
	char text[512];

	if (!failed)
		return;
	if (os) {
		errno = os;
		cli_die_os("cannot write %s", output.part ? output.part : ring_output_name(&output));
	}
	cli_error_text(error, text, sizeof(text));
	if (!error->code)
		cli_no_memory();
	cli_die(pp_error_status(error), "%s", text);
}

/* Whether --size has taken what belongs to the stream that begins. */
static bool is_short(const struct pp_ring_store_kept *kept)
{
	return kept->lacking && (kept->lacking >= state.moment || state.moment - kept->lacking <= keep);
}

static void write_notes(struct pp_error *error)
{
	struct pp_ring_store_kept kept;
	char text[160];
	uint64_t span;
	int n;

	pp_ring_store_kept(state.ring, &kept);
	span = kept.first > kept.last ? 0 : kept.last - kept.first;
	n = snprintf(text, sizeof(text), "{\"asked\":\"%.3fs\",\"kept\":\"%.3fs\",\"because\":\"%s\"}",
		     (double)keep / (double)SECOND, (double)span / (double)SECOND,
		     is_short(&kept) ? "size" : kept.forgotten || span >= keep ? "keep" : "start");
	check(pp_writer_note(state.out, "ring.kept", text, (size_t)n, error), error);
	n = snprintf(text, sizeof(text), "{\"number\":%" PRIu64 ",\"merged\":%" PRIu64
		     ",\"passed\":%" PRIu64 "}",
		     state.count, state.merged, state.passed);
	check(pp_writer_note(state.out, "ring.triggers", text, (size_t)n, error), error);
	if (is_short(&kept) && !state.said_full) {
		state.said_full = true;
		cli_warn("--size is reached before --keep: %.3f s are kept", (double)span / (double)SECOND);
	}
}

/* When the moment was, by the recording's clock, or, where that has no time of day, by this machine's. */
static time_t time_of_day(void)
{
	if (!state.clocked || !state.moment)
		return state.named;
	return (time_t)((state.moment + (uint64_t)state.to_wall_clock) / SECOND);
}

static void begin_stream(const struct run *run)
{
	struct pp_error error = { .code = PP_OK };

	state.pending = false;
	state.begun_once = true;
	ring_output_begin(&output, time_of_day(), state.count);
	state.out = pp_writer_open(output.fd, run_sealing());
	if (!state.out)
		cli_no_memory();
	check(pp_writer_header(state.out, run->stream->sealed, &error), &error);
	write_notes(&error);
	check(pp_ring_store_let_out(state.ring, state.out, &error), &error);
}

/* What is being written stays incomplete, and nothing more is let out. */
static void give_up(void)
{
	pp_writer_close(state.out);
	state.out = NULL;
	ring_output_discard(&output);
}

static void discard_at_exit(void)
{
	ring_output_discard(&output);
}

static void finish_stream(const struct run *run)
{
	struct pp_error error = { .code = PP_OK };

	check(pp_writer_end(state.out, run_end_flags(run), &error), &error);
	cli_note("%s: %" PRIu64 " bytes let out", ring_output_name(&output), pp_writer_bytes(state.out));
	pp_writer_close(state.out);
	state.out = NULL;
	ring_output_finish(&output);
	state.count++;
	if (state.waiting) {
		state.waiting = false;
		trigger(state.next);
	}
}

static void write_some(const struct run *run)
{
	struct pp_error error = { .code = PP_OK };
	const int got = pp_ring_store_write_some(state.ring, &error);

	check(got < 0, &error);
	if (!got)
		finish_stream(run);
}

static bool is_done(void)
{
	return times && state.count >= times && !state.out;
}

/* A file waits: what comes of it does not depend on how fast it is read. */
static void begin_if_due(const struct run *run)
{
	if (state.pending && !state.out && !is_done() &&
	    (state.newest > end_of(state.moment) || (!state.of_file && now() >= state.latest)))
		begin_stream(run);
	while (state.out && state.of_file)
		write_some(run);
}

/* ---- between reads ---- */

static int wait_for(const struct run *run)
{
	uint64_t left;

	if (state.out || state.of_file || pp_reader_fd(run->in) < 0)
		return 0;
	if (!state.pending)
		return -1;
	left = now();
	left = state.latest > left ? (state.latest - left) / 1000000 + 1 : 0;
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* Does what is due until the input has something: called before each read that may block. */
static int between(struct run *run)
{
	struct pollfd fds[] = {
		{ pp_reader_fd(run->in), POLLIN, 0 }, { woken[0], POLLIN, 0 },
		{ control.channel.fd, POLLIN, 0 },
	};
	char bytes[64];

	if (!state.ring)
		return 0;
	do {
		take_signal(run);
		take_commands(run);
		begin_if_due(run);
		if (state.out)
			write_some(run);
		fds[2].fd = control.channel.fd;
		if (poll(fds, 3, wait_for(run)) < 0 && errno != EINTR)
			return pp_fail(&run->error, PP_E_IO, "cannot poll the input: %s", strerror(errno));
		if (fds[1].revents && read(woken[0], bytes, sizeof(bytes)) < 0 && errno != EAGAIN)
			return pp_fail(&run->error, PP_E_IO, "cannot read a pipe: %s", strerror(errno));
	} while (fds[0].fd >= 0 && !fds[0].revents);
	return 0;
}

/* ---- records ---- */

static int take(struct run *run, struct pp_record *rec)
{
	uint64_t time, clock;

	if (is_done())
		return 1;
	if (rec->type == PP_REC_HEADER_FEATURE && pp_clock_data(rec, &clock, &state.to_wall_clock))
		state.clocked = true;
	if (pp_time(rec, &time) && time > state.newest)
		state.newest = time;
	take_signal(run);
	/* a stream that ends before this record is not to have it, nor to lack what it makes too old */
	begin_if_due(run);
	if (pp_ring_store_put(state.ring, rec, &run->error) || (when && watch(run, rec)))
		return -1;
	while (state.out && pp_ring_store_waits(state.ring))
		write_some(run);
	return 0;
}

static int take_tail(struct run *run, const void *data, size_t size)
{
	return pp_ring_store_tail(state.ring, data, size, &run->error) ? -1 : 0;
}

/* ---- begin and end ---- */

static int confine(struct run *run)
{
	struct stat input;

	if (common.input ? stat(common.input, &input) : fstat(STDIN_FILENO, &input))
		return pp_fail(&run->error, PP_E_IO, "cannot examine the input: %s", strerror(errno));
	state.of_file = S_ISREG(input.st_mode);
	ring_output_open(&output);
	if (!output.folder)
		times = 1;
	return run_confine(run, PP_STAGE_SPOOLS, output.folder);
}

static int start(struct run *run)
{
	const struct pp_ring_store_options ring = {
		.size = sizeof(ring), .keep = keep > UINT64_MAX - after ? UINT64_MAX : keep + after,
		.packed = packed, .budget = &budget,
	};

	state.ring = pp_ring_store_open(&ring, &run->error);
	return state.ring ? start_watching(run) : -1;
}

static void let_out_the_rest(const struct run *run)
{
	const bool last = !no_last && run->stream->records;

	while (state.out)
		write_some(run);
	if (is_done() || !(state.pending || last))
		return;
	if (!state.pending)
		expect(state.newest);
	begin_stream(run);
	while (state.out)
		write_some(run);
}

static int end(struct run *run)
{
	struct pp_ring_store_kept kept;

	if (run->status >= EXIT_SYSTEM)
		give_up();
	else
		let_out_the_rest(run);
	pp_ring_store_kept(state.ring, &kept);
	if (kept.left_out)
		cli_warn("%s: %" PRIu64 " record%s with data after them left out, such as AUX trace",
			 run->stream->name, kept.left_out, cli_plural(kept.left_out));
	if (state.merged + state.passed)
		cli_note("%s: triggers merged: %" PRIu64 ", passed over: %" PRIu64, run->stream->name,
			 state.merged, state.passed);
	pp_ring_store_close(state.ring);
	state.ring = NULL;
	stop_watching();
	return 0;
}

static void listen_for_signal(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (!on)
		return;
	if (pipe2(woken, O_CLOEXEC | O_NONBLOCK))
		cli_die_os("cannot make a pipe");
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR2, &action, NULL);
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.opens = true, .opened = confine,
		.start = start, .early = learn, .record = take, .tail = take_tail, .end = end,
		.flush = between,
		.time_order = true, .budget = &budget, .late = ": among newer ones",
	};

	cli_parse(&tool, argc, argv);
	if (packed < AT_LEAST)
		cli_misuse("--size: at least 4k");
	matching_demand(when);
	control_open(&control.channel);
	listen_for_signal();
	if (atexit(discard_at_exit))
		cli_no_memory();
	return run_sink(&tool, &sink);
}
