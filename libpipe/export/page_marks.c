/* page_marks.c - what happened in a recording besides samples, as a page has it. */
#include "export/flame_layout.h"
#include "export/page.h"

#include <string.h>

static const char *const kinds[PP_FLAME_MARKS] = {
	[PP_FLAME_LOST] = "lost", [PP_FLAME_THROTTLED] = "throttled", [PP_FLAME_NOTE] = "note",
};

static void put_mark_text(struct pp_json *json, const char *text)
{
	pp_json_key(json, NULL);
	pp_write_json(json->out, text, strlen(text));
	json->more = true;
}

/* Before the first sample there is no time in a page. */
static uint64_t since(uint64_t time, uint64_t begin)
{
	return time > begin ? time - begin : 0;
}

void pp_put_marks(struct pp_json *json, const struct pp_flame_facts *facts, uint64_t begin)
{
	pp_json_open(json, "marks", '[');
	for (size_t i = 0; i < facts->n_marks; i++) {
		const struct pp_flame_mark *const mark = &facts->marks[i];

		pp_json_open(json, NULL, '[');
		put_mark_text(json, kinds[mark->kind]);
		pp_json_number(json, NULL, since(mark->from, begin));
		pp_json_number(json, NULL, since(mark->to, begin));
		if (mark->text)
			put_mark_text(json, mark->text);
		else
			pp_json_number(json, NULL, mark->number);
		pp_json_close(json, ']');
	}
	pp_json_close(json, ']');
}

void pp_put_notes(struct pp_out *out, const struct pp_flame_facts *facts)
{
	if (!facts->n_notes && !facts->notes_left_out)
		return;
	pp_out_text(out, "<dt>Notes</dt><dd>");
	for (size_t i = 0; i < facts->n_notes; i++) {
		pp_out_text(out, i ? ", " : "");
		pp_write_markup(out, facts->notes[i], strlen(facts->notes[i]));
	}
	if (facts->notes_left_out) {
		pp_out_text(out, facts->n_notes ? ", and " : "");
		pp_put_weight(out, facts->notes_left_out, false);
		pp_out_text(out, " more that are not shown");
	}
	pp_out_text(out, "</dd>\n");
}
