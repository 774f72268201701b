/*
 * procfs.h - what the small files of /proc and /sys hold: text, numbers, lists, names in folders.
 *
 * A path here is as on every machine, "/sys/devices/system/cpu/online": these functions look where
 * <perfpipe/roots.h> says that sysfs, procfs and tracefs are.  Who opens such a file by other means
 * asks pp_rooted() for its name first.
 */
#ifndef PP_PROCFS_H
#define PP_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PP_PATH = 4096 };              /* bytes of the name of a file */
#define PP_TRACEFS     "/sys/kernel/tracing"
#define PP_TRACEFS_OLD "/sys/kernel/debug/tracing"
/* Where `path` is: itself, or in `buf`, below the root that was set for it. */
const char *pp_rooted(char buf[PP_PATH], const char *path);

/* For the whole process: these functions open files and folders (`path` as on every machine) by `fn`
 * from now on, which returns a descriptor, or -1 and errno; NULL: by open(2). */
typedef int pp_opener_fn(void *arg, const char *path, int flags);
void pp_files_open_by(pp_opener_fn *fn, void *arg);
int pp_file_open(const char *path, int flags);  /* a descriptor, or -1 and errno */

/* The text of a small file, NUL-terminated and cut to what fits, without line feeds at the
 * end.  Its length, or -1. */
long pp_file_text(char *buf, size_t size, const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* What stat(2) says of it: 0, or -1 and errno. */
struct stat;
int pp_file_stat(const char *path, struct stat *);
/* Where a symbolic link points; its length, or -1. */
long pp_link_text(char *buf, size_t size, const char *path);
/* All of a file, terminated, to be freed; NULL and errno. */
char *pp_file_all(const char *path, size_t *length);
/* A number, in any base, or `otherwise`. */
uint64_t pp_file_u64(uint64_t otherwise, const char *path, ...)
	__attribute__((format(printf, 2, 3)));

/* The value of the first line "key : value" of a text, cut to what fits; false: there is none, or no text. */
bool pp_line_value(const char *text, const char *key, char *value, size_t size);

/* Names in a folder that `want` likes (NULL: all), sorted, to be freed; 0, or -1 and errno. */
struct pp_names { char **items; size_t n, room; };
int pp_names_read(struct pp_names *, const char *path, bool (*want)(const char *name));
void pp_names_free(struct pp_names *);
bool pp_is_number(const char *);
/* Numbers as in "0-3,8" to an array, to be freed; the count, or -1. */
long pp_list_parse(const char *text, uint32_t **numbers);

/* Parent and name of a thread.  False: it is gone. */
struct pp_task_stat {
	int32_t ppid;
	char comm[16];
	uint32_t cpu;                 /* where it runs, or ran last */
	bool kernel;                  /* a thread of the kernel, which has no memory of its own */
};
bool pp_task_stat(int32_t pid, int32_t tid, struct pp_task_stat *);
/* The process that a thread belongs to, or -1. */
int32_t pp_task_process(int32_t tid);

/* Whether processes have other numbers here than the kernel has for them, as in most containers. */
bool pp_in_pid_namespace(void);

/* Whether this errno says that memory, descriptors or a device failed, and nothing of the file.
 * These functions leave such a one in errno, whatever they try after it. */
bool pp_lacking(int os);

#endif
