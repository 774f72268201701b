/* pp-undump.c - the stream that the lines of pp-dump --json show. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/stage_signals.h"
#include "shared/run.h"

enum {
	LINE_MOST = 1 << 20,	/* twice what the longest record can need */
	ROOM      = LINE_MOST + (1 << 18),
	READ      = 1 << 18,
	TAIL_MOST = 16 << 20,	/* of a tail whose length its record does not say */
};

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-dump --json web.pipe | pp-undump -o same.pipe", "to JSON, and back"),
	OPT_EXAMPLE("pp-dump --json web.pipe | sed s/web7/some/ | pp-undump -o out.pipe",
		    "hide the name of a host"),
	OPT_GROUP("Common options"),
	OPT_INPUT,
	OPT_OUTPUT,
	OPT_QUIET,
	OPT_PROGRESS,
	OPT_NO_SANDBOX,
	OPT_SEAL,
	OPT_NO_SEAL,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-undump",
	.summary = "Make a stream from the JSON lines of pp-dump",
	.purpose = "The way back from pp-dump --json, after a script has changed the lines.",
	.operands = "[FILE]",
	.options = options,
};

static struct {
	int fd;
	const char *name;
	uint64_t bytes, line, records, samples;
	uint64_t first_time, last_time;
	struct pp_parse *parse;
} in;

static struct {
	struct run *run;
	struct pp_restore *stream;
	bool begun;		/* its header is written */
	bool over;		/* a tail was cut: nothing more can be written */
	bool damaged;		/* pp-dump met damage */
} out;

/* The tail of the last record: what is still to come, and what there is of one whose length
 * the record does not say. */
static struct {
	enum { NONE, DUE, COLLECTED, IGNORED } state;
	bool begun;
	uint64_t size, left;
	uint64_t line;			/* of the record */
	struct pp_record record;	/* waits for its first byte, or for its length: */
	uint8_t data[PP_RECORD_MAX];
	size_t unsaid;			/* where that belongs, or 0 */
	uint8_t *held;
	size_t held_size, room;
	uint64_t orphans;
} tail;

/* ---- messages ---- */

/* An error's `index` is the line, where it is about one. */
static void say(struct run *run, const struct pp_error *error)
{
	char text[512];

	(void)run;
	cli_error_text(error, text, sizeof(text));
	if (!error->located)
		cli_say("%s", text);
	else
		cli_say("%s: line %" PRIu64 "%s%s%s: %s", in.name, error->index, error->type ? " (" : "",
			error->type ? pp_type_name(error->type, text) : "", error->type ? ")" : "",
			error->detail);
}

/* The next one may still be right. */
static void wrong_line(uint64_t line, uint32_t type, const char *what)
{
	struct pp_error *const error = &out.run->error;

	pp_fail(error, PP_E_VALUE, "%s", what);
	pp_error_at(error, 0, line, type);
	run_report(out.run);
}

/* ---- records ---- */

/* What a function that writes returned: where it failed the run reports that, and ends. */
static void check(int result)
{
	if (result < 0)
		run_report(out.run);
}

static void begin(bool version_1, bool foreign)
{
	if (!out.begun)
		check(pp_restore_header(out.stream, version_1, foreign, &out.run->error));
	out.begun = true;
}

static void write_record(const struct pp_record *record)
{
	begin(false, false);
	check(pp_restore_record(out.stream, record, &out.run->error));
}

static void write_tail(const void *data, size_t size)
{
	check(pp_restore_tail(out.stream, data, size, &out.run->error));
}

/* No more of it comes. */
static void end_tail(void)
{
	char what[128];

	if (tail.state == COLLECTED) {
		pp_parse_tail(&tail.record, tail.unsaid, tail.held_size);
		write_record(&tail.record);
		write_tail(tail.held, tail.held_size);
	} else if (tail.state == DUE) {
		snprintf(what, sizeof(what),
			 "tail: need %" PRIu64 " bytes in the lines after it, have %" PRIu64,
			 tail.size, tail.size - tail.left);
		wrong_line(tail.line, tail.record.type, what);
		out.over = tail.begun;
	}
	tail.state = NONE;
}

