/* merge.h - what the parts of a merge share: the events of all inputs as one list, and their
 * tracing data as one blob. */
#ifndef PP_MERGE_H
#define PP_MERGE_H

#include "libpipe.h"

/* ---- merge_events.c ---- */

/* Numbers to numbers; open addressing.  No key is UINT64_MAX. */
struct pp_idmap {
	struct pp_idslot { uint64_t key, value; } *slots;   /* key UINT64_MAX: free */
	size_t count, room;
};

/* An event of one input, and what became of it. */
struct pp_joined {
	uint8_t *attr;                /* its struct perf_event_attr */
	uint32_t size;
	uint32_t out;                 /* ordinal of the event in the output */
	uint64_t id;                  /* there, where a record does not tell which of its ids */
	bool sample_as_is, trailer_as_is;
};

/* What one input says of events. */
struct pp_member {
	struct pp_attrs *attrs;       /* its reader's */
	struct pp_joined *events;     /* by ordinal */
	size_t n_events;
	struct pp_idmap renamed;      /* ids that are other ones in the output */
	int64_t offset;               /* ns that are added to its times */
	uint64_t before;              /* times that the offset would have made negative */
};

/* The events of the output. */
struct pp_union {
	struct pp_attrs *attrs;
	struct pp_outevent {
		uint8_t *attr;
		uint32_t size;
		uint64_t *ids;
		size_t n_ids;
		char *name;           /* NULL: by type and config */
		const struct pp_member *from;   /* the member that gave it an event last */
	} *events;
	size_t n_events;
	struct pp_idmap owners;       /* ids to ordinals */
	uint64_t next_id;             /* larger than all that there are */
	bool identified;              /* all tell their ids in one place, since we saw to that */
	uint8_t *record;              /* room for one */
};

int pp_union_open(struct pp_union *);           /* 0, or -1: out of memory */
void pp_union_close(struct pp_union *);
void pp_member_close(struct pp_member *);
/* The event of this HEADER_ATTR, which the member's reader has taken.  0, or -1 and *error. */
int pp_member_attr(struct pp_member *, const struct pp_record *, struct pp_error *);
/* A time, which is not 0, as it is in the output. */
uint64_t pp_member_time(const struct pp_member *, uint64_t time);
/* Joins the members' events; those of one member stay apart.  0, or -1 and *error. */
int pp_union_join(struct pp_union *, struct pp_member *const *, size_t count, struct pp_error *);
/* One that came later becomes an event of its own: the member's last. */
int pp_union_late(struct pp_union *, struct pp_member *, struct pp_error *);
/* The HEADER_ATTR of an event, and EVENT_DESC of all, in u->record: the size, or 0: no room. */
size_t pp_union_attr(struct pp_union *, size_t event);
size_t pp_union_desc(struct pp_union *);
/* Writes a record of a member as it stands in the output to `to`, which has PP_RECORD_MAX + 64
 * bytes.  Its size, or 0 and *error: it cannot be there. */
size_t pp_union_rewrite(struct pp_union *, struct pp_member *, const struct pp_record *,
			uint8_t *to, struct pp_error *);

/* ---- merge_tracing.c ---- */

/*
 * The tracing data of `count` inputs as one: *out and *size, to be freed by the caller.  0, or -1
 * and *error, PP_E_USE where they do not go together; *culprit is the one that does not.
 */
struct pp_blob { const uint8_t *data; size_t size; };
int pp_tracing_join(const struct pp_blob *, size_t count, uint8_t **out, size_t *size,
		    size_t *culprit, struct pp_error *);

#endif
