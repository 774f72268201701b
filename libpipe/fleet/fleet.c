/* fleet.c - writes a recording as the tables of a fleet: samples, stacks, frames, recordings. */
#include <perfpipe/fleet.h>
#include <perfpipe/seal.h>

#include "base/format_number.h"
#include "base/sized_options.h"
#include "exchange/recording.h"
#include "fleet/fleet_ids.h"
#include "fleet/fleet_rows.h"
#include "fleet/fleet_spans.h"
#include "format/field_query.h"
#include "model/task_membership.h"
#include "parquet/parquet.h"
#include "profile/call_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

/* Nodes of an event, which have new numbers. */
struct fleet_nodes {
	uint32_t event;
	uint32_t *places;
	size_t n;
};

/* Of what samples of an event have: 1 + the number in columns of the table; 0: it was not met yet. */
struct fleet_event {
	uint32_t *stacks;             /* by their nodes */
	uint32_t *threads;            /* by their numbers */
	size_t threads_room;
};

/* A block of samples as rows of the table: values, and numbers of values. */
struct fleet_batch {
	int64_t times[FLEET_ROWS], weights[FLEET_ROWS], counts[FLEET_ROWS];
	uint32_t threads[FLEET_ROWS], cpus[FLEET_ROWS], stacks[FLEET_ROWS];
};

enum fleet_table { FRAMES, STACKS, RECORDINGS, SAMPLES, TABLES };

struct pp_fleet {
	XXH3_state_t *hash;           /* of the records, until there is a seal */
	uint64_t seal;
	bool sealed;
	struct fleet_rows rows;
	struct fleet_nodes *nodes;
	size_t n_nodes, nodes_room;
	struct pp_budget budget;      /* of paths; without a limit */
	struct pp_groups *paths;      /* of all control groups */
	uint64_t *groups;             /* those that samples were in */
	size_t n_groups, groups_room;
	struct pp_idmap by_id;        /* which of them */
	/* while it is written: */
	struct pp_export all;
	struct pp_fleet_files files;
	uint64_t id;
	char day[16];
	struct { struct pp_out *out; struct pp_parquet *w; } tables[TABLES];
	struct fleet_ids frames, stacks;
	uint32_t *frame_of;           /* by number of a place: 1 + which of `frames`; 0: not met */
	struct fleet_line { uint32_t *items; size_t n, room; } line, frame;
	uint32_t n_threads;           /* values of columns for threads */
	struct pp_idmap cpus;         /* the number of each in its column; 0: it has none */
	struct fleet_event *events;
	struct fleet_spans spans;     /* what is added up so far */
	struct fleet_batch batch;
	struct pp_buffer text;
	struct pp_error *error;
};

struct pp_fleet *pp_fleet_new(void)
{
	struct pp_fleet *const f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->hash = XXH3_createState();
	f->paths = pp_groups_new(&f->budget);
	if (!f->hash || !f->paths || pp_fleet_rows_open(&f->rows)) {
		XXH3_freeState(f->hash);
		pp_groups_free(f->paths);
		free(f);
		return NULL;
	}
	XXH3_64bits_reset(f->hash);
	return f;
}

void pp_fleet_free(struct pp_fleet *f)
{
	if (!f)
		return;
	XXH3_freeState(f->hash);
	pp_fleet_rows_close(&f->rows);
	for (size_t i = 0; i < f->n_nodes; i++)
		free(f->nodes[i].places);
	free(f->nodes);
	pp_groups_free(f->paths);
	free(f->groups);
	pp_idmap_close(&f->by_id);
	free(f);
}

/* ---- while the stream is read ---- */

