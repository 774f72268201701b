/*
 * tasks.h - names and maps of tasks through time.
 *
 * What is known of a task is what the records so far said of it, so they are fed in the order of
 * their times (struct pp_rounds gives that).  Here a stream that pp-sort(1) wrote:
 *
 *	#include <perfpipe/reader.h>
 *	#include <perfpipe/tasks.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_budget budget = { 0 };
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_tasks *tasks = pp_tasks_new(0, &budget);
 *		struct pp_record record;
 *		uint32_t pid, tid;
 *		int status = 4;
 *
 *		while (in && tasks && pp_reader_next(in, &record, &error) == PP_MORE) {
 *			if (pp_tasks_note(tasks, &record, &error))
 *				return pp_error_status(&error);
 *			if (record.type == PP_REC_SAMPLE && pp_task(&record, &pid, &tid))
 *				printf("%s\n", pp_tasks_comm(tasks, pid, tid));
 *		}
 *		if (in && tasks)
 *			status = pp_reader_status(in);
 *		pp_tasks_free(tasks);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_TASKS_H
#define PERFPIPE_TASKS_H

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names and maps of tasks through time; feed records in time order. */
struct pp_tasks;
struct pp_map {
	uint64_t start, end, pgoff;
	const char *filename;
	uint32_t maj, min;
	uint64_t ino;
	bool has_build_id, kernel;
	uint8_t build_id_size, build_id[20];
	uint32_t file;                /* small number, equal for equal filenames */
	/* Which mapping it is, from 1: the same for what others leave of it, and for those who
	 * inherit it; no other gets it. */
	uint64_t number;
	uint32_t prot, flags;         /* PROT_ and MAP_ bits of an MMAP2; an MMAP has none */
	uint64_t ino_generation;      /* of the inode; 0: not known */
	/* The build-id was given for the filename, and no other file of that name is known: it is the
	 * file's own unless what the machine has there contradicts it. */
	bool id_of_name;
};
/* Makes a HEADER_BUILD_ID of the map's build-id, for its filename; of user space, where ->ino is not 0, for
 * that one of the files of this name.  Its size, or 0: there is no room in a record for such a filename. */
PP_API PP_MUST_CHECK size_t pp_map_build_id(const struct pp_map *, uint8_t made[PP_RECORD_MAX + 1]);
/* Whether a map of this name is memory that programs take for code that they make, as JIT compilers do. */
PP_API bool pp_map_is_for_jit(const char *filename);
/* Whether a map of this name is of a file that can be opened: no memory with a name, no device. */
PP_API bool pp_map_has_file(const char *filename);
enum {                                /* what to keep track of besides names */
	PP_TASKS_MAPS       = 1 << 0,
	PP_TASKS_BUILD_IDS  = 1 << 1, /* of maps whose files have them in separate records */
	PP_TASKS_KIN        = 1 << 2,
	PP_TASKS_NAMESPACES = 1 << 3,
	PP_TASKS_CGROUPS    = 1 << 4,
};
/* NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_tasks *pp_tasks_new(unsigned with, struct pp_budget *);
PP_API void pp_tasks_free(struct pp_tasks *);
/* COMM, FORK, EXIT, MMAP, MMAP2, and as asked for NAMESPACES, CGROUP, HEADER_BUILD_ID and the
 * feature BUILD_ID; others are ignored, including THREAD_MAP, from which perf takes no names
 * either. 0, or -1 and *error: memory, or the limit of the budget. */
PP_API PP_MUST_CHECK int pp_tasks_note(struct pp_tasks *, const struct pp_record *,
				       struct pp_error *);
/* The name of a thread now, as perf script shows it (":123" where none is known, "swapper"
 * for tid 0).  Valid until the next call of pp_tasks_note or pp_tasks_comm. */
PP_API const char *pp_tasks_comm(struct pp_tasks *, uint32_t pid, uint32_t tid);
/* The map that holds an address now, by cpumode of the sample's misc; NULL if none.  Valid until
 * the next call of pp_tasks_map or pp_tasks_note. */
PP_API const struct pp_map *pp_tasks_map(struct pp_tasks *, uint32_t pid, unsigned cpumode,
					 uint64_t ip);
/* Whether a process is this one or one of its descendants. */
PP_API bool pp_tasks_descends(struct pp_tasks *, uint32_t pid, uint32_t from);
/* The namespace that a thread is in now, or its process: 0 net, 1 uts, 2 ipc, 3 pid, 4 user, 5 mnt,
 * 6 cgroup, 7 time, by its inode; false: not known. */
PP_API bool pp_tasks_namespace(struct pp_tasks *, uint32_t pid, uint32_t tid, unsigned kind,
			       uint64_t *inode);
struct pp_namespace {
	uint64_t device, inode;
};
/* The same with the device that the inode is of. */
PP_API bool pp_tasks_namespace_of(struct pp_tasks *, uint32_t pid, uint32_t tid, unsigned kind,
				  struct pp_namespace *);
/* The path of the control group with this id, or NULL; valid until the next call of pp_tasks_note. */
PP_API const char *pp_tasks_cgroup(struct pp_tasks *, uint64_t id);

#ifdef __cplusplus
}
#endif

#endif
