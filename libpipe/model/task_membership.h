/* task_membership.h - ancestors, namespaces and control groups of a task. */
#ifndef PP_TASK_MEMBERSHIP_H
#define PP_TASK_MEMBERSHIP_H

#include <perfpipe/perfpipe.h>

#include "base/budget.h"

/* A process among its ancestors, ended ones too; shared.  NULL where nothing is known. */
struct pp_descent;
/* NULL: no memory. */
struct pp_descent *pp_descent_new(struct pp_budget *, uint32_t pid, struct pp_descent *parent);
void pp_descent_drop(struct pp_budget *, struct pp_descent *);  /* NULL is fine */
/* Another reference to a process without a parent, which gets this one; NULL where it has one, or
 * would be its own ancestor. */
struct pp_descent *pp_descent_adopt(struct pp_descent *, struct pp_descent *parent);
bool pp_descent_has(const struct pp_descent *, uint32_t pid);

/* The namespaces of a thread, shared. */
struct pp_namespaces;
/* As a NAMESPACES record says; the same again, shared, where that is equal.  NULL: no memory. */
struct pp_namespaces *pp_namespaces_of(struct pp_budget *, const struct pp_record *,
				       struct pp_namespaces *same);
struct pp_namespaces *pp_namespaces_share(struct pp_namespaces *);
void pp_namespaces_drop(struct pp_budget *, struct pp_namespaces *);    /* NULL is fine */
bool pp_namespaces_get(const struct pp_namespaces *, unsigned kind, struct pp_namespace *);

/* Paths of control groups by their ids. */
struct pp_groups;
struct pp_groups *pp_groups_new(struct pp_budget *);          /* NULL: out of memory */
void pp_groups_free(struct pp_groups *);        /* NULL is fine */
int pp_groups_add(struct pp_groups *, uint64_t id, const char *path, size_t length); /* 0, -1 */
const char *pp_groups_path(const struct pp_groups *, uint64_t id); /* NULL: none */

#endif
