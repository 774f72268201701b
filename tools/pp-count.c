/*
 * pp-count.c - counts events of this machine to a stream.
 *
 * It turns options into a counting, runs it as often as is asked for, and decides when to stop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/repeats.h"
#include "measure/event_options.h"
#include "measure/metric_options.h"
#include "measure/control_options.h"
#include "measure/signals.h"
#include "measure/target_options.h"
#include "measure/turns.h"
#include <perfpipe/perfpipe.h>
#include "cli/cli.h"
#include "cli/control_channel.h"
#include "cli/output.h"

static struct asked_events events;
static struct asked_metrics metrics;
static bool metric_no_group, metric_no_merge, metric_no_threshold;
static struct cli_ranges pids, tids, cpus;
static struct cli_list cgroups, each_cgroup;
static bool all_cpus, sync_first, exit_status;
static int detail, topdown_level;
static uint64_t asks, interval, delay, duration, intervals;
static struct command_repeats repeats;
static const char *cpu_type, *before, *after;
static struct control control = { .fd = -1, .ack = -1 };
static bool broken;                   /* not all that was counted is in the stream */
static bool unprepared;               /* --pre failed */

static const char *parse_ms(void *target, const char *value)
{
	uint64_t *const ns = target;
	const char *const wrong = cli_u64(ns, value);

	if (wrong)
		return wrong;
	if (!*ns || *ns > UINT32_MAX)
		return "is not a time: use 1 ms or more, and at most 49 days";
	*ns *= 1000000;
	return NULL;
}

static const char *parse_detail(void *target, const char *value)
{
	(void)value;
	++*(int *)target;
	return NULL;
}

static const char *refuse_bpf(void *target, const char *value)
{
	(void)target;
	(void)value;
	cli_misuse("counting by BPF programs is not supported: use -e with -p, -t or -a, which need none");
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-count -- make | pp-stat", "what a command costs"),
	OPT_EXAMPLE("pp-count -a -I 1000 -- sleep 10 | pp-stat",
		    "everything on this machine, second by second"),
	OPT_EXAMPLE("pp-count -r 5 --compare 'sleep 0.1' 'sleep 0.2' | pp-stat",
		    "which of two commands is faster"),
	OPT_GROUP("What to count"),
	OPT_EVENTS(events, "those of perf stat"),
	OPT_BITS('n', "null", &asks, PP_COUNTING_NULL, "count nothing: times alone"),
	OPT_BITS(0, "all-user", &asks, PP_COUNTING_USER, "count all events in user space"),
	OPT_BITS(0, "all-kernel", &asks, PP_COUNTING_KERNEL, "count all events in the kernel"),
	OPT_STRING(0, "cputype", "TYPE", &cpu_type,
		   "count only events of cores of this type, such as core or atom"),
	OPT_GROUP("Sets of events"),
	OPT_LIST('M', "metrics", "METRIC,GROUP|DIR", &metrics.words,
		 "count what these metrics or groups of metrics need; what has a slash is perf's JSON of "
		 "metrics, a file or a folder"),
	OPT_SWITCH(0, "metric-no-group", &metric_no_group, "do not group the events of a metric"),
	OPT_SWITCH(0, "metric-no-merge", &metric_no_merge,
		   "give each metric events of its own, although another metric has them"),
	OPT_SWITCH(0, "metric-no-threshold", &metric_no_threshold,
		   "count nothing that only the thresholds of metrics need"),
	OPT_CALL('d', "detailed", NULL, &detail, parse_detail,
		 "count events of caches, too; twice: of more of them; three times: of prefetches"),
	OPT_BITS('T', "transaction", &asks, PP_COUNTING_TRANSACTION,
		 "count what transactional memory does"),
	OPT_BITS(0, "topdown", &asks, PP_COUNTING_TOPDOWN,
		 "count where the pipeline of the CPU is held up"),
	OPT_INT(0, "td-level", "LEVEL", &topdown_level, 1, 9,
		"count the topdown events down to this level (default: all)"),
	OPT_BITS(0, "smi-cost", &asks, PP_COUNTING_SMI,
		 "count what interrupts of system management cost"),
	OPT_GROUP("Where to count"),
	OPT_SWITCH('a', "all-cpus", &all_cpus, "count everything on all CPUs"),
	OPT_CALL('p', "pid", "PIDS", &pids, parse_tasks, "count these processes and all their threads"),
	OPT_CALL('t', "tid", "TIDS", &tids, parse_tasks, "count these threads"),
	OPT_RANGES('C', "cpu", "CPUS", &cpus, "count only on these CPUs, such as 0-3,8"),
	OPT_CALL('G', "cgroup", "GROUPS", &cgroups, parse_cgroups,
		 "count each event in its control group of these, or all in the only one"),
	OPT_CALL(0, "for-each-cgroup", "GROUPS", &each_cgroup, parse_cgroups,
		 "count every event in each of these control groups"),
	OPT_BITS('i', "no-inherit", &asks, PP_COUNTING_NO_INHERIT,
		 "leave out tasks that the counted ones start"),
	OPT_BITS(0, "per-thread", &asks, PP_COUNTING_PER_THREAD,
		 "counts are to be shown thread by thread; with -a, or alone: those of all there are"),
	OPT_GROUP("When to count"),
	OPT_CALL('I', "interval-print", "MS", &interval, parse_ms,
		 "write the counts every MS milliseconds, each time as a round"),
	OPT_CALL(0, "interval-count", "COUNT", &intervals, parse_most, "end after COUNT intervals"),
	OPT_CALL(0, "timeout", "MS", &duration, parse_ms,
		 "end MS milliseconds after the events started"),
	OPT_CALL(0, "duration", "SECONDS", &duration, parse_duration,
		 "end SECONDS after the events started"),
	OPT_CALL('D', "delay", "MS", &delay, parse_delay,
		 "start MS milliseconds after the command; -1: when --control says so"),
	OPT_CALL(0, "control", "fd:N[,ACK]|fifo:FILE[,ACK]", &control, parse_control,
		 "take commands from there: enable, disable, evlist, ping, stop; "
		 "acknowledge them to ACK"),
	OPT_GROUP("How often"),
	OPT_CALL('r', "repeat", "COUNT", &repeats, parse_repeat,
		 "run the command COUNT times; 0: until ^C"),
	OPT_CALL(0, "until-ci", "PERCENT[,EVENT]", &repeats, parse_until,
		 "run it until the time it takes, or the count of EVENT, is known this well, such as 1%"),
	OPT_SWITCH(0, "compare", &repeats.compares,
		   "take two commands, each as one word, and run them in the order A B B A"),
	OPT_STRING(0, "pre", "COMMAND", &before, "run this in a shell before each run"),
	OPT_STRING(0, "post", "COMMAND", &after, "run this in a shell after each run"),
	OPT_SWITCH('S', "sync", &sync_first, "write out what the system holds back before each run"),
	OPT_SWITCH(0, "exit-status", &exit_status, "exit as the command did, the last time"),
	OPT_HIDDEN,
	OPT_CALL('b', "bpf-prog", "IDS", NULL, refuse_bpf, "refused: BPF programs are not counted"),
	OPT_CALL(0, "bpf-counters", NULL, NULL, refuse_bpf, "refused: BPF programs do not count"),
	OPT_CALL(0, "bpf-attr-map", "FILE", NULL, refuse_bpf, "refused: BPF programs do not count"),
	OPT_GROUP("Common options"), OPT_OUTPUT, OPT_VERBOSE("say why an event cannot be counted"),
	OPT_QUIET, OPT_SWITCH(0, "no-seal", &common.no_seal, "write no seals, only plain rounds"),
	OPT_END
};

