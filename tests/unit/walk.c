/* walk.c - tries the walk over the fields of a record beside records that are laid out here, without the
 * tables, as the kernel does; and with bytes of all kinds, at each length. */
#include "format/format.h"
#include "event.h"
#include "unit.h"

#include <string.h>

enum { MOST = 1200, ROOM = 8192 };

/* What a walk has to find, in this order. */
static struct {
	const char *name;
	uint64_t value;               /* of the first, if there is one */
	uint32_t count;
	uint8_t width;
	size_t at;
} fields[MOST];
static unsigned n_fields;

static uint8_t bytes[ROOM];
static size_t used;
static struct pp_attrs *attrs;
static const struct pp_attr *event;

/* ---- Laying out ------------------------------------------------------------------------------ */

static void add_bytes(const void *data, size_t size)
{
	CHECK(used + size <= ROOM);
	memcpy(bytes + used, data, size);
	used += size;
}

static void note(const char *name, uint64_t value, uint32_t count, uint8_t width)
{
	CHECK(n_fields < MOST);
	fields[n_fields].name = name;
	fields[n_fields].value = value;
	fields[n_fields].count = count;
	fields[n_fields].at = used;
	fields[n_fields++].width = width;
}

static void number(const char *name, uint8_t width, uint64_t value)
{
	value &= UINT64_MAX >> (64 - 8 * width);
	note(name, value, 1, width);
	add_bytes(&value, width);
}

static uint64_t any_value(void)
{
	return one_in(4) ? UINT64_MAX - below(3) : one_in(4) ? below(3) : any_number();
}

static void any(const char *name, uint8_t width)
{
	number(name, width, any_value());
}

static void array(const char *name, uint8_t width, uint32_t count)
{
	note(name, 0, count, width);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t value = any_value();

		if (!i)
			fields[n_fields - 1].value = value;
		add_bytes(&value, width);
	}
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void new_event(bool with_trailer)
{
	struct perf_event_attr attr = { .sample_id_all = with_trailer };

	attr.sample_type = any_number() & any_number() & ((1 << 25) - 1);
	attr.read_format = below(32);
	attr.branch_sample_type = (any_number() & (PERF_SAMPLE_BRANCH_HW_INDEX | PP_BRANCH_COUNTERS)) | 1;
	attr.sample_regs_user = any_number() & any_number() & any_number();
	attr.sample_regs_intr = below(4);
	pp_attrs_free(attrs);
	attrs = event_alone(attr);
	event = pp_attrs_at(attrs, 0);
	CHECK(event->sample_type == attr.sample_type && event->regs_user == attr.sample_regs_user);
}

static bool has(uint64_t bit)
{
	return event->sample_type & bit;
}

static void begin_record(uint32_t type, uint16_t misc)
{
	n_fields = 0;
	used = PP_HEADER_SIZE;
	pp_store32(bytes, type);
	pp_store16(bytes + 4, misc);
}

static struct pp_record record(uint8_t *data, size_t size)
{
	struct pp_record rec;

	pp_store16(data + 6, (uint16_t)size);
	CHECK(!pp_record_at(&rec, data, size, NULL));
	rec.offset = 4711;
	rec.index = 42;
	rec.attrs = attrs;
	rec.attr = rec.type < PP_USER_TYPES ? event : NULL;
	return rec;
}

/* perf_output_read() of the kernel. */
static void read_values(void)
{
	const uint64_t format = event->read_format;
	const bool group = format & PP_READ_GROUP;
	const unsigned n = group ? below(4) : 1;

	if (group)
		number("nr", 8, n);
	else
		any("value", 8);
	if (format & PP_READ_TOTAL_TIME_ENABLED)
		any("time_enabled", 8);
	if (format & PP_READ_TOTAL_TIME_RUNNING)
		any("time_running", 8);
	for (unsigned i = 0; i < n; i++) {
		if (group)
			any("value", 8);
		if (format & PP_READ_ID)
			any("id", 8);
		if (format & PP_READ_LOST)
			any("lost", 8);
	}
}

