/*
 * mend.h - the state of one mending, and what its parts need of each other: mend.c begins and ends
 * it, scan.c reads along the input, compressed.c looks into compressed records, damage_report.c keeps what is
 * lost and what times prove, write_mended.c writes what is decided.
 *
 * One window holds what was read.  Scanning goes ahead and leaves marks where something must not be
 * copied as it is; writing follows and stops at a mark that is not decided yet: a record that is
 * far in the future, until others prove it right or wrong, a compressed one whose last record
 * continues in the next, or a place where a round may have been lost.
 */
#ifndef MENDING_H
#define MENDING_H

#include "mend/evidence.h"

enum {
	WINDOW = 16 << 20,            /* the most that is kept of the input */
	PIECE = 1 << 18,              /* bytes read at once: they stay in the cache */
	ROOM = 2 * PIECE,             /* what buffers begin with: they grow as they must */
	MARKS_MOST = 1 << 12,
	NOTE_MOST = 4000,
};

enum mark_kind {
	NOTHING,                      /* was decided: it passes */
	PENDING,                      /* a record in the future */
	MAYBE_ROUND,                  /* a place where a round may have been lost */
	HELD,                         /* a carrier that is sound, but ends inside a record; the feature
				       * COMPRESSED, until there is one */
	DROP,
	REPLACE,                      /* by what a carrier held */
	FIX,                          /* a COMPRESSED2 with a wrong size */
	SEAL, ROUND,                  /* a seal is made anew, or becomes a plain round */
	ZEROS,                        /* made: the rest of a tail */
	MADE,                         /* made: what was lost and can be known */
};

struct mark {
	enum mark_kind kind;
	bool fix;                     /* HELD: becomes FIX where it passes */
	bool due;                     /* MAYBE_ROUND: there is evidence for it */
	bool made;                    /* ROUND, SEAL: of it */
	uint8_t rounds;               /* PENDING, MAYBE_ROUND: FINISHED_ROUNDs since */
	uint32_t type;                /* PENDING: of the record */
	uint32_t above, below;        /* PENDING: later records that are newer, that are older */
	uint32_t flags;               /* SEAL */
	bool right;                   /* SEAL: the input's would be made there again, as nothing is changed */
	uint64_t xxh3;                /* SEAL: the input's */
	uint64_t pos, length;
	size_t attrs;                 /* that were known there */
	uint64_t id;                  /* of the sample before it */
	uint32_t cpu;
	uint64_t lost;                /* LOST is written after it, with this time */
	uint64_t time;                /* PENDING: its own */
	uint64_t before;              /* PENDING: the newest time before it */
	/* MAYBE_ROUND: nothing may be older than `least` before the next round, than `then` after
	 * it */
	uint64_t least, then;
	uint64_t span;                /* of the round before; 0: not known */
	size_t from, to;              /* HELD, REPLACE: bytes expanded; MADE: those; ZEROS: to, how many */
	size_t z_at, z_length;        /* HELD, FIX: the piece of zstd in the record */
};

struct pp_late_attrs;

/* The input, and how far it was gone along: input_window.c's. */
struct pp_mend_input {
	uint8_t *buf;
	size_t room, end;             /* of it; bytes in it */
	uint64_t base;                /* stream offset of buf */
	uint64_t at;                  /* the scan; committed <= at */
	uint64_t last;                /* the record before `at`, which may still be taken back */
	bool eof;
	bool source_cut;              /* a file that ends before its sections do */
	bool sealed_in, ended;        /* it has seals; END was met */
	uint32_t flags;               /* of seals */
	struct pp_sum sum;
	uint8_t head[PP_PIPE_HEADER]; /* which hashes begin with; it may have left the window */
	uint64_t summed;
};

/* What was decided, and what of it left: write_mended.c's. */
struct pp_mend_output {
	struct mark *marks;
	size_t n_marks, first_mark;
	size_t undecided, decided;    /* how many are not decided; those before this one are */
	uint64_t committed;
	struct pp_recovered made;
	bool sealed;
	struct pp_sum sum;            /* but for so many bytes before `committed`, which left as they are */
	uint64_t unsummed;
	bool as_read;                 /* since the last seal, and that one is the input's too */
	uint64_t written;
	struct pp_writer *writer;     /* NULL: nothing is written */
};

/* What was lost, and what is known to judge by beside the evidence: damage_report.c's. */
struct pp_mend_judge {
	struct pp_mended range;       /* that is open */
	bool open;
	bool zeros;                   /* all its bytes are zero */
	char note[NOTE_MOST + 64];
	size_t noted;
	uint64_t told;                /* where the last reported range ended */
	uint64_t sample_bytes, id;    /* of all samples; of the last one */
	uint32_t cpu;
	uint64_t rounds, first_round, last_round;    /* how many there were, and where */
	bool maybe_round;             /* a mark says so */
};

/* Compressed records: compressed.c's. */
struct pp_mend_packed {
	struct pp_carrier carrier;
	struct pp_expand *expand;
	uint8_t *exp;
	size_t exp_room;
	size_t exp_at, exp_end;       /* records up to exp_at are whole */
	size_t whole;                 /* those before it are in marks */
	bool promised;                /* the feature COMPRESSED was met: perf expands nothing without */
	bool plain;                   /* what was compressed leaves plain */
	bool z_lost;                  /* until a frame begins */
	bool exp_lost;                /* until there is evidence for a record */
};

/* What was asked for, and the parts, each of which is reset by the file that has it before the input
 * is gone along once more. */