static const struct tool tool = {
	.name = "pp-count",
	.summary = "Count events on this machine, and write a perf stream",
	.purpose = "Counts how often events happen, as perf stat does.  By what the counts are "
		   "added up, and how they are shown, is chosen afterwards, with pp-stat.",
	.operands = "[--] [COMMAND...]",
	.options = options,
	.posix_order = true,
	.any_order = &repeats.compares,
	.details = "Without COMMAND, -a, -p, -t or -C, all CPUs are counted, until ^C.\n"
		   "Without -o FILE, the standard output of the command, and of --pre and --post,\n"
		   "goes to standard error.\n",
};

/* ---- what can go wrong */

static void die(const struct pp_error *error)
{
	char text[512];

	cli_error_text(error, text, sizeof(text));
	if (pp_error_status(error) == EXIT_MISUSE)
		cli_misuse("%s", text);
	cli_die(EXIT_SYSTEM, "%s", text);
}

static void die_writing(const struct pp_writer *out, const struct pp_error *error)
{
	const char *const name = to_stdout() ? "standard output" : common.output;
	const bool stays = broken && !to_stdout() && pp_writer_bytes(out);
	char text[512];

	errno = pp_writer_os(out);
	if (errno)
		(void)snprintf(text, sizeof(text), "cannot write %s: %s", name, strerror(errno));
	else if (pp_error_status(error) == EXIT_MISUSE)
		die(error);
	else
		cli_error_text(error, text, sizeof(text));
	if (stays)
		cli_die(EXIT_SYSTEM, "%s; %s is incomplete", text, name);
	cli_die(EXIT_SYSTEM, "%s", text);
}

static void list(void *arg, const char *text, enum pp_hint hint)
{
	(void)arg;
	(void)hint;
	/* as perf writes them: for programs */
	if (messages.before)
		messages.before();
	(void)fprintf(stderr, "%s\n", text);
}

