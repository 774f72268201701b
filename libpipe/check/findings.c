/* findings.c - what a checker found, in words, and how often. */
#include "check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int pp_finding_text(const struct pp_finding *f, char *buf, size_t size)
{
	char place[96] = "", type[24], bytes[64] = "", more[48] = "";

	if (f->located && f->type)
		snprintf(place, sizeof(place), "record %" PRIu64 " at byte %" PRIu64 " (%s): ",
			 f->index, f->offset, pp_type_name(f->type, type));
	else if (f->located)
		snprintf(place, sizeof(place), "record %" PRIu64 " at byte %" PRIu64 ": ", f->index,
			 f->offset);
	if (f->need || f->have)
		snprintf(bytes, sizeof(bytes), ": need %" PRIu64 " byte%s, have %" PRIu64, f->need,
			 f->need == 1 ? "" : "s", f->have);
	if (f->more)
		snprintf(more, sizeof(more), ", and %" PRIu64 " more like it", f->more);
	return snprintf(buf, size, "%s%s%s%s%s%s", place, f->field ? f->field : "",
			f->field ? ": " : "", f->text, bytes, more);
}

static void report(struct pp_checker *c, const struct pp_finding *f)
{
	if (f->fault)
		c->stats.faults++;
	else
		c->stats.remarks++;
	c->found(c->arg, f);
}

static struct pp_finding finding(const struct pp_record *rec, const char *kind, const char *field)
{
	struct pp_finding f = { .kind = kind, .field = field };

	if (rec) {
		f.located = true;
		f.offset = rec->offset;
		f.index = rec->index;
		f.type = rec->type;
	}
	return f;
}

__attribute__((format(printf, 5, 6)))
void pp_check_fault(struct pp_checker *c, const struct pp_record *rec, const char *kind,
		  const char *field, const char *text, ...)
{
	struct pp_finding f = finding(rec, kind, field);
	va_list args;

	f.fault = true;
	va_start(args, text);
	vsnprintf(f.text, sizeof(f.text), text, args);
	va_end(args);
	report(c, &f);
}

/* What was said already of a record of this type and of this field is only counted. */
static bool is_repeated(struct pp_checker *c, const struct pp_record *rec, const char *kind,
			const char *field)
{
	for (size_t i = 0; i < c->n_repeated; i++) {
		struct pp_finding *const f = &c->repeated[i];

		if (strcmp(f->kind, kind) != 0 || f->type != rec->type || !f->field != !field ||
		    (field && strcmp(f->field, field) != 0))
			continue;
		f->more++;
		return true;
	}
	return false;
}

/* Remarks come with the end: the first of a kind, and how many more there were.  `rec` NULL: it
 * is about the stream, and comes at once. */
__attribute__((format(printf, 5, 6)))
void pp_check_remark(struct pp_checker *c, const struct pp_record *rec, const char *kind,
		   const char *field, const char *text, ...)
{
	struct pp_finding f;
	va_list args;

	if (rec && is_repeated(c, rec, kind, field))
		return;
	f = finding(rec, kind, field);
	va_start(args, text);
	vsnprintf(f.text, sizeof(f.text), text, args);
	va_end(args);
	if (rec && c->n_repeated < REPEATED_MAX)
		c->repeated[c->n_repeated++] = f;
	else
		report(c, &f);
}

void pp_check_tell_remarks(struct pp_checker *c)
{
	for (size_t i = 0; i < c->n_repeated; i++)
		report(c, &c->repeated[i]);
	c->n_repeated = 0;
}

void pp_checker_error(struct pp_checker *c, const struct pp_error *error)
{
	static const char *const kinds[] = {
		[PP_E_MAGIC] = "container", [PP_E_CONTAINER] = "container", [PP_E_CUT] = "cut",
		[PP_E_CUT_TAIL] = "cut", [PP_E_CUT_END] = "cut", [PP_E_SIZE] = "size",
		[PP_E_FIELD] = "field", [PP_E_VALUE] = "value", [PP_E_ATTR] = "attribute",
		[PP_E_ZSTD] = "compression", [PP_E_SEAL] = "seal", [PP_E_ENDIAN] = "unknown",
	};
	const size_t n = sizeof(kinds) / sizeof(*kinds);
	struct pp_error what = *error;
	struct pp_finding f = {
		.fault = error->code != PP_E_ENDIAN,
		.kind = error->code < n && kinds[error->code] ? kinds[error->code] : "input",
		.located = error->located, .offset = error->offset, .index = error->index,
		.type = error->type, .field = error->field,
		.need = error->need, .have = error->have,
	};

	what.located = false;
	what.field = NULL;
	what.need = what.have = 0;
	pp_error_text(&what, f.text, sizeof(f.text));
	report(c, &f);
}