static void cpu(void)
{
	any("cpu", 4);
	if (one_in(3))
		number("cpu_reserved", 4, 1 + below(9));
	else
		add_bytes("\0\0\0", 4);
}

static void branches(void)
{
	const unsigned n = below(4);

	number("nr", 8, n);
	if (n && event->branch_type & PP_BRANCH_HW_INDEX)
		any("hw_idx", 8);
	for (unsigned i = 0; i < n; i++) {
		any("from", 8);
		any("to", 8);
		any("flags", 8);
	}
	if (event->branch_type & PP_BRANCH_COUNTERS)
		array("counters", 8, n);
}

static void registers(uint64_t mask)
{
	const uint64_t abi = below(3);

	number("abi", 8, abi);
	if (abi)
		array("regs", 8, (uint32_t)__builtin_popcountll(mask));
}

static void counted(const char *count, uint8_t width, const char *name, uint8_t each, unsigned n)
{
	number(count, width, n);
	array(name, each, n);
}

/* perf_output_sample() of the kernel, from its read values on. */
static void sample_data(void)
{
	if (has(PP_SAMPLE_READ))
		read_values();
	if (has(PP_SAMPLE_CALLCHAIN))
		counted("nr", 8, "callchain", 8, below(6));
	if (has(PP_SAMPLE_RAW))
		counted("size", 4, "raw", 1, 4 + 8 * below(4));
	if (has(PP_SAMPLE_BRANCH_STACK))
		branches();
	if (has(PP_SAMPLE_REGS_USER))
		registers(event->regs_user);
	if (has(PP_SAMPLE_STACK_USER)) {
		const unsigned size = 8 * below(4);

		counted("size", 8, "data", 1, size);
		if (size)
			any("dyn_size", 8);
	}
	if (has(PP_SAMPLE_WEIGHT))
		any("weight", 8);
	if (has(PP_SAMPLE_WEIGHT_STRUCT))
		any("weight", 8);
	if (has(PP_SAMPLE_DATA_SRC))
		any("data_src", 8);
	if (has(PP_SAMPLE_TRANSACTION))
		any("transaction", 8);
	if (has(PP_SAMPLE_REGS_INTR))
		registers(event->regs_intr);
	if (has(PP_SAMPLE_PHYS_ADDR))
		any("phys_addr", 8);
	if (has(PP_SAMPLE_CGROUP))
		any("cgroup", 8);
	if (has(PP_SAMPLE_DATA_PAGE_SIZE))
		any("data_page_size", 8);
	if (has(PP_SAMPLE_CODE_PAGE_SIZE))
		any("code_page_size", 8);
	if (has(PP_SAMPLE_AUX))
		counted("aux_size", 8, "aux", 1, 8 * below(4));
}

static void sample(void)
{
	static const struct { uint64_t bit; const char *name; } first[] = {
		{ PP_SAMPLE_IDENTIFIER, "identifier" }, { PP_SAMPLE_IP, "ip" }, { PP_SAMPLE_TID, "pid" },
		{ PP_SAMPLE_TIME, "time" }, { PP_SAMPLE_ADDR, "addr" }, { PP_SAMPLE_ID, "id" },
		{ PP_SAMPLE_STREAM_ID, "stream_id" }, { PP_SAMPLE_CPU, "cpu" },
		{ PP_SAMPLE_PERIOD, "period" },
	};

	begin_record(PP_REC_SAMPLE, 0);
	for (unsigned i = 0; i < sizeof(first) / sizeof(*first); i++) {
		if (!has(first[i].bit))
			continue;
		if (first[i].bit == PP_SAMPLE_TID) {
			any("pid", 4);
			any("tid", 4);
		} else if (first[i].bit == PP_SAMPLE_CPU) {
			cpu();
		} else {
			any(first[i].name, 8);
		}
	}
	sample_data();
}

