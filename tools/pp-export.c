/* pp-export.c - writes the stacks of a stream in the formats of other tools. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/counted.h"
#include "export/fleet_folder.h"
#include "fold/facts.h"
#include "fold/marks.h"
#include "fold/stream_to_profile.h"
#include "shared/preload_names.h"
#include "shared/sample_filter.h"

/* The formats that there are: a new one is one row. */
static const struct export_format {
	const char *name, *suffix;    /* of a file that is written */
	bool timed;                   /* the times of samples are kept, in ->times_of of events */
	bool cpus;                    /* one stack on two CPUs is two, and in two threads; or it is one */
	bool functions;               /* where in a function a sample is, is not written */
	int (*write)(const struct pp_export *, struct pp_out *, struct pp_error *);       /* NULL: a fleet */
} formats[] = {
	{ "pprof", ".pb.gz", false, true, false, pp_export_pprof },
	{ "speedscope", ".speedscope.json", true, false, true, pp_export_speedscope },
	{ "firefox", ".json.gz", true, false, false, pp_export_firefox },
	{ "bolt", ".fdata", false, false, false, pp_export_bolt },
	{ "parquet", "/", false, false, false, NULL },
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

static const struct export_format *format;
static const char *filter;
static bool own_addresses;
static int threads;
static uint64_t every;
static const char *dso;
static struct cli_list labels;
static struct pp_fleet *fleet;
static struct pp_branches *branches;
static struct pp_fleet_files folder;

static const char *parse_format(void *target, const char *value)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (!strcmp(value, formats[i].name)) {
			*(const struct export_format **)target = &formats[i];
			return NULL;
		}
	return "is not a format that can be written";
}

static const char *parse_every(void *target, const char *value)
{
	const char *const wrong = cli_time(target, value);

	return wrong || *(uint64_t *)target ? wrong : "is no time";
}

