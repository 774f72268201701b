/*
 * script.h - the records of a stream as perf script prints them, byte for byte.
 *
 * What is printed of an event's samples is a choice of fields (perf's names), made for each type of event
 * and held against the attribute of its first event, as perf does it.  Names and maps are those of a
 * time, so that records are noted in the order of their times.  Here a stream that pp-sort(1) wrote:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/perfpipe.h>
 *	#include <unistd.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
 *		struct pp_symbols *symbols = pp_symbols_new(NULL, tasks, &error);
 *		struct pp_script_options options = { .size = sizeof(options) };
 *		struct pp_script *script = symbols ? pp_script_new(&options, tasks, symbols, &error) : NULL;
 *		struct pp_record record;
 *		struct pp_out out;
 *		int status;
 *
 *		if (!in || !script || pp_out_open(&out, STDOUT_FILENO))
 *			return 4;
 *		while (pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_script_note(script, &record, &out, &error))
 *				return pp_error_status(&error);
 *		status = pp_reader_status(in);
 *		pp_script_free(script);
 *		pp_symbols_free(symbols);
 *		pp_tasks_free(tasks);
 *		pp_reader_close(in);
 *		return pp_out_close(&out) ? 4 : status;
 *	}
 */
#ifndef PERFPIPE_SCRIPT_H
#define PERFPIPE_SCRIPT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/script.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/attrs.h>
#include <perfpipe/error.h>
#include <perfpipe/output.h>
#include <perfpipe/reader.h>
#include <perfpipe/record.h>
#include <perfpipe/say.h>
#include <perfpipe/symbol.h>
#include <perfpipe/tasks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose text it is. */
enum pp_script_like {
	PP_SCRIPT_7_3,                /* perf's of 6.12 to 7.3 */
	PP_SCRIPT_6_1,
};

/* In what form. */
enum pp_script_form {
	PP_SCRIPT_TEXT,
	PP_SCRIPT_CSV,                /* a row for each sample, below a head of the columns: RFC 4180 */
	PP_SCRIPT_JSON,               /* a line for each, after that of the schema, perfpipe.script/1 */
};

/* Records that are shown besides samples, as bits. */
enum {
	PP_SCRIPT_TASKS      = 1 << 0,        /* COMM, FORK, EXIT */
	PP_SCRIPT_MMAPS      = 1 << 1,
	PP_SCRIPT_SWITCHES   = 1 << 2,
	PP_SCRIPT_LOST       = 1 << 3,
	PP_SCRIPT_NAMESPACES = 1 << 4,
	PP_SCRIPT_CGROUPS    = 1 << 5,
	PP_SCRIPT_BPF        = 1 << 6,        /* KSYMBOL, BPF_EVENT */
};

/*
 * Fields as -F of perf script names them, one change after the other.  All zero is perf's own choice;
 * it needs no end.
 */
enum { PP_SCRIPT_TYPES = 8 };         /* of events: perf's numbers, 6 synthesised, 7 any other */
struct pp_script_fields {
	struct {
		uint64_t fields, set, unset;
		bool chosen, all;
	} of[PP_SCRIPT_TYPES];
	bool made;
};
/*
 * Takes "comm,ip", "sw:comm,ip", "+srcline,-dso"; `say` gets what perf would warn of.  0, or -1 and
 * *error, whose `detail` is the end of a sentence that begins with `text`.
 */
PP_API PP_MUST_CHECK int pp_script_choose(struct pp_script_fields *, const char *text,
					  const struct pp_say *say, struct pp_error *);

/* The i-th field's name, NULL past the last. */
PP_API const char *pp_script_field(size_t i);
/* The PP_SAMPLE_ bits of which samples need one to have it; 0: all do, or it may be anywhere. */
PP_API uint64_t pp_script_field_needs(size_t i);

/* Whether they ask for lines of sources, which names of addresses then need: pp_symbols_options.lines. */
PP_API bool pp_script_wants_lines(const struct pp_script_fields *);
/* Whether they show user registers, which samples lose when their stacks are unwound. */
PP_API bool pp_script_wants_registers(const struct pp_script_fields *);

/* Since when times are shown: the start of the clock, the first that is shown, or the one before. */
enum pp_script_times { PP_SCRIPT_ABSOLUTE, PP_SCRIPT_SINCE_FIRST, PP_SCRIPT_SINCE_LAST };

struct pp_script_options {
	size_t size;                  /* of this struct: what a caller sets first */
	enum pp_script_like like;
	enum pp_script_form form;
	struct pp_script_fields fields;
	uint64_t show;                /* PP_SCRIPT_; of CSV none, as JSON lines of perfpipe.records/1 */
	bool of_file;                 /* the input is a perf.data file: perf chooses other defaults then,
				       * and names functions in what tracepoints say */
	bool no_chain;                /* call chains are not shown */
	bool no_inline;
	bool nanoseconds;             /* nine digits of a second, not six */
	bool full_source;             /* paths of source files whole */
	unsigned most_frames;         /* of a chain; 0: 127 */
	/* Whether records of this CPU are shown, and those of an unknown one; NULL: all are.  Samples that
	 * have no CPU are then refused. */
	bool (*shows_cpu)(void *arg, uint32_t cpu);
	void *arg;
	bool no_frames;               /* of a chain none, as if it were empty */
	const char *last_frames;      /* functions, "main,work", whose callers are not shown; NULL: none */
	enum pp_script_times times;
};

struct pp_script;
/* Both objects outlive it.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_script *pp_script_new(const struct pp_script_options *, struct pp_tasks *,
						     struct pp_symbols *, struct pp_error *);
PP_API void pp_script_free(struct pp_script *);        /* NULL is fine */
/* From now on, takes the formats of tracepoints from what this reader reads (as its watcher). */
PP_API void pp_script_watch(struct pp_script *, struct pp_reader *);
/*
 * Takes the next record, which both objects are shown too, and writes what is shown of it.  0, or -1 and
 * *error: memory; or PP_E_USE: a field was asked for that the samples do not have, before anything of
 * the samples was written.
 */
PP_API PP_MUST_CHECK int pp_script_note(struct pp_script *, const struct pp_record *, struct pp_out *,
					struct pp_error *);
/* Writes what perf shows of a record as soon as it comes, before samples that wait for their turn: that AUX
 * data could not be decoded. */
PP_API void pp_script_note_early(struct pp_script *, const struct pp_record *, struct pp_out *);
/* After the last record: writes what precedes rows where there was none, for events of these attributes.
 * 0, or -1 and *error, as above. */
PP_API PP_MUST_CHECK int pp_script_end(struct pp_script *, const struct pp_attrs *, struct pp_out *,
				       struct pp_error *);
/* pp_trace_texts_lack() of what was printed so far. */
PP_API const char *pp_script_trace_lack(const struct pp_script *);

#ifdef __cplusplus
}
#endif

#endif
