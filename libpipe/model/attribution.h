/* attribution.h - which file a build-id is of that a record gives for a name alone. */
#ifndef PP_ATTRIBUTION_H
#define PP_ATTRIBUTION_H

#include "base/array.h"
#include "model/mapped_files.h"

/*
 * Who mixes records, or moves them, has to know this before: among the maps of other streams, or before
 * those that it came after, such a record would mean another file.  All zero at first.
 */
struct pp_attribution {
	struct pp_budget budget;
	struct pp_spaces spaces;
	struct pp_files *files;
	struct pp_buffer waiting;     /* records of names that nothing is mapped of yet */
};
void pp_attribution_close(struct pp_attribution *);
/* Looks at a map, before what is of it.  If it is the first of a file that a waiting record is of: 1 and
 * that record, which says so, in `made`, which has PP_RECORD_MAX + 1 bytes.  0, or -1 and *error. */
int pp_attribution_map(struct pp_attribution *, const struct pp_record *map, uint8_t *made,
		       struct pp_record *, struct pp_error *);
/*
 * Looks at a HEADER_BUILD_ID.  0: it says which file it is of, or needs not; 1: the record in `made`, which
 * says so, takes its place; 2: it is of nothing that was mapped so far, or of one of several files: it is not
 * written; -1 and *error.
 */
int pp_attribution_build_id(struct pp_attribution *, const struct pp_record *, uint8_t *made,
			    struct pp_record *, struct pp_error *);

#endif
