/* run_source.c - the loop of every source. */
#include "shared/run_loop.h"

#include "cli/output.h"

/* False where an error ended it. */
static bool make_stream(struct loop *loop)
{
	struct run *const run = &loop->run;
	int got = loop->source->next != NULL;

	while (got) {
		run->error.code = PP_OK;
		got = loop->source->next(run);
		if (got < 0 && !loop_survives(loop, NULL))
			return false;
	}
	return true;
}

int run_source(const struct tool *tool, const struct source *source)
{
	struct loop loop = { .run = { .tool = tool, .arg = source->arg }, .source = source,
			     .report.many = source->many, .input = common.input };
	struct run *const run = &loop.run;

	run->progress = &loop.progress;
	loop_open_output(&loop, true, source->reads);
	if (!source->bare && !(run->out = pp_writer_open(run->fd, source->sealing)))
		cli_no_memory();
	if (source->start(run) < 0) {
		loop_fail(&loop);
		return loop_close(&loop, false);
	}
	if (make_stream(&loop)) {
		report_damage(&loop.report, common.input ? common.input : "standard input");
		run->error.code = PP_OK;
		if (source->end && source->end(run) < 0)
			loop_fail(&loop);
	}
	return loop_close(&loop, true);
}
