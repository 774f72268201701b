/* advise_recording.c - counts what the rules of advice judge, and writes what they say. */
#include "info/advise_recording.h"

#include <perfpipe/sandbox.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/advice.h"
#include "shared/preload_names.h"
#include "shared/unwinding.h"

#define SCHEMA "perfpipe.advice/1"

/* A file that samples were in. */
struct sampled_file { char *path; bool named; };

static struct {
	bool json;
	struct advice_facts facts;
	struct pp_session *names;
	struct sampled_file *files;
	size_t last;                  /* that was found last: samples come in runs */
	char **said;                  /* lines about files that are not used */
	size_t n_said;
	struct pp_deputy *looks;      /* who says whether a file is there: this process is confined */
} state;

/* ---- samples ---- */

static struct sampled_file *find_file(const char *path)
{
	const size_t n = (size_t)state.facts.files;

	if (n && !strcmp(state.files[state.last].path, path))
		return &state.files[state.last];
	for (state.last = 0; state.last < n; state.last++)
		if (!strcmp(state.files[state.last].path, path))
			return &state.files[state.last];
	if (!(n & (n - 1)))
		state.files = cli_grow(state.files, n ? 2 * n : 1, sizeof(*state.files));
	state.files[n] = (struct sampled_file){ .path = cli_text("%s", path) };
	state.facts.files++;
	return &state.files[n];
}

