/*
 * annotate.h - which lines and which instructions of a function took the time.
 *
 * Samples are added up by the address that they were taken at.  At the end the heaviest functions are looked
 * at: their code, as the recorded file has it, is disassembled by libcapstone where that is installed, and
 * each address has its line, by debug information.  Here the instructions of the hottest function of a stream
 * that pp-sort(1) wrote:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/perfpipe.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		const struct pp_annotate_options how = { .size = sizeof(how) };
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &budget);
 *		struct pp_symbols *symbols = pp_symbols_new(NULL, tasks, &error);
 *		struct pp_annotate *sums = symbols ? pp_annotate_new(&how, symbols, &error) : NULL;
 *		const struct pp_annotated *function;
 *		struct pp_record record;
 *		int status;
 *
 *		while (in && sums && pp_reader_next(in, &record, &error) == PP_MORE)
 *			if (pp_tasks_note(tasks, &record, &error) ||
 *			    pp_symbols_note(symbols, &record, &error) ||
 *			    pp_annotate_note(sums, &record, &error))
 *				return pp_error_status(&error);
 *		if (!in || !sums || pp_annotate_settle(sums, &error))
 *			return 4;
 *		function = pp_annotate_function(sums, 0);
 *		for (size_t i = 0; function && i < function->n_places; i++)
 *			printf("%8" PRIu64 " %#" PRIx64 " %s\n", function->places[i].period,
 *			       function->places[i].address,
 *			       function->places[i].text ? function->places[i].text : "");
 *		status = pp_reader_status(in);
 *		pp_annotate_free(sums);
 *		pp_symbols_free(symbols);
 *		pp_tasks_free(tasks);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_ANNOTATE_H
#define PERFPIPE_ANNOTATE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/annotate.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/record.h>
#include <perfpipe/symbol.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All strings stay the caller's until pp_annotate_free(). */
struct pp_annotate_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *event;            /* only its samples; NULL: the first event that has any */
	const char *dsos;             /* "a,b": only functions in these files, by path or its last part */
	/* Only functions of this name, with or without its parameters; NULL: all. */
	const char *function;
	size_t most;                  /* so many functions, the heaviest; 0: 1 */
	const char *root;             /* files are below this folder; NULL: this machine's */
	bool debuginfod;              /* ask the servers of DEBUGINFOD_URLS for programs that are not here */
	/* A socket to a process that finds files (pp_namer_finder()), which pp_annotate_free() closes; 0:
	 * they are opened here. */
	int finder;
};

/* A line of source; one that is in several inlined calls is there for each function that it is in. */
struct pp_annotated_line {
	uint32_t part;                /* whose it is: index into ->parts */
	uint32_t line;                /* from 1; 0: not known */
	uint64_t period, samples;
};
/* Lines of one file that belong to one function: the function itself, or one that is inlined there. */
struct pp_annotated_part {
	const char *function;         /* "": not known */
	const char *file;             /* its path, as the compiler had it; "": not known */
	bool inlined;
	const char *call_file;        /* where the first of its calls is; "": not known */
	uint32_t call_line;
	uint32_t calls;               /* different lines that call it */
	size_t first, n;              /* of ->lines, by number */
	uint64_t period, samples;
};
/* An instruction; without code to look at, an address that was sampled. */
struct pp_annotated_place {
	uint64_t address;             /* as the file has it */
	uint32_t size;                /* bytes; 0: not known */
	uint32_t line;                /* 1 + index in ->lines; 0: not known */
	uint64_t period, samples;
	const char *text;             /* "addl $1, %eax"; NULL: not known */
	bool jumps, calls;
	bool aimed;                   /* it says an address that it leads to, or an operand is at: */
	uint64_t target;
	const char *target_name;      /* "memcpy@plt", "work+0x10"; NULL: not known */
};
/* A function, and all of this is valid until pp_annotate_free(). */
struct pp_annotated {
	const char *name, *dso, *event;
	uint64_t address, length;     /* of its code, as the file has it; length 0: not known */
	uint64_t period, samples;
	uint64_t all_period, all_samples;         /* of the event */
	const struct pp_annotated_place *places;  /* that ascend */
	size_t n_places;
	const struct pp_annotated_line *lines;    /* part by part, and by number; none: they are not known */
	size_t n_lines;
	const struct pp_annotated_part *parts;    /* the function itself first, then the heaviest */
	size_t n_parts;
	const char *lack;             /* why instructions have no text; NULL: they have */
};

struct pp_annotate;
/* Symbols outlive it (NULL: pp_annotate_symbols() gives them), and have no lines and no inlined functions by
 * their options: those are asked for at the end.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_annotate *pp_annotate_new(const struct pp_annotate_options *,
							 struct pp_symbols *, struct pp_error *);
PP_API void pp_annotate_free(struct pp_annotate *);    /* NULL is fine */
/* Begins anew, with no sample, for another look at a stream: for functions of this name in these files, as in
 * the options; their texts stay the caller's.  What was found before is not valid any more, and the symbols
 * are to be given. */
PP_API void pp_annotate_again(struct pp_annotate *, const char *function, const char *dsos);
/* Before the first sample: by which symbols. */
PP_API void pp_annotate_symbols(struct pp_annotate *, struct pp_symbols *);
/* Loads the library that disassembles now, as the caller may give up files.  pp_annotate_settle() says in
 * ->lack that it could not be loaded. */
PP_API void pp_annotate_load(void);
/* Takes the next record, after tasks and symbols took it.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_annotate_note(struct pp_annotate *, const struct pp_record *, struct pp_error *);
/* After the last one: finds the functions.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_annotate_settle(struct pp_annotate *, struct pp_error *);
/* After that: the i-th function, the heaviest first; NULL: there are no more. */
PP_API const struct pp_annotated *pp_annotate_function(const struct pp_annotate *, size_t i);
/* How many samples of the event there are, and how many of them are in no function that has a name. */
PP_API uint64_t pp_annotate_samples(const struct pp_annotate *, uint64_t *nameless);
/* A line of a source that a part names, without its end: valid until another file is asked for.  NULL: the
 * file is not here, or has no such line; or pp_annotate_failure(). */
PP_API const char *pp_annotate_source(struct pp_annotate *, const char *file, uint32_t line, size_t *length);
/* Why no source is read any more; NULL: nothing went wrong. */
PP_API const struct pp_error *pp_annotate_failure(const struct pp_annotate *);

#ifdef __cplusplus
}
#endif

#endif
