/* waits.h - the waits of threads: from where a thread leaves its processor until it runs again. */
#ifndef WAITS_H
#define WAITS_H

#include <perfpipe/span.h>

/* Their presets: whole waits, and the parts of them from the waking on. */
enum { WAITS_OFF_CPU, WAITS_OF_WAKEUPS, WAITS_PRESETS };
extern const char *const pp_waits_presets[];

/* As the functions of span.h with these names; the options are valid. */
struct pp_waits;
struct pp_waits *pp_waits_new(const struct pp_span_options *, struct pp_reader *, struct pp_error *);
void pp_waits_free(struct pp_waits *);
int pp_waits_admit(struct pp_waits *, const struct pp_record *, struct pp_writer *, struct pp_error *);
int pp_waits_judge(struct pp_waits *, const struct pp_record *, struct pp_writer *, struct pp_error *);
int pp_waits_end(struct pp_waits *, struct pp_writer *, struct pp_error *);
const struct pp_span_stats *pp_waits_stats(const struct pp_waits *);

#endif
