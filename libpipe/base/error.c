/* error.c - failures in words, and the exit status that each one means; who met them fills them. */
#include <perfpipe/perfpipe.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const struct code {
	const char *text;
	int status;
} codes[] = {
	[PP_OK] = { "no error", 0 },
#define X(name, status, text) [PP_E_##name] = { text, status },
	PP_ERRORS(X)
#undef X
};

/* The part of a text buffer that is still free; counts on where it is full, as snprintf does. */
struct sink {
	char *buf;
	size_t size, at;
};

__attribute__((format(printf, 2, 3)))
static void put(struct sink *s, const char *format, ...)
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

static void put_place(struct sink *s, const struct pp_error *e)
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
	const char *text = e->code < sizeof(codes) / sizeof(codes[0]) ? codes[e->code].text : "?";
	char reason[128];
	struct sink s = { buf, size, 0 };

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

int pp_error_status(const struct pp_error *e)
{
	return e->code < sizeof(codes) / sizeof(codes[0]) ? codes[e->code].status : 4;
}

bool pp_error_ends(const struct pp_error *e)
{
	return e->fatal || pp_error_status(e) != 3;
}

/* All of it, at once: the detail may be made of what *error said before. */
__attribute__((format(printf, 4, 0)))
static int fail(struct pp_error *error, enum pp_code code, int os, const char *detail, va_list args)
{
	struct pp_error made = { .code = code, .os = os };

	if (!error)
		return -1;
	if (detail)
		(void)vsnprintf(made.detail, sizeof(made.detail), detail, args);
	*error = made;
	return -1;
}

int pp_fail(struct pp_error *error, enum pp_code code, const char *detail, ...)
{
	va_list args;

	va_start(args, detail);
	(void)fail(error, code, 0, detail, args);
	va_end(args);
	return -1;
}

int pp_fail_os(struct pp_error *error, const char *detail, ...)
{
	int os = errno;
	enum pp_code code = PP_E_IO;
	va_list args;

	if (os == ENOMEM)
		code = PP_E_NOMEM;
	else if (os == EACCES || os == EPERM)
		code = PP_E_DENIED;
	va_start(args, detail);
	(void)fail(error, code, os, detail, args);
	va_end(args);
	return -1;
}

int pp_fail_output(struct pp_error *error)
{
	pp_fail_os(error, "cannot write");
	if (error)
		error->output = true;
	return -1;
}

int pp_error_at(struct pp_error *error, uint64_t offset, uint64_t index, uint32_t type)
{
	if (error) {
		error->located = true;
		error->offset = offset;
		error->index = index;
		error->type = type;
	}
	return -1;
}

int pp_error_type(struct pp_error *error, uint32_t type)
{
	if (error)
		error->type = type;
	return -1;
}

int pp_error_room(struct pp_error *error, const char *field, uint64_t need, uint64_t have)
{
	if (error) {
		error->field = field;
		error->need = need;
		error->have = have;
	}
	return -1;
}

int pp_error_fatal(struct pp_error *error, bool fatal)
{
	if (error)
		error->fatal = fatal;
	return -1;
}
