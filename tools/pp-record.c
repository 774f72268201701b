/*
 * pp-record.c - records this machine's own kernel to a stream.
 *
 * It turns options into a capture, loops, and decides when to stop.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/event_options.h"
#include "measure/control_options.h"
#include "measure/signals.h"
#include "measure/target_options.h"
#include "measure/turns.h"
#include "record/priority.h"
#include "record/sides.h"
#include "record/selftest.h"
#include "record/option_values.h"
#include <perfpipe/perfpipe.h>
#include "cli/control_channel.h"
#include "cli/output.h"
#include "cli/progress.h"

/* Bytes that a CPU's buffer may grow to, unless -m was given. */
enum { MOST_BUFFER = 8 << 20 };

enum { LOOK_MS = 150 };               /* between looks whether what is written has a reader */

static struct cli_list cgroups;
static struct asked_events events;
static struct cli_ranges pids, tids, cpus;
static struct users users;
static uint64_t delay, duration, max_samples, max_bytes, largest_buffer;
static struct control control = { .fd = -1, .ack = -1 };
static struct pp_sampling sampling = { .size = sizeof(sampling), .clockid = CLOCK_MONOTONIC };
static bool all_cpus, per_thread, latency, exit_status, overwrite, no_bpf;
static struct buffers buffers;
static struct snapshots snapshots;
static uint32_t aux_sample;
static enum pp_capture_sideband sideband = PP_SIDEBAND_ALL;
static bool testing_self, listing, json, adapt;
static int level, realtime;
static struct threads threads;
static enum pp_capture_place affinity;

static struct cli_list notes;

/* Adds the events of one preset of pp-span. */
static const char *ask_for_spans(const char *preset)
{
	const char *name, *wrong = NULL;
	size_t i = 0;

	while ((name = pp_spans_preset(i)) && strcmp(name, preset) != 0)
		i++;
	if (!name)
		return "names spans that pp-span does not make";
	if (!pp_spans_event(i, 1))
		sampling.asks |= PP_ASK_OFF_CPU;
	for (unsigned end = 0; end < 2 && pp_spans_event(i, end) && !wrong; end++)
		wrong = cli_add(&events.texts, pp_spans_event(i, end));
	return wrong;
}

static const char *parse_spans(void *unused, const char *value)
{
	char *const presets = cli_text("%s", value), *rest = presets, *preset;
	const char *wrong = NULL;

	(void)unused;
	while (!wrong && (preset = strsep(&rest, ",")))
		wrong = ask_for_spans(preset);
	free(presets);
	return wrong;
}

