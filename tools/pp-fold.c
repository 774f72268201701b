/*
 * pp-fold.c - adds up the stacks of a stream, or of text: a line for each, of the names of its frames, and
 * how often it was there.
 */
#include "fold/stream_to_profile.h"
#include "fold/text_input.h"
#include "shared/preload_names.h"
#include "cli/output.h"

#include <unistd.h>

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-fold web.pipe | awk '{ print $NF, $0 }' | sort -rn | head",
		    "the stacks that took the most time"),
	OPT_EXAMPLE("pp-fold web.pipe | grep -v ^swapper | pp-flame -o busy.html",
		    "a flame graph without the idle task"),
	OPT_STACKS,
	OPT_SWITCH(0, "kernel", &stacks_options.fold.mark_kernel, "mark frames of the kernel: _[k]"),
	OPT_SWITCH(0, "jit", &stacks_options.fold.mark_jit, "mark frames of code made at run time: _[j]"),
	OPT_SWITCH(0, "inline", &stacks_options.fold.mark_inlined, "mark inlined frames: _[i]"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-fold",
	.summary = "Add up the stacks of a stream, or of text, a line each",
	.purpose = "Makes text for grep, sort and every program that draws flame graphs: the "
		   "functions of a stack, joined by semicolons, and its weight.",
	.operands = "[FILE]",
	.options = options,
};

static int start(struct run *run)
{
	return stacks_start(run, false);
}

static int write_lines(struct pp_profile *profile, struct pp_out *out, struct pp_error *error)
{
	const bool shown = !common.output && isatty(STDOUT_FILENO);

	stacks_say_losses(profile);
	return (shown ? pp_profile_print_folded : pp_profile_write_folded)(profile, out, error);
}

static int end(struct run *run)
{
	return stacks_end(run) || write_lines(stacks_profile(), run->text, &run->error) ? -1 : 0;
}

static int fold_stream(void)
{
	static const struct sink sink = {
		.asks = true,
		.start = start, .early = stacks_early, .record = stacks_record, .end = end,
		.time_order = true, .chains = &stacks_options.symbols, .shares = true,
		.late = ": their names may be those of another time",
	};

	names_start(&stacks_options.symbols, true);
	return run_sink(&tool, &sink);
}

static int fold_text(struct text_input *in)
{
	const int fd = output_open(common.output, false);
	struct pp_error error;
	struct pp_out out;
	int status;

	if (pp_out_open(&out, fd))
		cli_no_memory();
	text_confine(false);
	status = text_input_read(in, true);
	if (write_lines(text_input_profile(), &out, &error))
		cli_no_memory();
	if (pp_out_close(&out))
		output_failed(out.os);
	output_close(status);
	return status;
}

int main(int argc, char **argv)
{
	struct text_input in = { .path = NULL };
	int status;

	cli_parse(&tool, argc, argv);
	text_input_open(&in, common.input, PP_PROFILE_FIRST);
	if (in.text)
		shown_times_refuse("text of stacks");
	status = in.text ? fold_text(&in) : fold_stream();
	stacks_free();
	names_end(&stacks_options.symbols);
	text_input_free();
	return status;
}
