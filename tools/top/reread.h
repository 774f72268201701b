/* reread.h - a recording in a file, at which somebody looks on a screen: it is read once more for each
 * question. */
#ifndef PP_REREAD_H
#define PP_REREAD_H

#include "shared/run.h"

/* Before the input is opened: whether it is a regular file. */
bool reread_is_file(void);
/* While files may be opened: all that functions are annotated with.  Exits where that fails. */
void reread_prepare(void);
/* While it may be read again: else a message says why not. */
bool reread_can(struct run *, char *why, size_t size);
/* Takes samples that match, as weigh_filter(), or that are in a span of time, FROM,TO as pp-filter has it,
 * from the next reading on; "": all.  NULL, or what is wrong, until the next call, at this byte; SIZE_MAX: in
 * all. */
const char *reread_filter(const char *expression, size_t *at);
const char *reread_span(const char *span);
/* What was taken last; NULL: none. */
const char *reread_filter_text(void);
const char *reread_span_text(void);
/* Adds its samples up anew, until the caller has seen enough.  0, or -1 and run->error. */
int reread_all(struct run *, bool (*goes_on)(void));
/* The same, and then a function of it by line or by instruction, as pp-annotate writes it, for the caller to
 * free; an empty text: there is none.  NULL and run->error. */
char *reread_annotate(struct run *, const char *function, const char *object, bool code,
			 bool (*goes_on)(void));
void reread_free(void);

#endif
