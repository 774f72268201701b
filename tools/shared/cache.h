/* cache.h - where tools keep what takes long to find out, from one run to the next. */
#ifndef CACHE_H
#define CACHE_H

/* The folder, which need not be there; NULL: the user has none. */
const char *cache_folder(void);

#endif
