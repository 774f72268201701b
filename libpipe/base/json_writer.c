/* json_writer.c - writes JSON: where a comma belongs, and which numbers are written as text. */
#include <perfpipe/output.h>

#include "base/format_number.h"

enum { NAME_MOST = 4096 };      /* bytes of a name that are written in one go */

static void put_long_key(struct pp_json *j, const char *name, size_t length)
{
	pp_out_text(j->out, j->more ? ",\"" : "\"");
	pp_out_bytes(j->out, name, length);
	pp_out_bytes(j->out, "\":", 2);
	j->more = true;
}

void pp_json_key(struct pp_json *j, const char *name)
{
	const size_t length = name ? strlen(name) : 0;
	char *p;

	if (length > NAME_MOST) {
		put_long_key(j, name, length);
		return;
	}
	p = pp_out_room(j->out, length + 4);
	*p = ',';
	p += j->more;
	j->more = true;
	if (name) {
		*p++ = '"';
		memcpy(p, name, length);
		memcpy(p + length, "\":", 2);
		p += length + 2;
	}
	j->out->at = (size_t)(p - j->out->buf);
}

void pp_json_open(struct pp_json *j, const char *name, char bracket)
{
	pp_json_key(j, name);
	pp_out_char(j->out, bracket);
	j->more = false;
}

void pp_json_close(struct pp_json *j, char bracket)
{
	pp_out_char(j->out, bracket);
	j->more = true;
}

void pp_json_number(struct pp_json *j, const char *name, uint64_t value)
{
	const bool exact = pp_is_exact(value);

	pp_json_key(j, name);
	if (!exact)
		pp_out_char(j->out, '"');
	pp_out_dec(j->out, value);
	if (!exact)
		pp_out_char(j->out, '"');
}

void pp_json_int(struct pp_json *j, const char *name, int64_t value)
{
	const char *const quote = pp_is_exact(value < 0 ? -(uint64_t)value : (uint64_t)value) ? "" : "\"";

	pp_json_key(j, name);
	pp_out_text(j->out, quote);
	pp_out_int(j->out, value);
	pp_out_text(j->out, quote);
}

void pp_json_hex(struct pp_json *j, const char *name, uint64_t value)
{
	pp_json_key(j, name);
	pp_out_char(j->out, '"');
	pp_out_hex(j->out, value);
	pp_out_char(j->out, '"');
}

void pp_json_bytes(struct pp_json *j, const char *name, const void *data, size_t size)
{
	pp_json_key(j, name);
	pp_out_char(j->out, '"');
	pp_out_hex_bytes(j->out, data, size);
	pp_out_char(j->out, '"');
}

bool pp_json_text(struct pp_json *j, const char *name, const char *text, size_t length)
{
	if (!pp_is_plain(text, length) && !pp_is_utf8(text, length))
		return false;
	pp_json_key(j, name);
	return pp_out_json_string(j->out, text, length);
}
