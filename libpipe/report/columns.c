/* columns.c - the values of columns and their order, as perf's util/sort.c has them; entries are hist.c's. */
#include "report/hist.h"

#include <perfpipe/walk.h>

#include <stdlib.h>
#include <string.h>

/* ---- of an entry ---- */

static uint64_t weight_children(const struct pp_entry *e, const struct pp_entry_sums *sums)
{
	(void)sums;
	return e->children;
}

#define OF_ENTRY(member) \
static uint64_t weight_##member(const struct pp_entry *e, const struct pp_entry_sums *sums) \
{ \
	(void)e; \
	return sums->member; \
}
OF_ENTRY(weight)
OF_ENTRY(sys)
OF_ENTRY(us)
OF_ENTRY(guest_sys)
OF_ENTRY(guest_us)
OF_ENTRY(samples)
OF_ENTRY(latency)
OF_ENTRY(latency_children)
OF_ENTRY(cost)
OF_ENTRY(ins_lat)
OF_ENTRY(retire_lat)

/* To the nearest whole number. */
static uint64_t weight_mean(const struct pp_entry *e, const struct pp_entry_sums *sums)
{
	const uint64_t n = sums->samples;

	(void)e;
	return n ? sums->weight / n + (sums->weight % n > (n - 1) / 2) : 0;
}

#define OF_SPREAD(member) \
static uint64_t weight_##member(const struct pp_entry *e, const struct pp_entry_sums *sums) \
{ \
	(void)e; \
	return sums->spread ? sums->spread->member : 0; \
}
OF_SPREAD(least)
OF_SPREAD(p50)
OF_SPREAD(p90)
OF_SPREAD(p99)
OF_SPREAD(most)

/* ---- of a sample ---- */

#define OF_SAMPLE(name, type, member) \
static int pp_sample_##name(const struct pp_sampled *s, uint64_t *value, struct pp_error *error) \
{ \
	(void)error; \
	*value = (uint64_t)(type)s->member; \
	return 0; \
}
OF_SAMPLE(comm, uint32_t, comm)
OF_SAMPLE(pid, int32_t, pid)    /* -1 of a thread that has ended */
OF_SAMPLE(tid, int32_t, tid)
OF_SAMPLE(parent, uint32_t, parent)

/* Names that differ in their digits alone are one, as in perf: that of the first sample stands for all, with
 * a word for each number. */
static int pp_sample_comm_nodigit(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	static const char digits[] = "0123456789", word[] = "<N>";
	struct pp_frame_table *const texts = &s->report->places;
	const char *at = texts->texts.items[s->comm].text;
	const size_t length = texts->texts.items[s->comm].length;
	/* in the worst case every other character is a number */
	char *const bare = malloc(length + 1 + 2 * length + sizeof(word)), *const shown = bare + length + 1;
	size_t n_bare = 0, n_shown = 0;
	uint32_t identity = 0, text = 0;
	int status;

	if (!bare)
		return pp_fail(error, PP_E_NOMEM, NULL);
	while (*at) {
		const size_t number = strspn(at, digits);
		const size_t other = strcspn(at + number, digits);

		if (number)
			n_shown = (size_t)(stpcpy(shown + n_shown, word) - shown);
		memcpy(bare + n_bare, at + number, other);
		memcpy(shown + n_shown, at + number, other);
		n_bare += other;
		n_shown += other;
		at += number + other;
	}
	status = pp_frame_table_text(texts, bare, n_bare, &identity, error) ||
		 pp_frame_table_text(texts, shown, n_shown, &text, error) ? -1 : 0;
	free(bare);
	*value = (uint64_t)identity << 32 | text;
	return status;
}

static int pp_sample_cpu(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint32_t cpu;

	(void)error;
	*value = pp_cpu(s->rec, &cpu) ? cpu : UINT64_MAX;
	return 0;
}

static int pp_sample_time(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t time;

	(void)error;
	*value = pp_time(s->rec, &time) ? time - time % s->report->how.time_quantum : 0;
	return 0;
}

static int pp_sample_event(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return pp_frame_table_value(&s->report->places, s->attr->name, 0, value, error);
}

static int pp_sample_trace(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_trace_texts *const traces = s->report->how.traces;
	const char *text;
	uint32_t number = 0;
	size_t length;

	if (traces && s->rec->attr->type == PP_TYPE_TRACEPOINT &&
	    (pp_trace_text(traces, s->rec, &text, &length, error) ||
	     pp_frame_table_text(&s->report->places, text, length, &number, error)))
		return -1;
	*value = number;
	return 0;
}

static int pp_sample_cgroup(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t id;
	const char *path = NULL;

	if (pp_find_u64(s->rec, PP_IS_CGROUP, &id) && id) {
		path = pp_tasks_cgroup(s->report->tasks, id);
		path = path ? path : "unknown";
	}
	return pp_frame_table_value(&s->report->places, path, 0, value, error);
}

/* What samples of spans say; 0: this one does not. */
static int keep_word(const struct pp_sampled *s, const char *text, uint64_t *value, struct pp_error *error)
{
	*value = 0;
	return text ? pp_frame_table_value(&s->report->places, text, 0, value, error) : 0;
}