static const char *parse_off_cpu(void *unused, const char *value)
{
	(void)unused;
	if (value && strcmp(value, "wakers") != 0)
		return "is not wakers";
	sampling.asks |= PP_ASK_OFF_CPU | (value ? PP_ASK_WAKERS : 0);
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -g -- my-program | pp-report", "where a program spends its time"),
	OPT_EXAMPLE("pp-record -a -g -o web.pipe -- sleep 10",
		    "everything on this machine for ten seconds, to keep"),
	OPT_EXAMPLE("pp-record -e sched:sched_switch -a -- sleep 1 | pp-script",
		    "every context switch of a second"),
	OPT_GROUP("What to record"),
	OPT_EVENTS(events, "cycles"),
	OPT_CALL(0, "exclude-perf", NULL, &events, parse_exclude_self,
		 "leave out hits of pp-record itself of the tracepoints before it"),
	OPT_CALL(0, "spans", "PRESETS", NULL, parse_spans,
		 "record the events that pp-span makes spans of, such as syscalls,block"),
	OPT_CALL('F', "freq", "HZ", &sampling.frequency, parse_frequency,
		 "take HZ samples a second, or max (default: 4000)"),
	OPT_CALL('c', "count", "COUNT", &sampling.period, parse_period, "take a sample every COUNT events"),
	OPT_GROUP("Call chains"),
	OPT_BITS('g', "callchains", &sampling.asks, PP_ASK_CALLCHAIN,
		 "record call chains, by frame pointers"),
	OPT_CALL(0, "call-graph", "fp|dwarf|lbr", &sampling, parse_call_graph,
		 "record call chains: fp or fp,defer; dwarf, or dwarf,SIZE for SIZE bytes of "
		 "stack; lbr"),
	OPT_BITS(0, "user-callchains", &sampling.asks, PP_ASK_NO_KERNEL_CHAIN,
		 "leave the kernel out of call chains"),
	OPT_BITS(0, "kernel-callchains", &sampling.asks, PP_ASK_NO_USER_CHAIN,
		 "leave user space out of call chains"),
	OPT_GROUP("What else samples carry"),
	OPT_BITS('d', "data", &sampling.asks, PP_ASK_ADDRESS,
		 "record addresses of data, where it came from, and maps of data"),
	OPT_BITS(0, "phys-data", &sampling.asks, PP_ASK_PHYSICAL,
		 "record physical addresses of data"),
	OPT_BITS(0, "data-page-size", &sampling.asks, PP_ASK_DATA_PAGE,
		 "record sizes of the pages of data"),
	OPT_BITS(0, "code-page-size", &sampling.asks, PP_ASK_CODE_PAGE,
		 "record sizes of the pages of code"),
	OPT_BITS('W', "weight", &sampling.asks, PP_ASK_WEIGHT,
		 "record costs, such as the latency of loads"),
	OPT_BITS(0, "transaction", &sampling.asks, PP_ASK_TRANSACTION,
		 "record flags of memory transactions"),
	OPT_BITS('b', "branch-any", &sampling.branches, PP_BRANCH_ANY,
		 "record the last branches that were taken"),
	OPT_CALL('j', "branch-filter", "FILTERS", &sampling.branches, parse_branches,
		 "record the last branches of these kinds, such as any_call,u"),
	OPT_FLAGVALUE('I', "intr-regs", "LIST", &sampling.intr_regs, parse_registers,
		      "record registers at the interrupt, all or those of LIST (?: what "
		      "there is)"),
	OPT_FLAGVALUE(0, "user-regs", "LIST", &sampling.user_regs, parse_user_registers,
		      "record registers of user space, all or those of LIST (?: what there is)"),
	OPT_BITS('R', "raw-samples", &sampling.asks, PP_ASK_RAW,
		 "record raw data of all events, not of tracepoints only"),
	OPT_CALL('k', "clockid", "monotonic|monotonic_raw|boottime|realtime|tai|local", &sampling.clockid,
		 parse_clock,
		 "take times from this clock (default: monotonic)"),
	OPT_GROUP("Where to record"),
	OPT_SWITCH('a', "all-cpus", &all_cpus, "record everything on all CPUs"),
	OPT_CALL('p', "pid", "PIDS", &pids, parse_tasks, "record these processes and all their threads"),
	OPT_CALL('t', "tid", "TIDS", &tids, parse_tasks, "record these threads"),
	OPT_CALL('u', "uid", "USERS", &users, parse_users,
		 "record the processes of these users, by name or number"),
	OPT_RANGES('C', "cpu", "CPUS", &cpus, "record only on these CPUs, such as 0-3,8"),
	OPT_CALL('G', "cgroup", "GROUPS", &cgroups, parse_cgroups,
		 "record each event in its control group of these, or all in the only one"),
	OPT_SWITCH(0, "per-thread", &per_thread,
		   "follow each thread by one counter and one buffer, on any CPU"),
	OPT_BITS('i', "no-inherit", &sampling.asks, PP_ASK_NO_INHERIT,
		 "leave out tasks that the recorded ones start"),
	OPT_GROUP("What is recorded besides samples"),
	OPT_BITS('B', "no-buildid", &sampling.asks, PP_ASK_NO_BUILD_ID,
		 "leave build-ids out of maps, and do not open what is mapped"),
	OPT_BITS(0, "buildid-mmap", &sampling.asks, PP_ASK_BUILD_ID,
		 "let the kernel put build-ids into its MMAP2 records"),
	OPT_BITS('s', "stat", &sampling.asks, PP_ASK_STAT,
		 "record the counts of each task when it ends"),
	OPT_FLAGVALUE(0, "off-cpu", "wakers", NULL, parse_off_cpu,
		      "record where tasks leave their CPU, with call chains, and when they are back; "
		      "=wakers: and who wakes them"),
	OPT_BITS(0, "switch-events", &sampling.asks, PP_ASK_SWITCHES, "record context switches"),
	OPT_SWITCH(0, "latency", &latency,
		   "record what perf report --latency needs: context switches"),
	OPT_BITS(0, "namespaces", &sampling.asks, PP_ASK_NAMESPACES,
		 "record namespaces that tasks are in"),
	OPT_SWITCH(0, "no-bpf-event", &no_bpf, "leave out records of BPF programs"),
	OPT_CALL(0, "bpf-event", NULL, &no_bpf, parse_off, "record BPF programs, which is the default"),
	OPT_BITS(0, "all-cgroups", &sampling.asks, PP_ASK_CGROUPS,
		 "record control groups, and that of each sample"),
	OPT_BITS(0, "text-poke", &sampling.asks, PP_ASK_TEXT_POKE,
		 "record changes that the kernel makes to its code"),
	OPT_CALL(0, "sideband", "all|lazy|late|none", &sideband, parse_sideband,
		 "write names and maps of running tasks at the start, at their first sample, "
		 "read them only then, or never (default: all)"),
	OPT_GROUP("When to record"),
	OPT_CALL('D', "delay", "MS", &delay, parse_delay,
		 "start MS milliseconds after the command; -1: when --control says so"),
	OPT_CALL(0, "duration", "SECONDS", &duration, parse_duration,
		 "end SECONDS after the events started"),
	OPT_CALL(0, "max-samples", "COUNT", &max_samples, parse_most,
		 "end after COUNT samples"),
	OPT_CALL(0, "max-bytes", "SIZE", &max_bytes, parse_most_bytes,
		 "end before the stream is larger than SIZE"),
	OPT_CALL(0, "control", "fd:N[,ACK]|fifo:FILE[,ACK]", &control, parse_control,
		 "take commands from there: enable, disable, evlist, snapshot, ping, stop; "
		 "acknowledge them to ACK"),
	OPT_GROUP("How to record"),
	OPT_COMPRESS(&level, cli_zstd_level),
	OPT_SWITCH(0, "exit-status", &exit_status, "exit as the command did"),
	OPT_NO_SANDBOX,
	OPT_NOTES(&notes, "write a note after the header; may be repeated"),
	OPT_GROUP("Two commands"),
	OPT_SWITCH(0, "compare", &sides_options.compare,
		   "take two commands, each as one word, and record them in turns, A B B A, to files in the "
		   "folder of --output, for pp-diff"),
	OPT_CALL(0, "repeat", "COUNT", &sides_options.repeat, parse_most,
		 "make COUNT recordings of each (default: 10)"),
	OPT_U64(0, "warmup", "COUNT", &sides_options.warmup, "run each COUNT times before, unrecorded"),
	OPT_STRING(0, "pre", "COMMAND", &sides_options.before, "run this in a shell before each run"),
	OPT_STRING(0, "post", "COMMAND", &sides_options.after, "run this in a shell after each run"),
	OPT_GROUP("Buffers"),
	OPT_CALL('m', "mmap-pages", "SIZE[,AUX]", &buffers, parse_buffer,
		 "buffer of each CPU, in pages or as 512k, 2M (default: 512k), and its AUX area"),
	OPT_CALL(0, "max-buffer", "SIZE", &largest_buffer, parse_pages,
		 "replace it by larger ones up to SIZE before records are lost (default: 8M, or not at "
		 "all with -m)"),
	OPT_CALL(0, "wakeup-events", "COUNT", &sampling.wakeup_events, parse_wakeup,
		 "read the buffers after every COUNT samples of an event (default: as they fill)"),
	OPT_CALL(0, "no-buffering", NULL, &sampling.wakeup_events, parse_wakeup,
		 "read the buffers after each sample: --wakeup-events 1"),
	OPT_SWITCH(0, "adapt", &adapt,
		   "take half as many samples if records are lost and larger buffers do not help"),
	OPT_INT('r', "realtime", "PRIO", &realtime, 1, 99,
		"read the buffers at this real-time priority (SCHED_FIFO)"),
	OPT_FLAGVALUE(0, "threads", "N|cpu|core|package|numa|CPUS/WHERE:...", &threads, parse_threads,
		      "read the buffers in N threads, or in one for each CPU (default), core, package, "
		      "node or list of CPUS, which runs on those of WHERE"),
	OPT_CALL(0, "affinity", "node|cpu|sys", &affinity, parse_affinity,
		 "read each buffer on its node or its CPU (default: sys, anywhere)"),
	OPT_FLAGVALUE(0, "snapshot", "eSIZE", &snapshots, parse_snapshot,
		      "write AUX areas round and round, and what is in them (SIZE of it) at each "
		      "SIGUSR2; with e, also at the end"),
	OPT_SWITCH(0, "overwrite", &overwrite,
		   "write buffers round and round, and their last samples at each SIGUSR2 and at the end"),
	OPT_FLAGVALUE(0, "aux-sample", "SIZE", &aux_sample, parse_aux_sample,
		      "put the latest SIZE bytes of the AUX area into samples (default: 4096)"),
	OPT_GROUP("Instead of recording"),
	OPT_SWITCH(0, "self-test", &testing_self, "try and say what can be recorded here"),
	OPT_SWITCH(0, "list", &listing, "list the events that there are here, or that match GLOB"),
	OPT_SWITCH(0, "json", &json, "say it as JSON"),
	OPT_HIDDEN,
	OPT_BITS('P', "period", &sampling.asks, 0, "accepted: samples always carry their periods"),
	OPT_BITS('T', "timestamp", &sampling.asks, 0, "accepted: samples always carry their times"),
	OPT_BITS(0, "sample-cpu", &sampling.asks, 0, "accepted: samples always carry their CPUs"),
	OPT_BITS(0, "sample-identifier", &sampling.asks, 0,
		 "accepted: samples always carry the ids of events, at a fixed place"),
	OPT_COMMON_SOURCE,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-record",
	.summary = "Sample what this machine is doing, and write a perf stream",
	.purpose = "Samples show which code ran, where and in which program; with -g also who "
		   "called it.  Pipe the stream into pp-report, pp-flame or another tool, or "
		   "keep it with -o.",
	.operands = "[--] [COMMAND...]",
	.options = options,
	.posix_order = true,
	.any_order = &sides_options.compare,
	.details = "Without COMMAND, -a, -p, -t or -C, all CPUs are recorded, until ^C.\n"
		   "Without -o FILE, the command's standard output goes to standard error.\n",
};