/* All threads that there are, one by one: as perf stat -a --per-thread. */
static bool all_tasks(bool has_command)
{
	return asks & PP_COUNTING_PER_THREAD && !pids.count && !tids.count && (all_cpus || !has_command);
}

static void check_options(bool has_command)
{
	const bool tasks = pids.count || tids.count;

	if (all_cpus && tasks)
		cli_misuse("--all-cpus cannot be combined with --pid or --tid");
	if (asks & PP_COUNTING_USER && asks & PP_COUNTING_KERNEL)
		cli_misuse("--all-user and --all-kernel cannot both be given");
	if (intervals && !interval)
		cli_misuse("--interval-count needs an interval (-I)");
	if (cgroups.count && each_cgroup.count)
		cli_misuse("--cgroup and --for-each-cgroup cannot both be given");
	if (cgroups.count && !events.texts.count)
		cli_misuse("--cgroup needs events (--event), which it is paired with");
	if ((cgroups.count || each_cgroup.count) && !all_cpus && !cpus.count && (tasks || has_command))
		cli_misuse("control groups are counted on CPUs: use --all-cpus or --cpu");
	if (topdown_level && !(asks & PP_COUNTING_TOPDOWN))
		cli_misuse("--td-level needs --topdown");
	if (all_tasks(has_command) && (cpus.count || cgroups.count || each_cgroup.count))
		cli_misuse("--per-thread counts threads: without --cpu, --cgroup and --for-each-cgroup");
	if ((repeats.given || repeats.narrow > 0) && !has_command)
		cli_misuse("--repeat and --until-ci need a command");
	if (repeats.event && asks & PP_COUNTING_NULL)
		cli_misuse("--until-ci cannot wait for an event with --null");
	if ((before || after || sync_first) && !has_command)
		cli_misuse("--pre, --post and --sync need a command");
	if ((metric_no_group || metric_no_merge || metric_no_threshold) && !metrics.words.count)
		cli_misuse("--metric-no-group, --metric-no-merge and --metric-no-threshold need --metrics");
	if (detail > 3)
		cli_misuse("--detailed can be given three times at most");
}

/* ---- counting */

/* Events for the metrics, after those that were asked for themselves. */
static void add_metrics(bool has_command)
{
	const bool tasks = pids.count || tids.count || all_tasks(has_command) ||
			   (has_command && !all_cpus && !cpus.count);
	struct pp_metric_machine machine;
	const struct pp_metric_ask how = {
		.size = sizeof(how), .no_group = metric_no_group, .no_merge = metric_no_merge,
		.no_threshold = metric_no_threshold, .machine = &machine,
	};

	if (!metrics.words.count)
		return;
	pp_metric_machine_here(&machine, !tasks);
	metrics_find(&metrics, &machine, NULL);
	metrics_add_events(&metrics, &how, &events.texts);
	/* of times alone there is nothing to count */
	if (!events.texts.count)
		asks |= PP_COUNTING_NULL;
}

static struct pp_counting *open_counting(char **argv, char **operands)
{
	char *const *const command = repeats.compares ? repeats.command[0] : operands;
	const bool tasks = all_tasks(*operands != NULL);
	struct pp_target_options target = {
		.size = sizeof(target), .all_cpus = all_cpus && !tasks, .all_tasks = tasks,
		.command = *command ? command : NULL,
		.stdout_taken = takes_stdout(), .raise_limit = true,
		.cgroups = cgroups.items, .n_cgroups = cgroups.count,
		.few_names = !(asks & PP_COUNTING_PER_THREAD),
	};
	struct pp_counting_options o = {
		.size = sizeof(o), .events = events.texts.items, .n_events = events.texts.count,
		.pfm = events.pfm, .n_pfm = events.n_pfm,
		.filters = events.filters, .n_filters = events.n_filters,
		.target = &target,
		.asks = asks | (delay ? PP_COUNTING_DELAYED : 0) |
			(control.fd >= 0 ? PP_COUNTING_APART : 0) |
			(messages.verbose ? PP_COUNTING_WHY : 0),
		.detail = detail, .topdown_level = topdown_level, .cpu_type = cpu_type,
		.each_cgroup = each_cgroup.items, .n_each_cgroup = each_cgroup.count,
		.interval = interval, .delay = delay, .repeat = repeats.most, .cmdline = argv,
		.metrics = metrics.names.items, .n_metrics = metrics.names.count,
		.sides = (const char *const *)operands, .n_sides = repeats.compares ? SIDES : 0,
		.say = message_says,
	};
	struct pp_error error = { .code = PP_OK };
	uint32_t *const pid_list = expand_ranges(&pids, "--pid", &target.n_pids);
	uint32_t *const tid_list = expand_ranges(&tids, "--tid", &target.n_tids);
	uint32_t *const cpu_list = expand_ranges(&cpus, "--cpu", &target.n_cpus);
	struct pp_counting *c;

