/* parser.h - what the files share that turn the words after -e into events. */
#ifndef PP_PARSER_H
#define PP_PARSER_H

#include "base/procfs.h"
#include "attr/event_list.h"

/* What is being read.  Pieces of the text are found by their ends, so that a mistake has a place. */
struct pp_parser {
	struct pp_events *events;
	const char *text;             /* all of it */
	const char *at;               /* where the mistake is, once there is one */
	struct pp_error *error;
	bool pfm_alone;               /* names are libpfm4's, and no others */
	struct pp_names pmus;         /* all there are, once a name was looked for in each */
};
struct pp_slice { const char *at, *end; };

/* ---- parser.c ---- */

/* The mistake, in words, and where it begins.  -1. */
int pp_words_fail(struct pp_parser *, const char *at, const char *format, ...) PP_PRINTF(3, 4);
int pp_words_no_memory(struct pp_parser *);
/* The piece as a string that is cut to what fits; false: it was cut. */
bool pp_piece_text(struct pp_slice, char *text, size_t size);
/* The piece without blanks around it. */
struct pp_slice pp_piece_trim(struct pp_slice);
/* An event without terms and modifiers, of which the name is the piece.  NULL: no memory. */
struct pp_event *pp_words_event(struct pp_parser *, struct pp_slice name);

/* ---- modifiers.c: modifiers ---- */

/* Whether all of it are modifiers, none of them twice. */
bool pp_modes_right(struct pp_slice);
/* Applies them: to what the attribute says already (`more`, as for a group's), or instead of it. */
void pp_modes_apply(struct pp_event *, struct pp_slice, bool more);

/* ---- generic_events.c: what has the same name, or number, on every machine ---- */

/* "cycles", "L1-dcache-load-misses" in any of its spellings, "r1a8". */
bool pp_event_generic(const char *name, uint32_t *type, uint64_t *config);
/* "mem:0x1000/8:rw" up to its modifiers, where *rest is then. */
int pp_words_breakpoint(struct pp_parser *, struct pp_slice, const char **rest);

/* ---- terms.c: what stands between slashes ---- */

enum { PP_TERMS_MOST = 64 };
struct pp_term {
	char name[64], value[192];
	bool valued;                  /* "NAME=VALUE" */
	bool used;                    /* it was the value of a parameter */
	const char *at;               /* in the text that is read */
};
struct pp_term_list {
	struct pp_term items[PP_TERMS_MOST];
	size_t n;
};
/* Takes "a=1,b" apart.  `at`: where all of it is, if it is no part of the text that is read. */
int pp_terms_split(struct pp_parser *, struct pp_slice, const char *at, struct pp_term_list *);
/* Applies one that every event may have.  1: it was one, 0, or -1. */
int pp_term_general(struct pp_parser *, struct pp_event *, const struct pp_term *);
bool pp_number_of(const char *text, uint64_t *value);
typedef void pp_term_name_fn(void *arg, const char *name);
void pp_terms_each(pp_term_name_fn *, void *arg);

#endif
