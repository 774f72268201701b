/* top_rows.h - the lines of a table or a tree of what is going on. */
#ifndef PP_TOP_ROWS_H
#define PP_TOP_ROWS_H

#include "cli/table_columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lines_view { LINES_TABLE, LINES_TREE };

/* Cells of a line of functions or of the tree; with keys of pp-report the columns are those of the report. */
enum { CELL_OVERHEAD, CELL_SAMPLE, CELL_COMM, CELL_DSO, CELL_SYMBOL, CELLS_MOST = 32 };

struct top_line {
	const char *cells[CELLS_MOST];
	const char *function;         /* that it is about; NULL: none */
	const char *object;           /* the path of its file; NULL: not known */
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
	size_t sort;                  /* by which column lines are in order: lines_sort_name() */
	bool by_comm;                 /* tasks of other names have lines of their own */
	struct pp_report *report;     /* lines of a table have its keys; NULL: they are functions */
	const char *event;            /* whose table of it */
	struct lines_open *open;      /* NULL: lines are not opened */
	double open_from;             /* a tree has all that has this share of the whole; 0: what is open */
	size_t most;                  /* lines at most of the first level; 0: all */
};

/* The columns of a table or tree; their rows are struct top_line. */
void lines_choose(struct columns *, const struct lines_how *);
/* The name of the order that is number how->sort, from 0 on; NULL: there are no more. */
const char *lines_sort_name(const struct lines_how *);

struct pp_profile;
/* The lines, the texts in them included, until the next call; of a report that was updated.  NULL and
 * *count 0: there are none.  Ends the process where there is no memory. */
const struct top_line *lines_make(struct pp_profile *, const struct lines_how *, size_t *count);
void lines_toggle(struct lines_open *, uint64_t key);
void lines_free(struct lines_open *);

#endif
