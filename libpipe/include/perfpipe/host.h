/*
 * host.h - hosts that share a stream: the notes that name them, the numbers that keep them
 * apart.
 */
#ifndef PERFPIPE_HOST_H
#define PERFPIPE_HOST_H

#ifndef PP_UNSTABLE
#error "<perfpipe/host.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/seal.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_HOSTS_MOST = 512, PP_HOST_NAME = 128 };
/*
 * A host, as its note describes it (pp-merge(1) has the format).  If `apart`, `pid` and `cpu` were
 * added to the numbers of its processes and threads (except 0 and -1) and of its processors.
 */
struct pp_host {
	char name[PP_HOST_NAME];      /* without blanks */
	bool apart;
	uint32_t pid, cpu;            /* cpu: a multiple of 64 */
	uint32_t pids, cpus;          /* its own are smaller; 0: unknown.  Not in the note */
};
/* Writes its note after existing ones: 0, or -1 as pp_writer_note(). */
PP_API PP_MUST_CHECK int pp_host_write(struct pp_writer *, size_t number, const struct pp_host *,
				       struct pp_error *);
/* True, *number (smaller than PP_HOSTS_MOST) and *host: this label describes a host. */
PP_API bool pp_host_parse(const struct pp_note *, size_t *number, struct pp_host *);
/* Makes a name of any text. */
PP_API void pp_host_name(struct pp_host *, const char *text, size_t length);
/*
 * Adds the offsets of a host to all numbers of processes and processors of its record, or subtracts
 * them (`back`), in place; a mask of processors changes its size, for which there are `room` bytes.
 * Attributes, features and RAW data are not changed.  0, or -1 and *error: a number cannot be one
 * of this host, or the record is damaged.
 */
PP_API PP_MUST_CHECK int pp_host_move(const struct pp_host *, bool back, struct pp_record *,
				      size_t room,
				      struct pp_error *);
/* The index of the record's host, by its process, else by its processor; or -1: unknown, or of all
 * hosts. */
PP_API int pp_host_of(const struct pp_host *hosts, size_t n, const struct pp_record *);

#ifdef __cplusplus
}
#endif

#endif
