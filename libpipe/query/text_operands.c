/* text_operands.c - what a query compares as text: where a record has it, and whether it is as was asked. */
#include "query/query.h"

#include <xxhash.h>

/* ---- Comparing ------------------------------------------------------------------------------- */

/*
 * Where the modifiers begin that perf appends to an event's name: "cycles" in "cycles:u", and
 * in "cpu/cycles/u" what is up to the last slash.  A tracepoint's "sched:sched_switch" has none.
 */
static size_t bare_length(const char *name)
{
	static const char modifiers[] = "ukhIGHpPSDWebRX";
	const size_t length = strlen(name);
	size_t at = length;

	while (at && strchr(modifiers, name[at - 1]))
		at--;
	if (!at || at == length)
		return length;
	return name[at - 1] == ':' ? at - 1 : name[at - 1] == '/' ? at : length;
}

static bool is_event(const char *name, const char *wanted)
{
	const size_t length = strlen(wanted);

	return !strncmp(name, wanted, length) && (!name[length] || length == bare_length(name));
}

static bool in_texts(const struct pp_query_test *test, const char *text)
{
	for (uint32_t i = 0; i < test->count; i++)
		if (test->field == PP_QUERY_EVENT ? is_event(text, test->texts[i]) :
						    !strcmp(text, test->texts[i]))
			return true;
	return false;
}

static bool matches(const struct pp_query_test *test, const char *text)
{
	const size_t length = strnlen(text, PP_QUERY_MEMO_TEXT);
	struct pp_query_memo *memo = NULL;
	bool hit;

	if (length < PP_QUERY_MEMO_TEXT) {
		memo = &test->memos[XXH3_64bits(text, length) % PP_QUERY_MEMOS];
		if (memo->verdict && !memcmp(memo->text, text, length + 1))
			return memo->verdict == 2;
	}
	hit = pp_regex_match(test->pattern, text);
	if (memo) {
		memcpy(memo->text, text, length + 1);
		memo->verdict = hit ? 2 : 1;
	}
	return hit;
}

static const char *const modes[] = {
	[PP_MISC_USER] = "user", [PP_MISC_KERNEL] = "kernel", [3] = "hypervisor",
	[PP_MISC_GUEST_KERNEL] = "guest", [PP_MISC_GUEST_USER] = "guest_user",
	[6] = NULL, [7] = NULL,
};

bool pp_query_mode_named(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i] && !strcmp(modes[i], name))
			return true;
	return false;
}

/* perf names the kernel's map for the symbol that it was measured by as well. */
static const char *path_of(const struct pp_map *map)
{
	static const char kernel[] = "[kernel.kallsyms]";

	return map->kernel && !strncmp(map->filename, kernel, sizeof(kernel) - 1) ? kernel :
										    map->filename;
}

static const struct pp_map *map_of(const struct pp_record *r, struct pp_tasks *tasks, unsigned mode,
				   uint64_t ip)
{
	uint32_t pid = 0, tid;

	return tasks && pp_task(r, &pid, &tid) ? pp_tasks_map(tasks, pid, mode, ip) : NULL;
}

static const char *dso_of(const struct pp_record *r, struct pp_tasks *tasks, unsigned mode,
			  uint64_t ip)
{
	const struct pp_map *const map = map_of(r, tasks, mode, ip);

	return map ? path_of(map) : NULL;
}

static const char *hex(char *to, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		to[2 * i] = digits[bytes[i] >> 4];
		to[2 * i + 1] = digits[bytes[i] & 15];
	}
	to[2 * n] = '\0';
	return to;
}

/* ---- Where texts come from ------------------------------------------------------------------- */

/* A text of a record that is no sample; bytes are made hexadecimal digits. */
static const char *own_text(const struct pp_record *r, const struct pp_query_path *path)
{
	struct pp_query_seek seek;
	const char *text;
	uint64_t size;
	size_t length;

	pp_query_seek(&seek, path, r, false);
	if (!pp_query_seek_next(&seek, &size) || !seek.row)
		return NULL;
	if (seek.row->kind == PP_BYTES) {
		length = seek.cursor.count;
		/* Of a build-id not all may count. */
		if (path->is == PP_IS_BUILD_ID && pp_find_u64(r, PP_IS_BUILD_ID_SIZE, &size) &&
		    size < length)
			length = size;
		return hex(path->scratch, seek.cursor.data, length);
	}
	text = pp_walk_text(&seek.cursor, &length);
	memcpy(path->scratch, text, length);
	path->scratch[length] = '\0';
	return path->scratch;
}

