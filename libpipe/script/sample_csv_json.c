/*
 * sample_csv_json.c - samples for programs, as rows of CSV and as lines of JSON: the fields that are
 * chosen, each as the value that it is.
 */
#include "script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cells *pp_cells_new(const struct pp_script_row rows[FIELDS], bool csv)
{
	struct cells *const c = calloc(1, sizeof(*c));

	if (c && pp_out_open(&c->part, -1)) {
		free(c);
		return NULL;
	}
	if (c) {
		c->rows = rows;
		c->csv = csv;
	}
	return c;
}

void pp_cells_free(struct cells *c)
{
	if (c)
		free(c->part.buf);
	free(c);
}

/* ---- one value ---- */

/* Whether the value is written now: the head of a table has its name, and of what is not known CSV has an
 * empty cell. */
static bool begin(struct cells *c, const char *name, bool known)
{
	if (!c->csv)
		return known;
	if (c->n++)
		pp_out_char(c->out, ',');
	if (c->heading)
		pp_out_text(c->out, name);
	return known && !c->heading;
}

static void put_cell_number(struct cells *c, const char *name, bool known, uint64_t value)
{
	if (!begin(c, name, known))
		return;
	if (c->csv)
		pp_out_dec(c->out, value);
	else
		pp_json_number(&c->json, name, value);
}

void pp_cell_hex(struct cells *c, const char *name, bool known, uint64_t value)
{
	if (!begin(c, name, known))
		return;
	if (c->csv)
		pp_out_hex(c->out, value);
	else
		pp_json_hex(&c->json, name, value);
}

void pp_cell_text(struct cells *c, const char *name, const char *text, size_t length)
{
	char hex[32];

	if (!begin(c, name, text != NULL))
		return;
	if (c->csv) {
		pp_out_csv(c->out, text, length);
	} else if (!pp_json_text(&c->json, name, text, length)) {
		(void)snprintf(hex, sizeof(hex), "%s_hex", name);
		pp_json_bytes(&c->json, hex, text, length);
	}
}

bool pp_cell_open(struct cells *c, const char *name, bool known, char bracket)
{
	if (!begin(c, name, known))
		return false;
	if (c->csv)
		pp_out_char(c->out, '"');
	else
		pp_json_open(&c->json, name, bracket);
	c->parts = 0;
	return true;
}

void pp_cell_close(struct cells *c, char bracket)
{
	if (c->csv)
		pp_out_char(c->out, '"');
	else
		pp_json_close(&c->json, bracket);
}

struct pp_out *pp_cell_part(struct cells *c)
{
	c->part.at = 0;
	return &c->part;
}

/* What was written there, without the blanks around it; false: it did not fit. */
static bool take_part(struct cells *c, struct line *l, const char **text, size_t *length)
{
	const char *end = c->part.buf + c->part.at;

	*text = c->part.buf;
	while (end > *text && (end[-1] == ' ' || end[-1] == '\n'))
		end--;
	while (*text < end && **text == ' ')
		++*text;
	*length = (size_t)(end - *text);
	if (!c->part.os)
		return true;
	c->part.os = 0;
	l->failed = pp_fail(l->error, PP_E_VALUE, "a value of the sample is longer than a cell may be");
	return false;
}

void pp_cell_add(struct cells *c, struct line *l, char between)
{
	const char *text;
	size_t length;

	if (!take_part(c, l, &text, &length))
		return;
	if (c->parts++)
		pp_out_char(c->out, between);
	else if (pp_is_formula(text, length))
		pp_out_char(c->out, '\'');
	pp_out_csv_quoted(c->out, text, length);
}

void pp_cell_printed(struct cells *c, struct line *l, const char *name, void (*print)(struct line *))
{
	struct pp_out *const out = l->out;
	const char *text = NULL;
	size_t length = 0;

	if (print) {
		l->out = pp_cell_part(c);
		print(l);
		l->out = out;
		if (!take_part(c, l, &text, &length))
			text = NULL;
	}
	pp_cell_text(c, name, text, length);
}

