/* file_finder.h - the file of a mapping, and its separate debug file: by build-id and path, opened as
 * a regular file and checked. */
#ifndef PP_FILE_FINDER_H
#define PP_FILE_FINDER_H

#include <perfpipe/perfpipe.h>

#include "base/hash.h"

/* A build-id, or none (size 0). */
struct pp_id { uint8_t size, bytes[20]; };

static inline bool pp_same_id(const struct pp_id *a, const struct pp_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* A file as a stream describes it. */
struct pp_wanted_file {
	const char *path;             /* as mapped, such as "/usr/bin/gcc" */
	uint32_t pid;                 /* who mapped it: its mount namespace, while it lives; 0: unknown */
	struct pp_id id;              /* of size 0: the stream does not say */
	uint64_t ino;                 /* 0: not said either; only asked for where there is no id */
	uint64_t ino_generation;      /* 0: not known */
	uint32_t maj, min;
	uint64_t recorded_by;         /* as in struct pp_elf_file, likewise */
	bool id_of_name;              /* the id was given for the path: it has to be this inode, too */
};
enum pp_find_result {
	PP_FILE_MISSING,              /* none of that name, or it cannot be read */
	PP_FILE_FOUND,
	PP_FILE_DIFFERS,              /* there is one of that name, and it is another: said once */
	PP_FILE_SPECIAL,              /* no regular file, or made by the kernel: said once */
	PP_FILE_CHANGED,              /* of PP_ASK_MAPPED alone: it is another by now; said by who asks */
};
struct pp_found_file {
	int fd;                       /* for reading, from 0 on; the caller's to close; -1 unless FOUND */
	struct pp_id id;              /* its own; size 0: it has none */
	char *path;                   /* where it was, for messages and links beside it; to be freed */
};

/* What a finder is asked: which of the functions below, and their arguments. */
struct pp_question {
	enum { PP_ASK_FILE, PP_ASK_DEBUG, PP_ASK_BESIDE, PP_ASK_CODE, PP_ASK_MAPPED, PP_ASK_NOTES,
	       PP_ASK_SOURCE } what;
	uint32_t crc;
	struct pp_wanted_file wanted; /* of DEBUG: ->path is the link; of CODE: only ->pid;
	                                 of NOTES: ->path is the module, or "" */
	struct pp_found_file of;
};

/* How files are looked for.  Strings stay the caller's, and outlive it. */
struct pp_finder_options {
	const char *root;             /* all paths are below it, and no inode counts; NULL: this machine's */
	bool debuginfod;              /* ask $DEBUGINFOD_URLS for what is nowhere else */
	const char *sought;           /* in files, for messages; NULL: "symbols" */
	unsigned deadline;            /* seconds that all such questions may take together; 0: 30 */
	struct pp_say say;
	/* Where this is set nothing is looked for here, but asked: as pp_finder_answer(). */
	int (*ask)(void *arg, const struct pp_question *, struct pp_found_file *, struct pp_error *);
	void *ask_arg;
	/* Has another process read the build-id of an open file, as pp_elf_read_build_id() does; NULL: it is
	 * read here. */
	int (*identify)(void *arg, int fd, struct pp_id *);
	void *identify_arg;
};
struct pp_finder;
struct pp_finder *pp_finder_new(const struct pp_finder_options *);      /* NULL: out of memory */
void pp_finder_free(struct pp_finder *);                        /* NULL is fine */
/* Has build-ids read so from now on. */
void pp_finder_identify(struct pp_finder *, int (*identify)(void *arg, int fd, struct pp_id *), void *arg);

/*
 * The file of a mapping: at its path below the root or in the namespace of who mapped it, in the
 * folders of build-ids, in perf's cache, from debuginfod.  With an id only a file that has it is
 * FOUND.  -1 and *error: memory or descriptors; nothing else is an error.
 */
int pp_finder_open(struct pp_finder *, const struct pp_wanted_file *, struct pp_found_file *,
		   struct pp_error *);
/*
 * The separate debug file of a file that was found: by its build-id, and by the name and sum of its
 * .gnu_debuglink (NULL: it has none).  As pp_finder_open().
 */
int pp_finder_debug(struct pp_finder *, const struct pp_found_file *of, const char *link, uint32_t crc,
		    struct pp_found_file *, struct pp_error *);
/* A file that another names, with the build-id that it must have (dwz); the path may be relative to the
 * folder of `of`.  As pp_finder_open(). */
int pp_finder_beside(struct pp_finder *, const struct pp_found_file *of, const char *path,
		     const struct pp_id *id, struct pp_found_file *, struct pp_error *);
/* A text that debug information names, by its whole path; the same. */
int pp_finder_source(struct pp_finder *, const char *path, struct pp_found_file *, struct pp_error *);
/* The list of code that a process made, perf-PID.map; the same. */
int pp_finder_code(struct pp_finder *, uint32_t pid, struct pp_found_file *, struct pp_error *);
/*
 * Any of these; and, for who looks at it: MAPPED, what is mapped by its path, device and inode alone, and
 * NOTES, those of a module or of the kernel.  Where these cannot be opened: -1 and *error.
 */
int pp_finder_answer(struct pp_finder *, const struct pp_question *, struct pp_found_file *,
		     struct pp_error *);
/* Has a function called with each question and what came of it, as pp_finder_answer(); NULL: no more. */
void pp_finder_watch(struct pp_finder *, void (*watch)(void *arg, const struct pp_question *, int result,
						       const struct pp_found_file *), void *arg);
/* How many files of mappings were found. */
uint64_t pp_finder_files(const struct pp_finder *);
void pp_found_close(struct pp_found_file *);    /* all of it; what has no file is fine */

/* Says a line about a thing, once for each thing. */
void pp_finder_say(struct pp_finder *, enum pp_hint, const char *thing, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same of names that are lost through a file or its owner, which those also read who want no warnings. */
void pp_finder_lost(struct pp_finder *, const char *thing, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- debuginfod.c ---- */

struct pp_debuginfod;
/* NULL: there is no such library, or no server is named: `why` says which. */
struct pp_debuginfod *pp_debuginfod_open(unsigned seconds, const char **why);
void pp_debuginfod_close(struct pp_debuginfod *);               /* NULL is fine */
/* A descriptor, or -1: no server has it, now or before, or the time is used up.  *path is to be freed. */
int pp_debuginfod_find(struct pp_debuginfod *, const struct pp_id *, bool debug, char **path);
/* Whether the deadline passed. */
bool pp_debuginfod_late(const struct pp_debuginfod *);

#endif
