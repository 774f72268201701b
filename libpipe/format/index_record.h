/* index_record.h - the bytes of index records, to make them; reading is <perfpipe/index.h>. */
#ifndef PP_INDEX_RECORD_H
#define PP_INDEX_RECORD_H

#include <perfpipe/index.h>

/* Bytes before the part of the body in a record, of the longest part, of the root, and where its sum is. */
enum { PP_INDEX_HEAD = 24, PP_INDEX_PART = 65504, PP_INDEX_ROOT = 128, PP_INDEX_SUM = 120 };

/* Makes the header of part `number` of the body, with `bytes` of it, at most PP_INDEX_PART; the size of the
 * record. */
size_t pp_index_part_head(uint8_t data[PP_INDEX_HEAD], uint32_t number, uint32_t bytes);
void pp_index_root_make(uint8_t data[PP_INDEX_ROOT], const struct pp_index_root *);

#endif