/* ---- a field ---- */

bool pp_cell_has(const struct cells *c, const struct line *l, const struct pp_script_row *row)
{
	return !c->heading && l->event->fields >> (row - c->rows) & 1 &&
	       (!row->needs || l->rec->attr->sample_type & row->needs);
}

static const void *value(const struct line *l, const struct pp_script_row *row)
{
	return (const char *)l + row->at;
}

void pp_cell_of_task(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const uint32_t *const number = value(l, row);

	put_cell_number(c, row->name, pp_cell_has(c, l, row) && *number != UINT32_MAX, *number);
}

void pp_cell_of_number(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	put_cell_number(c, row->name, pp_cell_has(c, l, row), *(const uint64_t *)value(l, row));
}

void pp_cell_of_hex(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	pp_cell_hex(c, row->name, pp_cell_has(c, l, row), *(const uint64_t *)value(l, row));
}

void pp_cell_of_time(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	if (!begin(c, row->name, pp_cell_has(c, l, row)))
		return;
	if (c->csv)
		pp_out_time(c->out, pp_script_time(l));
	else
		pp_json_number(&c->json, row->name, pp_script_time(l));
}

void pp_cell_of_comm(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	char unknown[UNKNOWN_COMM];
	const char *const comm = pp_cell_has(c, l, row) ? pp_script_comm(l, unknown) : NULL;

	pp_cell_text(c, row->name, comm, comm ? strlen(comm) : 0);
}

void pp_cell_of_event(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const char *const name = pp_cell_has(c, l, row) ? l->event->attr->name : NULL;

	pp_cell_text(c, row->name, name, name ? strlen(name) : 0);
}

void pp_cell_of_cgroup(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const char *const path = pp_cell_has(c, l, row) ?
				 pp_tasks_cgroup(l->script->tasks, l->details.cgroup) : NULL;

	pp_cell_text(c, row->name, path, path ? strlen(path) : 0);
}

void pp_cell_of_printed(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	pp_cell_printed(c, l, row->name, pp_cell_has(c, l, row) ? row->print : NULL);
}

void pp_cell_of_bytes(struct cells *c, struct line *l, const struct pp_script_row *row)
{
	const void *raw = NULL;
	size_t size = 0;

	if (!begin(c, row->name, pp_cell_has(c, l, row) && pp_tracepoint_raw(l->rec, &raw, &size)))
		return;
	if (c->csv)
		pp_out_hex_bytes(c->out, raw, size);
	else
		pp_json_bytes(&c->json, row->name, raw, size);
}

/* ---- a row ---- */

static void put_fields(struct cells *c, struct line *l)
{
	for (unsigned i = 0; i < FIELDS; i++)
		if (c->rows[i].cell && (c->fields >> i & 1 || (i == F_IP && c->fields & PLACE)))
			c->rows[i].cell(c, l, &c->rows[i]);
}

void pp_cells_head(struct pp_script *s, struct pp_out *out)
{
	struct cells *const c = s->cells;
	struct line none = { .script = s, .out = out };

	if (!c->csv) {
		pp_out_text(out, "{\"schema\":\"perfpipe.script/1\"}\n");
		return;
	}
	c->out = out;
	c->n = 0;
	c->heading = true;
	put_fields(c, &none);
	pp_out_text(out, "\r\n");
	c->heading = false;
}

void pp_cells_row(struct line *l)
{
	struct cells *const c = l->script->cells;

	c->out = l->out;
	c->n = 0;
	if (!c->csv) {
		c->json = (struct pp_json){ .out = l->out };
		c->fields = l->event->fields;
		c->chain = l->event->chain;
		pp_json_open(&c->json, NULL, '{');
	}
	put_fields(c, l);
	if (c->csv) {
		pp_out_text(l->out, "\r\n");
		return;
	}
	pp_json_close(&c->json, '}');
	pp_out_char(l->out, '\n');
}
