/* span_words.c - states of threads that wait, when they were woken; which system calls, and their errors. */
#include "text/span_words.h"

#include <perfpipe/walk.h>

#include "format/event_ids.h"

#include <string.h>

enum { OUTPUT_OF_BPF = 10, ERRORS_MOST = 4095 };

const struct pp_span_word_row pp_span_word_rows[PP_SPAN_WORD_COUNT] = {
#define X(upper, name, kind, doc) [PP_SPAN_##upper] = { #name, kind, doc },
	PP_SPAN_WORDS(X)
#undef X
};

enum pp_span_word pp_span_word_named(const char *name)
{
	for (unsigned i = PP_SPAN_NO_WORD + 1; i < PP_SPAN_WORD_COUNT; i++)
		if (!strcmp(pp_span_word_rows[i].name, name))
			return (enum pp_span_word)i;
	return PP_SPAN_NO_WORD;
}

/* The events of waits, as pp-span calls them; perf's own have neither addr nor weight. */
static bool is_of_waits(const struct pp_attr *attr)
{
	static const char *const names[] = {
		"offcpu-time", "offcpu-preempted", "offcpu-cut", "offcpu-waker",
		"wakeup", "wakeup-cut", "wakeup-waker",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(attr->name, names[i]))
			return attr->sample_type & PP_SAMPLE_WEIGHT;
	return false;
}

static bool is_of_calls(const struct pp_attr *attr)
{
	return pp_is_audit_arch(attr->config1) || !strcmp(attr->name, "syscalls") ||
	       !strcmp(attr->name, "syscalls-cut");
}

/* Whether an event's last word is this one, as the cut of syscalls-cut. */
static bool ends_with(const char *name, const char *word)
{
	const char *const dash = strrchr(name, '-');

	return dash && !strcmp(dash + 1, word);
}

static bool is_output(const struct pp_attr *attr)
{
	return attr->type == PP_TYPE_SOFTWARE && attr->config == OUTPUT_OF_BPF;
}

bool pp_span_is_of_wakers(const struct pp_attr *attr)
{
	return is_output(attr) && is_of_waits(attr) && ends_with(attr->name, "waker");
}

bool pp_span_says(const struct pp_attr *attr, enum pp_span_word word)
{
	if (!is_output(attr))
		return false;
	switch (word) {
	case PP_SPAN_STATE:
		return attr->plan.addr && is_of_waits(attr) && !pp_span_is_of_wakers(attr);
	case PP_SPAN_WOKEN:
		return is_of_waits(attr);
	case PP_SPAN_SYSCALL:
		return attr->plan.addr && is_of_calls(attr);
	case PP_SPAN_ERROR:
		return is_of_calls(attr) && !ends_with(attr->name, "cut");
	default:
		return false;
	}
}

bool pp_span_woken(const struct pp_record *rec, uint64_t *time)
{
	uint64_t weight, end;

	if (!pp_get_u64(rec, "weight", &weight) || !weight || !pp_time(rec, &end) || weight > end)
		return false;
	*time = end - weight;
	return true;
}

const char *pp_span_state(const struct pp_record *rec, const char **letter)
{
	static const struct { uint64_t bit; const char *name, *letter; } states[] = {
		{ STATE_SLEEPING, "sleeping", "S" }, { STATE_DISK, "disk", "D" },
		{ STATE_STOPPED, "stopped", "T" }, { STATE_TRACED, "traced", "t" },
		{ STATE_PARKED, "parked", "P" }, { STATE_IDLE, "idle", "I" },
	};
	uint64_t state;
	size_t i = 0;

	if (letter)
		*letter = NULL;
	if (!pp_addr(rec, &state))
		return NULL;
	while (i < sizeof(states) / sizeof(*states) && !(state & states[i].bit))
		i++;
	if (i == sizeof(states) / sizeof(*states) && state != STATE_RUNNABLE)
		return "unknown";
	if (letter)
		*letter = state == STATE_RUNNABLE ? "R" : states[i].letter;
	return state == STATE_RUNNABLE ? "runnable" : states[i].name;
}

int pp_span_syscall(const struct pp_record *rec, struct pp_call_names *names, const char **name,
		    struct pp_error *error)
{
	uint64_t number;

	if (!pp_addr(rec, &number))
		return 0;
	*name = pp_call_name(names, (uint32_t)rec->attr->config1, number, error);
	return *name ? 1 : -1;
}

const char *pp_span_error(const struct pp_record *rec, char name[PP_ERROR_NAME])
{
	uint64_t result;

	if (!pp_get_u64(rec, "weight", &result) || result < (uint64_t)-ERRORS_MOST)
		return NULL;
	return pp_call_error((uint32_t)rec->attr->config1, (uint32_t)-result, name);
}
