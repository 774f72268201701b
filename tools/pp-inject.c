/*
 * pp-inject.c - adds what a stream lacks: build-ids of files, the code of JIT compilers, notes; and
 * merges what the scheduler said.  Each is a stage of its own, in inject/; here are their options,
 * and the row they stand in.
 */
#include <stdlib.h>
#include <string.h>

#include "inject/inject.h"

static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static struct build_ids_options build_ids = { .budget = &budget };
static struct jit_options jit;
static bool with_jit, with_sched;
static const char *root;
static struct cli_list notes;
static bool notes_written;
static struct pp_opener *opener;

static const char *refuse_traces(void *target, const char *value)
{
	(void)target;
	(void)value;
	cli_misuse("instruction traces are not decoded: their records (AUX, AUXTRACE and others) pass "
		   "unchanged; write a file with pp-save, which perf inject --itrace decodes");
	return NULL;
}

static const char *refuse_guests(void *target, const char *value)
{
	(void)target;
	(void)value;
	cli_misuse("streams of guests are not merged: perf inject does it, of files that pp-save writes");
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-inject -b web.pipe -o full.pipe",
		    "add the build-ids of all files that samples hit"),
	OPT_EXAMPLE("pp-inject -j app.pipe | pp-report",
		    "show the functions that a JIT compiler made"),
	OPT_EXAMPLE("pp-inject --note commit=4f2a9c1 web.pipe -o marked.pipe",
		    "add what was measured, as a note"),
	OPT_SWITCH('b', "build-ids", &build_ids.hit, "add the build-ids of the files that samples hit"),
	OPT_SWITCH('B', "mmap2-buildids", &build_ids.only_hit,
		   "leave maps out that no sample hits, and put build-ids into the others"),
	OPT_SWITCH(0, "buildid-all", &build_ids.all, "add the build-ids of all files that are mapped"),
	OPT_SWITCH(0, "mmap2-buildid-all", &build_ids.maps,
		   "put build-ids into the MMAP2 records themselves"),
	OPT_CALL(0, "known-build-ids", "LIST", NULL, build_ids_known,
		 "take the build-ids of these paths from 'BUILDID PATH,...' or from the lines of FILE"),
	OPT_SWITCH('j', "jit", &with_jit, "add the code of JIT compilers, from their jitdump files"),
	OPT_STRING(0, "jit-folder", "DIR", &jit.folder,
		   "write the images of that code to DIR (default: jitted)"),
	OPT_SWITCH('s', "sched-stat", &with_sched,
		   "merge sched_stat_* and sched_switch into samples of where and how long tasks slept"),
	OPT_FOLDER(0, "root", "DIR", &root, "read files below DIR, without comparing inodes"),
	OPT_NOTES(&notes, "add a note, after existing ones; may be repeated"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records, names and maps (default: 256M)"),
	OPT_HIDDEN,
	OPT_FLAGVALUE(0, "itrace", "KINDS", NULL, refuse_traces, "refused: traces are not decoded"),
	OPT_CALL(0, "strip", NULL, NULL, refuse_traces, "refused: traces are not decoded"),
	OPT_FLAGVALUE(0, "vm-time-correlation", "HOW", NULL, refuse_traces,
		      "refused: traces are not decoded"),
	OPT_FLAGVALUE(0, "guest-data", "FILE", NULL, refuse_guests, "refused: guests are not merged"),
	OPT_CALL(0, "guestmount", "DIR", NULL, refuse_guests, "refused: guests are not merged"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-inject",
	.summary = "Add build-ids, code of JIT compilers and notes to a stream",
	.purpose = "Run it on the machine that recorded, before the recording leaves it: what "
		   "only that machine knows becomes part of the stream.",
	.operands = "[FILE]",
	.options = options,
};

/* ---- notes ---- */

static int write_notes(struct run *run)
{
	notes_written = true;
	for (size_t i = 0; i < notes.count; i++) {
		const char *equals = strchr(notes.items[i], '=');
		char *key = strndup(notes.items[i], (size_t)(equals - notes.items[i]));
		int failed;

		if (!key)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		failed = pp_writer_note(run->out, key, equals + 1, strlen(equals + 1), &run->error);
		free(key);
		if (failed)
			return -1;
	}
	return 0;
}

/*
 * Lets existing notes pass, and writes ours before any other record.  Records examined in time
 * order are written after what we write now, so here old notes are written at once.
 */
static int judge_notes(struct run *run, const struct pp_record *rec)
{
	struct pp_seal seal;

	if (pp_is_seal(rec, &seal) && !seal.number)
		return PP_KEEP;
	if (pp_is_note(rec))
		return pp_writer_copy(run->out, rec->data, rec->size, &run->error) ? -1 : PP_DROP;
	return write_notes(run) ? -1 : PP_KEEP;
}

/* ---- the row of stages ---- */

static bool want_build_ids(void)
{
	return build_ids.hit || build_ids.only_hit || build_ids.all || build_ids.maps;
}

static int judge(struct run *run, struct pp_record *rec)
{
	int verdict = PP_KEEP;

	if (!notes_written && notes.count)
		verdict = judge_notes(run, rec);
	if (verdict == PP_KEEP && with_jit)
		verdict = jit_judge(run, rec);
	if (verdict == PP_KEEP && with_sched)
		verdict = sched_judge(run, rec);
	if (verdict == PP_KEEP && want_build_ids())
		verdict = build_ids_judge(run, rec);
	return verdict;
}

/* The same of samples, where nothing but build-ids has to see each: all stay. */
static uint32_t judge_batch(struct run *run, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	uint32_t to = batch->count;

	(void)run;
	if (!notes_written && notes.count)
		to = from;
	else if (want_build_ids())
		to = build_ids_judge_batch(batch, from);
	memset(keep + from, true, to - from);
	return to;
}

static int start(struct run *run)
{
	if (want_build_ids() || with_jit) {
		run->arg = opener = pp_opener_new(root, &run->error);
		if (!opener || run_confine(run, PP_STAGE_ASKS | PP_STAGE_SPOOLS, jit_folder()))
			return -1;
	}
	return with_sched ? sched_start(run) : 0;
}

static int end(struct run *run)
{
	if (with_jit && jit_end(run))
		return -1;
	if (with_sched)
		sched_end();
	if (want_build_ids())
		build_ids_end();
	return notes_written ? 0 : write_notes(run);
}

int main(int argc, char **argv)
{
	struct filter filter = { .judge = judge, .start = start, .end = end };
	int status;

	cli_parse(&tool, argc, argv);
	if (!want_build_ids() && !with_jit && !with_sched && !notes.count)
		cli_misuse("nothing to add: give --build-ids, --mmap2-buildids, --jit, --sched-stat "
			   "or --note");
	if (build_ids.only_hit && with_jit)
		cli_misuse("--mmap2-buildids with --jit: give them to two pp-inject, --jit to the first");
	build_ids.hit |= build_ids.only_hit;
	if (build_ids.hit || with_jit || with_sched) {
		filter.time_order = true;
		filter.budget = &budget;
	}
	if (!with_jit && !with_sched) {
		filter.judge_batch = judge_batch;
		filter.batch_in_order = true;
	}
	filter.opens = want_build_ids() || with_jit;
	build_ids.rooted = root;
	if (want_build_ids()) {
		build_ids_open(&build_ids);
		jit.next = build_ids_judge;
	}
	jit.rooted = root;
	if (with_jit)
		jit_open(&jit);
	if (with_sched)
		sched_open(&budget, want_build_ids() ? build_ids_judge : NULL);
	status = run_filter(&tool, &filter);
	jit_close();
	sched_close();
	build_ids_close();
	pp_opener_free(opener);
	return status;
}
