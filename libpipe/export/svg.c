/* svg.c - a picture of frames that are placed: a box for each, with its name as far as there is room. */
#include "export/layout.h"

#include <perfpipe/output.h>

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 17, HEAD = 28, MARGIN = 8 };
#define LETTER 6.6                    /* pixels that one takes, about */

struct pen {
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

static uint32_t hash_of(const char *name, size_t length)
{
	uint32_t h = 2166136261;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619;
	return h;
}

/* hsl(H S% L%) of a frame: by its kind and name, or by what it gained (red) and lost (blue), if anything. */
static void put_colour(const struct pen *pen, const struct pp_box *b)
{
	static const struct { uint16_t hue, spread; } kinds[] = {
		[PP_FLAME_NATIVE] = { 28, 45 }, [PP_FLAME_KERNEL] = { 8, 20 }, [PP_FLAME_JIT] = { 95, 25 },
		[PP_FLAME_INLINED] = { 185, 20 }, [PP_FLAME_OTHER] = { 50, 15 },
	};
	const unsigned kind = b->node.kind > PP_FLAME_OTHER ? PP_FLAME_OTHER : b->node.kind;
	const uint32_t h = hash_of(b->node.name, b->node.length);
	unsigned hue = kinds[kind].hue + 360 + h % (kinds[kind].spread + 1u) - kinds[kind].spread / 2;
	unsigned saturation = 70 + h / 64 % 21, light = 62 + h / 4096 % 11;

	if (pen->layout->both) {
		const double before = pp_layout_share(pen->layout, b, 0);
		const double after = pp_layout_share(pen->layout, b, 1);
		const double most = before > after ? before : after;
		const bool same = pp_layout_same(pen->layout, b);

		hue = after > before ? 5 : 215;
		saturation = same ? 0 : 82;
		light = same ? 80 : 94 - (unsigned)(most > 0 ? 36 * fabs(after - before) / most : 0);
	}
	pp_out_text(pen->out, " fill=\"hsl(");
	pp_out_dec(pen->out, hue % 360);
	pp_out_char(pen->out, ' ');
	pp_out_dec(pen->out, saturation);
	pp_out_text(pen->out, "% ");
	pp_out_dec(pen->out, light);
	pp_out_text(pen->out, "%)\"");
}

static void put_percent(struct pp_out *out, double x)
{
	put_hundredths(out, 100 * x);
	pp_out_char(out, '%');
}

static void put_title(const struct pen *pen, const struct pp_box *b)
{
	struct pp_out *const out = pen->out;

	pp_out_text(out, "<title>");
	pp_write_markup(out, b->node.name, b->node.length);
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

static void put_box(const struct pen *pen, const struct pp_box *b)
{
	const uint32_t row = pen->how->icicle ? b->node.depth : pen->layout->deepest - b->node.depth;
	const double x = MARGIN + b->left * pen->width, width = b->width * pen->width;
	const double y = HEAD + (double)row * ROW;

	pp_out_text(pen->out, "<g>");
	put_title(pen, b);
	pp_out_text(pen->out, "<rect");
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "width", width);
	put_attribute(pen->out, "height", ROW - 1);
	put_colour(pen, b);
	if (pen->layout->both && b->total[0] && !b->total[1])
		pp_out_text(pen->out, " stroke=\"#024\" stroke-dasharray=\"3 2\"");
	pp_out_text(pen->out, "/>");
	if (width > 3 * LETTER) {
		pp_out_text(pen->out, "<text");
		put_attribute(pen->out, "x", x + 3);
		put_attribute(pen->out, "y", y + ROW - 5);
		pp_out_char(pen->out, '>');
		put_name(pen->out, b->node.name, b->node.length, width);
		pp_out_text(pen->out, "</text>");
	}
	pp_out_text(pen->out, "</g>\n");
}

void pp_write_svg(const struct pp_layout *l, const struct pp_flame_options *how, struct pp_out *out)
{
	const struct pen pen = { l, how, out, how->width > 0 ? how->width : 1200 };
	const char *const title = how->title ? how->title : "";

	pp_out_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_attribute(out, "width", pen.width + 2 * MARGIN);
	put_attribute(out, "height", HEAD + (l->deepest + 1.0) * ROW + MARGIN);
	pp_out_text(out, " font-family=\"monospace\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
		    "fill=\"#fff\"/>\n<text x=\"8\" y=\"18\" font-size=\"14\">");
	pp_write_markup(out, title, strlen(title));
	pp_out_text(out, "</text>\n");
	for (size_t i = 0; i < l->n; i++)
		put_box(&pen, &l->boxes[i]);
	pp_out_text(out, "</svg>\n");
}

int pp_flame_svg(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out,
		 struct pp_flame_stats *stats, struct pp_error *error)
{
	struct pp_layout layout;

	if (pp_layout_open(&layout, p, how, error))
		return -1;
	pp_write_svg(&layout, how, out);
	stats->left_out = layout.left_out;
	pp_layout_close(&layout);
	return 0;
}
