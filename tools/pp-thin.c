/* pp-thin.c - fewer samples, and smaller ones; here are the options and what is said at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/run.h"

static uint64_t every, rate;
static int max_stack;
static uint32_t drop;
static bool live;
static struct pp_thin *thin;

static bool drop_part(const char *name, size_t length)
{
	const char *part;

	for (size_t i = 0; (part = pp_thin_part(i)); i++)
		if (strlen(part) == length && !memcmp(part, name, length)) {
			drop |= UINT32_C(1) << i;
			return true;
		}
	return false;
}

static const char *take_drop(void *target, const char *value)
{
	(void)target;
	do {
		const size_t length = strcspn(value, ",");

		if (!drop_part(value, length))
			return "is not a list of user-stack, regs, raw, branches, callchain, addr and aux";
		value += length;
	} while (*value++);
	return NULL;
}

static const char *take_number(void *target, const char *value)
{
	const char *const wrong = cli_u64(target, value);

	return wrong ? wrong : *(uint64_t *)target ? NULL : "is not above zero";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a -g -F 997 | pp-thin --rate 97 --max-stack 32 -o days.pipe",
		    "record for days, and keep a tenth"),
	OPT_EXAMPLE("pp-thin --drop user-stack,regs web.pipe -o small.pipe",
		    "a recording without copies of stacks"),
	OPT_EXAMPLE("pp-record -a | pp-thin --live | ssh web pp-report",
		    "lose samples here, and not in the kernel, if the network is slow"),
	OPT_CALL(0, "every", "COUNT", &every, take_number,
		 "keep one of COUNT samples of each event and CPU"),
	OPT_CALL(0, "rate", "HZ", &rate, take_number,
		 "keep at most HZ samples a second of each event and CPU"),
	OPT_INT(0, "max-stack", "FRAMES", &max_stack, 1, UINT16_MAX,
		"keep the innermost FRAMES addresses of each call chain"),
	OPT_CALL(0, "drop", "PARTS", NULL, take_drop,
		 "leave out user-stack, regs, raw, branches, callchain, addr, aux of all samples"),
	OPT_SWITCH(0, "live", &live,
		   "leave out and count samples, rather than wait, when the output is read slowly"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-thin",
	.summary = "Keep fewer samples, and less of each",
	.purpose = "Makes a recording smaller, whose totals stay what they were: each sample that stays has "
		   "the periods of those that were left out.",
	.operands = "[FILE]",
	.options = options,
};

/* What the note says: how it was thinned, in the order of the options. */
static const char *said(void)
{
	static char text[256];
	const char *more = "";
	size_t at = 0;

	if (every)
		at += (size_t)snprintf(text, sizeof(text), "every %" PRIu64, every);
	if (rate)
		at += (size_t)snprintf(text, sizeof(text), "rate %" PRIu64, rate);
	if (max_stack)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%smax-stack %d", at ? ", " : "",
				       max_stack);
	if (drop)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%sdrop ", at ? ", " : "");
	for (size_t i = 0; pp_thin_part(i); i++)
		if (drop >> i & 1) {
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", more, pp_thin_part(i));
			more = ",";
		}
	if (live)
		(void)snprintf(text + at, sizeof(text) - at, "%slive", at ? ", " : "");
	return text;
}

static int start(struct run *run)
{
	const struct pp_thin_options how = {
		.size = sizeof(how), .every = every, .rate = rate, .max_stack = (uint32_t)max_stack,
		.drop = drop, .said = said(),
	};

	thin = pp_thin_new(&how, &run->error);
	if (!thin)
		return -1;
	if (live && pp_thin_live(thin, run->in, run->out, run->fd))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	return 0;
}

static int judge(struct run *run, struct pp_record *record)
{
	return pp_thin_judge(thin, record, run->out, &run->error);
}

static uint32_t judge_batch(struct run *run, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	(void)run;
	return pp_thin_batch(thin, batch, from, keep);
}

static int end(struct run *run)
{
	const struct pp_thin_stats *const stats = pp_thin_stats(thin);

	if (pp_thin_end(thin, &run->error))
		return -1;
	run->kept = stats->kept;
	if (stats->lost)
		cli_warn("%s: %" PRIu64 " of %" PRIu64 " sample%s lost here, since the output was read too "
			 "slowly",
			 run->stream->name, stats->lost, stats->samples, cli_plural(stats->samples));
	if (stats->unfit)
		cli_warn("samples that have no room for a period, which the next one has: %" PRIu64,
			 stats->unfit);
	cli_note("samples: %" PRIu64 " of %" PRIu64 " kept", stats->kept, stats->samples);
	if (stats->after_last)
		cli_note("samples after the last one that was kept, whose periods are left out: %" PRIu64,
			 stats->after_last);
	if (stats->bytes)
		cli_note("bytes saved: samples %" PRIu64, stats->bytes);
	if (stats->chain_bytes)
		cli_note("bytes saved: max-stack %" PRIu64, stats->chain_bytes);
	for (size_t i = 0; pp_thin_part(i); i++)
		if (stats->part_bytes[i])
			cli_note("bytes saved: %s %" PRIu64, pp_thin_part(i), stats->part_bytes[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct filter filter = {
		.judge = judge, .judge_batch = judge_batch, .start = start, .end = end,
	};
	int status;

	cli_parse(&tool, argc, argv);
	if (every && rate)
		cli_misuse("--every and --rate cannot be combined");
	if (!every && !rate && !max_stack && !drop && !live)
		cli_misuse("what is to be thinned?  Give --every, --rate, --max-stack, --drop or --live");
	status = run_filter(&tool, &filter);
	pp_thin_free(thin);
	return status;
}
