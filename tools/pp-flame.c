/*
 * pp-flame.c - draws a flame graph of a stream or of folded stacks, as a page or as an SVG; what is drawn
 * where is left to the library.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/stacks.h"
#include "shared/output.h"

static bool svg, icicle, reverse;
static const char *title, *unit, *before;
static uint64_t width = 1200;
static int rows = 50;

static const char *parse_width(void *target, const char *value)
{
	const char *const wrong = cli_u64(target, value);

	if (wrong)
		return wrong;
	return *(uint64_t *)target < 100 || *(uint64_t *)target > 20000 ?
		       "is not between 100 and 20000" : NULL;
}

static const struct option_spec options[] = {
	OPT_GROUP("What to draw"),
	OPT_SWITCH(0, "chart", &stacks_options.in_order,
		   "what came after what: each thread's stacks in the order of time"),
	OPT_STRING(0, "diff", "FILE", &before, "show what changed since the stacks of FILE"),
	OPT_SWITCH(0, "reverse", &reverse, "begin at the innermost frames: who calls them"),
	OPT_SWITCH(0, "icicle", &icicle, "put the outermost frames on top"),
	OPT_INT(0, "rows", "N", &rows, 0, 1000,
		"divide each second of the heat map into N spans; 0: no heat map (default: 50)"),
	OPT_STACKS,
	OPT_GROUP("How to write it"),
	OPT_SWITCH(0, "svg", &svg, "write an SVG rather than a page"),
	OPT_STRING(0, "title", "TEXT", &title, "write TEXT above it (default: Flame graph)"),
	OPT_STRING(0, "unit", "TEXT", &unit,
		   "what the weights are, in the plural (default: samples, or the event)"),
	OPT_CALL(0, "width", "PIXELS", &width, parse_width, "how wide an SVG is (default: 1200)"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"),
	OPT_END
};

static const struct tool tool = {
	.name = "pp-flame",
	.summary = "Draw a stream, or folded stacks, as a flame graph",
	.operands = "[FILE]",
	.options = options,
};

/* A file of folded stacks on the way into a profile. */
struct input {
	const char *name;
	struct pp_profile *profile;
	enum pp_profile_side side;
	uint64_t lines, stacks, wrong;
};

static void note_line(struct input *in, const char *line, size_t length)
{
	struct pp_error error;

	in->lines++;
	switch (pp_profile_read_folded(in->profile, line, length, in->side, reverse, &error)) {
	case 1:
		in->stacks++;
		break;
	case -1:
		if (error.code == PP_E_NOMEM)
			cli_no_memory();
		if (!in->wrong++)
			cli_warn("%s: line %llu: %s", in->name, (unsigned long long)in->lines, error.detail);
		break;
	}
}

/* NULL or "-" is standard input. */
static FILE *open_stacks(struct input *in, const char *path)
{
	const bool is_file = path && strcmp(path, "-");
	FILE *const f = is_file ? fopen(path, "re") : stdin;

	in->name = is_file ? path : "standard input";
	if (!f)
		cli_die_os("cannot open %s", in->name);
	return f;
}

static void read_stacks(struct input *in, const char *path)
{
	FILE *const f = open_stacks(in, path);
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (errno = 0, length = getline(&line, &room, f), !ferror(f) && length >= 0)
		note_line(in, line, line[length - 1] == '\n' ? (size_t)length - 1 : (size_t)length);
	if (ferror(f))
		cli_die_os("cannot read %s", in->name);
	if (errno == ENOMEM)
		cli_no_memory();
	free(line);
	if (f != stdin)
		fclose(f);
	if (in->wrong)
		cli_say("%s: %llu of %llu lines are no stacks", in->name, (unsigned long long)in->wrong,
			(unsigned long long)in->lines);
	else if (!in->stacks)
		cli_say("%s: there are no stacks in it", in->name);
}

/* ---- drawing ---- */

static int draw(struct pp_profile *profile, struct pp_heat *heat, const char *weights, struct pp_out *out,
		struct pp_error *error)
{
	const struct pp_flame_options how = {
		.size = sizeof(how), .title = title, .unit = unit ? unit : weights, .width = (double)width,
		.icicle = icicle, .as_made = stacks_options.in_order, .heat = heat,
	};
	struct pp_flame_stats stats = { 0 };

