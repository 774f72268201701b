/*
 * replay.c - a main that feeds files to one fuzz target, so that the seeds and every past find
 * run with any compiler; inventing input is libFuzzer's part.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole of the file in memory of exactly its size, so that ASan sees one byte too many. */
static uint8_t *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long end = -1;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END))
		end = ftell(file);
	rewind(file);
	if (end >= 0 && (data = malloc(end ? (size_t)end : 1)))
		*size = fread(data, 1, (size_t)end, file);
	fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t size = 0;
		uint8_t *data = load(argv[i], &size);

		if (!data) {
			perror(argv[i]);
			return 4;
		}
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	printf("%d files\n", argc - 1);
	return 0;
}