static int note_path(struct pp_fleet *f, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_field_query w[] = { { .is = PP_IS_CGROUP }, { .is = PP_IS_PATH } };

	pp_lookup_fields(rec, w, 2);
	if (!w[1].bytes || !pp_groups_add(f->paths, w[0].value, w[1].bytes, w[1].length))
		return 0;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

int pp_fleet_record(struct pp_fleet *f, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;

	if (pp_is_seal(rec, &seal)) {
		f->sealed = true;
		f->seal = seal.xxh3;
	} else if (!f->sealed) {
		(void)XXH3_64bits_update(f->hash, rec->data, rec->size);
	}
	return rec->type == PP_REC_CGROUP ? note_path(f, rec, error) : 0;
}

/* *number: 1 + which it is; 0: there is none.  0, or -1 and *error. */
static int number_group(struct pp_fleet *f, uint64_t id, uint32_t *number, struct pp_error *error)
{
	const uint64_t *const at = pp_idmap_find(&f->by_id, id);

	*number = at ? (uint32_t)*at : 0;
	/* the greatest number is no key, and no id */
	if (at || !id || id == UINT64_MAX)
		return 0;
	if (PP_GROW(&f->groups, &f->groups_room, f->n_groups + 1, error))
		return -1;
	f->groups[f->n_groups++] = id;
	*number = (uint32_t)f->n_groups;
	return pp_idmap_set(&f->by_id, id, *number) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_fleet_sample(struct pp_fleet *f, uint32_t number, const struct pp_folded *folded,
		    struct pp_error *error)
{
	struct fleet_row row = {
		.time = folded->time, .weight = folded->weight, .event = number,
		.thread = folded->thread, .node = folded->node, .cpu = folded->cpu,
	};

	if (number_group(f, folded->cgroup, &row.group, error))
		return -1;
	pp_fleet_block_add(&f->rows.block, &row);
	return f->rows.block.n == FLEET_ROWS ? pp_fleet_rows_end_block(&f->rows, error) : 0;
}

int pp_fleet_settle(struct pp_fleet *f, uint32_t number, const uint32_t *places, size_t n,
		    struct pp_error *error)
{
	struct fleet_nodes nodes = { .event = number, .n = n, .places = malloc((n + 1) * sizeof(*places)) };

	if (!nodes.places || PP_GROW(&f->nodes, &f->nodes_room, f->n_nodes + 1, NULL)) {
		free(nodes.places);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	memcpy(nodes.places, places, n * sizeof(*places));
	f->nodes[f->n_nodes++] = nodes;
	return 0;
}

/* ---- tables ---- */

enum {
	FRAME_ID, FRAME_KIND, FRAME_BUILD_ID, FRAME_DSO, FRAME_OFFSET, FRAME_INLINE, FRAME_FUNC, FRAME_FILE,
	FRAME_LINE, FRAME_COLUMNS
};
enum { STACK_ID, STACK_FRAMES, STACK_COLUMNS };
enum { RECORDING_ID, RECORDING_KEY, RECORDING_VALUE, RECORDING_COLUMNS };
enum {
	SAMPLE_TIME, SAMPLE_EVENT, SAMPLE_WEIGHT, SAMPLE_COUNT, SAMPLE_COMM, SAMPLE_PID, SAMPLE_TID,
	SAMPLE_CPU, SAMPLE_CGROUP, SAMPLE_STACK, SAMPLE_RECORDING, SAMPLE_COLUMNS
};

static const struct pp_parquet_column frame_columns[FRAME_COLUMNS] = {
	[FRAME_ID] = { .name = "frame", .kind = PP_PARQUET_INT64 },
	[FRAME_KIND] = { .name = "kind", .kind = PP_PARQUET_TEXT },
	[FRAME_BUILD_ID] = { .name = "build_id", .kind = PP_PARQUET_TEXT, .optional = true },
	[FRAME_DSO] = { .name = "dso", .kind = PP_PARQUET_TEXT, .optional = true },
	[FRAME_OFFSET] = { .name = "offset", .kind = PP_PARQUET_INT64 },
	[FRAME_INLINE] = { .name = "inline", .kind = PP_PARQUET_INT32 },
	[FRAME_FUNC] = { .name = "func", .kind = PP_PARQUET_TEXT, .optional = true },
	[FRAME_FILE] = { .name = "file", .kind = PP_PARQUET_TEXT, .optional = true },
	[FRAME_LINE] = { .name = "line", .kind = PP_PARQUET_INT32, .optional = true },
};
static const struct pp_parquet_column stack_columns[STACK_COLUMNS] = {
	[STACK_ID] = { .name = "stack", .kind = PP_PARQUET_INT64, .unique = true },
	[STACK_FRAMES] = { .name = "frames", .kind = PP_PARQUET_LIST, .apart = true },
};
static const struct pp_parquet_column recording_columns[RECORDING_COLUMNS] = {
	[RECORDING_ID] = { .name = "recording", .kind = PP_PARQUET_INT64 },
	[RECORDING_KEY] = { .name = "key", .kind = PP_PARQUET_TEXT },
	[RECORDING_VALUE] = { .name = "value", .kind = PP_PARQUET_TEXT },
};
static const struct pp_parquet_column sample_columns[SAMPLE_COLUMNS] = {
	[SAMPLE_TIME] = { .name = "time", .kind = PP_PARQUET_INT64, .sorted = true },
	[SAMPLE_EVENT] = { .name = "event", .kind = PP_PARQUET_TEXT },
	[SAMPLE_WEIGHT] = { .name = "weight", .kind = PP_PARQUET_INT64 },
	[SAMPLE_COUNT] = { .name = "count", .kind = PP_PARQUET_INT64 },
	[SAMPLE_COMM] = { .name = "comm", .kind = PP_PARQUET_TEXT, .optional = true },
	[SAMPLE_PID] = { .name = "pid", .kind = PP_PARQUET_INT32, .optional = true },
	[SAMPLE_TID] = { .name = "tid", .kind = PP_PARQUET_INT32, .optional = true },
	[SAMPLE_CPU] = { .name = "cpu", .kind = PP_PARQUET_INT32, .optional = true },
	[SAMPLE_CGROUP] = { .name = "cgroup", .kind = PP_PARQUET_TEXT, .optional = true },
	[SAMPLE_STACK] = { .name = "stack", .kind = PP_PARQUET_INT64, .apart = true },
	[SAMPLE_RECORDING] = { .name = "recording", .kind = PP_PARQUET_INT64 },
};
static const struct fleet_layout {
	const char *folder;
	const struct pp_parquet_column *columns;
	size_t count;
} layouts[TABLES] = {
	[FRAMES]     = { "frames", frame_columns, FRAME_COLUMNS },
	[STACKS]     = { "stacks", stack_columns, STACK_COLUMNS },
	[RECORDINGS] = { "recordings", recording_columns, RECORDING_COLUMNS },
	[SAMPLES]    = { "samples", sample_columns, SAMPLE_COLUMNS },
};

/* A text of the input as it is shown; nothing where it is not known. */
static int put_clean(struct pp_fleet *f, enum fleet_table table, size_t column, const char *text)
{
	if (!text)
		return 0;
	f->text.size = 0;
	if (pp_clean_text(&f->text, text, f->error))
		return -1;
	pp_parquet_text(f->tables[table].w, column, (const char *)f->text.data, f->text.size);
	return 0;
}

static int end_row(struct pp_fleet *f, enum fleet_table table)
{
	return pp_parquet_row(f->tables[table].w, f->error);
}

/* ---- frames ---- */

static const char *frame_kind(const struct pp_place_file *file)
{
	static const char *const names[] = {
		[PP_NAMES_FILE] = "file", [PP_NAMES_KERNEL] = "kernel", [PP_NAMES_PROCESS] = "process",
	};

	return file ? names[file->kind] : "unknown";
}

/* A function at a place: the physical one, or the n-th that is inlined there, from the outside. */
static int write_frame(struct pp_fleet *f, uint64_t id, const struct pp_code_place *place, int inlined)
{
	struct pp_parquet *const w = f->tables[FRAMES].w;
	const struct pp_place_file *const file = pp_places_file(f->all.places, place->file);
	const char *const kind = frame_kind(file);
	char build_id[2 * sizeof(file->build_id)], *end = build_id;

	if (file && file->build_id_size <= sizeof(file->build_id))
		end = pp_put_hex_bytes(build_id, file->build_id, file->build_id_size);
	pp_parquet_int(w, FRAME_ID, (int64_t)id);
	pp_parquet_text(w, FRAME_KIND, kind, strlen(kind));
	if (end > build_id)
		pp_parquet_text(w, FRAME_BUILD_ID, build_id, (size_t)(end - build_id));
	pp_parquet_int(w, FRAME_OFFSET, (int64_t)place->offset);
	pp_parquet_int(w, FRAME_INLINE, inlined);
	if (place->line && place->line <= INT32_MAX)
		pp_parquet_int(w, FRAME_LINE, place->line);
	return put_clean(f, FRAMES, FRAME_DSO, file ? file->dso : NULL) ||
	       put_clean(f, FRAMES, FRAME_FUNC, place->function) ||
	       put_clean(f, FRAMES, FRAME_FILE, place->source) ? -1 : end_row(f, FRAMES);
}

static int add_to_line(struct fleet_line *line, uint32_t number, struct pp_error *error)
{
	if (PP_GROW(&line->items, &line->room, line->n + 1, error))
		return -1;
	line->items[line->n++] = number;
	return 0;
}

/* The places of a frame, the innermost first: the last one is physical. */
static int write_places(struct pp_fleet *f, uint64_t id, const struct fleet_line *frame)
{
	for (size_t i = frame->n; i; i--) {
		struct pp_code_place place;

		pp_places_at(f->all.places, frame->items[i - 1], &place);
		if (write_frame(f, id, &place, (int)(frame->n - i)))
			return -1;
	}
	return 0;
}

/* The frame of a place that was not met before, with what is inlined there.  0, or -1 and *error. */
static int new_frame(struct pp_fleet *f, uint32_t number)
{
	struct pp_code_place place;
	uint32_t known;
	int got;

	pp_places_at(f->all.places, number, &place);
	f->frame.n = 0;
	for (uint32_t at = place.inner ? place.inner : number; at; at = place.into) {
		pp_places_at(f->all.places, at, &place);
		if (add_to_line(&f->frame, at, f->error))
			return -1;
	}
	got = pp_fleet_frame_id(&f->frames, f->all.places, &place, f->all.facts->host, &known, f->error);
	if (got < 0)
		return -1;
	f->frame_of[number] = known + 1;
	if (!got)
		return 0;
	(void)pp_parquet_add_int(f->tables[STACKS].w, STACK_FRAMES, (int64_t)f->frames.items[known].id);
	return write_places(f, f->frames.items[known].id, &f->frame);
}

/* ---- stacks ---- */

/* The frames from a node to the outermost, by their numbers: the outermost is last.  0, or -1 and *error. */
static int take_frames(struct pp_fleet *f, const struct pp_export_event *event, uint32_t node)
{
	const struct pp_profile *const p = event->profile;
	uint32_t thread, cpu;

	f->line.n = 0;
	for (; node != PP_PROFILE_ROOT; node = p->nodes[node].parent) {
		const unsigned kind = pp_tree_text(p, node)->kind;
		const uint32_t number = pp_fold_place(event->fold, kind, &thread, &cpu);

		if (number && ((!f->frame_of[number] && new_frame(f, number)) ||
			       add_to_line(&f->line, f->frame_of[number] - 1, f->error)))
			return -1;
	}
	return 0;
}

/* So that the outermost frame is first. */
static void turn_line(struct fleet_line *line)
{
	for (size_t i = 0; i < line->n / 2; i++) {
		const uint32_t number = line->items[i];

		line->items[i] = line->items[line->n - 1 - i];
		line->items[line->n - 1 - i] = number;
	}
}

/* The number of the stack whose innermost frame is a node.  0, or -1 and *error. */
static int meet_stack(struct pp_fleet *f, const struct pp_export_event *event, uint32_t node,
		      uint32_t *number)
{
	struct pp_parquet *const w = f->tables[STACKS].w;
	int64_t id;
	int got;

	if (take_frames(f, event, node))
		return -1;
	turn_line(&f->line);
	got = pp_fleet_stack_id(&f->stacks, &f->frames, f->line.items, f->line.n, number, f->error);
	if (got <= 0)
		return got;
	id = (int64_t)f->stacks.items[*number].id;
	(void)pp_parquet_add_int(f->tables[SAMPLES].w, SAMPLE_STACK, id);
	pp_parquet_int(w, STACK_ID, id);
	pp_parquet_items(w, STACK_FRAMES, f->line.items, f->line.n);
	return end_row(f, STACKS);
}

/* The number of a CPU in its column.  0, or -1 and *error. */
static int meet_cpu(struct pp_fleet *f, uint32_t cpu, uint32_t *number)
{
	const uint64_t *const known = pp_idmap_find(&f->cpus, cpu);

	*number = (uint32_t)(known ? *known : f->cpus.count + 1);
	if (cpu > INT32_MAX)
		*number = 0;
	if (known || cpu > INT32_MAX)
		return 0;
	(void)pp_parquet_add_int(f->tables[SAMPLES].w, SAMPLE_CPU, cpu);
	return pp_idmap_set(&f->cpus, cpu, *number) ? pp_fail(f->error, PP_E_NOMEM, NULL) : 0;
}

/* A node of an event where a stack ends, for the first time.  0, or -1 and *error. */
static int meet_node(struct pp_fleet *f, uint32_t event, uint32_t node)
{
	uint32_t number;

	if (meet_stack(f, &f->all.events[event], node, &number))
		return -1;
	f->events[event].stacks[node] = number + 1;
	return 0;
}

/* ---- samples ---- */

/* Of the clock of the wall, if that is known. */
static uint64_t wall_time(const struct pp_fleet *f, uint64_t time)
{
	const struct pp_flame_facts *const facts = f->all.facts;

	return facts->start && time ? time - facts->first + facts->start : time;
}

/* A text of the input as a value of a column of samples; or NULL. */
static int add_clean(struct pp_fleet *f, size_t column, const char *text)
{
	struct pp_parquet *const w = f->tables[SAMPLES].w;

	f->text.size = 0;
	if (text && pp_clean_text(&f->text, text, f->error))
		return -1;
	(void)(text ? pp_parquet_add_text(w, column, (const char *)f->text.data, f->text.size) :
		      pp_parquet_add_none(w, column));
	return 0;
}

static int meet_thread(struct pp_fleet *f, size_t event, uint32_t thread, uint32_t *number)
{
	struct pp_parquet *const w = f->tables[SAMPLES].w;
	uint32_t pid = 0, tid = 0;
	const char *const comm = pp_fold_thread(f->all.events[event].fold, thread, &pid, &tid);

	if (add_clean(f, SAMPLE_COMM, comm))
		return -1;
	(void)(comm ? pp_parquet_add_int(w, SAMPLE_PID, (int32_t)pid) : pp_parquet_add_none(w, SAMPLE_PID));
	(void)(comm ? pp_parquet_add_int(w, SAMPLE_TID, (int32_t)tid) : pp_parquet_add_none(w, SAMPLE_TID));
	*number = ++f->n_threads;
	return 0;
}

/* What is known of all samples before the first: their events, their control groups (0: none), and
 * the recording. */
static int add_values(struct pp_fleet *f)
{
	for (size_t i = 0; i < f->all.n_events; i++)
		if (add_clean(f, SAMPLE_EVENT, f->all.events[i].name ? f->all.events[i].name : ""))
			return -1;
	(void)pp_parquet_add_none(f->tables[SAMPLES].w, SAMPLE_CPU);
	(void)pp_parquet_add_none(f->tables[SAMPLES].w, SAMPLE_CGROUP);
	for (size_t i = 0; i < f->n_groups; i++)
		if (add_clean(f, SAMPLE_CGROUP, pp_groups_path(f->paths, f->groups[i])))
			return -1;
	(void)pp_parquet_add_int(f->tables[SAMPLES].w, SAMPLE_RECORDING, (int64_t)f->id);
	return 0;
}

/* Fills in the numbers of what samples have.  0, or -1 and *error. */
static int number_samples(struct pp_fleet *f, const struct fleet_block *b)
{
	struct fleet_batch *const to = &f->batch;
	uint32_t cpu = UINT32_MAX, cpu_number = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct fleet_event *const event = &f->events[b->events[i]];
		const uint32_t node = b->nodes[i], thread = b->threads[i];

		if ((!event->stacks[node] && meet_node(f, b->events[i], node)) ||
		    PP_GROW_ZEROED(&event->threads, &event->threads_room, (size_t)thread + 1, f->error) ||
		    (!event->threads[thread] &&
		     meet_thread(f, b->events[i], thread, &event->threads[thread])) ||
		    (b->cpus[i] != cpu && meet_cpu(f, cpu = b->cpus[i], &cpu_number)))
			return -1;
		to->stacks[i] = event->stacks[node] - 1;
		to->threads[i] = event->threads[thread] - 1;
		to->cpus[i] = cpu_number;
	}
	return 0;
}

/* Samples that settle_block() made.  `counts`: how many samples each row stands for; NULL: one. */
static int write_block(struct pp_fleet *f, const struct fleet_block *b, const int64_t *counts)
{
	static const uint32_t zeros[FLEET_ROWS];
	struct pp_parquet *const w = f->tables[SAMPLES].w;
	struct fleet_batch *const to = &f->batch;

	if (!b->n)
		return 0;
	if (number_samples(f, b))
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		to->times[i] = (int64_t)b->times[i];
		to->weights[i] = b->weights[i] > INT64_MAX ? INT64_MAX : (int64_t)b->weights[i];
		to->counts[i] = counts ? counts[i] : 1;
	}
	pp_parquet_ints(w, SAMPLE_TIME, to->times, b->n);
	pp_parquet_picks(w, SAMPLE_EVENT, b->events, b->n);
	pp_parquet_ints(w, SAMPLE_WEIGHT, to->weights, b->n);
	pp_parquet_ints(w, SAMPLE_COUNT, to->counts, b->n);
	pp_parquet_picks(w, SAMPLE_COMM, to->threads, b->n);
	pp_parquet_picks(w, SAMPLE_PID, to->threads, b->n);
	pp_parquet_picks(w, SAMPLE_TID, to->threads, b->n);
	pp_parquet_picks(w, SAMPLE_CPU, to->cpus, b->n);
	pp_parquet_picks(w, SAMPLE_CGROUP, b->groups, b->n);
	pp_parquet_picks(w, SAMPLE_STACK, to->stacks, b->n);
	pp_parquet_picks(w, SAMPLE_RECORDING, zeros, b->n);
	return pp_parquet_rows_end(w, b->n, f->error);
}

/* What a node has become since a sample was noted there. */
static uint32_t node_now(const struct pp_fleet *f, uint32_t event, uint32_t node)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		if (f->nodes[i].event == event && node < f->nodes[i].n)
			node = f->nodes[i].places[node];
	return node;
}

