/*
 * generic_events.c - events that have the same name, or number, on every machine: generic ones, of
 * caches, raw ones, breakpoints.  pmu.c has what sysfs names.
 */
#include "attr/parser.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SPELLINGS = 5 };

static const char *const caches[PERF_COUNT_HW_CACHE_MAX][SPELLINGS] = {
	{ "L1-dcache", "l1-d", "l1d", "L1-data" },
	{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
	{ "LLC", "L2" },
	{ "dTLB", "d-tlb", "Data-TLB" },
	{ "iTLB", "i-tlb", "Instruction-TLB" },
	{ "branch", "branches", "bpu", "btb", "bpc" },
	{ "node" },
};
static const char *const operations[PERF_COUNT_HW_CACHE_OP_MAX][SPELLINGS] = {
	{ "load", "loads", "read" },
	{ "store", "stores", "write" },
	{ "prefetch", "prefetches", "speculative-read", "speculative-load" },
};
static const char *const results[PERF_COUNT_HW_CACHE_RESULT_MAX][SPELLINGS] = {
	{ "refs", "Reference", "ops", "access" },
	{ "misses", "miss" },
};
/* Which operations a cache has: bits. */
static const uint8_t has[PERF_COUNT_HW_CACHE_MAX] = { 7, 5, 7, 7, 1, 1, 7 };

/* The row that `text` begins with, in its longest spelling, up to a hyphen or the end.  -1: none. */
static int starts_with(const char *const (*rows)[SPELLINGS], int n, const char **text)
{
	size_t longest = 0;
	int found = -1;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < SPELLINGS && rows[i][k]; k++) {
			const size_t length = strlen(rows[i][k]);

			if (length <= longest || strncasecmp(*text, rows[i][k], length) ||
			    ((*text)[length] && (*text)[length] != '-'))
				continue;
			longest = length;
			found = i;
		}
	}
	*text += longest;
	return found;
}

/* "L1-dcache-load-misses": a cache, and either, both or neither of an operation and a result. */
static bool cache_event(const char *text, uint64_t *config)
{
	const int cache = starts_with(caches, PERF_COUNT_HW_CACHE_MAX, &text);
	int operation = -1, result = -1;

	if (cache < 0)
		return false;
	while (*text == '-') {
		int found;

		text++;
		if (operation < 0 &&
		    (found = starts_with(operations, PERF_COUNT_HW_CACHE_OP_MAX, &text)) >= 0)
			operation = found;
		else if (result < 0 &&
			 (found = starts_with(results, PERF_COUNT_HW_CACHE_RESULT_MAX, &text)) >= 0)
			result = found;
		else
			return false;
	}
	operation = operation < 0 ? 0 : operation;
	result = result < 0 ? 0 : result;
	*config = (uint64_t)cache | (uint64_t)operation << 8 | (uint64_t)result << 16;
	return !*text && has[cache] >> operation & 1;
}

/* In upper case or a mixture, as perf 7 takes them, too. */
static bool named_loosely(const char *name, uint32_t *type, uint64_t *config)
{
	const char *generic;

	for (size_t i = 0; pp_event_at(i, &generic, type, config); i++)
		if (!strcasecmp(generic, name))
			return true;
	return false;
}

bool pp_event_generic(const char *name, uint32_t *type, uint64_t *config)
{
	char *end;

	if (!pp_event_named(name, type, config) || named_loosely(name, type, config))
		return true;
	if (cache_event(name, config)) {
		*type = PERF_TYPE_HW_CACHE;
		return true;
	}
	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	*config = strtoull(name + 1, &end, 16);
	*type = PERF_TYPE_RAW;
	return !*end && !errno;
}

/* "rw" or the like, with each letter once; 0: it is no such thing. */
static uint32_t access_of(const char *text, size_t n)
{
	static const struct { char letter; uint32_t bit; } letters[] = {
		{ 'r', HW_BREAKPOINT_R }, { 'w', HW_BREAKPOINT_W }, { 'x', HW_BREAKPOINT_X },
	};
	uint32_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t bit = 0;

		for (size_t k = 0; k < sizeof(letters) / sizeof(letters[0]); k++)
			bit |= text[i] == letters[k].letter ? letters[k].bit : 0;
		if (!bit || bits & bit)
			return 0;
		bits |= bit;
	}
	return bits;
}

int pp_words_breakpoint(struct pp_parser *w, struct pp_slice whole, const char **rest)
{
	const char *at = whole.at + strlen("mem:");
	struct pp_event *e;
	uint64_t address, length = 0;
	uint32_t access = 0;
	char *end;

	errno = 0;
	address = strtoull(at, &end, 0);
	if (!isdigit((unsigned char)*at) || errno)
		return pp_words_fail(w, at, "an address is missing: mem:0x1234/8:rw");
	at = end;
	if (*at == '/') {
		length = strtoull(at + 1, &end, 0);
		if (!length || end == at + 1)
			return pp_words_fail(w, at + 1, "a length in bytes is missing: "
					     "mem:0x1234/8:rw");
		at = end;
	}
	if (*at == ':') {
		const size_t n = strcspn(at + 1, ":/,{} ");

		access = access_of(at + 1, n);
		at += access ? n + 1 : 0;
	}
	*rest = at;
	e = pp_words_event(w, whole);
	if (!e)
		return -1;
	e->attr.type = PERF_TYPE_BREAKPOINT;
	e->attr.bp_type = access ? access : HW_BREAKPOINT_RW;
	e->attr.bp_addr = address;
	if (!length)
		length = e->attr.bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	e->attr.bp_len = length;
	/* Every hit is a sample, which need not say so. */
	e->own.given |= PP_TERM_PERIOD;
	return 0;
}
