/* fleet.c - writes a recording as the tables of a fleet: samples, stacks, frames, recordings. */
#include <perfpipe/fleet.h>
#include <perfpipe/seal.h>

#include "base/format_number.h"
#include "base/sized_options.h"
#include "base/spool.h"
#include "exchange/recording.h"
#include "fleet/fleet_ids.h"
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

enum {
	ROOM = 256 * 1024,            /* of the spool's buffer */
	ROWS = 1024,                  /* that are read back at once */
};

/* Nodes of an event, which have new numbers. */
struct fleet_nodes {
	uint32_t event;
	uint32_t *places;
	size_t n;
};

/* What a node's stack is, and who had it where. */
struct fleet_stack {
	uint64_t id;
	uint32_t thread, cpu;
};

/* A text of all samples of a thread, or of an event, as it is shown. */
struct fleet_text { size_t at, length; };

/* What samples of a thread have. */
struct fleet_thread {
	bool known, named;
	uint32_t pid, tid;
	struct fleet_text comm;
};

/* A control group that samples were in. */
struct fleet_group {
	uint64_t id;
	bool known, named;
	struct fleet_text path;
};

/* What samples of an event have. */
struct fleet_event {
	struct pp_idmap by_node;      /* which of the stacks that were met ends in a node */
	struct fleet_thread *threads; /* by their numbers */
	size_t threads_room;
	struct fleet_text name;
};

enum fleet_table { FRAMES, STACKS, RECORDINGS, SAMPLES, TABLES };

