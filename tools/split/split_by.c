/* split_by.c - what distinguishes the pieces of --by: an event, a CPU, a process, a name, a control group,
 * a host. */
#include "split/split_by.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool number_of_cpu(const struct keys *keys, const struct pp_record *rec, uint64_t *key)
{
	uint32_t cpu;
	const bool said = pp_cpu(rec, &cpu);

	(void)keys;
	if (said)
		*key = cpu;
	return said;
}

static bool number_of_pid(const struct keys *keys, const struct pp_record *rec, uint64_t *key)
{
	uint32_t pid, tid;
	const bool said = pp_task(rec, &pid, &tid);

	(void)keys;
	if (said)
		*key = pid;
	return said;
}

static bool number_of_host(const struct keys *keys, const struct pp_record *rec, uint64_t *key)
{
	const int host = hosts_of(&keys->hosts, rec);

	if (host >= 0)
		*key = (uint64_t)host;
	return host >= 0;
}

static bool cpu_of_aux(const struct keys *keys, const struct pp_record *rec, uint64_t *key)
{
	(void)keys;
	return pp_find_u64(rec, PP_IS_CPU, key) && (*key = (uint32_t)*key) != UINT32_MAX;
}

static bool pid_of_aux(const struct keys *keys, const struct pp_record *rec, uint64_t *key)
{
	uint64_t tid;
	uint32_t pid;

	if (!pp_find_u64(rec, PP_IS_TID, &tid) ||
	    !pp_sideband_process(keys->sideband, (uint32_t)tid, &pid))
		return false;
	*key = pid;
	return true;
}

static bool text_of_event(const struct keys *keys, const struct pp_record *rec, const char **text,
			  size_t *length)
{
	(void)keys;
	if (!rec->attr)
		return false;
	*text = rec->attr->name;
	*length = strlen(*text);
	return true;
}

static bool text_of_comm(const struct keys *keys, const struct pp_record *rec, const char **text,
			  size_t *length)
{
	uint32_t pid, tid;

	if (!pp_task(rec, &pid, &tid))
		return false;
	*text = pp_tasks_comm(keys->tasks, pid, tid);
	*length = strlen(*text);
	return true;
}

/* One that no record named has its number for a path. */
static bool text_of_cgroup(const struct keys *keys, const struct pp_record *rec, const char **text,
			  size_t *length)
{
	static char digits[24];
	uint64_t id;

	if (rec->type != PP_REC_SAMPLE || !pp_find_u64(rec, PP_IS_CGROUP, &id))
		return false;
	if (pp_sideband_cgroup(keys->sideband, rec, text, length))
		return true;
	*length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, id);
	*text = digits;
	return true;
}

static const struct way ways[] = {
	[BY_EVENT] = { "event", NULL, text_of_event, NULL },
	[BY_CPU] = { "cpu", number_of_cpu, NULL, cpu_of_aux },
	[BY_PID] = { "pid", number_of_pid, NULL, pid_of_aux },
	[BY_COMM] = { "comm", NULL, text_of_comm, NULL },
	[BY_CGROUP] = { "cgroup", NULL, text_of_cgroup, NULL },
	[BY_HOST] = { "host", number_of_host, NULL, number_of_host },
};

bool keys_choose(struct keys *keys, const char *by)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(by, ways[i].name))
			continue;
		keys->way = &ways[i];
		keys->by = (enum by)i;
	}
	return keys->way;
}

void keys_name(const struct keys *keys, uint64_t key, char *name)
{
	const char *const host = keys->hosts.items[keys->by == BY_HOST ? key : 0].name;

	if (keys->by == BY_HOST)
		pieces_safe_key(name, host, strlen(host));
	else if (keys->way->number)
		snprintf(name, KEY_MAX, "%" PRId32, (int32_t)key);
}
