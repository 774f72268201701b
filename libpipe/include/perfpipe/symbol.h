/*
 * symbol.h - names of addresses: symbol, offset, file, line, inlined callers.
 *
 * What the stream itself says comes first (<perfpipe/names.h>, kernel symbols in KSYMBOL records), then
 * the files of this machine, of which only those count whose build-id is the one that was recorded, or,
 * where none was, that have the inode that was and were not changed since.
 * Files are opened when an address in them is first asked for, and each address is looked up once.
 *
 * Maps and names are those of a time, so that records are noted in the order of their times, by
 * pp_tasks_note() and then pp_symbols_note(); names in the stream count from when pp_symbols_learn() is
 * shown them, which may be as soon as they are read.  Here a stream that pp-sort(1) wrote:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/perfpipe.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
 *		struct pp_symbols *symbols = pp_symbols_new(NULL, tasks, &error);
 *		struct pp_record record;
 *		struct pp_location place;
 *		uint32_t pid, tid;
 *		uint64_t ip;
 *		int status = 4;
 *
 *		while (in && symbols && pp_reader_next(in, &record, &error) == PP_MORE) {
 *			if (pp_tasks_note(tasks, &record, &error) ||
 *			    pp_symbols_note(symbols, &record, &error))
 *				return pp_error_status(&error);
 *			if (record.type == PP_REC_SAMPLE && pp_task(&record, &pid, &tid) &&
 *			    pp_ip(&record, &ip) &&
 *			    pp_symbols_at(symbols, pid, record.misc & PP_MISC_CPUMODE, ip, &place,
 *					  &error) == 1)
 *				printf("%s\n", place.frames[0].symbol);
 *		}
 *		if (in && symbols)
 *			status = pp_reader_status(in);
 *		pp_symbols_free(symbols);
 *		pp_tasks_free(tasks);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_SYMBOL_H
#define PERFPIPE_SYMBOL_H

#ifndef PP_UNSTABLE
#error "<perfpipe/symbol.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/names.h>
#include <perfpipe/say.h>
#include <perfpipe/tasks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_demangle {
	PP_DEMANGLE_FULL,             /* with the types of parameters */
	PP_DEMANGLE_SHORT,            /* without */
	PP_DEMANGLE_NO,               /* names as linkers know them */
};

/* All strings stay the caller's until pp_symbols_free(). */
struct pp_symbols_options {
	size_t size;                  /* of this struct: what a caller sets first */
	bool no_files;                /* only what the stream says */
	const char *root;             /* files are below this folder; NULL: this machine's */
	bool debuginfod;              /* ask the servers of DEBUGINFOD_URLS for what is missing here */
	unsigned deadline;            /* of all questions to them, in seconds; 0: 30.  The library takes
	                                 it from DEBUGINFOD_MAXTIME, which is set for that */
	bool no_inline;               /* symbols alone: debug information is only read for `lines` */
	bool lines;                   /* also the lines */
	bool lines_of_files;          /* the same of files that are read for names anyway: for names that the
				       * stream has none are read */
	enum pp_demangle demangle;    /* of names that are not the stream's own */
	const char *const *strip;     /* prefixes that names of sources lose; NULL, or ends with NULL */
	/* Bytes for what was read of files, and as many for names; 0: 256 MiB.  Names that files have are
	 * looked up again where there were too many; for those that the stream has there is half of it,
	 * and others count as not said, which is said. */
	uint64_t memory;
	struct pp_say say;            /* files that are missing, or other ones: once each */
	/*
	 * Read files in a child process of its own, which is started when the first is read and has
	 * nothing but what it is handed: no file that it could open, no system call that it does not
	 * need, as far as this kernel can take them away.  A file that ends it is passed over, which is
	 * said, as what is lost.  What the caller has open is closed there; its end is waited for by
	 * pp_symbols_free().
	 */
	bool isolate;
	/* Of CPU that one file may take then, in all; 0: 60.  A second more for each 4 MiB of it, and 1 ms
	 * for each address of a further question. */
	unsigned seconds;
	/* A folder, which is made if it and the one that it is in are not there: the names of the running
	 * kernel's functions are kept in it, by its build-id, for the next time, and with `isolate` what
	 * files said, for as long as they do not change.  NULL: nothing is, nor in a folder that is not the
	 * user's own, or is in one of another user's. */
	const char *cache;
	/* Also what data instructions access, of x86-64 and as far as debug information in files tells:
	 * streams have none of it. */
	bool data;
	/* A process that was started before: it finds files, and has them read as with `isolate`; NULL: this
	 * one does.  With it, the options that are texts (root, strip, cache) are those of pp_namer_new(). */
	struct pp_namer *namer;
	bool whole_paths;             /* of sources, whose paths may begin in the folder of their compiler */
};
enum {
	PP_ISOLATED_PROCESS = 1 << 0, /* there is such a process */
	PP_ISOLATED_CALLS   = 1 << 1, /* with a filter of system calls (seccomp) */
	PP_ISOLATED_FILES   = 1 << 2, /* without any way to files (Landlock) */
};

