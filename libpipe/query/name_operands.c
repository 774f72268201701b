/* name_operands.c - what a query compares with the names of functions and their lines: at the sample's
 * address and at those of its call chain. */
#include "query/query.h"

#include <perfpipe/symbol.h>

#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "symbol/function_name.h"
#include "symbol/passing.h"

/* What a test says of a place; all of it was found at once. */
enum {
	KNOWN = 1, NAMED = 2,
	FIRST = 4,                    /* it holds for the innermost function there */
	HAS_NEXT = 8, NEXT = 16,      /* that is inlined, and into what; it holds for the latter */
	SOME = 32,                    /* it holds for one of them */
};

bool pp_query_is_of_names(uint8_t field)
{
	return field >= PP_QUERY_SYM && field <= PP_QUERY_SRCLINE;
}

/* ---- One place ------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The text of a frame that the test is about, with room for what has to be made. */
static const char *frame_text(const struct pp_query_test *test, const struct pp_named_frame *f)
{
	char *const scratch = test->path->scratch;

	if (test->field < PP_QUERY_SRCFILE)
		return f->symbol;
	if (test->field == PP_QUERY_SRCFILE || !f->line || !*f->file)
		return test->field == PP_QUERY_SRCFILE ? last_part(f->file) : "";
	(void)snprintf(scratch, PP_QUERY_SCRATCH, "%s:%u", last_part(f->file), f->line);
	return scratch;
}

/* A function is called by its whole name, or by what comes before its parameters. */
static bool name_holds(const struct pp_query_test *test, const char *text)
{
	struct pp_query_test positive = *test;
	size_t length;
	bool holds;

	if (test->kind == PP_TEST_DEFINED)
		return *text;
	positive.negate = false;
	holds = pp_query_text_is(&positive, text);
	length = test->field < PP_QUERY_SRCFILE ? pp_name_without_parameters(text) : 0;
	if (!holds && length && length < PP_QUERY_SCRATCH && text[length]) {
		memcpy(test->path->scratch, text, length);
		test->path->scratch[length] = '\0';
		holds = pp_query_text_is(&positive, test->path->scratch);
	}
	return holds != test->negate;
}

static uint8_t judge_place(const struct pp_query_test *test, const struct pp_location *place)
{
	const struct pp_named_frame none = { .symbol = "", .file = "" };
	const size_t n = place->count;
	uint8_t all = KNOWN;

	if (n && *place->frames->symbol)
		all |= NAMED;
	if (name_holds(test, frame_text(test, n ? place->frames : &none)))
		all |= FIRST | SOME;
	for (size_t i = 1; i < n; i++) {
		const bool holds = name_holds(test, frame_text(test, &place->frames[i]));

		all |= (i == 1 ? HAS_NEXT : 0) | (holds ? SOME : 0) | (holds && i == 1 ? NEXT : 0);
	}
	return all;
}

static uint8_t ask_place(const struct pp_query_test *test, struct pp_symbols *symbols, uint32_t pid,
			 unsigned mode, uint64_t address)
{
	struct pp_location place;
	struct pp_error ignored;

	if (pp_symbols_at(symbols, pid, mode, address, &place, &ignored) < 0) {
		test->names->failed = true;
		return 0;
	}
	return judge_place(test, &place);
}

/* The verdict on a place is kept: names that come later are those of places that had none. */
static uint8_t verdict_on(const struct pp_query_test *test, struct pp_symbols *symbols, uint32_t pid,
			  unsigned mode, uint64_t address)
{
	const uint32_t said = (uint32_t)pp_symbols_stats(symbols)->from_stream;
	struct pp_query_verdict *v;
	uint64_t offset;
	uint32_t file;
	const int got = pp_symbols_where(symbols, pid, mode, address, &file, &offset);
	uint8_t verdict;

	test->names->asked = true;
	if (got <= 0) {
		test->names->failed |= got < 0;
		verdict = got < 0 ? 0 : ask_place(test, symbols, pid, mode, address);
		test->names->found |= (verdict & NAMED) != 0;
		return verdict;
	}
	v = &test->names->verdicts[(offset * UINT64_C(0x9e3779b97f4a7c15) + file) >> 20 &
				   (PP_QUERY_VERDICTS - 1)];
	if (v->offset == offset && v->file == file && v->verdict && (v->verdict & NAMED || v->said == said))
		return v->verdict;
	verdict = ask_place(test, symbols, pid, mode, address);
	test->names->found |= (verdict & NAMED) != 0;
	*v = (struct pp_query_verdict){ offset, file, said, verdict };
	return verdict;
}

/* ---- A sample -------------------------------------------------------------------------------- */

/* The address that the sample's own was called from: the chain begins with the sample's own. */
static bool find_caller(const struct pp_record *r, uint64_t *address, unsigned *mode)
{
	struct pp_chain chain;

	if (!pp_query_chain(&chain, r) || !pp_chain_next(&chain, address) || !pp_chain_next(&chain, address))
		return false;
	*mode = chain.mode;
	return true;
}