/* perf_event__output_id_sample() of the kernel. */
static void trailer(void)
{
	if (!pp_attr_flag(event, PP_FLAG_sample_id_all))
		return;
	if (has(PP_SAMPLE_TID)) {
		any("pid", 4);
		any("tid", 4);
	}
	if (has(PP_SAMPLE_TIME))
		any("time", 8);
	if (has(PP_SAMPLE_ID))
		any("id", 8);
	if (has(PP_SAMPLE_STREAM_ID))
		any("stream_id", 8);
	if (has(PP_SAMPLE_CPU))
		cpu();
	if (has(PP_SAMPLE_IDENTIFIER))
		any("identifier", 8);
}

/* Other records, in words: the width and the name of a number; " and the name of a text that fills the rest,
 * or is padded so that the record is a multiple of 8; =N: and the name of so many bytes; ~N for so many
 * zeros, which are not shown.  What there is several times comes last, after a number "nr". */
static const struct layout {
	uint32_t type;
	uint16_t misc;
	const char *fields, *again;
} layouts[] = {
	{ PP_REC_MMAP, 0, "4pid 4tid 8start 8len 8pgoff \"filename", NULL },
	{ PP_REC_LOST, 0, "8id 8lost", NULL },
	{ PP_REC_COMM, PP_MISC_COMM_EXEC, "4pid 4tid \"comm", NULL },
	{ PP_REC_EXIT, 0, "4pid 4ppid 4tid 4ptid 8time", NULL },
	{ PP_REC_THROTTLE, 0, "8time 8id 8stream_id", NULL },
	{ PP_REC_FORK, 0, "4pid 4ppid 4tid 4ptid 8time", NULL },
	{ PP_REC_MMAP2, 0, "4pid 4tid 8start 8len 8pgoff 4maj 4min 8ino 8ino_generation "
				"4prot 4flags \"filename", NULL },
	{ PP_REC_AUX, 0, "8aux_offset 8aux_size 8flags", NULL },
	{ PP_REC_ITRACE_START, 0, "4pid 4tid", NULL },
	{ PP_REC_LOST_SAMPLES, 0, "8lost", NULL },
	{ PP_REC_SWITCH, PP_MISC_SWITCH_OUT, "", NULL },
	{ PP_REC_SWITCH_CPU_WIDE, 0, "4next_prev_pid 4next_prev_tid", NULL },
	{ PP_REC_NAMESPACES, 0, "4pid 4tid", "8dev 8ino" },
	{ PP_REC_KSYMBOL, 0, "8addr 4len 2ksym_type 2flags \"name", NULL },
	{ PP_REC_BPF_EVENT, 0, "2type 2flags 4id =8:tag", NULL },
	{ PP_REC_CGROUP, 0, "8id \"path", NULL },
	{ PP_REC_HEADER_BUILD_ID, 0, "4pid =20:build_id 1size ~3 \"filename", NULL },
	{ PP_REC_HEADER_BUILD_ID, PP_MISC_BUILD_ID_SIZE, "4pid =20:build_id 1size ~3 \"filename", NULL },
	{ PP_REC_BPF_METADATA, 0, "=512:prog_name", "=64:key =256:value" },
	{ PP_REC_ID_INDEX, 0, "", "8id 8idx 8cpu 8tid" },
	{ PP_REC_AUXTRACE, 0, "8size 8offset 8reference 4idx 4tid 4cpu ~4", NULL },
	{ PP_REC_THREAD_MAP, 0, "", "8pid =16:comm" },
	{ PP_REC_STAT_CONFIG, 0, "", "8tag 8val" },
	{ PP_REC_STAT, 0, "8id 4cpu 4thread 8val 8ena 8run", NULL },
	{ PP_REC_STAT_ROUND, 0, "8type 8time", NULL },
	{ PP_REC_FINISHED_INIT, 0, "", NULL },
};

static void take_text(const char *name)
{
	const unsigned least = used % 8 ? 8 - used % 8 : 8, width = least + 8 * below(3);
	char text[24] = { 0 };

	memset(text, 'x', width - least + below(least));
	note(name, (uint8_t)text[0], width, 1);
	add_bytes(text, width);
}

/* Lays out words; their names stay in `names` until the next record. */
static char names[400];
static size_t names_used;

