/* merge.h - what the parts of a merge share: its inputs, the events of all as one list, their hosts,
 * and their tracing data as one blob. */
#ifndef PP_MERGE_H
#define PP_MERGE_H

#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/spool.h"
#include "model/attribution.h"

#include <xxhash.h>

/* ---- merge_events.c ---- */

/* An event of one input, and what became of it. */
struct pp_joined {
	uint8_t *attr;                /* its struct perf_event_attr */
	uint32_t size;
	uint32_t out;                 /* ordinal of the event in the output */
	uint64_t id;                  /* there, if a record does not say which of its ids */
	uint8_t id_at;                /* ID in its samples; 0: they have none */
	bool reads;                   /* they have values with ids */
	bool sample_as_is, trailer_as_is;
	bool renumber;                /* a tracepoint whose raw data may have another number now */
};

/* What one input says of events. */
struct pp_member {
	struct pp_attrs *attrs;       /* its reader's */
	struct pp_joined *events;     /* by ordinal */
	size_t n_events, events_room;
	struct pp_idmap renamed;      /* ids that are other ones in the output */
	struct pp_idmap tracepoints;  /* the same of numbers of tracepoints */
	bool foreign;                 /* its raw data are not in the host's byte order */
	int64_t offset;               /* ns that are added to its times */
	uint32_t host;                /* the same of those whose ids are from one host */
	uint32_t cpu;                 /* of the output: the processor of a record without one */
	uint64_t before;              /* times that the offset would have made negative */
};

/* The events of the output. */
struct pp_union {
	struct pp_attrs *attrs;
	struct pp_outevent {
		uint8_t *attr;
		uint32_t size;
		uint64_t *ids;
		size_t n_ids, ids_room;
		char *name;           /* NULL: by type and config */
		const struct pp_member *from;   /* the member that gave it an event last */
	} *events;
	size_t n_events, events_room;
	struct pp_idmap owners;       /* ids to ordinals and hosts */
	uint64_t next_id;             /* larger than all that there are */
	struct pp_member *const *members;   /* the caller's */
	size_t n_members;
	bool identified;              /* all have their ids in one place, by rewriting */
	uint8_t *record;              /* room for one */
};

int pp_union_open(struct pp_union *);           /* 0, or -1: out of memory */
void pp_union_close(struct pp_union *);
void pp_member_close(struct pp_member *);
/* The event of this HEADER_ATTR, which the member's reader has taken.  0, or -1 and *error. */
int pp_member_attr(struct pp_member *, const struct pp_record *, struct pp_error *);
/* Whether all its events only count, as those of perf stat do. */
bool pp_member_counts(const struct pp_member *);
/* A time, which is not 0, as it is in the output. */
uint64_t pp_member_time(const struct pp_member *, uint64_t time);
/* Joins the members' events; those of one member stay apart.  0, or -1 and *error.  The members
 * have to stay where they are. */
int pp_union_join(struct pp_union *, struct pp_member *const *, size_t count, struct pp_error *);
/* One that came later becomes an event of its own: the member's last. */
int pp_union_late(struct pp_union *, struct pp_member *, struct pp_error *);
/* The HEADER_ATTR of an event in u->record: the size, or 0: no room. */
size_t pp_union_attr(struct pp_union *, size_t event);
/* EVENT_DESC of all there: 0 and *size, which is 0 where there is no room, or -1. */
int pp_union_desc(struct pp_union *, size_t *size, struct pp_error *);
/* Writes a record of a member in its output form to `to`, which has PP_RECORD_MAX + 64 bytes.  Its
 * size, or 0 and *error: it cannot be there. */
size_t pp_union_rewrite(struct pp_union *, struct pp_member *, const struct pp_record *,
			uint8_t *to, struct pp_error *);

/* ---- merge_tracing_data.c ---- */

/*
 * The tracing data of `count` inputs as one: *out and *size, to be freed by the caller.  `moved` of
 * each gets the numbers of its tracepoints that others have there.  0, or -1 and *error, PP_E_USE
 * where they do not go together; *culprit is the one that does not.
 */
struct pp_blob { uint8_t *data; size_t size; struct pp_idmap moved; };
int pp_tracing_join(struct pp_blob *, size_t count, uint8_t **out, size_t *size, size_t *culprit,
		    struct pp_error *error);

/* ---- merge_input.c: an input, and what its head said ---- */

/* The head of a record in a queue; its bytes follow, in a multiple of 8. */
struct pp_queued {
	uint64_t time;                /* 0: none */
	uint64_t tail;                /* bytes that wait in the input's file */
	uint32_t type, size;
};

