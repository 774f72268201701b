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

/* Addresses of the call chain, without the marks between them. */
static bool load_depth(const struct pp_record *r, uint64_t *value)
{
	const uint8_t *ips;
	uint64_t n;

	if (!pp_query_chain(r, &ips, &n))
		return false;
	*value = 0;
	for (uint64_t i = 0; i < n; i++)
		*value += pp_load64(ips + i * 8) < PP_QUERY_MARKS;
	return true;
}

static bool load_walked(const struct pp_record *r, const struct pp_query_path *path,
			uint64_t *value)
{
	struct pp_query_seek seek;

	pp_query_seek(&seek, path, r);
	return pp_query_seek_next(&seek, value);
}

static bool compute(const struct pp_record *r, const struct pp_query_op *ops, uint32_t n,
		    pp_query_wide *result);

/* A time by something that is known of the whole stream. */
static bool load_time(const struct pp_record *r, uint8_t field, const struct pp_query_facts *facts,
		      uint64_t *value)
{
	const uint64_t whole = facts->last - facts->first;
	pp_query_wide part;

	if (!pp_time(r, value))
		return false;
	if (field == PP_QUERY_WALL) {
		*value += (uint64_t)facts->wall_clock;
	} else if (field == PP_QUERY_UNTIL) {
		*value += PP_QUERY_BIAS - facts->last;
	} else {
		part = ((pp_query_wide)*value - facts->first) * 100 * PP_QUERY_PERCENT;
		part /= whole ? whole : 1;
		*value = part < 0 ? 0 : PP_QUERY_BIAS + (part > INT64_MAX ? INT64_MAX : (uint64_t)part);
	}
	return true;
}

/* Fields that are not one load; what is computed and negative is in no set. */
static __attribute__((noinline)) bool load_else(const struct pp_record *r,
						const struct pp_query_test *test,
						const struct pp_query_facts *facts, uint64_t *value)
{
	pp_query_wide computed;

	switch (test->field) {
	case PP_QUERY_UNTIL:
	case PP_QUERY_PART:
	case PP_QUERY_WALL:
		return load_time(r, test->field, facts, value);
	case PP_QUERY_STREAM_ID:
		return pp_stream_id(r, value);
	case PP_QUERY_MISC:
		*value = r->misc;
		return true;
	case PP_QUERY_FRAMES:
		return load_depth(r, value);
	case PP_QUERY_WALKED:
		return load_walked(r, test->path, value);
	default:
		if (!compute(r, test->ops, test->n_ops, &computed) || computed < 0)
			return false;
		*value = (uint64_t)computed;
		return true;
	}
}

