/* ksymbols.h - functions that the kernel was given while it ran, such as BPF programs, as a stream's
 * KSYMBOL records tell of them. */
#ifndef SYMBOL_KSYMBOLS_H
#define SYMBOL_KSYMBOLS_H

#include "base/array.h"
#include "model/mapped_files.h"
#include "model/task_table.h"

struct pp_ksymbols {
	struct pp_budget budget;
	struct pp_spaces spaces;
	struct pp_space *space;
	uint32_t *names;              /* of each, where its name is in `text` */
	size_t n, room;
	struct pp_buffer text;
	bool full;                    /* no more are taken, but old ones go */
};
void pp_ksymbols_free(struct pp_ksymbols *);
/* Takes a KSYMBOL record: 1, 0: it is not whole, -1 and *error: memory. */
int pp_ksymbols_note(struct pp_ksymbols *, const struct pp_record *, struct pp_error *);
/* The name of the one at an address, and where it begins; NULL: there is none. */
const char *pp_ksymbols_at(const struct pp_ksymbols *, uint64_t address, uint64_t *start);

#endif
