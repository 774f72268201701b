/* pp-flame.c - draws a flame graph of a stream or of text of stacks, as a page or as an SVG. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff/renames.h"
#include "fold/facts.h"
#include "flame/live.h"
#include "flame/many_runs.h"
#include "fold/marks.h"
#include "flame/partners.h"
#include "fold/stream_to_profile.h"
#include "fold/text_input.h"
#include "shared/preload_names.h"
#include "cli/output.h"

static bool svg, icicle, flame, whole, chart, reverse, by_program, by_thread;
static const char *title, *unit, *before;
static uint64_t width = 1200, every;
static enum pp_flame_by by;

static const char *parse_by(void *target, const char *value)
{
	static const char *const names[] = {
		[PP_FLAME_BY_SHARES] = "shares", [PP_FLAME_BY_TIME] = "time", [PP_FLAME_BY_COUNT] = "count",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i])) {
			*(enum pp_flame_by *)target = i;
			return NULL;
		}
	return "is not shares, time or count";
}

static const char *parse_width(void *target, const char *value)
{
	const char *const wrong = cli_u64(target, value);

	if (wrong)
		return wrong;
	return *(uint64_t *)target < 100 || *(uint64_t *)target > 20000 ?
		       "is not between 100 and 20000" : NULL;
}

static const char *parse_every(void *target, const char *value)
{
	const char *const wrong = cli_time(target, value);

	return wrong ? wrong : *(uint64_t *)target < 10000000 ? "is less than 10 ms" : NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a -g -- sleep 10 | pp-flame -o flame.html",
		    "what this machine does for ten seconds"),
	OPT_EXAMPLE("pp-flame --diff old/*.pipe -- new/*.pipe -o diff.html",
		    "what a change made slower, and what faster; several recordings tell it from noise"),
	OPT_EXAMPLE("pp-record -a -g | pp-flame --every 5s -o live.html",
		    "what it does now: a page that offers to reload itself"),
	OPT_GROUP("What to draw"),
	OPT_SWITCH(0, "chart", &chart,
		   "draw a flame chart: each thread's stacks in the order of time"),
	OPT_STRING(0, "diff", "FILE", &before, "show what changed since FILE, a stream or text of stacks"),
	OPT_CALL(0, "diff-by", "shares|time|count", &by, parse_by,
		 "compare shares of each side, what it weighs a second, or weights as they are "
		 "(default: shares)"),
	OPT_RENAMES("count stacks that begin with OLD, a program, as those of NEW; may be repeated",
		    "leave out the program that stacks begin with"),
	OPT_SWITCH(0, "no-map", &partners_options.no_map,
		   "do not compare a program that has another name since FILE with what it was"),
	OPT_SWITCH(0, "reverse", &reverse,
		   "begin at the innermost frames: who calls them"),
	OPT_SWITCH(0, "icicle", &icicle, "put the outermost frames on top, as a page does by itself"),
	OPT_SWITCH(0, "flame", &flame, "put the outermost frames at the bottom, as an SVG does by itself"),
	OPT_STACKS,
	OPT_GROUP("How to write it"),
	OPT_SWITCH(0, "svg", &svg, "write an SVG rather than a page"),
	OPT_STRING(0, "title", "TEXT", &title,
		   "write TEXT above it (default: the command that was recorded)"),
	OPT_STRING(0, "unit", "TEXT", &unit,
		   "what the weights are, in the plural (default: samples, or the event)"),
	OPT_CALL(0, "every", "TIME", &every, parse_every,
		 "write it anew every TIME, such as 5s, while a stream comes"),
	OPT_SWITCH(0, "whole", &whole, "keep all times, however large that makes the page"),
	OPT_CALL(0, "width", "PIXELS", &width, parse_width, "how wide an SVG is (default: 1200)"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-flame",
	.summary = "Draw a stream, or text of stacks, as a flame graph",
	.purpose = "Makes one page, which any browser opens: the width of a bar is the time that "
		   "its function and all that it called took.",
	.operands = "[FILE...] [--] [FILE...]",
	.two_sides = true,
	.two_sides_with = &before,
	.options = options,
};

/* What is read: one, or two that are compared, the older first. */
static struct text_input inputs[PP_PROFILE_SIDES];
/* The input that is a stream, and the one that it is compared with; NULL: there is none. */
static struct text_input *streamed, *other;
static bool many;                /* several recordings of a side, instead */

/* ---- drawing ---- */

static struct pp_flame_facts facts[STACKS_EVENTS];      /* of the events of a stream */
static bool again;               /* what is drawn is not the last */
static bool page_of_stream;           /* which has times, and all events of the stream */

