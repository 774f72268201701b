/* map_ids.h - build-ids of files that are mapped, and the process that may open these. */
#ifndef PP_MAP_IDS_H
#define PP_MAP_IDS_H

#include "base/hash.h"
#include "sandbox/helper_process.h"

#include <perfpipe/perfpipe.h>

/* ---- privileged_helper.c: a process that keeps privileges ---- */

/* Seconds that an answer may take: a file may be on a file system whose server is gone. */
enum { PP_KEEPER_SECONDS = 10 };

/* What is to be done, again and again, while an answer is waited for; NULL: nothing. */
struct pp_meanwhile {
	void (*act)(void *arg);
	void *arg;
};

/* All 0: there is none, and this process asks itself. */
struct pp_keeper {
	struct pp_helper process;
	bool closed;                  /* files are opened by the keeper, or not at all */
	bool missed;                  /* it was asked when it had been killed, or */
	bool silent;                  /* it did not answer in time */
	int ended;                    /* how, as of wait(2) */
	struct pp_meanwhile meanwhile;
};
/* Forks a process that keeps what it takes to look at others, if that is `wanted`, and to signal
 * `command` (or 0): the rest it gives up.  From now on it is asked.  0, or -1 and *error. */
int pp_keeper_start(struct pp_keeper *, bool wanted, int32_t command, struct pp_error *);
void pp_keeper_stop(struct pp_keeper *);
/* A file that a process has mapped, as /proc/PID/maps says. */
struct pp_mapped_file {
	int32_t pid;
	uint32_t maj, min;
	uint64_t start, end, ino, generation;     /* generation 0: not known */
	const char *path;
};
/* Opens it, if it is still that; a descriptor, or -1. */
int pp_keeper_mapped(struct pp_keeper *, const struct pp_mapped_file *);
/* Signals the command, if there is a keeper that may. */
void pp_keeper_signal(struct pp_keeper *, int signal);

/* ---- map_ids.c: build-ids of files that are mapped ---- */

/* All 0, but for the keeper, which is lent: nothing is known. */
struct pp_map_ids {
	struct pp_keeper *keeper;
	struct pp_map_id *items;
	size_t n, room;
	struct pp_numbers by_file;    /* 1 + the index, by device, inode and generation */
	uint64_t pass;
	uint64_t begun, before;       /* ns since 1970: when this pass began, and the one before it */
};
/* That of a mapped file, whenever it was mapped, and *size; NULL: it has none, or cannot be opened. */
const uint8_t *pp_map_id_of(struct pp_map_ids *, const struct pp_mapped_file *, uint8_t *size);
/* Nothing is recorded before now. */
void pp_map_ids_since_now(struct pp_map_ids *);
/* A pass begins: files are looked at anew.  It ends: all that was recorded before it began was read. */
void pp_map_ids_begin(struct pp_map_ids *);
void pp_map_ids_end(struct pp_map_ids *);
/* Puts the build-id of the file that was mapped into an MMAP2 record, if that can still be known; in a
 * pass.  True if it did. */
bool pp_map_ids_learn(struct pp_map_ids *, struct pp_record *);
void pp_map_ids_free(struct pp_map_ids *);

#endif