	if ((svg ? pp_flame_svg : pp_flame_html)(profile, &how, out, &stats, error))
		return -1;
	if (stats.left_out)
		cli_warn("%llu frames are narrower than 0.1 pixel and are left out",
			 (unsigned long long)stats.left_out);
	return 0;
}

static int draw_folded(void)
{
	struct input first = { .profile = pp_profile_new() }, second;
	const int fd = output_open(common.output, false);
	struct pp_error error;
	struct pp_out out;
	int status = EXIT_DONE;

	if (!first.profile || pp_out_open(&out, fd))
		cli_no_memory();
	if (stacks_options.in_order)
		pp_profile_keep_order(first.profile);
	second = (struct input){ .profile = first.profile, .side = PP_PROFILE_SECOND };
	read_stacks(&first, before ? before : common.input);
	if (before)
		read_stacks(&second, common.input);
	if (draw(first.profile, NULL, "samples", &out, &error))
		cli_no_memory();
	if (pp_out_close(&out))
		output_failed(out.os);
	if (first.wrong || second.wrong || !first.stacks || (before && !second.stacks))
		status = EXIT_DAMAGED;
	output_close(status);
	pp_profile_free(first.profile);
	return status;
}

/* ---- a stream ---- */

static struct pp_heat *heat;

static int start(struct run *run)
{
	if (rows && !svg) {
		heat = pp_heat_new((unsigned)rows);
		if (!heat)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
	}
	stacks_options.fold.kinds = true;
	stacks_options.fold.tid |= stacks_options.in_order;
	return stacks_start(run, heat);
}

static int end(struct run *run)
{
	struct pp_profile *const profile = stacks_end(run);

	if (!profile)
		return -1;
	return draw(profile, heat, stacks_unit(), run->text, &run->error);
}

static int draw_stream(void)
{
	static const struct sink sink = {
		.start = start, .early = stacks_early, .record = stacks_record, .end = end,
		.time_order = true,
		.late = ": their names may be those of another time",
	};
	int status;

	if (before || reverse)
		cli_misuse("--%s needs folded stacks: pp-fold makes them", before ? "diff" : "reverse");
	status = run_sink(&tool, &sink);
	stacks_free();
	pp_heat_free(heat);
	return status;
}

static const char *input_name(void)
{
	return common.input ? common.input : "standard input";
}

/* The first bytes of what is read, as far as they are there; of a pipe they are looked at without being
 * taken. */
static size_t peek(int fd, char *head, size_t size)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	const bool pipe = at < 0;
	int copy[2] = { -1, -1 };
	ssize_t got;

	if (pipe && (errno != ESPIPE || pipe2(copy, O_CLOEXEC)))
		cli_die_os("%s: cannot read", input_name());
	do
		got = pipe ? tee(fd, copy[1], size, 0) : pread(fd, head, size, at);
	while (got < 0 && pp_try_again(fd, POLLIN));
	for (ssize_t taken = 0, n; pipe && taken < got; taken += n > 0 ? n : 0) {
		n = read(copy[0], head + taken, (size_t)(got - taken));
		if (n < 0 && !pp_try_again(copy[0], POLLIN))
			got = -1;
	}
	if (got < 0 && errno != EINVAL)
		cli_die_os("%s: cannot read", input_name());
	if (pipe) {
		close(copy[0]);
		close(copy[1]);
	}
	return got > 0 ? (size_t)got : 0;
}

/* Whether what is read is no recording. */
static bool is_text(void)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "\x28\xb5\x2f\xfd" };
	const bool is_file = common.input && strcmp(common.input, "-");
	const int fd = is_file ? open(common.input, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	struct stat st;
	char head[8];
	size_t got;

	if (fd < 0)
		cli_die_os("%s: cannot open", input_name());
	if (fstat(fd, &st))
		cli_die_os("%s: cannot read", input_name());
	got = S_ISDIR(st.st_mode) ? 0 : peek(fd, head, sizeof(head));
	if (is_file)
		close(fd);
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics) && got > 0; i++) {
		const size_t length = strlen(magics[i]);

		if (!memcmp(head, magics[i], length < got ? length : got))
			return false;
	}
	return got > 0;
}

int main(int argc, char **argv)
{
	cli_parse(&tool, argc, argv);
	if (stacks_options.in_order && (before || reverse))
		cli_misuse("--chart shows what came after what: not with --%s", before ? "diff" : "reverse");
	return is_text() ? draw_folded() : draw_stream();
}
