/*
 * page.c - a page that shows a profile: the template of page/, with the facts of the recording, the numbers
 * for the scripts that are in it, and a picture and a table for where no scripts run.
 */
#include "export/flame_layout.h"
#include "export/deflater.h"
#include "export/page.h"

#include "base/byte_order.h"
#include "profile/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/page.inc"

enum { BUDGET = 4 << 20 };            /* bytes of a page's numbers */

/* An event of a page. */
struct sheet {
	struct pp_profile *profile;
	struct pp_page_tree tree;
	struct pp_page_data data;
	struct pp_flame_options how;
	const struct pp_flame_facts *facts;
	struct pp_out *out;
	struct pp_json json;
	const struct sheet *more;     /* of the first: the others */
	size_t n_more;
};

static const struct pp_flame_facts nothing_known;

static bool compares(const struct sheet *s)
{
	return s->tree.total[1] > 0;
}

static const char *title_of(const struct sheet *s)
{
	return s->how.title ? s->how.title : s->facts->command ? s->facts->command :
	       s->how.runs[0] ? "Two sides" : s->tree.total[1] ? "Two recordings" : "Stacks";
}

static void put_markup(const struct sheet *s, const char *text)
{
	pp_write_markup(s->out, text, strlen(text));
}

/* ---- about this recording: what is seldom asked ---- */

static void put_fact(const struct sheet *s, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	pp_out_text(s->out, "<dt>");
	pp_out_text(s->out, name);
	pp_out_text(s->out, "</dt><dd>");
	put_markup(s, text);
	pp_out_text(s->out, "</dd>\n");
}

static void put_left_out(const struct sheet *s)
{
	const struct pp_page_tree *const t = &s->tree;

	if (!t->left_out && !s->data.folded)
		return;
	pp_out_text(s->out, "<dt>Left out</dt><dd>");
	if (t->left_out) {
		pp_put_weight(s->out, t->left_out, false);
		pp_out_text(s->out, t->left_out == 1 ?
			    " frame too light to be seen is part of its caller. " :
			    " frames too light to be seen are parts of their callers. ");
	}
	if (s->data.folded) {
		pp_out_text(s->out, "In parts of the recording, stacks below ");
		pp_put_share(s->out, s->data.folded);
		pp_out_text(s->out, " are part of their callers.");
	}
	pp_out_text(s->out, "</dd>\n");
}

/* "37,857 frames, 7,202 functions of 512 files" */
static void put_sizes_in_words(const struct sheet *s)
{
	const uint32_t files = s->data.files;

	pp_out_text(s->out, "<dt>Stacks</dt><dd>");
	pp_put_weight(s->out, s->tree.n - 1, false);
	pp_out_text(s->out, s->tree.n == 2 ? " frame, " : " frames, ");
	pp_put_weight(s->out, s->tree.functions, false);
	pp_out_text(s->out, s->tree.functions == 1 ? " function" : " functions");
	if (files) {
		pp_out_text(s->out, " of ");
		pp_put_weight(s->out, files, false);
		pp_out_text(s->out, files == 1 ? " file" : " files");
	}
	pp_out_text(s->out, "</dd>\n");
}

static void put_about(const struct sheet *s)
{
	const struct pp_flame_facts *const f = s->facts;

	put_fact(s, "Command", f->command);
	if (f->start) {
		pp_out_text(s->out, "<dt>Began</dt><dd>");
		pp_put_date(s->out, f->start);
		pp_out_text(s->out, "</dd>\n");
	}
	put_fact(s, "Host", f->host);
	put_fact(s, "System", f->system);
	put_fact(s, "Processor", f->cpu);
	put_fact(s, "Event", f->event);
	if (f->frequency) {
		pp_out_text(s->out, "<dt>Rate</dt><dd>about ");
		pp_put_weight(s->out, f->frequency, false);
		pp_out_text(s->out, " samples a second on each busy CPU</dd>\n");
	}
	put_sizes_in_words(s);
	put_fact(s, "Names", f->nameless);
	if (s->data.tick) {
		pp_out_text(s->out, "<dt>Times</dt><dd>kept to ");
		pp_put_weight(s->out, s->data.tick, true);
		pp_out_text(s->out, "</dd>\n");
	}
	put_left_out(s);
	pp_put_notes(s->out, f);
	put_fact(s, "Recorded by", f->recorder);
	put_fact(s, "Written by", "perfpipe " VERSION);
}

