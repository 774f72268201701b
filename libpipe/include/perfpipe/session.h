/*
 * session.h - a program's whole way through a stream: read, put in order, named, written, and ended well.
 *
 * A session joins a reader, rounds, tasks, symbols, tracepoints and a writer as every program that has
 * several of them has to.  What fails, or is damaged, is said and remembered: a loop goes on as long as
 * pp_session_next() returns PP_MORE, and pp_session_finish() gives the exit status, whatever was made of
 * failures.  All functions take NULL for a session: there was no memory for it.  How many samples each
 * task has, by its name at that time:
 *
 *	#include <perfpipe/session.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_session_options how = { sizeof(how), PP_SESSION_TASKS };
 *		struct pp_session *session = pp_session_open(argc > 1 ? argv[1] : NULL, &how);
 *		struct pp_record record;
 *		const char *name;
 *		uint64_t samples;
 *
 *		while (pp_session_next(session, &record) == PP_MORE)
 *			if (record.type == PP_REC_SAMPLE)
 *				pp_session_count(session, pp_session_comm(session, &record), 1);
 *		for (size_t i = 0; (name = pp_session_counted(session, i, &samples)); i++)
 *			printf("%" PRIu64 " %s\n", samples, name);
 *		return pp_session_finish(session);
 *	}
 */
#ifndef PERFPIPE_SESSION_H
#define PERFPIPE_SESSION_H

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/reader.h>
#include <perfpipe/rounds.h>
#include <perfpipe/say.h>
#include <perfpipe/tasks.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_session;
struct pp_batch;
struct pp_location;
struct pp_symbols;
struct pp_symbols_options;
struct pp_tracepoints;

/* What a session keeps of a stream, besides the record at hand. */
enum {
	PP_SESSION_TASKS       = 1 << 0,      /* names of tasks */
	PP_SESSION_SYMBOLS     = 1 << 1,      /* these, their maps, and names of addresses */
	PP_SESSION_TRACEPOINTS = 1 << 2,      /* formats of tracepoints */
};
enum pp_session_order {
	PP_SESSION_AS_NEEDED,         /* by time if names are kept, which are those of a time */
	PP_SESSION_AS_READ,
	/* As struct pp_rounds shows records that are not written: maps and names without a time come at
	 * once, before what waits.  What is written is in this order, too. */
	PP_SESSION_BY_TIME,
};
struct pp_session_options {
	size_t size;                  /* of this struct: what a caller sets first */
	unsigned keep;                /* PP_SESSION_ */
	int output;                   /* a descriptor to write to, which stays the caller's; 0: none */
	/* Takes damage, failures, losses, and what else is worth knowing, each with the name of the input.
	 * Without it only the exit status tells. */
	struct pp_say say;
	enum pp_sealing sealing;      /* of what is written */
	enum pp_session_order order;
	uint64_t limit;               /* by time: bytes held at most; 0: 256 MiB */
	struct pp_budget *budget;     /* what names and maps may take, the caller's; NULL: one of its own */
	unsigned tasks;               /* PP_TASKS_, besides what PP_SESSION_SYMBOLS needs */
	const struct pp_symbols_options *symbols;      /* how addresses are named; NULL: the defaults */
	const struct pp_reader_options *reading;       /* NULL: the defaults */
	struct pp_reader *reader;     /* instead of a path: one that is open, and stays the caller's */
	bool tails;                   /* by time, without an output: tails are wanted too */
	bool fed;                     /* no input is opened: pp_session_note() takes records, in time order */
};

/*
 * Opens a path, or standard input where `path` is NULL or "-".  What cannot be opened is remembered: it
 * has no records.  `options` NULL: the defaults.  NULL: out of memory.
 */
PP_API PP_MUST_CHECK struct pp_session *pp_session_open(const char *path,
							const struct pp_session_options *);
/*
 * The next record, borrowed until the next call; what is known of tasks and addresses is that of its time
 * then.  Its bytes may be changed.  PP_MORE; PP_END; PP_FAILED: nothing more can be read or written, which
 * was said; PP_AGAIN only where the reader never waits.  Damage is said, and passed over.
 */
PP_API PP_MUST_CHECK enum pp_status pp_session_next(struct pp_session *, struct pp_record *);
/*
 * As read, after a record: the samples that come next, where the session need not see each, and their number,
 * as by pp_reader_batch(); 0: pp_session_next() has what comes.  They are written by way of
 * pp_session_writer().
 */
PP_API uint32_t pp_session_batch(struct pp_session *, struct pp_batch *);
/* The next piece of the tail of the record at hand, as by pp_reader_tail(). */
PP_API PP_MUST_CHECK enum pp_status pp_session_tail(struct pp_session *, const void **piece, size_t *size);

