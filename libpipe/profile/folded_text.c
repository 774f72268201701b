/*
 * folded_text.c - stacks as lines, "main;work 5": the text that flame graphs are made of, read and written.
 */
#include "profile/frame_suffixes.h"
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

struct lines {
	const struct pp_profile *profile;
	struct pp_out *out;
	uint32_t *nodes;              /* room for as many as the deepest stack has */
	bool both, printable;
};

static void write_name(const struct lines *l, const char *name, size_t length)
{
	while (length) {
		size_t plain = 0;

		while (plain < length && pp_folded_byte(name[plain]) == name[plain])
			plain++;
		if (l->printable)
			pp_out_printable(l->out, name, plain);
		else
			pp_out_bytes(l->out, name, plain);
		if (plain == length)
			return;
		pp_out_char(l->out, pp_folded_byte(name[plain]));
		name += plain + 1;
		length -= plain + 1;
	}
}

static int write_line(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct lines *const l = arg;
	const size_t depth = pp_profile_stack(l->profile, node->node, l->nodes, node->depth);

	(void)error;
	for (size_t i = 0; i < depth; i++) {
		size_t length;
		const char *const name = pp_profile_name(l->profile, l->nodes[i], &length);

		if (i)
			pp_out_char(l->out, ';');
		write_name(l, name, length);
	}
	for (unsigned side = 0; side <= l->both; side++) {
		pp_out_char(l->out, ' ');
		pp_out_dec(l->out, node->self[side]);
	}
	pp_out_char(l->out, '\n');
	return 0;
}

static int write_lines(struct pp_profile *p, struct pp_out *out, bool printable, struct pp_error *error)
{
	/* more than PP_PROFILE_DEEPEST where a task's name, and what is inlined, come on top of that */
	struct lines l = { p, out, calloc((size_t)pp_profile_depth(p) + 1, sizeof(uint32_t)), false,
			   printable };
	int status;

	if (!l.nodes)
		return pp_fail(error, PP_E_NOMEM, NULL);
	l.both = pp_profile_total(p, PP_PROFILE_SECOND) > 0;
	status = pp_profile_each(p, PP_PROFILE_LINES, write_line, &l, error);
	free(l.nodes);
	return status;
}

int pp_profile_write_folded(struct pp_profile *p, struct pp_out *out, struct pp_error *error)
{
	return write_lines(p, out, false, error);
}

int pp_profile_print_folded(struct pp_profile *p, struct pp_out *out, struct pp_error *error)
{
	return write_lines(p, out, true, error);
}

/* ---- reading ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static size_t without_blanks(const char *line, size_t length)
{
	while (length && is_blank(line[length - 1]))
		length--;
	return length;
}

/* Takes the last word off the line, if it is a number: without what comes after its point, which *lossy says
 * if there was something. */
static bool take_weight(const char *line, size_t *length, uint64_t *weight, bool *lossy)
{
	const size_t end = without_blanks(line, *length);
	size_t at = end, first;
	uint64_t value = 0;

	while (at && !is_blank(line[at - 1]))
		at--;
	for (first = at; at < end && line[at] >= '0' && line[at] <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(line[at] - '0'), &value))
			value = UINT64_MAX;
	if (at == first || !first)
		return false;
	if (at < end && line[at] == '.')
		for (at++; at < end && line[at] >= '0' && line[at] <= '9'; at++)
			*lossy |= line[at] != '0';
	if (at < end)
		return false;
	*weight = value;
	*length = without_blanks(line, first);
	return true;
}

/* As the end of a name says; a program's own, if it says nothing. */
static unsigned kind_of_name(const char *name, size_t length)
{
	for (unsigned kind = 0; length > PP_MARK_LENGTH && kind < PP_FLAME_KINDS; kind++)
		if (!memcmp(name + length - PP_MARK_LENGTH, pp_marks[kind], PP_MARK_LENGTH))
			return kind;
	return PP_FLAME_PROGRAM;
}

/* Calls the frames of a stack from left to right, or the other way round. */
static int add_stack(struct pp_profile *p, const char *line, size_t length, bool reversed, uint32_t *node,
		     struct pp_error *error)
{
	size_t begin = 0, end = length;

	*node = PP_PROFILE_ROOT;
	for (size_t depth = 0; depth < PP_PROFILE_DEEPEST; depth++) {
		const char *const stop = reversed ? memrchr(line + begin, ';', end - begin) :
						    memchr(line + begin, ';', end - begin);
		const size_t from = reversed && stop ? (size_t)(stop + 1 - line) : begin;
		const size_t to = !reversed && stop ? (size_t)(stop - line) : end;
		uint32_t frame;

		if (pp_profile_frame(p, line + from, to - from, kind_of_name(line + from, to - from), &frame,
				     error) ||
		    pp_profile_call(p, *node, frame, node, error))
			return -1;
		if (!stop)
			return pp_tree_end(p, node, error);
		*(reversed ? &end : &begin) = (size_t)(stop - line) + !reversed;
	}
	p->cut++;
	return pp_tree_end(p, node, error);
}

int pp_profile_read_folded(struct pp_profile *p, const char *line, size_t length,
			   enum pp_profile_side side, bool reversed, struct pp_error *error)
{
	uint64_t weights[PP_PROFILE_SIDES] = { 0 };
	uint32_t node;
	const bool two = side == PP_PROFILE_SIDES;
	bool lossy = false;

	length = without_blanks(line, length);
	if (!length || *line == '#')
		return 0;
	if (!take_weight(line, &length, &weights[two], &lossy) ||
	    (two && !take_weight(line, &length, &weights[0], &lossy)))
		return pp_fail(error, PP_E_VALUE, two ? "a stack without two weights" :
							"a stack without its weight");
	if (add_stack(p, line, length, reversed, &node, error))
		return -1;
	p->fractions += lossy;
	if (two ? pp_tree_weigh(p, node, weights, error) :
		  pp_profile_weigh(p, node, side, weights[0], error))
		return -1;
	return 1;
}
