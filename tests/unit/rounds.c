/* rounds.c - tries rounds beside a list of what is held, out of which the least is looked for each time:
 * which records are released when, in which order, and what is written of them. */
#include "order/round_buffer.h"
#include "event.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS = 120, MAX_SIZE = 60000, OUT = 1 << 23 };
enum kind { SAMPLE, UNTIMED, OTHER, ROUND };

struct item {
	uint8_t *data;
	struct pp_record rec;
	enum kind kind;
	int verdict;
	uint64_t time;                /* 0: it has none */
	/* where it is held: */
	uint64_t key;
	size_t room;
	bool held, judged;
};

static struct item items[RECORDS];
static unsigned n_items;
static struct pp_attrs *attrs;
static int out = -1;

/* What the model does, and what was done. */
static unsigned want[RECORDS], got[RECORDS], n_want, n_got;
static uint8_t written[OUT], want_written[OUT];
static size_t want_size;

/* ---- Records --------------------------------------------------------------------------------- */

static void make_item(struct item *item, uint64_t index, uint64_t span, bool large)
{
	static const uint32_t types[] = {
		[SAMPLE] = PP_REC_SAMPLE, [UNTIMED] = PP_REC_SAMPLE, [OTHER] = PP_REC_EVENT_UPDATE,
		[ROUND] = PP_REC_FINISHED_ROUND,
	};
	const unsigned dice = below(10);
	size_t size = 24 + below(one_in(8) ? 3000 : 40);

	if (large && one_in(3))
		size = MAX_SIZE - below(30000);
	item->kind = dice < 6 ? SAMPLE : dice < 7 ? UNTIMED : dice < 8 ? OTHER : ROUND;
	size = item->kind == ROUND ? PP_HEADER_SIZE : size;
	item->data = malloc(size);
	CHECK(item->data);
	memset(item->data, (int)index, size);
	if (item->kind == SAMPLE)
		item->time = one_in(40) ? UINT64_MAX - 1 : 1 + (uint64_t)below(100) * span / 100;
	item->rec = (struct pp_record){
		.data = item->data, .size = (uint16_t)size, .type = types[item->kind], .attrs = attrs,
		.index = index, .offset = index * 1000,
	};
	if (item->kind == UNTIMED && one_in(2))
		item->rec.type = PP_REC_COMM;
	if (item->rec.type == PP_REC_SAMPLE) {
		item->rec.attr = pp_attrs_at(attrs, 0);
		pp_store64(item->data + 16, item->time ? item->time : one_in(2) ? 0 : UINT64_MAX);
	}
	pp_store32(item->data, item->rec.type);
	pp_store16(item->data + 4, 0);
	pp_store16(item->data + 6, (uint16_t)size);
	item->room = sizeof(struct held) + pp_align8(size);
}

/* Times ascend, but for what comes late; or descend. */
static void make_items(bool large)
{
	const uint64_t first = one_in(10) ? (UINT64_C(1) << 28) - 50 : 0;
	const uint64_t step = one_in(2) ? below(9) : 1 + below(1000), span = 1 + below(300);
	const bool down = one_in(10);

	n_items = large ? 40 : 1 + below(RECORDS - 1);
	for (unsigned i = 0; i < n_items; i++) {
		struct item *const item = &items[i];

		*item = (struct item){ .verdict = one_in(4) ? PP_DROP : PP_KEEP };
		make_item(item, first + i, span, large);
		if (!item->time || item->time == UINT64_MAX - 1 || one_in(20))
			continue;
		item->time += (down ? n_items - i : i) * step;
		pp_store64(item->data + 16, item->time);
	}
}

static void free_items(void)
{
	for (unsigned i = 0; i < n_items; i++)
		free(items[i].data);
}

/* ---- The model ------------------------------------------------------------------------------- */

static struct pp_rounds_options how;
static struct pp_rounds_stats stats;
static bool writes, stopped;
static uint64_t seen, newest, bound, gone, n_timed, bytes;
static unsigned front;                /* all before it were written, or will not be */
static struct { uint64_t records, bytes, due; } pace;

static bool paced(void)
{
	return how.every.records || how.every.bytes || how.every.time;
}

static void write_bytes(const void *data, size_t size)
{
	CHECK(want_size + size <= OUT);
	memcpy(want_written + want_size, data, size);
	want_size += size;
}

static void write_round(void)
{
	static const struct { uint32_t type; uint16_t misc, size; } round = { PP_REC_FINISHED_ROUND, 0, 8 };

	write_bytes(&round, sizeof(round));
}