static const char *list_format(const char *arg, size_t i, uint64_t *needs)
{
	*needs = 0;
	return !strcmp(arg, "FORMAT") && i < FORMATS ? formats[i].name : NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-export work.pipe -o work.pb.gz", "what `go tool pprof' and its kin read"),
	OPT_EXAMPLE("pp-record -a -g -- sleep 10 | pp-symbol | pp-export -o web7.json.gz",
		    "what profiler.firefox.com opens"),
	OPT_EXAMPLE("pp-export --to parquet -o fleet web7.pipe",
		    "files for SQL, beside those of other recordings in the folder fleet"),
	OPT_GROUP("What to write"),
	OPT_CALL(0, "to", "FORMAT", &format, parse_format,
		 "write FORMAT: pprof, firefox, speedscope, bolt, or parquet in the folder of --output "
		 "(default: by the name of the output, such as work.pb.gz, or fleet/)"),
	OPT_LIST(0, "label", "KEY[=VALUE]", &labels,
		 "give all samples of pprof this label; without a value it has that of the note KEY; "
		 "may be repeated"),
	OPT_STRING(0, "dso", "FILE", &dso,
		   "write samples in FILE, by its path or name, for bolt (default: the recorded program)"),
	OPT_INT(0, "threads", "COUNT", &threads, 1, INT_MAX,
		"of more than COUNT threads those with the fewest samples are one for each process, for "
		"firefox (default: 2000)"),
	OPT_CALL(0, "every", "TIME", &every, parse_every,
		 "samples of a span of TIME, such as 10s, that differ in nothing else are one row, for "
		 "parquet (default: each has one)"),
	OPT_SWITCH(0, "no-normalize", &own_addresses,
		   "write addresses as each process has them, rather than those of the file"),
	OPT_GROUP("Which stacks"),
	OPT_STRING('e', "event", "EVENT", &stacks_options.fold.event,
		   "samples of EVENT alone (default: of all events, each with values of its own)"),
	OPT_SHOWN_TIMES,
	OPT_MATCHING(&filter, "samples that match, in the language of pp-filter"),
	OPT_STACKS_WEIGHT,
	OPT_STACKS_ROOM,
	OPT_GROUP("Names"),
	OPT_STACKS_INLINED,
	OPT_STACKS_FILES,
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-export",
	.summary = "Write the stacks of a stream in a format of other tools",
	.purpose = "Takes a recording, with the names of its functions, to tools that read no recordings of "
		   "perf.",
	.operands = "[FILE]",
	.options = options,
	.value = list_format,
};

/* ---- the recording ---- */

static int keep_sample(const struct stacks_event *event, const struct pp_folded *folded,
		       struct pp_error *error)
{
	/* it comes once more when it is known how long it lasted */
	if (!folded->weight && stacks_options.fold.weight == PP_FOLD_TIME)
		return 0;
	return pp_fleet_sample(fleet, event->place, folded, error);
}

static int keep_nodes(const struct stacks_event *event, const uint32_t *places, size_t n,
		      struct pp_error *error)
{
	return pp_fleet_settle(fleet, event->place, places, n, error);
}

/* Each sample has a row: none of their stacks may be dropped. */
static int start_fleet(struct run *run)
{
	fleet = pp_fleet_new();
	stacks_options.folded = keep_sample;
	stacks_options.settled = keep_nodes;
	stacks_options.memory = UINT64_MAX;
	stacks_options.fold.cgroups = true;
	stacks_options.fold.unweighed = true;
	return fleet ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int start_branches(struct run *run)
{
	if (format->write != pp_export_bolt)
		return 0;
	branches = pp_branches_new(stacks_tasks(), stacks_symbols(), stacks_options.fold.places);
	return branches ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int start(struct run *run)
{
	if (!format->write && start_fleet(run))
		return -1;
	if (format->write && isatty(run->fd))
		cli_die(EXIT_MISUSE, "a profile is not written to a terminal: name a file with -o, or "
			"with >");
	/* rows are known by the recording that they are of, and that by its records */
	run->shows_more = !format->write;
	stacks_options.fold.threads = true;
	/* symbols alone, as linkers know them */
	if (format->write == pp_export_bolt) {
		stacks_options.symbols.demangle = PP_DEMANGLE_NO;
		stacks_options.symbols.no_inline = true;
	}
	stacks_options.fold.cpus = format->cpus;
	stacks_options.fold.frames_only = !format->cpus;
	stacks_options.fold.functions = format->functions;
	stacks_options.timeless = !format->timed;
	stacks_options.every_sample = format->timed;
	stacks_options.tasks = filter ? MATCHING_TASKS : 0;
	stacks_options.symbols.lines |= matching_needs_lines();
	stacks_options.fold.places = pp_places_new(own_addresses);
	if (!stacks_options.fold.places)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	return stacks_start_events(run) || start_branches(run) ||
	       (format->write == pp_export_firefox && counters_start(run)) ||
	       (filter && matching_start(run, stacks_tasks(), stacks_symbols())) ? -1 : 0;
}

static int early(struct run *run, const struct pp_record *rec)
{
	if (rec->type == PP_REC_SAMPLE)
		return fleet ? pp_fleet_record(fleet, rec, &run->error) : 0;
	marks_early(run, rec);
	if (fleet && pp_fleet_record(fleet, rec, &run->error))
		return -1;
	return stacks_early(run, rec);
}

/* Of a sample. */
static bool is_of_event(const struct pp_record *rec)
{
	const char *const asked = stacks_options.fold.event;

	return rec->attr && (!asked || pp_fold_is_asked(asked, rec->attr->name));
}

/* A record where something is asked of samples. */
static __attribute__((noinline))
int judge_record(struct run *run, struct pp_record *rec)
{
	int passes = 1;

	if (filter)
		matching_note(rec);
	if (filter && rec->type == PP_REC_SAMPLE)
		passes = matching_judge(run, rec);
	if (passes <= 0)
		return passes;
	facts_note(rec);
	if (stacks_record(run, rec))
		return -1;
	if (rec->type != PP_REC_SAMPLE)
		return format->write == pp_export_firefox ? counters_note(run, rec) : 0;
	return branches && is_of_event(rec) ? pp_branches_note(branches, rec, &run->error) : 0;
}

static int record(struct run *run, struct pp_record *rec)
{
	if (rec->type != PP_REC_SAMPLE || filter || branches)
		return judge_record(run, rec);
	facts_note(rec);
	return stacks_record(run, rec);
}

/* ---- what is written ---- */

/* Their keys are their own. */
static void free_labels(struct pp_export_label *taken, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)taken[i].key);
	free(taken);
}

static struct pp_export_label *take_labels(const struct pp_flame_facts *facts, size_t *n)
{
	struct pp_export_label *const taken = cli_grow(NULL, labels.count + 1, sizeof(*taken));

	*n = 0;
	for (size_t i = 0; i < labels.count; i++) {
		const char *const equals = strchr(labels.items[i], '=');
		const int length = equals ? (int)(equals - labels.items[i]) : (int)strlen(labels.items[i]);
		char *const key = cli_text("%.*s", length, labels.items[i]);
		const char *const value = equals ? equals + 1 : facts_note_value(facts, key);

		if (value) {
			taken[(*n)++] = (struct pp_export_label){ key, value };
			continue;
		}
		cli_warn("--label %s: there is no such note", key);
		free(key);
	}
	return taken;
}

static void take_events(struct pp_export_event *events, const struct stacks_event *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct stacks_event *const e = &from[i];
		struct pp_fold_stats stats;
		struct pp_flame_facts facts;

		pp_fold_stats(e->fold, &stats);
		facts_of(&facts, stats.event, stacks_options.fold.weight, e->samples);
		events[i] = (struct pp_export_event){
			.name = stats.event, .profile = e->profile, .fold = e->fold, .times_of = e->times,
			.samples = e->samples, .times = facts.times, .waits = facts.waits,
			.number = e->place,
		};
		if (stacks_options.fold.weight == PP_FOLD_PERIOD)
			events[i].period = facts_period(stats.event);
	}
}

static int write_fleet(struct run *run, const struct pp_export *all)
{
	int status;

	/* the system ended it: what was read until then is no recording */
	if (run->status == EXIT_SYSTEM)
		return 0;
	if (!all->facts->start)
		cli_warn("when it was recorded is not known: the day is unknown, and times are those of "
			 "its clock");
	if (!all->facts->host)
		cli_warn("where it was recorded is not known: the host is unknown");
	status = pp_fleet_write(fleet, all, &folder, &run->error);
	fleet_folder_close();
	return status;
}

static bool output_ends_in(const char *suffix)
{
	const size_t length = common.output ? strlen(common.output) : 0, n = strlen(suffix);

	return length > n && !strcmp(common.output + length - n, suffix);
}

/* What is not in the file as it was recorded. */
static void say_what_is_different(const struct pp_export *all, uint64_t joined)
{
	size_t samples = 0;

	if (joined)
		cli_warn("the %" PRIu64 " threads with the fewest samples are one for each process: "
			 "--threads", joined);
	if (format->write != pp_export_firefox && format->write != pp_export_bolt)
		return;
	for (size_t i = 0; i < all->n_events; i++)
		samples += !all->events[i].waits && all->events[i].samples;
	if (samples > 1)
		cli_warn("samples of the first of %zu events are written: --event chooses", samples);
	if (!all->facts->start && format->write == pp_export_firefox)
		cli_note("the recording does not say when it began: the profile begins in 1970");
}

static int end(struct run *run)
{
	struct pp_export_event events[STACKS_EVENTS];
	struct pp_flame_facts facts;
	struct pp_export all = { .size = sizeof(all), .program = "pp-export " VERSION, .own = own_addresses };
	uint64_t joined = 0;
	const struct stacks_event *from;
	struct pp_export_label *taken;
	int status;

	if (stacks_end(run))
		return -1;
	from = stacks_events(&all.n_events);
	facts_end(run);
	facts_of(&facts, NULL, stacks_options.fold.weight, stacks_samples());
	take_events(events, from, all.n_events);
	all.facts = &facts;
	all.places = stacks_options.fold.places;
	all.events = events;
	all.duration = stacks_duration(PP_PROFILE_FIRST);
	all.dso = dso;
	all.plain = output_ends_in(".json");
	all.threads = (size_t)threads;
	all.every = every;
	all.joined = &joined;
	all.branches = branches;
	all.counters = counters_all(&all.n_counters);
	all.monotonic = facts_monotonic();
	all.labels = taken = take_labels(&facts, &all.n_labels);
	status = format->write ? format->write(&all, run->text, &run->error) : write_fleet(run, &all);
	free_labels(taken, all.n_labels);
	if (!status) {
		say_what_is_different(&all, joined);
		stacks_say_losses(from->profile);
	}
	return status;
}

/* A fleet is a folder: the run itself has no output. */
static void choose_folder(void)
{
	if (!common.output)
		cli_misuse("Parquet files are written in a folder: -o names it");
	folder = fleet_folder(common.output);
	common.output = NULL;
}

/* By the name of the output. */
static void choose_format(void)
{
	for (size_t i = 0; i < FORMATS && !format; i++)
		if (output_ends_in(formats[i].suffix))
			format = &formats[i];
	if (!format)
		cli_misuse("which format is to be written? --to names it, or the end of the name of -o, "
			   "such as work.pb.gz");
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.asks = true,
		.start = start, .early = early, .record = record, .end = end,
		.time_order = true, .chains = &stacks_options.symbols, .shares = true,
		.late = ": their names may be those of another time",
	};
	int status;

	cli_parse(&tool, argc, argv);
	choose_format();
	if (!format->write)
		choose_folder();
	matching_demand(filter);
	names_start(&stacks_options.symbols, true);
	if (format->write == pp_export_pprof || format->write == pp_export_firefox)
		pp_flame_load();
	status = run_sink(&tool, &sink);
	pp_branches_free(branches);
	counters_free();
	stacks_free();
	pp_places_free(stacks_options.fold.places);
	pp_fleet_free(fleet);
	names_end(&stacks_options.symbols);
	matching_free();
	return status;
}
