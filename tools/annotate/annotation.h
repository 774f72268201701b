/* annotation.h - how pp-annotate writes a function: by line, by instruction, as perf does, as JSON Lines. */
#ifndef ANNOTATION_H
#define ANNOTATION_H

#include <perfpipe/perfpipe.h>

/* What a share is of: perf's --percent-type. */
struct annotation_shares { bool global, hits; };

/* In percent, of a line or an instruction of a function. */
double annotation_share(const struct annotation_shares *, const struct pp_annotated *, uint64_t period,
			uint64_t samples);
/* "local period" and its like. */
const char *annotation_shares_name(const struct annotation_shares *);

void annotation_write_lines(struct pp_annotate *, const struct pp_annotated *,
			    const struct annotation_shares *, struct pp_out *);
void annotation_write_code(const struct pp_annotated *, const struct annotation_shares *, struct pp_out *);
/* The columns of perf annotate --stdio. */
void annotation_write_stdio(const struct pp_annotated *, const struct annotation_shares *, struct pp_out *);
void annotation_write_json(struct pp_annotate *, const struct pp_annotated *,
			   const struct annotation_shares *, struct pp_out *);

#endif
