/* perfdata_dir.h - several files as one stream. */
#ifndef PP_PERFDATA_DIR_H
#define PP_PERFDATA_DIR_H

#include "read/reader_chain.h"

struct pp_folder;

/* Opens its files, or those that another has open, `first`, which is closed later; reads nothing.  `attrs` is
 * what all files of the folder say of events; `folder` is borrowed as the stream's name.  NULL and *error. */
struct pp_folder *pp_folder_open(const char *folder, const struct pp_folder *first,
				 const struct pp_reader_options *, struct pp_attrs *attrs,
				 const struct pp_ties *, const struct pp_watch *, struct pp_error *);
/* Reads the head of each, before anything else: 0, or -1 and *error. */
int pp_folder_begin(struct pp_folder *, struct pp_error *);
void pp_folder_close(struct pp_folder *);       /* NULL is fine */
/* As pp_reader_next(), pp_reader_tail() and pp_reader_stream(). */
int pp_folder_next(struct pp_folder *, struct pp_record *, struct pp_error *);
int pp_folder_tail(struct pp_folder *, const void **piece, size_t *size, struct pp_error *);
struct pp_stream *pp_folder_stream(struct pp_folder *);

#endif
