/* query_eval.c - evaluates a query's program on one record. */
#include "format/format.h"
#include "query/planned.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Addresses of the call chain, without the marks between them. */
static bool load_depth(const struct pp_record *r, uint64_t *value)
{
	struct pp_chain chain;
	uint64_t ip;

	if (!pp_query_chain(&chain, r))
		return false;
	for (*value = 0; pp_chain_next(&chain, &ip); ++*value)
		;
	return true;
}

/* What a record that is no sample says itself under a name. */
static bool load_own(const struct pp_record *r, struct pp_query_path *path, uint64_t *value)
{
	const struct pp_query_own own = path->own[r->type];
	const size_t trailer = r->attr ? r->attr->plan.trailer : 0;
	const uint8_t *const p = r->data + own.at;

	if (own.how == PP_TERM_WALKED || own.kind < PP_U32)
		return pp_query_load_walked(r, path, true, value);
	if (!pp_fits((uint64_t)own.at + pp_kind_width[own.kind] + trailer, r->size))
		return false;
	*value = pp_kind_value(own.kind, p);
	return true;
}

static bool load_namespace(const struct pp_record *r, unsigned kind,
			   const struct pp_query_facts *facts, uint64_t *value)
{
	uint32_t pid, tid;

	return facts->tasks && pp_query_task(r, &pid, &tid) &&
	       pp_tasks_namespace(facts->tasks, pid, tid, kind, value);
}

/* An array without elements is defined as well. */
static bool wants_number(const struct pp_query_test *test)
{
	return test->kind != PP_TEST_DEFINED || (test->path->number && !test->path->many);
}

static bool compute(const struct pp_record *r, const struct pp_query_op *ops, uint32_t n,
		    const struct pp_query_facts *facts, pp_query_wide *result);

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
		*value = part < 0 ? 0
				  : PP_QUERY_BIAS + (part > INT64_MAX ? INT64_MAX : (uint64_t)part);
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
		return pp_stream_id(r, value) ||
		       (r->type != PP_REC_SAMPLE && pp_find_u64(r, PP_IS_STREAM_ID, value));
	case PP_QUERY_MISC:
		*value = r->misc;
		return true;
	case PP_QUERY_FRAMES:
		return load_depth(r, value);
	case PP_QUERY_NS_NET: case PP_QUERY_NS_UTS: case PP_QUERY_NS_IPC: case PP_QUERY_NS_PID:
	case PP_QUERY_NS_USER: case PP_QUERY_NS_MNT: case PP_QUERY_NS_CGROUP: case PP_QUERY_NS_TIME:
		return load_namespace(r, test->field - PP_QUERY_NS_NET, facts, value);
	case PP_QUERY_WALKED:
		if (r->type == PP_REC_SAMPLE)
			return pp_query_load_walked(r, test->path, wants_number(test), value);
		return test->path->is == PP_IS_IDENTIFIER &&
		       pp_find_u64(r, PP_IS_IDENTIFIER, value);
	default:
		if (!compute(r, test->ops, test->n_ops, facts, &computed) || computed < 0)
			return false;
		*value = (uint64_t)computed;
		return true;
	}
}

static bool load(const struct pp_record *r, const struct pp_query_test *test,
		 const struct pp_query_facts *facts, uint64_t *value);

/* Numbers that a record other than a sample says itself, biased where they are. */
static __attribute__((noinline)) bool load_side(const struct pp_record *r,
						const struct pp_query_test *test, uint64_t *value)
{
	if (!wants_number(test))
		return pp_query_load_walked(r, test->path, false, value);
	if (!load_own(r, test->path, value))
		return false;
	if (test->field < PP_QUERY_FIELD_COUNT &&
	    pp_query_field_rows[test->field].kind == PP_AS_SIGNED)
		*value = (uint64_t)(int32_t)*value + PP_QUERY_BIAS;
	return true;
}

/* The value of a field of numbers, biased where its literals are; false: there is none. */
static inline bool load(const struct pp_record *r, const struct pp_query_test *test,
			const struct pp_query_facts *facts, uint64_t *value)
{
	if (r->type != PP_REC_SAMPLE && pp_query_has_own(r, test->path))
		return load_side(r, test, value);
	if (pp_query_loads_planned(test->field))
		return pp_query_load_planned(r, test->field, value);
	switch (test->field) {
	case PP_QUERY_SINCE:
		if (!pp_time(r, value))
			return false;
		*value = *value - facts->first + PP_QUERY_BIAS;
		return true;
	case PP_QUERY_TYPE:
		*value = r->type;
		return true;
	default:
		return load_else(r, test, facts, value);
	}
}

/* One value that is in the set, or for a negated test one that is not. */
static bool any_holds(const struct pp_query_test *test, const struct pp_record *r)
{
	struct pp_query_seek seek;
	struct pp_chain chain;
	uint64_t value;

	if (test->path->is == PP_IS_CHAIN && test->path->in_sample) {
		if (!pp_query_chain(&chain, r))
			return false;
		while (pp_chain_next(&chain, &value))
			if (pp_query_in_set(test, value) != test->negate)
				return true;
		return false;
	}
	pp_query_seek(&seek, test->path, r, true);
	while (pp_query_seek_next(&seek, &value))
		if (pp_query_in_set(test, value) != test->negate)
			return true;
	return false;
}