static int write_sums(struct pp_fleet *f, struct fleet_block *b)
{
	int64_t counts[FLEET_ROWS];

	pp_fleet_spans_sort(&f->spans);
	b->n = 0;
	for (size_t i = 0; i < f->spans.n; i++) {
		counts[b->n] = (int64_t)f->spans.sums[i].count;
		pp_fleet_block_add(b, &f->spans.sums[i].of);
		if (b->n < FLEET_ROWS && i + 1 < f->spans.n)
			continue;
		if (write_block(f, b, counts))
			return -1;
		b->n = 0;
	}
	pp_fleet_spans_clear(&f->spans);
	return 0;
}

/* Adds each sample of a block to its span. */
static int add_to_spans(struct pp_fleet *f, const struct fleet_block *b, struct fleet_block *sums)
{
	for (size_t i = 0; i < b->n; i++) {
		struct fleet_row row = pp_fleet_block_row(b, i);

		row.time -= row.time % f->all.every;
		if (pp_fleet_spans_add(&f->spans, &row, f->error) ||
		    (pp_fleet_spans_full(&f->spans) && write_sums(f, sums)))
			return -1;
	}
	return 0;
}

/* Which of the events that are written has a number; n_events: none. */
static uint32_t event_of(const struct pp_fleet *f, uint32_t number)
{
	uint32_t event = 0;

	while (event < f->all.n_events && f->all.events[event].number != number)
		event++;
	return event;
}

