/* field_query.h - several fields of a record at once. */
#ifndef PP_FIELD_QUERY_H
#define PP_FIELD_QUERY_H

#include <perfpipe/perfpipe.h>

/* A field that is asked for; the first that means this counts, so the body before the trailer. */
struct pp_field_query {
	enum pp_meaning is;
	uint64_t value;
	const char *bytes;            /* of text and bytes, borrowed from the record */
	size_t length;
	bool there;
};
/* Fills in what the record has; damage only ends the search. */
void pp_lookup_fields(const struct pp_record *, struct pp_field_query *, size_t n);

#endif
