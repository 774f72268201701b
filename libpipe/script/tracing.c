/* tracing.c - what tracepoints say, by the kernel's own formats. */
#include "script/script.h"

#include <stdlib.h>

struct tracing { int x; };
struct tracing *pp_tracing_new(void) { return calloc(1, sizeof(struct tracing)); }
void pp_tracing_free_all(struct tracing *t) { free(t); }
void pp_tracing_watch(struct tracing *t, struct pp_reader *in) { (void)t; (void)in; }
void pp_print_trace(struct line *l) { (void)l; }
