/* columns_memory.c - what samples of memory accesses, and others with costs, say: values of columns. */
#include "report/hist.h"

#include "text/data_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OF_DETAILS(name, member) \
int pp_sample_##name(const struct pp_sampled *s, uint64_t *value, struct pp_error *error) \
{ \
	(void)error; \
	*value = s->details.member; \
	return 0; \
}
OF_DETAILS(ins_lat, ins_lat)
OF_DETAILS(retire_lat, retire_lat)

int pp_sample_cost(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	(void)error;
	*value = pp_hist_cost(s);
	return 0;
}

/* ---- numbers that are shown as text ---- */

static int keep_text(const struct pp_sampled *s, uint64_t number, const char *text, uint64_t *value,
		     struct pp_error *error)
{
	uint32_t kept;

	return pp_hist_keep(s->report, number, &kept, error) ||
	       pp_frame_table_value(&s->report->places, text, kept, value, error) ? -1 : 0;
}

int pp_sample_transaction(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	static const struct { uint64_t bit; const char *text; } bits[] = {
		{ 1, "EL " }, { 2, "TX " }, { 4, "SYNC " }, { 8, "ASYNC " }, { 16, "RETRY " }, { 32, "CON " },
		{ 64, "CAP-WRITE " }, { 128, "CAP-READ " },
	};
	const uint64_t is = s->details.transaction, code = is >> 32;
	struct pp_words w = { .length = 0 };
	char text[24];

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		pp_words_add(&w, is & bits[i].bit ? bits[i].text : "");
	pp_words_add(&w, is && !(is & 12) ? "NEITHER " : "");
	snprintf(text, sizeof(text), ":%" PRIx64, code);
	pp_words_add(&w, code ? text : "");
	w.text[w.length] = '\0';
	return keep_text(s, is, w.text, value, error);
}

static int page(const struct pp_sampled *s, uint64_t size, uint64_t *value, struct pp_error *error)
{
	struct pp_words w = { .length = 0 };

	pp_words_page_size(&w, size);
	w.text[w.length] = '\0';
	return keep_text(s, size, w.text, value, error);
}

int pp_sample_code_page(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return page(s, s->details.code_page_size, value, error);
}

int pp_sample_data_page(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return page(s, s->details.data_page_size, value, error);
}

/* ---- sources of data: perf tells them apart by one part of what it shows ---- */

static int source(const struct pp_sampled *s, void (*words)(struct pp_words *, uint64_t), size_t most,
		  uint64_t class, uint64_t *value, struct pp_error *error)
{
	struct pp_words w = { .length = 0 };

	words(&w, s->details.data_src);
	w.text[w.length < most ? w.length : most] = '\0';
	return pp_frame_table_value(&s->report->places, w.text, class, value, error);
}

#define OF_SOURCE(name, words, most, shift, mask) \
int pp_sample_##name(const struct pp_sampled *s, uint64_t *value, struct pp_error *error) \
{ \
	return source(s, words, most, s->details.data_src >> (shift) & (mask), value, error); \
}
OF_SOURCE(level, pp_input_level, 63, 5, 0x3fff)
OF_SOURCE(snoop, pp_input_snoop, 63, 19, 31)
OF_SOURCE(lock, pp_input_lock, 9, 24, 3)
OF_SOURCE(tlb, pp_input_tlb, 63, 26, 127)
OF_SOURCE(blocked, pp_input_blocked, 15, 40, 7)

/* ---- addresses ---- */

static int place(const struct pp_sampled *s, uint64_t address, uint32_t at, uint64_t *value,
		 struct pp_error *error)
{
	uint32_t kept;

	if (pp_hist_keep(s->report, address, &kept, error))
		return -1;
	*value = (uint64_t)kept << 32 | at;
	return 0;
}

static int find_data(const struct pp_sampled *s, uint32_t *at, struct pp_error *error)
{
	return pp_hist_at(s->report, s->pid, s->rec->misc & PP_MISC_CPUMODE, s->details.addr, at, error);
}

int pp_sample_data(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint32_t at;

	return find_data(s, &at, error) ? -1 : place(s, s->details.addr, at, value, error);
}

int pp_sample_dso_data(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint32_t at;

	if (find_data(s, &at, error))
		return -1;
	*value = pp_frame_table_kind(&s->report->places, at)->dso;
	return 0;
}

int pp_sample_code(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t ip = 0;
	uint32_t at;

	(void)pp_ip(s->rec, &ip);
	return pp_hist_at(s->report, s->pid, s->rec->misc & PP_MISC_CPUMODE, ip, &at, error) ? -1 :
	       place(s, ip, at, value, error);
}

/*
 * A line is one wherever the same part of a file is mapped, and in each process if it is of no file.  A place
 * that is nowhere stands for it: where in which file it is, what ran, and whose it is.
 */
int pp_sample_dcacheline(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	enum { LINE = 64, SHARED = 1 };
	const unsigned mode = s->rec->misc & PP_MISC_CPUMODE;
	const uint64_t address = s->details.addr & ~(uint64_t)(LINE - 1);
	const struct pp_map *const map = pp_tasks_map(s->report->tasks, s->pid, mode, address);
	struct pp_code_frame same = {
		.exact = true, .function = UINT32_MAX, .symbol = UINT32_MAX, .line = mode, .start = address,
	};
	uint32_t class, at;

	if (map) {
		const bool of_file = map->maj || map->min || map->ino;

		same.source = map->file + 1;
		same.offset = (uint64_t)map->maj << 32 | map->min;
		same.size = map->ino;
		if (of_file)
			same.start += map->pgoff - map->start;
		else if (mode != PP_MISC_KERNEL && !(map->flags & SHARED))
			same.address = s->pid;
	}
	if (pp_frame_table_add(&s->report->places, &same, &class, error) ||
	    pp_hist_line(s->report, s->pid, mode, address, &at, error))
		return -1;
	*value = (uint64_t)class << 32 | at;
	return 0;
}

int pp_sample_physical(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	const struct pp_code_frame spot = {
		.start = s->details.phys_addr, .function = UINT32_MAX, .symbol = UINT32_MAX,
	};
	uint32_t at;

	return pp_frame_table_add(&s->report->places, &spot, &at, error) ? -1 :
	       place(s, s->details.phys_addr, at, value, error);
}