/* What a sample weighs, about, where all that is drawn are samples. */
static uint64_t grain(const struct pp_profile *profile, uint64_t samples)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PP_PROFILE_SIDES && samples; i++) {
		if (inputs[i].text && !inputs[i].script)
			return 0;
		sum += pp_profile_total(profile, i) / samples;
	}
	return sum;
}

static void say_left_out(uint64_t frames)
{
	if (frames == 1)
		cli_warn("1 frame is too light to be seen, and is left out");
	else if (frames)
		cli_warn("%" PRIu64 " frames are too light to be seen, and are left out", frames);
}

/* Of two recordings only what their weights are is the same; a unit that is given is no time. */
static const struct pp_flame_facts *take_facts(size_t place, const char *event, uint64_t samples)
{
	struct pp_flame_facts *const f = &facts[place];
	bool same;

	facts_of(f, event, stacks_options.fold.weight, samples);
	same = !other || (!other->text && f->event && !strcmp(stacks_unit(), f->event));
	if (other)
		*f = (struct pp_flame_facts){ .waits = f->waits, .between = f->between, .times = f->times };
	f->times &= same && !unit;
	return f;
}

/* The events of a page but the first. */
static size_t other_events(const struct stacks_event **events, struct pp_flame_event more[STACKS_EVENTS])
{
	size_t n = 0;

	*events = page_of_stream ? stacks_events(&n) : NULL;
	for (size_t i = 1; i < n; i++) {
		const struct stacks_event *const e = &(*events)[i];

		more[i - 1] = (struct pp_flame_event){
			.profile = e->profile, .fold = e->fold, .cells = e->cells,
			.facts = take_facts(i, e->name, e->samples),
			.unit = unit ? unit : stacks_unit_of(e->name), .grain = grain(e->profile, e->samples),
		};
	}
	return n ? n - 1 : 0;
}

static int draw(struct pp_out *out, struct pp_error *error)
{
	struct pp_flame_event more[STACKS_EVENTS];
	const struct stacks_event *events;
	const size_t n_more = other_events(&events, more);
	struct pp_profile *const profile = events ? events->profile : text_input_profile();
	const struct stacks_event *const first = stacks_before();
	size_t n = 0;
	const struct stacks_event *const second = first ? stacks_events(&n) : NULL;
	struct pp_flame_options how = {
		.size = sizeof(how), .title = title, .unit = unit ? unit : stacks_unit(),
		.width = (double)width, .icicle = icicle, .flame = flame, .as_made = stacks_options.in_order,
		.grain = grain(profile, events ? events->samples : stacks_samples()),
		.facts = streamed || many ? facts : NULL,
		.fold = stacks_options.fold.objects ? stacks_fold() : NULL,
		.cells = events ? events->cells : first ? first->cells : NULL,
		.reverse = reverse, .chart = chart, .by_program = by_program, .by_thread = by_thread,
		.whole = whole, .every = again ? every : 0, .more = more, .n_more = n_more, .by = by,
		.durations = { stacks_duration(PP_PROFILE_FIRST), stacks_duration(PP_PROFILE_SECOND) },
		.after = second ? second->cells : NULL,
		.threads = { first ? first->fold : NULL, second ? second->fold : NULL },
		.apart = true,
	};
	struct pp_flame_stats stats = { 0 };

	if (many && many_runs_settle(error))
		return -1;
	if (!stacks_options.fold.reversed && !stacks_options.in_order &&
	    partners_join(profile, how.cells, error))
		return -1;
	facts[0].partners = partners_words();
	if (facts[0].partners)
		how.facts = facts;
	if (many && many_runs_judge(profile, &how, error))
		return -1;
	if (by == PP_FLAME_BY_TIME && (!how.durations[0] || !how.durations[1]))
		return pp_fail(error, PP_E_USE,
			       "--diff-by=time: samples have no times, or all have the same");
	how.renames = partners_renames(&how.n_renames);
	if ((svg ? pp_flame_svg : pp_flame_html)(profile, &how, out, &stats, error))
		return -1;
	stacks_say_losses(profile);
	say_left_out(stats.left_out);
	return 0;
}

static int draw_text(unsigned n)
{
	const int fd = output_open(common.output, false);
	struct pp_error error;
	struct pp_out out;
	int status = EXIT_DONE;

	cli_refuse_terminal_page(fd);
	if (pp_out_open(&out, fd))
		cli_no_memory();
	stacks_options.fold.kinds = n == 1;
	stacks_options.fold.tid |= stacks_options.in_order;
	if (!svg)
		pp_flame_load();
	text_confine(!svg);
	for (unsigned i = 0; i < n; i++)
		status |= text_input_read(&inputs[i], n == 1);
	if (draw(&out, &error))
		cli_no_memory();
	if (pp_out_close(&out))
		output_failed(out.os);
	output_close(status);
	return status;
}

