/* script.c - records in, perf script's text out: what is printed of each event, and of which record. */
#include "script/script.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sized_options.h"
#include "format/note.h"

enum { FRAMES_MOST = 127 };

/* ---- what is printed of an event ---- */

static bool is_bpf_output(const struct pp_attr *attr)
{
	enum { COUNT_SW_BPF_OUTPUT = 10 };

	return attr->type == PP_TYPE_SOFTWARE && attr->config == COUNT_SW_BPF_OUTPUT;
}

/* An event that has no samples, only other records. */
static bool is_dummy(const struct pp_attr *attr)
{
	enum { COUNT_SW_DUMMY = 9 };

	return attr->type == PP_TYPE_SOFTWARE && attr->config == COUNT_SW_DUMMY;
}

static void plan(struct pp_script *s, struct event *e, const struct pp_attr *attr)
{
	const unsigned type = pp_script_type(attr);
	uint64_t fields = s->fields[type];

	*e = (struct event){ .attr = attr, .frames = !s->bare[type] };
	e->chain = !s->how.no_chain && pp_attr_has_chain(attr);
	if (!is_bpf_output(attr) || pp_attr_is_off_cpu(attr))
		fields &= ~FIELD(BPF_OUTPUT);
	if (s->how.like == PP_SCRIPT_6_1)
		fields &= ~FIELD(RETIRE_LAT); /* which it does not know */
	/* of the forms of branches one is printed */
	if (fields & FIELD(BRSTACK))
		fields &= ~FIELD(BRSTACKSYM);
	if (fields & (FIELD(BRSTACK) | FIELD(BRSTACKSYM)))
		fields &= ~FIELD(BRSTACKOFF);
	e->fields = fields;
	for (unsigned i = 0; i < FIELDS; i++) {
		if (!(fields >> i & 1) || !pp_script_rows[i].print)
			continue;
		e->print[e->n_print++] = pp_script_rows[i].print;
		e->rest |= pp_script_rows[i].rest;
	}
}

/* To choose by CPU, all samples have to have one. */
static int check_cpus(const struct pp_script *s, const struct pp_attrs *attrs, struct pp_error *error)
{
	for (size_t i = 0; s->how.shows_cpu && i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(attrs, i);

		if (!(attr->sample_type & PP_SAMPLE_CPU) && attr->sample_type && !is_dummy(attr))
			return pp_fail(error, PP_E_USE, "samples do not have a CPU to choose them by");
	}
	return 0;
}

static const struct event *event_of(struct pp_script *s, const struct pp_attrs *attrs,
				    const struct pp_attr *attr, struct pp_error *error)
{
	if (!s->checked) {
		if (pp_script_check(s, s->fields, s->bare, attrs, error) || check_cpus(s, attrs, error))
			return NULL;
		s->checked = true;
	}
	if (attr->index >= s->n_events) {
		if (PP_GROW_ZEROED(&s->events, &s->room, attr->index + 1, error))
			return NULL;
		s->n_events = s->room;
	}
	if (s->events[attr->index].attr != attr)
		plan(s, &s->events[attr->index], attr);
	return &s->events[attr->index];
}

/* ---- records ---- */

/* What a record says of itself, and what perf takes where it does not. */
static void fill(struct line *l, const struct pp_record *rec)
{
	l->pid = l->tid = l->cpu = UINT32_MAX;
	l->time = UINT64_MAX;
	l->period = l->ip = l->addr = 0;
	(void)pp_task(rec, &l->pid, &l->tid);
	(void)pp_cpu(rec, &l->cpu);
	(void)pp_time_raw(rec, &l->time);
	(void)pp_sample_period(rec, &l->period);
	(void)pp_ip(rec, &l->ip);
	(void)pp_addr(rec, &l->addr);
}

/* What is before the first row: a table has the columns of all events that samples may be of. */
static int head(struct pp_script *s, const struct pp_attrs *attrs, struct pp_out *out, struct pp_error *error)
{
	if (s->headed || !s->cells)
		return 0;
	for (size_t i = 0; attrs && i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(attrs, i);
		const struct event *const e = event_of(s, attrs, attr, error);

		if (!e)
			return -1;
		if (is_dummy(attr))
			continue;
		s->cells->fields |= e->fields;
		s->cells->chain = s->cells->chain || (e->chain && e->fields & PLACE);
	}
	s->headed = true;
	pp_cells_head(s, out);
	return 0;
}

/* On a CPU that is not shown. */
static bool is_elsewhere(const struct pp_script *s, const struct pp_record *rec)
{
	uint32_t cpu;

	return s->how.shows_cpu && pp_cpu(rec, &cpu) && !s->how.shows_cpu(s->how.arg, cpu);
}

/* As a sample of that event. */
static int print_as(struct line *l, const struct pp_attr *attr)
{
	/* the head asks for other events, and they may move for it */
	if (head(l->script, l->rec->attrs, l->out, l->error))
		return -1;
	l->event = event_of(l->script, l->rec->attrs, attr, l->error);
	if (!l->event)
		return -1;
	if (!l->script->fields[pp_script_type(attr)] || is_elsewhere(l->script, l->rec))
		return 0;
	if (l->event->rest)
		pp_details(&l->details, l->rec);
	if (l->script->cells) {
		pp_cells_row(l);
		return l->failed;
	}
	for (unsigned i = 0; i < l->event->n_print; i++)
		l->event->print[i](l);
	pp_out_char(l->out, '\n');
	return l->failed;
}

