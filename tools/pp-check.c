/* pp-check.c - reports whether a stream is sound, and what is not. */
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "shared/run.h"

static bool json, strict;
static uint64_t most = 20;

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-check web.pipe && echo good", "see whether a recording arrived whole"),
	OPT_EXAMPLE("pp-check --json web.pipe | jq -r .kind",
		    "list the kinds of findings, for a script"),
	OPT_SWITCH(0, "json", &json, "print JSON, one finding on each line"),
	OPT_SWITCH(0, "strict", &strict, "treat remarks as faults"),
	OPT_U64(0, "max", "COUNT", &most,
		"print at most COUNT faults and COUNT remarks, and count the rest (default: 20)"),
	OPT_COMMON_SINK,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-check",
	.summary = "Check whether a stream is sound",
	.purpose = "Run it on what came over a network or from a disk before you rely on it: it "
		   "reports damage, cuts and breaches of the format, and which versions of perf "
		   "read the stream.",
	.operands = "[FILE]",
	.options = options,
	.status = "Exit status: 0 it is sound; 2 misuse; 3 it is not: damaged, cut or altered; "
		  "4 system error (I/O, permission, memory).",
};

static struct {
	const struct pp_stream *stream;   /* NULL if it is not a stream */
	struct pp_checker *checker;
	struct pp_out *text;
	struct pp_record last;            /* that a tail follows; its data are gone */
	uint64_t faults, remarks;         /* as they are shown: --strict makes faults of all */
} check;

/* ---- what is printed ---- */

static const char *input_name(void)
{
	return check.stream ? check.stream->name : common.input ? common.input : "standard input";
}

static void json_text(struct pp_json *j, const char *name, const char *text)
{
	if (!pp_json_text(j, name, text, strlen(text)))
		(void)pp_json_text(j, name, "", 0);
}

static void print_json(struct pp_out *out, const struct pp_finding *f, bool fault)
{
	struct pp_json j = { .out = out };
	char type[24];

	pp_json_open(&j, NULL, '{');
	json_text(&j, "level", fault ? "fault" : "remark");
	json_text(&j, "kind", f->kind);
	if (f->located) {
		pp_json_number(&j, "offset", f->offset);
		pp_json_number(&j, "index", f->index);
	}
	if (f->located && f->type)
		json_text(&j, "type", pp_type_name(f->type, type));
	if (f->field)
		json_text(&j, "field", f->field);
	json_text(&j, "text", f->text);
	if (f->need || f->have) {
		pp_json_number(&j, "need", f->need);
		pp_json_number(&j, "have", f->have);
	}
	if (f->more)
		pp_json_number(&j, "more", f->more);
	pp_json_close(&j, '}');
	pp_out_char(out, '\n');
}

static void print_text(struct pp_out *out, const struct pp_finding *f, bool fault)
{
	char text[512];

	pp_finding_text(f, text, sizeof(text));
	pp_out_text(out, fault ? "fault: " : "remark: ");
	pp_out_printable(out, text, strlen(text));
	pp_out_char(out, '\n');
}

/* Standard error says why the status is 3, as every tool does, unless the finding is on the same
 * screen. */
