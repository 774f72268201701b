/* run.c - a query's program put to one record; loads are at planned places, nothing is walked. */
#include "query.h"

#include <xxhash.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool load_pid(const struct pp_record *r, unsigned which, uint64_t *value)
{
	uint32_t task[2];

	if (!pp_task(r, &task[0], &task[1]))
		return false;
	*value = (uint64_t)(int32_t)task[which] + PP_QUERY_BIAS;
	return true;
}

/* What perf takes for the period of a sample that carries none. */
static bool load_period(const struct pp_record *r, uint64_t *value)
{
	if (pp_period(r, value))
		return true;
	if (r->type != PP_REC_SAMPLE || !r->attr || pp_attr_flag(r->attr, PP_FLAG_freq))
		return false;
	*value = r->attr->sample_period;
	return true;
}

/* The value of a field of numbers, biased where its literals are; false: there is none. */
static inline bool load(const struct pp_record *r, uint8_t field, uint64_t first, uint64_t *value)
{
	uint32_t cpu;

	switch (field) {
	case PP_QUERY_PID:
		return load_pid(r, 0, value);
	case PP_QUERY_TID:
		return load_pid(r, 1, value);
	case PP_QUERY_CPU:
		if (!pp_cpu(r, &cpu))
			return false;
		*value = (uint64_t)(int32_t)cpu + PP_QUERY_BIAS;
		return true;
	case PP_QUERY_TIME:
		return pp_time(r, value);
	case PP_QUERY_SINCE:
		if (!pp_time(r, value))
			return false;
		*value = *value - first + PP_QUERY_BIAS;
		return true;
	case PP_QUERY_IP:
		return pp_ip(r, value);
	case PP_QUERY_ADDR:
		return pp_addr(r, value);
	case PP_QUERY_PERIOD:
		return load_period(r, value);
	default:
		return pp_id(r, value);
	}
}

static inline bool within(struct pp_query_range range, uint64_t value)
{
	return value - range.low <= range.high - range.low;
}

static bool in_set(const struct pp_query_test *test, uint64_t value)
{
	uint32_t low = 0, high = test->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (test->ranges[middle].high < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < test->count && within(test->ranges[low], value);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/*
 * Where the modifiers begin that perf appends to an event's name: "cycles" in "cycles:u", and
 * in "cpu/cycles/u" what is up to the last slash.  A tracepoint's "sched:sched_switch" has none.
 */
static size_t bare_length(const char *name)
{
	static const char modifiers[] = "ukhIGHpPSDWebRX";
	const size_t length = strlen(name);
	size_t at = length;

	while (at && strchr(modifiers, name[at - 1]))
		at--;
	if (!at || at == length)
		return length;
	return name[at - 1] == ':' ? at - 1 : name[at - 1] == '/' ? at : length;
}

static bool is_event(const char *name, const char *wanted)
{
	const size_t length = strlen(wanted);

	return !strncmp(name, wanted, length) && (!name[length] || length == bare_length(name));
}

static bool in_texts(const struct pp_query_test *test, const char *text)
{
	for (uint32_t i = 0; i < test->count; i++)
		if (test->field == PP_QUERY_EVENT ? is_event(text, test->texts[i]) :
						    !strcmp(text, test->texts[i]))
			return true;
	return false;
}

static bool matches(const struct pp_query_test *test, const char *text)
{
	const size_t length = strnlen(text, PP_QUERY_MEMO_TEXT);
	struct pp_query_memo *memo = NULL;
	bool hit;

	if (length < PP_QUERY_MEMO_TEXT) {
		memo = &test->memos[XXH3_64bits(text, length) % PP_QUERY_MEMOS];
		if (memo->verdict && !memcmp(memo->text, text, length + 1))
			return memo->verdict == 2;
	}
	hit = !regexec(test->pattern, text, 0, NULL, 0);
	if (memo) {
		memcpy(memo->text, text, length + 1);
		memo->verdict = hit ? 2 : 1;
	}
	return hit;
}

/* The text that is asked for, or NULL; `buf` is for the name of a type that has none. */
static const char *text_of(const struct pp_record *r, uint8_t field, struct pp_tasks *tasks,
			   char buf[24])
{
	uint32_t pid, tid;

	if (field == PP_QUERY_EVENT)
		return r->attr ? r->attr->name : NULL;
	if (field == PP_QUERY_TYPE)
		return pp_type_name(r->type, buf);
	return tasks && pp_task(r, &pid, &tid) ? pp_tasks_comm(tasks, pid, tid) : NULL;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static inline bool holds(const struct pp_query_test *test, const struct pp_record *r,
			 struct pp_tasks *tasks, uint64_t first)
{
	const char *text;
	uint64_t value;
	char buf[24];
	bool hit;

	if (test->kind == PP_TEST_RANGE || test->kind == PP_TEST_RANGES) {
		if (!load(r, test->field, first, &value))
			return false;
		hit = test->kind == PP_TEST_RANGE ? within(test->range, value) :
						    in_set(test, value);
	} else {
		text = text_of(r, test->field, tasks, buf);
		if (!text)
			return false;
		hit = test->kind == PP_TEST_TEXTS ? in_texts(test, text) : matches(test, text);
	}
	return hit != test->negate;
}

bool pp_query_match(const struct pp_query *q, const struct pp_record *r, struct pp_tasks *tasks,
		    uint64_t first)
{
	uint32_t at = 0;

	while (at < q->count)
		at = holds(&q->tests[at], r, tasks, first) ? q->tests[at].yes : q->tests[at].no;
	return at == PP_QUERY_YES;
}