/* ---- streams ---- */

static int start_other(struct run *run)
{
	stacks_options.fold.side = other->side;
	return stacks_start(run, !svg);
}

static int end_other(struct run *run)
{
	const int failed = stacks_end(run);

	stacks_close();
	return failed;
}

#define SINK(Start, Early, Record, End, Flush) { \
	.start = Start, .early = Early, .record = Record, .end = End, .flush = Flush, \
	.time_order = true, .asks = true, .opened = open_other, \
	.chains = &stacks_options.symbols, .shares = true, \
	.late = ": their names may be those of another time" }

/* What is compared with what the run reads. */
static int open_other(struct run *run)
{
	static const struct sink sink = SINK(start_other, stacks_early, stacks_record, end_other, NULL);

	return other && !other->text ? run_open_other(run, other->path, &sink) : 0;
}

static int read_other(struct run *run)
{
	int status;

	if (!other->text)
		return run_other(run);
	status = text_input_read(other, false);
	run->status = run->status < status ? status : run->status;
	return 0;
}

static int draw_all(struct run *run, struct pp_out *out)
{
	const struct stacks_event *e;
	size_t n;

	if (stacks_end(run))
		return -1;
	e = stacks_events(&n);
	facts_end(run);
	(void)take_facts(0, stacks_event(), page_of_stream ? e->samples : stacks_samples());
	return draw(out, &run->error);
}

static int draw_again(struct run *run, struct pp_out *out)
{
	again = true;
	return draw_all(run, out);
}

static int start(struct run *run)
{
	cli_refuse_terminal_page(run->fd);
	if (other && read_other(run))
		return -1;
	page_of_stream = !other && !svg;
	stacks_options.fold.side = streamed->side;
	if (every)
		live_start(every, draw_again);
	return page_of_stream ? stacks_start_events(run) :
				stacks_start(run, other && !other->text && !svg);
}

static int early(struct run *run, const struct pp_record *rec)
{
	/* neither looks at others */
	if (rec->type != PP_REC_FINISHED_ROUND)
		return 0;
	marks_early(run, rec);
	return stacks_early(run, rec);
}

static int record_live(struct run *run, struct pp_record *rec)
{
	if (stacks_record(run, rec))
		return -1;
	live_note(run);
	return 0;
}

static int record(struct run *run, struct pp_record *rec)
{
	facts_note(rec);
	return every ? record_live(run, rec) : stacks_record(run, rec);
}

static int flush(struct run *run)
{
	if (every)
		live_wait(run);
	return 0;
}

static int end(struct run *run)
{
	live_end();
	return draw_all(run, run->text);
}

static int draw_stream(void)
{
	struct sink sink = SINK(start, early, record, end, flush);

	names_start(&stacks_options.symbols, true);
	if (!svg)
		pp_flame_load();
	/* a process draws each page, and makes its file */
	sink.does = every ? PP_STAGE_REMAKES : 0;
	sink.threads = !svg;
	/* what is compared is coloured by that, and text does not tell kinds */
	stacks_options.fold.objects = !other;
	stacks_options.fold.tid |= stacks_options.in_order;
	common.input = streamed->path;
	return run_sink(&tool, &sink);
}

/* ---- several recordings of a side ---- */

static int begin_one(struct run *run)
{
	cli_refuse_terminal_page(run->fd);
	return many_runs_begin(run);
}

static int record_one(struct run *run, struct pp_record *rec)
{
	facts_note(rec);
	return stacks_record(run, rec);
}

static int end_one(struct run *run)
{
	const int failed = many_runs_end(run);

	stacks_close();
	return failed;
}

/* All of them have the same event; all else is one recording's own. */
static int end_many(struct run *run)
{
	struct pp_flame_facts last;

	if (many_runs_end(run))
		return -1;
	/* the system ended one of them: what was read until then is no recording */
	if (run->status == EXIT_SYSTEM)
		return 0;
	facts_of(&last, stacks_event(), stacks_options.fold.weight, 0);
	facts[0] = (struct pp_flame_facts){ .waits = last.waits, .between = last.between,
					    .times = last.times && !unit };
	return draw(run->text, &run->error);
}

#define ONE_OF_MANY(Start, End) { \
	.start = Start, .early = early, .record = record_one, .end = End, .time_order = true, .opens = true, \
	.chains = &stacks_options.symbols, .shares = true, .threads = !svg, \
	.late = ": their names may be those of another time" }