struct pp_fleet {
	XXH3_state_t *hash;           /* of the records, until there is a seal */
	uint64_t seal;
	bool sealed;
	struct pp_spool rows;
	struct fleet_nodes *nodes;
	size_t n_nodes, nodes_room;
	struct pp_budget budget;      /* of paths; without a limit */
	struct pp_groups *paths;      /* of all control groups */
	struct fleet_group *groups;
	size_t n_groups, groups_room;
	struct pp_idmap by_id;        /* which of them */
	/* while it is written: */
	struct pp_export all;
	struct pp_fleet_files files;
	uint64_t id;
	char day[16];
	struct { struct pp_out *out; struct pp_parquet *w; } tables[TABLES];
	struct fleet_ids frames, stacks;
	uint64_t *frame_of;           /* the number of the frame that a place is in; 0: not looked at */
	struct fleet_stack *known;    /* stacks that were met, */
	size_t n_known, known_room;
	struct fleet_event *events;
	struct fleet_spans spans;     /* what is added up so far */
	struct pp_buffer said;        /* their texts */
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
	if (!f->hash || !f->paths || pp_spool_open(&f->rows, ROOM)) {
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
	pp_spool_close(&f->rows);
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
	f->groups[f->n_groups++] = (struct fleet_group){ .id = id };
	*number = (uint32_t)f->n_groups;
	return pp_idmap_set(&f->by_id, id, *number) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_fleet_sample(struct pp_fleet *f, uint32_t number, const struct pp_folded *folded,
		    struct pp_error *error)
{
	struct fleet_row row = {
		.time = folded->time, .weight = folded->weight, .event = number,
		.thread = folded->thread, .node = folded->node,
	};

	return number_group(f, folded->cgroup, &row.group, error) ||
	       pp_spool_write(&f->rows, &row, sizeof(row), error) ? -1 : 0;
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
	[STACK_ID] = { .name = "stack", .kind = PP_PARQUET_INT64 },
	[STACK_FRAMES] = { .name = "frames", .kind = PP_PARQUET_LIST },
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
	[SAMPLE_STACK] = { .name = "stack", .kind = PP_PARQUET_INT64 },
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

/* The places of a frame, n of them, the innermost first: the last one is physical. */
static int write_places(struct pp_fleet *f, uint64_t id, const uint32_t *places, size_t n)
{
	for (size_t i = n; i; i--) {
		struct pp_code_place place;

		pp_places_at(f->all.places, places[i - 1], &place);
		if (write_frame(f, id, &place, (int)(n - i)))
			return -1;
	}
	return 0;
}

static int frame_id(struct pp_fleet *f, const uint32_t *places, size_t n, uint64_t *id)
{
	struct pp_code_place physical;
	int got;

	*id = f->frame_of[places[0]];
	if (*id)
		return 0;
	pp_places_at(f->all.places, places[n - 1], &physical);
	got = pp_fleet_frame_id(&f->frames, f->all.places, &physical, f->all.facts->host, id, f->error);
	if (got < 0)
		return -1;
	f->frame_of[places[0]] = *id;
	return got ? write_places(f, *id, places, n) : 0;
}

/* ---- stacks ---- */

/* How many of the places from i on are one frame. */
static size_t frame_places(const struct pp_fleet *f, const struct pp_recording_stack *stack, size_t i)
{
	struct pp_code_place place;
	size_t n = 0;

	do {
		pp_places_at(f->all.places, stack->places[i + n], &place);
		n++;
	} while (i + n < stack->n && place.into && place.into == stack->places[i + n]);
	return n;
}

static int write_stack(struct pp_fleet *f, uint64_t id, const uint64_t *frames, size_t n)
{
	pp_parquet_int(f->tables[STACKS].w, STACK_ID, (int64_t)id);
	for (size_t i = 0; i < n; i++)
		pp_parquet_item(f->tables[STACKS].w, STACK_FRAMES, (int64_t)frames[i]);
	return end_row(f, STACKS);
}

/* The numbers of its frames go to the end of `frames`, which has room for all: the outermost is first. */
static int stack_id(struct pp_fleet *f, const struct pp_recording_stack *stack, uint64_t *frames,
		    uint64_t *id)
{
	size_t n = stack->n;
	int got;

	for (size_t i = 0; i < stack->n;) {
		const size_t places = frame_places(f, stack, i);

		if (frame_id(f, stack->places + i, places, &frames[--n]))
			return -1;
		i += places;
	}
	got = pp_fleet_stack_id(&f->stacks, frames + n, stack->n - n, id, f->error);
	return got > 0 ? write_stack(f, *id, frames + n, stack->n - n) : got;
}

static int new_stack(struct pp_fleet *f, size_t event, uint32_t node, struct fleet_stack *known)
{
	struct pp_recording_stack stack = { 0 };
	int status = pp_recording_stack(&f->all, &f->all.events[event], node, true, &stack, f->error);
	uint64_t *const frames = status ? NULL : malloc((stack.n + 1) * sizeof(*frames));

	*known = (struct fleet_stack){ .thread = stack.thread, .cpu = stack.cpu };
	if (!status)
		status = frames ? stack_id(f, &stack, frames, &known->id) :
				  pp_fail(f->error, PP_E_NOMEM, NULL);
	free(frames);
	free(stack.places);
	return status;
}

/* The stack that ends in a node of an event; NULL and *error. */
static const struct fleet_stack *stack_of(struct pp_fleet *f, size_t event, uint32_t node)
{
	const uint64_t *const at = pp_idmap_find(&f->events[event].by_node, node);
	struct fleet_stack one;

	if (at)
		return &f->known[*at];
	if (new_stack(f, event, node, &one) ||
	    PP_GROW(&f->known, &f->known_room, f->n_known + 1, f->error))
		return NULL;
	if (pp_idmap_set(&f->events[event].by_node, node, f->n_known)) {
		(void)pp_fail(f->error, PP_E_NOMEM, NULL);
		return NULL;
	}
	f->known[f->n_known] = one;
	return &f->known[f->n_known++];
}

/* ---- samples ---- */

/* Of the clock of the wall, if that is known. */
static uint64_t wall_time(const struct pp_fleet *f, uint64_t time)
{
	const struct pp_flame_facts *const facts = f->all.facts;

	return facts->start && time ? time - facts->first + facts->start : time;
}

static int keep_text(struct pp_fleet *f, const char *text, struct fleet_text *kept)
{
	kept->at = f->said.size;
	if (pp_clean_text(&f->said, text, f->error))
		return -1;
	kept->length = f->said.size - kept->at;
	return 0;
}

static void put_kept(struct pp_fleet *f, size_t column, const struct fleet_text *kept)
{
	pp_parquet_text(f->tables[SAMPLES].w, column, (const char *)f->said.data + kept->at, kept->length);
}

/* NULL and *error. */
static const struct fleet_thread *thread_of(struct pp_fleet *f, size_t event, uint32_t number)
{
	struct fleet_event *const e = &f->events[event];
	struct fleet_thread *thread;
	const char *comm;

	if (PP_GROW_ZEROED(&e->threads, &e->threads_room, (size_t)number + 1, f->error))
		return NULL;
	thread = &e->threads[number];
	if (thread->known)
		return thread;
	comm = pp_fold_thread(f->all.events[event].fold, number, &thread->pid, &thread->tid);
	if (comm && keep_text(f, comm, &thread->comm))
		return NULL;
	thread->named = comm;
	thread->known = true;
	return thread;
}

/* NULL and *error. */
static const struct fleet_group *group_of(struct pp_fleet *f, uint32_t number)
{
	static const struct fleet_group none;
	struct fleet_group *const group = number ? &f->groups[number - 1] : NULL;
	const char *const path = group && !group->known ? pp_groups_path(f->paths, group->id) : NULL;

	if (!group)
		return &none;
	if (path && keep_text(f, path, &group->path))
		return NULL;
	group->named |= path != NULL;
	group->known = true;
	return group;
}

/* So many samples that are alike, at a time of the wall. */
static int write_sample(struct pp_fleet *f, const struct fleet_row *row, uint64_t count)
{
	const size_t event = row->event;
	struct pp_parquet *const w = f->tables[SAMPLES].w;
	const struct fleet_stack *const stack = stack_of(f, event, row->node);
	const struct fleet_thread *const thread = stack ? thread_of(f, event, row->thread) : NULL;
	const struct fleet_group *const group = thread ? group_of(f, row->group) : NULL;

	if (!group)
		return -1;
	pp_parquet_int(w, SAMPLE_TIME, (int64_t)row->time);
	put_kept(f, SAMPLE_EVENT, &f->events[event].name);
	pp_parquet_int(w, SAMPLE_WEIGHT, row->weight > INT64_MAX ? INT64_MAX : (int64_t)row->weight);
	pp_parquet_int(w, SAMPLE_COUNT, (int64_t)count);
	if (thread->named) {
		put_kept(f, SAMPLE_COMM, &thread->comm);
		pp_parquet_int(w, SAMPLE_PID, (int32_t)thread->pid);
		pp_parquet_int(w, SAMPLE_TID, (int32_t)thread->tid);
	}
	if (stack->cpu <= INT32_MAX)
		pp_parquet_int(w, SAMPLE_CPU, stack->cpu);
	if (group->named)
		put_kept(f, SAMPLE_CGROUP, &group->path);
	pp_parquet_int(w, SAMPLE_STACK, (int64_t)stack->id);
	pp_parquet_int(w, SAMPLE_RECORDING, (int64_t)f->id);
	return end_row(f, SAMPLES);
}

/* What a node has become since a sample was noted there. */
static uint32_t node_now(const struct pp_fleet *f, uint32_t event, uint32_t node)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		if (f->nodes[i].event == event && node < f->nodes[i].n)
			node = f->nodes[i].places[node];
	return node;
}

static int write_sums(struct pp_fleet *f)
{
	pp_fleet_spans_sort(&f->spans);
	for (size_t i = 0; i < f->spans.n; i++)
		if (write_sample(f, &f->spans.sums[i].of, f->spans.sums[i].count))
			return -1;
	pp_fleet_spans_clear(&f->spans);
	return 0;
}

/* A sample of an event that is written, for itself or among those of its span. */
static int take_row(struct pp_fleet *f, const struct fleet_row *row)
{
	struct fleet_row now = *row;

	now.node = node_now(f, f->all.events[row->event].number, row->node);
	now.time = wall_time(f, row->time);
	if (!f->all.every)
		return write_sample(f, &now, 1);
	now.time -= now.time % f->all.every;
	if (pp_fleet_spans_add(&f->spans, &now, f->error))
		return -1;
	return pp_fleet_spans_full(&f->spans) ? write_sums(f) : 0;
}

/* Those of other events are left out. */
static int write_row(struct pp_fleet *f, struct fleet_row *row)
{
	for (uint32_t event = 0; event < f->all.n_events; event++)
		if (f->all.events[event].number == row->event) {
			row->event = event;
			return take_row(f, row);
		}
	return 0;
}

static int write_samples(struct pp_fleet *f)
{
	const uint64_t end = pp_spool_end(&f->rows);
	struct fleet_row rows[ROWS];
	size_t size;

	for (uint64_t at = 0; at < end; at += size) {
		size = end - at < sizeof(rows) ? (size_t)(end - at) : sizeof(rows);
		if (pp_spool_read(&f->rows, at, rows, size, f->error))
			return -1;
		for (size_t i = 0; i < size / sizeof(*rows); i++)
			if (write_row(f, &rows[i]))
				return -1;
	}
	return write_sums(f);
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
	for (size_t i = 0; i < f->all.n_events; i++)
		if (keep_text(f, f->all.events[i].name ? f->all.events[i].name : "", &f->events[i].name))
			return -1;
	for (unsigned i = 0; i < TABLES; i++)
		if (open_table(f, i))
			return -1;
	return write_recording(f) || write_samples(f) || close_tables(f) ? -1 : 0;
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
	pp_fleet_ids_close(&f->frames);
	pp_fleet_ids_close(&f->stacks);
	free(f->frame_of);
	free(f->known);
	for (size_t i = 0; f->events && i < f->all.n_events; i++) {
		pp_idmap_close(&f->events[i].by_node);
		free(f->events[i].threads);
	}
	free(f->events);
	pp_fleet_spans_close(&f->spans);
	pp_buffer_free(&f->said);
	pp_buffer_free(&f->text);
	return status;
}