static const char *build_id_of(const struct pp_record *r, const struct pp_query_path *path,
			       struct pp_tasks *tasks)
{
	const struct pp_map *map;
	uint64_t ip;

	map = pp_ip(r, &ip) ? map_of(r, tasks, r->misc & PP_MISC_CPUMODE, ip) : NULL;
	return map && map->has_build_id ? hex(path->scratch, map->build_id, map->build_id_size) :
					  NULL;
}

static const char *cgroup_of(const struct pp_record *r, struct pp_query_path *path,
			     struct pp_tasks *tasks)
{
	uint64_t id;

	return tasks && r->type == PP_REC_SAMPLE &&
	       pp_query_load_walked(r, path, true, &id) ? pp_tasks_cgroup(tasks, id) : NULL;
}

/* The text that is asked for, or NULL; `buf` is for the name of a type that has none. */
static const char *text_of(const struct pp_record *r, const struct pp_query_test *test,
			   const struct pp_query_facts *facts, char buf[24])
{
	struct pp_tasks *const tasks = facts->tasks;
	const unsigned mode = r->misc & PP_MISC_CPUMODE;
	uint32_t pid, tid;
	uint64_t ip;

	if (r->type != PP_REC_SAMPLE && pp_query_has_own(r, test->path))
		return own_text(r, test->path);
	switch (test->field) {
	case PP_QUERY_COMM:
		return tasks && pp_query_task(r, &pid, &tid) ? pp_tasks_comm(tasks, pid, tid)
							     : NULL;
	case PP_QUERY_EVENT:
		return r->attr ? r->attr->name : NULL;
	case PP_QUERY_TYPE:
		return pp_type_name(r->type, buf);
	case PP_QUERY_MODE:
		return modes[mode];
	case PP_QUERY_DSO:
		return pp_ip(r, &ip) ? dso_of(r, tasks, mode, ip) : NULL;
	case PP_QUERY_BUILD_ID:
		return build_id_of(r, test->path, tasks);
	case PP_QUERY_CGROUP_PATH:
		return cgroup_of(r, test->path, tasks);
	case PP_QUERY_WALKED:
		return test->path->is_trace ? pp_query_trace_text(test->path, r, facts) : NULL;
	default:
		return NULL;
	}
}

/* ---- Tests ----------------------------------------------------------------------------------- */

bool pp_query_text_is(const struct pp_query_test *test, const char *text)
{
	if (test->kind == PP_TEST_DEFINED)
		return true;
	return (test->kind == PP_TEST_TEXTS ? in_texts(test, text) :
		test->kind == PP_TEST_GLOB ? pp_query_glob(*test->texts, text) :
					     matches(test, text)) != test->negate;
}

/* any_dso: of ip, then of what called it; a file that was asked about is not asked again. */
static bool any_dso_holds(const struct pp_query_test *test, const struct pp_record *r,
			  struct pp_tasks *tasks)
{
	const char *path, *last = NULL;
	struct pp_chain chain;
	uint64_t ip;

	if (pp_ip(r, &ip) && (last = dso_of(r, tasks, r->misc & PP_MISC_CPUMODE, ip)) &&
	    pp_query_text_is(test, last))
		return true;
	if (!pp_query_chain(&chain, r))
		return false;
	while (pp_chain_next(&chain, &ip)) {
		path = dso_of(r, tasks, chain.mode, ip);
		if (path && path != last && pp_query_text_is(test, path))
			return true;
		last = path;
	}
	return false;
}

bool pp_query_is_text(const struct pp_query_test *test)
{
	if (test->field == PP_QUERY_WALKED)
		return test->path->text;
	return test->field < PP_QUERY_FIELD_COUNT &&
	       pp_query_field_rows[test->field].kind == PP_AS_TEXT;
}

bool pp_query_text_holds(const struct pp_query_test *test, const struct pp_record *r,
			 const struct pp_query_facts *facts)
{
	const char *text, *letter;
	char buf[24];
	bool is;

	if (test->field == PP_QUERY_ANY_DSO)
		return any_dso_holds(test, r, facts->tasks);
	text = text_of(r, test, facts, buf);
	if (!text)
		return false;
	letter = test->path && test->path->is_trace ? pp_query_trace_letter(test->path, r) : NULL;
	is = pp_query_text_is(test, text);
	return !letter || is == !test->negate ? is : pp_query_text_is(test, letter);
}

bool pp_query_text_hash(const struct pp_query_test *test, const struct pp_record *r,
			const struct pp_query_facts *facts, uint64_t *value)
{
	const char *text;
	char buf[24];

	text = text_of(r, test, facts, buf);
	if (text)
		*value = XXH3_64bits(text, strlen(text));
	return text != NULL;
}
