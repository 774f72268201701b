/* suggest.c - which of the names that there are was perhaps meant. */
#include <perfpipe/suggest.h>

#include <stdio.h>
#include <string.h>

enum { WANTED = PP_NEAREST_NAME / 2 };

static size_t smallest(size_t a, size_t b, size_t c)
{
	const size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Single letters to be changed, put in or taken out, and neighbours to be exchanged (optimal string
 * alignment); large where either name is too long. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][PP_NEAREST_NAME + 1], columns = strlen(b);

	if (strlen(a) >= WANTED || columns >= PP_NEAREST_NAME)
		return WANTED;
	for (size_t j = 0; j <= columns; j++)
		rows[0][j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *const row = rows[i % 3];
		const size_t *const above = rows[(i - 1) % 3], *const above_that = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= columns; j++) {
			const size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);

			row[j] = smallest(above[j] + 1, row[j - 1] + 1, change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smallest(row[j], row[j], above_that[j - 2] + 1);
		}
	}
	return rows[strlen(a) % 3][columns];
}

/* Whether the name begins with what was written, or has it, if that is long enough to mean something. */
static int is_piece(const char *wanted, const char *name)
{
	const size_t length = strlen(wanted);

	return (length > 1 && !strncmp(name, wanted, length)) || (length > 2 && strstr(name, wanted));
}

void pp_nearest_consider(struct pp_nearest *n, const char *name, const char *part)
{
	size_t far = distance(n->wanted, name), i;

	if (part && distance(n->wanted, part) < far)
		far = distance(n->wanted, part);
	if (far > 1 && (is_piece(n->wanted, name) || (part && is_piece(n->wanted, part))))
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

void pp_nearest_question(const struct pp_nearest *n, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	/* the name is right: something else is wrong with it */
	if (*n->names[0] && !n->distance[0])
		return;
	for (size_t i = 0; i < PP_NEAREST && *n->names[i]; i++) {
		const int added = snprintf(text + length, size - length, "%s%s?",
					   length ? ", " : "; did you mean ", n->names[i]);

		/* The question mark gives way to the next name. */
		if (added > 0 && (size_t)added < size - length)
			length += (size_t)added - 1;
		else
			text[length] = '\0';
	}
	if (length)
		(void)snprintf(text + length, size - length, "?");
}