static void words(const char *list)
{
	char *const copy = strcpy(names + names_used, list), *rest, *end = copy;

	CHECK((names_used += strlen(list) + 1) < sizeof(names));
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		const unsigned n = (unsigned)strtoul(word + 1, &end, 10);

		if (*word == '"')
			take_text(word + 1);
		else if (*word == '~')
			add_bytes("\0\0\0", n);
		else if (*word == '=')
			array(end + 1, 1, n);
		else
			any(word + 1, (uint8_t)(*word - '0'));
	}
}

/* After some of perf's own records there may be a trailer; something else, which is longer, is none. */
static void may_trail(void)
{
	if (one_in(2))
		trailer();
	else if (one_in(2))
		array("rest", 1, event->plan.trailer + 8u);
}

static void lay_out(const struct layout *layout)
{
	const unsigned times = below(4);

	begin_record(layout->type, layout->misc);
	names_used = 0;
	words(layout->fields);
	if (layout->again)
		number("nr", 8, times);
	for (unsigned i = 0; layout->again && i < times; i++)
		words(layout->again);
	if (layout->type == PP_REC_BPF_METADATA || layout->misc == PP_MISC_BUILD_ID_SIZE)
		may_trail();
	else if (layout->type < PP_USER_TYPES)
		trailer();
}

/* ---- What a walk shows ----------------------------------------------------------------------- */

static uint64_t element(const uint8_t *at, uint8_t width)
{
	uint64_t value = 0;

	memcpy(&value, at, width);
	return value;
}

static void look_at_value(const struct pp_cursor *c, const uint8_t *data, unsigned i)
{
	const bool is_signed = c->field->kind == PP_S32;

	CHECK(i < n_fields && !strcmp(c->field->name, fields[i].name));
	CHECK(c->data == data + fields[i].at && c->count == fields[i].count && c->width == fields[i].width);
	if (c->width > 1 && c->count)
		CHECK(c->value == (is_signed ? (uint64_t)(int32_t)fields[i].value : fields[i].value));
	for (uint32_t k = 0; c->width > 1 && k < c->count; k++) {
		const uint64_t value = element(c->data + k * c->width, c->width);

		CHECK(pp_walk_u64(c, k) == (is_signed ? (uint64_t)(int32_t)value : value));
	}
}

/* All that was laid out, and no more. */
static void look_at_all(const struct pp_record *rec)
{
	struct pp_cursor c;
	unsigned n = 0;
	int token, depth = 0;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token == PP_VALUE)
			look_at_value(&c, rec->data, n++);
		else
			depth += token == PP_OPEN || token == PP_LIST_OPEN ? 1 : -1;
		CHECK(depth >= 0 && depth < PP_DEPTH);
	}
	CHECK(token == PP_END && !depth && n == n_fields);
	CHECK(pp_walk_next(&c) == PP_END && !pp_check(rec, NULL));
}

/* Of a sample that is cut: what is whole, and then an error that says where.  A cut may fall between two
 * fields that need not be there. */
static void look_at_cut(const struct pp_record *rec)
{
	struct pp_cursor c;
	struct pp_error error;
	unsigned n = 0;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END)
		if (token == PP_VALUE)
			look_at_value(&c, rec->data, n++);
	CHECK(n < n_fields || rec->size >= fields[n_fields - 1].at);
	CHECK(token == PP_FAILED && pp_walk_next(&c) == PP_FAILED);
	CHECK(c.error.code == PP_E_FIELD && c.error.located && c.error.offset == 4711 && c.error.index == 42);
	CHECK(c.error.type == PP_REC_SAMPLE && c.error.need > c.error.have && c.error.field);
	CHECK(pp_check(rec, &error) == -1 && error.code == PP_E_FIELD);
}

/* In memory of its own: what is read beyond it shows. */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *const copy = malloc(size);

	CHECK(copy);
	memcpy(copy, data, size);
	return copy;
}

/* ---- What is found without a walk ------------------------------------------------------------ */