/* ---- what is known of a record: each answer is valid until the next call with the session ---- */

/* The name of the task that it happened in, as by pp_tasks_comm(); ":-1": it has no task, or none are
 * kept. */
PP_API const char *pp_session_comm(struct pp_session *, const struct pp_record *);
/* The function of a sample's instruction, as perf names it: of inlined ones that which they are in.
 * "[unknown]" where that is not known. */
PP_API const char *pp_session_function(struct pp_session *, const struct pp_record *);
/*
 * What is at an address of the sample's process: of its instruction by the mode of the sample (record->misc &
 * PP_MISC_CPUMODE), of its call chain by the mode of that part (struct pp_chain).  1; 0: no name is
 * known, as by pp_symbols_at(), or none are kept.  A failure is remembered.
 */
PP_API int pp_session_locate(struct pp_session *, const struct pp_record *, unsigned cpumode,
			     uint64_t address, struct pp_location *);

/* ---- counts by name ---- */

/* Adds to what is counted under a name. */
PP_API void pp_session_count(struct pp_session *, const char *name, uint64_t more);
/* The i-th name and its count, the largest first, equal ones in the order of their bytes; NULL: there are
 * no more.  Names are valid until pp_session_finish(), numbers until something is counted. */
PP_API const char *pp_session_counted(struct pp_session *, size_t i, uint64_t *count);

/* ---- what is written ---- */

/* pp_edit_text() in memory of the session: the record is valid until the next of these, or of
 * pp_session_next().  1; 0: it has no such text; -1, which is said and remembered. */
PP_API int pp_session_edit_text(struct pp_session *, struct pp_record *, enum pp_meaning,
				const char *text);
PP_API int pp_session_edit_named_text(struct pp_session *, struct pp_record *, const char *name,
				      const char *text);
/*
 * Writes a record, in the order of these calls: the one at hand, which is borrowed and not changed any more
 * from then on, or any other, which is copied.  If it has a tail, that of the record at hand follows, of
 * which nothing was read.  Seals are made anew, as pp_writer_pass() does.  0, or -1, which is said and
 * remembered.
 */
PP_API int pp_session_write(struct pp_session *, const struct pp_record *);

/* ---- the end ---- */

/* Says an error of the caller's, about a record or about none (NULL), and remembers its exit status.  True:
 * the session goes on. */
PP_API bool pp_session_fail(struct pp_session *, const struct pp_error *, const struct pp_record *);
/* The last error that was said; NULL: there was none. */
PP_API const struct pp_error *pp_session_error(const struct pp_session *);
/* The exit status of a program that came this far. */
PP_API int pp_session_status(const struct pp_session *);
/*
 * Ends what is written, with PP_SEAL_DAMAGED where the status is not 0; says what else there is to say of
 * the stream; frees the session.  Returns the exit status: 0; 2: wrong use; 3: the input is damaged, cut or
 * altered, and what is good was handed out; 4: the system failed, or there is no session.
 */
PP_API int pp_session_finish(struct pp_session *);

/* ---- what it is made of: the session's own; NULL: it has none ---- */

PP_API struct pp_reader *pp_session_reader(const struct pp_session *);
PP_API struct pp_writer *pp_session_writer(const struct pp_session *);
PP_API struct pp_tasks *pp_session_tasks(const struct pp_session *);
PP_API struct pp_symbols *pp_session_symbols(const struct pp_session *);
PP_API struct pp_tracepoints *pp_session_tracepoints(const struct pp_session *);

/* ---- for programs that read by themselves ---- */

/* Takes what a record says of tasks and addresses, as pp_session_next() does.  0, or -1 and *error, which is
 * neither said nor remembered. */
PP_API PP_MUST_CHECK int pp_session_note(struct pp_session *, const struct pp_record *, struct pp_error *);
/* Takes the names in it, as soon as it is read: pp_symbols_learn() of what may have any. */
PP_API PP_MUST_CHECK int pp_session_learn(struct pp_session *, const struct pp_record *, struct pp_error *);

/* What a reader learnt of a stream: what was dropped or left out, damage before it came here. */
PP_API void pp_say_stream(const struct pp_say *, const char *name, const struct pp_stream *);
/* Features of a file that a stream cannot have. */
PP_API void pp_say_long_features(const struct pp_say *, const struct pp_stream *);
/* What came too late for its order, and what becomes of that (a clause, or ""). */
PP_API void pp_say_rounds(const struct pp_say *, const char *name, const struct pp_rounds_stats *,
			  const char *late);

#ifdef __cplusplus
}
#endif

#endif
