/* pp-flame.c - draws a flame graph of a stream or of folded stacks, as a page or as an SVG. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/stream_to_profile.h"
#include "cli/output.h"

static bool svg, icicle;
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
	OPT_STRING(0, "diff", "FILE", &before, "show what changed since FILE, a stream or folded stacks"),
	OPT_SWITCH(0, "reverse", &stacks_options.fold.reversed,
		   "begin at the innermost frames: who calls them"),
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

/* What is read: one, or two that are compared, the older first. */
static struct flame_input {
	const char *path;             /* NULL: standard input */
	enum pp_profile_side side;
	bool text;
	uint64_t lines, stacks, wrong;      /* of text */
} inputs[PP_PROFILE_SIDES];

/* The only input, as long as all of its lines have two weights: then it is a difference. */
static struct pp_profile *pairs;

static const char *name_of(const struct flame_input *in)
{
	return in->path ? in->path : "standard input";
}

/* ---- folded stacks ---- */

static void note_pair(const char *line, size_t length)
{
	struct pp_error error;

	if (pp_profile_read_folded(pairs, line, length, PP_PROFILE_SIDES, stacks_options.fold.reversed,
				   &error) >= 0)
		return;
	if (error.code == PP_E_NOMEM)
		cli_no_memory();
	pp_profile_free(pairs);
	pairs = NULL;
}

static void note_line(struct flame_input *in, const char *line, size_t length)
{
	struct pp_error error;

	in->lines++;
	if (pairs)
		note_pair(line, length);
	if ((pairs && stacks_bound(pairs, &error)) || stacks_bound(stacks_profile(), &error))
		cli_no_memory();
	switch (pp_profile_read_folded(stacks_profile(), line, length, in->side, stacks_options.fold.reversed,
				       &error)) {
	case 1:
		in->stacks++;
		break;
	case -1:
		if (error.code == PP_E_NOMEM)
			cli_no_memory();
		if (!in->wrong++)
			cli_warn("%s: line %llu: %s", name_of(in), (unsigned long long)in->lines,
				 error.detail);
		break;
	}
}

/* What it means for the exit status. */
static int read_text(struct flame_input *in)
{
	FILE *const f = in->path ? fopen(in->path, "re") : stdin;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!f)
		cli_die_os("cannot open %s", name_of(in));
	if (!before && !stacks_options.in_order && !(pairs = pp_profile_new()))
		cli_no_memory();
	if (!stacks_profile())
		cli_no_memory();
	while (errno = 0, length = getline(&line, &room, f), !ferror(f) && length >= 0)
		note_line(in, line, line[length - 1] == '\n' ? (size_t)length - 1 : (size_t)length);
	if (ferror(f))
		cli_die_os("cannot read %s", name_of(in));
	if (errno == ENOMEM)
		cli_no_memory();
	free(line);
	if (f != stdin)
		fclose(f);
	if (in->wrong)
		cli_say("%s: %llu of %llu lines are no stacks", name_of(in), (unsigned long long)in->wrong,
			(unsigned long long)in->lines);
	else if (!in->stacks)
		cli_say("%s: there are no stacks in it", name_of(in));
	return in->wrong || !in->stacks ? EXIT_DAMAGED : EXIT_DONE;
}

/* ---- drawing ---- */

static struct pp_heat *heat;

/* What a sample weighs, about, where all that is drawn are samples. */
static uint64_t grain(const struct pp_profile *profile)
{
	const uint64_t samples = stacks_samples();
	uint64_t sum = 0;

	for (unsigned i = 0; i < PP_PROFILE_SIDES && samples; i++) {
		if (inputs[i].text)
			return 0;
		sum += pp_profile_total(profile, i) / samples;
	}
	return sum;
}

/* A heat map that was left out since it would have had `seconds`, and how there can be one. */
static void say_too_long(uint64_t seconds)
{
	const uint64_t fit = PP_HEAT_SPANS / seconds;

	if (fit)
		cli_warn("the samples are spread over %llu s: no heat map, which needs --rows=%llu or less",
			 (unsigned long long)seconds, (unsigned long long)fit);
	else
		cli_warn("the samples are spread over %llu s or more: no heat map; pp-filter --time takes "
			 "a part of them", (unsigned long long)seconds);
}

static int draw(struct pp_out *out, struct pp_error *error)
{
	struct pp_profile *const profile = pairs ? pairs : stacks_profile();
	const struct pp_flame_options how = {
		.size = sizeof(how), .title = title, .unit = unit ? unit : stacks_unit(),
		.width = (double)width, .icicle = icicle, .as_made = stacks_options.in_order,
		.grain = grain(profile), .heat = heat,
	};
	struct pp_flame_stats stats = { 0 };

	if ((svg ? pp_flame_svg : pp_flame_html)(profile, &how, out, &stats, error))
		return -1;
	stacks_say_losses(profile);
	if (stats.left_out)
		cli_warn("%llu frame%s narrower than 0.1 pixel and %s left out",
			 (unsigned long long)stats.left_out, stats.left_out == 1 ? " is" : "s are",
			 stats.left_out == 1 ? "is" : "are");
	if (stats.heat_seconds)
		say_too_long(stats.heat_seconds);
	return 0;
}