struct mend {
	struct pp_input source;
	struct pp_mend_stats *stats;
	pp_mend_found_fn *found;
	void *arg;
	struct pp_error *error;
	bool verify, failed;
	bool headless;                /* the header was missing, and is made */
	bool simpleperf;              /* some records are not as they are in a stream */
	uint64_t moved;               /* attributes that are read in front, and come last */
	struct pp_late_attrs *late;         /* where attributes are looked for that come last; or NULL */
	struct pp_evidence known;
	struct pp_mend_input in;
	struct pp_mend_output out;
	struct pp_mend_judge judge;
	struct pp_mend_packed packed;
};

static inline uint8_t *here(const struct mend *m, uint64_t pos)
{
	return m->in.buf + (pos - m->in.base);
}

static inline uint64_t limit(const struct mend *m)
{
	return m->in.base + m->in.end;
}

/* ---- write_mended.c: what leaves ---- */

int pp_mend_open_output(struct pp_mend_output *, int fd);       /* 0, -1: memory */
void pp_mend_reset_output(struct pp_mend_output *);     /* the writer stays */
void pp_mend_close_output(struct pp_mend_output *);     /* after a reset; also of one half opened */

void pp_mend_flush(struct mend *);              /* what was put leaves; a failure ends mending */
void pp_mend_out_of_memory(struct mend *);
/* Twice the room for what is in *buf; false: there is no memory, and mending ends. */
bool pp_mend_grow(struct mend *, uint8_t **buf, size_t *room);
/* Bytes of the output that are not the input's at this place. */
void pp_mend_put(struct mend *, const uint8_t *data, size_t size);
void pp_mend_put_seal(struct mend *, uint32_t flags);
/* All that left is in the sum: what was read may move. */
void pp_mend_sum_committed(struct mend *);
/* A mark after all others; valid until the next. */
struct mark *pp_mend_mark(struct mend *, enum mark_kind, uint64_t pos, uint64_t length);
/* The first mark that is not decided; else the end of all, which is pp_mend_marks_end(). */
struct mark *pp_mend_undecided(struct mend *);
static inline struct mark *pp_mend_marks_end(const struct mend *m)
{
	return m->out.marks + m->out.n_marks;
}
/* Writes up to `pos`, or to what is not decided. */
void pp_mend_commit(struct mend *, uint64_t pos);

/* ---- damage_report.c: what is lost, and what times prove ---- */

void pp_mend_reset_judge(struct pp_mend_judge *);

extern const char pp_mend_too_old[];            /* why a record is dropped that comes too late */
extern const char pp_mend_another[];            /* why all is that comes after the end of this stream */

void pp_mend_tell(struct mend *, const struct pp_mended *);
/* How many samples so many bytes may have held. */
uint64_t pp_mend_estimate(const struct mend *, uint64_t bytes);
/* Bytes that do not leave; they are in the window. */
void pp_mend_drop(struct mend *, uint64_t pos, uint64_t length, const char *what, uint32_t type);
/* A sound record follows at `pos`, or the end: reports what was dropped before it. */
void pp_mend_end_range(struct mend *, uint64_t pos);
void pp_mend_count_record(struct mend *, const struct pp_judged *, size_t size);
/* Nothing that is held is needed any more: it is copied unchanged. */
void pp_mend_release_held(struct mend *);
void pp_mend_count_round(struct mend *);
/* The place where a round may have been lost; NULL: there is none. */
struct mark *pp_mend_round_mark(struct mend *);
/* A time that is no further ahead than this needs no proof. */
uint64_t pp_mend_near(const struct mend *);
/* A record of this time is at the scan.  False: it is older than may be. */
bool pp_mend_take_time(struct mend *, uint64_t length, uint32_t type, uint64_t time, bool may_wait);
/* Decides all that waits: nothing more comes to decide by. */
void pp_mend_judge_rest(struct mend *, bool at_end);

/* ---- late_attrs.c: attributes that come last ---- */

/* The header is in the window, and all that was read: whether no attribute precedes what it
 * describes, as perf record --tail-synthesize and --overwrite have it. */
bool pp_mend_begins_late(struct mend *);
/* Goes through all of it, by `run`, and has it read from now on with its attributes in front.  False:
 * it failed. */
bool pp_mend_put_in_front(struct mend *, void (*run)(struct mend *));
/* An attribute at the scan, of so many bytes. */
void pp_mend_note_late(struct mend *, size_t size);

/* ---- input_window.c: what of the input is at hand ---- */

int pp_mend_open_input(struct pp_mend_input *);         /* 0, -1: memory */
void pp_mend_reset_input(struct pp_mend_input *);       /* the room stays, empty */
void pp_mend_close_input(struct pp_mend_input *);       /* after a reset; also of one half opened */

/* Makes sure of `size` bytes from `pos` on, which is not before the scan: false at the end. */
bool pp_mend_need(struct mend *, uint64_t pos, uint64_t size);
/* What comes before `pos` is in the sum that is compared with the next seal. */
void pp_mend_sum_to(struct mend *, uint64_t pos);

/* ---- scan.c: along the input ---- */

/* The next record.  False at the end. */
bool pp_mend_scan(struct mend *);
/* Leaves out all that follows. */
void pp_mend_drop_rest(struct mend *);

/* ---- compressed.c: what is compressed ---- */

void pp_mend_reset_packed(struct pp_mend_packed *);

/* A carrier that is whole, at the scan. */
void pp_mend_take_carrier(struct mend *, uint32_t type, size_t size);
/* The feature COMPRESSED, at the scan. */
void pp_mend_take_promise(struct mend *, size_t size);
/* What is held leaves plain, and so does all that comes. */
void pp_mend_turn_plain(struct mend *);

#endif