static void put_facts(const struct sheet *s)
{
	pp_put_facts(s->out, &s->how, s->tree.total, &s->data, true);
}

/* What scripts put in the place of the first event's facts. */
static void put_others_facts(const struct sheet *s)
{
	for (size_t i = 0; i < s->n_more; i++) {
		pp_out_text(s->out, "\n<div class=\"event\" hidden><p>");
		put_facts(&s->more[i]);
		pp_out_text(s->out, "</p><dl>\n");
		put_about(&s->more[i]);
		pp_out_text(s->out, "</dl></div>");
	}
}

static void put_others_names(const struct sheet *s)
{
	if (s->n_more)
		pp_out_text(s->out, "\n<p>Other events of the recording, which it shows with JavaScript:");
	for (size_t i = 0; i < s->n_more; i++) {
		pp_out_text(s->out, i ? ", " : " ");
		put_markup(s, s->more[i].facts->event ? s->more[i].facts->event : "one without a name");
	}
	if (s->n_more)
		pp_out_text(s->out, ".</p>");
}

/* ---- the head: one object, for scripts ---- */

static void put_json_text(struct sheet *s, const char *name, const char *text)
{
	if (!text)
		return;
	pp_json_key(&s->json, name);
	pp_write_json(s->out, text, strlen(text));
	s->json.more = true;
}

static void put_json_flag(struct sheet *s, const char *name, bool value)
{
	pp_json_key(&s->json, name);
	pp_out_text(s->out, value ? "true" : "false");
	s->json.more = true;
}

static void put_colours(struct sheet *s, const char *name, const struct pp_kind_colour *colours, size_t n)
{
	pp_json_open(&s->json, name, '[');
	for (size_t i = 0; i < n; i++) {
		pp_json_open(&s->json, NULL, '[');
		put_json_text(s, NULL, colours[i].what);
		pp_json_number(&s->json, NULL, colours[i].light);
		pp_json_number(&s->json, NULL, colours[i].dark);
		pp_json_close(&s->json, ']');
	}
	pp_json_close(&s->json, ']');
}

/* What differs from event to event: `s` has the head. */
static void put_what(struct sheet *s, const struct sheet *event)
{
	const struct pp_flame_facts *const f = event->facts;

	put_json_text(s, "event", f->event);
	put_json_text(s, "unit", f->times ? "ns" : "count");
	put_json_text(s, "noun", pp_noun_of(&event->how));
	put_json_flag(s, "waits", f->waits);
	pp_json_number(&s->json, "frequency", f->frequency);
	pp_json_number(&s->json, "samples", f->samples);
}

static void put_sizes(struct sheet *s, const struct sheet *event)
{
	const struct pp_page_data *const d = &event->data;

	pp_json_number(&s->json, "duration", d->duration);
	pp_json_number(&s->json, "tick", d->tick);
	pp_json_number(&s->json, "grain", d->grain);
	pp_json_number(&s->json, "sample", pp_grain_of(event->profile, event->how.grain));
	pp_json_number(&s->json, "nodes", event->tree.n);
	pp_json_number(&s->json, "functions", event->tree.functions);
	pp_json_number(&s->json, "cells", d->cells);
	pp_json_number(&s->json, "threads", d->n_threads);
	pp_json_open(&s->json, "texts", '[');
	for (size_t i = 0; i < sizeof(d->texts) / sizeof(*d->texts); i++)
		pp_json_number(&s->json, NULL, d->texts[i]);
	pp_json_close(&s->json, ']');
	pp_json_open(&s->json, "columns", '[');
	for (size_t i = 0; i < PP_PAGE_COLUMNS; i++)
		pp_json_number(&s->json, NULL, d->columns[i]);
	pp_json_close(&s->json, ']');
}

