/* heap.h - binary heaps: an array whose first element comes before all others. */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

/*
 * Defines NAME(heap, count, at, of), which lets heap[at], of `count` elements of TYPE, sink to its
 * place; all below it are at theirs.  BEFORE(of, a, b) says whether *a comes before *b.  A function
 * for each heap, so that the comparison is inlined.  From count / 2 down to 0 it makes a heap of any
 * array; after the first was changed, or replaced by the last, it makes it one again.
 */
#define PP_HEAP(NAME, TYPE, OF, BEFORE) \
static void NAME(TYPE *heap, size_t count, size_t at, OF of) \
{ \
	TYPE const moving = heap[at]; \
	for (size_t child; (child = 2 * at + 1) < count; at = child) { \
		if (child + 1 < count && BEFORE(of, &heap[child + 1], &heap[child])) \
			child++; \
		if (!BEFORE(of, &heap[child], &moving)) \
			break; \
		heap[at] = heap[child]; \
	} \
	heap[at] = moving; \
}

#endif