static int pp_sample_state(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	return keep_word(s, pp_span_says(s->rec->attr, PP_SPAN_STATE) ? pp_span_state(s->rec, NULL) : NULL,
			 value, error);
}

static int pp_sample_syscall(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	const char *name = NULL;

	if (pp_span_says(s->rec->attr, PP_SPAN_SYSCALL) &&
	    pp_span_syscall(s->rec, s->report->calls, &name, error) < 0)
		return -1;
	return keep_word(s, name, value, error);
}

static int pp_sample_error(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	char name[PP_ERROR_NAME];

	return keep_word(s, pp_span_says(s->rec->attr, PP_SPAN_ERROR) ? pp_span_error(s->rec, name) : NULL,
			 value, error);
}

static int pp_sample_woken(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	uint64_t time;

	(void)error;
	*value = pp_span_says(s->rec->attr, PP_SPAN_WOKEN) && pp_span_woken(s->rec, &time) ?
			 time - time % s->report->how.time_quantum : 0;
	return 0;
}

/* ---- of a function ---- */

#define OF_PLACE(name, member) \
static uint64_t place_##name(const struct pp_code_frame *p, uint32_t number) \
{ \
	(void)number; \
	return p->member; \
}
OF_PLACE(dso, dso)
OF_PLACE(address, address)
OF_PLACE(line, line)
OF_PLACE(source, source)
OF_PLACE(size, size)

static uint64_t place_symbol(const struct pp_code_frame *p, uint32_t number)
{
	return number - p->symbol;
}

/* ---- the table ---- */

