/* damage.h - damages a file of bytes in ways that are counted. */
#ifndef PERFPIPE_DAMAGE_H
#define PERFPIPE_DAMAGE_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Damage to a stream, or to any bytes.  All places refer to the input, whatever else is done to
 * it.  If none is given, the seed chooses one after the first `keep` bytes, which are not flipped
 * either.
 */
enum pp_edit_kind {
	PP_EDIT_INSERT,               /* random bytes */
	PP_EDIT_SPLICE,               /* bytes from elsewhere in the input */
	PP_EDIT_ZERO, PP_EDIT_DROP, PP_EDIT_CUT,
};
enum pp_place { PP_PLACE_ANY, PP_PLACE_BYTE, PP_PLACE_FROM_END, PP_PLACE_FRACTION };
struct pp_edit {
	enum pp_edit_kind what;
	enum pp_place place;
	uint64_t size;
	uint64_t at;                  /* bytes from the beginning, or the end */
	double fraction;              /* of the size, from 0 to 1 */
	uint64_t from;                /* of a SPLICE, chosen by the seed */
};
struct pp_damage {
	uint64_t seed, keep;
	double flip;                  /* probability that a byte is changed */
	struct pp_edit *edits;
	size_t n_edits;
	uint64_t changed;             /* number of bytes that were, set by pp_damage() */
};
/* Replaces the edits (there is room for one) and flips by what the seed chooses. */
void pp_damage_choose(struct pp_damage *, uint64_t size);
/* Turns all places into offsets in an input of this size.  -1 and *error: they are outside of
 * it. */
int pp_damage_plan(struct pp_damage *, uint64_t size, struct pp_error *);
/* Copies `size` bytes from `start` of the file `in` to `out`, damaged as planned.  0, or -1 and
 * *error, whose detail is "cannot read" or "cannot write". */
int pp_damage(struct pp_damage *, int in, int64_t start, uint64_t size, int out, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
