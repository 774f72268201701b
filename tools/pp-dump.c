/* pp-dump.c - shows every record of a stream, as text or as JSON. */
#include <string.h>

#include "shared/run.h"
#include "shared/record_types.h"

static bool json, hexdump, headers, raw;

static struct types wanted;           /* none: all */

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-dump web.pipe | less", "look through a recording"),
	OPT_EXAMPLE("pp-dump --type comm,exit web.pipe", "print only names and ends of threads"),
	OPT_EXAMPLE("pp-dump --json web.pipe | jq -r .type | sort | uniq -c",
		    "count the records of each type"),
	OPT_SWITCH(0, "json", &json, "print JSON, one record on each line"),
	OPT_VERBOSE("print one field on each line"),
	OPT_SWITCH('x', "hex", &hexdump, "print the bytes of each record below it"),
	OPT_TYPES(0, "type", &wanted,
		  "print only records of these types, such as sample,comm; may be repeated"),
	OPT_SWITCH(0, "headers", &headers,
		   "print what the stream says about itself instead: host, events, topology, notes"),
	OPT_SWITCH(0, "raw", &raw,
		   "print records as they are: not expanded, in their own byte order"),
	OPT_COMMON_SINK,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-dump",
	.summary = "Print every record of a stream, as text or JSON",
	.purpose = "Shows what is in a recording, each record with its place and its fields: for "
		   "scripts, and to find out why a tool shows what it does.",
	.operands = "[FILE]",
	.options = options,
};

static struct pp_features *features;
static struct pp_tracepoints *tracepoints;
static bool shown;                    /* the last record was: its tail is, too */

/* A tail comes in pieces as the input was read, and is printed in pieces that do not depend on
 * that. */
static struct {
	uint64_t size, printed;
	size_t held;
	uint8_t piece[65536];
} rest;

static int start(struct run *run)
{
	pp_reader_show_index(run->in);
	if (headers) {
		features = pp_features_new();
		if (!features)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		run->keeps_long = true;
		if (pp_features_note_long(features, run->stream, &run->error))
			return -1;
	} else if (!raw) {
		tracepoints = pp_tracepoints_new();
		if (!tracepoints)
			return pp_fail(&run->error, PP_E_NOMEM, NULL);
		/* where their formats are damaged the raw data are still shown */
		pp_tracepoints_watch(tracepoints, run->in);
	}
	if (json)
		pp_print_json_start(run->text, headers ? "perfpipe.headers/1" : "perfpipe.records/1",
				    raw && !headers ? run->stream : NULL);
	return 0;
}

/* A line for each piece; with -x its bytes, as many a line as in a record. */
static void print_tail(struct pp_out *out)
{
	if (!json && !hexdump && rest.held) {
		pp_out_text(out, "  tail ");
		pp_out_hex(out, rest.printed);
		pp_out_text(out, " bytes=");
		pp_out_dec(out, rest.held);
		pp_out_char(out, '\n');
	}
	for (size_t at = 0; hexdump && at < rest.held; at += 16) {
		pp_out_text(out, "  tail ");
		pp_out_hex(out, rest.printed + at);
		pp_out_char(out, ' ');
		pp_out_hex_bytes(out, rest.piece + at, rest.held - at < 16 ? rest.held - at : 16);
		pp_out_char(out, '\n');
	}
	if (json)
		pp_print_json_tail(out, rest.piece, rest.held);
	rest.printed += rest.held;
	rest.held = 0;
}

/* What a tracepoint's format makes of its raw data, at the end of what was printed of the record. */
static void print_trace(struct pp_out *out, const struct pp_record *rec, unsigned how)
{
	const struct pp_tracepoint *point;
	const void *data;
	size_t size;

	point = rec->attr ? pp_tracepoints_of(tracepoints, rec->attr) : NULL;
	if (!point || !pp_tracepoint_raw(rec, &data, &size))
		return;
	pp_print_more(out, "trace", how);
	if (json)
		pp_tracepoint_json(out, point, data, size);
	else
		pp_tracepoint_print(out, point, data, size);
	pp_print_more_end(out);
}

static int record(struct run *run, struct pp_record *rec)
{
	unsigned how = json ? PP_PRINT_JSON : 0;
	int status;

	print_tail(run->text);        /* of one that was cut short */
	rest.size = rec->tail;
	rest.printed = 0;
	if (headers)
		return pp_features_note(features, rec, &run->error);
	shown = !wanted.count || types_have(&wanted, rec->type);
	if (!shown)
		return 0;
	if (hexdump)
		how |= PP_PRINT_BYTES;
	if (messages.verbose)
		how |= PP_PRINT_LONG;
	status = json ? pp_print_json(run->text, rec, &run->error) :
		 pp_print_text(run->text, rec, how, &run->error);
	if (!status && tracepoints && rec->type == PP_REC_SAMPLE)
		print_trace(run->text, rec, how);
	return status;
}

static int tail(struct run *run, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (shown && size) {
		const size_t room = sizeof(rest.piece) - rest.held;
		const size_t n = size < room ? size : room;

		memcpy(rest.piece + rest.held, p, n);
		rest.held += n;
		p += n;
		size -= n;
		if (n == room || rest.printed + rest.held == rest.size)
			print_tail(run->text);
	}
	return 0;
}

static int end(struct run *run)
{
	const struct pp_stream *const stream = run->stream;

	print_tail(run->text);
	if (headers && json) {
		pp_features_json(features, stream->attrs, run->text);
		pp_out_char(run->text, '\n');
	} else if (headers) {
		pp_features_text(features, stream->attrs, run->text);
	} else if (json && (run->status >= EXIT_DAMAGED || stream->dropped ||
			  stream->flags & PP_SEAL_DAMAGED))
		pp_out_text(run->text, "{\"end\":\"damaged\"}\n");
	pp_features_free(features);
	pp_tracepoints_free(tracepoints);
	return 0;
}

int main(int argc, char **argv)
{
	struct sink sink = { .start = start, .record = record, .tail = tail, .end = end };

	cli_parse(&tool, argc, argv);
	if (json && hexdump)
		cli_misuse("--hex is for text: JSON has every byte in its fields");
	if (headers && (hexdump || wanted.count))
		cli_misuse("--headers prints no records: it cannot be combined with --type or "
			   "--hex");
	sink.raw = raw;
	return run_sink(&tool, &sink);
}
