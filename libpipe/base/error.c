/* error.c - makes failures, and knows the exit status that each one means; format/error_text.c says
 * them in words. */
#include <perfpipe/error.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const uint8_t statuses[] = {
	[PP_OK] = 0,
#define X(name, status, text) [PP_E_##name] = status,
	PP_ERRORS(X)
#undef X
};

int pp_error_status(const struct pp_error *e)
{
	return e->code < sizeof(statuses) ? statuses[e->code] : 4;
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

int pp_error_hint(struct pp_error *error, enum pp_hint hint)
{
	if (error)
		error->hint = hint;
	return -1;
}

int pp_error_point(struct pp_error *error, size_t at)
{
	if (error)
		error->at = at;
	return -1;
}

int pp_error_fatal(struct pp_error *error, bool fatal)
{
	if (error)
		error->fatal = fatal;
	return -1;
}