/* What others have to do with an input. */
enum pp_tempo {
	PP_OWES,                      /* they wait for what comes next */
	PP_QUEUED,                    /* it is there */
	PP_IDLE,                      /* it did not come, and they go on without it */
	PP_OVER,
};

struct pp_merge_input {
	struct pp_merge *merge;
	size_t index;
	struct pp_reader *reader;
	const struct pp_stream *stream;
	struct pp_rounds *rounds;
	struct pp_member member;
	struct pp_record first;       /* after the head; read already */
	bool has_first;
	int status;                   /* that what was reported of its records means */
	struct pp_record tailed;      /* its tail has not come as a whole */
	bool in_tail;
	bool read;                    /* to its end */
	bool ended;                   /* and what was held of it is due */
	bool progress;                /* a record came since this was false */
	bool passed;                  /* a round since the last one that was written */
	bool timed;                   /* what it said of how things were at its begin is through */
	bool said;                    /* and it is written */
	bool shifted;                 /* by the caller */
	bool counts;                  /* has no samples, but counts */
	enum pp_tempo pace;
	bool quiet;                   /* nothing has come since its pace was IDLE */
	bool skipped;                 /* its pace was IDLE, so that it may be late */
	uint64_t since;               /* when something came last, ns of CLOCK_MONOTONIC */
	struct pp_merge_late late;
	struct pp_host host;          /* while `apart`: what keeps its records apart */
	struct pp_buffer notes, features, old_names;
	struct pp_spool tracing;      /* its tracing data, until they are written */
	struct pp_buffer updates;      /* EVENT_UPDATEs of the head: the first records after it ... */
	size_t updated;               /* ... of which so many bytes went there */
	struct pp_spool state;        /* how things were at its begin, until `timed` */
	struct pp_buffer queue, copy, moved, made;
	struct pp_attribution files;  /* which of its files build-ids are of that it gives for names */
	size_t at;                    /* of the queue */
	struct {
		struct pp_spool spool;
		uint64_t at, start;
	} spill;                      /* tails */
};

/* These return 1 (there is one), 0 (no more), -1 (the whole merge has to end), or this: one input is
 * waited for, and the others go on. */
enum { PP_NOT_YET = 2 };

struct pp_merge_input *pp_merge_input_new(struct pp_merge *, struct pp_reader *, struct pp_error *error);
void pp_merge_input_close(struct pp_merge_input *);
/* The next record.  Damage is reported and skipped. */
int pp_merge_input_next(struct pp_merge_input *, struct pp_record *, struct pp_error *error);
/* Waits for at most `ms`, or without an end where it is negative. */
void pp_merge_input_wait(const struct pp_merge_input *, int ms);
/* Copies the last record's tail, however long that takes, in place of what was there: 0, 1: it is
 * not whole, which was reported, and nothing is there, -1. */
int pp_merge_input_tail(struct pp_merge_input *, struct pp_spool *to, struct pp_error *error);
/* Keeps what belongs to a head.  0, or -1 and *error: no memory, or too much for one. */
int pp_head_keep(struct pp_buffer *, const void *data, size_t size, struct pp_error *error);
/* Writes the next of m->names: 1, 0: there is none, -1. */
int pp_merge_name(struct pp_merge *, struct pp_error *);
/* Steps through records that were kept; false at the end. */
static inline bool pp_head_each(const struct pp_buffer *b, size_t *at, struct pp_record *rec)
{
	if (*at >= b->size || pp_record_at(rec, b->data + *at, b->size - *at, NULL))
		return false;
	*at += rec->size;
	return true;
}
bool pp_merge_input_feature(const struct pp_merge_input *, uint64_t number, struct pp_record *);
/* Whether they say the same of it; who says nothing does not contradict. */
bool pp_merge_input_same_feature(const struct pp_merge_input *, const struct pp_merge_input *,
				 uint64_t number);
/* What pp_reader_tail() said when it gave no piece: 0, 1: the tail is not whole, as was reported,
 * PP_NOT_YET, -1. */
int pp_merge_input_tail_ended(struct pp_merge_input *, int got, struct pp_error *error);

/* ---- merge_queue.c: ordered by its own rounds, rewritten, and queued ---- */

/* After the head: makes ready for pp_merge_input_pump().  0, or -1. */
int pp_merge_input_start(struct pp_merge_input *, struct pp_error *error);
/* Reads on until something is queued. */
int pp_merge_input_pump(struct pp_merge_input *, struct pp_error *error);
/* Makes all that is held for its order due, and queues some of it. */
int pp_merge_input_release(struct pp_merge_input *, struct pp_error *error);
/* What is queued first; false: nothing is. */
bool pp_merge_input_peek(const struct pp_merge_input *, struct pp_queued *, const uint8_t **data);
int pp_merge_input_write_tail(struct pp_merge_input *, uint64_t left, struct pp_error *error);

