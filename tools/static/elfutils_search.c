/*
 * elfutils_search.c - trees that elfutils calls, and leaves out of its archives from 0.192 on: linked where
 * they are missing.
 */
#include <search.h>
#include <stddef.h>

/* lib/eu-search.h of elfutils begins it so; a lock that may follow is not taken, since one thread uses each
 * of ours. */
struct search_tree { void *root; };
typedef int compare_fn(const void *, const void *);
typedef void free_fn(void *);

void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, free_fn *free_node);
void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare);
void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare);
void eu_tdestroy(struct search_tree *tree, free_fn *free_node);

void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree *tree, free_fn *free_node)
{
	eu_tdestroy(tree, free_node);
}

void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare)
{
	return tdelete(key, &tree->root, compare);
}

void eu_tdestroy(struct search_tree *tree, free_fn *free_node)
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}
