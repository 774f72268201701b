/* print_selftest.c - prints what can be recorded here, as text or JSON; the library finds it out. */
#include "record/selftest.h"

#include <perfpipe/perfpipe.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table_columns.h"
#include "cli/output.h"

#define SCHEMA "perfpipe.selftest/1"

/* A check, as the columns take it. */
struct selftest_row {
	const char *result, *check, *what, *found, *by, *error, *without, *cure;
	bool needed;
};

static const struct column table[] = {
	{ .name = "result", COLUMN(TEXT, struct selftest_row, result), .width = -8 },
	{ .name = "check", COLUMN(TEXT, struct selftest_row, check), .width = -10 },
	{ .name = "what", COLUMN(TEXT, struct selftest_row, what) },
	{ .name = "needed", COLUMN(FLAG, struct selftest_row, needed) },
	{ .name = "found", COLUMN(TEXT, struct selftest_row, found) },
	{ .name = "by", COLUMN(TEXT, struct selftest_row, by) },
	{ .name = "error", COLUMN(TEXT, struct selftest_row, error) },
	{ .name = "without", COLUMN(TEXT, struct selftest_row, without) },
	{ .name = "cure", COLUMN(TEXT, struct selftest_row, cure) },
	{ .name = NULL }
};

struct printing {
	struct pp_out out;
	struct columns columns;
	uint64_t of[PP_CHECK_ABSENT + 1];
};

static const char *or_absent(const char *text)
{
	return *text ? text : NULL;
}

/* A line below the one that it explains. */
static void explain(struct pp_out *out, const char *label, const char *text)
{
	if (!text)
		return;
	pp_out_text(out, "                    ");
	pp_out_text(out, label);
	pp_out_text(out, text);
	pp_out_char(out, '\n');
}

/* The same by the options that need it; the library knows none. */
static const char *without(const struct pp_check_result *r)
{
	static const struct { const char *check, *options; } needs[] = {
		{ "all-cpus", "-a and -C, and recording without a command" },
		{ "others", "-p and -t of these" },
		{ "tracepoint", "tracepoints with -a" },
		{ "clock", "-k, and times that fit those of other programs" },
		{ "build-ids", "--buildid-mmap" },
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (!strcmp(needs[i].check, r->name))
			return needs[i].options;
	return r->without;
}

static struct selftest_row row_of(const struct pp_check_result *r)
{
	const bool works = r->state == PP_CHECK_WORKS;

	return (struct selftest_row){
		.result = pp_check_state_name(r->state), .check = r->name, .what = r->what,
		.found = or_absent(r->found), .by = r->by, .without = works ? NULL : without(r),
		.cure = or_absent(r->cure), .error = r->os ? strerror(r->os) : NULL, .needed = r->needed,
	};
}

static void print_text(void *arg, const struct pp_check_result *r)
{
	struct printing *const p = arg;
	const struct selftest_row row = row_of(r);

	p->of[r->state]++;
	columns_row(&p->out, &p->columns, &row);
	explain(&p->out, "", row.found);
	explain(&p->out, "lost: ", row.without);
	explain(&p->out, "do: ", row.cure);
}

static void print_json(void *arg, const struct pp_check_result *r)
{
	struct printing *const p = arg;
	const struct selftest_row row = row_of(r);
	struct pp_json j = { .out = &p->out };

	p->of[r->state]++;
	pp_json_open(&j, NULL, '{');
	columns_json(&j, &p->columns, &row);
	pp_json_close(&j, '}');
	pp_out_char(&p->out, '\n');
}

static void print_verdict(struct printing *p, bool can, bool json)
{
	static const char *const words[] = { " work", " limited", " refused", " absent" };
	const char *const verdict = can ? "can record" : "cannot record";
	struct pp_json j = { .out = &p->out };

	if (!json) {
		pp_out_text(&p->out, verdict);
		for (enum pp_check_state s = PP_CHECK_WORKS; s <= PP_CHECK_ABSENT; s++) {
			pp_out_text(&p->out, s ? ", " : ": ");
			pp_out_dec(&p->out, p->of[s]);
			pp_out_text(&p->out, words[s]);
		}
		pp_out_char(&p->out, '\n');
		return;
	}
	pp_json_open(&j, NULL, '{');
	(void)pp_json_text(&j, "verdict", verdict, strlen(verdict));
	for (enum pp_check_state s = PP_CHECK_WORKS; s <= PP_CHECK_ABSENT; s++)
		pp_json_number(&j, pp_check_state_name(s), p->of[s]);
	pp_json_close(&j, '}');
	pp_out_char(&p->out, '\n');
}

int self_test(bool json)
{
	struct printing p = { .out.fd = -1 };
	bool can;

	if (pp_out_open(&p.out, output_open(common.output, false)))
		cli_no_memory();
	(void)columns_choose(&p.columns, table, json ? NULL : "result,check,what");
	if (json)
		pp_out_text(&p.out, "{\"schema\":\"" SCHEMA "\"}\n");
	can = pp_self_test(json ? print_json : print_text, &p);
	print_verdict(&p, can, json);
	if (pp_out_close(&p.out))
		output_failed(p.out.os);
	output_close(can ? EXIT_DONE : EXIT_NO);
	return can ? EXIT_DONE : EXIT_NO;
}