static const struct pp_column columns[] = {
#define ROW(name, header, kind, key, width, unknown) { name, header, PP_REPORT_##kind, key, width, unknown }
#define WEIGHT(name, header, kind, width, value) \
	{ ROW(name, header, kind, false, width, NULL), weight_##value, NULL, NULL, FALLING, NOTHING },
#define SAMPLE(name, header, kind, width, unknown, value, order, needs) \
	{ ROW(name, header, kind, true, width, unknown), NULL, pp_sample_##value, NULL, order, needs },
#define PLACE(name, header, kind, width, unknown, value, order) \
	{ ROW(name, header, kind, true, width, unknown), NULL, NULL, place_##value, order, NOTHING },
#define PERIODS(name, header, value, needs) \
	{ ROW(name, header, NUMBER, false, 12, NULL), weight_##value, NULL, NULL, FALLING, needs },
#define ALIAS(name, of)
#define NOT(name, why)
#include "report/columns.def"
#undef WEIGHT
#undef SAMPLE
#undef PLACE
#undef PERIODS
#undef ALIAS
#undef NOT
};

enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

static const struct { const char *name, *why; } not_here[] = {
#define WEIGHT(...)
#define SAMPLE(...)
#define PLACE(...)
#define PERIODS(...)
#define ALIAS(name, of)
#define NOT(name, why) { name, why },
#include "report/columns.def"
#undef ALIAS
#undef NOT
};

static const struct { const char *name, *of; } aliases[] = {
#define ALIAS(name, of) { name, of },
#define NOT(name, why)
#include "report/columns.def"
};

const char *pp_report_key(size_t i)
{
	return i < N_COLUMNS ? columns[i].shown.name : NULL;
}

uint64_t pp_report_key_needs(size_t i)
{
	static const uint64_t needs[] = {
		[NOTHING] = 0, [SWITCHES] = 0, [WHOLE_NAME] = 0, [SPREAD] = 0,
		[DETAILS] = PP_SAMPLE_WEIGHT | PP_SAMPLE_WEIGHT_STRUCT | PP_SAMPLE_TRANSACTION |
			    PP_SAMPLE_CODE_PAGE_SIZE,
		[MEMORY] = PP_SAMPLE_DATA_SRC | PP_SAMPLE_PHYS_ADDR | PP_SAMPLE_DATA_PAGE_SIZE,
		[BRANCHES] = PP_SAMPLE_BRANCH_STACK,
	};

	return i < N_COLUMNS ? needs[columns[i].needs] : 0;
}

static bool is_name(const char *name, const char *given, size_t length)
{
	return strlen(name) == length && !memcmp(name, given, length);
}

/* That of this name, or, if wanted, the first whose name begins so; of weights only, or of all. */
static const struct pp_column *find_column(const char *name, size_t length, bool begun, bool weights)
{
	for (size_t i = 0; length && i < N_COLUMNS; i++)
		if ((!weights || columns[i].weight) &&
		    (begun ? columns[i].needs < WHOLE_NAME && !strncmp(columns[i].shown.name, name, length) :
			     is_name(columns[i].shown.name, name, length)))
			return &columns[i];
	return NULL;
}

/* As perf, also the beginning of a name: "sym". */
const struct pp_column *pp_column_find(const char *name, size_t length, bool field, const char **why)
{
	const struct pp_column *found = NULL;

	*why = NULL;
	for (size_t i = 0; field && !found && i < sizeof(aliases) / sizeof(*aliases); i++)
		if (is_name(aliases[i].name, name, length))
			found = find_column(aliases[i].of, strlen(aliases[i].of), false, true);
	if (!found)
		found = find_column(name, length, false, false);
	if (found)
		return found;
	for (size_t i = 0; i < sizeof(not_here) / sizeof(*not_here); i++)
		if (is_name(not_here[i].name, name, length))
			*why = not_here[i].why;
	if (*why)
		return NULL;
	if (field)
		found = find_column(name, length, true, true);
	return found ? found : find_column(name, length, true, false);
}

/* ---- order ---- */

uint64_t pp_column_identity(const struct pp_column *column, uint64_t value)
{
	return column->order >= BY_CLASS ? value >> 32 : value;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* As perf, which takes the difference for a number with a sign. */
static int compare_signed(uint64_t a, uint64_t b)
{
	return a == b ? 0 : (int64_t)(b - a) > 0 ? -1 : 1;
}

int pp_column_compare_texts(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	return strcmp(p->texts.items[a].text, p->texts.items[b].text);
}

/* Types by name, which one that is not known has, too; then their parts. */
static int compare_types(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	static const char unknown[] = "(unknown)";
	const int d = strcmp(a == UINT64_MAX ? unknown : p->texts.items[a >> 32].text,
			     b == UINT64_MAX ? unknown : p->texts.items[b >> 32].text);

	return d ? d : compare_numbers((uint32_t)a, (uint32_t)b);
}

static int compare_names(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	return pp_column_compare_texts(p, pp_frame_table_kind(p, a)->name, pp_frame_table_kind(p, b)->name);
}

static int compare_addresses(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	return compare_signed(pp_frame_table_kind(p, a)->address, pp_frame_table_kind(p, b)->address);
}

/* Functions by where they begin; addresses without one come after them. */
static int compare_starts(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	const uint32_t x = pp_frame_table_kind(p, a)->name, y = pp_frame_table_kind(p, b)->name;

	if (!x != !y)
		return x ? -1 : 1;
	return x ? compare_signed(pp_frame_table_start(p, a), pp_frame_table_start(p, b)) :
		   compare_addresses(p, a, b);
}

/* Lines by what ran, with those of no mapping last, then by files, processes and where they are. */
static int compare_lines(const struct pp_frame_table *p, uint64_t a, uint64_t b)
{
	const struct pp_code_frame x = pp_frame_table_at(p, a), y = pp_frame_table_at(p, b);
	int d = compare_numbers(x.line, y.line);

	d = d ? d : compare_numbers(!x.source, !y.source);
	d = d ? d : compare_numbers(x.offset, y.offset);
	d = d ? d : compare_numbers(x.size, y.size);
	d = d ? d : compare_numbers(x.address, y.address);
	return d ? d : compare_numbers(x.start, y.start);
}

int pp_column_compare(const struct pp_column *column, const struct pp_report *r, uint64_t a, uint64_t b)
{
	const struct pp_frame_table *const p = &r->places;
	const uint64_t upper_a = a >> 32, upper_b = b >> 32;
	int d;

	switch (column->order) {
	case BY_TEXT:
		return pp_column_compare_texts(p, a, b);
	case BACK_BY_TEXT:
		return pp_column_compare_texts(p, b, a);
	case BY_BYTES:
		return strcmp(p->texts.items[a].text, p->texts.items[b].text);
	case BY_NAME:
		return a == b ? 0 : compare_names(p, a, b);
	case BY_NAME_AND_ADDRESS:
		d = a == b ? 0 : compare_names(p, a, b);
		return d ? d : compare_signed(pp_frame_table_start(p, b) + pp_frame_table_kind(p, b)->into,
					      pp_frame_table_start(p, a) + pp_frame_table_kind(p, a)->into);
	case BY_START:
		return a == b ? 0 : compare_starts(p, a, b);
	case BY_ADDRESS:
	case SIGNED:
		return compare_signed(a, b);
	case BY_CLASS:
		return compare_numbers(upper_a, upper_b);
	case RISING_KEPT:
		return compare_signed(r->kept.items[upper_a], r->kept.items[upper_b]);
	case FALLING_KEPT:
		return compare_signed(r->kept.items[upper_b], r->kept.items[upper_a]);
	case CLASS_BY_TEXT:
		return strcmp(p->texts.items[upper_a].text, p->texts.items[upper_b].text);
	case CLASS_BY_FILE:
		d = pp_column_compare_texts(p, pp_frame_table_kind(p, upper_b)->dso,
					    pp_frame_table_kind(p, upper_a)->dso);
		return d ? d : compare_addresses(p, upper_a, upper_b);
	case CLASS_FALLING:
		d = compare_signed(pp_frame_table_start(p, upper_b), pp_frame_table_start(p, upper_a));
		return d ? d : compare_addresses(p, upper_b, upper_a);
	case CLASS_OF_LINE:
		return compare_lines(p, upper_a, upper_b);
	case BACK_BY_TYPE:
		return compare_types(p, r->kept.items[upper_b], r->kept.items[upper_a]);
	case FALLING:
		return compare_numbers(b, a);
	default:
		return compare_numbers(a, b);
	}
}
