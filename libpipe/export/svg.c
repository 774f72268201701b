/* svg.c - a picture of frames that are placed: a box for each, with its name as far as there is room. */
#include "export/flame_layout.h"
#include "export/page.h"

#include <perfpipe/output.h>

#include "base/format_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 17, HEAD = 44, MARGIN = 8 };
#define LETTER 6.7                    /* pixels that one takes, at most, in the fonts that are asked for */

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

/* "#rrggbb" */
static void put_colour(struct pp_out *out, uint32_t colour)
{
	pp_out_char(out, '#');
	for (unsigned bit = 24; bit; bit -= 8)
		pp_out_bytes(out, pp_hex_pairs + 2 * (size_t)(colour >> (bit - 8) & 255), 2);
}

/* The end of a box. */
static void put_fill(const struct svg_pen *pen, uint32_t colour, bool dashed)
{
	pp_out_text(pen->out, " fill=\"");
	put_colour(pen->out, colour);
	pp_out_text(pen->out, dashed ? "\" stroke=\"#024\" stroke-dasharray=\"3 2\"/>" : "\"/>");
}

static void put_noun(const struct svg_pen *pen)
{
	const char *const noun = pp_noun_of(pen->how);

	/* a time has its unit, and needs no noun */
	if (pen->how->facts && pen->how->facts->times)
		return;
	pp_out_char(pen->out, ' ');
	pp_write_markup(pen->out, noun, strlen(noun));
}

/* "; +9.8 % (+7.1 % to +12.4 %), worse" */
static void put_judgement(const struct svg_pen *pen, const struct pp_box *b)
{
	const struct pp_flame_judgement *const j = pp_judged_of(pen->layout->judged, PP_FLAME_FRAMES,
								pen->layout->nodes[b->number]);

	pp_out_text(pen->out, j || !b->number ? "" : "; too light to be judged");
	if (j) {
		pp_out_text(pen->out, "; ");
		pp_put_judgement(pen->out, j, b->total[0] && b->total[1]);
	}
}

/* "main: 95 samples, 95.0 %; self 0" */
static void put_title(const struct svg_pen *pen, const struct pp_box *b)
{
	const bool times = pen->how->facts && pen->how->facts->times;
	struct pp_out *const out = pen->out;

	pp_out_text(out, "<title>");
	pp_write_markup(out, b->name, b->length);
	pp_out_text(out, ": ");
	for (unsigned side = 0; side <= pen->layout->both; side++) {
		pp_out_text(out, side ? " to " : "");
		pp_put_weight(out, pp_per_run(pen->how, side, b->total[side]), times);
	}
	put_noun(pen);
	pp_out_text(out, ", ");
	for (unsigned side = 0; side <= pen->layout->both; side++) {
		pp_out_text(out, side ? " to " : "");
		pp_put_share(out, pp_layout_share(pen->layout, b, side));
	}
	if (pen->layout->judged)
		put_judgement(pen, b);
	if (!pen->layout->both) {
		pp_out_text(out, "; self ");
		pp_put_weight(out, b->self[0], times);
	}
	pp_out_text(out, "</title>");
}

/* In a box of its own, which cuts off what a wider font would put beyond it. */
static void put_name(const struct svg_pen *pen, const struct pp_box *b, double x, double y, double width)
{
	pp_out_text(pen->out, "<svg");
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "width", width - 1);
	put_attribute(pen->out, "height", ROW - 1);
	pp_out_text(pen->out, "><text x=\"3\" y=\"12\">");
	pp_write_short_name(pen->out, b->name, b->length, (size_t)((width - 4) / LETTER));
	pp_out_text(pen->out, "</text></svg>");
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
	if (width > 3 * LETTER)
		put_name(pen, b, x, y, width);
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
		if (legend[i].share >= 0) {
			pp_out_char(pen->out, ' ');
			pp_put_share(pen->out, legend[i].share);
		}
		pp_out_text(pen->out, "</text>\n");
		x += LETTER * ((double)strlen(legend[i].what) + (legend[i].share < 0 ? 6 : 13));
	}
}

uint64_t pp_write_svg(const struct pp_layout *l, const struct pp_flame_options *how, bool alone,
		      struct pp_out *out)
{
	const struct svg_pen pen = { l, how, out, how->width > 0 ? how->width : 1200 };
	const char *const title = how->title ? how->title :
				  how->facts && how->facts->command ? how->facts->command : "";
	const double base = HEAD + (l->deepest + 1.0) * ROW;
	struct pp_legend legend[PP_LEGEND_MOST];
	struct pp_box b;
	uint64_t left_out = 0;
	const bool explains = alone && pp_legend_of(l, legend);

	pp_out_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_attribute(out, "width", pen.width + 2 * MARGIN);
	put_attribute(out, "height", base + MARGIN + (explains ? ROW : 0));
	pp_out_text(out, " font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"11\" "
		    "fill=\"#14171b\">\n");
	/* a page has them already */
	if (alone) {
		pp_out_text(out, "<desc>");
		pp_put_facts(out, how, l->total, NULL, false);
		pp_out_text(out, "</desc>\n");
	}
	pp_out_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
		    "<text x=\"8\" y=\"18\" font-size=\"14\">");
	pp_write_markup(out, title, strlen(title));
	pp_out_text(out, "</text>\n");
	pp_out_text(out, "<text x=\"8\" y=\"36\">");
	pp_put_facts(out, how, l->total, NULL, false);
	pp_out_text(out, "</text>\n");
	for (bool more = pp_layout_first(l, &b); more; more = pp_layout_next(l, &b))
		if (b.depth <= l->deepest)
			put_box(&pen, &b);
		else
			left_out++;
	if (explains)
		put_svg_legend(&pen, base + 4);
	/* by itself, what is higher than the window is shown from where it begins */
	if (alone && !how->icicle)
		pp_out_text(out, "<script>scrollTo(0, 1e7)</script>\n");
	pp_out_text(out, "</svg>\n");
	return left_out;
}

int pp_flame_svg(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out,
		 struct pp_flame_stats *stats, struct pp_error *error)
{
	struct pp_layout layout;

	if (pp_layout_open(&layout, p, how, error))
		return -1;
	(void)pp_write_svg(&layout, how, true, out);
	*stats = (struct pp_flame_stats){ .left_out = layout.left_out };
	pp_layout_close(&layout);
	return 0;
}