/* As a walk finds it: the first of several, of the body before the trailer. */
static void find_all(const struct pp_record *rec)
{
	for (unsigned is = 1; is <= PP_IS_TAIL; is++) {
		uint64_t value, found = 0;
		size_t size;
		struct pp_cursor c;

		pp_walk(&c, rec);
		if (pp_walk_find(&c, is) != PP_MORE) {
			CHECK(!pp_find_bytes(rec, is, &size) && !pp_find_u64(rec, is, &value));
			continue;
		}
		CHECK(pp_find_bytes(rec, is, &size) == c.data && size == (size_t)c.count * c.width);
		if (c.count && c.width > 1)
			CHECK(pp_find_u64(rec, is, &found) && found == pp_walk_u64(&c, 0));
	}
}

static void get_all(const struct pp_record *rec)
{
	static const char *const wanted[] = { "pid", "time", "id", "cpu", "start", "lost" };

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		uint64_t value = 0;
		unsigned k = 0;

		while (k < n_fields && strcmp(fields[k].name, wanted[i]) != 0)
			k++;
		CHECK(pp_get_u64(rec, wanted[i], &value) == (k < n_fields));
		CHECK(k == n_fields || (uint32_t)value == (uint32_t)fields[k].value);
	}
}

typedef bool load_fn(const struct pp_record *, uint64_t *);

/* What has a place of its own in each record of an event: the first of a sample, the last of others. */
static void load_all(const struct pp_record *rec)
{
	static const struct { load_fn *load; const char *name; uint64_t bit; bool trails; } loads[] = {
		{ pp_time_raw, "time", PP_SAMPLE_TIME, true }, { pp_ip, "ip", PP_SAMPLE_IP, false },
		{ pp_addr, "addr", PP_SAMPLE_ADDR, false }, { pp_period, "period", PP_SAMPLE_PERIOD, false },
		{ pp_stream_id, "stream_id", PP_SAMPLE_STREAM_ID, false },
	};
	const bool is_sample = rec->type == PP_REC_SAMPLE;

	for (unsigned i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		const bool there = has(loads[i].bit) &&
				   (is_sample || (loads[i].trails && rec->type < PP_USER_TYPES &&
						  pp_attr_flag(event, PP_FLAG_sample_id_all)));
		uint64_t value = 0;
		unsigned k = 0, last = 0;

		CHECK(loads[i].load(rec, &value) == there);
		if (!there)
			continue;
		for (; k < n_fields && !(is_sample && last); k++)
			last = strcmp(fields[k].name, loads[i].name) ? last : k + 1;
		CHECK(last && value == fields[last - 1].value);
	}
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* To the other byte order and back it is as it was. */
static void convert_all(const struct pp_record *rec)
{
	uint8_t *const before = copy_of(rec->data, rec->size);
	struct pp_error error;

	CHECK(!pp_convert(rec, PP_FROM_HOST, &error));
	CHECK(rec->data[3] == rec->type && rec->data[6] == rec->size >> 8);
	CHECK(!pp_convert(rec, PP_TO_HOST, &error) && !memcmp(rec->data, before, rec->size));
	free(before);
}

static void samples(void)
{
	for (unsigned i = 0; i < 1500; i++) {
		uint8_t *data;
		struct pp_record rec;

		begin_case("a sample", i);
		new_event(one_in(2));
		sample();
		data = copy_of(bytes, used);
		rec = record(data, used);
		look_at_all(&rec);
		find_all(&rec);
		get_all(&rec);
		load_all(&rec);
		convert_all(&rec);
		free(data);
		for (size_t size = PP_HEADER_SIZE; i % 4 == 0 && size < used; size += 1 + below(9)) {
			/* zeros that are not shown may be cut off, too, but no half of them */
			data = copy_of(bytes, size);
			rec = record(data, size);
			look_at_cut(&rec);
			free(data);
		}
	}
}

static void others(void)
{
	for (unsigned i = 0; i < 3000; i++) {
		uint8_t *data;
		struct pp_record rec;

		begin_case("a record", i);
		if (i % 8 == 0)
			new_event(!one_in(4));
		lay_out(&layouts[i % (sizeof(layouts) / sizeof(*layouts))]);
		data = copy_of(bytes, used);
		rec = record(data, used);
		look_at_all(&rec);
		find_all(&rec);
		get_all(&rec);
		load_all(&rec);
		convert_all(&rec);
		free(data);
	}
}

/* Counts that would wrap when they are multiplied, or that are one too many. */
static void counts(void)
{
	static const uint64_t times[] = {
		UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 1, UINT64_MAX / 8 + 2, UINT64_C(1) << 32,
		UINT64_C(1) << 61, (UINT64_C(1) << 61) + 1, (UINT64_C(1) << 32) + 2, 3,
	};
	static const uint32_t types[] = {
		PP_REC_CALLCHAIN_DEFERRED, PP_REC_NAMESPACES, PP_REC_ID_INDEX, PP_REC_THREAD_MAP,
	};

	begin_case("a count", 0);
	new_event(false);
	for (unsigned i = 0; i < 4 * sizeof(times) / sizeof(*times); i++) {
		const uint32_t type = types[i % 4];
		uint8_t *data;
		struct pp_record rec;
		struct pp_error error;

		begin_case("a count", i);
		begin_record(type, 0);
		if (type == PP_REC_CALLCHAIN_DEFERRED || type == PP_REC_NAMESPACES)
			any("first", 8);
		number("nr", 8, times[i / 4]);
		array("two", 8, type == PP_REC_CALLCHAIN_DEFERRED ? 2 : 1);
		data = copy_of(bytes, used);
		rec = record(data, used);
		CHECK(pp_check(&rec, &error) == -1 && error.code == PP_E_FIELD && error.need > error.have);
		free(data);
	}
}

/* ---- Whatever the bytes ---------------------------------------------------------------------- */

/* A walk stays in the record, goes forward, leaves nothing out but zeros, and ends. */
static void stay_inside(const struct pp_record *rec)
{
	const uint8_t *at = rec->data + PP_HEADER_SIZE, *const end = rec->data + rec->size;
	struct pp_cursor c;
	int token, depth = 0;
	unsigned steps = 0;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		CHECK(++steps < 8 * ROOM);
		depth += token == PP_OPEN || token == PP_LIST_OPEN;
		depth -= token == PP_CLOSE || token == PP_LIST_CLOSE;
		if (token != PP_VALUE)
			continue;
		CHECK(c.data >= at && c.data <= end && c.width);
		CHECK((uint64_t)c.count * c.width <= (uint64_t)(end - c.data));
		at = c.data + (size_t)c.count * c.width;
	}
	CHECK(token == PP_FAILED || (token == PP_END && !depth));
	CHECK(token == PP_END || (c.error.code != PP_OK && c.error.located && c.error.index == 42));
	for (; token == PP_END && at < end; at++)
		CHECK(!*at);
}

