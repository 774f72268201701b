/* pending_records.h - records that are due at some place of a stream. */
#ifndef PP_PENDING_RECORDS_H
#define PP_PENDING_RECORDS_H

#include "model/task_table.h"

enum pp_stage { PP_STAGE_FORK, PP_STAGE_NAMES, PP_STAGE_COMM, PP_STAGE_MAP, PP_STAGE_EXIT };

/* A record that is due, and whose it is now. */
struct pp_pending {
	uint64_t time, seq;           /* not before these: those of the FORK that it came by */
	enum pp_stage stage;          /* at the same moment */
	bool owned;                   /* by pid and tid, also of earlier owners */
	uint32_t pid, tid;
	uint64_t from, to;            /* of a map: its addresses */
	struct pp_stored *kept;         /* of which this has a share */
};
/* All zero but `keep` at first. */
struct pp_pending_list {
	struct pp_record_store *keep;
	struct pp_pending *items;
	size_t count, room;
};
/* What is due of a thread, without a record yet; and of a piece of its process's maps. */
struct pp_pending pp_pending_of(const struct pp_thread *);
struct pp_pending pp_pending_map(const struct pp_maps *, const struct pp_space *piece);
/* Takes a share of due->kept, unless NULL.  0, or -1 (memory). */
int pp_pending_list_add(struct pp_pending_list *, const struct pp_pending *);
void pp_pending_list_sort(struct pp_pending_list *);
/* After sorting: a further piece of a map, after the first. */
bool pp_pending_list_repeat(const struct pp_pending_list *, size_t i);
/* Makes the record, which was read, its owner's; there is room for PP_RECORD_MAX bytes. */
void pp_pending_own(const struct pp_pending *, struct pp_record *);
void pp_pending_list_clear(struct pp_pending_list *);
void pp_pending_list_close(struct pp_pending_list *);

#endif
