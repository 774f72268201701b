/*
 * html.c - a page that shows a profile: the template flame.html, with the picture for where no
 * scripts run and the numbers for the script that is in it.
 */
#include "export/flame_layout.h"

#include "profile/heatmap.h"

#include <stdlib.h>
#include <string.h>

#include "export/flame.inc"

struct sheet {
	const struct pp_layout *layout;
	const struct pp_flame_options *how;
	struct pp_out *out;
	struct pp_json json;
	uint32_t *name_of;            /* by frame: which of the page's names it has, from 1 */
	uint32_t frames, names;
	uint64_t heat_seconds;        /* of a heat map that is too long: there is none; or 0 */
};

static const char *unit_of(const struct sheet *s)
{
	return s->how->unit ? s->how->unit : "samples";
}

/* ---- frames ---- */

static int number_names(struct sheet *s, struct pp_error *error)
{
	struct pp_box b;

	for (bool more = pp_layout_first(s->layout, &b); more; more = pp_layout_next(s->layout, &b))
		if (b.frame >= s->frames)
			s->frames = b.frame + 1;
	s->name_of = calloc((size_t)s->frames + 1, sizeof(*s->name_of));
	return s->name_of ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* The names, each once, in the order in which boxes have them. */
static void put_names(struct sheet *s)
{
	struct pp_box b;

	pp_json_open(&s->json, "names", '[');
	for (bool more = pp_layout_first(s->layout, &b); more; more = pp_layout_next(s->layout, &b)) {
		if (!b.number || s->name_of[b.frame])
			continue;
		if (s->names)
			pp_out_char(s->out, ',');
		pp_write_json(s->out, b.name, b.length);
		s->name_of[b.frame] = ++s->names;
	}
	pp_json_close(&s->json, ']');
}

/* Their kinds, in the same order. */
static void put_kinds(struct sheet *s)
{
	struct pp_box b;
	uint32_t due = 1;

	pp_json_open(&s->json, "kinds", '[');
	for (bool more = pp_layout_first(s->layout, &b); more; more = pp_layout_next(s->layout, &b)) {
		if (!b.number || s->name_of[b.frame] != due)
			continue;
		pp_json_number(&s->json, NULL, b.kind);
		due++;
	}
	pp_json_close(&s->json, ']');
}

static void put_hues(struct sheet *s)
{
	pp_json_open(&s->json, "hues", '[');
	for (unsigned kind = 0; kind <= PP_FLAME_OTHER; kind++) {
		pp_json_open(&s->json, NULL, '[');
		pp_json_number(&s->json, NULL, pp_hues[kind].hue);
		pp_json_number(&s->json, NULL, pp_hues[kind].spread);
		pp_json_close(&s->json, ']');
	}
	pp_json_close(&s->json, ']');
}

/* One number of each box. */
enum number { DEPTH, FRAME, LEFT, SELF };

static uint64_t number_of(const struct sheet *s, const struct pp_box *b, enum number what)
{
	return what == DEPTH ? b->depth :
	       what == FRAME ? (b->number ? s->name_of[b->frame] - 1 : 0) :
	       /* where frames begin, as weights: with gaps, which no sum of others tells */
	       what == LEFT ? (uint64_t)(b->left * (double)s->layout->total[0] + 0.5) : b->self[what - SELF];
}

static void put_numbers(struct sheet *s, const char *name, enum number what)
{
	struct pp_box b;

	pp_json_open(&s->json, name, '[');
	for (bool more = pp_layout_first(s->layout, &b); more; more = pp_layout_next(s->layout, &b))
		pp_json_number(&s->json, NULL, number_of(s, &b, what));
	pp_json_close(&s->json, ']');
}

static void put_boxes(struct sheet *s)
{
	put_numbers(s, "depth", DEPTH);
	put_numbers(s, "frame", FRAME);
	if (s->how->as_made)
		put_numbers(s, "left", LEFT);
	pp_json_open(&s->json, "self", '[');
	for (unsigned side = 0; side <= s->layout->both; side++)
		put_numbers(s, NULL, SELF + side);
	pp_json_close(&s->json, ']');
}

/* ---- times ---- */

struct base64 {
	struct pp_out *out;
	uint32_t bits;
	unsigned n;
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(struct base64 *b, uint8_t byte)
{
	b->bits = b->bits << 8 | byte;
	for (b->n += 8; b->n >= 6; b->n -= 6)
		pp_out_char(b->out, digits[b->bits >> (b->n - 6) & 63]);
}

/* What is left of a byte fills a digit, and '=' tells how much of it is nothing. */
static void end_bytes(struct base64 *b)
{
	const unsigned left = b->n;

	if (!left)
		return;
	pp_out_char(b->out, digits[b->bits << (6 - left) & 63]);
	pp_out_text(b->out, left == 2 ? "==" : "=");
	b->n = 0;
}

static void put_varint(struct base64 *b, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put_byte(b, (uint8_t)(value | 128));
	put_byte(b, (uint8_t)value);
}

static void put_bins(struct sheet *s, const struct pp_heat_cell *cells, size_t n, uint64_t grain)
{
	struct base64 bytes = { .out = s->out };
	const uint32_t bins = (uint32_t)pp_heat_bins(s->how->heat);
	size_t at = 0;

	pp_json_key(&s->json, "cells");
	pp_out_char(s->out, '"');
	for (uint32_t bin = 0; bin < bins; bin++) {
		uint32_t before = 0;
		size_t end = at;

		while (end < n && cells[end].bin == bin)
			end++;
		put_varint(&bytes, end - at);
		for (; at < end; at++) {
			put_varint(&bytes, cells[at].node - before);
			put_varint(&bytes, cells[at].weight / grain);
			before = cells[at].node;
		}
	}
	end_bytes(&bytes);
	pp_out_char(s->out, '"');
	s->json.more = true;
	pp_json_number(&s->json, "bins", bins);
}

static void put_heat(struct sheet *s)
{
	const struct pp_heat *const heat = s->how->heat;
	size_t n = 0;
	const struct pp_heat_cell *const cells = heat ? pp_heat_cells(heat, &n) : NULL;
	const uint64_t grain = n ? pp_heat_grain(heat) : 1;

	if (!n || s->heat_seconds)
		return;
	pp_json_open(&s->json, "heat", '{');
	pp_json_number(&s->json, "rows", pp_heat_rows(heat));
	pp_json_number(&s->json, "width", 1000000000 / pp_heat_rows(heat));
	pp_json_number(&s->json, "grain", grain);
	put_bins(s, cells, n, grain);
	pp_json_close(&s->json, '}');
}

static void put_data(struct sheet *s)
{
	s->json = (struct pp_json){ .out = s->out };
	pp_json_open(&s->json, NULL, '{');
	pp_json_key(&s->json, "unit");
	pp_write_json(s->out, unit_of(s), strlen(unit_of(s)));
	s->json.more = true;
	(void)pp_json_text(&s->json, "all", "all", 3);
	pp_json_key(&s->json, "icicle");
	pp_out_text(s->out, s->how->icicle ? "true" : "false");
	s->json.more = true;
	pp_json_number(&s->json, "grain", s->layout->grain);
	put_names(s);
	put_kinds(s);
	put_hues(s);
	put_boxes(s);
	put_heat(s);
	pp_json_close(&s->json, '}');
	pp_out_char(s->out, '\n');
}

/* ---- the page ---- */

static void put_about(struct sheet *s)
{
	const struct pp_layout *const l = s->layout;

	pp_out_dec(s->out, l->total[0]);
	pp_out_char(s->out, ' ');
	pp_write_markup(s->out, unit_of(s), strlen(unit_of(s)));
	if (l->both) {
		pp_out_text(s->out, " before, ");
		pp_out_dec(s->out, l->total[1]);
		pp_out_text(s->out, " after");
	}
	if (l->left_out) {
		pp_out_text(s->out, "; ");
		pp_out_dec(s->out, l->left_out);
		pp_out_text(s->out, l->left_out == 1 ? " frame is too narrow to be seen and is left out" :
						       " frames are too narrow to be seen and are left out");
	}
}

static void put_html_legend(struct sheet *s)
{
	struct pp_legend legend[PP_LEGEND_MOST];
	const size_t n = pp_legend_of(s->layout, legend);

	if (!n)
		return;
	pp_out_text(s->out, "<p id=\"legend\">\n");
	for (size_t i = 0; i < n; i++) {
		pp_out_text(s->out, legend[i].dashed ? "<span class=\"gone\" style=\"background-color: " :
						       "<span style=\"background-color: ");
		pp_put_colour(s->out, legend[i].colour);
		pp_out_text(s->out, "\"></span> ");
		pp_out_text(s->out, legend[i].what);
		pp_out_char(s->out, '\n');
	}
	pp_out_text(s->out, "</p>");
}

/* In a box of its own, which scrolls. */
static void put_picture(struct sheet *s)
{
	pp_out_text(s->out, s->how->icicle ? "<div id=\"picture\" class=\"icicle\"><div>\n" :
					     "<div id=\"picture\"><div>\n");
	pp_write_svg(s->layout, s->how, false, s->out);
	pp_out_text(s->out, "</div></div>");
}

static void fill_in(struct sheet *s, const char *what, size_t length)
{
	const char *const title = s->how->title ? s->how->title : "Flame graph";

	if (!strncmp(what, "@TITLE@", length))
		pp_write_markup(s->out, title, strlen(title));
	else if (!strncmp(what, "@ABOUT@", length))
		put_about(s);
	else if (!strncmp(what, "@LEGEND@", length))
		put_html_legend(s);
	else if (!strncmp(what, "@PICTURE@", length))
		put_picture(s);
	else
		put_data(s);
}

/* A line of the template: what stands between two @ in it is filled in. */
static void put_line(struct sheet *s, const char *line)
{
	const char *const from = strchr(line, '@');
	const char *const to = from && from[1] >= 'A' && from[1] <= 'Z' ? strchr(from + 1, '@') : NULL;

	pp_out_bytes(s->out, line, to ? (size_t)(from - line) : strlen(line));
	if (to) {
		fill_in(s, from, (size_t)(to + 1 - from));
		pp_out_text(s->out, to + 1);
	}
	pp_out_char(s->out, '\n');
}

/* Nodes become boxes. */
static int settle_heat(const struct sheet *s, struct pp_error *error)
{
	uint32_t *const boxes = pp_layout_boxes(s->layout);
	const int status = boxes ? pp_heat_settle(s->how->heat, boxes, s->layout->n, error) :
				   pp_fail(error, PP_E_NOMEM, NULL);

	free(boxes);
	return status;
}

/* Once it is settled: the seconds of a heat map that is too long for a page; or 0. */
static uint64_t too_long(const struct pp_heat *heat)
{
	const uint64_t bins = heat ? pp_heat_bins(heat) : 0;

	return bins > PP_HEAT_SPANS ? (bins - 1) / pp_heat_rows(heat) + 1 : 0;
}

int pp_flame_html(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out,
		  struct pp_flame_stats *stats, struct pp_error *error)
{
	struct sheet s = { .how = how, .out = out };
	struct pp_layout layout;
	int status;

	if (pp_layout_open(&layout, p, how, error))
		return -1;
	s.layout = &layout;
	status = number_names(&s, error) || (how->heat && settle_heat(&s, error)) ? -1 : 0;
	s.heat_seconds = status ? 0 : too_long(how->heat);
	for (size_t i = 0; page[i] && !status; i++)
		put_line(&s, page[i]);
	stats->left_out = layout.left_out;
	stats->heat_seconds = s.heat_seconds;
	free(s.name_of);
	pp_layout_close(&layout);
	return status;
}