/* The run reads the last one; the others are read before. */
static int begin_many(struct run *run)
{
	const struct sink sink = ONE_OF_MANY(begin_one, end_one);

	cli_refuse_terminal_page(run->fd);
	for (size_t i = 0; i + 1 < many_runs_count(); i++)
		if (run_open_other(run, many_runs_path(i), &sink) || run_other(run))
			return -1;
	return many_runs_begin(run);
}

static int draw_many(void)
{
	const struct sink sink = ONE_OF_MANY(begin_many, end_many);

	if (every)
		cli_misuse("--every is for one stream: several recordings of a side are drawn at their end");
	if (!svg)
		pp_flame_load();
	return run_sink(&tool, &sink);
}

/* The operands of --diff are its value and those that follow. */
static void take_operands(size_t n, char **files)
{
	const bool parted = common.parted && common.n_before < n;
	const char **all;

	many = before && (n > 1 || (parted && common.n_before));
	if (!many && n > 1)
		cli_misuse("unexpected operand '%s'", files[1]);
	if (!many && n)
		cli_input(files[0]);
	if (!many)
		return;
	stacks_options.fold.reversed = reverse && svg;
	if (common.input)
		cli_misuse("--input names one recording, and --diff has several: name them without it");
	all = cli_grow(NULL, n + 1, sizeof(*all));
	all[0] = before;
	memcpy(all + 1, files, n * sizeof(*all));
	many_runs_take(all, n + 1, common.parted ? common.n_before + 1 : 0);
	common.input = all[n];
	free(all);
}

/* A page has all orders, and begins with one; a picture has one. */
static void choose_order(void)
{
	struct pp_fold_options *const fold = &stacks_options.fold;

	stacks_options.in_order = chart && svg;
	fold->reversed = reverse && svg;
	if (fold->wakers && (stacks_options.in_order || fold->reversed))
		cli_misuse("--wakers goes on where stacks end: not with --%s --svg",
			   chart ? "chart" : "reverse");
	if (svg || other || !streamed)
		return;
	by_program = fold->pid;
	by_thread = fold->tid;
	fold->pid = fold->tid = false;
}

/* What stacks begin with is the page's to group by, where it is of one stream. */
static void check_partners(void)
{
	const char *const option = rename_options.no_comm ? "no-comm" : "map";

	if (stacks_options.fold.reversed || stacks_options.in_order)
		cli_misuse("--%s is about what stacks begin with: not with --%s", option, chart ? "chart" :
			   "reverse --svg");
	if (streamed && !other && !svg && !many)
		cli_misuse("--%s is for --diff, --svg and text: a page of one stream groups by program where "
			   "that is asked for", option);
}

/* What is read, where it is no more than one recording or text of each side. */
static void open_inputs(void)
{
	const unsigned last = before != NULL;

	if (before)
		text_input_open(&inputs[0], before, PP_PROFILE_FIRST);
	text_input_open(&inputs[last], common.input, last ? PP_PROFILE_SECOND : PP_PROFILE_FIRST);
	streamed = !inputs[last].text ? &inputs[last] : last && !inputs[0].text ? &inputs[0] : NULL;
	other = last ? &inputs[streamed == inputs] : NULL;
	if (by == PP_FLAME_BY_TIME && (inputs[0].text || inputs[1].text))
		cli_misuse("--diff-by=time: text of stacks has no times");
	if (chart && !svg && !streamed)
		cli_misuse("text of stacks is drawn by --chart with --svg alone");
	if (every && !streamed)
		cli_misuse("--every is for streams: text of stacks is drawn at its end");
	choose_order();
}

int main(int argc, char **argv)
{
	const int first = cli_parse(&tool, argc, argv);
	int status;

	if (flame && icicle)
		cli_misuse("--flame and --icicle are opposites");
	if (chart && (before || reverse))
		cli_misuse("--chart shows stacks in the order of time: not with --%s",
			   before ? "diff" : "reverse");
	if (by && !before)
		cli_misuse("--diff-by says how --diff compares: give that, too");
	take_operands((size_t)(argc - first), argv + first);
	if (before && !strcmp(before, "-") && !common.input)
		cli_misuse("--diff -: standard input cannot be both sides");
	if (before)
		shown_times_refuse("--diff");
	if (!many)
		open_inputs();
	if (!streamed)
		shown_times_refuse("text of stacks");
	if (renames_asked())
		check_partners();
	status = many ? draw_many() : streamed ? draw_stream() : draw_text(before ? 2 : 1);
	many_runs_free();
	stacks_free();
	names_end(&stacks_options.symbols);
	text_input_free();
	return status;
}
