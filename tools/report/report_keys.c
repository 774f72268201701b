/* report_keys.c - what a table is to have: asked of a report that nothing is added to. */
#include "report/report_keys.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

const char *keys_check(const struct pp_report_options *how)
{
	static char wrong[1536];
	struct pp_error error;
	struct pp_report *const report = pp_report_new(how, NULL, NULL, &error);
	size_t length;

	if (report || pp_error_status(&error) != EXIT_MISUSE) {
		pp_report_free(report);
		return NULL;
	}
	length = (size_t)snprintf(wrong, sizeof(wrong), "%s", cli_cured(&error).detail);
	if (strncmp(error.detail, "no key", 6) || strstr(error.detail, "did you mean"))
		return wrong;
	for (size_t i = 0; pp_report_key(i) && length < sizeof(wrong); i++)
		length += (size_t)snprintf(wrong + length, sizeof(wrong) - length, "%s%s",
					   i ? ", " : ": there are ", pp_report_key(i));
	return wrong;
}

bool keys_have(const struct pp_report_options *how, const char *name)
{
	struct pp_error error;
	struct pp_report *const report = pp_report_new(how, NULL, NULL, &error);
	const size_t n = report ? pp_report_columns(report) : 0;
	bool found = false;

	/* keys that are wrong are refused elsewhere */
	if (!report && error.code == PP_E_NOMEM)
		cli_no_memory();
	for (size_t i = 0; i < n; i++) {
		struct pp_report_column column;

		pp_report_column(report, i, &column);
		found |= !strcmp(column.name, name);
	}
	pp_report_free(report);
	return found;
}

void keys_say_what_is_missing(const struct pp_stream *stream, enum pp_report_mode mode)
{
	uint64_t had = 0;

	for (size_t i = 0; i < pp_attrs_count(stream->attrs); i++)
		had |= pp_attrs_at(stream->attrs, i)->sample_type;
	if (mode == PP_REPORT_BRANCHES && !(had & PP_SAMPLE_BRANCH_STACK))
		cli_warn("%s: no sample has branches: pp-record -b records them", stream->name);
	if (mode == PP_REPORT_MEMORY && !(had & PP_SAMPLE_DATA_SRC))
		cli_warn("%s: no sample has an access to memory: pp-record -d records them", stream->name);
}

bool keys_need_lines(const struct pp_report_options *how)
{
	return keys_have(how, "srcline") || keys_have(how, "srcfile") || keys_have(how, "srcline_from") ||
	       keys_have(how, "srcline_to");
}

bool keys_have_no_sum(const struct pp_report_options *how)
{
	return keys_have(how, "mean") || keys_have(how, "min") || keys_have(how, "p50") ||
	       keys_have(how, "p90") || keys_have(how, "p99") || keys_have(how, "max");
}

bool keys_need_data(const struct pp_report_options *how)
{
	return keys_have(how, "type") || keys_have(how, "typeoff") || keys_have(how, "typecln");
}

bool keys_need_traces(const struct pp_report_options *how)
{
	return (!how->sort && !how->fields) || keys_have(how, "trace");
}

int keys_open_traces(struct run *run, struct pp_report_options *how, struct pp_symbols *symbols)
{
	/* of a stream perf shows addresses: it asks for names before it reads one */
	const bool of_file = strcmp(run->stream->container, "stream") != 0;

	if (!keys_need_traces(how))
		return 0;
	how->traces = pp_trace_texts_new(of_file ? symbols : NULL);
	if (!how->traces)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	pp_trace_texts_watch(how->traces, run->in);
	return 0;
}

const char *keys_value(const char *arg, size_t i, uint64_t *needs)
{
	if (strcmp(arg, "KEY,...") && strcmp(arg, "FIELD,..."))
		return NULL;
	*needs = pp_report_key_needs(i);
	return pp_report_key(i);
}
