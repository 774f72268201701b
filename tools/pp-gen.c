/*
 * pp-gen.c - makes streams up, of any shape, and damages streams, for tests of what reads them.
 *
 * The options, and opening files: what a stream is made of, and how it is damaged, is libpipe's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include <perfpipe/perfpipe.h>
#include <perfpipe/damage.h>
#include <perfpipe/generate.h>
#include "cli/output.h"
#include "cli/progress.h"

enum {
	BUFFER = 1 << 18,
	EDITS_MAX = 1000,
};

#define EXACT 9007199254740992.0      /* up to here a double is every whole number */

/* ---- the shape of a stream ---- */

static bool shaped;                   /* one of these options was given */

static struct pp_generate_options shape = {
	.seed = 1, .samples = 1000, .rounds = UINT64_MAX, .events = 1, .cpus = 2, .processes = 4,
	.threads = 1, .maps = 3, .callchain = 8, .raw = 20, .stack = 64, .branches = 4,
	.sample_type = PP_SAMPLE_IDENTIFIER | PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME |
		       PP_SAMPLE_CPU | PP_SAMPLE_PERIOD,
};

/* 1000000 or 1e6. */
static const char *parse_count(void *target, const char *value)
{
	char *end;
	const double number = strtod(value, &end);

	shaped = true;
	if (end == value || *end || !(number >= 0 && number <= EXACT) ||
	    number != (double)(uint64_t)number)
		return "is not a count";
	*(uint64_t *)target = (uint64_t)number;
	return NULL;
}

static const char *parse_few(void *target, const char *value)
{
	uint64_t number;
	const char *const wrong = parse_count(&number, value);

	if (wrong)
		return wrong;
	if (number > UINT32_MAX)
		return "is too many";
	*(uint32_t *)target = (uint32_t)number;
	return NULL;
}

/* The same for what is in samples only if it is asked for. */
#define PARSE_WITH(name, bit) \
static const char *name(void *target, const char *value) \
{ \
	shape.sample_type |= (bit); \
	return parse_few(target, value); \
}
PARSE_WITH(parse_callchain, PP_SAMPLE_CALLCHAIN)
PARSE_WITH(parse_raw, PP_SAMPLE_RAW)
PARSE_WITH(parse_stack, PP_SAMPLE_STACK_USER)
PARSE_WITH(parse_branches, PP_SAMPLE_BRANCH_STACK)

static const char *parse_shape_switch(void *target, const char *value)
{
	shaped = true;
	return cli_switch(target, value);
}

static const char *parse_span(void *target, const char *value)
{
	uint64_t *const ns = target;
	const char *const wrong = cli_time(ns, value);

	shaped = true;
	return wrong ? wrong : *ns > EXACT ? "is too long" : NULL;
}

/* Names of what samples hold; with + or - in front these more, or less. */
static const char *parse_sample_type(void *target, const char *value)
{
	uint64_t bits = 0;
	const char sign = *value;

	shaped = true;
	if (sign == '+' || sign == '-')
		value++;
	while (*value) {
		const size_t length = strcspn(value, ",");
		const struct pp_part *part = pp_sample_bits;

		while (part->name && (strncasecmp(part->name, value, length) || part->name[length]))
			part++;
		if (!part->name)
			return "names a field that samples do not have";
		bits |= UINT64_C(1) << part->bit;
		value += length + (value[length] == ',');
	}
	if (sign == '+')
		bits |= *(uint64_t *)target;
	else if (sign == '-')
		bits = *(uint64_t *)target & ~bits;
	*(uint64_t *)target = bits;
	return NULL;
}

static const char *parse_level(void *target, const char *value)
{
	shaped = true;
	return cli_zstd_level(target, value);
}

/* ---- the damage ---- */

static bool damaging;                 /* one of these options was given */
static struct pp_edit edits[EDITS_MAX];
static struct pp_damage harm = { .keep = PP_PIPE_HEADER, .edits = edits };

static const char *const edit_names[] = {
	[PP_EDIT_INSERT] = "inserted", [PP_EDIT_SPLICE] = "spliced", [PP_EDIT_ZERO] = "zeroed",
	[PP_EDIT_DROP] = "dropped", [PP_EDIT_CUT] = "cut",
};

