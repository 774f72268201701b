/* cures.c - what to do: instead of an option that only perf has, by tool and option; and for what the library
 * says would help. */
#include "cli/message.h"
#include "cli/suggestions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Options that one answer is for; letters and names, with blanks between them. */
static const struct cure { const char *tool, *options, *text; } cures[] = {
	{ "pp-record", "all-user", "; add :u to the events, as in -e cycles:u" },
	{ "pp-record", "all-kernel", "; add :k to the events, as in -e cycles:k" },
	{ "pp-record", "group", "; put the events in braces, as in -e '{cycles,instructions}'" },
	{ "pp-record", "max-size", "; here it is --max-bytes=SIZE" },
	{ "pp-record", "switch-output switch-max-files timestamp-filename",
	  "; pp-split cuts the stream: pp-record -a | pp-split --seconds 60 --keep 60 -o part-%u.pipe" },
	{ "pp-record", "S", "; here it is --snapshot" },
	{ "pp-record", "n no-samples", "; pp-count counts without samples" },
	{ "pp-record", "N no-buildid-cache num-thread-synthesize proc-map-timeout timestamp-boundary",
	  "; nothing here needs it: leave it out" },
	{ "pp-record", "synth tail-synthesize",
	  "; --sideband says when names and maps of running tasks are written" },
	{ "pp-record", "aio", "; --threads reads the buffers in several threads" },
	{ "pp-record", "dry-run", "; --self-test tries what can be recorded here" },
	{ "pp-record", "buildid-all", "; pp-inject --buildid-all adds them" },
	{ "pp-record", "debuginfod vmlinux", "; that is for names, which pp-symbol adds" },
	{ "pp-count", "A B j x append big-num csv field-separator hybrid-merge interval-clear json-output log-fd "
	  "metric-only no-aggr no-csv-summary no-merge no-scale per-cache per-cluster per-core per-die "
	  "json openmetrics per-node per-socket percore-show-thread prometheus scale summary table",
	  "; that is how counts are shown: give it to pp-stat, as in pp-count -a | pp-stat" },
	{ "pp-count", "g group", "; put the events in braces, as in -e '{cycles,instructions}'" },
	{ "pp-stat", "C D G S T a all-cpus all-kernel all-user cgroup control cpu d delay detailed e event "
	  "filter for-each-cgroup interval-count n no-inherit null p pid post pre r repeat smi-cost sync t "
	  "td-level tid timeout topdown transaction",
	  "; that is how counts are made: give it to pp-count, as in pp-count -a | pp-stat" },
	{ "pp-report", "C cpu", "; choose before: pp-filter -C 0 -i FILE | pp-report" },
	{ "pp-report", "D dump-raw-trace", "; pp-dump prints every record" },
	{ "pp-report", "mmaps", "; pp-dump --type mmap,mmap2 prints them" },
	{ "pp-report", "tasks", "; pp-dump --type comm,fork,exit prints them" },
	{ "pp-report", "stats", "; pp-info counts the records" },
	{ "pp-report", "T threads", "; pp-report -s pid adds up by thread" },
	{ "pp-report", "tui gtk", "; pp-top shows a table to move in, and pp-flame draws a page" },
	{ "pp-report", "k m kallsyms modules symfs vmlinux", "; files are looked for below --root=DIR" },
	{ "pp-report", "demangle", "; pp-symbol --demangle chooses how: pp-symbol FILE | pp-report" },
	{ "pp-report", "inline", "; inlined functions are shown unless --no-inline says otherwise" },
	{ "pp-report", "itrace", "; traces are not decoded: pp-save makes a file, for perf report" },
	{ "pp-script", "pid", "; choose before: pp-filter --pid PIDS -i FILE | pp-script" },
	{ "pp-script", "tid", "; choose before: pp-filter --tid TIDS -i FILE | pp-script" },
	{ "pp-script", "c comms", "; choose before: pp-filter --comm NAMES -i FILE | pp-script" },
	{ "pp-script", "d dsos", "; choose before: pp-filter 'dso ~ \"*NAME*\"' FILE | pp-script" },
	{ "pp-script", "D dump-raw-trace", "; pp-dump prints every record" },
	{ "pp-script", "k kallsyms symfs vmlinux", "; files are looked for below --root=DIR" },
	{ "pp-script", "g gen-script l list s script dlfilter",
	  "; scripts of perf need a file: pp-save -i FILE -o perf.data, and perf script" },
	{ "pp-script", "call-trace insn-trace itrace xed",
	  "; traces are not decoded: pp-save makes a file, for perf script" },
	{ "pp-script", "inline", "; inlined functions are shown unless --no-inline says otherwise" },
	{ "pp-top", "c count f j m mmap-pages no-inherit r realtime u uid",
	  "; that is how it is recorded: give it to pp-record, as in pp-record -a | pp-top" },
	{ "pp-top", "d delay", "; here it is --interval=SECONDS" },
	{ "pp-top", "z zero", "; here it is --decay=100" },
	{ "pp-top", "E", "; here it is --entries=N" },
	{ "pp-top", "K", "; here it is --filter='mode == user'" },
	{ "pp-top", "U", "; here it is --filter='mode == kernel'" },
	{ "pp-top", "comms", "; here it is --filter='comm == \"NAME\"'" },
	{ "pp-top", "dsos", "; here it is --filter='dso ~ \"*NAME*\"'" },
	{ "pp-flame", "inverted", "; here it is --icicle" },
	{ "pp-flame", "flamechart", "; here it is --chart" },
	{ "pp-flame", "countname", "; here it is --unit=TEXT" },
	{ "pp-fold", "event-filter", "; here it is --event=EVENT" },
};