/*
 * A process that finds files and has them read, for one that gives up the right to open any before it reads
 * the stream that names them: pp_sandbox_enter(), with PP_STAGE_TALKS.  It serves one pp_symbols after the
 * other.  Only the process that started it may ask it.
 */
struct pp_namer;
/* Starts it, with a copy of the options and their texts.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_namer *pp_namer_new(const struct pp_symbols_options *, struct pp_error *);
/* Ends it, and waits for its end.  Each pp_symbols that asks it is freed before.  NULL is fine. */
PP_API void pp_namer_free(struct pp_namer *);
/* Has it start a process that finds files: a socket to that process, for `finder` of pp_unwind_options; or -1
 * and errno. */
PP_API PP_MUST_CHECK int pp_namer_finder(struct pp_namer *);
/* For a process that was forked later, and has a copy of this: it will not ask the namer.  The namer runs on,
 * for the process that started it. */
PP_API void pp_namer_leave(struct pp_namer *);

struct pp_symbols;
/* Reads maps from `tasks` (with PP_TASKS_MAPS and BUILD_IDS), which is noted first and outlives it.
 * `options` NULL: the defaults.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_symbols *pp_symbols_new(const struct pp_symbols_options *,
						       struct pp_tasks *tasks, struct pp_error *);
PP_API void pp_symbols_free(struct pp_symbols *);      /* NULL is fine */
/* Takes the next record, in time order: kernel symbols, maps, names.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_symbols_note(struct pp_symbols *, const struct pp_record *,
					 struct pp_error *);
/* Takes names out of a record, as soon as it is read; other records are ignored.  It may be shown to
 * pp_symbols_note() again.  0, or -1 and *error: memory, or a record that is damaged. */
PP_API PP_MUST_CHECK int pp_symbols_learn(struct pp_symbols *, const struct pp_record *,
					  struct pp_error *);

/* What is at an address.  Valid until the next call with these symbols. */
struct pp_location {
	const char *dso;              /* name of the file, of the map, "[kernel.kallsyms]"; NULL: none */
	uint64_t offset;              /* in that, as mapped; of the kernel: from its start */
	uint64_t into;                /* how far into the symbol: what follows "main+" */
	/* From the innermost function to the symbol itself; those before the last are inlined.  Symbol
	 * and file are never NULL, and "" where they are not known; longer ones are cut after 4,096 bytes
	 * and end in "...#" and a sum of all of it.  `count` is 0 where nothing is. */
	const struct pp_named_frame *frames;
	size_t count;
	bool of_stream;               /* the stream says so, and no file of this machine */
	uint32_t file;                /* for pp_symbols_later(); 0: in none */
	uint64_t linked;              /* the address that the file says it has there; 0: not known */
	/* With `data`: the type of what the instruction there accesses, as perf calls it ("struct list");
	 * NULL: it accesses nothing, or that is not known. */
	const char *type;
	/* Where in it that is: the path to the member ("head.next"; "": it has no members), and bytes.
	 * NULL: instead of a type there is "(stack operation)" or "(stack canary)". */
	const char *member;
	uint32_t type_offset;
};
/*
 * Looks up the address of a sample, or of its chain, at the time of what was noted last; `cpumode` is
 * that of the sample, or of the part of the chain.  Addresses are taken as they are, also those of
 * callers, as perf takes them.  1; 0: no name is known, but place->dso may be; -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_symbols_at(struct pp_symbols *, uint32_t pid, unsigned cpumode,
				       uint64_t address, struct pp_location *, struct pp_error *);

/*
 * The names of a place whose offset and file pp_symbols_at() said, by what is known now: names may come
 * later in a stream than the samples that need them.  Its dso is NULL.  1, or 0: still none.
 */