static bool in_spans(const struct pp_query_test *test, pp_query_wide value)
{
	for (uint32_t i = 0; i < test->count; i++)
		if (value >= test->spans[i].low && value <= test->spans[i].high)
			return !test->negate;
	return test->negate;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

/* Loads as arithmetic wants it: numbers that may be negative are. */
static bool load_wide(const struct pp_record *r, uint8_t field, struct pp_query_path *path,
		      const struct pp_query_facts *facts, pp_query_wide *value)
{
	const struct pp_query_test test = { .field = field, .path = path };
	uint64_t loaded;

	if (path->is_trace)
		return pp_query_trace_number(path, r, facts, value);
	if (!load(r, &test, facts, &loaded))
		return false;
	*value = path->is_signed ? (pp_query_wide)(int64_t)loaded : (pp_query_wide)loaded;
	if (field < PP_QUERY_FIELD_COUNT && pp_query_field_rows[field].kind == PP_AS_SIGNED)
		*value -= PP_QUERY_BIAS;
	return true;
}

static bool spans_hold(const struct pp_query_test *test, const struct pp_record *r,
		       const struct pp_query_facts *facts)
{
	struct pp_query_seek seek;
	pp_query_wide value;
	uint64_t loaded;

	if (!test->any)
		return load_wide(r, test->field, test->path, facts, &value) &&
		       in_spans(test, value);
	if (test->path->is_trace)
		return pp_query_trace_any(test->path, r, facts, in_spans, test);
	pp_query_seek(&seek, test->path, r, true);
	while (pp_query_seek_next(&seek, &loaded))
		if (in_spans(test, (int64_t)loaded))
			return true;
	return false;
}

/* a * b if it fits in 64 bits: the magnitudes show that. */
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
		    const struct pp_query_facts *facts, pp_query_wide *result)
{
	pp_query_wide stack[PP_QUERY_OPS];
	uint32_t height = 0;

	for (const struct pp_query_op *op = ops; op < ops + n; op++) {
		if (op->kind == PP_OP_PUSH) {
			stack[height++] = op->value;
		} else if (op->kind == PP_OP_LOAD) {
			if (!load_wide(r, op->field, op->path, facts, &stack[height++]))
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

static bool compare(const struct pp_query_test *test, const struct pp_record *r,
		    const struct pp_query_facts *facts)
{
	pp_query_wide a, b;

	if (!compute(r, test->ops, test->left, facts, &a) ||
	    !compute(r, test->ops + test->left, test->n_ops - test->left, facts, &b))
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

/* ---- Tests ----------------------------------------------------------------------------------- */

static bool descends(const struct pp_query_test *test, const struct pp_record *r,
		     struct pp_tasks *tasks)
{
	uint32_t pid, tid;

	return tasks && pp_query_task(r, &pid, &tid) &&
	       pp_tasks_descends(tasks, pid, (uint32_t)test->range.low);
}

/* Names are found by addresses; other texts are in the record. */
static bool text_or_name_holds(const struct pp_query_test *test, const struct pp_record *r,
			       const struct pp_query_facts *facts)
{
	return test->names ? pp_query_name_holds(test, r, facts) : pp_query_text_holds(test, r, facts);
}

static __attribute__((noinline)) bool holds_else(const struct pp_query_test *test,
						 const struct pp_record *r,
						 const struct pp_query_facts *facts)
{
	uint64_t value;

	switch (test->kind) {
	case PP_TEST_COMPARE:
		return compare(test, r, facts);
	case PP_TEST_ANY:
		return any_holds(test, r);
	case PP_TEST_SPANS:
		return spans_hold(test, r, facts);
	case PP_TEST_DEFINED:
		if (test->path->is_trace)
			return pp_query_trace_defined(test->path, r, facts);
		return pp_query_is_text(test) ? text_or_name_holds(test, r, facts) :
						load(r, test, facts, &value);
	case PP_TEST_DESCENT:
		return descends(test, r, facts->tasks);
	default:
		return text_or_name_holds(test, r, facts);
	}
}

static inline bool holds(const struct pp_query_test *test, const struct pp_record *r,
			 const struct pp_query_facts *facts)
{
	uint64_t value;

	if (test->kind > PP_TEST_RANGES)
		return holds_else(test, r, facts);
	if (!load(r, test, facts, &value))
		return false;
	return (test->kind == PP_TEST_RANGE ? pp_query_within(test->range, value) :
					      pp_query_in_set(test, value)) != test->negate;
}

bool pp_query_match(const struct pp_query *q, const struct pp_record *r,
		    const struct pp_query_facts *facts)
{
	struct pp_query_facts whole;
	uint32_t at = 0;

	facts = pp_query_whole(facts, &whole);
	while (at < q->count)
		at = holds(&q->tests[at], r, facts) ? q->tests[at].yes : q->tests[at].no;
	return at == PP_QUERY_YES;
}

/* ---- Values ---------------------------------------------------------------------------------- */

bool pp_query_has_one_value(const struct pp_query_test *test)
{
	return test->path && test->field != PP_QUERY_ANY_DSO && test->field != PP_QUERY_ANY_SYM &&
	       (test->path->is_trace || (test->path->number && !test->path->many));
}

bool pp_query_value(const struct pp_query_test *test, const struct pp_record *r,
		    const struct pp_query_facts *facts, uint64_t *value)
{
	pp_query_wide wide;

	if (test->path->is_trace && pp_query_trace_number(test->path, r, facts, &wide)) {
		*value = (uint64_t)wide;
		return true;
	}
	if (test->names)
		return pp_query_name_hash(test, r, facts, value);
	return pp_query_is_text(test) ? pp_query_text_hash(test, r, facts, value) :
					load(r, test, facts, value);
}