static void begin_tail(const struct pp_line *line)
{
	memcpy(tail.data, line->record.data, line->record.size);
	tail.record = line->record;
	tail.record.data = tail.data;
	tail.unsaid = line->tail_unsaid;
	tail.size = tail.left = line->record.tail;
	tail.line = in.line;
	tail.begun = false;
	tail.held_size = 0;
	tail.state = line->tail_unsaid ? COLLECTED : DUE;
}

static void collect(const struct pp_line *line)
{
	if (line->tail_size > TAIL_MOST - tail.held_size) {
		wrong_line(tail.line, tail.record.type,
			   "size: required for a tail of this length");
		tail.state = IGNORED;
		return;
	}
	if (line->tail_size > tail.room - tail.held_size) {
		tail.room = tail.room ? tail.room * 2 : (size_t)LINE_MOST;
		tail.held = cli_grow(tail.held, tail.room, 1);
	}
	memcpy(tail.held + tail.held_size, line->tail, line->tail_size);
	tail.held_size += line->tail_size;
}

static void take_tail(const struct pp_line *line)
{
	const bool due = tail.state == DUE;
	char what[96];

	if (tail.state == COLLECTED) {
		collect(line);
		return;
	}
	if (due && line->tail_size > tail.left) {
		snprintf(what, sizeof(what), "tail: need at most %" PRIu64 " bytes, have %zu",
			 tail.left, line->tail_size);
		wrong_line(in.line, 0, what);
		return;
	}
	if (!due) {
		tail.orphans += tail.state == NONE ? line->tail_size : 0;
		return;
	}
	if (!tail.begun)
		write_record(&tail.record);
	tail.begun = true;
	write_tail(line->tail, line->tail_size);
	tail.left -= line->tail_size;
	if (!tail.left)
		tail.state = NONE;
}

static void count(const struct pp_record *record)
{
	uint64_t ns;

	in.records++;
	in.samples += record->type == PP_REC_SAMPLE;
	if (record->foreign || !pp_time(record, &ns))
		return;
	if (ns > in.last_time)
		in.last_time = ns;
	if (ns < in.first_time || !in.first_time)
		in.first_time = ns;
}

static void take_record(const struct pp_line *line)
{
	count(&line->record);
	if (line->record.tail || line->tail_unsaid)
		begin_tail(line);
	else
		write_record(&line->record);
}

/* ---- lines ---- */

static void take_wrong(const struct pp_error *error)
{
	if (error->code == PP_E_NOMEM)
		cli_no_memory();
	wrong_line(in.line, error->type, error->detail);
	if (error->type && tail.state != NONE)
		end_tail();
	/* what follows it goes with it */
	if (tail.state == NONE)
		tail.state = IGNORED;
}

static void take_line(char *text, size_t length)
{
	struct pp_error error;
	struct pp_line line;

	in.line++;
	if (pp_parse_line(in.parse, text, length, &line, &error) < 0) {
		take_wrong(&error);
		return;
	}
	if (line.kind != PP_LINE_TAIL && line.kind != PP_LINE_BLANK && tail.state != NONE)
		end_tail();
	if (out.over)
		return;
	if (line.kind == PP_LINE_HEADER)
		begin(line.version_1, line.foreign);
	else if (line.kind == PP_LINE_RECORD)
		take_record(&line);
	else if (line.kind == PP_LINE_TAIL)
		take_tail(&line);
	else if (line.kind == PP_LINE_END)
		out.damaged = true;
}

/* Bytes of lines, the last of which may not be whole yet. */
static struct {
	char *text;
	size_t at, end;		/* what was not taken yet */
	size_t seen;		/* up to here there is no newline */
	bool skipping;		/* the rest of a line that is too long */
} buffer;

