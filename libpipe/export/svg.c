/* svg.c - a picture of frames that are placed: a box for each, with its name as far as there is room. */
#include "export/flame_layout.h"

#include <perfpipe/output.h>

#include "base/format_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 17, HEAD = 28, MARGIN = 8 };
#define LETTER 6.6                    /* pixels that one takes, about */

struct svg_pen {
	const struct pp_layout *layout;
	const struct pp_flame_options *how;
	struct pp_out *out;
	double width;
};

/* A number of pixels, or of percent: no locale has a say. */
static void put_hundredths(struct pp_out *out, double x)
{
	const uint64_t v = (uint64_t)(fabs(x) * 100 + 0.5);

	if (x < 0 && v)
		pp_out_char(out, '-');
	pp_out_dec(out, v / 100);
	pp_out_char(out, '.');
	pp_out_bytes(out, pp_two_digits + 2 * (v % 100), 2);
}

static void put_attribute(struct pp_out *out, const char *name, double value)
{
	pp_out_char(out, ' ');
	pp_out_text(out, name);
	pp_out_text(out, "=\"");
	put_hundredths(out, value);
	pp_out_char(out, '"');
}

/* The end of a box. */
static void put_fill(const struct svg_pen *pen, struct pp_colour colour, bool dashed)
{
	pp_out_text(pen->out, " fill=\"");
	pp_put_colour(pen->out, colour);
	pp_out_text(pen->out, dashed ? "\" stroke=\"#024\" stroke-dasharray=\"3 2\"/>" : "\"/>");
}

static void put_percent(struct pp_out *out, double x)
{
	put_hundredths(out, 100 * x);
	pp_out_char(out, '%');
}

static void put_title(const struct svg_pen *pen, const struct pp_box *b)
{
	struct pp_out *const out = pen->out;

	pp_out_text(out, "<title>");
	pp_write_markup(out, b->name, b->length);
	pp_out_text(out, " (");
	pp_out_dec(out, b->total[0]);
	if (pen->layout->both) {
		pp_out_text(out, " to ");
		pp_out_dec(out, b->total[1]);
	}
	pp_out_char(out, ' ');
	pp_write_markup(out, pen->how->unit ? pen->how->unit : "samples",
			strlen(pen->how->unit ? pen->how->unit : "samples"));
	pp_out_text(out, ", ");
	put_percent(out, pp_layout_share(pen->layout, b, 0));
	if (pen->layout->both) {
		pp_out_text(out, " to ");
		put_percent(out, pp_layout_share(pen->layout, b, 1));
	}
	pp_out_text(out, ")</title>");
}

/* Names are cut at characters, not inside of them. */
static void put_name(struct pp_out *out, const char *name, size_t length, double room)
{
	const size_t most = room > 3 * LETTER ? (size_t)((room - 4) / LETTER) : 0;
	size_t end = 0, letters = 0;

	while (end < length && letters < most) {
		const size_t n = pp_printable(name + end, length - end);

		end += n ? n : 1;
		letters += n ? 1 : 4;
	}
	if (!most)
		return;
	pp_write_markup(out, name, end);
	if (end < length)
		pp_out_text(out, "\xe2\x80\xa6");
}

static void put_box(const struct svg_pen *pen, const struct pp_box *b)
{
	const uint32_t row = pen->how->icicle ? b->depth : pen->layout->deepest - b->depth;
	const double x = MARGIN + b->left * pen->width, width = b->width * pen->width;
	const double y = HEAD + (double)row * ROW;

	pp_out_text(pen->out, "<g>");
	put_title(pen, b);
	pp_out_text(pen->out, "<rect");
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "width", width);
	put_attribute(pen->out, "height", ROW - 1);
	put_fill(pen, pp_colour_of(pen->layout, b),
		 pen->layout->both && b->total[0] && !b->total[1] && width >= 4);
	if (width > 3 * LETTER) {
		pp_out_text(pen->out, "<text");
		put_attribute(pen->out, "x", x + 3);
		put_attribute(pen->out, "y", y + ROW - 5);
		pp_out_char(pen->out, '>');
		put_name(pen->out, b->name, b->length, width);
		pp_out_text(pen->out, "</text>");
	}
	pp_out_text(pen->out, "</g>\n");
}

/* What colours say. */
static void put_svg_legend(const struct svg_pen *pen, double y)
{
	struct pp_legend legend[PP_LEGEND_MOST];
	const size_t n = pp_legend_of(pen->layout, legend);
	double x = MARGIN;

	for (size_t i = 0; i < n; i++) {
		pp_out_text(pen->out, "<rect");
		put_attribute(pen->out, "x", x);
		put_attribute(pen->out, "y", y);
		put_attribute(pen->out, "width", LETTER * 2);
		put_attribute(pen->out, "height", ROW - 5);
		put_fill(pen, legend[i].colour, legend[i].dashed);
		pp_out_text(pen->out, "<text");
		put_attribute(pen->out, "x", x + LETTER * 3);
		put_attribute(pen->out, "y", y + ROW - 7);
		pp_out_char(pen->out, '>');
		pp_out_text(pen->out, legend[i].what);
		pp_out_text(pen->out, "</text>\n");
		x += LETTER * ((double)strlen(legend[i].what) + 6);
	}
}

void pp_write_svg(const struct pp_layout *l, const struct pp_flame_options *how, bool alone,
		  struct pp_out *out)
{
	const struct svg_pen pen = { l, how, out, how->width > 0 ? how->width : 1200 };
	const char *const title = how->title ? how->title : "";
	const double base = HEAD + (l->deepest + 1.0) * ROW;
	struct pp_legend legend[PP_LEGEND_MOST];
	struct pp_box b;
	const bool explains = alone && pp_legend_of(l, legend);

	pp_out_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_attribute(out, "width", pen.width + 2 * MARGIN);
	put_attribute(out, "height", base + MARGIN + (explains ? ROW : 0));
	pp_out_text(out, " font-family=\"monospace\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
		    "fill=\"#fff\"/>\n<text x=\"8\" y=\"18\" font-size=\"14\">");
	pp_write_markup(out, title, strlen(title));
	pp_out_text(out, "</text>\n");
	for (bool more = pp_layout_first(l, &b); more; more = pp_layout_next(l, &b))
		put_box(&pen, &b);
	if (explains)
		put_svg_legend(&pen, base + 4);
	/* by itself, what is higher than the window is shown from where it begins */
	if (alone && !how->icicle)
		pp_out_text(out, "<script>scrollTo(0, 1e7)</script>\n");
	pp_out_text(out, "</svg>\n");
}

int pp_flame_svg(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out,
		 struct pp_flame_stats *stats, struct pp_error *error)
{
	struct pp_layout layout;

	if (pp_layout_open(&layout, p, how, error))
		return -1;
	pp_write_svg(&layout, how, true, out);
	*stats = (struct pp_flame_stats){ .left_out = layout.left_out };
	pp_layout_close(&layout);
	return 0;
}