/* Gives samples their events' numbers, their nodes and their times of the wall; those of events that are not
 * written are left out. */
static void settle_block(const struct pp_fleet *f, struct fleet_block *b)
{
	uint32_t number = b->events[0], event = event_of(f, number);
	const size_t n = b->n;

	b->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct fleet_row row = pp_fleet_block_row(b, i);

		if (row.event != number)
			event = event_of(f, number = row.event);
		if (event == f->all.n_events)
			continue;
		row.event = event;
		row.node = f->n_nodes ? node_now(f, number, row.node) : row.node;
		row.time = wall_time(f, row.time);
		pp_fleet_block_add(b, &row);
	}
}

static int write_samples(struct pp_fleet *f)
{
	struct fleet_block *const b = &f->rows.block, sums;
	int status = pp_fleet_rows_end_block(&f->rows, f->error);

	for (size_t i = 0; i < f->rows.n && !status; i++) {
		status = pp_fleet_rows_read(&f->rows, i, b, f->error);
		if (status)
			break;
		settle_block(f, b);
		status = f->all.every ? add_to_spans(f, b, &sums) : write_block(f, b, NULL);
	}
	return status || write_sums(f, &sums) ? -1 : 0;
}

/* ---- what is said of the recording ---- */

/* In the table, and in each of the files. */
static int write_fact(void *arg, const char *key, const char *value, struct pp_error *error)
{
	struct pp_fleet *const f = arg;
	struct pp_parquet *const w = f->tables[RECORDINGS].w;
	const char *const equals = strcmp(key, "note") ? NULL : strchr(value, '=');
	const char *const text = equals ? equals + 1 : value;

	for (unsigned i = 0; i < TABLES; i++)
		if (pp_parquet_metadata(f->tables[i].w, key, value, strlen(value), error))
			return -1;
	pp_parquet_int(w, RECORDING_ID, (int64_t)f->id);
	if (equals)
		pp_parquet_text(w, RECORDING_KEY, value, (size_t)(equals - value));
	else
		pp_parquet_text(w, RECORDING_KEY, key, strlen(key));
	pp_parquet_text(w, RECORDING_VALUE, text, strlen(text));
	return pp_parquet_row(w, error);
}

