/* columns.h - the one table of what samples are added up by and shown with. */
#ifndef COLUMNS_OF_PROFILES_H
#define COLUMNS_OF_PROFILES_H

#include <perfpipe/report.h>

#include "profile/spots.h"

/* Most columns that one report has. */
enum { PP_COLUMNS_MOST = 32 };

/* Samples that have the same values of all keys. */
struct pp_entry {
	uint32_t pid, tid;            /* of its first sample */
	uint32_t deepest;             /* frames of its longest chain */
	char level;                   /* of its first sample */
	bool unnamed;                 /* no function is known there */
	uint64_t weight, sys, us, guest_sys, guest_us, samples;
	uint64_t children;            /* weight, also of what is called from there */
	size_t last_group;            /* and 1, of those that were added */
};

/* A sample, for those who ask what it has. */
struct pp_sampled {
	struct pp_spots *places;
	struct pp_tasks *tasks;
	const struct pp_record *rec;
	uint32_t pid, tid;
	uint32_t comm, parent;        /* texts */
	uint64_t quantum;
};

/* One of the three functions is set: a column is of an entry, of a sample, or of a function. */
struct pp_column {
	struct pp_report_column shown;
	uint64_t (*weight)(const struct pp_entry *);
	/* 0, or -1 and *error.  Of a text, its number. */
	int (*sample)(const struct pp_sampled *, uint64_t *value, struct pp_error *);
	uint64_t (*place)(const struct pp_spot *, uint32_t number);
};

/* The column of this name, or NULL; `length` bytes. */
const struct pp_column *pp_column_find(const char *name, size_t length);
/* Which of two values is first in a table: below 0, 0, above 0. */
int pp_column_compare(const struct pp_column *, const struct pp_spots *, uint64_t a, uint64_t b);

#endif
