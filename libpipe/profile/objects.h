/* objects.h - the files that frames are of, by number, together with what kind of frames they are. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "base/table.h"

#include <perfpipe/error.h>

/* All zero is empty. */
struct pp_objects {
	struct pp_object { char *name; size_t length; unsigned kind; } *items;
	size_t count, room;
	struct pp_index by_name;
};

/* The number of a name of a kind: the same for the same.  0, or -1 and *error: memory. */
int pp_objects_number(struct pp_objects *, const char *name, unsigned kind, unsigned *number,
		      struct pp_error *);
void pp_objects_close(struct pp_objects *);

#endif