static int write_number(struct pp_fleet *f, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return number ? write_fact(f, key, text, f->error) : 0;
}

static int write_recording(struct pp_fleet *f)
{
	static const char schema[] = "fleet/1";

	for (unsigned i = 0; i < TABLES; i++)
		if (pp_parquet_metadata(f->tables[i].w, "perfpipe.schema", schema, strlen(schema), f->error))
			return -1;
	if (pp_recording_about(&f->all, write_fact, f, f->error) ||
	    write_number(f, "start", f->all.facts->start) || write_number(f, "duration", f->all.duration) ||
	    write_number(f, "every", f->all.every))
		return -1;
	for (size_t i = 0; i < f->all.n_events; i++) {
		char key[300];

		snprintf(key, sizeof(key), "unit %.256s", f->all.events[i].name ? f->all.events[i].name : "");
		if (write_fact(f, key, f->all.events[i].times ? "ns" : "count", f->error))
			return -1;
	}
	return 0;
}

/* ---- files ---- */

/* The host as part of a path: what has a meaning there is %XX, as in addresses of the web. */
static void host_part(char *to, size_t room, const char *host)
{
	static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t used = 0;

	for (; *host && used + 4 < room; host++) {
		if (strchr(fine, *host) && (used || *host != '.'))
			to[used++] = *host;
		else
			used += (size_t)snprintf(to + used, room - used, "%%%02X", (unsigned char)*host);
	}
	to[used] = 0;
}