/* Where there is nothing to take a snapshot of, it does nothing, as to perf. */
static volatile sig_atomic_t snapshot_asked;

/* ---- a recording ---- */

struct recording {
	struct pp_capture *capture;
	struct pp_writer *out;
	struct pp_compressor *z;
	sigset_t mask;
	uint64_t begun;               /* ms */
	uint64_t bytes;               /* written so far */
	int fd;                       /* where to */
	uint64_t looked;              /* ms: when it was looked whether that is read */
	bool has_command;
	bool ended;                   /* by a signal, a command or a limit, and not by itself */
	bool broken;                  /* not all that was recorded is in the stream */
};

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void die(const struct pp_error *error)
{
	char text[512];

	cli_error_text(error, text, sizeof(text));
	if (pp_error_status(error) == EXIT_MISUSE)
		cli_misuse("%s", text);
	cli_die(EXIT_SYSTEM, "%s", text);
}

/* Once the output is open.  A file that stays under its name may look whole: it is not. */
static void die_writing(const struct recording *r, const struct pp_error *error)
{
	const char *const name = to_stdout() ? "standard output" : common.output;
	const bool stays = r->broken && !to_stdout() && pp_writer_bytes(r->out);
	char text[512];

	errno = pp_writer_os(r->out);
	if (errno)
		(void)snprintf(text, sizeof(text), "cannot write %s: %s", name, strerror(errno));
	else
		cli_error_text(error, text, sizeof(text));
	if (stays)
		cli_die(EXIT_SYSTEM, "%s; %s is incomplete", text, name);
	cli_die(EXIT_SYSTEM, "%s", text);
}

