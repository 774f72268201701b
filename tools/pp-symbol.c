/*
 * pp-symbol.c - adds names of the addresses that samples hit: symbols, lines, inlined callers.
 *
 * Addresses are judged in time order, since maps are those of a time, and are looked up once all of a
 * round are known; their names are written before it: before the first sample in records of their own,
 * later in the round that is due there, and what is left at the end.  Looking up is libpipe's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shared/preload_names.h"
#include "shared/run.h"

static struct pp_symbols_options how = { .size = sizeof(how), .isolate = true };
static const char *demangle = "full";
static struct cli_list prefixes;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of what is held and mapped */

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a -g -- sleep 10 | pp-symbol -o web.pipe",
		    "record here, to read it anywhere"),
	OPT_EXAMPLE("pp-symbol --lines --root rootfs board.pipe -o named.pipe",
		    "name addresses from a copy of the machine's files"),
	OPT_SWITCH(0, "no-inline", &how.no_inline, "add no inlined callers"),
	OPT_SWITCH(0, "lines", &how.lines, "add source files and lines"),
	OPT_STRING(0, "demangle", "full|short|no", &demangle,
		   "how names are demangled; short: without parameters (default: full)"),
	OPT_LIST(0, "strip", "PREFIX", &prefixes,
		 "remove PREFIX from names of source files; may be repeated"),
	OPT_FOLDER(0, "root", "DIR", &how.root, "read files below DIR, and nothing of the running kernel"),
	OPT_SWITCH(0, "debuginfod", &how.debuginfod, "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE(0, "memory", "SIZE", &how.memory,
		 "keep at most SIZE bytes of what was read of files, and as many of names (default: 256M)"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records and maps (default: 256M)"),
	OPT_COMMON_FILTER, OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-symbol",
	.summary = "Add names of addresses to a stream",
	.purpose = "Run it on the machine that recorded: the stream can then be shown in words "
		   "anywhere, without the programs and libraries that ran.",
	.operands = "[FILE]",
	.options = options,
};

static struct {
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_names_waiting *waiting;
	bool ahead;                     /* all names of the input are known */
	bool timed, timed_now;          /* a record with a time was written; is about to be */
} state;

/* ---- addresses ---- */

static int want(void *arg, uint32_t pid, unsigned mode, const void *addresses, size_t n,
		struct pp_error *error)
{
	const int got = pp_symbols_want(state.symbols, pid, mode, addresses, n, error);

	(void)arg;
	return got > 0 ? pp_symbols_resolve(state.symbols, state.ahead, pp_names_waiting_put, state.waiting,
					    error) : got;
}

/* ---- records ---- */

/* What the stream says of names counts from when it is read. */
static int admit(struct run *run, struct pp_record *rec)
{
	if (rec->type == PP_REC_FINISHED_ROUND && pp_symbols_learn(state.symbols, rec, &run->error))
		run_report(run);
	return PP_KEEP;
}

static int judge(struct run *run, struct pp_record *rec)
{
	uint64_t time;

	if (pp_time(rec, &time) && time)
		state.timed_now = true;
	if (pp_symbols_hits(rec, want, NULL, &run->error))
		return -1;
	if (rec->type == PP_REC_SAMPLE || rec->type == PP_REC_FINISHED_ROUND)
		return PP_KEEP;
	return pp_tasks_note(state.tasks, rec, &run->error) ||
	       pp_symbols_note(state.symbols, rec, &run->error) ? -1 : PP_KEEP;
}

static int write_first(struct run *run)
{
	const void *record;
	size_t size;
	const int got = pp_names_waiting_next(state.waiting, &record, &size, &run->error);

	return got > 0 ? pp_writer_copy(run->out, record, size, &run->error) : got;
}

/* Adds to names that are there: a verdict on these. */
static int write_with(struct run *run, const struct pp_record *rec)
{
	const void *record;
	size_t size;
	const int got = pp_names_waiting_join(state.waiting, rec, &record, &size, &run->error);

	if (got <= 0)
		return got < 0 ? -1 : PP_KEEP;
	return pp_writer_copy(run->out, record, size, &run->error) ? -1 : PP_DROP;
}

static int write_all(struct run *run)
{
	while (pp_names_waiting_any(state.waiting))
		if (write_first(run))
			return -1;
	return 0;
}

/* Before the first sample there is room for all. */
static int judged(struct run *run)
{
	if (pp_symbols_resolve(state.symbols, state.ahead, pp_names_waiting_put, state.waiting, &run->error))
		return -1;
	if (!state.timed && write_all(run))
		return -1;
	state.timed |= state.timed_now;
	return 0;
}

/* A round that carries names is a round all the same; the next has the seal. */
static int round_due(struct run *run, const struct pp_record *rec)
{
	struct pp_seal seal;
	const bool sealed = pp_is_seal(rec, &seal);

	if (pp_is_names(rec))
		return write_with(run, rec);
	if (!pp_names_waiting_any(state.waiting) || (!sealed && rec->size != PP_HEADER_SIZE) ||
	    (sealed && (!seal.number || seal.flags & PP_SEAL_END)))
		return PP_KEEP;
	return write_first(run) ? -1 : PP_DROP;
}

/* ---- start and end ---- */

static int start(struct run *run)
{
	const int got = ahead_learn(run, state.symbols);

	state.ahead = got > 0;
	return got < 0 ? -1 : 0;
}

static int end(struct run *run)
{
	const struct pp_symbols_stats *const stats = pp_symbols_stats(state.symbols);

	if (pp_symbols_resolve(state.symbols, true, pp_names_waiting_put, state.waiting, &run->error) ||
	    write_all(run))
		return -1;
	cli_note("%s: %" PRIu64 " of %" PRIu64 " address%s named, %" PRIu64 " named before, %" PRIu64
		 " file%s read", run->stream->name, stats->named, stats->addresses,
		 stats->addresses == 1 ? "" : "es", stats->from_stream, stats->files,
		 cli_plural(stats->files));
	report_isolation(stats->isolated);
	return 0;
}

static void take_options(void)
{
	static const char *const ways[] = { "full", "short", "no" };
	size_t i = 0;

	while (i < sizeof(ways) / sizeof(*ways) && strcmp(demangle, ways[i]))
		i++;
	if (i == sizeof(ways) / sizeof(*ways))
		cli_misuse("--demangle: need full, short or no, have '%s'", demangle);
	how.demangle = (enum pp_demangle)i;
	how.say = message_says;
	if (prefixes.count) {
		if (cli_add(&prefixes, NULL))
			cli_no_memory();
		how.strip = prefixes.items;
	}
}

int main(int argc, char **argv)
{
	const struct filter filter = {
		.asks = true,
		.judge = judge, .admit = admit, .judged = judged, .round = round_due, .start = start,
		.end = end,
		.time_order = true, .budget = &budget,
	};
	struct pp_error error;
	int status;

	cli_parse(&tool, argc, argv);
	take_options();
	names_start(&how, false);
	state.tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
	state.symbols = state.tasks ? pp_symbols_new(&how, state.tasks, &error) : NULL;
	state.waiting = state.symbols ? pp_names_waiting_new(&budget) : NULL;
	if (!state.waiting)
		cli_no_memory();
	status = run_filter(&tool, &filter);
	pp_names_waiting_free(state.waiting);
	pp_symbols_free(state.symbols);
	pp_tasks_free(state.tasks);
	names_end(&how);
	return status;
}