static const char *parse_place(struct pp_edit *edit, const char *value)
{
	char *end;

	if (strchr(value, '.')) {
		edit->place = PP_PLACE_FRACTION;
		edit->fraction = strtod(value, &end);
		return end == value || *end || !(edit->fraction >= 0 && edit->fraction <= 1) ?
		       "is not a fraction from 0.0 to 1.0" : NULL;
	}
	edit->place = *value == '-' ? PP_PLACE_FROM_END : PP_PLACE_BYTE;
	return cli_size(&edit->at, value + (*value == '-'));
}

static const char *add_edit(enum pp_edit_kind what, uint64_t size, const char *place)
{
	struct pp_edit edit = { .what = what, .size = size };
	const char *const wrong = place ? parse_place(&edit, place) : NULL;

	damaging = true;
	if (wrong)
		return wrong;
	if (harm.n_edits == EDITS_MAX)
		return "is one too many";
	edits[harm.n_edits++] = edit;
	return NULL;
}

/* SIZE, or SIZE@PLACE. */
static const char *parse_edit(enum pp_edit_kind what, const char *value)
{
	const char *const at = strchr(value, '@');
	char number[64];
	uint64_t size;
	const char *wrong;

	(void)snprintf(number, sizeof(number), "%.*s", at ? (int)(at - value) : 63, value);
	wrong = cli_size(&size, number);
	return wrong ? wrong : add_edit(what, size, at ? at + 1 : NULL);
}

#define PARSE_EDIT(name, what) \
static const char *name(void *target, const char *value) \
{ \
	(void)target; \
	return parse_edit(what, value); \
}
PARSE_EDIT(parse_insert, PP_EDIT_INSERT)
PARSE_EDIT(parse_splice, PP_EDIT_SPLICE)
PARSE_EDIT(parse_zero, PP_EDIT_ZERO)
PARSE_EDIT(parse_drop, PP_EDIT_DROP)

static const char *parse_cut(void *target, const char *value)
{
	(void)target;
	return add_edit(PP_EDIT_CUT, 0, strcmp(value, "any") ? value : NULL);
}

static const char *parse_keep(void *target, const char *value)
{
	damaging = true;
	return cli_size(target, value);
}

