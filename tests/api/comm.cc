// comm.cc - counts the samples of each name of a task, of a stream in the order of its times.
#include <perfpipe/perfpipe.h>
#include <iostream>
#include <map>
#include <memory>
#include <string>

int main()
{
	pp_error error;
	pp_budget memory{};
	const std::unique_ptr<pp_tasks, void (*)(pp_tasks *)> tasks(pp_tasks_new(0, &memory), pp_tasks_free);
	const std::unique_ptr<pp_reader, void (*)(pp_reader *)> in(pp_reader_open(nullptr, nullptr, &error),
								  pp_reader_close);
	std::map<std::string, int> count;
	pp_record record;
	uint32_t pid, tid;

	while (in && pp_reader_next(in.get(), &record, &error) == PP_MORE) {
		if (pp_tasks_note(tasks.get(), &record, &error))
			return pp_error_status(&error);
		if (record.type == PP_REC_SAMPLE && pp_task(&record, &pid, &tid))
			count[pp_tasks_comm(tasks.get(), pid, tid)]++;
	}
	for (const auto &[name, n] : count)
		std::cout << n << ' ' << name << '\n';
	return in ? pp_reader_status(in.get()) : 4;
}
