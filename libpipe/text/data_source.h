/* data_source.h - where data came from, in the words of perf mem. */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty.  What has no room is left out. */
struct pp_words { char text[512]; size_t length; };

void pp_words_add(struct pp_words *, const char *text);
/* Each adds what a perf_mem_data_src says of its subject. */
void pp_input_op(struct pp_words *, uint64_t source);
void pp_input_level(struct pp_words *, uint64_t source);
void pp_input_level_6_1(struct pp_words *, uint64_t source);
void pp_input_snoop(struct pp_words *, uint64_t source);
void pp_input_tlb(struct pp_words *, uint64_t source);
void pp_input_lock(struct pp_words *, uint64_t source);
void pp_input_blocked(struct pp_words *, uint64_t source);
/* "4K", or N/A. */
void pp_words_page_size(struct pp_words *, uint64_t size);

#endif