static void put_recording(struct sheet *s)
{
	const struct pp_flame_facts *const f = s->facts;

	put_json_text(s, "schema", "perfpipe.page/1");
	put_json_text(s, "title", title_of(s));
	put_json_text(s, "command", f->command);
	put_json_text(s, "host", f->host);
	put_json_text(s, "system", f->system);
	put_json_text(s, "cpu", f->cpu);
	pp_json_number(&s->json, "cpus", f->cpus);
	put_json_text(s, "version", f->recorder);
	pp_json_number(&s->json, "start", f->start / 1000000);
	put_what(s, s);
	if (!f->samples && f->records)
		pp_json_number(&s->json, "records", f->records);
	pp_json_number(&s->json, "lost", f->lost);
	pp_json_number(&s->json, "throttled", f->throttled);
	put_json_text(s, "damaged", f->damage);
}

/* A part of a whole, as scripts read it; what is larger than any that is of use is that. */
static void put_json_double(struct sheet *s, double x)
{
	pp_json_key(&s->json, NULL);
	pp_out_double(s->out, x < 1e9 ? round(x * 1e6) / 1e6 : 1e9);
	s->json.more = true;
}

static void put_json_judgement(struct sheet *s, uint32_t number, const struct pp_flame_judgement *j)
{
	if (!j)
		return;
	pp_json_open(&s->json, NULL, '[');
	pp_json_number(&s->json, NULL, number);
	pp_json_int(&s->json, NULL, j->way);
	put_json_text(s, NULL, j->verdict);
	put_json_double(s, j->change);
	put_json_double(s, j->low);
	put_json_double(s, j->high);
	pp_json_close(&s->json, ']');
}

/* Of nodes and functions by the numbers that they have in the page. */
static void put_judged(struct sheet *s)
{
	enum { MOST = 4000 };         /* frames: more would make the head long */
	const struct pp_flame_judgements *const frames = &s->how.judged->of[PP_FLAME_FRAMES];
	const struct pp_page_tree *const t = &s->tree;

	put_json_flag(s, "paired", s->how.judged->paired);
	pp_json_open(&s->json, "judged", '[');
	pp_json_open(&s->json, NULL, '[');
	for (size_t i = 0; i < frames->n && i < MOST; i++)
		put_json_judgement(s, t->places[frames->items[i].number], &frames->items[i]);
	pp_json_close(&s->json, ']');
	for (unsigned family = PP_FLAME_SELVES; family < PP_FLAME_FAMILIES; family++) {
		pp_json_open(&s->json, NULL, '[');
		for (uint32_t i = 0; i < t->functions; i++)
			put_json_judgement(s, i, pp_judged_of(s->how.judged, family, t->frames[i]));
		pp_json_close(&s->json, ']');
	}
	pp_json_close(&s->json, ']');
}

static void put_comparison_head(struct sheet *s)
{
	static const char *const by[] = {
		[PP_FLAME_BY_SHARES] = "shares", [PP_FLAME_BY_TIME] = "time", [PP_FLAME_BY_COUNT] = "count",
	};

	put_json_text(s, "by", by[s->how.by]);
	pp_json_open(&s->json, "durations", '[');
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		pp_json_number(&s->json, NULL, s->how.durations[side]);
	pp_json_close(&s->json, ']');
	pp_json_number(&s->json, "cells_before", s->data.cells_before);
	pp_json_number(&s->json, "threads_before", s->data.n_before);
	if (s->how.runs[0]) {
		pp_json_open(&s->json, "runs", '[');
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			pp_json_number(&s->json, NULL, s->how.runs[side]);
		pp_json_close(&s->json, ']');
	}
	if (s->how.judged)
		put_judged(s);
}

/* Frames that are parts of their callers everywhere, and in cells those below so large a share. */
static void put_left_out_json(struct sheet *s)
{
	pp_json_open(&s->json, "left_out", '{');
	pp_json_number(&s->json, "frames", s->tree.left_out);
	pp_json_key(&s->json, "share");
	pp_out_double(s->out, s->data.folded);
	s->json.more = true;
	pp_json_close(&s->json, '}');
}

