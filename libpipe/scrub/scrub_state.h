/* scrub_state.h - what a scrubber consists of, and its parts. */
#ifndef PP_SCRUB_STATE_H
#define PP_SCRUB_STATE_H

#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "format/names_record.h"
#include "scrub/pseudonym.h"
#include "scrub/scrub_addresses.h"
#include "scrub/scrub_verify.h"

struct pp_scrub {
	struct pp_scrub_options options;
	struct pp_pseudonyms names;
	struct pp_scrub_verify verify;
	struct pp_scrub_addresses addresses;
	char *patterns;                         /* those of names that stay, each ended by a zero byte */
	size_t patterns_size;
	struct pp_buffer out, text;             /* the record that is made, and a text for it */
	struct pp_names_build build;
	uint8_t *part;                          /* names of one file, as a record that is joined to ->out */
	uint64_t moved, wall_moved;             /* ns: times, and the wall clock; 0: they are not */
	uint64_t removed;                       /* bits of sample_type that go */
	uint32_t event_type;                    /* of the attribute that is walked */
	bool file_stays;                        /* that the record names */
	bool drop;                              /* the record that is walked goes */
	struct pp_scrub_stats stats;
};

/* ---- scrub_text.c: what stands for a text, at the end of ->text.  0, or -1 and *error ---- */

int pp_scrub_text(struct pp_scrub *, enum pp_hide, const char *text, size_t length, struct pp_error *);
/* Whether a file's name, build-id and symbols stay. */
bool pp_scrub_file_stays(const struct pp_scrub *, const char *path, size_t length);

/* ---- scrub_times.c ---- */

void pp_scrub_find_times(struct pp_scrub *);
/* What becomes of the value of a field; 0 stays, and so do values that are not times. */
uint64_t pp_scrub_moved(const struct pp_scrub *, const struct pp_record *, const struct pp_field *,
			uint64_t value);

/* ---- common_words.c: words that everybody uses ---- */

bool pp_is_common_word(const char *word, size_t length);
bool pp_is_common_folder(const char *name, size_t length);
bool pp_is_kernel_system(const char *name, size_t length);
bool pp_is_common_option(const char *option, size_t length);
bool pp_is_special_map(const char *name, size_t length);

/* ---- scrub_payload.c: what is made of notes and names, in ->out: a pp_verdict, or -1 and *error ---- */

int pp_scrub_notes(struct pp_scrub *, const struct pp_record *, struct pp_error *);
int pp_scrub_names(struct pp_scrub *, const struct pp_record *, struct pp_error *);

#endif