static void any_bytes(void)
{
	const bool small = one_in(2);
	const size_t size = below(one_in(3) ? 900 : 120);

	while (used < PP_HEADER_SIZE + size) {
		const uint64_t value = one_in(2) ? 0 : small || one_in(2) ? below(9) : any_number();

		add_bytes(&value, one_in(3) ? 8 : 1 + below(4));
	}
	used = PP_HEADER_SIZE + size;
}

static void anything(void)
{
	for (unsigned i = 0; i < 12000; i++) {
		uint8_t *data;
		struct pp_record rec;

		begin_case("any bytes", i);
		if (i % 8 == 0)
			new_event(one_in(2));
		begin_record(one_in(30) ? 200 : one_in(3) ? PP_REC_HEADER_FEATURE :
			     one_in(2) ? below(24) : 64 + below(24), (uint16_t)any_number());
		if (pp_load32(bytes) == PP_REC_HEADER_FEATURE)
			number("feat_id", 8, below(40));
		any_bytes();
		data = copy_of(bytes, used);
		rec = record(data, used);
		if (one_in(5))
			rec.attr = NULL;
		stay_inside(&rec);
		find_all(&rec);
		free(data);
	}
}

int main(void)
{
	samples();
	others();
	counts();
	anything();
	pp_attrs_free(attrs);
	return 0;
}