static void put_json_head(struct sheet *s)
{
	s->json = (struct pp_json){ .out = s->out };
	pp_json_open(&s->json, NULL, '{');
	put_recording(s);
	pp_json_number(&s->json, "sides", 1 + compares(s));
	if (compares(s))
		put_comparison_head(s);
	put_sizes(s, s);
	if (s->tree.left_out || s->data.folded > 0)
		put_left_out_json(s);
	put_colours(s, "kinds", pp_kind_colours, PP_FLAME_KINDS);
	put_colours(s, "changes", pp_change_colours, PP_CHANGES);
	pp_put_marks(&s->json, s->facts, s->data.begin);
	pp_json_number(&s->json, "every", s->how.every / 1000000);
	put_json_flag(s, "flame", s->how.flame);
	put_json_flag(s, "reverse", s->how.reverse);
	put_json_flag(s, "chart", s->how.chart);
	put_json_text(s, "group", s->how.by_thread ? "thread" : s->how.by_program ? "program" : NULL);
	if (s->n_more)
		pp_json_open(&s->json, "more", '[');
	for (size_t i = 0; i < s->n_more; i++) {
		pp_json_open(&s->json, NULL, '{');
		put_what(s, &s->more[i]);
		put_sizes(s, &s->more[i]);
		pp_json_close(&s->json, '}');
	}
	if (s->n_more)
		pp_json_close(&s->json, ']');
	pp_json_close(&s->json, '}');
	pp_out_char(s->out, '\n');
}

/* Base64: the digits of 12 bits. */
struct digit_pairs { char of[64 * 64][2]; };

static void fill_pairs(struct digit_pairs *pairs)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < 64; i++) {
		char (*const of)[2] = &pairs->of[64 * i];
		const char first = digits[i];

		for (size_t k = 0; k < 64; k++) {
			of[k][0] = first;
			of[k][1] = digits[k];
		}
	}
}

/* 8 digits for each 6 of *n bytes, as long as two more follow; *n: how many bytes were taken. */
static char *put_sixes(char *to, const uint8_t *data, size_t size, size_t *n, const struct digit_pairs *pairs)
{
	size_t done = 0;

	for (; done + 6 <= *n && done + 8 <= size; done += 6, to += 8) {
		const uint64_t bits = pp_in_order64(data + done, !PP_HOST_BIG);

		memcpy(to, pairs->of[bits >> 52], 2);
		memcpy(to + 2, pairs->of[bits >> 40 & 4095], 2);
		memcpy(to + 4, pairs->of[bits >> 28 & 4095], 2);
		memcpy(to + 6, pairs->of[bits >> 16 & 4095], 2);
	}
	*n = done;
	return to;
}

/* In base64, a line. */
static void put_data(const struct sheet *s)
{
	const uint8_t *const data = s->data.packed.data;
	const size_t size = s->data.packed.size;
	enum { TOGETHER = 3 << 10 };
	struct digit_pairs pairs;

	fill_pairs(&pairs);
	for (size_t at = 0; at < size; at += TOGETHER) {
		const size_t n = size - at < TOGETHER ? size - at : TOGETHER;
		size_t done = n;
		char *to = pp_out_room(s->out, TOGETHER / 3 * 4);

		to = put_sixes(to, data + at, size - at, &done, &pairs);
		for (size_t i = at + done; i < at + n; i += 3, to += 4) {
			const uint32_t bits = (uint32_t)data[i] << 16 |
					      (i + 1 < size ? data[i + 1] : 0) << 8 |
					      (i + 2 < size ? data[i + 2] : 0);

			memcpy(to, pairs.of[bits >> 12], 2);
			memcpy(to + 2, pairs.of[bits & 4095], 2);
		}
		if (n % 3)
			memset(to - (3 - n % 3), '=', 3 - n % 3);
		s->out->at = (size_t)(to - s->out->buf);
	}
	pp_out_char(s->out, '\n');
}

/* ---- without scripts ---- */

/* What a function weighs by itself. */
struct heavy {
	uint64_t self[PP_PROFILE_SIDES];
	double weight;                /* itself; or of two sides, how far its shares are apart */
	uint32_t frame;
};

