/* pairs.h - spans from a sample of one event to the next of another that has the same key. */
#ifndef PAIRS_H
#define PAIRS_H

#include <perfpipe/span.h>

/* A preset of such spans, by its name; or NULL. */
struct pp_pair_preset {
	const char *name, *from, *to, *by;
	const char *shown;            /* a field of what begins it: the address of its sample; or NULL */
	const char *result;           /* a field of what ends it: the weight of its sample; or NULL */
};
const struct pp_pair_preset *pp_pair_preset(const char *name);
/* The i-th; NULL past the last. */
const struct pp_pair_preset *pp_pair_preset_at(size_t i);

/* As the functions of span.h with these names. */
struct pp_pairs;
struct pp_pairs *pp_pairs_new(const struct pp_span_options *, struct pp_reader *, struct pp_error *);
void pp_pairs_free(struct pp_pairs *);
int pp_pairs_admit(struct pp_pairs *, const struct pp_record *, struct pp_writer *, struct pp_error *);
int pp_pairs_judge(struct pp_pairs *, const struct pp_record *, struct pp_writer *, struct pp_error *);
int pp_pairs_end(struct pp_pairs *, struct pp_writer *, struct pp_error *);
const struct pp_span_stats *pp_pairs_stats(const struct pp_pairs *);

#endif
