/* split_by.h - what distinguishes the pieces of --by. */
#ifndef PP_SPLIT_BY_H
#define PP_SPLIT_BY_H

#include "split/split_hosts.h"
#include "split/piece_files.h"

enum by { BY_EVENT, BY_CPU, BY_PID, BY_COMM, BY_CGROUP, BY_HOST, BY_NONE };

struct keys;

/* A number, or a text.  False: the record does not say. */
struct way {
	const char *name;
	bool (*number)(const struct keys *, const struct pp_record *, uint64_t *);
	bool (*text)(const struct keys *, const struct pp_record *, const char **, size_t *length);
	/* of a piece of AUX trace; or NULL */
	bool (*aux)(const struct keys *, const struct pp_record *, uint64_t *);
};

struct keys {
	const struct way *way;          /* NULL, and BY_NONE: they are cut, not separated */
	enum by by;
	struct pp_sideband *sideband;
	struct pp_tasks *tasks;         /* BY_COMM only */
	struct hosts hosts;
};

/* Finds the way by its name, as --by has it; false: there is none such. */
bool keys_choose(struct keys *, const char *by);

/* What a key that is a number is called, as a part of a file's name: KEY_MAX bytes; the name of one
 * that is a text stays as key_of() made it. */
void keys_name(const struct keys *, uint64_t key, char *name);

/* The key of a record of the kernel, and its name if that is what makes the key. */
static inline bool key_of(const struct keys *keys, const struct pp_record *rec, uint64_t *key,
			  char *name)
{
	const char *text;
	size_t length;

	if (keys->way->number)
		return keys->way->number(keys, rec, key);
	if (!keys->way->text(keys, rec, &text, &length))
		return false;
	pieces_safe_key(name, text, length);
	*key = UINT64_C(14695981039346656037);
	for (const char *at = name; *at; at++)
		*key = (*key ^ (unsigned char)*at) * UINT64_C(1099511628211);
	return true;
}

#endif
