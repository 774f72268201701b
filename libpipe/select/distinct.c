/* distinct.c - finds the first record of each value of a field, or of several. */
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/hash.h"
#include "query/query.h"
#include "select/distinct.h"

enum { FIELDS = 8 };

struct pp_first {
	struct pp_query *fields[FIELDS];
	size_t n_fields, places[FIELDS];
	struct pp_idmap seen;         /* hashes of the values */
};

static const char before[] = "defined(";

/* Compiles "defined(FIELD)": the one test of it knows the way to the field. */
static int add_field(struct pp_first *f, const char *text, size_t at, size_t length,
		     struct pp_error *error)
{
	const struct pp_query_test *test;
	char asked[128];

	if (f->n_fields == FIELDS)
		return pp_query_fail(error, at, "more than %d fields", FIELDS);
	if (length > sizeof(asked) - sizeof(before) - 1)
		return pp_query_fail(error, at, "there is no such field");
	snprintf(asked, sizeof(asked), "%s%.*s)", before, (int)length, text + at);
	f->places[f->n_fields] = at;
	f->fields[f->n_fields] = pp_query_compile(asked, error);
	if (!f->fields[f->n_fields]) {
		error->at = error->at < sizeof(before) - 1 ? at : at + error->at - (sizeof(before) - 1);
		return -1;
	}
	test = f->fields[f->n_fields++]->tests;
	if (f->fields[f->n_fields - 1]->count != 1 || !pp_query_has_one_value(test))
		return pp_query_fail(error, at, "'%.*s' has no single value", (int)length, text + at);
	return 0;
}

struct pp_first *pp_first_open(const char *text, struct pp_error *error)
{
	struct pp_first *f = calloc(1, sizeof(*f));
	size_t at = 0;

	if (!f) {
		pp_query_say_memory(error);
		return NULL;
	}
	for (;; at++) {
		const size_t length = strcspn(text + at, ",");

		if (add_field(f, text, at, length, error)) {
			pp_first_close(f);
			return NULL;
		}
		at += length;
		if (!text[at])
			return f;
	}
}

void pp_first_close(struct pp_first *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_fields; i++)
		pp_query_free(f->fields[i]);
	pp_idmap_close(&f->seen);
	free(f);
}

const struct pp_query *pp_first_at(const struct pp_first *f, size_t i)
{
	return i < f->n_fields ? f->fields[i] : NULL;
}

unsigned pp_first_tasks_with(const struct pp_first *f)
{
	unsigned with = 0;

	for (size_t i = 0; i < f->n_fields; i++)
		with |= pp_query_tasks_with(f->fields[i]);
	return with;
}

int pp_first_settle(struct pp_first *f, const struct pp_tracepoints *known,
		    struct pp_error *error)
{
	for (size_t i = 0; i < f->n_fields; i++)
		if (pp_query_settle(f->fields[i], known, error)) {
			error->at += f->places[i];
			error->at -= sizeof(before) - 1;
			return -1;
		}
	return 0;
}

uint64_t pp_first_key(const struct pp_first *f, const struct pp_record *record,
		      const struct pp_query_facts *facts)
{
	struct pp_query_facts whole;
	uint64_t hash = 1;

	facts = pp_query_whole(facts, &whole);
	for (size_t i = 0; i < f->n_fields; i++) {
		uint64_t value = 0;
		const bool has = pp_query_value(f->fields[i]->tests, record, facts, &value);
		const uint64_t both[] = { has, value };

		hash = XXH3_64bits_withSeed(both, sizeof(both), hash);
	}
	return hash - (hash == UINT64_MAX);      /* which is no key */
}

int pp_first_of(struct pp_first *f, const struct pp_record *record, const struct pp_query_facts *facts,
		struct pp_error *error)
{
	const int added = pp_idmap_add(&f->seen, pp_first_key(f, record, facts));

	for (size_t i = 0; i < f->n_fields; i++)
		if (pp_query_names_failed(f->fields[i]))
			return pp_fail(error, PP_E_NOMEM, NULL);
	return added < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : added;
}