/* As one of each event of which something was counted. */
static int print_group(struct line *l)
{
	struct pp_group_deltas_walk events;
	int got;

	pp_group_deltas_open(&events, &l->script->since, l->rec);
	while ((got = pp_group_deltas_next(&events, l->error)) > 0) {
		l->period = events.period;
		if (print_as(l, events.attr))
			return -1;
	}
	return got;
}

static int print_sample(struct pp_script *s, const struct pp_record *rec, struct pp_out *out,
			struct pp_error *error)
{
	struct line l = { .script = s, .out = out, .rec = rec, .error = error };

	fill(&l, rec);
	return pp_group_deltas_is_for(rec->attr) ? print_group(&l) : print_as(&l, rec->attr);
}

/* A record that is no sample, if it is asked for. */
static int show_other(struct pp_script *s, const struct pp_record *rec, struct pp_out *out,
		      struct pp_error *error)
{
	struct line l = { .script = s, .out = out, .rec = rec, .error = error };
	const struct pp_attr *attr = rec->attr;

	if (!pp_script_shows(s, rec->type) || is_elsewhere(s, rec))
		return 0;
	if (s->cells && s->cells->csv)
		return 0;
	if (s->cells)
		return head(s, rec->attrs, out, error) ? -1 : pp_print_json(out, rec, error);
	if (!attr && rec->attrs && pp_attrs_count(rec->attrs))
		attr = pp_attrs_at(rec->attrs, 0);
	l.event = attr && rec->type < PP_USER_TYPES ? event_of(s, rec->attrs, attr, error) : NULL;
	if (l.event)
		fill(&l, rec);
	else if (attr && rec->type < PP_USER_TYPES)
		return -1;
	pp_print_other(&l);
	return l.failed;
}

/* perf forgets the name of a thread that ended, but for 6.1. */
static int note_end(struct pp_script *s, const struct pp_record *rec, struct pp_error *error)
{
	const bool ends = rec->type == PP_REC_EXIT;
	uint64_t tid, *at;

	if (s->how.like == PP_SCRIPT_6_1 || !pp_type_is(rec->type, PP_TASK) ||
	    !pp_find_u64(rec, PP_IS_TID, &tid))
		return 0;
	at = pp_idmap_find(&s->ended, (uint32_t)tid);
	if (at)
		*at = ends;
	else if (ends && pp_idmap_set(&s->ended, (uint32_t)tid, 1))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

int pp_script_note(struct pp_script *s, const struct pp_record *rec, struct pp_out *out,
		   struct pp_error *error)
{
	uint64_t clock;

	if (rec->type == PP_REC_SAMPLE)
		return rec->attr ? print_sample(s, rec, out, error) : 0;
	/* perf shows who ends while he still has his name, and all others after they are taken */
	if (rec->type == PP_REC_EXIT && show_other(s, rec, out, error))
		return -1;
	if (s->unwound_only && pp_is_note(rec) && pp_notes_unwound(rec))
		s->how.no_inline = s->unwound_only = false;
	if (pp_tasks_note(s->tasks, rec, error) || pp_symbols_note(s->symbols, rec, error))
		return -1;
	s->has_wall_clock |= pp_clock_data(rec, &clock, &s->to_wall_clock);
	pp_script_frames_note(s->frames, rec);
	if (note_end(s, rec, error))
		return -1;
	return rec->type == PP_REC_EXIT ? 0 : show_other(s, rec, out, error);
}

void pp_script_note_early(struct pp_script *s, const struct pp_record *rec, struct pp_out *out)
{
	struct line l = { .script = s, .out = out, .rec = rec };

	if (rec->type == PP_REC_AUXTRACE_ERROR && !s->cells)
		pp_print_aux_error(&l);
}

struct pp_script *pp_script_new(const struct pp_script_options *options, struct pp_tasks *tasks,
				struct pp_symbols *symbols, struct pp_error *error)
{
	struct pp_script_options taken;
	struct pp_script *s;

	if (pp_options_take(&taken, sizeof(taken), options, error))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s) {
		s->how = taken;
		s->since.together = taken.like == PP_SCRIPT_6_1;
		s->unwound_only = taken.like == PP_SCRIPT_6_1 && !taken.no_inline;
		s->how.no_inline |= s->unwound_only;
		if (!s->how.most_frames)
			s->how.most_frames = FRAMES_MOST;
		pp_script_defaults(&s->how.fields);
		s->tasks = tasks;
		s->symbols = symbols;
		s->frames = pp_script_frames_new(s);
		s->traces = pp_trace_texts_new(taken.of_file ? symbols : NULL);
		s->cells = taken.form ? pp_cells_new(pp_script_rows, taken.form == PP_SCRIPT_CSV) :
				       NULL;
	}
	if (s && s->frames && s->traces && (s->cells || !taken.form))
		return s;
	pp_script_free(s);
	(void)pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

int pp_script_end(struct pp_script *s, const struct pp_attrs *attrs, struct pp_out *out,
		  struct pp_error *error)
{
	return head(s, attrs, out, error);
}

void pp_script_watch(struct pp_script *s, struct pp_reader *in)
{
	pp_trace_texts_watch(s->traces, in);
}

const char *pp_script_trace_lack(const struct pp_script *s)
{
	return pp_trace_texts_lack(s->traces);
}

void pp_script_free(struct pp_script *s)
{
	if (!s)
		return;
	pp_script_frames_free(s->frames);
	pp_trace_texts_free(s->traces);
	pp_cells_free(s->cells);
	pp_idmap_close(&s->ended);
	pp_group_deltas_close(&s->since);
	free(s->events);
	free(s);
}
