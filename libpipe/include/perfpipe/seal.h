/* seal.h - seals and notes: the contents of FINISHED_ROUND records. */
#ifndef PERFPIPE_SEAL_H
#define PERFPIPE_SEAL_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_SEAL_SIZE = 48 };
enum { PP_SEAL_END = 1, PP_SEAL_UNSEALED = 2, PP_SEAL_DAMAGED = 4 };
struct pp_seal { uint64_t number, bytes, xxh3; uint32_t flags; };
/* True and *seal if this FINISHED_ROUND carries a seal (data in host order). */
PP_API bool pp_is_seal(const struct pp_record *, struct pp_seal *);
/* True if this FINISHED_ROUND carries notes: then it does not end a round. */
PP_API bool pp_is_note(const struct pp_record *);
/* True for a FINISHED_ROUND that ends a round in perf's sense: a plain one, or a seal. */
PP_API bool pp_is_round(const struct pp_record *);

/*
 * The key of a note that stands among the samples, in the place of a round (which it is to perf):
 * events are sampled less often from there on, because records were lost.  Its value says when and
 * how, for people: "at 12.345678901 s: cs: period 1 to 2; cycles: 4000 to 2000 Hz".
 */
#define PP_NOTE_RATE "rate"
/* Likewise, of counts: a run of the command has ended.  What it says is JSON, and perf-pipe(5) has it.
 * Each of them counts, and not only the last. */
#define PP_NOTE_RUN "count.run"
/* The key of a note at the end: how many tasks that were sampled had ended, or had run another program,
 * before --sideband=late looked them up, or could not be looked up, as JSON.  Their samples lack names and
 * maps. */
#define PP_NOTE_LATE "sideband.late"
/* The key of a note at the end of the recording of a command: how many processors others kept busy meanwhile,
 * on average: "0.35". */
#define PP_NOTE_LOAD "load.others"
/* The key of a note in the header: the policy by which the kernel chose the clock of the first processor,
 * such as "performance". */
#define PP_NOTE_GOVERNOR "governor"

/*
 * The key of notes that name events whose chains of user addresses were made of stacks: their callers
 * are return addresses less 1, where the kernel's chains have return addresses.  A number follows,
 * as in "unwound.0"; the value is the event's ids, or "all".
 */
#define PP_NOTE_UNWOUND "unwound"

/* One label, borrowed from its record and not terminated. */
struct pp_note {
	const char *key, *value;
	size_t key_length, value_length;
	bool continues;               /* the value goes on in the next note record, with no key */
};
/* The next label of a note (data in host order); *at is 0 for the first, and where to continue
 * afterwards.  False: there are no more. */
PP_API bool pp_note_next(const struct pp_record *, size_t *at, struct pp_note *);

#ifdef __cplusplus
}
#endif

#endif