static void rate_text(char *text, size_t size, double bytes_a_second)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s" };
	size_t i = 0;

	while (bytes_a_second >= 1000 && i < sizeof(units) / sizeof(units[0]) - 1) {
		bytes_a_second /= 1000;
		i++;
	}
	(void)snprintf(text, size, "%.1f %s", bytes_a_second, units[i]);
}

static void summary(const struct recording *r, char *text, size_t size)
{
	const struct pp_capture_stats *const stats = pp_capture_stats(r->capture);
	const uint64_t bytes = pp_writer_bytes(r->out);
	const uint64_t ms = now_ms() - r->begun;
	const uint64_t lost = stats->lost > stats->overruns ? stats->lost : stats->overruns;
	char rate[32], lowered[48] = "";

	rate_text(rate, sizeof(rate), (double)bytes * 1000 / (double)(ms ? ms : 1));
	if (stats->adapted)
		(void)snprintf(lowered, sizeof(lowered), ", rate lowered %llu time%s",
			       (unsigned long long)stats->adapted, stats->adapted == 1 ? "" : "s");
	(void)snprintf(text, size, "%llu sample%s, %llu bytes, %s, %llu lost%s",
		       (unsigned long long)stats->samples, stats->samples == 1 ? "" : "s",
		       (unsigned long long)bytes, rate,
		       (unsigned long long)lost, lowered);
}