PP_API int pp_symbols_later(struct pp_symbols *, uint32_t file, uint64_t offset, struct pp_location *);

/* ---- For many addresses at once, and to write names into a stream ---- */

/* Calls `fn` with the addresses of a record that names are asked of, the instruction's, those of its data
 * and branches, and the call chain's: `n` of them that have one mode, u64, unaligned.  0, or -1 if `fn`
 * returns it. */
typedef int pp_symbols_hit_fn(void *arg, uint32_t pid, unsigned cpumode, const void *addresses, size_t n,
			   struct pp_error *);
PP_API PP_MUST_CHECK int pp_symbols_hits(const struct pp_record *, pp_symbols_hit_fn *fn, void *arg,
					 struct pp_error *);
/* Remembers addresses, as pp_symbols_hits() finds them, that will be looked up, unless they are known.  0;
 * 1: so many are known and wanted that it is time for pp_symbols_resolve(); -1 and *error. */
PP_API PP_MUST_CHECK int pp_symbols_want(struct pp_symbols *, uint32_t pid, unsigned cpumode,
					 const void *addresses, size_t n, struct pp_error *);
/*
 * Looks up what is wanted, file by file. `put` (may be NULL) is handed names records with what was not
 * known before, each at most 65,528 bytes, gone after the call; it returns 0, or -1 and *error.  `last`:
 * the stream is at its end; until then, where it has names of its own, what has none yet is left, since
 * the stream may still say it.  0, or -1 and *error.
 */
typedef int pp_symbols_put_fn(void *arg, const void *record, size_t size, struct pp_error *);
PP_API PP_MUST_CHECK int pp_symbols_resolve(struct pp_symbols *, bool last, pp_symbols_put_fn *put,
					    void *arg, struct pp_error *);

/*
 * Names records that wait for their place in a stream, the first first.  Beyond the budget they are in a file
 * without a name in TMPDIR.  pp_names_waiting_put() is a pp_symbols_put_fn, whose `arg` they are.
 */
struct pp_names_waiting;
PP_API PP_MUST_CHECK struct pp_names_waiting *pp_names_waiting_new(struct pp_budget *);   /* NULL: memory */
PP_API void pp_names_waiting_free(struct pp_names_waiting *);  /* NULL is fine */
PP_API PP_MUST_CHECK int pp_names_waiting_put(void *waiting, const void *record, size_t size,
					      struct pp_error *);
PP_API bool pp_names_waiting_any(const struct pp_names_waiting *);
/* Takes out the first, which is valid until the next call: 1; 0: there is none; -1 and *error. */
PP_API PP_MUST_CHECK int pp_names_waiting_next(struct pp_names_waiting *, const void **record, size_t *size,
					       struct pp_error *);
/* Adds them to a record of names that the stream has already, as many as there is room for, and shows it
 * likewise: 1; 0: none; -1 and *error. */
PP_API PP_MUST_CHECK int pp_names_waiting_join(struct pp_names_waiting *, const struct pp_record *,
					       const void **record, size_t *size, struct pp_error *);

/*
 * What tracepoints say, in the kernel's own formats, which come in the stream's tracing data.  Addresses of
 * the kernel get names, if there are `symbols`: perf has them of files, but not of streams.
 */
