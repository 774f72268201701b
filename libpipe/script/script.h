/* script.h - what the files of this room share: fields, what is known of a sample, and how it is written. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <perfpipe/perfpipe.h>

#include "base/format_number.h"
#include "base/hash.h"
#include "format/event_ids.h"
#include "model/sample_details.h"
#include "stat/group_deltas.h"

/* ---- script_fields.c: which fields there are, and which are chosen ---- */

/* In the order in which they are printed. */
enum pp_script_field {
	F_COMM, F_PID, F_TID, F_CPU, F_MISC, F_TOD, F_TIME, F_PERIOD, F_EVENT, F_TRACE, F_ADDR,
	F_DATA_SRC, F_WEIGHT, F_INS_LAT, F_RETIRE_LAT, F_CGROUP, F_IP, F_SYM, F_SYMOFF, F_DSO, F_DSOFF,
	F_SRCLINE, F_IREGS, F_UREGS, F_BRSTACK, F_BRSTACKSYM, F_BRSTACKOFF, F_BPF_OUTPUT, F_PHYS_ADDR,
	F_DATA_PAGE_SIZE, F_CODE_PAGE_SIZE, FIELDS
};
#define FIELD(name) (UINT64_C(1) << F_##name)

enum { TYPE_OTHER = 7 };

struct line;
struct cells;
struct pp_script_row {
	const char *name;
	uint64_t needs;               /* bits of sample_type */
	const char *need;             /* what perf calls them */
	/* Prints it and what follows it, so that the next may follow; NULL: another prints it. */
	void (*print)(struct line *);
	bool rest;                    /* it needs struct pp_details */
	/* Writes it as a cell or member; NULL: another does. */
	void (*cell)(struct cells *, struct line *, const struct pp_script_row *);
	size_t at;                    /* where in struct line a cell's value is */
};
/* Fields that say something of an address; the cells of all are the field ip's. */
#define PLACE (FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(DSOFF) | FIELD(SRCLINE))
extern const struct pp_script_row pp_script_rows[FIELDS];

/* The type of an event, as the choice of fields counts them. */
unsigned pp_script_type(const struct pp_attr *);
/* Fills in perf's own choice, once. */
void pp_script_defaults(struct pp_script_fields *);
/*
 * Holds the choice against the first event of each type; *fields gets what is printed of an event's
 * samples, by its type.  0, or -1 and *error (PP_E_USE).
 */
int pp_script_check(const struct pp_script *, uint64_t fields[PP_SCRIPT_TYPES],
		    uint64_t bare[PP_SCRIPT_TYPES], const struct pp_attrs *, struct pp_error *);

/* ---- a sample ---- */

/* What is printed of an event. */
struct event {
	const struct pp_attr *attr;
	uint64_t fields;
	bool chain;                   /* it has call chains, and they are shown */
	bool frames;                  /* what is said of addresses is shown: not so of PMUs in a stream */
	bool rest;
	uint8_t n_print;
	void (*print[FIELDS])(struct line *);
};

/* A line that is being printed. */
struct line {
	struct pp_script *script;
	struct pp_out *out;
	const struct pp_record *rec;
	const struct event *event;
	uint32_t pid, tid, cpu;
	uint64_t time, period, ip, addr;
	struct pp_details details;
	struct pp_error *error;
	int failed;
};

struct frames;
struct pp_script {
	struct pp_script_options how;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct frames *frames;
	struct pp_trace_texts *traces;
	struct cells *cells;          /* NULL: it is text */
	struct event *events;         /* by the index of their attributes */
	size_t n_events, room;
	uint64_t fields[PP_SCRIPT_TYPES], bare[PP_SCRIPT_TYPES];
	unsigned name_width;
	uint64_t first_time, last_time;       /* that were shown; 0: none */
	int64_t to_wall_clock;        /* ns that are added to a time */
	bool has_wall_clock;
	int data_src_width;
	bool checked, headed;
	bool unwound_only;            /* no chain is unwound yet: 6.1 shows what is inlined only in such */
	struct pp_idmap ended;        /* threads that ended, and have no name any more: 1 */
	struct pp_group_deltas since;         /* values of groups */
};

/* ---- scalar_fields.c: text, at the end of the output ---- */

/* `text` with at least `width` bytes, blanks before it, made printable. */
void pp_put_right(struct pp_out *, const char *text, size_t length, size_t width);
void pp_put_int(struct pp_out *, int64_t value, unsigned width);
void pp_put_address(struct pp_out *, uint64_t value);           /* %16lx */
void pp_put_digits(struct pp_out *, uint64_t value);            /* %lx */
void pp_put_name(struct pp_out *, const char *name);            /* printable */