/* ---- merge.c ---- */

struct pp_merge {
	struct pp_merge_options options;
	struct pp_merge_stats stats;
	struct pp_writer *writer;
	struct pp_merge_input **inputs;
	size_t count, inputs_room, heap_room, polls_room;
	struct pp_union events;
	struct pp_member **members;   /* of the inputs */
	struct pp_host *hosts;        /* according to the notes */
	size_t n_hosts;
	struct pp_buffer names;       /* records of names: they go where a round is due, or to the end */
	size_t names_at;              /* those before it were written */
	bool renoted;                 /* they replace what the inputs' notes say of hosts */
	uint64_t cpus, online;        /* processors of all hosts, where they are kept apart; or 0 */
	/* Of those that have something queued, the oldest first. */
	struct pp_turn { uint64_t time; struct pp_merge_input *in; } *heap;
	size_t waiting;
	size_t owing, idle;           /* how many are of that pace */
	struct pollfd *polls;
	uint64_t looked;              /* bytes written since idle inputs were asked */
	uint64_t in_round;            /* bytes since the last round */
	uint64_t newest, bound;       /* the largest time; that when the last round was written ... */
	uint64_t promised;            /* ... and when the one before was: nothing is older now */
	bool rounds;                  /* an input had one */
	bool init_seen, init_written;
	bool tracing_written;
	uint64_t now;                 /* time of the record written last that has one */
	struct pp_same { XXH128_hash_t hash; size_t input; } same[64];   /* of that time */
	size_t n_same;
	struct pp_seen_record { XXH128_hash_t hash; size_t input; } *seen;
	struct pp_index seen_places;  /* 1 + which */
	size_t n_seen, seen_room;
	struct pp_begins {
		size_t done;                  /* inputs that have begun */
		struct pp_idmap told;         /* of a process and an input: what it said */
		struct pp_idmap threads;
		struct pp_heard { uint32_t pid, input; uint64_t start, end; } *heard;   /* maps */
		size_t n_heard;
	} begins;
	uint8_t *piece;
};

enum { PP_PIECE = 1 << 16 };          /* bytes of `piece` */

/* ---- merge_output.c: what leaves, and what is said ---- */

void pp_merge_say(const struct pp_merge *, size_t input, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void pp_merge_say_hint(const struct pp_merge *, size_t input, enum pp_hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void pp_merge_damaged(struct pp_merge_input *, const struct pp_error *error);
/* These return -1. */
int pp_merge_no_memory(struct pp_error *error);
/* A record, or a piece of its tail, that is copied.  0, or -1. */
int pp_merge_write(struct pp_merge *, const void *data, size_t size, struct pp_error *error);
int pp_merge_round(struct pp_merge *, struct pp_error *error);
uint64_t pp_merge_clock(void);        /* CLOCK_MONOTONIC, ns */

/* ---- initial_state.c: what inputs say without a time ---- */

/* Whether another input has said these bytes; `running`: one that has not ended.  1, 0, or -1: out
 * of memory. */
int pp_merge_repeated(struct pp_merge *, size_t input, const uint8_t *data, size_t size,
		      bool running);
/* Keeps a record of the kernel's kinds, as it will be in the output, until the input has begun. */
int pp_merge_input_keep_state(struct pp_merge_input *, const uint8_t *data, size_t size,
			      struct pp_error *error);
/* Before its first record with a time, or at its end: what was kept.  0, or -1. */
int pp_merge_begin(struct pp_merge *, struct pp_merge_input *, uint64_t time, struct pp_error *error);
/* Takes note of a record with a time that is written.  0, or -1: out of memory. */
int pp_merge_hear(struct pp_merge *, const struct pp_merge_input *, const struct pp_record *);
void pp_begins_close(struct pp_merge *);

/* ---- merge_heads.c: what comes before the records ---- */

/* Reads the heads of all inputs and writes that of the output.  0, or -1. */
int pp_merge_heads(struct pp_merge *, struct pp_error *error);
/* What came too late to be in it: 1: it is dealt with, 0: it goes its way, -1. */
int pp_merge_late_head(struct pp_merge_input *, const struct pp_record *, struct pp_error *error);

/* ---- merge_hosts.c: which host each input is from ---- */

/* Finds the hosts, and where they are to be kept apart what does it.  0, or -1. */
int pp_merge_hosts(struct pp_merge *, struct pp_error *error);
/* Whether a note describes a host and nothing else. */
bool pp_is_host_note(const struct pp_record *);

#endif