static bool any_name_holds(const struct pp_query_test *test, const struct pp_record *r,
			   struct pp_symbols *symbols, uint32_t pid, uint64_t ip)
{
	struct pp_chain chain;
	uint64_t address;

	if (verdict_on(test, symbols, pid, r->misc & PP_MISC_CPUMODE, ip) & SOME)
		return true;
	if (!pp_query_chain(&chain, r))
		return false;
	while (pp_chain_next(&chain, &address))
		if (address != ip && verdict_on(test, symbols, pid, chain.mode, address) & SOME)
			return true;
	return false;
}

static bool parent_holds(const struct pp_query_test *test, const struct pp_record *r,
			 struct pp_symbols *symbols, uint32_t pid, uint64_t ip)
{
	const uint8_t own = verdict_on(test, symbols, pid, r->misc & PP_MISC_CPUMODE, ip);
	unsigned mode;

	if (own & HAS_NEXT)
		return own & NEXT;
	return find_caller(r, &ip, &mode) ? verdict_on(test, symbols, pid, mode, ip) & FIRST :
					    name_holds(test, "");
}

bool pp_query_name_holds(const struct pp_query_test *test, const struct pp_record *r,
			 const struct pp_query_facts *facts)
{
	uint32_t pid, tid;
	uint64_t ip;

	if (!facts->symbols || r->type != PP_REC_SAMPLE || !pp_ip(r, &ip) || !pp_task(r, &pid, &tid))
		return false;
	if (test->field == PP_QUERY_ANY_SYM)
		return any_name_holds(test, r, facts->symbols, pid, ip);
	if (test->field == PP_QUERY_PARENT_SYM)
		return parent_holds(test, r, facts->symbols, pid, ip);
	return verdict_on(test, facts->symbols, pid, r->misc & PP_MISC_CPUMODE, ip) & FIRST;
}

/* The text, until the next call; NULL: the record has none. */
static const char *name_text(const struct pp_query_test *test, const struct pp_record *r,
			     const struct pp_query_facts *facts)
{
	const bool parent = test->field == PP_QUERY_PARENT_SYM;
	unsigned mode = r->misc & PP_MISC_CPUMODE;
	struct pp_location place;
	struct pp_error ignored;
	uint32_t pid, tid;
	uint64_t ip;
	int got;

	if (!facts->symbols || r->type != PP_REC_SAMPLE || !pp_ip(r, &ip) || !pp_task(r, &pid, &tid))
		return NULL;
	test->names->asked = true;
	got = pp_symbols_at(facts->symbols, pid, mode, ip, &place, &ignored);
	if (parent && got >= 0 && place.count < 2) {
		if (!find_caller(r, &ip, &mode))
			return "";
		got = pp_symbols_at(facts->symbols, pid, mode, ip, &place, &ignored);
		if (got > 0)
			return test->names->found = true, frame_text(test, place.frames);
	}
	test->names->failed |= got < 0;
	if (got <= 0)
		return got < 0 ? NULL : "";
	test->names->found = true;
	return frame_text(test, &place.frames[parent]);
}

bool pp_query_name_hash(const struct pp_query_test *test, const struct pp_record *r,
			const struct pp_query_facts *facts, uint64_t *value)
{
	const char *const text = name_text(test, r, facts);

	if (text)
		*value = XXH3_64bits(text, strlen(text));
	return text != NULL;
}

/* ---- The query ------------------------------------------------------------------------------- */

bool pp_query_names_failed(const struct pp_query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (q->tests[i].names && q->tests[i].names->failed)
			return true;
	for (const struct pp_query_path *path = q->paths; path; path = path->next)
		if (path->trace.failed)
			return true;
	return false;
}

bool pp_query_names_missing(const struct pp_query *q)
{
	bool asked = false;

	for (uint32_t i = 0; i < q->count; i++) {
		const struct pp_query_names *const names = q->tests[i].names;

		if (names && names->found)
			return false;
		asked |= names && names->asked;
	}
	return asked;
}

bool pp_query_needs_names(const struct pp_query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (q->tests[i].names)
			return true;
	return false;
}

bool pp_query_needs_lines(const struct pp_query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (q->tests[i].names && q->tests[i].field >= PP_QUERY_SRCFILE)
			return true;
	return false;
}

/* Of those that are kept: a number that is too small where there were many places. */
size_t pp_query_names_late(const struct pp_query *q, struct pp_symbols *symbols)
{
	size_t late = 0;

	for (uint32_t i = 0; i < q->count; i++) {
		const struct pp_query_names *const names = q->tests[i].names;

		for (size_t k = 0; names && k < PP_QUERY_VERDICTS; k++) {
			const struct pp_query_verdict *const v = &names->verdicts[k];
			struct pp_location place;

			late += v->verdict && !(v->verdict & NAMED) &&
				pp_symbols_later(symbols, v->file, v->offset, &place) > 0;
		}
	}
	return late;
}