static int heaviest(const void *a, const void *b)
{
	const struct heavy *const x = a, *const y = b;

	if (x->weight < y->weight || x->weight > y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static double share_of_side(const struct sheet *s, const struct heavy *h, unsigned side)
{
	const uint64_t total = s->tree.total[side];

	return total ? (double)h->self[side] / (double)total : 0;
}

static void weigh_heavy(const struct sheet *s, struct heavy *heavy)
{
	const struct pp_page_tree *const t = &s->tree;

	for (uint32_t i = 0; i < t->functions; i++)
		heavy[i].frame = t->frames[i];
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		for (uint32_t i = 1; i < t->n && t->self[side]; i++) {
			uint64_t *const self = &heavy[t->nodes[i].function].self[side];

			*self = pp_tree_sum(*self, t->self[side][i]);
		}
	for (uint32_t i = 0; i < t->functions; i++)
		heavy[i].weight = t->total[1] ? fabs(share_of_side(s, &heavy[i], 1) -
						     share_of_side(s, &heavy[i], 0)) :
						(double)heavy[i].self[0];
}

static void put_share_cell(const struct sheet *s, double share)
{
	pp_out_text(s->out, "</td><td>");
	pp_put_share(s->out, share);
}

/* The cells of one function, but for its name. */
static void put_heavy(const struct sheet *s, const struct heavy *h)
{
	const struct pp_flame_judgement *const j = pp_judged_of(s->how.judged, PP_FLAME_SELVES, h->frame);

	pp_out_text(s->out, "<tr><td>");
	if (!compares(s)) {
		pp_put_weight(s->out, h->self[0], s->facts->times);
		put_share_cell(s, share_of_side(s, h, 0));
		return;
	}
	pp_put_share(s->out, share_of_side(s, h, 0));
	put_share_cell(s, share_of_side(s, h, 1));
	pp_out_text(s->out, "</td><td>");
	pp_out_text(s->out, !h->self[1] ? "gone" : !h->self[0] ? "new" : "");
	if (j && (!h->self[0] || !h->self[1]))
		pp_out_text(s->out, ", ");
	if (j)
		pp_put_judgement(s->out, j, h->self[0] && h->self[1]);
}

static void put_table_head(const struct sheet *s)
{
	if (compares(s)) {
		pp_out_text(s->out, "<table><tr><th>Before</th><th>After</th><th>Change</th><th>Function</th>"
			    "</tr>\n");
		return;
	}
	pp_out_text(s->out, "<table><tr><th>Self");
	if (!s->facts->times) {       /* which have units */
		pp_out_text(s->out, ", ");
		put_markup(s, pp_noun_of(&s->how));
	}
	pp_out_text(s->out, "</th><th>Share</th><th>Function</th></tr>\n");
}

static int put_table(const struct sheet *s, struct pp_error *error)
{
	enum { SHOWN = 30 };
	const struct pp_page_tree *const t = &s->tree;
	struct heavy *const heavy = calloc((size_t)t->functions + 1, sizeof(*heavy));

	if (!heavy)
		return pp_fail(error, PP_E_NOMEM, NULL);
	weigh_heavy(s, heavy);
	qsort(heavy, t->functions, sizeof(*heavy), heaviest);
	put_table_head(s);
	for (uint32_t i = 0; i < t->functions && i < SHOWN && heavy[i].weight > 0; i++) {
		const struct pp_text *const f = &s->data.profile->frames.items[heavy[i].frame];

		put_heavy(s, &heavy[i]);
		pp_out_text(s->out, "</td><td>");
		pp_write_markup(s->out, f->text, f->length);
		pp_out_text(s->out, "</td></tr>\n");
	}
	pp_out_text(s->out, "</table>\n");
	free(heavy);
	return 0;
}

/* Of a name as markup, at most. */
static size_t name_bytes(const char *name, size_t length)
{
	enum { LONGEST = 2048 };
	const size_t shown = length < LONGEST ? length : LONGEST;
	size_t sum = shown;

	for (size_t i = 0; i < shown; i++)
		if ((unsigned char)name[i] < ' ' || (unsigned char)name[i] > '~' || strchr("&<>\"'", name[i]))
			sum += 5;
	return sum;
}

/* How deep the boxes of a picture may be that are no more than `most` bytes. */
static uint32_t depth_within(const struct pp_layout *l, size_t most, struct pp_error *error)
{
	enum { BOX = 150, LABEL = 90 };       /* bytes of each, without the name */
	size_t *const bytes = calloc((size_t)l->deepest + 1, sizeof(*bytes)), sum = 0;
	struct pp_box b;
	uint32_t depth = 0;

	if (!bytes)
		return pp_fail(error, PP_E_NOMEM, NULL), UINT32_MAX;
	for (bool more = pp_layout_first(l, &b); more; more = pp_layout_next(l, &b)) {
		const size_t name = name_bytes(b.name, b.length);

		/* a label is of 50 letters at most, but of those that are wide */
		bytes[b.depth] += BOX + name + (b.width > 0.02 ? LABEL + name : 0);
	}
	for (sum = bytes[0]; depth < l->deepest && sum + bytes[depth + 1] <= most;)
		sum += bytes[++depth];
	free(bytes);
	return depth;
}

static void put_picture_left_out(const struct sheet *s, uint64_t narrow, uint64_t deep)
{
	if (!narrow && !deep)
		return;
	pp_out_text(s->out, "<p>Left out of the picture: ");
	pp_put_weight(s->out, narrow + deep, false);
	pp_out_text(s->out, narrow + deep == 1 ? " frame, too " : " frames, too ");
	pp_out_text(s->out, narrow && deep ? "narrow or too deep" : narrow ? "narrow" : "deep");
	pp_out_text(s->out, ".</p>\n");
}

/* The picture for where no scripts run: of at most so many boxes, of the widest, and bytes. */
static int put_picture(const struct sheet *s, struct pp_error *error)
{
	enum { BOXES = 1400, BYTES = 200000 };
	struct pp_flame_options fewer = s->how;
	struct pp_layout layout;
	uint32_t depth;

	for (fewer.least = 0.2; ; fewer.least *= 2) {
		if (pp_layout_open(&layout, s->profile, &fewer, error))
			return -1;
		if (layout.n <= BOXES)
			break;
		pp_layout_close(&layout);
	}
	depth = depth_within(&layout, BYTES, error);
	if (depth != UINT32_MAX) {
		layout.deepest = depth;
		put_picture_left_out(s, layout.left_out, pp_write_svg(&layout, &s->how, false, s->out));
	}
	pp_layout_close(&layout);
	return depth == UINT32_MAX ? -1 : 0;
}

/* ---- the page ---- */

static int fill_in(struct sheet *s, const char *what, size_t length, struct pp_error *error)
{
	if (!strncmp(what, "@TITLE@", length))
		put_markup(s, title_of(s));
	else if (!strncmp(what, "@FACTS@", length))
		put_facts(s);
	else if (!strncmp(what, "@ABOUT@", length))
		put_about(s);
	else if (!strncmp(what, "@EVENTS@", length))
		put_others_facts(s);
	else if (!strncmp(what, "@OTHERS@", length))
		put_others_names(s);
	else if (!strncmp(what, "@PICTURE@", length))
		return put_picture(s, error);
	else if (!strncmp(what, "@FUNCTIONS@", length))
		return put_table(s, error);
	else if (!strncmp(what, "@HEAD@", length))
		put_json_head(s);
	else {
		put_data(s);
		for (size_t i = 0; i < s->n_more; i++)
			put_data(&s->more[i]);
	}
	return 0;
}

/* A line of the template: what stands between two @ in it is filled in. */
static int put_line(struct sheet *s, const char *line, struct pp_error *error)
{
	const char *const from = strchrnul(line, '@');
	const char *const to = *from && from[1] >= 'A' && from[1] <= 'Z' ? strchr(from + 1, '@') : NULL;

	pp_out_bytes(s->out, line, to || !*from ? (size_t)(from - line) : strlen(line));
	if (to) {
		if (fill_in(s, from, (size_t)(to + 1 - from), error))
			return -1;
		pp_out_text(s->out, to + 1);
	}
	pp_out_char(s->out, '\n');
	return 0;
}

/* Lines after @ONE@ are of pages that do not compare two sides, lines after @TWO@ of those that do, and lines
 * after @ALL@ of both. */
static int put_page(struct sheet *s, struct pp_error *error)
{
	bool shown = true;

	for (size_t i = 0; page[i]; i++) {
		if (!strcmp(page[i], "@ONE@"))
			shown = !compares(s);
		else if (!strcmp(page[i], "@TWO@"))
			shown = compares(s);
		else if (!strcmp(page[i], "@ALL@"))
			shown = true;
		else if (shown && put_line(s, page[i], error))
			return -1;
	}
	return 0;
}

/* ---- its events ---- */

static uint64_t last_wait_end(const struct pp_timeline *timeline)
{
	const struct pp_timeline_cells all = pp_timeline_all(timeline);
	uint64_t last = 0;

	for (size_t i = 0; i < all.n; i++) {
		const uint64_t begin = (all.from + all.items[i].tick) * pp_timeline_tick(timeline);
		const uint64_t end = pp_tree_sum(begin, pp_timeline_weight(&all.items[i]));

		last = end > last ? end : last;
	}
	return last;
}

/* What begins and ends a side: the cells of all events, of which waits last. */
static void find_axis(struct pp_page_axis *axis, unsigned side, const struct pp_timeline *timeline,
		      bool waits)
{
	const uint64_t tick = timeline ? pp_timeline_tick(timeline) : 0;
	uint64_t from, to;

	if (!timeline || !pp_timeline_ends(timeline, &from, &to))
		return;
	from *= tick;
	to *= tick;
	if (waits)
		to = last_wait_end(timeline);
	axis->from[side] = from < axis->from[side] ? from : axis->from[side];
	axis->to[side] = to > axis->to[side] ? to : axis->to[side];
}

static struct pp_page_axis axis_of(const struct sheet *sheets, size_t n)
{
	struct pp_page_axis axis = { .from = { UINT64_MAX, UINT64_MAX } };

	for (size_t i = 0; i < n; i++) {
		const bool waits = sheets[i].facts->waits && sheets[i].facts->times;

		find_axis(&axis, 0, sheets[i].how.cells, waits);
		find_axis(&axis, 1, sheets[i].how.after, waits);
	}
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		axis.from[side] = axis.from[side] < axis.to[side] ? axis.from[side] : axis.to[side];
	return axis;
}

static size_t cells_of(const struct sheet *s)
{
	return (s->how.cells ? pp_timeline_all(s->how.cells).n : 0) +
	       (s->how.after ? pp_timeline_all(s->how.after).n : 0);
}

/* The one that needs least first: what it does not need of its part of the budget is the others'. */
static int open_data(struct sheet *sheets, size_t n, struct pp_error *error)
{
	struct pp_page_axis axis = axis_of(sheets, n);
	size_t left = BUDGET;

	for (size_t done = 0; done < n; done++) {
		struct sheet *least = NULL;
		size_t taken;

		for (struct sheet *s = sheets; s < sheets + n; s++)
			if (!s->data.tree && (!least || cells_of(s) < cells_of(least)))
				least = s;
		axis.budget = left / (n - done);
		if (pp_page_data_open(&least->data, &least->tree, least->profile, &least->how, &axis, error))
			return -1;
		taken = least->data.packed.size / 3 * 4;
		left -= taken < left ? taken : left;
	}
	return 0;
}

static struct sheet *open_sheets(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out)
{
	struct sheet *const sheets = calloc(how->n_more + 1, sizeof(*sheets));

	for (size_t i = 0; sheets && i <= how->n_more; i++) {
		struct sheet *const s = &sheets[i];

		s->profile = p;
		s->how = *how;
		s->out = out;
		if (i) {
			const struct pp_flame_event *const event = &how->more[i - 1];

			s->profile = event->profile;
			s->how.facts = event->facts;
			s->how.fold = event->fold;
			s->how.cells = event->cells;
			s->how.unit = event->unit;
			s->how.grain = event->grain;
		}
		s->facts = s->how.facts ? s->how.facts : &nothing_known;
	}
	if (sheets) {
		sheets->more = sheets + 1;
		sheets->n_more = how->n_more;
	}
	return sheets;
}

void pp_flame_load(void)
{
	pp_deflater_load();
}

int pp_flame_html(struct pp_profile *p, const struct pp_flame_options *how, struct pp_out *out,
		  struct pp_flame_stats *stats, struct pp_error *error)
{
	const size_t n = how->n_more + 1;
	struct sheet *const sheets = open_sheets(p, how, out);
	int status = sheets ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	for (size_t i = 0; i < n && !status; i++)
		status = pp_page_tree_open(&sheets[i].tree, sheets[i].profile, sheets[i].how.cells, error);
	if (!status)
		status = open_data(sheets, n, error);
	if (!status)
		status = put_page(sheets, error);
	stats->tick = status ? 0 : sheets->data.tick;
	for (size_t i = 0; sheets && i < n; i++) {
		stats->left_out += sheets[i].tree.left_out;
		pp_page_data_close(&sheets[i].data);
		pp_page_tree_close(&sheets[i].tree);
	}
	free(sheets);
	return status;
}
