/*
 * fleet.h - recordings as tables: files for DuckDB, ClickHouse and others that read Parquet.
 *
 * A fleet is a folder. Each recording adds a file to each of four tables, whose name is the recording's own
 * number, so that it replaces itself where it is written again:
 *
 *	samples/day=D/host=H/ID.parquet: time, event, weight, count, comm, pid, tid, cpu, cgroup,
 *		stack, recording
 *	stacks/day=D/ID.parquet: stack, frames (the outermost first)
 *	frames/day=D/ID.parquet: frame, kind, build_id, dso, offset, inline, func, file, line
 *	recordings/day=D/ID.parquet: recording, key, value
 *
 * Frames and stacks have the same numbers in all recordings: a frame the XXH3 of its build-id and offset, a
 * stack that of its frames.  A file without a build-id is known by its
 * path, device, inode and generation, and its host; what has no file by its function, or else by its address.
 *
 *	struct pp_fleet *fleet = pp_fleet_new();
 *
 *	while (pp_reader_next(in, &record, &error) == PP_MORE) {
 *		got = pp_fold_note(fold, &record, &folded, &error);
 *		if (pp_fleet_record(fleet, &record, &error) ||
 *		    (got > 0 && pp_fleet_sample(fleet, 0, &folded, &error)))
 *			break;
 *	}
 *	failed = pp_fold_settle(fold, places, &error) || pp_fleet_settle(fleet, 0, places, n, &error) ||
 *		 pp_fleet_write(fleet, &all, &where, &error);
 *	pp_fleet_free(fleet);
 */
#ifndef PERFPIPE_FLEET_H
#define PERFPIPE_FLEET_H

#ifndef PP_UNSTABLE
#error "<perfpipe/fleet.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/export.h>
#include <perfpipe/output.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_fleet;

/* NULL: memory. */
PP_API PP_MUST_CHECK struct pp_fleet *pp_fleet_new(void);
PP_API void pp_fleet_free(struct pp_fleet *);          /* NULL is fine */

/* Takes each record as it comes: the number of the recording is that of its last seal, or the XXH3 of its
 * records; and CGROUP records say what control groups are called.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_fleet_record(struct pp_fleet *, const struct pp_record *, struct pp_error *);
/* Takes what became of a sample of the event that has this `number`, folded with `places` and
 * `frames_only`, in the order of their times if that is wanted.  They are kept in a temporary file.  0, or
 * -1 and *error. */
PP_API PP_MUST_CHECK int pp_fleet_sample(struct pp_fleet *, uint32_t number, const struct pp_folded *,
					 struct pp_error *);
/* After the last sample of an event: its nodes have new numbers, places[i] for each of n.  0, or -1 and
 * *error: memory. */
PP_API PP_MUST_CHECK int pp_fleet_settle(struct pp_fleet *, uint32_t number, const uint32_t *places, size_t n,
					 struct pp_error *);

/* Where files go. */
struct pp_fleet_files {
	size_t size;                  /* of this struct: what a caller sets first */
	/* Makes a file of the fleet, of which four are open at most: *out, until it is closed. */
	int (*open)(void *arg, const char *path, struct pp_out **out, struct pp_error *);
	/* It is complete, and flushed.  Samples are the last, so that what they lead to is there. */
	int (*close)(void *arg, struct pp_out *out, struct pp_error *);
	void *arg;
};
/*
 * Writes all of it, once.  Events have their `number`s.  Samples of one span of ->every ns, as the clock
 * counts them, that differ in nothing but their times and weights are one row, whose time is when the span
 * begins, and `count` how many they are; a span that has more rows than fit in 16 MB may have a few of them
 * twice.
 *
 * Where no clock of the wall is known, times are those of the recording, and the day is "unknown"; so is a
 * host without a name.  0, or -1 and *error: memory, the output, what `open` and `close` say; two frames or
 * stacks that have the same number, which is PP_E_LIMIT.
 */
PP_API PP_MUST_CHECK int pp_fleet_write(struct pp_fleet *, const struct pp_export *,
					const struct pp_fleet_files *, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
