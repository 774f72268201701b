/* distinct.h - what records have in common, by the values of some fields. */
#ifndef DISTINCT_H
#define DISTINCT_H

#include <perfpipe/perfpipe.h>

/* A hash of the record's values of these fields, never UINT64_MAX; a missing value counts as a value. */
uint64_t pp_first_key(const struct pp_first *, const struct pp_record *, const struct pp_query_facts *);

#endif