static void take_lines(void)
{
	char *newline;

	while (!out.over &&
	       (newline = memchr(buffer.text + buffer.seen, '\n', buffer.end - buffer.seen))) {
		const size_t end = (size_t)(newline - buffer.text);

		if (!buffer.skipping)
			take_line(buffer.text + buffer.at, end - buffer.at);
		buffer.skipping = false;
		buffer.at = buffer.seen = end + 1;
	}
	buffer.seen = buffer.end;
	if (buffer.end - buffer.at <= LINE_MOST)
		return;
	if (!buffer.skipping) {
		in.line++;
		wrong_line(in.line, 0, "is longer than any record needs");
	}
	buffer.skipping = true;
	buffer.at = buffer.end;
}

/* 1, 0 at the end, -1. */
static int fill(struct pp_error *error)
{
	ssize_t n;

	if (ROOM - buffer.end < READ) {
		memmove(buffer.text, buffer.text + buffer.at, buffer.end - buffer.at);
		buffer.end -= buffer.at;
		buffer.seen -= buffer.at;
		buffer.at = 0;
	}
	if (pp_writer_flush(out.run->out, error) < 0)
		return -1;
	do
		n = read(in.fd, buffer.text + buffer.end, READ);
	while (n < 0 && pp_try_again(in.fd, POLLIN));
	if (n < 0)
		return pp_fail_os(error, "cannot read %s", in.name);
	buffer.end += (size_t)n;
	in.bytes += (uint64_t)n;
	return n > 0;
}

/* ---- the run ---- */

/* Before the output: a writer may open its fifo first. */
static void open_input(void)
{
	in.name = common.input ? common.input : "standard input";
	in.fd = common.input ? open(common.input, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (in.fd < 0)
		cli_die_os("cannot open %s", in.name);
	outlive_interrupt(common.input);
}

static int start(struct run *run)
{
	out.run = run;
	*run->progress = (struct progress){
		.records = &in.records, .bytes = &in.bytes, .samples = &in.samples,
		.first = &in.first_time, .last = &in.last_time,
	};
	in.parse = pp_parse_new();
	buffer.text = malloc(ROOM + 1);
	out.stream = pp_restore_open(run->out, run_sealing());
	if (!in.parse || !buffer.text || !out.stream)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	return run_confine(run, 0, NULL);
}

/* Takes what one read brings; at the end the line that no newline ends, too. */
static int next(struct run *run)
{
	const int got = fill(&run->error);

	if (got > 0)
		take_lines();
	else if (!got && !buffer.skipping && buffer.end > buffer.at)
		take_line(buffer.text + buffer.at, buffer.end - buffer.at);
	if (!got && tail.state != NONE)
		end_tail();
	return out.over ? 0 : got;
}

/* What was wrong with all of it. */
static void judge(struct run *run)
{
	const bool cut = pp_restore_lacks_end(out.stream);
	const bool damaged = out.damaged || pp_restore_flags(out.stream) & PP_SEAL_DAMAGED;

	if (!in.records && !run->status)
		cli_say("%s: it has no records", in.name);
	if (cut)
		cli_say("%s: the stream was sealed, but its last seal is missing: cut", in.name);
	if (damaged)
		cli_say("%s: damaged before it came here", in.name);
	if (!in.records || cut || damaged)
		run->status = EXIT_DAMAGED;
	if (tail.orphans)
		cli_warn("%s: %" PRIu64 " bytes of tails dropped whose records are missing",
			 in.name, tail.orphans);
}

static int end(struct run *run)
{
	uint32_t flags;
	int result;

	begin(false, false);
	judge(run);
	flags = run->status ? PP_SEAL_DAMAGED : 0;
	if (common.seal && !pp_restore_was_sealed(out.stream))
		flags |= PP_SEAL_UNSEALED;
	/* nothing can follow a tail that was cut */
	result = out.over ? pp_writer_flush(run->out, &run->error) :
			    pp_restore_end(out.stream, flags, &run->error);
	pp_restore_close(out.stream);
	pp_parse_free(in.parse);
	free(buffer.text);
	free(tail.held);
	return result;
}

int main(int argc, char **argv)
{
	static const struct source source = {
		.start = start, .next = next, .end = end, .say = say, .many = "wrong lines",
		.sealing = PP_SEAL_NO,
	};

	cli_parse(&tool, argc, argv);
	open_input();
	return run_source(&tool, &source);
}
