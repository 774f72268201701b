/*
 * run.h - the run of a tool from open to close: opening, looping, order, flushing, errors, seals,
 * progress and exit status.
 */
#ifndef RUN_H
#define RUN_H

#include <perfpipe/perfpipe.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "shared/diagnostics.h"

struct pp_batch;

/* One run of a tool, as its functions see it. */
struct run {
	const struct tool *tool;
	struct pp_reader *in;         /* NULL in a source */
	const struct pp_stream *stream;
	struct pp_writer *out;        /* NULL in a sink */
	struct pp_rounds *rounds;     /* NULL unless the tool asked for order */
	struct pp_sorter *sorter;     /* NULL unless it asked for that of the whole stream */
	struct pp_out *text;          /* of a sink: its output, flushed and closed by run_sink() */
	int fd;                       /* the output itself, which the run closes */
	/* A sink's `start` says that raw stacks stay, since it shows no samples; that user registers stay. */
	bool stacks, registers;
	bool shows_more;              /* it says that it shows more than samples: all times are read */
	struct progress *progress;    /* of a source: what it counts; filled by its `start` */
	struct pp_error error;        /* what a function that returns -1 has filled */
	void *arg;                    /* the tool's own */
	uint64_t samples, kept;       /* samples read, samples written */
	/* Of a sink with `shares`, whose `end` fills it: stacks that it shows, and those that mostly have
	 * functions without a name; `unwound`, before that: they are made of raw stacks. */
	struct { uint64_t all, nameless; bool unwound; } shown;
	bool keeps_long;              /* features that no record can hold are shown, or saved */
	int status;                   /* exit status so far: 0, 1, 3 or 4; a tool may raise it */
};

/*
 * A filter: a predicate or a rewrite of one record.  `judge` answers PP_KEEP, PP_DROP, PP_STOP
 * (drop this one and end the stream here), or -1 with run->error.  It may change the bytes of
 * the record and may write records of its own through run->out before it returns.
 *
 * After a `start` that failed no other function of the tool is called: `end` and all others find
 * what `start` made.  So it is in sinks and sources too.
 */
struct filter {
	int (*judge)(struct run *, struct pp_record *);    /* NULL keeps all */
	/* What `judge` says of samples that follow each other, keep[i], from number `from` on and up to the
	 * number that it returns, which `judge` is to see itself; then it is asked of those after that, with
	 * the same batch and keep.  NULL: each is shown to `judge`. */
	uint32_t (*judge_batch)(struct run *, const struct pp_batch *, uint32_t from, bool *keep);
	bool batch_in_order;          /* time_order: it has to see samples in that order, too */
	/* Shown samples that follow each other, in place of `judge`; all of them are dropped: 0, or -1 with
	 * run->error, which ends the run; or NULL. */
	int (*take_batch)(struct run *, const struct pp_batch *);
	/* Shown each record as it comes, before it may have to wait for `judge`: a verdict, or -1 with
	 * run->error.  It may put another in its place.  NULL: KEEP. */
	int (*admit)(struct run *, struct pp_record *);
	bool admits_samples;          /* as they are: it need not see them */
	/*
	 * Shown each record in a pass of its own, before anything else: 0, or -1 with run->error.
	 * For what has to be known of the whole first; the input has to be a file then.
	 */
	int (*look_ahead)(struct run *, const struct pp_record *);
	/* In time order: after all that is released together was judged, before any of it is written. */
	int (*judged)(struct run *);
	/* In time order: a FINISHED_ROUND that was kept is due, and what follows it was judged: a
	 * verdict, or -1 with run->error.  NULL: it is written as it is. */
	int (*round)(struct run *, const struct pp_record *);
	int (*start)(struct run *);   /* after the stream header and seal 0, before any record */
	int (*end)(struct run *);     /* before the END seal */
	bool time_order;              /* judge in time order, write in stream order */
	bool sorted;                  /* judge and write in time order */
	uint64_t limit;               /* bytes held at most for that; 0: the library's 256 MiB */
	struct pp_budget *budget;     /* or: what it may hold together with what the tool keeps */
	bool keeps;                   /* `judge` copies records: what it was shown is not held any more */
	struct pp_cadence every;      /* sorted: new rounds; all 0: those that there are */
	const struct pp_sorter_options *whole;   /* sort all of it, instead; keeps all, `judge` is unused */
	bool opens;                   /* it opens files while it reads, or makes them: the run is not
				       * confined then (sandbox.h), but by run_confine() in its `start` */
	bool asks;                    /* names come from a process that was started before (names_start()) */
	bool as_read;                 /* it changes no bytes of a record where they lie; so without `judge` */
	bool raw;                     /* read raw: bytes as they are */
	bool source;                  /* what it makes of a file is sealed, as from every source */
	bool foreign;                 /* write the other byte order */
	void *arg;
};