/* What the stream lacks: samples without names and maps would look as if none had been there. */
static void say_late(const struct recording *r)
{
	const struct pp_capture_stats *const stats = pp_capture_stats(r->capture);

	if (stats->late_dead || stats->late_execed)
		cli_warn("--sideband=late: of the tasks that were sampled, %llu had ended and %llu "
			 "had run another program before they were looked up: their samples lack "
			 "names and maps",
			 (unsigned long long)stats->late_dead,
			 (unsigned long long)stats->late_execed);
}

static bool wants_threads(void)
{
	return threads.n || threads.at || threads.masks;
}

static void check_options(void)
{
	if (latency && (all_cpus || cpus.count))
		cli_misuse("--latency cannot be combined with --all-cpus or --cpu");
	if (sampling.frequency && sampling.period)
		cli_misuse("--freq and --count cannot both be given");
	if (overwrite && largest_buffer)
		cli_misuse("--overwrite cannot be combined with --max-buffer: buffers that are overwritten "
			   "lose nothing; -m says how much they keep");
	if (wants_threads() && affinity)
		cli_misuse("--threads cannot be combined with --affinity: threads say where they run");
	if (overwrite && (snapshots.wanted || aux_sample))
		cli_misuse("--overwrite cannot be combined with --snapshot or --aux-sample");
}

/* Whom and where to record. */
static void check_target(struct pp_target_options *target, char **command)
{
	if (sampling.asks & PP_ASK_CALLCHAIN && !sampling.user_stack && *command &&
	    (!strcmp(*command, "dwarf") || !strcmp(*command, "fp") || !strcmp(*command, "lbr")))
		cli_misuse("-g takes no mode: use --call-graph %s", *command);
	if (all_cpus && (target->n_pids || target->n_tids || target->n_users))
		cli_misuse("--all-cpus cannot be combined with --pid, --tid or --uid");
	if (per_thread && target->n_cgroups)
		cli_misuse("--per-thread cannot be combined with --cgroup");
	if (per_thread && (all_cpus || target->n_cpus)) {
		/* as perf */
		cli_warn("--per-thread is passed over: with %s whole CPUs are recorded",
			 all_cpus ? "--all-cpus" : "--cpu");
		target->per_thread = per_thread = false;
	}
	if (target->n_cgroups && !events.texts.count)
		cli_misuse("--cgroup needs events (--event), which it is paired with");
	if (per_thread && !*command && !target->n_pids && !target->n_tids && !target->n_users)
		cli_misuse("--per-thread needs a command, --pid, --tid or --uid");
}

