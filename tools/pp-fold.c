/*
 * pp-fold.c - adds up the stacks of a stream: a line for each, of the names of its frames, and how
 * often it was there.
 */
#include "fold/stream_to_profile.h"

#include <unistd.h>

static const struct option_spec options[] = {
	OPT_STACKS,
	OPT_SWITCH(0, "kernel", &stacks_options.fold.mark_kernel, "mark frames of the kernel: _[k]"),
	OPT_SWITCH(0, "jit", &stacks_options.fold.mark_jit, "mark frames of code made at run time: _[j]"),
	OPT_SWITCH(0, "inline", &stacks_options.fold.mark_inlined, "mark inlined frames: _[i]"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"),
	OPT_END
};

static const struct tool tool = {
	.name = "pp-fold",
	.summary = "Add up the stacks of a stream, a line each",
	.operands = "[FILE]",
	.options = options,
};

static int start(struct run *run)
{
	return stacks_start(run, NULL);
}

static int end(struct run *run)
{
	const bool shown = !common.output && isatty(STDOUT_FILENO);

	if (stacks_end(run))
		return -1;
	stacks_say_losses(stacks_profile());
	return shown ? pp_profile_print_folded(stacks_profile(), run->text, &run->error) :
		       pp_profile_write_folded(stacks_profile(), run->text, &run->error);
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .early = stacks_early, .record = stacks_record, .end = end,
		.time_order = true, .chains = true,
		.late = ": their names may be those of another time",
	};
	int status;

	cli_parse(&tool, argc, argv);
	status = run_sink(&tool, &sink);
	stacks_free();
	return status;
}
