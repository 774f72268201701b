/* fast_output.c - what print_text.c and print_json.c do seldom: see fast_output.h. */
#include "text/fast_output.h"

void pp_pen_turn(struct pen *w, size_t room)
{
	pen_give(w);
	pen_take(w, w->out, room);
}

void pp_pen_bytes(struct pen *w, const uint8_t *data, size_t size)
{
	while (size) {
		size_t n = size < PIECE ? size : PIECE;

		need(w, 2 * n + STEP);
		w->p = pp_put_hex_bytes(w->p, data, n);
		data += n;
		size -= n;
	}
}

int pp_pen_host_order(struct pp_record *host, const struct pp_record *rec, uint8_t *copy,
		      struct pp_error *error)
{
	*host = *rec;
	if (!rec->foreign || !pp_type(rec->type))
		return 0;
	memcpy(copy, rec->data, rec->size);
	host->data = copy;
	host->foreign = false;
	return pp_convert(host, PP_TO_HOST, error);
}

const char *pp_pen_feature(const struct pp_record *rec)
{
	const struct pp_type *feature;
	uint64_t number;

	if (rec->type != PP_REC_HEADER_FEATURE || rec->size <= PP_HEADER_SIZE + sizeof(number) ||
	    !pp_find_feature(rec, &number) || number > UINT32_MAX)
		return NULL;
	feature = pp_feature((uint32_t)number);
	return feature ? feature->name : NULL;
}

void pp_print_more(struct pp_out *out, const char *name, unsigned how)
{
	if (how & PP_PRINT_JSON) {
		out->at -= strlen("}\n");
		pp_out_text(out, ",\"");
		pp_out_text(out, name);
		pp_out_text(out, "\":");
	} else if (how) {
		pp_out_text(out, "  ");
		pp_out_text(out, name);
		pp_out_bytes(out, "                  ", strlen(name) < 18 ? 18 - strlen(name) : 1);
		pp_out_char(out, '{');
	} else {
		out->at--;
		pp_out_char(out, ' ');
		pp_out_text(out, name);
		pp_out_text(out, "={");
	}
}

void pp_print_more_end(struct pp_out *out)
{
	pp_out_text(out, "}\n");
}