struct pp_trace_texts;
struct pp_reader;
struct pp_out;
/* NULL: memory. */
PP_API PP_MUST_CHECK struct pp_trace_texts *pp_trace_texts_new(struct pp_symbols *symbols);
PP_API void pp_trace_texts_free(struct pp_trace_texts *);    /* NULL is fine */
/* Loads the library that reads formats now, rather than at the first tracepoint, when the caller may have
 * given up files.  Where the library cannot be loaded, pp_trace_texts_lack() says so later. */
PP_API void pp_trace_texts_load(void);
/* Takes the tracing data of a stream, from now on.  Before its first record is read. */
PP_API void pp_trace_texts_watch(struct pp_trace_texts *, struct pp_reader *);
/* Prints what the sample of a tracepoint says, or nothing, without a newline; or has it at *text, until the
 * next call.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_trace_text_print(struct pp_trace_texts *, const struct pp_record *,
					     struct pp_out *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_trace_text(struct pp_trace_texts *, const struct pp_record *, const char **text,
				       size_t *length, struct pp_error *);
/* Why tracepoints were printed as the fields that they have, not as their formats say it: the reason, such as
 * "libtraceevent.so.1 cannot be loaded"; NULL: none was. */
PP_API const char *pp_trace_texts_lack(const struct pp_trace_texts *);

/* ---- Places by number: what is kept of them, once each ---- */

struct pp_places;
/* A file that places are in. */
struct pp_place_file {
	const char *dso;              /* its name, as in struct pp_location */
	enum pp_names_kind kind;      /* a file, the kernel or a module of it, or memory of a process */
	uint32_t pid;                 /* of that process */
	uint32_t maj, min;
	uint64_t ino, ino_generation; /* 0: not known */
	uint8_t build_id[20], build_id_size;   /* size 0: not known */
	/* Offsets that its mappings have whose addresses were met: from the first executable one on; of the
	 * kernel from its start; in memory of a process addresses. */
	uint64_t begin, end;
	uint64_t bias;                /* from an offset to the address that the file says; 0: not known */
	uint64_t base;                /* or, with `own`, to that which the process has */
};
struct pp_code_place {
	const char *function, *source;    /* NULL: not known */
	/* The same for the same text, from 1; 0: not known.  Those of both are of one row. */
	uint32_t function_number, source_number;
	uint32_t line;                /* 0: not known */
	/* What is inlined at an address are places beside its own, each into the next: */
	uint32_t into;                /* the place that this one is inlined into; 0: none */
	uint32_t inner;               /* the innermost of those that are inlined here; 0: none */
	uint32_t file;                /* for pp_places_file(); 0: nothing is mapped there */
	uint64_t offset;              /* in that; without a file, or one that has a name of the stream alone,
				       * the address */
	uint64_t linked;              /* as in struct pp_location */
	uint32_t past;                /* bytes from the start of its symbol, where it has a name */
	unsigned kind;                /* the maker's: of a fold the enum pp_flame_kind of its file */
	unsigned cpumode;
};
/* `own`: places in two processes are two, and each mapping is a file.  NULL: memory. */
PP_API PP_MUST_CHECK struct pp_places *pp_places_new(bool own);
PP_API void pp_places_free(struct pp_places *);        /* NULL is fine */
/* How many places there are, whose numbers begin with 1, and what one is: texts live as long as all. */
PP_API uint32_t pp_places_count(const struct pp_places *);
PP_API void pp_places_at(const struct pp_places *, uint32_t number, struct pp_code_place *);
/* The same of files; NULL for 0, and valid until another place is added. */
PP_API uint32_t pp_places_files(const struct pp_places *);
PP_API const struct pp_place_file *pp_places_file(const struct pp_places *, uint32_t number);

struct pp_symbols_stats {
	uint64_t addresses;           /* that were looked up in files; again, where names were forgotten */
	uint64_t named;               /* of those: a symbol was found */
	uint64_t from_stream;         /* addresses that names in the stream are about */
	uint64_t files;               /* that were opened */
	unsigned isolated;            /* PP_ISOLATED_: how they are read */
};
PP_API const struct pp_symbols_stats *pp_symbols_stats(const struct pp_symbols *);

#ifdef __cplusplus
}
#endif

#endif
