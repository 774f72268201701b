/* maps.c - which mapping each sample is in: its number, its bits, and from where to where it lies now. */
#include <perfpipe/perfpipe.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct pp_budget memory = { 0 };
	struct pp_tasks *tasks = pp_tasks_new(PP_TASKS_MAPS, &memory);
	struct pp_reader *in = pp_reader_open(NULL, NULL, NULL);
	struct pp_record record;
	uint32_t pid, tid;
	uint64_t ip;
	int status;

	while (in && tasks && pp_reader_next(in, &record, NULL) == PP_MORE) {
		const struct pp_map *map;

		if (pp_tasks_note(tasks, &record, NULL))
			return 4;
		if (record.type != PP_REC_SAMPLE || !pp_task(&record, &pid, &tid) || !pp_ip(&record, &ip))
			continue;
		map = pp_tasks_map(tasks, pid, record.misc & PP_MISC_CPUMODE, ip);
		if (map)
			printf("%" PRIu32 " %" PRIu64 " %s %#" PRIx32 " %#" PRIx32 " %#" PRIx64 "-%#" PRIx64
			       "\n", pid, map->number, map->filename, map->prot, map->flags, map->start,
			       map->end);
	}
	status = in && tasks ? pp_reader_status(in) : 4;
	pp_tasks_free(tasks);
	pp_reader_close(in);
	return status;
}