/* The value of a field of numbers, biased where its literals are; false: there is none. */
static inline bool load(const struct pp_record *r, const struct pp_query_test *test,
			const struct pp_query_facts *facts, uint64_t *value)
{
	uint32_t cpu;

	switch (test->field) {
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
		*value = *value - facts->first + PP_QUERY_BIAS;
		return true;
	case PP_QUERY_IP:
		return pp_ip(r, value);
	case PP_QUERY_ADDR:
		return pp_addr(r, value);
	case PP_QUERY_PERIOD:
		return load_period(r, value);
	case PP_QUERY_ID:
		return pp_id(r, value);
	default:
		return load_else(r, test, facts, value);
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

/* One value that is in the set, or for a negated test one that is not. */
static bool any_holds(const struct pp_query_test *test, const struct pp_record *r)
{
	const bool chain = !strcmp(test->path->name, "callchain");
	struct pp_query_seek seek;
	const uint8_t *ips;
	uint64_t n, value;

	if (chain) {
		if (!pp_query_chain(r, &ips, &n))
			return false;
		for (uint64_t i = 0; i < n; i++) {
			value = pp_load64(ips + i * 8);
			if (value < PP_QUERY_MARKS && in_set(test, value) != test->negate)
				return true;
		}
		return false;
	}
	pp_query_seek(&seek, test->path, r);
	while (pp_query_seek_next(&seek, &value))
		if (in_set(test, value) != test->negate)
			return true;
	return false;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

/* Loads as arithmetic wants it: numbers that may be negative are. */
static bool load_wide(const struct pp_record *r, const struct pp_query_op *op,
		      pp_query_wide *value)
{
	const struct pp_query_test test = { .field = op->field, .path = op->path };
	uint64_t loaded;

	if (!load(r, &test, 0, &loaded))
		return false;
	*value = (pp_query_wide)loaded;
	if (op->field < PP_QUERY_FIELD_COUNT && pp_query_field_rows[op->field].kind == PP_IS_SIGNED)
		*value -= PP_QUERY_BIAS;
	return true;
}

/* a * b where it has 64 bits: the magnitudes tell. */
static bool multiply(pp_query_wide a, pp_query_wide b, pp_query_wide *result)
{
	const uint64_t x = (uint64_t)(a < 0 ? -a : a), y = (uint64_t)(b < 0 ? -b : b);
	uint64_t product;

	if (__builtin_mul_overflow(x, y, &product))
		return false;
	*result = (a < 0) != (b < 0) ? -(pp_query_wide)product : (pp_query_wide)product;
	return true;
}

static bool join(const struct pp_query_op *op, pp_query_wide a, pp_query_wide b,
		 pp_query_wide *result)
{
	switch (op->kind) {
	case PP_OP_ADD:
		*result = a + b;
		break;
	case PP_OP_SUBTRACT:
		*result = a - b;
		break;
	case PP_OP_MULTIPLY:
		if (!multiply(a, b, result))
			return false;
		break;
	case PP_OP_DIVIDE: case PP_OP_MODULO:
		if (!b)
			return false;
		*result = op->kind == PP_OP_DIVIDE ? a / b : a % b;
		break;
	default:
		*result = op->kind == PP_OP_AND ? a & b : a | b;
	}
	return *result >= INT64_MIN && *result <= UINT64_MAX;
}

/* The parser made the code: it finds its operands, and leaves one value. */
static bool compute(const struct pp_record *r, const struct pp_query_op *ops, uint32_t n,
		    pp_query_wide *result)
{
	pp_query_wide stack[PP_QUERY_OPS];
	uint32_t height = 0;

	for (const struct pp_query_op *op = ops; op < ops + n; op++) {
		if (op->kind == PP_OP_PUSH) {
			stack[height++] = op->value;
		} else if (op->kind == PP_OP_LOAD) {
			if (!load_wide(r, op, &stack[height++]))
				return false;
		} else {
			height--;
			if (!join(op, stack[height - 1], stack[height], &stack[height - 1]))
				return false;
		}
	}
	*result = stack[0];
	return true;
}

static bool compare(const struct pp_query_test *test, const struct pp_record *r)
{
	pp_query_wide a, b;

	if (!compute(r, test->ops, test->left, &a) ||
	    !compute(r, test->ops + test->left, test->n_ops - test->left, &b))
		return false;
	switch (test->compare) {
	case PP_T_EQ:
		return a == b;
	case PP_T_NE:
		return a != b;
	case PP_T_LT:
		return a < b;
	case PP_T_LE:
		return a <= b;
	case PP_T_GT:
		return a > b;
	default:
		return a >= b;
	}
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

static const char *const modes[] = {
	[PP_MISC_USER] = "user", [PP_MISC_KERNEL] = "kernel", [3] = "hypervisor",
	[PP_MISC_GUEST_KERNEL] = "guest", [PP_MISC_GUEST_USER] = "guest_user",
	[6] = NULL, [7] = NULL,
};

bool pp_query_mode_named(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i] && !strcmp(modes[i], name))
			return true;
	return false;
}

/* perf names the kernel's map for the symbol that it was measured by as well. */
static const char *path_of(const struct pp_map *map)
{
	static const char kernel[] = "[kernel.kallsyms]";

	return map->kernel && !strncmp(map->filename, kernel, sizeof(kernel) - 1) ? kernel :
										    map->filename;
}

static const char *dso_of(const struct pp_record *r, struct pp_tasks *tasks, unsigned mode,
			  uint64_t ip)
{
	const struct pp_map *map;
	uint32_t pid = 0, tid;

	if (!tasks || !pp_task(r, &pid, &tid))
		return NULL;
	map = pp_tasks_map(tasks, pid, mode, ip);
	return map ? path_of(map) : NULL;
}

/* The text that is asked for, or NULL; `buf` is for the name of a type that has none. */
static const char *text_of(const struct pp_record *r, uint8_t field, struct pp_tasks *tasks,
			   char buf[24])
{
	uint32_t pid, tid;
	uint64_t ip;

	if (field == PP_QUERY_EVENT)
		return r->attr ? r->attr->name : NULL;
	if (field == PP_QUERY_TYPE)
		return pp_type_name(r->type, buf);
	if (field == PP_QUERY_MODE)
		return modes[r->misc & PP_MISC_CPUMODE];
	if (field == PP_QUERY_DSO)
		return pp_ip(r, &ip) ? dso_of(r, tasks, r->misc & PP_MISC_CPUMODE, ip) : NULL;
	return tasks && pp_task(r, &pid, &tid) ? pp_tasks_comm(tasks, pid, tid) : NULL;
}

static bool text_holds(const struct pp_query_test *test, const char *text)
{
	if (test->kind == PP_TEST_DEFINED)
		return true;
	return (test->kind == PP_TEST_TEXTS ? in_texts(test, text) :
		test->kind == PP_TEST_GLOB ? pp_query_glob(*test->texts, text) :
					     matches(test, text)) != test->negate;
}

/* Whose the addresses are that follow a mark in a call chain. */
static unsigned mode_of_mark(uint64_t mark)
{
	static const struct { int64_t mark; unsigned mode; } marks[] = {
		{ -128, PP_MISC_KERNEL }, { -512, PP_MISC_USER }, { -32, 3 },
		{ -2048, PP_MISC_GUEST_KERNEL }, { -2176, PP_MISC_GUEST_KERNEL },
		{ -2560, PP_MISC_GUEST_USER },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if ((uint64_t)marks[i].mark == mark)
			return marks[i].mode;
	return 0;
}

/* any_dso: of ip, then of what called it; a file that was asked about is not asked again. */
static bool any_dso_holds(const struct pp_query_test *test, const struct pp_record *r,
			  struct pp_tasks *tasks)
{
	unsigned mode = r->misc & PP_MISC_CPUMODE;
	const char *path, *last = NULL;
	const uint8_t *ips = NULL;
	uint64_t n = 0, ip;

	if (pp_ip(r, &ip) && (last = dso_of(r, tasks, mode, ip)) && text_holds(test, last))
		return true;
	if (!pp_query_chain(r, &ips, &n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		ip = pp_load64(ips + i * 8);
		if (ip >= PP_QUERY_MARKS) {
			mode = mode_of_mark(ip);
			continue;
		}
		path = dso_of(r, tasks, mode, ip);
		if (path && path != last && text_holds(test, path))
			return true;
		last = path;
	}
	return false;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static __attribute__((noinline)) bool holds_else(const struct pp_query_test *test,
						 const struct pp_record *r,
						 const struct pp_query_facts *facts)
{
	const char *text;
	uint64_t value;
	char buf[24];

	if (test->kind == PP_TEST_COMPARE)
		return compare(test, r);
	if (test->kind == PP_TEST_ANY)
		return any_holds(test, r);
	if (test->field == PP_QUERY_ANY_DSO)
		return any_dso_holds(test, r, facts->tasks);
	if (test->field >= PP_QUERY_FIELD_COUNT ||
	    pp_query_field_rows[test->field].kind != PP_IS_TEXT)
		return load(r, test, facts, &value);
	text = text_of(r, test->field, facts->tasks, buf);
	return text && text_holds(test, text);
}

static inline bool holds(const struct pp_query_test *test, const struct pp_record *r,
			 const struct pp_query_facts *facts)
{
	uint64_t value;

	if (test->kind > PP_TEST_RANGES)
		return holds_else(test, r, facts);
	if (!load(r, test, facts, &value))
		return false;
	return (test->kind == PP_TEST_RANGE ? within(test->range, value) :
					      in_set(test, value)) != test->negate;
}

bool pp_query_match(const struct pp_query *q, const struct pp_record *r, const struct pp_query_facts *facts)
{
	uint32_t at = 0;

	while (at < q->count)
		at = holds(&q->tests[at], r, facts) ? q->tests[at].yes : q->tests[at].no;
	return at == PP_QUERY_YES;
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool pp_query_has_one_value(const struct pp_query_test *test)
{
	return test->field != PP_QUERY_ANY_DSO && test->field != PP_QUERY_COMPUTED &&
	       !(test->path && (test->path->many || !test->path->number));
}

bool pp_query_value(const struct pp_query_test *test, const struct pp_record *r,
		    const struct pp_query_facts *facts, uint64_t *value)
{
	const char *text;
	char buf[24];

	if (test->field >= PP_QUERY_FIELD_COUNT ||
	    pp_query_field_rows[test->field].kind != PP_IS_TEXT)
		return load(r, test, facts, value);
	text = text_of(r, test->field, facts->tasks, buf);
	if (text)
		*value = XXH3_64bits(text, strlen(text));
	return text != NULL;
}
