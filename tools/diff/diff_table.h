/* diff_table.h - what pp-diff found, as text, Markdown, CSV or JSON. */
#ifndef DIFF_TABLE_H
#define DIFF_TABLE_H

#include <perfpipe/perfpipe.h>

#include "diff/recordings.h"

enum diff_form { DIFF_TEXT, DIFF_MARKDOWN, DIFF_CSV, DIFF_JSON };

struct diff_part { const char *name; double before, after; };
struct diff_line {
	const char *kind, *name;      /* "function", and its name; "total", NULL */
	const struct pp_gate_unit *of;
	const char *note;             /* "new", "renamed", "inlined now"; NULL: there is nothing to say */
	struct diff_part *parts;      /* what was judged together, since code moved between these */
	size_t n_parts;
	char *moved;                  /* their names, which `name` is then */
};

struct diff_table {
	enum diff_form form;
	const struct diff_recording *recordings;
	size_t n_recordings, n_before;
	bool paired, windows;
	const char *unit;             /* of costs; NULL: they are ns */
	const char *per;              /* what costs are of; NULL: a run */
	double limit;                 /* of a change */
	bool all;                     /* show what is the same, not known or light, too */
	const struct diff_line *total;
	struct diff_line *lines;      /* which are sorted, by harm */
	size_t n;
};

void diff_table_write(struct diff_table *, struct pp_out *);

#endif