static bool lists(const char *options, const char *option)
{
	for (size_t n; *options; options += n + strspn(options + n, " ")) {
		n = strcspn(options, " ");
		if (strlen(option) == n && !memcmp(options, option, n))
			return true;
	}
	return false;
}

const char *cure_of(const char *tool, const char *option)
{
	for (size_t i = 0; i < sizeof(cures) / sizeof(*cures); i++)
		if (!strcmp(cures[i].tool, tool) && lists(cures[i].options, option))
			return cures[i].text;
	return "";
}

/* The library's texts name no option: these do. */
static const char *const helps[] = {
	[PP_HINT_NONE] = "",
	[PP_HINT_MEMORY] = "; --size sets the limit",
	[PP_HINT_ALL_CPUS] = ": use -a or -C",
	[PP_HINT_FEWER_CPUS] = " (-C)",
	[PP_HINT_CPUS_OR_THREADS] = " (-C), or --per-thread",
	[PP_HINT_THREADS] = ": add --per-thread",
	[PP_HINT_LIST_EVENTS] = "; pp-record --list shows all",
	[PP_HINT_ONLY_COUNTED] = ": only pp-count counts it",
	[PP_HINT_FRAME_POINTERS] = ": use --call-graph fp",
	[PP_HINT_BRANCHES] = " (-b, -j, --call-graph lbr)",
	[PP_HINT_FILTER] = ": use --filter",
	[PP_HINT_NOT_ITSELF] = " (--exclude-perf)",
	[PP_HINT_NO_CLOCK] = ": leave out -k",
	[PP_HINT_SNAPSHOT] = " (--snapshot)",
	[PP_HINT_ADAPT_OR_OVERWRITE] = ": leave out --adapt or --overwrite",
	[PP_HINT_BUFFER] = ": give it more with -m",
	[PP_HINT_SWITCHES] = " (--switch-events)",
	[PP_HINT_ONE_CLOCK] = ": record with -k mono, or move its times with --offset",
	[PP_HINT_KEEP_HOSTS] = ": --hosts keeps them apart",
	[PP_HINT_MERGE] = ": pp-merge combines several",
	[PP_HINT_ADD] = ", which pp-merge can add to this one",
	[PP_HINT_FROM_JSON] = ": pp-undump reads it",
	[PP_HINT_NO_VERIFY] = (" (perf inject --mmap2-buildid-all changes them too; --no-verify "
			       "ignores seals)"),
	[PP_HINT_LIST_FIELDS] = "; --fields lists all",
	[PP_HINT_MEMORY_REPORT] = ": ask for --mem-mode",
	[PP_HINT_METRICS] = ": pp-stat shows metrics",
	[PP_HINT_DUMP] = ": pp-dump shows them",
	[PP_HINT_FILES] = "",
	[PP_HINT_KERNEL] = "",
	[PP_HINT_SPANS] = " (--switch-events): use pp-span off-cpu",
};

const char *cli_cure(enum pp_hint hint)
{
	return hint < sizeof(helps) / sizeof(*helps) ? helps[hint] : "";
}

struct pp_error cli_cured(const struct pp_error *error)
{
	struct pp_error with = *error;

	(void)snprintf(with.detail, sizeof(with.detail), "%s%s", error->detail, cli_cure(error->hint));
	with.hint = PP_HINT_NONE;
	return with;
}

void cli_error_text(const struct pp_error *error, char *text, size_t size)
{
	const struct pp_error with = cli_cured(error);

	(void)pp_error_text(&with, text, size);
}
