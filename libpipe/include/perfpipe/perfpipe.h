/*
 * perfpipe.h - all of libperfpipe: read, order, describe and write Linux perf pipe-mode streams.
 *
 * Each subject has a header of its own, listed here in reading order.  The format itself is in
 * perf-pipe(5).  How many samples each function has:
 *
 *	#include <perfpipe/perfpipe.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	static void say(void *arg, const char *line, enum pp_hint hint)
 *	{
 *		(void)arg, (void)hint;
 *		fprintf(stderr, "functions: %s\n", line);
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_session_options how = { sizeof(how), PP_SESSION_SYMBOLS, 0, { say } };
 *		struct pp_session *session = pp_session_open(argc > 1 ? argv[1] : NULL, &how);
 *		struct pp_record record;
 *		const char *name;
 *		uint64_t samples;
 *
 *		while (pp_session_next(session, &record) == PP_MORE)
 *			if (record.type == PP_REC_SAMPLE)
 *				pp_session_count(session, pp_session_function(session, &record), 1);
 *		for (size_t i = 0; (name = pp_session_counted(session, i, &samples)); i++)
 *			printf("%" PRIu64 " %s\n", samples, name);
 *		return pp_session_finish(session);
 *	}
 *
 * Tasks called OLD are called NEW, in all that is passed on; the rest of the stream stays as it is:
 *
 *	#include <perfpipe/perfpipe.h>
 *	#include <stdio.h>
 *	#include <string.h>
 *
 *	static void say(void *arg, const char *line, enum pp_hint hint)
 *	{
 *		(void)arg, (void)hint;
 *		fprintf(stderr, "rename: %s\n", line);
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_session_options how = { sizeof(how), 0, 1, { say } };
 *		struct pp_session *session = argc < 3 ? NULL : pp_session_open(argv[3], &how);
 *		struct pp_record record;
 *		char comm[64];
 *
 *		if (argc < 3)
 *			return 2;
 *		while (pp_session_next(session, &record) == PP_MORE) {
 *			if (pp_copy_text(&record, "comm", comm, sizeof(comm)) && !strcmp(comm, argv[1]))
 *				pp_session_edit_text(session, &record, PP_IS_COMM, argv[2]);
 *			pp_session_write(session, &record);
 *		}
 *		return pp_session_finish(session);
 *	}
 *
 * Both end with status 3 where a recording was cut, and what the second one writes says so, too.
 *
 * Nothing in the library prints, exits or keeps global state (but for <perfpipe/roots.h> and
 * <perfpipe/sandbox.h>).  An object belongs to one thread.
 * Functions that can fail return -1, PP_FAILED or NULL and fill a struct pp_error, which is
 * complete enough for one line of message; a caller that passes NULL, where that is allowed, does
 * not learn the reason.  A session, and a reader, remember what they met: pp_session_finish() and
 * pp_reader_status() give the exit status of a program that read all it could.  A function with a
 * third answer returns an enum pp_status.  Times are nanoseconds, sizes are bytes.
 *
 * Options begin with their own size, so that they can grow; a member that is 0 means the default:
 *
 *	struct pp_reader_options options = { .size = sizeof(options), .raw = true };
 *
 * Structures without a size member that callers have on their stack (struct pp_error, pp_record,
 * pp_cursor, pp_build) do not change while the library is libperfpipe.so.0.
 *
 * What may still change needs PP_UNSTABLE: a program that defines it before it includes a header
 * has to be compiled anew for each version of the library.  What it uses of that is in the node
 * LIBPERFPIPE_0_UNSTABLE of the shared library's symbols, all else in LIBPERFPIPE_0: readelf -V shows
 * which of them a program depends on.
 */
#ifndef PERFPIPE_PERFPIPE_H
#define PERFPIPE_PERFPIPE_H

#include <perfpipe/error.h>
#include <perfpipe/say.h>
#include <perfpipe/bytes.h>
#include <perfpipe/format.h>
#include <perfpipe/event.h>
#include <perfpipe/attrs.h>
#include <perfpipe/record.h>
#include <perfpipe/walk.h>
#include <perfpipe/callchain.h>
#include <perfpipe/build.h>
#include <perfpipe/output.h>
#include <perfpipe/print.h>
#include <perfpipe/parse.h>
#include <perfpipe/reader.h>
#include <perfpipe/mend.h>
#include <perfpipe/seal.h>
#include <perfpipe/writer.h>
#include <perfpipe/budget.h>
#include <perfpipe/rounds.h>
#include <perfpipe/sort.h>
#include <perfpipe/merge.h>
#include <perfpipe/compress.h>
#include <perfpipe/save.h>
#include <perfpipe/tasks.h>
#include <perfpipe/tracepoint.h>
#include <perfpipe/edit.h>
#include <perfpipe/session.h>
#include <perfpipe/describe.h>
#include <perfpipe/build_id.h>
#include <perfpipe/check.h>
#include <perfpipe/query.h>
#include <perfpipe/metric.h>
#include <perfpipe/counter.h>
#include <perfpipe/capture.h>
#include <perfpipe/count_stream.h>
#include <perfpipe/spread.h>
#include <perfpipe/count.h>

#ifdef PP_UNSTABLE
#include <perfpipe/sandbox.h>
#include <perfpipe/batch.h>
#include <perfpipe/version.h>
#include <perfpipe/suggest.h>
#include <perfpipe/names.h>
#include <perfpipe/symbol.h>
#include <perfpipe/profile.h>
#include <perfpipe/fold.h>
#include <perfpipe/script_text.h>
#include <perfpipe/report.h>
#include <perfpipe/annotate.h>
#include <perfpipe/flame.h>
#include <perfpipe/export.h>
#include <perfpipe/fleet.h>
#include <perfpipe/unit_costs.h>
#include <perfpipe/gate.h>
#include <perfpipe/script.h>
#include <perfpipe/host.h>
#include <perfpipe/restore.h>
#include <perfpipe/ring.h>
#include <perfpipe/sideband.h>
#include <perfpipe/prune.h>
#include <perfpipe/index.h>
#include <perfpipe/first.h>
#include <perfpipe/jit.h>
#include <perfpipe/context.h>
#include <perfpipe/selftest.h>
#include <perfpipe/roots.h>
#include <perfpipe/opener.h>
#include <perfpipe/unwind.h>
#include <perfpipe/span.h>
#include <perfpipe/thin.h>
#include <perfpipe/scrub.h>
#endif

#endif