/* A sink: the stream ends here. */
struct sink {
	int (*start)(struct run *);   /* as in a filter: where it fails nothing else is called */
	int (*record)(struct run *, struct pp_record *);   /* 0, 1 (enough: stop), or -1 */
	/* Shown samples that follow each other, in place of `record`, where there is neither `early` nor
	 * `chains` nor `time_order`: 0, or -1 with run->error, which ends the run; or NULL. */
	int (*batch)(struct run *, const struct pp_batch *);
	/* Shown each record as it comes, before it may have to wait for its time: 0, or -1 with
	 * run->error.  For what is said of earlier records, such as names; or NULL. */
	int (*early)(struct run *, const struct pp_record *);
	int (*tail)(struct run *, const void *, size_t);   /* pieces of the last record's tail; NULL skips */
	/* A record or the framing is damaged; error says where.  For tools that show it. */
	void (*damaged)(struct run *, const struct pp_error *);
	int (*end)(struct run *);
	int (*flush)(struct run *);   /* before a read that may block, and then run->text; or NULL */
	bool time_order;              /* show the records in the order of their times */
	/* Shows call chains: stacks in place of them are unwound (unwinding.h), by the files that functions
	 * are named by; NULL: they stay as they are. */
	const struct pp_symbols_options *chains;
	bool opens, asks;             /* as in a filter */
	bool threads;                 /* it starts threads */
	unsigned does;                /* PP_STAGE_ besides */
	/* Before the input is read, while files may be opened still: 0, or -1 with run->error; or NULL. */
	int (*opened)(struct run *);
	bool shares;                  /* shows what share of the samples things have: losses, and names that
				       * are missing, are reported */
	bool judges_losses;           /* reports these itself */
	uint64_t limit;               /* as in a filter */
	struct pp_budget *budget;
	const char *late;             /* what becomes of records too late for that: ": ..."; or NULL */
	/*
	 * What is wrong with the input is its subject: only `damaged` reports it, even if it is not
	 * a stream (run->stream is NULL then; only `start` and `end` are called besides), no
	 * remarks are made at the end, and status 3 is the sink's own to set.
	 */
	bool judges;
	bool raw;
	void *arg;
};

/* A source: a stream made of what is not one stream read here: of lines, of several inputs. */
struct source {
	int (*start)(struct run *);   /* opens what is read; where it fails the output is left as it was */
	/* Takes some more of that, and writes what comes of it to run->out: 1, 0 at the end, -1 with
	 * run->error; it is called again after an error that does not end the run.  NULL: all is done
	 * in `start`. */
	int (*next)(struct run *);
	/* Writes the end of the stream, says what is to be said; not after an error that ends the run. */
	int (*end)(struct run *);
	/* Says run->error, and where it is.  NULL: with the name of the input. */
	void (*say)(struct run *, const struct pp_error *);
	const char *many;             /* struct report */
	bool reads;                   /* common.input */
	bool bare;                    /* writes to run->fd itself: run->out is NULL */
	enum pp_sealing sealing;      /* of run->out */
	void *arg;
};

/*
 * Runs the tool from open to close by its common options (cli.h: common.input, .output ...) and
 * returns its exit status.  Damage is reported on stderr, the rest still delivered, status 3,
 * and the output ends with END and DAMAGED.
 */
int run_filter(const struct tool *, const struct filter *);
int run_sink(const struct tool *, const struct sink *);
int run_source(const struct tool *, const struct source *);
/*
 * In the run of a sink: reads other streams, NULL being standard input, by a sink of their own, from its
 * `start` to its `end`; its text and exit status are those of the run.  `opened` of the run's sink opens
 * them, its `start` has each read, in the same order.  0, or -1: nothing could be read, or the system failed,
 * which was reported.
 */
int run_open_other(struct run *, const char *path, const struct sink *);
int run_other(struct run *);

/*
 * Reads the input once more, beside run->in, which stays where it is: `look` is shown each record, until it
 * has seen enough, 1, or fails, -1 with run->error.  Damage is passed over: it is reported when it is met
 * again.  1: it had enough; 0: it was shown all; -1 and run->error, PP_E_USE where the input is a pipe.
 */
int run_look_ahead(struct run *, int (*look)(struct run *, const struct pp_record *, void *arg), void *arg);

/*
 * In the `start` of a filter or source that the run does not confine by itself: gives up what it does not
 * take (pp_sandbox_enter()), but for PP_STAGE_ that it `does`, and files below `written`, or NULL; unless
 * --no-sandbox says that it stays.  0, or -1 and run->error.
 */
int run_confine(struct run *, unsigned does, const char *written);
/* The same without a run, for a tool that reads text, and needs nothing from then on but open descriptors,
 * and maybe threads.  Exits where that fails. */
void text_confine(bool threads);
/* What a run does before the first byte of its input is read, for pp_reader_options and pp_mend_options, with
 * the run as ->arg: a pipe becomes as large as is permitted, and what is not needed is given up. */
int run_opened(void *run, int fd, struct pp_error *);

/* Reports run->error at once, as where a function returns -1; for a caller that continues. */
void run_report(struct run *);

/* How the command line wants the output sealed: --seal, --no-seal. */
enum pp_sealing run_sealing(void);
/* The flags of an END in an output: what the stages before knew, and what was met here. */
uint32_t run_end_flags(const struct run *);

#endif
