/* lines.h - the lines of a table or a tree of what is going on. */
#ifndef LINES_H
#define LINES_H

#include "shared/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lines_view { LINES_TABLE, LINES_TREE };

/* Columns by which lines can be in order. */
enum lines_sort { SORT_OVERHEAD, SORT_SAMPLES, SORT_OBJECT, SORT_SYMBOL, SORTS };
extern const char *const lines_sorts[SORTS];

struct line {
	const char *overhead;         /* "12.34%" */
	uint64_t samples;
	const char *comm, *object, *symbol;
	/* for those who move among them */
	uint64_t key;                 /* the same for the same line, whenever it is asked for */
	bool opens, is_open;          /* there are lines below it; they are shown */
};

/* Which of them have open lines below them, by their keys. */
struct lines_open {
	uint64_t *keys;
	size_t count, room;
};

struct lines_how {
	enum lines_view view;
	enum lines_sort sort;
	bool by_comm;                 /* tasks of other names have lines of their own */
	struct lines_open *open;      /* NULL: lines are not opened */
	double open_from;             /* a tree has all that has this share of the whole; 0: what is open */
	size_t most;                  /* lines at most of the first level; 0: all */
};

/* Rows are struct line; ends with a NULL name. */
extern const struct column lines_columns[];

struct pp_profile;
/* The lines, the texts in them included, until the next call.  NULL and *count 0: there are none.  Ends
 * the process where there is no memory. */
const struct line *lines_make(struct pp_profile *, const struct lines_how *, size_t *count);
bool lines_is_open(const struct lines_open *, uint64_t key);
void lines_toggle(struct lines_open *, uint64_t key);
void lines_free(struct lines_open *);

#endif