static void open_capture(struct recording *r, char **argv, char **command)
{
	struct pp_target_options target = {
		.size = sizeof(target),
		.all_cpus = all_cpus, .command = *command ? command : NULL,
		.stdout_taken = takes_stdout(), .raise_limit = true,
		.users = users.items, .n_users = users.count, .per_thread = per_thread,
		.cgroups = cgroups.items, .n_cgroups = cgroups.count,
	};
	const struct pp_aux_options aux = {
		.size = sizeof(aux), .buffer = buffers.aux, .sample = aux_sample,
		.snapshot = snapshots.bytes, .snapshots = snapshots.wanted,
		.snapshot_at_end = snapshots.at_end,
	};
	struct pp_capture_options o = {
		.size = sizeof(o),
		.events = events.texts.items, .n_events = events.texts.count,
		.filters = events.filters, .n_filters = events.n_filters,
		.sampling = &sampling, .target = &target,
		.pfm = events.pfm, .n_pfm = events.n_pfm, .buffer = buffers.ring, .overwrite = overwrite,
		.buffer_most = largest_buffer ? largest_buffer : buffers.ring ? 0 : MOST_BUFFER,
		.sideband = sideband, .delayed = delay > 0, .paused = control.fd >= 0,
		.max_samples = max_samples, .max_bytes = max_bytes,
		.cmdline = argv, .say = message_says, .aux = &aux, .adapt = adapt,
		/* compressing takes long: meanwhile another thread reads */
		.readers = threads.n ? (unsigned)threads.n : level > 0, .readers_at = threads.at,
		.readers_masks = threads.masks, .affinity = affinity,
		.notes = notes.items, .n_notes = notes.count,
	};
	struct pp_error error = { .code = PP_OK };
	uint32_t *const pid_list = expand_ranges(&pids, "--pid", &target.n_pids);
	uint32_t *const tid_list = expand_ranges(&tids, "--tid", &target.n_tids);
	uint32_t *const cpu_list = expand_ranges(&cpus, "--cpu", &target.n_cpus);

	target.pids = pid_list;
	target.tids = tid_list;
	target.cpus = cpu_list;
	if (sampling.clockid >= 0)
		sampling.asks |= PP_ASK_CLOCK;
	if (latency)
		sampling.asks |= PP_ASK_SWITCHES;
	if (no_bpf)
		sampling.asks |= PP_ASK_NO_BPF;
	check_target(&target, command);
	check_options();
	r->has_command = *command != NULL;
	r->capture = pp_capture_open(&o, &error);
	if (!r->capture) {
		if (error.code == PP_E_USE)
			refuse_events(&events);
		die(&error);
	}
	free(pid_list);
	free(tid_list);
	free(cpu_list);
}

static void open_output(struct recording *r)
{
	const int fd = output_open(common.output, true);

	r->fd = fd;
	cli_refuse_terminal(fd);
	pp_enlarge_pipe(fd);
	r->out = pp_writer_open(fd, common.no_seal ? PP_SEAL_NO : PP_SEAL_YES);
	if (r->out && level)
		r->z = pp_compressor_open(1, level, r->out);
	if (!r->out || (level && !r->z))
		cli_no_memory();
}

/* If nothing is sampled nothing is written, and no write finds that the next stage has ended. */
static void look_for_reader(struct recording *r)
{
	struct pollfd reader = { .fd = r->fd };
	const uint64_t now = now_ms();

	if (now - r->looked < LOOK_MS)
		return;
	r->looked = now;
	if (poll(&reader, 1, 0) > 0 && reader.revents & (POLLERR | POLLHUP))
		(void)raise(SIGPIPE);
}