static const char *parse_flip(void *target, const char *value)
{
	char *end;

	damaging = true;
	*(double *)target = strtod(value, &end);
	return end == value || *end || !(*(double *)target >= 0 && *(double *)target <= 1) ?
	       "is not a probability from 0 to 1" : NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-gen --samples 1e5 --callchain 12 -o test.pipe",
		    "a large stream with call chains"),
	OPT_EXAMPLE("pp-gen -i test.pipe --damage --seed 7 -o bad.pipe",
		    "the same with one damage, chosen by the seed"),
	OPT_GROUP("How much"),
	OPT_CALL(0, "samples", "COUNT", &shape.samples, parse_count,
		 "samples, such as 1e6 (default: 1000)"),
	OPT_CALL(0, "duration", "SPAN", &shape.duration, parse_span,
		 "time covered, in seconds or as 5ms (default: 1000 samples a second and CPU)"),
	OPT_CALL(0, "events", "COUNT", &shape.events, parse_few,
		 "events other than tracepoints (default: 1)"),
	OPT_CALL(0, "tracepoints", "COUNT", &shape.tracepoints, parse_few,
		 "tracepoints, with raw data and their formats (default: 0)"),
	OPT_CALL(0, "cpus", "COUNT", &shape.cpus, parse_few, "CPUs (default: 2)"),
	OPT_GROUP("Processes"),
	OPT_CALL(0, "pids", "COUNT", &shape.processes, parse_few, "processes (default: 4)"),
	OPT_CALL(0, "threads", "COUNT", &shape.threads, parse_few,
		 "threads of each process (default: 1)"),
	OPT_CALL(0, "mmaps", "COUNT", &shape.maps, parse_few,
		 "files that each process maps (default: 3)"),
	OPT_CALL(0, "forks", "COUNT", &shape.forks, parse_few,
		 "COUNT of the processes begin during the recording (default: 0)"),
	OPT_CALL(0, "exits", "COUNT", &shape.exits, parse_few, "COUNT of them end (default: 0)"),
	OPT_CALL(0, "comms", "COUNT", &shape.renames, parse_few, "changes of a name (default: 0)"),
	OPT_CALL(0, "lost", "COUNT", &shape.losses, parse_few, "LOST records (default: 0)"),
	OPT_GROUP("What a sample holds"),
	OPT_CALL(0, "sample-type", "LIST", &shape.sample_type, parse_sample_type,
		 "these fields; +LIST: more, -LIST: less (default: "
		 "identifier,ip,tid,time,cpu,period)"),
	OPT_CALL(0, "callchain", "COUNT", &shape.callchain, parse_callchain,
		 "a call chain of up to COUNT addresses"),
	OPT_CALL(0, "raw", "BYTES", &shape.raw, parse_raw, "raw data of BYTES bytes"),
	OPT_CALL(0, "stack", "BYTES", &shape.stack, parse_stack, "BYTES bytes of the user's stack"),
	OPT_CALL(0, "branches", "COUNT", &shape.branches, parse_branches,
		 "the last COUNT branches"),
	OPT_GROUP("How it is written"),
	OPT_CALL(0, "rounds", "COUNT", &shape.rounds, parse_count,
		 "rounds; 0: none (default: one for 1000 samples, 4 or more)"),
	OPT_CALL(0, "disorder", "SPAN", &shape.disorder, parse_span,
		 "samples come late by up to SPAN, as far as rounds allow (default: 0)"),
	OPT_CALL(0, "break-rounds", NULL, &shape.break_rounds, parse_shape_switch,
		 "from the third round on, one sample of each comes too late"),
	OPT_COMPRESS(&shape.level, parse_level),
	OPT_CALL(0, "big-endian", NULL, &shape.big_endian, parse_shape_switch,
		 "write a big-endian stream"),
	OPT_GROUP("Damage to a stream that is read"),
	OPT_INPUT,
	OPT_SWITCH(0, "damage", &damaging,
		   "damage it once, as the seed or other options choose"),
	OPT_CALL(0, "flip", "P", &harm.flip, parse_flip, "change each byte with probability P"),
	OPT_CALL(0, "cut", "PLACE", NULL, parse_cut,
		 "end it at PLACE: a byte, -BYTES from the end, a fraction such as 0.5, or any"),
	OPT_CALL(0, "drop", "SIZE[@PLACE]", NULL, parse_drop,
		 "leave out SIZE bytes, at PLACE or anywhere"),
	OPT_CALL(0, "zero", "SIZE[@PLACE]", NULL, parse_zero, "make SIZE bytes zero"),
	OPT_CALL(0, "insert", "SIZE[@PLACE]", NULL, parse_insert, "insert SIZE random bytes"),
	OPT_CALL(0, "splice", "SIZE[@PLACE]", NULL, parse_splice,
		 "insert SIZE bytes from elsewhere in it"),
	OPT_CALL(0, "keep", "SIZE", &harm.keep, parse_keep,
		 "do not damage the first SIZE bytes unless a PLACE is given (default: 16, the "
		 "header)"),
	OPT_GROUP("Chance"),
	OPT_U64(0, "seed", "NUMBER", &shape.seed,
		"the same NUMBER makes the same choices (default: 1)"),
	OPT_COMMON_SOURCE,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-gen",
	.summary = "Generate a stream, or damage one",
	.purpose = "Makes input for tests of programs that read perf streams, also input that "
		   "they must refuse.",
	.operands = "",
	.options = options,
	.status = "Exit status: 0 done, 2 misuse, 4 system error (I/O, permission, memory).",
	.details = "With -i or an option for damage, a stream is read; otherwise one is "
		   "generated.\n",
};

/* ---- the input, in a file so that its length is known ---- */

struct gen_input {
	int fd;
	off_t start;
	uint64_t size;
};

static void __attribute__((noreturn))
cannot(const char *verb, const char *path, const char *standard)
{
	cli_die_os("cannot %s %s", verb, path ? path : standard);
}

static void write_all(int fd, const void *data, size_t size, const char *path)
{
	const uint8_t *from = data;

	while (size) {
		const ssize_t n = write(fd, from, size);

		if (n < 0 && pp_try_again(fd, POLLOUT))
			continue;
		if (n < 0)
			cannot("write", path, "standard output");
		from += n;
		size -= (size_t)n;
	}
}

static int temporary(void)
{
	const char *const folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/pp-gen-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		cannot("write", path, NULL);
	if (unlink(path))
		cannot("remove", path, NULL);
	return fd;
}

