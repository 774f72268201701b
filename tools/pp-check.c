/*
 * pp-check.c - tells whether a stream is sound, and what is not; what is looked for is the
 * library's to know.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "libpipe.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

static bool json, strict;
static uint64_t most = 20;

static const struct option_spec options[] = {
	OPT_SWITCH(0, "json", &json, "print JSON, a finding a line"),
	OPT_SWITCH(0, "strict", &strict, "take remarks for faults"),
	OPT_U64(0, "max", "COUNT", &most,
		"print COUNT faults and COUNT remarks at most, and count the rest (default 20)"),
	OPT_COMMON_SINK,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-check",
	.summary = "Tell whether a stream is sound",
	.operands = "[FILE]",
	.options = options,
	.status = "Exit status: 0 it is sound; 2 misuse; 3 it is not: damaged, cut or altered; "
		  "4 the system said no.",
};

/* One check, from open to verdict. */
struct check {
	struct pp_reader *in;
	const struct pp_stream *stream;   /* NULL where it is none */
	struct pp_checker *checker;
	struct progress progress;
	struct pp_out out;
	uint64_t faults, remarks;         /* as they are shown: --strict makes faults of all */
	bool flush_failed;
};

/* ---- what is printed ---- */

static const char *input_name(const struct check *check)
{
	return check->stream ? check->stream->name : common.input ? common.input : "standard input";
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void __attribute__((noreturn)) cannot_write(int os)
{
	progress_clear();
	errno = os ? os : EIO;
	cli_die_os("cannot write %s", common.output ? common.output : "standard output");
}

static void json_number(struct pp_out *out, const char *name, uint64_t value)
{
	const bool wide = value >> 53;        /* jq 1.6 would round it */

	pp_out_text(out, ",\"");
	pp_out_text(out, name);
	pp_out_text(out, wide ? "\":\"" : "\":");
	pp_out_dec(out, value);
	if (wide)
		pp_out_char(out, '"');
}

static void json_text(struct pp_out *out, const char *name, const char *text)
{
	pp_out_text(out, ",\"");
	pp_out_text(out, name);
	pp_out_text(out, "\":");
	if (!pp_out_json_string(out, text, strlen(text)))
		pp_out_text(out, "\"\"");
}

static void print_json(struct pp_out *out, const struct pp_finding *f, bool fault)
{
	char type[24];

	pp_out_text(out, fault ? "{\"level\":\"fault\"" : "{\"level\":\"remark\"");
	json_text(out, "kind", f->kind);
	if (f->located) {
		json_number(out, "offset", f->offset);
		json_number(out, "index", f->index);
	}
	if (f->located && f->type)
		json_text(out, "type", pp_type_name(f->type, type));
	if (f->field)
		json_text(out, "field", f->field);
	json_text(out, "text", f->text);
	if (f->need || f->have) {
		json_number(out, "need", f->need);
		json_number(out, "have", f->have);
	}
	if (f->more)
		json_number(out, "more", f->more);
	pp_out_text(out, "}\n");
}

static void print_text(struct pp_out *out, const struct pp_finding *f, bool fault)
{
	char text[512];

	pp_finding_text(f, text, sizeof(text));
	pp_out_text(out, fault ? "fault: " : "remark: ");
	pp_out_printable(out, text, strlen(text));
	pp_out_char(out, '\n');
}

/* Standard error says why the status is 3, as every tool does, unless who reads it has read the
 * finding on the same screen. */
static void say_first(const struct check *check, const struct pp_finding *f)
{
	char text[512];

	if (!common.quiet && !common.output && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		return;
	pp_finding_text(f, text, sizeof(text));
	progress_clear();
	cli_say("%s: %s", input_name(check), text);
}

static void found(void *arg, const struct pp_finding *f)
{
	struct check *const check = arg;
	const bool fault = f->fault || strict;
	uint64_t *const count = fault ? &check->faults : &check->remarks;

	if (fault && !*count)
		say_first(check, f);
	if (++*count > most || common.quiet)
		return;
	if (json)
		print_json(&check->out, f, fault);
	else
		print_text(&check->out, f, fault);
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

static void print_json_verdict(struct check *check, uint64_t records)
{
	const struct pp_checker_stats *const stats = pp_checker_stats(check->checker);
	struct pp_out *const out = &check->out;

	pp_out_text(out, check->faults ? "{\"verdict\":\"not sound\"" : "{\"verdict\":\"sound\"");
	json_number(out, "records", records);
	json_number(out, "samples", stats->samples);
	json_number(out, "lost", stats->lost);
	json_number(out, "bytes", check->stream ? check->stream->bytes : 0);
	json_number(out, "faults", check->faults);
	json_number(out, "remarks", check->remarks);
	pp_out_text(out, check->stream && check->stream->sealed ? ",\"sealed\":true}\n" :
								  ",\"sealed\":false}\n");
}

static void print_verdict(struct check *check)
{
	const struct pp_checker_stats *const stats = pp_checker_stats(check->checker);
	const uint64_t more_faults = check->faults > most ? check->faults - most : 0;
	const uint64_t more_remarks = check->remarks > most ? check->remarks - most : 0;
	const uint64_t records = stats->records;
	struct pp_out *const out = &check->out;

	if (common.quiet)
		return;
	if (json) {
		print_json_verdict(check, records);
		return;
	}
	if (more_faults || more_remarks) {
		pp_out_text(out, "and ");
		print_counts(out, more_faults, more_remarks);
		pp_out_text(out, " more\n");
	}
	pp_out_text(out, check->faults ? "not sound: " : "sound: ");
	if (check->faults) {
		print_counts(out, check->faults, check->remarks);
		pp_out_text(out, " in ");
	}
	pp_out_dec(out, records);
	pp_out_text(out, records == 1 ? " record, " : " records, ");
	pp_out_dec(out, stats->samples);
	pp_out_text(out, " sample");
	pp_out_text(out, plural(stats->samples));
	if (!check->faults && check->remarks) {
		pp_out_text(out, ", ");
		print_counts(out, 0, check->remarks);
	}
	pp_out_char(out, '\n');
}

/* ---- reading ---- */

static int flush(void *arg)
{
	struct check *const check = arg;

	check->flush_failed = pp_out_flush(&check->out) < 0;
	return check->flush_failed ? -1 : 0;
}

/* What cannot be read, by the system's fault, ends it all: there is no verdict. */
static void meet(struct check *check, const struct pp_error *error)
{
	char text[512];

	if (check->flush_failed)
		cannot_write(check->out.os);
	if (pp_error_status(error) == EXIT_DAMAGED) {
		pp_checker_error(check->checker, error);
		return;
	}
	pp_error_text(error, text, sizeof(text));
	progress_clear();
	cli_die(EXIT_SYSTEM, "%s: %s", input_name(check), text);
}

static int check_tail(struct check *check, const struct pp_record *record)
{
	struct pp_error error = { .code = PP_OK };
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(check->in, &piece, &size, &error)) > 0)
		pp_checker_tail(check->checker, record, piece, size);
	if (got < 0)
		meet(check, &error);
	return got;
}

static void check_records(struct check *check)
{
	struct pp_error error = { .code = PP_OK };
	struct pp_record record;
	int got;

	while ((got = pp_reader_next(check->in, &record, &error)) != 0) {
		if (got < 0) {
			meet(check, &error);
			if (error.fatal)
				return;
			error = (struct pp_error){ .code = PP_OK };
			continue;
		}
		if (pp_checker_record(check->checker, &record, &error))
			cli_die(EXIT_SYSTEM, "out of memory");
		if (record.tail && check_tail(check, &record) < 0)
			return;
	}
}

static void watch_progress(struct check *check)
{
	const struct pp_checker_stats *const stats = pp_checker_stats(check->checker);
	const struct pp_stream *const stream = check->stream;

	check->progress = (struct progress){
		.records = &stream->records, .bytes = &stream->bytes,
		.first = &stream->first_time, .last = &stream->last_time,
		.samples = &stats->samples, .lost = &stats->lost,
	};
}

/* False: it is no stream, which is a finding. */
static bool open_input(struct check *check)
{
	const struct pp_reader_options how = { .no_verify = common.no_verify };
	struct pp_error error = { .code = PP_OK };

	check->in = pp_reader_open(common.input, &how, &error);
	if (check->in)
		check->stream = pp_reader_stream(check->in);
	check->checker = pp_checker_open(check->stream, found, check);
	if (!check->checker)
		cli_die(EXIT_SYSTEM, "out of memory");
	if (check->in)
		return true;
	meet(check, &error);
	return false;
}

static int run(void)
{
	struct check check = { .in = NULL };
	int fd, status;

	if (!common.input)
		cli_refuse_terminal_input(STDIN_FILENO);
	progress_start(&check.progress);
	outlive_interrupt(common.input);
	fd = output_open(common.output, false);
	if (pp_out_open(&check.out, fd) < 0)
		cli_die(EXIT_SYSTEM, "out of memory");
	if (json && !common.quiet)
		pp_out_text(&check.out, "{\"schema\":\"perfpipe.check/1\"}\n");
	if (open_input(&check)) {
		watch_progress(&check);
		pp_reader_tie_call(check.in, flush, &check);
		check_records(&check);
		pp_checker_end(check.checker);
	}
	print_verdict(&check);
	if (pp_out_flush(&check.out) < 0)
		cannot_write(check.out.os);
	pp_out_close(&check.out);
	progress_stop();
	status = check.faults ? EXIT_DAMAGED : EXIT_DONE;
	pp_checker_close(check.checker);
	pp_reader_close(check.in);
	output_close(status);
	return status;
}

int main(int argc, char **argv)
{
	const int first = cli_parse(&tool, argc, argv);

	if (first < argc) {
		if (common.input)
			cli_misuse("FILE and --input name the input twice");
		common.input = strcmp(argv[first], "-") ? argv[first] : NULL;
	}
	return run();
}