/* After each pass over the buffers. */
static int more(void *arg, struct pp_error *error)
{
	struct recording *const r = arg;

	look_for_reader(r);
	r->bytes = pp_writer_bytes(r->out);
	if (snapshot_asked && pp_capture_snapshot(r->capture, error))
		return -1;
	snapshot_asked = 0;
	return !stopped;
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

/* Until the command, its target, a signal, a limit or a command from outside ends it. */
static int record(struct recording *r, struct pp_error *error)
{
	const struct pp_control commands = {
		.size = sizeof(commands), .fd = control.fd, .ack = control.ack,
		.whole_lines = !control.is_fifo, .list = { .line = list },
	};
	const struct pp_run how = {
		.size = sizeof(how), .mask = &r->mask, .delay = delay, .duration = duration,
		.control = control.fd < 0 ? NULL : &commands, .more = more, .arg = r,
	};
	int got = stopped;

	if (!got)
		got = pp_capture_run(r->capture, &how, error);
	r->ended = got > 0;
	return got < 0 ? -1 : 0;
}

/* Whatever was begun is ended, also where the command could not be run. */
static int finish(struct recording *r, struct pp_error *error)
{
	int status;

	if (pp_writer_os(r->out))
		return -1;
	status = pp_capture_end(r->capture, error);
	r->broken |= status != 0;
	if (pp_writer_end(r->out, r->broken ? PP_SEAL_DAMAGED : 0, error))
		return -1;
	return status;
}

/* What is there is opened: from here on the recorder needs no privileges.  The command has its own. */
static int confine(struct recording *r, struct pp_error *error)
{
	const int status = common.no_sandbox ? 1 : pp_capture_confine(r->capture, error);

	if (!status)
		cli_note("system calls cannot be filtered here");
	return status < 0 ? pp_error_fatal(error, true) : 0;
}

static int run(struct recording *r, struct pp_error *error)
{
	const struct pp_capture_stats *const stats = pp_capture_stats(r->capture);
	const struct progress line = {
		.records = &stats->records, .bytes = &r->bytes, .samples = &stats->samples,
		.lost = &stats->overruns,
	};
	struct pp_error later = { .code = PP_OK };
	int status;

	progress_start(&line);
	r->begun = now_ms();
	r->broken = pp_capture_begin(r->capture, r->out, r->z, error) != 0;
	status = r->broken || confine(r, error) ? -1 : pp_capture_start(r->capture, error);
	if (!status)
		status = record(r, error);
	/* also where the command could not be run: the next stage is not to take that for whole */
	r->broken = status != 0;
	if (finish(r, status ? &later : error)) {
		r->broken = true;
		status = -1;
	}
	r->bytes = pp_writer_bytes(r->out);
	progress_stop();
	return status;
}

/* What it cost, and where something was lost. */
static void note_stats(const struct recording *r)
{
	const struct pp_capture_stats *const stats = pp_capture_stats(r->capture);
	uint64_t lost;
	uint32_t cpu;

	cli_note("%llu records from the kernel", (unsigned long long)stats->records);
	cli_note("the recording itself took %.1f ms of processor time for %llu bytes, and is in %llu of "
		 "the samples", (double)stats->cpu_ns / 1e6,
		 (unsigned long long)pp_writer_bytes(r->out),
		 (unsigned long long)stats->own_samples);
	for (size_t i = 0; pp_capture_lost_on(r->capture, i, &cpu, &lost); i++)
		cli_note("CPU %d lost %llu records", (int)cpu, (unsigned long long)lost);
	if (stats->grown)
		cli_note("buffers were enlarged %llu times, up to %llu KiB for a CPU",
			 (unsigned long long)stats->grown, (unsigned long long)stats->buffer / 1024);
}

/* The exit status of the command; waits for it, until a signal says stop. */
static int command_status(struct recording *r)
{
	int status;

	while (!pp_capture_command(r->capture, &status)) {
		if (stopped)
			return EXIT_DONE;
		(void)sigsuspend(&r->mask);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void check_sides(int n_commands)
{
	if (!sides_options.compare && (sides_options.repeat || sides_options.warmup || sides_options.before ||
				       sides_options.after))
		cli_misuse("--repeat, --warmup, --pre and --post are for --compare");
	if (!sides_options.compare)
		return;
	if (n_commands != 2)
		cli_misuse("--compare needs two commands, each as one word, and has %d: pp-record -g -o runs "
			   "--compare 'sort a' 'sort b'", n_commands);
	if (to_stdout())
		cli_misuse("--compare makes many files: -o names a folder");
}

int main(int argc, char **argv)
{
	struct recording r = { .capture = NULL };
	struct pp_error error = { .code = PP_OK };
	int operand, status = EXIT_DONE;
	char **command, text[160];

	pp_roots_from_environment();
	operand = cli_parse(&tool, argc, argv);
	if (json && !testing_self && !listing)
		cli_misuse("--json is for --self-test and --list");
	if (testing_self && operand < argc)
		cli_misuse("--self-test takes no command");
	if (testing_self)
		return self_test(json);
	if (listing)
		return list_events(argv + operand, json);
	command = argv + operand;
	check_sides(argc - operand);
	if (sides_options.compare) {
		status = sides_record(command, &notes, &command);
		if (status >= 0)
			return status;
		exit_status = true;
	}
	if (to_stdout())
		cli_refuse_terminal(STDOUT_FILENO);
	control_open(&control);
	open_capture(&r, argv, command);
	take_priority(realtime, level || wants_threads());
	open_output(&r);
	catch_signals(&r.mask, &snapshot_asked);
	if (run(&r, &error))
		die_writing(&r, &error);
	output_close(EXIT_DONE);
	/* As perf does: a command does not outlive a recording that was stopped. */
	if (stopped || r.ended)
		pp_capture_signal(r.capture, SIGTERM);
	say_late(&r);
	summary(&r, text, sizeof(text));
	cli_warn("%s", text);
	note_stats(&r);
	if (exit_status && r.has_command)
		status = command_status(&r);
	pp_compressor_close(r.z);
	pp_writer_close(r.out);
	pp_capture_close(r.capture);
	return status;
}
