/* evaluate.c - operations to a value, as perf computes it; and which events can matter to it. */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>

/* What perf takes for a constant while it looks for the events that are needed: neither NAN, "any
 * value", nor what no division should yield. */
static bool is_constant(double v)
{
	return isfinite(v);
}

/* |, & and ^ are of truths, and known as soon as one side decides. */
static double decide(enum pp_metric_op_kind kind, double a, double b)
{
	const bool known_a = is_constant(a), known_b = is_constant(b);

	if (known_a && known_b)
		return kind == PP_MO_OR ? a != 0 || b != 0 :
		       kind == PP_MO_AND ? a != 0 && b != 0 : (a != 0) != (b != 0);
	if (kind == PP_MO_XOR || (!known_a && !known_b))
		return NAN;
	if (!known_a)
		a = b;
	/* the other side alone decides where this one is neutral, and it is not known */
	return kind == PP_MO_OR ? (a != 0 ? 1 : NAN) : (a != 0 ? NAN : 0);
}

static double modulo(double a, double b)
{
	/* of whole numbers, as perf has it; what no long holds has no remainder */
	if (fabs(a) >= 0x1p63 || fabs(b) >= 0x1p63 || (int64_t)b == 0)
		return NAN;
	return (int64_t)b == -1 ? 0 : (double)((int64_t)a % (int64_t)b);
}

static double join(enum pp_metric_op_kind kind, double a, double b)
{
	if (kind <= PP_MO_AND)
		return decide(kind, a, b);
	if (kind == PP_MO_RATIO && b == 0)
		return 0;
	if (isnan(a) || isnan(b))
		return NAN;
	switch (kind) {
	case PP_MO_BELOW:
		return a < b;
	case PP_MO_ABOVE:
		return a > b;
	case PP_MO_EQUAL:
		return a == b;
	case PP_MO_ADD:
		return a + b;
	case PP_MO_SUBTRACT:
		return a - b;
	case PP_MO_MULTIPLY:
		return a * b;
	case PP_MO_MODULO:
		return modulo(a, b);
	case PP_MO_MIN:
		return a < b ? a : b;
	case PP_MO_MAX:
		return a > b ? a : b;
	default:                      /* DIVIDE, RATIO */
		return b == 0 ? NAN : a / b;
	}
}

/* What a choice yields.  A condition that is not known leaves it open, unless both are the same. */
static double choose(double a, double condition, double b)
{
	if (isnan(condition))
		return a == b ? a : NAN;
	return condition != 0 ? a : b;
}

/* The value of an operation that takes none. */
static double leaf(const struct pp_metric_expression *e, const struct pp_metric_op *op,
		   const struct pp_metric_values *v)
{
	double value = NAN;

	switch (op->kind) {
	case PP_MO_NUMBER:
		return op->number;
	case PP_MO_VALUE:
		return v->values ? v->values[op->name] : NAN;
	case PP_MO_SOURCES:
		return v->sources ? v->sources[op->name] : NAN;
	case PP_MO_PARTS:
		return v->parts ? v->parts[op->name] : NAN;
	case PP_MO_HAS:
		return v->has[op->name];
	case PP_MO_CPUID:
		return pp_metric_is_cpu(v->machine, e->names[op->name]);
	default:
		(void)pp_metric_literal(v->machine, e->names[op->name], &value);
		return value;
	}
}

double pp_metric_evaluate(const struct pp_metric_expression *e, const struct pp_metric_values *v)
{
	double stack[PP_METRIC_STACK + 1], *top = stack;

	for (size_t i = 0; i < e->n_ops; i++) {
		const struct pp_metric_op *const op = &e->ops[i];

		if (op->kind < PP_MO_MINUS) {
			*top++ = leaf(e, op, v);
		} else if (op->kind == PP_MO_MINUS) {
			top[-1] = -top[-1];
		} else if (op->kind == PP_MO_SELECT) {
			top -= 2;
			top[-1] = choose(top[-1], top[0], top[1]);
		} else {
			top--;
			top[-1] = join((enum pp_metric_op_kind)op->kind, top[-1], top[0]);
		}
	}
	return top[-1];
}

/* ---- What is needed -------------------------------------------------------------------------- */

/* A value that is a constant, or NAN: then what it needs is named by the operations from..to. */
struct value_part { double value; uint32_t from, to; };

struct metric_search {
	const struct pp_metric_expression *e;
	bool *skipped;                /* by operation */
};

static void skip(const struct metric_search *s, const struct value_part *part)
{
	if (!isnan(part->value))
		return;               /* was skipped when it became constant */
	for (uint32_t i = part->from; i < part->to; i++)
		s->skipped[i] = true;
}

static struct value_part choose_part(const struct metric_search *s, const struct value_part *p)
{
	struct value_part whole = { choose(p[0].value, p[1].value, p[2].value), p[0].from, p[2].to };

	if (!isnan(p[1].value))
		skip(s, &p[p[1].value != 0 ? 2 : 0]);
	else if (!isnan(whole.value))
		skip(s, &p[1]);
	return whole;
}

static struct value_part join_parts(const struct metric_search *s, enum pp_metric_op_kind kind,
				    const struct value_part *p)
{
	struct value_part whole = { join(kind, p[0].value, p[1].value), p[0].from, p[1].to };

	/* What is divided by a constant 0 is neither known nor asked for: perf yields nothing. */
	const bool pointless = kind == PP_MO_DIVIDE && p[1].value == 0;

	if (pointless || is_constant(whole.value)) {
		skip(s, &p[0]);
		skip(s, &p[1]);
	}
	return whole;
}

/* As above, of constants alone; a name's value is not known. */
static void search(const struct metric_search *s, const struct pp_metric_values *v)
{
	struct value_part stack[PP_METRIC_STACK + 1], *top = stack;

	for (uint32_t i = 0; i < s->e->n_ops; i++) {
		const struct pp_metric_op *const op = &s->e->ops[i];

		if (op->kind < PP_MO_MINUS) {
			*top++ = (struct value_part){ leaf(s->e, op, v), i, i + 1 };
		} else if (op->kind == PP_MO_MINUS) {
			top[-1].value = -top[-1].value;
		} else if (op->kind == PP_MO_SELECT) {
			top -= 2;
			top[-1] = choose_part(s, top - 1);
		} else {
			top--;
			top[-1] = join_parts(s, (enum pp_metric_op_kind)op->kind, top - 1);
		}
	}
}

int pp_metric_needs(const struct pp_metric_expression *e, const bool *has,
		    const struct pp_metric_machine *machine, bool *needed)
{
	const struct pp_metric_values v = { .has = has, .machine = machine };
	const struct metric_search s = { e, calloc(e->n_ops + 1, sizeof(bool)) };

	if (!s.skipped)
		return -1;
	search(&s, &v);
	for (size_t i = 0; i < e->n_ops; i++)
		if (!s.skipped[i] && e->ops[i].kind >= PP_MO_VALUE && e->ops[i].kind <= PP_MO_PARTS)
			needed[e->ops[i].name] = true;
	free(s.skipped);
	return 0;
}