/* Not [vdso], nor [kernel.kallsyms], nor memory that has a path, nor the map of a compiler's code. */
static bool is_file(const char *path)
{
	static const char *const others[] = {
		"//", "/memfd:", "/dev/", "/anon_hugepage", "/SYSV", "/tmp/perf-",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return *path == '/';
}

/* 1: it has a name; 0: not; -1 and run->error. */
static int look_up(struct run *run, uint32_t pid, unsigned mode, uint64_t address)
{
	struct pp_location place;
	const int got = pp_symbols_at(pp_session_symbols(state.names), pid, mode, address, &place,
				      &run->error);

	if (got >= 0 && place.dso && is_file(place.dso))
		find_file(place.dso)->named |= got > 0;
	return got;
}

/* The stack of a sample; one that has no call chain is its own function. */
static int note_stack(struct run *run, const struct pp_record *rec, uint32_t pid)
{
	uint64_t address, named = 0, all = 0;
	struct pp_chain chain;
	int got;

	for (bool goes_on = pp_chain_open(&chain, rec); goes_on && pp_chain_next(&chain, &address); all++) {
		got = look_up(run, pid, chain.mode, address);
		if (got < 0)
			return -1;
		named += (uint64_t)got;
	}
	if (!all && pp_ip(rec, &address)) {
		got = look_up(run, pid, rec->misc & PP_MISC_CPUMODE, address);
		if (got < 0)
			return -1;
		named = (uint64_t)got;
		all = 1;
	}
	state.facts.stacks += all > 0;
	state.facts.nameless += 2 * named < all;
	return 0;
}

static bool is_recorder(uint32_t pid)
{
	static const char *const names[] = { "pp-record", "pp-keeper", "pp-count", "perf" };
	const char *const comm = pp_tasks_comm(pp_session_tasks(state.names), pid, pid);

	for (size_t i = 0; comm && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(comm, names[i]))
			return true;
	return false;
}

/* Counts that a record has, if it has any, and whether the event waited meanwhile. */
static void note_counts(const struct pp_record *rec)
{
	uint64_t enabled, running;

	if (!pp_find_u64(rec, PP_IS_ENABLED, &enabled) || !pp_find_u64(rec, PP_IS_RUNNING, &running))
		return;
	if (!enabled)
		return;
	state.facts.reads++;
	state.facts.multiplexed += running < enabled - enabled / 100;
}

static int note_sample(struct run *run, const struct pp_record *rec)
{
	uint32_t pid, tid;

	state.facts.samples++;
	if (rec->attr && rec->attr->sample_type & PP_SAMPLE_READ)
		note_counts(rec);
	if (!pp_task(rec, &pid, &tid))
		return note_stack(run, rec, 0);
	state.facts.idle += !pid;
	state.facts.own += is_recorder(pid);
	return note_stack(run, rec, pid);
}

/* ---- records ---- */

static int early(struct run *run, const struct pp_record *rec)
{
	state.facts.records++;
	advice_note(&state.facts, rec);
	state.facts.unwound = state.facts.unwound || unwinding_noted(rec);
	return pp_session_learn(state.names, rec, &run->error);
}

static int note(struct run *run, struct pp_record *rec)
{
	if (rec->type == PP_REC_SAMPLE)
		return note_sample(run, rec);
	state.facts.counts += rec->type == PP_REC_STAT;
	note_counts(rec);
	return pp_session_note(state.names, rec, &run->error);
}

static void keep_line(void *arg, const char *text, enum pp_hint hint)
{
	(void)arg;
	state.said = cli_grow(state.said, state.n_said + 1, sizeof(*state.said));
	state.said[state.n_said++] = cli_text("%s%s", text, cli_cure(hint));
}

static struct pp_symbols_options naming = { .size = sizeof(naming), .no_inline = true };

static int start(struct run *run)
{
	naming.say = (struct pp_say){ .line = keep_line, .lost = message_says.lost };
	state.names = names_open(run, &naming, 0, 0);
	return state.names && ahead_learn(run, pp_session_symbols(state.names)) >= 0 ? 0 : -1;
}

/* ---- whether a file is there ---- */

/* In the deputy: 0, or what access(2) says. */
static void look_for_file(void *arg, const void *question, size_t size, struct pp_deputy_answer *answer)
{
	const char *const path = question;

	(void)arg;
	answer->number = EINVAL;
	if (size && *path == '/' && memchr(path, '\0', size) == path + size - 1)
		answer->number = access(path, F_OK) ? errno : 0;
}

/* 1, 0, or -1 and run->error: who is asked is gone, or memory is lacking. */
static int is_there(struct run *run, const char *path)
{
	struct pp_deputy_answer answer;

	if (strlen(path) >= PP_DEPUTY_MOST)
		return 0;
	if (!pp_deputy_ask(state.looks, path, strlen(path) + 1, &answer))
		return !answer.number;
	return pp_fail_os(&run->error, "cannot ask whether a file is there");
}

/* ---- what is said ---- */

static void say(struct pp_out *out, const struct advice *advice)
{
	pp_out_printable(out, advice->text, strlen(advice->text));
	pp_out_text(out, ": ");
	pp_out_text(out, advice->cure);
	pp_out_char(out, '\n');
}

static void say_json(struct pp_json *j, const struct advice *advice)
{
	pp_json_open(j, NULL, '{');
	(void)pp_json_text(j, "rule", advice->name, strlen(advice->name));
	pp_json_number(j, "count", advice->count);
	pp_json_number(j, "of", advice->of);
	(void)pp_json_text(j, "text", advice->text, strlen(advice->text));
	(void)pp_json_text(j, "cure", advice->cure, strlen(advice->cure));
	pp_json_close(j, '}');
}

/* Why it has no names: a file that is there and was not refused is one without symbols.  1, 0, or -1. */
static int is_useless(struct run *run, const struct sampled_file *file)
{
	int there;

	if (file->named)
		return 0;
	for (size_t i = 0; i < state.n_said; i++)
		if (strstr(state.said[i], file->path))
			return 1;
	there = is_there(run, file->path);
	return there < 0 ? -1 : !there;
}

static int count_useless(struct run *run)
{
	for (size_t i = 0; i < state.facts.files; i++) {
		const int useless = is_useless(run, &state.files[i]);

		if (useless < 0)
			return -1;
		if (!useless)
			continue;
		state.facts.useless++;
		state.facts.file = state.facts.file ? state.facts.file : state.files[i].path;
	}
	return 0;
}

static int end(struct run *run)
{
	const struct pp_rounds_stats *const rounds = pp_rounds_stats(run->rounds);
	struct pp_json j = { .out = run->text };
	struct advice advice;
	unsigned said = 0;

	if (count_useless(run))
		return -1;
	state.facts.late = rounds->late;
	state.facts.worst = rounds->worst;
	if (state.json) {
		pp_json_open(&j, NULL, '{');
		(void)pp_json_text(&j, "schema", SCHEMA, sizeof(SCHEMA) - 1);
		pp_json_number(&j, "samples", state.facts.samples);
		pp_json_open(&j, "advice", '[');
	}
	for (unsigned rule = 0; rule < ADVICE_RULES; rule++) {
		if (!advice_judge(rule, &state.facts, &advice))
			continue;
		said++;
		if (state.json)
			say_json(&j, &advice);
		else
			say(run->text, &advice);
	}
	if (state.json) {
		pp_json_close(&j, ']');
		pp_json_close(&j, '}');
		pp_out_char(run->text, '\n');
	} else if (!said) {
		pp_out_text(run->text, "nothing to advise: the recording is as good as it can be judged\n");
	}
	run->status = said && run->status < EXIT_NO ? EXIT_NO : run->status;
	return 0;
}

/* Before anything of the stream is read.  The deputy comes first: a later process has a copy of its socket,
 * and each ends with the last copy of its own; the namer is waited for wherever it fails. */
static void start_helpers(void)
{
	struct pp_error error;
	char text[512];

	state.looks = pp_deputy_start(look_for_file, NULL, &error);
	if (!state.looks) {
		cli_error_text(&error, text, sizeof(text));
		cli_die(EXIT_SYSTEM, "%s", text);
	}
	names_start(&naming, true);
}

int advise_recording(const struct tool *tool, bool json)
{
	static const struct sink sink = {
		.start = start, .early = early, .record = note, .end = end, .time_order = true,
		.chains = &naming, .asks = true,
	};
	int status;

	state.json = json;
	start_helpers();
	status = run_sink(tool, &sink);
	for (size_t i = 0; i < state.facts.files; i++)
		free(state.files[i].path);
	free(state.files);
	for (size_t i = 0; i < state.n_said; i++)
		free(state.said[i]);
	free(state.said);
	(void)pp_session_finish(state.names);
	names_end(&naming);
	pp_deputy_stop(state.looks);
	return status;
}
