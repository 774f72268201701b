/*
 * script_text.c - fuzzes the reader of what perf script prints: any text gives stacks or errors that name a
 * line, and what it adds up weighs what its samples weigh.
 *
 * The input is a byte of options, and the text, in which bytes from 0x80 on stand for words of the language.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfpipe/perfpipe.h>

#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {
	"a 1/2 [003] 1.000001:     10 cycles:u: \n", "\t    7f12 main+0x1f (/bin/a)\n", "\n", "(inlined)",
	"[unknown]", "([kernel.kallsyms])", "(/tmp/perf-7.map)", "\tffffffff81000010 idle+0x1",
	"V8 Worker 7 1.5: faults: ", "PERF_RECORD_MMAP2", "sched:sched_switch:", " => ", "# a\n",
	" 7f12 ", "+0x", " (", ")", "/", ":", ".", "[", "]", "-", "  ", "12", "a->b", "operator()",
	" 2026-11-29 01:11:54.000001 ", " UXp ", "99999999999999999999", "\r\n", "swapper 0 ",
};

static void read_text(const char *text, size_t length, const struct pp_fold_options *how)
{
	struct pp_profile *const profile = pp_profile_new();
	struct pp_script_text *const script = pp_script_text_new(how, profile);
	const char *const end = text + length;
	struct pp_fold_stats stats;
	struct pp_folded folded;
	struct pp_error error;
	uint64_t samples = 0;
	int got;

	check(profile && script);
	while (text < end) {
		const char *const stop = memchr(text, '\n', (size_t)(end - text));
		const size_t n = (size_t)((stop ? stop : end) - text);

		(void)pp_script_text_begins(text, n);
		(void)pp_script_text_is_frame(text, n);
		error.code = PP_OK;
		got = pp_script_text_line(script, text, n, &folded, &error);
		check(got >= 0 || error.code == PP_E_USE || !strncmp(error.detail, "line ", 5));
		samples += got > 0;
		text += n + 1;
	}
	samples += pp_script_text_end(script, &folded, &error) > 0;
	pp_script_text_stats(script, &stats);
	check(stats.samples == samples);
	check(how->weight != PP_FOLD_COUNT || pp_profile_total(profile, PP_PROFILE_FIRST) == samples);
	pp_script_text_free(script);
	pp_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pp_fold_options how = { .size = sizeof(how) };
	char *text;

	if (!size)
		return 0;
	how.weight = (enum pp_fold_weight)(data[0] % 3);
	how.reversed = data[0] & 4;
	how.tid = data[0] & 8;
	how.no_inline = data[0] & 16;
	how.addresses = data[0] & 32;
	how.kinds = data[0] & 64;
	how.event = data[0] & 128 ? "cycles" : NULL;
	text = expand(words, sizeof(words) / sizeof(words[0]), data + 1, size - 1);
	read_text(text, strlen(text), &how);
	free(text);
	return 0;
}
