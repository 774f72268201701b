/* comm.c - counts the samples of each name of a task, in the order of their times. */
#include <perfpipe/perfpipe.h>
#include <stdio.h>
#include <string.h>

static struct { char name[64]; int n; } seen[1000];

static int count(void *tasks, struct pp_record *record, struct pp_error *error)
{
	uint32_t pid, tid, i = 0;

	if (pp_tasks_note(tasks, record, error))
		return -1;
	if (record->type == PP_REC_SAMPLE && pp_task(record, &pid, &tid)) {
		while (seen[i].n && strcmp(seen[i].name, pp_tasks_comm(tasks, pid, tid)))
			i++;
		seen[i].n += snprintf(seen[i].name, 64, "%s", pp_tasks_comm(tasks, pid, tid)) > 0;
	}
	return PP_DROP;
}

int main(void)
{
	struct pp_budget memory = { 0 };
	struct pp_rounds_options how = { .size = sizeof(how), .judge = count,
					 .arg = pp_tasks_new(0, &memory) };
	struct pp_reader *in = pp_reader_open(NULL, NULL, NULL);
	struct pp_rounds *rounds = in ? pp_rounds_open(&how, in, NULL, NULL) : NULL;
	struct pp_record record;
	int status;

	while (rounds && pp_reader_next(in, &record, NULL) == PP_MORE)
		if (pp_rounds_put(rounds, &record, NULL) < 0)
			return 4;
	for (int i = rounds && !pp_rounds_end(rounds, NULL) ? 0 : 999; seen[i].n; i++)
		printf("%d %s\n", seen[i].n, seen[i].name);
	status = rounds ? pp_reader_status(in) : 4;
	pp_rounds_close(rounds);
	pp_reader_close(in);
	pp_tasks_free(how.arg);
	return status;
}
