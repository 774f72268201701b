/* data_source.c - perf_mem_data_src, and sizes of pages, in perf's words. */
#include "text/data_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const ops[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
static const char *const levels[] = {
	"N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
	"Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached",
};
static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
static const char *const tlbs[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
static const char *const hops[] = {
	"", "core, same node", "node, same socket", "socket, same board", "board", "(null)", "(null)",
	"(null)",
};
enum { LEVEL_NA = 15 };
static const char *const numbers_6_1[16] = {
	[9] = "CXL", [10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
	[15] = "N/A",
};
static const char *const numbers[16] = {
	[5] = "L2 MHB", [6] = "Memory-side Cache", [7] = "Unknown level 7", [8] = "Uncached", [9] = "CXL",
	[10] = "I/O", [11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM", [14] = "PMEM",
};

void pp_words_add(struct pp_words *w, const char *text)
{
	const size_t length = strlen(text);

	if (length < sizeof(w->text) - w->length) {
		memcpy(w->text + w->length, text, length);
		w->length += length;
	}
}

/* The names of bits, " or " between them; how many there were. */
static unsigned add_bits(struct pp_words *w, uint64_t bits, const char *const *names, size_t n)
{
	unsigned count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		pp_words_add(w, count++ ? " or " : "");
		pp_words_add(w, names[i]);
	}
	return count;
}

static void add_number(struct pp_words *w, unsigned number, const char *const *names)
{
	const char digits[3] = { 'L', (char)('0' + number % 10), '\0' };

	pp_words_add(w, names[number] ? names[number] : digits);
}

static const char *found(uint64_t bits)
{
	return bits & 2 ? "hit" : bits & 4 ? "miss" : "";
}

static void add_origin(struct pp_words *w, uint64_t v)
{
	if (v >> 37 & 1)
		pp_words_add(w, "Remote ");
	if (v >> 43 & 7) {
		pp_words_add(w, hops[v >> 43 & 7]);
		pp_words_add(w, " ");
	}
}

void pp_input_level_6_1(struct pp_words *w, uint64_t v)
{
	const uint64_t bits = v >> 5 & 0x3fff;
	const unsigned number = v >> 33 & 15;
	const size_t before = w->length;
	unsigned count;

	add_origin(w, v);
	/* where it is said how far it was, these say nothing */
	count = add_bits(w, v >> 43 & 7 ? 0 : bits, levels, sizeof(levels) / sizeof(*levels));
	if (number) {
		pp_words_add(w, count ? " or " : "");
		add_number(w, number, numbers_6_1);
	}
	if (w->length == before)
		pp_words_add(w, "N/A");
	pp_words_add(w, bits & 2 ? " hit" : "");
	pp_words_add(w, bits & 4 ? " miss" : "");
}

void pp_input_level(struct pp_words *w, uint64_t v)
{
	const uint64_t bits = v >> 5 & 0x3fff;
	const unsigned number = v >> 33 & 15;

	if (number && number != LEVEL_NA) {
		add_origin(w, v);
		add_number(w, number, numbers);
	} else if (!add_bits(w, bits & ~UINT64_C(1), levels, sizeof(levels) / sizeof(*levels))) {
		pp_words_add(w, "N/A");
		return;
	}
	pp_words_add(w, " ");
	pp_words_add(w, found(bits));
}

void pp_input_op(struct pp_words *w, uint64_t v)
{
	if (!add_bits(w, v & 1 ? 1 : v & 31, ops, sizeof(ops) / sizeof(*ops)))
		pp_words_add(w, "No");
}

void pp_input_snoop(struct pp_words *w, uint64_t v)
{
	if (!add_bits(w, (v >> 19 & 31) | (v >> 38 & 3) << 5, snoops, sizeof(snoops) / sizeof(*snoops)))
		pp_words_add(w, "N/A");
}

void pp_input_tlb(struct pp_words *w, uint64_t v)
{
	if (!add_bits(w, v >> 26 & 127, tlbs, sizeof(tlbs) / sizeof(*tlbs)))
		pp_words_add(w, "N/A");
	pp_words_add(w, v >> 27 & 1 ? " hit" : "");
	pp_words_add(w, v >> 28 & 1 ? " miss" : "");
}

void pp_input_lock(struct pp_words *w, uint64_t v)
{
	pp_words_add(w, v >> 24 & 1 ? "N/A" : v >> 25 & 1 ? "Yes" : "No");
}

void pp_input_blocked(struct pp_words *w, uint64_t v)
{
	pp_words_add(w, v >> 41 & 1 ? " Data" : "");
	pp_words_add(w, v >> 42 & 1 ? " Addr" : "");
	pp_words_add(w, v >> 41 & 3 ? "" : " N/A");
}

void pp_words_page_size(struct pp_words *w, uint64_t size)
{
	static const char units[] = "BKMG";
	unsigned unit = 0;
	char text[32];

	if (!size) {
		pp_words_add(w, "N/A");
		return;
	}
	for (; size / 1024 > 1 && unit < sizeof(units) - 2; size /= 1024)
		unit++;
	snprintf(text, sizeof(text), "%" PRIu64 "%c", size, units[unit]);
	pp_words_add(w, text);
}
