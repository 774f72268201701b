/* perf_map.c - reads the list of code that a process made, which file_finder.c finds. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/kernel_symbols.h"

enum { RANK = 1 };

/* "START SIZE name", both numbers hexadecimal. */
static int note_line(struct pp_symtab *to, char *line)
{
	char *at;
	uint64_t start, size;

	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	line = at + 1;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1])
		return 0;
	return pp_symtab_add(to, start, size, RANK, at + 1, strlen(at + 1));
}

int pp_perf_map_read(struct pp_symtab *to, struct pp_finder *finder, uint32_t pid, struct pp_error *error)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	struct pp_found_file found;
	int failed = 0;
	FILE *file;

	if (pp_finder_code(finder, pid, &found, error) < 0)
		return -1;
	file = found.fd >= 0 ? fdopen(found.fd, "r") : NULL;
	if (found.fd >= 0 && !file) {
		close(found.fd);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	errno = 0;
	while (file && !failed && (length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		failed = note_line(to, line);
	}
	if (file && !failed && (ferror(file) || errno == ENOMEM))
		failed = pp_fail_os(error, "cannot read the list of code of process %" PRIu32, pid);
	else if (failed)
		pp_fail(error, PP_E_NOMEM, NULL);
	free(line);
	if (file)
		(void)fclose(file);
	if (failed)
		return -1;
	pp_symtab_sort(to);
	return 0;
}
