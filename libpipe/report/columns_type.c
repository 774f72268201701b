/* columns_type.c - what data the instruction of a sample accesses: values of columns.  It is known by
 * symbols.c. */
#include "report/hist.h"

#include <perfpipe/walk.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a line of the processor's cache, as x86-64 has them. */
enum { LINE = 64 };

/* What is there: ->type NULL: not known.  0, or -1 and *error. */
static int find_data_type(const struct pp_sampled *s, struct pp_location *at, struct pp_error *error)
{
	uint64_t ip;

	*at = (struct pp_location){ .type = NULL };
	if (!pp_ip(s->rec, &ip))
		return 0;
	return pp_symbols_at(s->report->symbols, s->pid, s->rec->misc & PP_MISC_CPUMODE, ip, at, error) < 0 ?
	       -1 : 0;
}

/* A value: which type, and which part of it, that it is shown as, or NULL. */
static int put(const struct pp_sampled *s, const char *type, uint32_t part, const char *text, uint64_t *value,
	       struct pp_error *error)
{
	struct pp_report *const r = s->report;
	uint32_t kept, name = 0;
	int status;

	if (pp_frame_table_text(&r->places, type ? type : "", type ? strlen(type) : 0, &name, error))
		return -1;
	status = pp_hist_keep(r, type ? (uint64_t)name << 32 | part : UINT64_MAX, &kept, error);
	return status ? status : pp_frame_table_value(&r->places, text, kept, value, error);
}

static int put_formatted(const struct pp_sampled *s, const char *type, uint32_t part, char *text,
			 uint64_t *value, struct pp_error *error)
{
	const int status = text ? put(s, type, part, text, value, error) : pp_fail(error, PP_E_NOMEM, NULL);

	free(text);
	return status;
}

int pp_sample_type(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_location at;

	return find_data_type(s, &at, error) ? -1 : put(s, at.type, 0, at.type, value, error);
}

int pp_sample_typeoff(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_location at;
	char *text;

	if (find_data_type(s, &at, error))
		return -1;
	if (!at.type || !at.member)
		return put(s, at.type, 0, at.type, value, error);
	if (asprintf(&text, "%s +%#" PRIx32 " (%s)", at.type, at.type_offset,
		     *at.member ? at.member : "no field") < 0)
		text = NULL;
	return put_formatted(s, at.type, at.type_offset, text, value, error);
}

int pp_sample_typecln(const struct pp_sampled *s, uint64_t *value, struct pp_error *error)
{
	struct pp_location at;
	uint32_t line;
	char *text;

	if (find_data_type(s, &at, error))
		return -1;
	line = at.type_offset / LINE;
	if (asprintf(&text, "%s: cache-line %" PRIu32, at.type ? at.type : "(unknown)", line) < 0)
		text = NULL;
	return put_formatted(s, at.type, line, text, value, error);
}