static void day_part(char *to, size_t room, uint64_t start)
{
	const time_t seconds = (time_t)(start / 1000000000);
	struct tm tm;

	snprintf(to, room, "unknown");
	if (start && gmtime_r(&seconds, &tm))
		(void)strftime(to, room, "%Y-%m-%d", &tm);
}

static int open_table(struct pp_fleet *f, enum fleet_table table)
{
	const struct fleet_layout *const layout = &layouts[table];
	char host[400] = "unknown", path[600];

	if (f->all.facts->host)
		host_part(host, sizeof(host), f->all.facts->host);
	snprintf(path, sizeof(path), "%s/day=%s/%s%s%s%016" PRIx64 ".parquet", layout->folder, f->day,
		 table == SAMPLES ? "host=" : "", table == SAMPLES ? host : "", table == SAMPLES ? "/" : "",
		 f->id);
	if (f->files.open(f->files.arg, path, &f->tables[table].out, f->error))
		return -1;
	f->tables[table].w = pp_parquet_open(f->tables[table].out, layout->columns, layout->count, NULL,
					     f->error);
	return f->tables[table].w ? 0 : -1;
}

static int close_tables(struct pp_fleet *f)
{
	for (unsigned i = 0; i < TABLES; i++)
		if (pp_parquet_finish(f->tables[i].w, f->error) ||
		    f->files.close(f->files.arg, f->tables[i].out, f->error))
			return -1;
	return 0;
}