/* The name of a line's thread: `unknown` where it has none any more. */
enum { UNKNOWN_COMM = PP_DEC_MAX + 2 };
const char *pp_script_comm(const struct line *, char unknown[UNKNOWN_COMM]);

/* Each prints its value, and what comes before the next. */
void pp_print_comm(struct line *);
void pp_print_pid(struct line *);
void pp_print_tid(struct line *);
void pp_print_cpu(struct line *);
void pp_print_misc(struct line *);
void pp_print_tod(struct line *);
void pp_print_time(struct line *);
/* The time of a sample, as it is to be shown. */
uint64_t pp_script_time(struct line *);
void pp_print_period(struct line *);
void pp_print_event(struct line *);
void pp_print_weight(struct line *);
void pp_print_ins_lat(struct line *);
void pp_print_retire_lat(struct line *);
void pp_print_cgroup(struct line *);
void pp_print_phys_addr(struct line *);

/* ---- print_frames.c: names of addresses ---- */

struct frames *pp_script_frames_new(struct pp_script *);       /* NULL: memory */
void pp_script_frames_free(struct frames *);
/* What is known of a process changed. */
void pp_script_frames_note(struct frames *, const struct pp_record *);
/* The rest of a sample's line, or lines: its address, or its chain. */
void pp_print_ip(struct line *);
void pp_print_addr(struct line *);
/* " name+0x1 (file)"; as the field says. */
void pp_print_brstack(struct line *);
void pp_print_brstacksym(struct line *);
void pp_print_brstackoff(struct line *);

/* ---- sample_csv_json.c: samples for programs ---- */

/* A row of CSV, or a line of JSON. */
struct cells {
	const struct pp_script_row *rows;
	struct pp_out *out;
	struct pp_json json;
	uint64_t fields;              /* that have columns: of CSV, those of all events */
	bool chain;                   /* there is a column of call chains */
	bool csv, heading;
	unsigned n, parts;            /* cells of the row, parts of the cell */
	struct pp_out part;           /* where text is put together */
};

struct cells *pp_cells_new(const struct pp_script_row rows[FIELDS], bool csv);  /* NULL: memory */
void pp_cells_free(struct cells *);
/* What is before the first row: the names of the columns that the cells are made for, or the schema. */
void pp_cells_head(struct pp_script *, struct pp_out *);
void pp_cells_row(struct line *);

/* Whether a value of this field is written now, and samples of the event have it. */
bool pp_cell_has(const struct cells *, const struct line *, const struct pp_script_row *);
void pp_cell_hex(struct cells *, const char *name, bool known, uint64_t value);
void pp_cell_text(struct cells *, const char *name, const char *text, size_t length);  /* NULL: not known */
/* What a field prints, without blanks around it. */
void pp_cell_printed(struct cells *, struct line *, const char *name, void (*print)(struct line *));
/* A cell of many parts: members of c->json between the brackets, or, of CSV, texts that are put together
 * in pp_cell_part() and added one by one.  False: there is nothing to write, and no end. */
bool pp_cell_open(struct cells *, const char *name, bool known, char bracket);
struct pp_out *pp_cell_part(struct cells *);
void pp_cell_add(struct cells *, struct line *, char between);
void pp_cell_close(struct cells *, char bracket);

typedef void pp_cell(struct cells *, struct line *, const struct pp_script_row *);
pp_cell pp_cell_of_task, pp_cell_of_number, pp_cell_of_hex, pp_cell_of_time, pp_cell_of_comm,
	pp_cell_of_event, pp_cell_of_cgroup, pp_cell_of_printed, pp_cell_of_bytes;
pp_cell pp_cell_of_place, pp_cell_of_addr, pp_cell_of_branches;         /* print_frames.c */
pp_cell pp_cell_of_regs, pp_cell_of_data_src;                           /* rare_fields.c */

/* ---- rare_fields.c ---- */

void pp_print_trace(struct line *);
void pp_print_data_src(struct line *);
void pp_print_iregs(struct line *);
void pp_print_uregs(struct line *);
void pp_print_bpf_output(struct line *);
void pp_print_data_page_size(struct line *);
void pp_print_code_page_size(struct line *);

/* ---- non_samples.c: records that are no samples ---- */

/* Whether records of this type are asked for. */
bool pp_script_shows(const struct pp_script *, uint32_t type);
/* Prints one; l->event is NULL for those that have no event. */
void pp_print_other(struct line *);
/* That AUX data could not be decoded. */
void pp_print_aux_error(struct line *);

#endif