static int draw_text(unsigned n)
{
	const int fd = output_open(common.output, false);
	struct pp_error error;
	struct pp_out out;
	int status = EXIT_DONE;

	if (pp_out_open(&out, fd))
		cli_no_memory();
	for (unsigned i = 0; i < n; i++)
		status |= read_text(&inputs[i]);
	if (draw(&out, &error))
		cli_no_memory();
	if (pp_out_close(&out))
		output_failed(out.os);
	output_close(status);
	return status;
}

/* ---- streams ---- */

static struct flame_input *streamed, *other;

static int start_other(struct run *run)
{
	stacks_options.fold.side = other->side;
	return stacks_start(run, NULL);
}

static int end_other(struct run *run)
{
	const int failed = stacks_end(run);

	stacks_close();
	return failed;
}

#define SINK(Start, End) { \
	.start = Start, .early = stacks_early, .record = stacks_record, .end = End, .time_order = true, \
	.chains = true, .late = ": their names may be those of another time" }

/* What is compared with what the run reads. */
static int read_other(struct run *run)
{
	static const struct sink sink = SINK(start_other, end_other);
	int status;

	if (!other->text)
		return run_other(run, other->path, &sink);
	status = read_text(other);
	run->status = run->status < status ? status : run->status;
	return 0;
}

static int start(struct run *run)
{
	if (other && read_other(run))
		return -1;
	if (!other && rows && !svg && !(heat = pp_heat_new((unsigned)rows)))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	stacks_options.fold.side = streamed->side;
	return stacks_start(run, heat);
}

static int end(struct run *run)
{
	return stacks_end(run) || draw(run->text, &run->error) ? -1 : 0;
}

static int draw_stream(void)
{
	static const struct sink sink = SINK(start, end);

	/* what is compared is coloured by that, and text does not tell kinds */
	stacks_options.fold.kinds = !other;
	stacks_options.fold.tid |= stacks_options.in_order;
	common.input = streamed->path;
	return run_sink(&tool, &sink);
}

/* ---- which it is ---- */

/* The first bytes of what is read, as far as they are there; of a pipe they are looked at without being
 * taken. */
static size_t peek(const struct flame_input *in, int fd, char *head, size_t size)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	const bool pipe = at < 0;
	int copy[2] = { -1, -1 };
	ssize_t got;

	if (pipe && (errno != ESPIPE || pipe2(copy, O_CLOEXEC)))
		cli_die_os("%s: cannot read", name_of(in));
	do
		got = pipe ? tee(fd, copy[1], size, 0) : pread(fd, head, size, at);
	while (got < 0 && pp_try_again(fd, POLLIN));
	for (ssize_t taken = 0, n; pipe && taken < got; taken += n > 0 ? n : 0) {
		n = read(copy[0], head + taken, (size_t)(got - taken));
		if (n < 0 && !pp_try_again(copy[0], POLLIN))
			got = -1;
	}
	if (got < 0 && errno != EINVAL)
		cli_die_os("%s: cannot read", name_of(in));
	if (pipe) {
		close(copy[0]);
		close(copy[1]);
	}
	return got > 0 ? (size_t)got : 0;
}

/* Whether it is no recording. */
static bool is_text(const struct flame_input *in)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "\x28\xb5\x2f\xfd" };
	const int fd = in->path ? open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	struct stat st;
	char head[8];
	size_t got;

	if (fd < 0)
		cli_die_os("%s: cannot open", name_of(in));
	if (fstat(fd, &st))
		cli_die_os("%s: cannot read", name_of(in));
	got = S_ISDIR(st.st_mode) ? 0 : peek(in, fd, head, sizeof(head));
	if (in->path)
		close(fd);
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics) && got > 0; i++) {
		const size_t length = strlen(magics[i]);

		if (!memcmp(head, magics[i], length < got ? length : got))
			return false;
	}
	if (memchr(head, 0, got))
		cli_die(EXIT_DAMAGED, "%s: is neither a recording nor folded stacks", name_of(in));
	return got > 0;
}

static void take_input(struct flame_input *in, const char *path, enum pp_profile_side side)
{
	in->path = path && strcmp(path, "-") ? path : NULL;
	in->side = side;
	in->text = is_text(in);
}

int main(int argc, char **argv)
{
	const unsigned last = (cli_parse(&tool, argc, argv), before != NULL);
	int status;

	if (stacks_options.in_order && (before || stacks_options.fold.reversed))
		cli_misuse("--chart shows what came after what: not with --%s", before ? "diff" : "reverse");
	if (before && !strcmp(before, "-") && !common.input)
		cli_misuse("--diff -: standard input cannot be both sides");
	if (before)
		take_input(&inputs[0], before, PP_PROFILE_FIRST);
	take_input(&inputs[last], common.input, last ? PP_PROFILE_SECOND : PP_PROFILE_FIRST);
	streamed = !inputs[last].text ? &inputs[last] : last && !inputs[0].text ? &inputs[0] : NULL;
	other = last ? &inputs[streamed == inputs] : NULL;
	status = streamed ? draw_stream() : draw_text(last + 1);
	stacks_free();
	pp_profile_free(pairs);
	pp_heat_free(heat);
	return status;
}
