/* sandbox.h - giving up capabilities and system calls: for good, and for all threads made later. */
#ifndef PP_SANDBOX_H
#define PP_SANDBOX_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sanitizers need calls and memory of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define PP_SANITIZED 1
#endif
#endif
#ifndef PP_SANITIZED
#define PP_SANITIZED 0
#endif
/* AddressSanitizer looks for leaks at the end, in files that it opens then; no other one does. */
#if defined(__SANITIZE_ADDRESS__)
#define PP_SEEKS_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PP_SEEKS_LEAKS 1
#endif
#endif
#ifndef PP_SEEKS_LEAKS
#define PP_SEEKS_LEAKS 0
#endif

/* A system call that stays; of several rows for one number, one has to fit. */
struct pp_call {
	int number;
	const char *why;
	uint8_t argument;             /* the one that is looked at, from 0 */
	uint32_t mask, value;         /* its lower half, masked, has to be this; mask 0: whatever it is */
	int refused;                  /* it does not stay: it fails with this errno, which callers expect, or
				       * PP_CALL_KILLS */
};
enum { PP_CALL_KILLS = -1 };
/* Rows: a call whatever its arguments are, one whose argument fits, and one that is refused.  Those that all
 * lists have are in syscalls.def. */
#define PP_CALL(name, because) { .number = SYS_##name, .why = because }
#define PP_CALL_IF(name, which, bits, wanted, because) \
	{ .number = SYS_##name, .why = because, .argument = which, .mask = bits, .value = wanted }
#define PP_CALL_NOT(name, os, because) { .number = SYS_##name, .why = because, .refused = os }
#define PP_CALL_NO_MORE(name, because) PP_CALL_NOT(name, PP_CALL_KILLS, because)

/* Bit n: capability n. */
uint64_t pp_capabilities(void);
/* Keeps no capability but these, as far as this thread has them.  0, or -1 and *error: also if another
 * thread of this process has more, which only it could give up. */
int pp_sandbox_capabilities(uint64_t kept, struct pp_error *);
/* What may still be done below a folder: giving what is there another name, and removing it; making files to
 * write, too; making files without a name; or reading and making any. */
struct pp_left_folder {
	const char *path;             /* NULL: none */
	enum pp_left { PP_LEFT_NAMES, PP_LEFT_OUTPUTS, PP_LEFT_SPOOLS, PP_LEFT_FILES } left;
};
/* No file can be opened by its name, made, moved or removed from now on (Landlock), but below some folders.
 * 1; 0 where this kernel has no such means; -1 and *error. */
int pp_sandbox_files(const struct pp_left_folder *, size_t n, struct pp_error *);
/*
 * Any call but these kills the process from now on, and no program that it executes can gain
 * privileges.  1; 0 where this kernel or architecture has no such filters, or the program was built
 * with a sanitizer, which needs calls of its own; -1 and *error.
 */
int pp_sandbox_calls(const struct pp_call *, size_t n, struct pp_error *);
/* As that, but calls without a row stay as they are: rows of PP_CALL_KILLS take some away. */
int pp_sandbox_without(const struct pp_call *, size_t n, struct pp_error *);

#endif
