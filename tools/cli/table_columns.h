/* table_columns.h - tables for people and for programs: one table of columns, which all forms read. */
#ifndef PP_TABLE_COLUMNS_H
#define PP_TABLE_COLUMNS_H

#include <perfpipe/perfpipe.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tool describes its rows once, as columns of a struct:
 *
 *	struct hit { const char *comm; uint64_t samples; };
 *
 *	static const struct column hits[] = {
 *		{ .name = "comm", COLUMN(TEXT, struct hit, comm), .width = -16 },
 *		{ .name = "samples", COLUMN(NUMBER, struct hit, samples), .width = 8 },
 *		{ .name = NULL }
 *	};
 *
 * and chooses from it what it shows, in which order (all of it; what --fields says; what a form
 * wants), as text, CSV or JSON.  Rows stay the caller's, also the texts in them.
 */
enum column_kind {
	COLUMN_TEXT,            /* const char *; NULL: absent */
	COLUMN_NUMBER,          /* uint64_t */
	COLUMN_INT,             /* int32_t */
	COLUMN_HEX,             /* uint64_t, as 0x1f: addresses, ids; a string in JSON */
	COLUMN_TIME,            /* uint64_t, ns, in CSV and for people seconds; UINT64_MAX: absent */
	COLUMN_TENTHS,          /* uint64_t: 25 is 2.5 */
	COLUMN_FLAG,            /* bool; false is absent */
	COLUMN_ANSWER,          /* int32_t: 0: false, above it true; below it: absent */
	COLUMN_DOUBLE,          /* double, in as few digits as read back; NAN is absent */
};

struct column {
	const char *name;       /* as --fields, JSON and the header of CSV have it; NULL ends the table */
	enum column_kind kind;
	size_t at;              /* where in a row the value is */
	int width;              /* in aligned text, at least; below 0: to the left */
	/* In a line for people: */
	const char *label;      /* it begins a line, with this before it; NULL: it goes on */
	const char *before, *after;
	bool optional;          /* absent there where it is 0 */
};

#define COLUMN(what, row, member) .kind = COLUMN_##what, .at = offsetof(row, member)

enum { COLUMNS_MOST = 48 };

/* Those that are shown, in their order; empty at first. */
struct columns {
	const struct column *items[COLUMNS_MOST];
	struct { size_t length; char text[40]; } keys[COLUMNS_MOST];    /* ,"name": for JSON; 0: too long */
	size_t count;
};

/*
 * Chooses "name,name"; NULL chooses all.  Returns NULL or, as the parser of an option does, the end
 * of a sentence that begins with `names`.
 */
const char *columns_choose(struct columns *, const struct column *table, const char *names);

/* Aligned text: a header of the names in capitals, and rows of it.  The last column is not padded. */
void columns_head(struct pp_out *, const struct columns *);
void columns_row(struct pp_out *, const struct columns *, const void *row);

/* CSV as in RFC 4180: lines end in CR LF, what has a comma or a quote is quoted.  What is not
 * printable is \xNN here, as in text; so no cell has a line's end. */
void columns_csv_head(struct pp_out *, const struct columns *);
void columns_csv(struct pp_out *, const struct columns *, const void *row);

/* The members of a JSON object, without its braces: `"comm":"nginx","samples":12`.  Numbers above
 * 2^53 are strings, since jq would round them; a text that is not UTF-8 is null. */
void columns_json(struct pp_json *, const struct columns *, const void *row);

/* Lines for people, as pp-info prints them: a label, then values with the text around them. */
void columns_lines(struct pp_out *, const struct columns *, const void *row);
/* The label alone, padded; "" where a line goes on with what the line before was about. */
void columns_label(struct pp_out *, const char *label);

#endif