static void say_first(const struct pp_finding *f)
{
	char text[512];

	if (!messages.quiet && !common.output && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		return;
	pp_finding_text(f, text, sizeof(text));
	cli_say("%s: %s", input_name(), text);
}

static void found(void *arg, const struct pp_finding *f)
{
	const bool fault = f->fault || strict;
	uint64_t *const count = fault ? &check.faults : &check.remarks;

	(void)arg;
	if (fault && !*count)
		say_first(f);
	if (++*count > most || messages.quiet)
		return;
	if (json)
		print_json(check.text, f, fault);
	else
		print_text(check.text, f, fault);
}

static void print_counts(struct pp_out *out, uint64_t faults, uint64_t remarks)
{
	if (faults) {
		pp_out_dec(out, faults);
		pp_out_text(out, faults == 1 ? " fault" : " faults");
	}
	if (faults && remarks)
		pp_out_text(out, ", ");
	if (remarks) {
		pp_out_dec(out, remarks);
		pp_out_text(out, remarks == 1 ? " remark" : " remarks");
	}
}

static void print_json_verdict(uint64_t records)
{
	const struct pp_checker_stats *const stats = pp_checker_stats(check.checker);
	struct pp_json j = { .out = check.text };

	pp_json_open(&j, NULL, '{');
	json_text(&j, "verdict", check.faults ? "not sound" : "sound");
	pp_json_number(&j, "records", records);
	pp_json_number(&j, "samples", stats->samples);
	pp_json_number(&j, "lost", stats->lost);
	pp_json_number(&j, "bytes", check.stream ? check.stream->bytes : 0);
	pp_json_number(&j, "faults", check.faults);
	pp_json_number(&j, "remarks", check.remarks);
	pp_json_key(&j, "sealed");
	pp_out_text(j.out, check.stream && check.stream->sealed ? "true" : "false");
	pp_json_close(&j, '}');
	pp_out_char(j.out, '\n');
}

static void print_verdict(void)
{
	const struct pp_checker_stats *const stats = pp_checker_stats(check.checker);
	const uint64_t more_faults = check.faults > most ? check.faults - most : 0;
	const uint64_t more_remarks = check.remarks > most ? check.remarks - most : 0;
	const uint64_t records = stats->records;
	struct pp_out *const out = check.text;

	if (messages.quiet)
		return;
	if (json) {
		print_json_verdict(records);
		return;
	}
	if (more_faults || more_remarks) {
		pp_out_text(out, "and ");
		print_counts(out, more_faults, more_remarks);
		pp_out_text(out, " more\n");
	}
	pp_out_text(out, check.faults ? "not sound: " : "sound: ");
	if (check.faults) {
		print_counts(out, check.faults, check.remarks);
		pp_out_text(out, " in ");
	}
	pp_out_dec(out, records);
	pp_out_text(out, records == 1 ? " record, " : " records, ");
	pp_out_dec(out, stats->samples);
	pp_out_text(out, " sample");
	pp_out_text(out, cli_plural(stats->samples));
	if (!check.faults && check.remarks) {
		pp_out_text(out, ", ");
		print_counts(out, 0, check.remarks);
	}
	pp_out_char(out, '\n');
}

/* ---- from start to end ---- */

static int start(struct run *run)
{
	check.text = run->text;
	check.stream = run->stream;
	if (run->in)
		pp_reader_show_index(run->in);
	check.checker = pp_checker_open(run->stream, found, NULL);
	if (json && !messages.quiet)
		pp_out_text(run->text, "{\"schema\":\"perfpipe.check/1\"}\n");
	return check.checker ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int record(struct run *run, struct pp_record *record)
{
	if (record->tail)
		check.last = *record;
	return pp_checker_record(check.checker, record, &run->error);
}

static int samples(struct run *run, const struct pp_batch *batch)
{
	return pp_checker_batch(check.checker, batch, &run->error);
}

static int tail(struct run *run, const void *piece, size_t size)
{
	(void)run;
	pp_checker_tail(check.checker, &check.last, piece, size);
	return 0;
}

static void damaged(struct run *run, const struct pp_error *error)
{
	const struct pp_error with = cli_cured(error);

	(void)run;
	pp_checker_error(check.checker, &with);
}

/* After a system error there is no verdict. */
static int end(struct run *run)
{
	if (check.checker && run->status < EXIT_SYSTEM) {
		if (run->stream)
			pp_checker_end(check.checker);
		print_verdict();
		run->status = check.faults ? EXIT_DAMAGED : EXIT_DONE;
	}
	pp_checker_close(check.checker);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = record, .batch = samples, .tail = tail, .damaged = damaged,
		.end = end, .judges = true,
	};

	cli_parse(&tool, argc, argv);
	return run_sink(&tool, &sink);
}