static int write_tables(struct pp_fleet *f)
{
	f->frame_of = calloc((size_t)pp_places_count(f->all.places) + 1, sizeof(*f->frame_of));
	f->events = calloc(f->all.n_events + 1, sizeof(*f->events));
	if (!f->frame_of || !f->events)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < f->all.n_events; i++) {
		const size_t nodes = pp_profile_nodes(f->all.events[i].profile);

		f->events[i].stacks = calloc(nodes, sizeof(*f->events[i].stacks));
		if (!f->events[i].stacks)
			return pp_fail(f->error, PP_E_NOMEM, NULL);
	}
	for (unsigned i = 0; i < TABLES; i++)
		if (open_table(f, i))
			return -1;
	return write_recording(f) || add_values(f) || write_samples(f) || close_tables(f) ? -1 : 0;
}

/* What they were made with. */
static void free_tables(struct pp_fleet *f)
{
	pp_fleet_ids_close(&f->frames);
	pp_fleet_ids_close(&f->stacks);
	free(f->frame_of);
	free(f->line.items);
	free(f->frame.items);
	pp_idmap_close(&f->cpus);
	for (size_t i = 0; f->events && i < f->all.n_events; i++) {
		free(f->events[i].stacks);
		free(f->events[i].threads);
	}
	free(f->events);
	pp_fleet_spans_close(&f->spans);
	pp_buffer_free(&f->text);
}

int pp_fleet_write(struct pp_fleet *f, const struct pp_export *all, const struct pp_fleet_files *files,
		   struct pp_error *error)
{
	int status;

	if (pp_options_take(&f->all, sizeof(f->all), all, error) ||
	    pp_options_take(&f->files, sizeof(f->files), files, error))
		return -1;
	f->error = error;
	f->id = f->sealed ? f->seal : XXH3_64bits_digest(f->hash);
	day_part(f->day, sizeof(f->day), f->all.facts->start);
	status = write_tables(f);
	for (unsigned i = 0; i < TABLES; i++)
		pp_parquet_free(f->tables[i].w);
	free_tables(f);
	return status;
}
