/* system_calls.h - names of system calls and of their errors, by the numbers of a machine. */
#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include <perfpipe/error.h>

#include <stdbool.h>
#include <stdint.h>

/* The kernel's number (AUDIT_ARCH_) of a machine, as uname(2) calls it; 0: not known here. */
uint32_t pp_audit_arch(const char *machine);
/* Whether it is one that pp_audit_arch() may return, and not 0. */
bool pp_is_audit_arch(uint64_t number);

/* Those that were asked for.  NULL and *error: PP_E_USE where libseccomp, which has them, is not there. */
struct pp_call_names;
struct pp_call_names *pp_call_names_new(struct pp_error *);
void pp_call_names_free(struct pp_call_names *);        /* NULL is fine */
/* The name, in digits where it is not known; valid until the next call.  NULL and *error: no memory. */
const char *pp_call_name(struct pp_call_names *, uint32_t arch, uint64_t number, struct pp_error *);

/* The name of an error, as in errno(3), in digits where it is not known. */
enum { PP_ERROR_NAME = 24 };
const char *pp_call_error(uint32_t arch, uint32_t number, char name[PP_ERROR_NAME]);

#endif
