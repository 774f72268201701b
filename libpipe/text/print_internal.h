/* print_internal.h - parts of print_json.c for those in the library who print more than whole records. */
#ifndef PP_PRINT_INTERNAL_H
#define PP_PRINT_INTERNAL_H

#include <perfpipe/perfpipe.h>

/*
 * Writes the structure of that name in a record in host order as a JSON object, "{}" where there
 * is none.  0, or -1 where the record is damaged: then `out` holds a valid object still.
 */
int pp_print_json_struct(struct pp_out *out, const struct pp_record *rec, const char *name);

#endif
