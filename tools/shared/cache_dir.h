/* cache_dir.h - where tools keep what takes long to find out, from one run to the next. */
#ifndef PP_CACHE_DIR_H
#define PP_CACHE_DIR_H

/* The folder, which need not be there; NULL: the user has none. */
const char *cache_folder(void);

#endif
