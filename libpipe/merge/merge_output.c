/* merge_output.c - the output of a merge: copied records, rounds, and what is said about the inputs. */
#include "merge/merge.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

__attribute__((format(printf, 4, 0)))
static void say_about(const struct pp_merge *m, size_t input, enum pp_hint hint, const char *format,
		      va_list args)
{
	char text[512];

	if (!m->options.say)
		return;
	vsnprintf(text, sizeof(text), format, args);
	m->options.say(m->options.arg, input, text, hint);
}

void pp_merge_say(const struct pp_merge *m, size_t input, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_about(m, input, PP_HINT_NONE, format, args);
	va_end(args);
}

void pp_merge_say_hint(const struct pp_merge *m, size_t input, enum pp_hint hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_about(m, input, hint, format, args);
	va_end(args);
}

void pp_merge_damaged(struct pp_merge_input *in, const struct pp_error *error)
{
	if (pp_error_status(error) > in->status)
		in->status = pp_error_status(error);
	if (in->merge->options.damaged)
		in->merge->options.damaged(in->merge->options.arg, in->index, error);
}

int pp_merge_no_memory(struct pp_error *error)
{
	pp_fail(error, PP_E_NOMEM, NULL);
	return pp_error_fatal(error, true);
}

int pp_merge_write(struct pp_merge *m, const void *data, size_t size, struct pp_error *error)
{
	m->stats.records++;
	m->stats.bytes += size;
	return pp_writer_copy(m->writer, data, size, error);
}

uint64_t pp_merge_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int pp_merge_name(struct pp_merge *m, struct pp_error *error)
{
	struct pp_record rec;

	if (m->names_at == m->names.size) {
		m->names.size = m->names_at = 0;
		return 0;
	}
	if (pp_record_at(&rec, m->names.data + m->names_at, m->names.size - m->names_at, error))
		return -1;
	m->names_at += rec.size;
	return pp_merge_write(m, rec.data, rec.size, error) ? -1 : 1;
}

int pp_merge_round(struct pp_merge *m, struct pp_error *error)
{
	int named;

	m->in_round = 0;
	m->promised = m->bound;
	m->bound = m->newest;
	for (size_t i = 0; i < m->count; i++)
		m->inputs[i]->passed = false;
	named = pp_merge_name(m, error);
	if (named)
		return named < 0 ? -1 : 0;
	m->stats.records++;
	m->stats.bytes += PP_HEADER_SIZE;
	return pp_writer_round(m->writer, error);
}
