/* folder.h - several files as one stream. */
#ifndef FOLDER_H
#define FOLDER_H

#include <perfpipe/perfpipe.h>

struct pp_dir;
/* `attrs` is what all of them say of events.  NULL and *error. */
struct pp_dir *pp_dir_open(const char *folder, const struct pp_reader_options *,
			   struct pp_attrs *attrs, struct pp_error *error);
void pp_dir_close(struct pp_dir *);             /* NULL is fine */
int pp_dir_next(struct pp_dir *, struct pp_record *, struct pp_error *error);
int pp_dir_tail(struct pp_dir *, const void **piece, size_t *size, struct pp_error *error);
void pp_dir_tie_call(struct pp_dir *, int (*flush)(void *arg), void *arg);
void pp_dir_watch_tail(struct pp_dir *, uint32_t type, pp_tail_fn *, void *arg);
/* What was met in the i-th of them; NULL past the last. */
const struct pp_stream *pp_dir_stream(const struct pp_dir *, size_t i);
/* A reader of one of them; frees `path`.  All but the `first` (then NULL) are bare: without a
 * header, in the byte order of the first, and telling no events. */
struct pp_reader *pp_reader_open_part(char *path, const struct pp_reader *first,
				      const struct pp_reader_options *, struct pp_attrs *attrs,
				      struct pp_error *error);

#endif
