/* error_text.c - failures in words, with the place in the stream where they were met. */
#include <perfpipe/perfpipe.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const texts[] = {
	[PP_OK] = "no error",
#define X(name, status, text) [PP_E_##name] = text,
	PP_ERRORS(X)
#undef X
};

/* The part of a text buffer that is still free; counts on where it is full, as snprintf does. */
struct text_sink {
	char *buf;
	size_t size, at;
};

__attribute__((format(printf, 2, 3)))
static void put(struct text_sink *s, const char *format, ...)
{
	size_t left = s->at < s->size ? s->size - s->at : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(left ? s->buf + s->at : NULL, left, format, args);
	va_end(args);
	if (n > 0)
		s->at += (size_t)n;
}

static void put_place(struct text_sink *s, const struct pp_error *e)
{
	char name[24];

	if (!e->located)
		return;
	put(s, "record %" PRIu64 " at byte %" PRIu64, e->index, e->offset);
	if (e->type)
		put(s, " (%s)", pp_type_name(e->type, name));
	put(s, ": ");
}

int pp_error_text(const struct pp_error *e, char *buf, size_t size)
{
	const char *text = e->code < sizeof(texts) / sizeof(*texts) ? texts[e->code] : "?";
	char reason[128];
	struct text_sink s = { buf, size, 0 };

	if (size)
		buf[0] = '\0';
	put_place(&s, e);
	if (e->field)
		put(&s, "%s: ", e->field);
	if (e->os)
		text = strerror_r(e->os, reason, sizeof(reason));
	if (!e->detail[0])
		put(&s, "%s", text);
	else if (e->os)
		put(&s, "%s: %s", e->detail, text);      /* cannot open x: No such file ... */
	else if (e->code == PP_E_USE)
		put(&s, "%s", e->detail);
	else if (e->code == PP_E_CONTAINER)
		put(&s, "%s, %s", e->detail, text);      /* perf.data file, not a stream */
	else
		put(&s, "%s: %s", text, e->detail);
	if (e->need || e->have)
		put(&s, ": need %" PRIu64 " byte%s, have %" PRIu64, e->need, e->need == 1 ? "" : "s",
		    e->have);
	return (int)s.at;
}
