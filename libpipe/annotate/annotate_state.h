/* annotate_state.h - what the files of this room share: functions, their code, and how it is disassembled. */
#ifndef PP_ANNOTATE_STATE_H
#define PP_ANNOTATE_STATE_H

#include <perfpipe/annotate.h>

#include "base/array.h"
#include "base/hash.h"
#include "image/file_finder.h"
#include "stat/group_deltas.h"

struct pp_isolated_finder;

/* ---- code_bytes.c: the code of a function, out of its file ---- */

struct pp_code_segment { uint64_t offset, address, size; };
struct pp_function_code {
	uint8_t *bytes;               /* NULL: they are not here */
	size_t n;
	uint16_t machine;             /* EM_ */
	bool wide, big_endian;
	struct pp_code_segment *segments;
	size_t n_segments;
};
/* Reads the code at an offset of a file, at most 1 MiB.  1; 0: it is not here; -1 and *error. */
int pp_function_code_read(struct pp_finder *, const struct pp_wanted_file *, uint64_t offset, uint64_t size,
			  struct pp_function_code *, struct pp_error *);
void pp_function_code_free(struct pp_function_code *);
/* Where in the file an address is; false: in no segment. */
bool pp_function_code_offset(const struct pp_function_code *, uint64_t address, uint64_t *offset);

/* ---- disassemble.c: libcapstone, loaded ---- */

struct pp_decoded {
	uint64_t address;
	uint32_t size;
	const char *name, *operands;  /* until the next */
	bool jumps, calls, aimed;
	uint64_t target;
};
typedef int pp_decoded_fn(void *arg, const struct pp_decoded *, struct pp_error *);
/* Shows each instruction of code that begins at an address: 1; 0 and *lack: it cannot be done; -1 and
 * *error. */
int pp_disassemble(const struct pp_function_code *, uint64_t address, pp_decoded_fn *, void *arg,
		   const char **lack, struct pp_error *);
void pp_disassemble_load(void);

/* ---- source_text.c: the lines of a source ---- */

struct pp_source_text {
	char *file;                   /* NULL: none yet */
	uint8_t *bytes;               /* NULL: it is not here */
	size_t size;
	uint32_t *starts;             /* of lines, and the end */
	size_t n, room;
};
/* The line, which the text keeps until another file is asked for; NULL: it is not here, or error->code. */
const char *pp_source_line(struct pp_source_text *, struct pp_finder *, const char *file, uint32_t line,
			   size_t *length, struct pp_error *);
void pp_source_text_free(struct pp_source_text *);

/* ---- hot_functions.c: samples by address ---- */

/* An address that was sampled, of an event. */
struct pp_hot_spot {
	uint32_t event, file;         /* number of the file, as pp_symbols_at() says it */
	uint64_t offset, period, samples;
	uint64_t start;               /* of its function, if it is ->named */
	bool named;
};
struct pp_hot_event {
	char *name;
	uint32_t index;               /* of the first attribute of that name */
	uint64_t period, samples;
	uint64_t elsewhere;           /* samples that are in no file */
};
/* A function that was chosen. */
struct pp_hot_function {
	struct pp_annotated shown;
	uint32_t file;
	uint64_t start, end;          /* offsets; end 0: not known */
	uint64_t bias;                /* from an offset to the address that the file says */
	size_t first, n;              /* spots */
	struct pp_function_code code;
	struct pp_annotated_place *places;
	uint64_t *offsets;            /* of the places */
	size_t n_places, room_places, room_offsets;
	struct pp_annotated_line *lines;
	size_t n_lines, room_lines;
	struct pp_annotated_part *parts;
	size_t n_parts, room_parts;
};
struct pp_annotate {
	struct pp_annotate_options how;
	struct pp_symbols *symbols;
	struct pp_isolated_finder *process;     /* NULL: files are found here */
	struct pp_finder *finder;
	struct pp_group_deltas since;
	struct pp_hot_event *events;
	size_t n_events, room_events;
	const struct pp_attr *met;    /* of the last sample, */
	uint32_t met_event;           /* and its event */
	struct pp_idmap *files;       /* of an event and a file: spots by offset */
	size_t n_files, room_files;
	struct pp_idmap by_file;      /* index of these, by event and file */
	struct pp_hot_spot *spots;
	size_t n_spots, room_spots;
	uint64_t samples, nameless;
	struct pp_hot_function *functions;
	size_t n_functions;
	struct pp_source_text source;
	struct pp_error failure;      /* of reading these; code 0: none */
	char **texts;                 /* what places and parts say */
	size_t n_texts, room_texts;
};
/* ---- kept_texts.c ---- */

/* A copy that lives as long as all; NULL: memory. */
const char *pp_annotate_text(struct pp_annotate *, const char *text, size_t length);

/* ---- annotate_function.c: instructions and lines of those that were chosen ---- */

int pp_annotate_code(struct pp_annotate *, struct pp_hot_function *, struct pp_error *);
int pp_annotate_want_lines(struct pp_annotate *, struct pp_hot_function *, struct pp_error *);
int pp_annotate_lines(struct pp_annotate *, struct pp_hot_function *, struct pp_error *);

#endif
