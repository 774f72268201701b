/* frame_colour.c - which colour a frame has: by the kind of its code, and in a difference by what it gained
 * or lost.  A picture and a page have them from here. */
#include "export/flame_layout.h"

#include <math.h>

/*
 * Found by a search for the largest least distance between two of them, for eyes that see all colours and
 * for those that lack one of three; text on them is #14171b on the light ones, #ffffff on the dark ones.
 * All three shades of a kind are nearer to each other than to those of another.
 */
const struct pp_kind_colour pp_kind_colours[PP_FLAME_KINDS] = {
	[PP_FLAME_PROGRAM] = { "program", 0xeeba82, 0x5b3501 },
	[PP_FLAME_LIBRARY] = { "library", 0xffeb94, 0x6e5906 },
	[PP_FLAME_INLINED] = { "inlined", 0xb4f5e2, 0x587e62 },
	[PP_FLAME_KERNEL] = { "kernel", 0x81adfd, 0x0f4e94 },
	[PP_FLAME_JIT] = { "JIT", 0xc094aa, 0x995faa },
	[PP_FLAME_UNKNOWN] = { "unknown", 0xc4cad1, 0x41434a },
	[PP_FLAME_GROUP] = { "thread", 0xe9ebef, 0x2a2e35 },
};
const struct pp_kind_colour pp_change_colours[PP_CHANGES] = {
	[PP_CHANGE_SAME] = { "may be chance", 0xd9dbdf, 0x4a4f57 },
	[PP_CHANGE_MORE] = { "more than before", 0xe8825e, 0xb04a24 },
	[PP_CHANGE_LESS] = { "less than before", 0x6f9fe0, 0x2f64b5 },
};

static unsigned kind_of(const struct pp_box *b)
{
	return b->kind < PP_FLAME_KINDS ? b->kind : PP_FLAME_PROGRAM;
}

static uint32_t hash_of(const char *name, size_t length)
{
	uint32_t h = 2166136261;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619;
	return h;
}

/* A colour on its way to another, as far as the share says. */
static uint32_t mix(uint32_t from, uint32_t to, double share)
{
	uint32_t mixed = 0;

	for (unsigned bit = 0; bit < 24; bit += 8) {
		const double a = from >> bit & 255, b = to >> bit & 255;

		mixed |= (uint32_t)(a + (b - a) * share + 0.5) << bit;
	}
	return mixed;
}

/* One of three shades, so that neighbours differ. */
static uint32_t by_name(const struct pp_box *b)
{
	const uint32_t colour = pp_kind_colours[kind_of(b)].light;

	switch (hash_of(b->name, b->length) % 3) {
	case 0: return mix(colour, 0xffffff, 0.10);
	case 1: return mix(colour, 0x000000, 0.04);
	default: return colour;
	}
}

/* By what was judged, whichever share is the larger one. */
static uint32_t by_judgement(const struct pp_flame_judgement *j)
{
	const uint32_t same = pp_change_colours[PP_CHANGE_SAME].light;
	double part;

	if (!j || !j->way)
		return same;
	part = j->change > 0 ? j->change / (1 + j->change) : -j->change;
	return mix(same, pp_change_colours[j->way > 0 ? PP_CHANGE_MORE : PP_CHANGE_LESS].light,
		   0.3 + 0.7 * (part < 1 ? part : 1));
}

static uint32_t by_change(const struct pp_layout *l, const struct pp_box *b)
{
	const double before = pp_layout_share(l, b, 0), after = pp_layout_share(l, b, 1);
	const double most = before > after ? before : after;
	const uint32_t same = pp_change_colours[PP_CHANGE_SAME].light;

	if (pp_layout_same(l, b) || most <= 0)
		return same;
	return mix(same, pp_change_colours[after > before ? PP_CHANGE_MORE : PP_CHANGE_LESS].light,
		   0.3 + 0.7 * fabs(after - before) / most);
}

uint32_t pp_colour_of(const struct pp_layout *l, const struct pp_box *b)
{
	if (l->judged)
		return by_judgement(pp_judged_of(l->judged, PP_FLAME_FRAMES, l->nodes[b->number]));
	return l->both ? by_change(l, b) : by_name(b);
}

size_t pp_legend_of(const struct pp_layout *l, struct pp_legend legend[PP_LEGEND_MOST])
{
	double self[PP_FLAME_KINDS] = { 0 };
	struct pp_box b;
	size_t n = 0;

	if (l->both) {
		for (unsigned i = PP_CHANGES; i-- > 0;)
			legend[n++] = (struct pp_legend){ pp_change_colours[i].light, false, -1,
							  pp_change_colours[i].what };
		legend[n++] = (struct pp_legend){ pp_change_colours[PP_CHANGE_LESS].light, true, -1,
						  "only before" };
		return n;
	}
	for (bool more = pp_layout_first(l, &b); more; more = pp_layout_next(l, &b))
		self[b.number ? kind_of(&b) : PP_FLAME_GROUP] += (double)b.self[0];
	for (unsigned kind = 0; kind < PP_FLAME_GROUP; kind++)
		if (self[kind] > 0)
			legend[n++] = (struct pp_legend){ pp_kind_colours[kind].light, false,
							  self[kind] / (double)l->total[0],
							  pp_kind_colours[kind].what };
	return n;
}
