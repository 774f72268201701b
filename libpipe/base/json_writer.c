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

/* Writes a name; where its value goes, with room for so many bytes. */
static inline char *begin_value(struct pp_json *j, const char *name, size_t room)
{
	const size_t length = name ? strlen(name) : 0;
	char *p;

	if (length > NAME_MOST) {
		put_long_key(j, name, length);
		return pp_out_room(j->out, room);
	}
	p = pp_out_room(j->out, length + 4 + room);
	*p = ',';
	p += j->more;
	j->more = true;
	if (!name)
		return p;
	*p++ = '"';
	memcpy(p, name, length);
	memcpy(p + length, "\":", 2);
	return p + length + 2;
}

static inline void end_value(struct pp_json *j, const char *end)
{
	j->out->at = (size_t)(end - j->out->buf);
}

void pp_json_key(struct pp_json *j, const char *name)
{
	end_value(j, begin_value(j, name, 0));
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

/* "-1" */
static inline void put_number(struct pp_json *j, const char *name, uint64_t value, bool negative)
{
	const bool quoted = !pp_is_exact(value);
	char *p = begin_value(j, name, PP_DEC_MAX + 3);

	*p = '"';
	p += quoted;
	*p = '-';
	p = pp_put_dec(p + negative, value);
	*p = '"';
	end_value(j, p + quoted);
}

void pp_json_number(struct pp_json *j, const char *name, uint64_t value)
{
	put_number(j, name, value, false);
}

void pp_json_int(struct pp_json *j, const char *name, int64_t value)
{
	put_number(j, name, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void pp_json_hex(struct pp_json *j, const char *name, uint64_t value)
{
	char *p = begin_value(j, name, PP_HEX_MAX + 2);

	*p = '"';
	p = pp_put_hex(p + 1, value);
	*p = '"';
	end_value(j, p + 1);
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