	target.pids = pid_list;
	target.tids = tid_list;
	target.cpus = cpu_list;
	c = pp_counting_open(&o, &error);
	if (!c) {
		if (error.code == PP_E_USE)
			refuse_events(&events);
		die(&error);
	}
	free(pid_list);
	free(tid_list);
	free(cpu_list);
	return c;
}

static struct pp_writer *open_output(void)
{
	const int fd = output_open(common.output, true);
	struct pp_writer *out;

	cli_refuse_terminal(fd);
	pp_enlarge_pipe(fd);
	out = pp_writer_open(fd, common.no_seal ? PP_SEAL_NO : PP_SEAL_YES);
	if (!out)
		cli_no_memory();
	return out;
}

/* False: a run would not be the one that was asked for, and there is none. */
static bool prepare(void)
{
	const int status = run_beside(before);

	if (status)
		cli_say("--pre: '%s' ended with status %d: nothing more is counted", before, status);
	unprepared |= status != 0;
	return !status;
}

static void clean_up(void)
{
	const int status = run_beside(after);

	if (status)
		cli_warn("--post: '%s' ended with status %d", after, status);
}

/* One run of the command.  1: there are no more of them, 0, or -1 and *error. */
static int run(struct pp_counting *c, const struct pp_counting_run *how,
	       struct pp_counting_result *result, struct pp_error *error)
{
	int got;

	if (sync_first)
		sync();
	if (!prepare()) {
		broken = false;
		return 1;
	}
	broken = true;
	if (pp_counting_start(c, error))
		return -1;
	got = stopped ? 1 : pp_counting_run(c, how, error);
	if (got < 0 || pp_counting_stop(c, result, error))
		return -1;
	if (!got && result->has_command && WIFSIGNALED(result->status))
		cli_warn("the command was killed by a signal: %s", strsignal(WTERMSIG(result->status)));
	clean_up();
	/* one that was not let to its end says nothing of how long it takes */
	if (!got)
		got = repeats_done(&repeats, c, result) || stopped;
	if (pp_counting_write(c, got, error))
		return -1;
	broken = false;
	return got;
}

static int count(struct pp_counting *c, char **operands, const sigset_t *mask,
		 struct pp_counting_result *result, struct pp_error *error)
{
	const struct pp_control commands = {
		.size = sizeof(commands), .fd = control.fd, .ack = control.ack,
		.whole_lines = !control.is_fifo, .list = { .line = list },
	};
	const struct pp_counting_run how = {
		.size = sizeof(how), .mask = mask, .delay = delay, .duration = duration,
		.intervals = intervals, .control = control.fd < 0 ? NULL : &commands, .stop = &stopped,
	};
	int got = run(c, &how, result, error);

	while (!got) {
		const size_t side = repeats_side(&repeats);
		char *const *const command = repeats.compares ? repeats.command[side] : operands;

		broken = true;
		if (pp_counting_again(c, command, side, error))
			return -1;
		got = run(c, &how, result, error);
	}
	return got < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct pp_counting_result result = { .size = sizeof(result) };
	struct pp_error error = { .code = PP_OK }, later;
	struct pp_counting *c;
	struct pp_writer *out;
	int status, operand;
	sigset_t mask;

	pp_roots_from_environment();
	operand = cli_parse(&tool, argc, argv);
	check_options(operand < argc);
	if (repeats.compares && argc - operand != SIDES)
		cli_misuse("--compare needs two commands, each as one word, and has %d: pp-count -e cycles "
			   "--compare 'sort a' 'sort b'", argc - operand);
	repeats_settle(&repeats, argv + operand);
	if (to_stdout())
		cli_refuse_terminal(STDOUT_FILENO);
	control_open(&control);
	add_metrics(operand < argc);
	c = open_counting(argv, argv + operand);
	out = open_output();
	catch_signals(&mask, NULL);
	broken = pp_counting_begin(c, out, &error) != 0;
	status = broken || count(c, argv + operand, &mask, &result, &error);
	if (pp_writer_end(out, broken ? PP_SEAL_DAMAGED : 0, status ? &later : &error) || status) {
		pp_counting_close(c);
		die_writing(out, &error);
	}
	output_close(EXIT_DONE);
	repeats_say(&repeats);
	pp_writer_close(out);
	pp_counting_close(c);
	metrics_free(&metrics);
	if (unprepared)
		return EXIT_SYSTEM;
	if (!exit_status || !result.has_command)
		return EXIT_DONE;
	return WIFSIGNALED(result.status) ? 128 + WTERMSIG(result.status) : WEXITSTATUS(result.status);
}
