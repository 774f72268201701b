/* diagnostics.h - what is said about an input: where it is damaged, and at the end what else it is. */
#ifndef PP_DIAGNOSTICS_H
#define PP_DIAGNOSTICS_H

#include <perfpipe/perfpipe.h>

/* The damage of one input; all zero at first. */
struct report {
	const char *many;             /* what is damaged, of many; NULL: "damaged places" */
	uint64_t places;              /* so far */
};

/* Says "NAME: ERROR", unless much was said before, and raises *status to what it means. */
void report_error(struct report *, const char *name, const struct pp_error *, int *status);

/* The first half of that, for one who says it in other words: whether it is to be said. */
bool report_counts(struct report *, const struct pp_error *, int *status);

/* At the end: how much damage there was, if not all was said. */
void report_damage(const struct report *, const char *name);

/* At the end: what the stacks weighed that were dropped to save memory; 0: nothing is said. */
void report_dropped(uint64_t weight);

/* Once: that tracepoints are shown in other words than perf's, and why; `lack` NULL: they are not. */
void report_trace_lack(const char *lack);

/* What confines this process: PP_SANDBOX_ of it. */
void report_sandbox(unsigned holds);
/* What the kernel lacks to confine this process, which reads files that others found. */
void report_reading(bool calls, bool files);
/* What the kernel lacks to confine those who read files: PP_ISOLATED_ of it; 0: none were read. */
void report_isolation(unsigned isolated);

/* At the end: what a reader learnt of the stream; raises *status where that is damage. */
void report_stream(const char *name, const struct pp_stream *, int *status);

#endif
