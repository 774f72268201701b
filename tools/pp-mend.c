/* pp-mend.c - turns a damaged stream into a sound one. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "shared/run.h"

enum { SHOWN = 20 };	/* ranges that are reported, unless more are asked for */

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-mend broken.pipe -o good.pipe", "save what can be saved"),
	OPT_EXAMPLE("pp-mend killed.data | pp-report",
		    "show the recording of a perf that was killed"),
	OPT_GROUP("Common options"),
	OPT_INPUT,
	OPT_OUTPUT,
	OPT_VERBOSE("report all ranges that are lost, not only the first 20"),
	OPT_QUIET,
	OPT_PROGRESS,
	OPT_NO_VERIFY,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-mend",
	.summary = "Turn a damaged stream into a sound one",
	.purpose = "Leaves out what is broken, goes on with the next sound record, and reports "
		   "what is lost.",
	.operands = "[FILE]",
	.options = options,
	.status = "Exit status: 0 nothing is lost; 2 misuse; 3 something is lost, or the input is "
		  "no stream; 4 system error (I/O, permission, memory).",
};

static struct pp_mend_stats stats;
static uint64_t told;

/* ---- What is reported ---- */

static void found(void *arg, const struct pp_mended *r)
{
	char type[24], samples[64] = "", where[96];

	(void)arg;
	if (told++ >= SHOWN && !messages.verbose)
		return;
	if (r->samples)
		snprintf(samples, sizeof(samples), ", about %" PRIu64 " sample%s", r->samples,
			 cli_plural(r->samples));
	if (r->to == r->from)
		snprintf(where, sizeof(where), "at byte %" PRIu64, r->from);
	else
		snprintf(where, sizeof(where), "bytes %" PRIu64 " to %" PRIu64, r->from, r->to - 1);
	cli_warn("%s: %s%s%s%s: %s%s%s", stats.name, where, r->type ? " (" : "",
		 r->type ? pp_type_name(r->type, type) : "", r->type ? ")" : "", r->what,
		 cli_cure(r->hint), samples);
}

static int summarize(struct run *run)
{
	if (stats.repaired)
		cli_warn("%s: %" PRIu64 " COMPRESSED2 record%s of perf 6.16 to 7.1 put right", stats.name,
			 stats.repaired, cli_plural(stats.repaired));
	if (stats.rounds)
		cli_warn("%s: %" PRIu64 " round%s restored", stats.name, stats.rounds,
			 cli_plural(stats.rounds));
	if (stats.moved)
		cli_warn("%s: %" PRIu64 " event attribute%s came last: moved before the records that need %s",
			 stats.name, stats.moved, cli_plural(stats.moved), stats.moved == 1 ? "it" : "them");
	if (stats.events)
		cli_warn("%s: %" PRIu64 " event%s restored, as EVENT_DESC describes %s", stats.name,
			 stats.events, cli_plural(stats.events), stats.events == 1 ? "it" : "them");
	if (told > SHOWN && !messages.verbose)
		cli_warn("%s: and %" PRIu64 " more such places", stats.name, told - SHOWN);
	if (stats.container && strcmp(stats.container, "stream") && stats.changed)
		cli_warn("%s: the recording is unfinished or damaged: it is written as a stream",
			 stats.name);
	if (stats.flagged)
		cli_say("%s: damaged before it came here", stats.name);
	if (!stats.ranges && !stats.flagged) {
		cli_note("%s: nothing is lost: %" PRIu64 " record%s, %" PRIu64 " sample%s", stats.name,
			 stats.records, cli_plural(stats.records), stats.samples, cli_plural(stats.samples));
		return 0;
	}
	run->status = EXIT_DAMAGED;
	cli_say("%s: %" PRIu64 " place%s mended, %" PRIu64 " byte%s and about %" PRIu64 " sample%s lost, "
		"%" PRIu64 " sample%s saved", stats.name, stats.ranges, cli_plural(stats.ranges),
		stats.lost_bytes, cli_plural(stats.lost_bytes), stats.lost_samples,
		cli_plural(stats.lost_samples), stats.samples, cli_plural(stats.samples));
	return 0;
}

/* ---- Running ---- */

static void say(struct run *run, const struct pp_error *error)
{
	char text[512];

	(void)run;
	cli_error_text(error, text, sizeof(text));
	cli_say("%s: %s%s", stats.name, text, error->os == EISDIR ? "; pp-cat turns a folder of "
		"perf record --threads into a stream" : "");
}

/* One call of the library reads and writes all. */
static int mend(struct run *run)
{
	const struct pp_mend_options how = {
		.size = sizeof(how), .no_verify = common.no_verify, .found = found,
		.opened = run_opened, .arg = run,
	};

	*run->progress = (struct progress){
		.records = &stats.records, .bytes = &stats.bytes,
		.first = &stats.first_time, .last = &stats.last_time,
		.samples = &stats.samples, .lost = &stats.lost_samples,
	};
	return pp_mend(common.input, run->fd, &how, &stats, &run->error);
}

int main(int argc, char **argv)
{
	static const struct source source = {
		.start = mend, .end = summarize, .say = say, .reads = true, .bare = true,
	};

	cli_parse(&tool, argc, argv);
	return run_source(&tool, &source);
}