static void write_item(const struct item *item)
{
	bool due = false;
	uint64_t left;

	if (!writes || (paced() && item->kind == ROUND))
		return;
	if (paced() && item->time) {
		if (how.every.time && item->time >= pace.due) {
			due = pace.due != 0;
			pace.due = due ? pace.due : item->time;
			left = how.every.time - (item->time - pace.due) % how.every.time;
			pace.due = left > UINT64_MAX - item->time ? UINT64_MAX : item->time + left;
		}
		due |= how.every.records && pace.records >= how.every.records;
		due |= how.every.bytes && pace.bytes >= how.every.bytes;
		if (due && pace.records) {
			write_round();
			pace.records = pace.bytes = 0;
		}
		pace.records++;
		pace.bytes += item->rec.size;
	}
	write_bytes(item->data, item->rec.size);
}

/* Of so many that came, what was judged leaves after all that came before it. */
static void leave(unsigned count)
{
	for (; how.order == PP_ROUNDS_STREAM && front < count; front++) {
		struct item *const item = &items[front];

		if (item->held && !item->judged && !stopped)
			return;
		if (!item->held)
			continue;
		if (item->judged && item->verdict == PP_KEEP)
			write_item(item);
		item->held = false;
		bytes -= item->room;
	}
}

static void judge_item(struct item *item)
{
	want[n_want++] = (unsigned)(item - items);
	item->judged = true;
	stopped = item->verdict == PP_STOP;
	if (how.order == PP_ROUNDS_STREAM)
		return;
	item->held = false;
	bytes -= item->room;
	if (item->verdict == PP_KEEP)
		write_item(item);
}

/* The least key, and of equal ones the first that came. */
static struct item *least(unsigned count)
{
	struct item *first = NULL;

	for (unsigned i = 0; i < count; i++)
		if (items[i].held && !items[i].judged && (!first || items[i].key < first->key))
			first = &items[i];
	return first;
}

static void release_some(unsigned count, uint64_t up_to, uint64_t enough)
{
	struct item *item;

	while (!stopped && enough && (item = least(count)) && item->key <= up_to) {
		enough -= item->room < enough ? item->room : enough;
		n_timed -= item->time != 0;
		gone = item->time > gone ? item->time : gone;
		judge_item(item);
	}
	leave(count);
}

static void note_time(uint64_t time)
{
	stats.disorder += time < seen;
	seen = time > seen ? time : seen;
	if (time < gone) {
		stats.late++;
		stats.worst = gone - time > stats.worst ? gone - time : stats.worst;
	}
	if (!n_timed || time >= newest)
		newest = time;
}

static void take(unsigned i)
{
	struct item *const item = &items[i];
	uint64_t released;

	bytes += item->room;
	item->held = true;
	item->key = item->time ? item->time : NEVER;
	stats.largest = bytes > stats.largest ? bytes : stats.largest;
	n_timed += item->time != 0;
	for (unsigned k = 0; item->time && k < i; k++)
		if (items[k].kind != ROUND && !items[k].time && items[k].key > item->time)
			items[k].key = item->time;
	if (item->kind == ROUND) {
		for (unsigned k = 0; k < i; k++)
			items[k].key = items[k].held && items[k].key == NEVER ? newest : items[k].key;
		item->key = newest;
		released = bound;
		bound = newest;
		release_some(i + 1, released, released ? NEVER : 0);
	}
	if (!n_timed)
		release_some(i + 1, NEVER, NEVER);
	if (stopped || bytes <= how.limit)
		return;
	stats.overflows++;
	release_some(i + 1, NEVER, bytes / 2);
	if (bytes > how.limit || !n_timed)
		release_some(i + 1, NEVER, NEVER);
}

static void model(void)
{
	memset(&stats, 0, sizeof(stats));
	memset(&pace, 0, sizeof(pace));
	seen = newest = bound = gone = n_timed = bytes = 0;
	front = n_want = 0;
	stopped = false;
	want_size = 0;
	for (unsigned i = 0; i < n_items && !stopped; i++) {
		struct item *const item = &items[i];
		const bool early = !item->time && !writes && item->rec.type < PP_USER_TYPES;

		if (item->time)
			note_time(item->time);
		stats.rounds += item->kind == ROUND;
		if (item->time || (n_timed && !early)) {
			take(i);
			continue;
		}
		want[n_want++] = i;
		stopped = item->verdict == PP_STOP;
		if (item->verdict == PP_KEEP)
			write_item(item);
	}
	if (stopped)
		return;
	release_some(n_items, NEVER, NEVER);
	if (writes && paced() && pace.records)
		write_round();
}