/* Copies a pipe to a file without a name. */
static int spool(int from)
{
	const int to = temporary();
	uint8_t *const buffer = malloc(BUFFER);
	ssize_t n;

	if (!buffer)
		cli_no_memory();
	while ((n = read(from, buffer, BUFFER)) != 0) {
		if (n > 0)
			write_all(to, buffer, (size_t)n, "a temporary file");
		else if (!pp_try_again(from, POLLIN))
			cannot("read", common.input, "standard input");
	}
	free(buffer);
	return to;
}

static void open_input(struct gen_input *in)
{
	struct stat st;

	in->fd = common.input ? open(common.input, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0 || fstat(in->fd, &st))
		cannot("read", common.input, "standard input");
	in->start = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : 0;
	if (in->start < 0)
		cannot("read", common.input, "standard input");
	if (!S_ISREG(st.st_mode)) {
		in->fd = spool(in->fd);
		if (fstat(in->fd, &st))
			cannot("read", "a temporary file", NULL);
	}
	in->size = st.st_size > in->start ? (uint64_t)(st.st_size - in->start) : 0;
}

/* ---- what is done to it ---- */

static void __attribute__((noreturn)) die(const struct pp_error *error)
{
	char text[512];

	errno = error->os;
	if (error->output)
		cannot("write", common.output, "standard output");
	if (error->code == PP_E_IO)
		cannot("read", common.input, "standard input");
	cli_error_text(error, text, sizeof(text));
	if (pp_error_status(error) == EXIT_MISUSE)
		cli_misuse("%s", error->detail[0] ? cli_cured(error).detail : text);
	cli_die(EXIT_SYSTEM, "%s", text);
}

static void note_damage(void)
{
	for (size_t i = 0; i < harm.n_edits; i++) {
		const struct pp_edit *const e = &edits[i];

		if (e->what == PP_EDIT_CUT)
			cli_note("cut at byte %llu", (unsigned long long)e->at);
		else
			cli_note("%s %llu bytes at byte %llu", edit_names[e->what],
				 (unsigned long long)e->size, (unsigned long long)e->at);
	}
	if (harm.flip > 0)
		cli_note("changed %llu bytes", (unsigned long long)harm.changed);
}

static void damage(void)
{
	struct pp_error error = { .code = PP_OK };
	struct gen_input in;
	int out;

	if (!common.input)
		cli_refuse_terminal_input(STDIN_FILENO);
	if (!common.output)
		cli_refuse_terminal(STDOUT_FILENO);
	out = output_open(common.output, false);
	cli_refuse_terminal(out);
	open_input(&in);
	harm.seed = shape.seed;
	if (!harm.n_edits && !(harm.flip > 0))
		pp_damage_choose(&harm, in.size);
	if (pp_damage_plan(&harm, in.size, &error) ||
	    pp_damage(&harm, in.fd, in.start, in.size, out, &error))
		die(&error);
	note_damage();
	output_close(EXIT_DONE);
}

/* ---- a stream ---- */

static void generate(void)
{
	struct pp_generate_stats stats = { 0 };
	const struct progress line = { .records = &stats.records, .bytes = &stats.bytes,
				       .samples = &stats.samples };
	struct pp_error error = { .code = PP_OK };
	int fd;

	if (!common.output)
		cli_refuse_terminal(STDOUT_FILENO);
	shape.no_seal = common.no_seal;
	fd = output_open(common.output, false);
	cli_refuse_terminal(fd);
	pp_enlarge_pipe(fd);
	progress_start(&line);
	if (pp_generate(&shape, fd, &stats, &error)) {
		die(&error);
	}
	progress_stop();
	cli_note("%llu record%s, %llu sample%s, %llu bytes", (unsigned long long)stats.records,
		 stats.records == 1 ? "" : "s", (unsigned long long)stats.samples,
		 stats.samples == 1 ? "" : "s", (unsigned long long)stats.bytes);
	output_close(EXIT_DONE);
}

int main(int argc, char **argv)
{
	(void)cli_parse(&tool, argc, argv);
	damaging |= common.input != NULL;
	if (damaging && shaped)
		cli_misuse("a stream is either generated or damaged: one that is read already has "
			   "its shape");
	if (damaging)
		damage();
	else
		generate();
	return EXIT_DONE;
}
