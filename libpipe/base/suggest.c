/* suggest.c - which of the names that there are was perhaps meant. */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { WANTED = PP_NEAREST_NAME / 2 };

/* Single letters to be changed, put in or taken out; large where either name is too long. */
static size_t distance(const char *a, const char *b)
{
	size_t row[PP_NEAREST_NAME], columns = strlen(b);

	if (strlen(a) >= WANTED || columns >= PP_NEAREST_NAME)
		return WANTED;
	for (size_t j = 0; j <= columns; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < columns; j++) {
			const size_t change = corner + (a[i] != b[j]);

			corner = row[j + 1];
			row[j + 1] = row[j] + 1 < corner + 1 ? row[j] + 1 : corner + 1;
			if (change < row[j + 1])
				row[j + 1] = change;
		}
	}
	return row[columns];
}

void pp_nearest_consider(struct pp_nearest *n, const char *name, const char *part)
{
	size_t far = distance(n->wanted, name), i;

	if (part && distance(n->wanted, part) < far)
		far = distance(n->wanted, part);
	if (strlen(n->wanted) > 2 && strstr(name, n->wanted) && far > 1)
		far = 1;
	if (far > (strlen(n->wanted) + 2) / 3)
		return;
	for (i = 0; i < PP_NEAREST; i++)
		if (!strcmp(n->names[i], name))
			return;
	for (i = PP_NEAREST; i && (!*n->names[i - 1] || n->distance[i - 1] > far); i--)
		if (i < PP_NEAREST) {
			memcpy(n->names[i], n->names[i - 1], sizeof(n->names[i]));
			n->distance[i] = n->distance[i - 1];
		}
	if (i < PP_NEAREST) {
		(void)snprintf(n->names[i], sizeof(n->names[i]), "%s", name);
		n->distance[i] = far;
	}
}

void pp_nearest_list(const struct pp_nearest *n, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < PP_NEAREST && *n->names[i]; i++) {
		const int added = snprintf(text + length, size - length, "%s%s", length ? ", " : "",
					   n->names[i]);

		if (added > 0 && (size_t)added < size - length)
			length += (size_t)added;
		text[length] = '\0';
	}
}