/* ---- What is done ---------------------------------------------------------------------------- */

static unsigned judged_calls;

/* It is shown what was put, wherever that lies by now. */
static int judge(void *arg, struct pp_record *rec, struct pp_error *error)
{
	const uint64_t i = rec->index - items[0].rec.index;

	(void)arg;
	CHECK(i < n_items && n_got < n_items);
	CHECK(rec->type == items[i].rec.type && rec->size == items[i].rec.size && !rec->tail);
	CHECK(rec->offset == items[i].rec.offset && rec->attr == items[i].rec.attr && rec->attrs == attrs);
	CHECK(!memcmp(rec->data, items[i].data, rec->size));
	got[n_got++] = (unsigned)i;
	return items[i].verdict < 0 ? pp_fail(error, PP_E_VALUE, "so it is") : items[i].verdict;
}

static int judged(void *arg, struct pp_error *error)
{
	(void)arg, (void)error;
	judged_calls++;
	return 0;
}

static int more(struct pp_rounds *rounds)
{
	int result = 0;

	while (how.lazy && (result = pp_rounds_more(rounds, 1 + below(200), NULL)) == PP_MORE)
		;
	return result;
}

static void compare(void)
{
	const ssize_t size = pread(out, written, OUT, PP_PIPE_HEADER);

	CHECK(n_got == n_want && !memcmp(got, want, n_got * sizeof(*got)));
	CHECK((size_t)size == want_size && !memcmp(written, want_written, want_size));
}

static struct pp_writer *open_writer(void)
{
	struct pp_writer *const writer = pp_writer_open(out, PP_SEAL_NO);

	CHECK(!ftruncate(out, 0) && !lseek(out, 0, SEEK_SET));
	CHECK(writer && !pp_writer_header(writer, false, NULL));
	return writer;
}

