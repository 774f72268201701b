/* firefox.h - what the parts of the writer of Firefox profiles have in common. */
#ifndef EXCHANGE_FIREFOX_H
#define EXCHANGE_FIREFOX_H

#include <perfpipe/export.h>

#include "exchange/functions.h"
#include "exchange/gzip.h"
#include "exchange/threads.h"
#include "symbol/strings.h"

/* What code is, as the profile has it: the numbers of its list of categories. */
enum firefox_category { FIREFOX_OTHER, FIREFOX_USER, FIREFOX_KERNEL, FIREFOX_JIT, FIREFOX_INLINED };

struct firefox {
	struct pp_export all;
	size_t main;                  /* the event whose samples are the profile's */
	struct pp_out *out;
	struct pp_gzip gz;            /* on the way there, */
	struct pp_out text;           /* which this is on the way to; not if it is plain */
	struct pp_json json;
	struct pp_export_functions functions;
	struct pp_export_threads threads;
	struct pp_strings texts;      /* the array of strings */
	struct pp_buffer clean;
	uint64_t zero;                /* ns, as times of samples: where the profile begins */
	/* of shared tables */
	uint32_t *libs;               /* by file: 1 + the number in `libs`; 0: it has none */
	uint32_t *next;               /* by place: its innermost inlined one; of that, its caller */
	uint32_t *of_frame;           /* by place, twice, the second where it calls: 1 + frame */
	struct firefox_frame { uint32_t place, calls; } *frames;
	size_t n_frames, frames_room;
	struct firefox_symbol { uint32_t place, address; } *symbols;  /* a place in it, and where it begins */
	size_t n_symbols, symbols_room;
	struct pp_idmap of_symbol;    /* by library and address: which of them */
	struct firefox_stack { uint32_t frame, prefix; } *stacks;      /* prefix: 1 + stack; 0: none */
	size_t n_stacks, stacks_room;
	uint32_t **of_node;           /* by event, by node: 1 + stack; 0: it has no frame */
	struct pp_error *error;
};

/* Tables that all threads share: 0, or -1 and the error. */
int pp_firefox_gather_tables(struct firefox *);
int pp_firefox_put_libs(struct firefox *);
int pp_firefox_put_tables(struct firefox *);
void pp_firefox_close_tables(struct firefox *);

/* Takes the text so far on its way: before the value after so many bytes. */
enum { FIREFOX_TAKE = 1 << 16 };
void pp_firefox_compress(struct firefox *);
/* The next value of a list, or with a name of an object, is to be written. */
static inline struct pp_out *firefox_next(struct firefox *f, const char *name)
{
	if (f->text.at > FIREFOX_TAKE)
		pp_firefox_compress(f);
	pp_json_key(&f->json, name);
	return f->json.out;
}
static inline void firefox_number(struct firefox *f, const char *name, uint64_t value)
{
	pp_out_dec(firefox_next(f, name), value);
}
/* A text of the input: 0, or -1 and the error. */
int pp_firefox_text(struct firefox *, const char *name, const char *text);

#endif
