/* frame_colour.c - which colour a frame has, and what that says. */
#include "export/flame_layout.h"

#include <math.h>

enum { MORE = 5, LESS = 215, STRONG = 82, SAME = 80, PALE = 94, DEEPER = 36 };

const struct pp_hue pp_hues[] = {
	[PP_FLAME_NATIVE] = { 28, 45, "native code" }, [PP_FLAME_KERNEL] = { 8, 20, "kernel" },
	[PP_FLAME_JIT] = { 95, 25, "code made at run time" }, [PP_FLAME_INLINED] = { 185, 20, "inlined" },
	[PP_FLAME_OTHER] = { 50, 15, "tasks and others" },
};

static unsigned kind_of(const struct pp_box *b)
{
	return b->kind > PP_FLAME_OTHER ? PP_FLAME_OTHER : b->kind;
}

static uint32_t hash_of(const char *name, size_t length)
{
	uint32_t h = 2166136261;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619;
	return h;
}

static struct pp_colour by_name(const struct pp_box *b)
{
	const struct pp_hue *const kind = &pp_hues[kind_of(b)];
	const uint32_t h = hash_of(b->name, b->length);

	return (struct pp_colour){
		(kind->hue + 360 + h % (kind->spread + 1u) - kind->spread / 2) % 360,
		70 + h / 64 % 21, 62 + h / 4096 % 11,
	};
}

static struct pp_colour by_change(const struct pp_layout *l, const struct pp_box *b)
{
	const double before = pp_layout_share(l, b, 0), after = pp_layout_share(l, b, 1);
	const double most = before > after ? before : after;
	const unsigned hue = after > before ? MORE : LESS;

	if (pp_layout_same(l, b))
		return (struct pp_colour){ hue, 0, SAME };
	return (struct pp_colour){
		hue, STRONG, PALE - (unsigned)(most > 0 ? DEEPER * fabs(after - before) / most : 0),
	};
}

struct pp_colour pp_colour_of(const struct pp_layout *l, const struct pp_box *b)
{
	return l->both ? by_change(l, b) : by_name(b);
}

void pp_put_colour(struct pp_out *out, struct pp_colour colour)
{
	pp_out_text(out, "hsl(");
	pp_out_dec(out, colour.hue);
	pp_out_char(out, ' ');
	pp_out_dec(out, colour.saturation);
	pp_out_text(out, "% ");
	pp_out_dec(out, colour.light);
	pp_out_text(out, "%)");
}

size_t pp_legend_of(const struct pp_layout *l, struct pp_legend legend[PP_LEGEND_MOST])
{
	static const struct pp_legend changes[] = {
		{ { MORE, STRONG, PALE - DEEPER }, false, "more than before" },
		{ { LESS, STRONG, PALE - DEEPER }, false, "less" },
		{ { LESS, STRONG, PALE - DEEPER }, true, "only before" },
		{ { 0, 0, SAME }, false, "may be chance" },
	};
	bool there[PP_FLAME_OTHER + 1] = { false };
	struct pp_box b;
	size_t n = 0;

	if (l->both) {
		for (; n < sizeof(changes) / sizeof(*changes); n++)
			legend[n] = changes[n];
		return n;
	}
	for (bool more = pp_layout_first(l, &b); more; more = pp_layout_next(l, &b))
		there[kind_of(&b)] |= b.number > 0;
	for (unsigned kind = 0; kind <= PP_FLAME_OTHER; kind++)
		if (there[kind])
			legend[n++] = (struct pp_legend){ { pp_hues[kind].hue, 80, 67 }, false,
							  pp_hues[kind].what };
	return n > 1 ? n : 0;
}