/* Puts all, as the model was given them. */
static void run(void)
{
	struct pp_writer *const writer = open_writer();
	struct pp_rounds *const rounds = pp_rounds_open(&how, NULL, writes ? writer : NULL, NULL);
	const struct pp_rounds_stats *is;
	int result = 0;

	CHECK(rounds);
	n_got = 0;
	for (unsigned i = 0; i < n_items && !result; i++) {
		result = pp_rounds_put(rounds, &items[i].rec, NULL);
		CHECK(!result || (result == 1 && stopped));
		CHECK(!more(rounds));
	}
	CHECK(!result || pp_rounds_put(rounds, &items[0].rec, NULL) == 1);
	CHECK(!pp_rounds_end(rounds, NULL) && !more(rounds));
	is = pp_rounds_stats(rounds);
	CHECK(is->rounds == stats.rounds && is->late == stats.late && is->worst == stats.worst);
	CHECK(is->disorder == stats.disorder && is->overflows == stats.overflows);
	CHECK(is->largest == stats.largest);
	CHECK(!pp_writer_end(writer, 0, NULL));
	pp_rounds_close(rounds);
	pp_writer_close(writer);
	compare();
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void any_options(bool large)
{
	how = (struct pp_rounds_options){
		.size = sizeof(how), .judge = judge, .judged = one_in(2) ? judged : NULL,
		.order = one_in(2) ? PP_ROUNDS_STREAM : PP_ROUNDS_TIME, .limit = UINT64_MAX / 2,
	};
	writes = !one_in(4);
	if (one_in(3))
		how.limit = large ? 100000 + below(200000) : 100 + below(3000);
	if (how.order == PP_ROUNDS_STREAM)
		return;
	how.thrifty = one_in(2);
	how.lazy = how.limit == UINT64_MAX / 2 && one_in(3);
	if (writes && one_in(2)) {
		how.every.records = one_in(2) ? 1 + below(6) : 0;
		how.every.bytes = one_in(2) ? 1 + below(400) : 0;
		how.every.time = one_in(2) ? 1 + below(500) : 0;
	}
}

static void drop_all(void)
{
	for (unsigned i = 0; i < n_items && !writes; i++)
		items[i].verdict = PP_DROP;
}

static void many(void)
{
	for (unsigned i = 0; i < 2600; i++) {
		const bool large = i % 50 == 0;

		begin_case("rounds", i);
		make_items(large);
		any_options(large);
		drop_all();
		if (one_in(5))
			items[below(n_items)].verdict = PP_STOP;
		model();
		run();
		free_items();
	}
}

/* An error of the judge ends all; without a judge all is kept. */
static void ends(void)
{
	for (unsigned i = 0; i < 40; i++) {
		struct pp_error error = { .code = PP_OK };
		struct pp_rounds *rounds;
		int result = 0;

		begin_case("an error", i);
		make_items(false);
		any_options(false);
		how.lazy = false;
		items[below(n_items)].verdict = -1;
		n_got = 0;
		rounds = pp_rounds_open(&how, NULL, NULL, &error);
		CHECK(rounds);
		for (unsigned k = 0; k < n_items; k++)
			items[k].verdict = items[k].verdict < 0 ? -1 : PP_DROP;
		for (unsigned k = 0; k < n_items && result >= 0; k++)
			result = pp_rounds_put(rounds, &items[k].rec, &error);
		CHECK(result < 0 || pp_rounds_end(rounds, &error) < 0);
		CHECK(error.code == PP_E_VALUE && items[got[n_got - 1]].verdict == -1);
		pp_rounds_close(rounds);
		free_items();
	}
	for (unsigned i = 0; i < 40; i++) {
		begin_case("no judge", i);
		make_items(false);
		any_options(false);
		writes = true;
		for (unsigned k = 0; k < n_items; k++)
			items[k].verdict = PP_KEEP;
		model();
		how.judge = NULL;
		n_want = 0;
		run();
		free_items();
	}
	pp_rounds_close(NULL);
}

/* ---- A round that waits for those who judge -------------------------------------------------- */

static unsigned judged_in[RECORDS];
static bool called[RECORDS], ending;

static int judge_and_note(void *arg, struct pp_record *rec, struct pp_error *error)
{
	judged_in[rec->index - items[0].rec.index] = judged_calls + 1;
	return judge(arg, rec, error);
}

/* Due when it was judged earlier than what is judged now, and all before it as well. */
static int round_due(void *arg, const struct pp_record *rec, struct pp_error *error)
{
	const uint64_t i = rec->index - items[0].rec.index;

	(void)arg, (void)error;
	CHECK(i < n_items && items[i].kind == ROUND && items[i].verdict == PP_KEEP);
	CHECK(judged_in[i] && (ending || judged_in[i] < judged_calls));
	for (unsigned k = 0; k < i; k++)
		CHECK(judged_in[k]);
	called[i] = true;
	return i % 3 ? PP_KEEP : PP_DROP;
}

/* Puts all.  One that comes while nothing is held waits for nothing, and nothing else is said of it. */
static void put_waiting(struct pp_rounds *rounds)
{
	n_got = judged_calls = 0;
	ending = false;
	memset(judged_in, 0, sizeof(judged_in));
	memset(called, 0, sizeof(called));
	for (unsigned k = 0; k < n_items; k++) {
		const unsigned before = n_got;

		CHECK(!pp_rounds_put(rounds, &items[k].rec, NULL));
		items[k].held = before != k || n_got == k;
	}
	ending = true;
	CHECK(!pp_rounds_end(rounds, NULL));
	n_want = n_got;
	memcpy(want, got, n_got * sizeof(*got));
}

static void rounds_wait(void)
{
	for (unsigned i = 0; i < 500; i++) {
		struct pp_writer *writer;
		struct pp_rounds *rounds;

		begin_case("rounds that wait", i);
		make_items(false);
		how = (struct pp_rounds_options){
			.size = sizeof(how), .judge = judge_and_note, .judged = judged, .round = round_due,
		};
		writer = open_writer();
		rounds = pp_rounds_open(&how, NULL, writer, NULL);
		CHECK(rounds);
		put_waiting(rounds);
		CHECK(n_got == n_items && !pp_writer_end(writer, 0, NULL));
		pp_rounds_close(rounds);
		pp_writer_close(writer);
		want_size = 0;
		for (unsigned k = 0; k < n_items; k++) {
			const bool kept = items[k].verdict == PP_KEEP;

			CHECK(items[k].kind != ROUND || !items[k].held || called[k] == kept);
			if (kept && (!called[k] || k % 3))
				write_bytes(items[k].data, items[k].rec.size);
		}
		compare();
		free_items();
	}
}

int main(void)
{
	out = memfd_create("out", MFD_CLOEXEC);
	CHECK(out >= 0);
	attrs = event_alone((struct perf_event_attr){ .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME });
	many();
	ends();
	rounds_wait();
	pp_attrs_free(attrs);
	close(out);
	return 0;
}
