/* recording.h - what writers of all formats ask of a recording that is exported. */
#ifndef EXCHANGE_RECORDING_H
#define EXCHANGE_RECORDING_H

#include <perfpipe/export.h>

#include "base/array.h"

/* Adds a text of the input, and a zero byte that does not count, as UTF-8 without what pp_printable()
 * refuses: those bytes are \xNN.  0, or -1 and *error: memory. */
int pp_clean_text(struct pp_buffer *to, const char *text, struct pp_error *);

/* What is to be said of the whole, a line of clean text each: the program that writes, what was recorded,
 * where, what is lost or damaged, and notes.  `key` is a word or two: "host".  0, or -1 and *error: memory,
 * or what `line` says. */
typedef int pp_recording_line_fn(void *arg, const char *key, const char *value, struct pp_error *);
int pp_recording_about(const struct pp_export *, pp_recording_line_fn *line, void *arg, struct pp_error *);

/* A stack of an event. */
struct pp_recording_stack {
	uint32_t *places;             /* their numbers, the innermost first */
	size_t n, room;
	uint32_t thread;              /* for pp_fold_thread() */
	uint32_t cpu;                 /* UINT32_MAX: not known */
};
/* The one that ends in a node, without what is inlined; free ->places after the last one.  0, or -1 and
 * *error: memory. */
int pp_recording_stack(const struct pp_export_event *, uint32_t node, struct pp_recording_stack *,
		       struct pp_error *);

/* The number of the file of the program that was recorded, or that most places of programs are in; 0: none.
 * 0, or -1 and *error: memory. */
int pp_recording_program(const struct pp_export *, uint32_t *number, struct pp_error *);
/* From an offset in a file to the address that is shown: the file's own, or a process's. */
uint64_t pp_recording_bias(const struct pp_export *, const struct pp_place_file *);
/* The address of a place. */
uint64_t pp_recording_address(const struct pp_export *, const struct pp_code_place *);

#endif
