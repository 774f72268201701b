/* columns.h - the one table of what samples are added up by and shown with. */
#ifndef PP_COLUMNS_H
#define PP_COLUMNS_H

#include <perfpipe/report.h>

#include "format/event_ids.h"
#include "model/sample_details.h"
#include "profile/frame_table.h"
#include "text/span_words.h"

/* Most columns that one report has: each of the table once. */
enum { PP_COLUMNS_MOST = 0
#define WEIGHT(...) + 1
#define SAMPLE(...) + 1
#define PLACE(...) + 1
#define PERIODS(...) + 1
#define ALIAS(...)
#define NOT(...)
#include "report/columns.def"
#undef WEIGHT
#undef SAMPLE
#undef PLACE
#undef PERIODS
#undef ALIAS
#undef NOT
};

/* Samples that have the same values of all keys.  As small as it can be: where callers have entries, there
 * may be one for each address of a stream. */
struct pp_entry {
	uint32_t group;               /* of its first sample */
	uint32_t deepest;             /* frames of its longest chain */
	uint32_t last_group;          /* and 1, of those that were added */
	char level;                   /* of its first sample */
	bool unnamed, unnamed_from, unnamed_to;       /* no function is known there; of its branch */
	uint64_t children;            /* weight, also of what is called from there */
	uint32_t sums;                /* and 1, which of pp_hist_event.sums are its own; 0: they are all 0 */
};

/* What samples in an entry itself weigh, which most callers have none of. */
struct pp_entry_sums {
	uint64_t weight, sys, us, guest_sys, guest_us, samples;
	/* Where they are asked for: weights by how many threads ran, also of what is called from there; sums,
	 * and of how many samples, in parts of one, as in groups. */
	uint64_t latency, latency_children;
	uint64_t cost, ins_lat, retire_lat, counted;
	const struct pp_weight_spread *spread;     /* NULL: it is not asked for */
};

/* A sample, or one of its branches, for those who ask what it has. */
struct pp_sampled {
	struct pp_report *report;
	const struct pp_record *rec;
	const struct pp_attr *attr;   /* the event that it is taken for: of a group, any */
	uint32_t pid, tid;
	uint32_t comm, parent;        /* texts */
	struct pp_details details;    /* where a key needs it */
	uint32_t from, to;            /* places of a branch */
	uint64_t from_address, to_address;
	uint64_t flags, cycles;       /* of it; of the newest of its sample */
};

/* Which of two values is first in a table. */
enum pp_column_order {
	RISING, FALLING,
	SIGNED,                       /* rising, of numbers that may be below 0: 64 bits of them */
	BY_TEXT, BACK_BY_TEXT,
	BY_BYTES,                     /* of texts, too, but what is not known is the empty one */
	BY_NAME, BY_START, BY_ADDRESS, BY_NAME_AND_ADDRESS,     /* of places */
	LAST_FIRST,                   /* that which came last is the first: perf cannot compare them */
	/* Of values whose upper half says what is the same: the lower one is a text or a place, and the first
	 * stands for all. */
	BY_CLASS, RISING_KEPT, FALLING_KEPT,
	CLASS_BY_TEXT,                /* the upper half is a text, too; */
	CLASS_BY_FILE,                /* or a place: by its file, backwards, and its address; */
	CLASS_FALLING,                /* or one that stands for two numbers, its start and its address; */
	CLASS_OF_LINE,                /* or for a line of the cache; */
	BACK_BY_TYPE,                 /* what is kept is the text of a type, and a part of it below */
};

/* What a column is of: of those from WHOLE_NAME on the beginning of a name does not stand for it, which means
 * to perf what it did before. */
enum pp_column_needs { NOTHING, DETAILS, MEMORY, BRANCHES, SWITCHES, WHOLE_NAME, SPREAD };

/* One of the three functions is set: a column is of an entry, of a sample, or of a function. */
struct pp_column {
	struct pp_report_column shown;
	uint64_t (*weight)(const struct pp_entry *, const struct pp_entry_sums *);
	/* 0, or -1 and *error.  Of a text, its number. */
	int (*sample)(const struct pp_sampled *, uint64_t *value, struct pp_error *);
	uint64_t (*place)(const struct pp_code_frame *, uint32_t number);
	enum pp_column_order order;
	enum pp_column_needs needs;
};

/* The column of this name, or NULL and, if perf has it, why; `length` bytes.  A field is one of -F, which
 * looks among weights first. */
const struct pp_column *pp_column_find(const char *name, size_t length, bool field, const char **why);
/* What of a value says that it is the same. */
uint64_t pp_column_identity(const struct pp_column *, uint64_t value);
/* Which of two values is first in a table: below 0, 0, above 0. */
int pp_column_compare(const struct pp_column *, const struct pp_report *, uint64_t a, uint64_t b);

/* The same of texts: by bytes, and what is not known comes last. */
int pp_column_compare_texts(const struct pp_frame_table *, uint64_t a, uint64_t b);

/* ---- values: 0, or -1 and *error */
typedef int pp_sample_value(const struct pp_sampled *, uint64_t *value, struct pp_error *);
/* columns_memory.c */
pp_sample_value pp_sample_cost, pp_sample_ins_lat, pp_sample_retire_lat, pp_sample_transaction,
	pp_sample_code_page, pp_sample_data_page, pp_sample_lock, pp_sample_tlb, pp_sample_level,
	pp_sample_snoop, pp_sample_blocked, pp_sample_data, pp_sample_code, pp_sample_dso_data,
	pp_sample_physical, pp_sample_dcacheline;
/* columns_origin.c */
pp_sample_value pp_sample_socket, pp_sample_cgroup_id, pp_sample_parallelism;
/* columns_type.c */
pp_sample_value pp_sample_type, pp_sample_typeoff, pp_sample_typecln;
/* columns_branch.c */
pp_sample_value pp_sample_from, pp_sample_to, pp_sample_dso_from, pp_sample_dso_to, pp_sample_line_from,
	pp_sample_line_to, pp_sample_mispredict, pp_sample_in_tx, pp_sample_abort, pp_sample_cycles,
	pp_sample_addr_from, pp_sample_addr_to;

#endif
