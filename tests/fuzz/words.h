/*
 * words.h - what the fuzz targets of languages share: an input in which bytes from 0x80 on stand for
 * words of the language.  Which words is left to them.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The input with its words in their place.  Its owner frees it. */
static char *expand(const char *const *words, size_t n, const uint8_t *data, size_t size)
{
	size_t longest = 1, at = 0;
	char *text;

	for (size_t i = 0; i < n; i++)
		longest = strlen(words[i]) > longest ? strlen(words[i]) : longest;
	text = malloc(size * longest + 1);
	check(text != NULL);
	for (size_t i = 0; i < size; i++) {
		const char *const word = data[i] < 0x80 ? NULL : words[(data[i] - 0x80) % n];
		const size_t length = word ? strlen(word) : 1;

		memcpy(text + at, word ? word : (const char *)&data[i], length);
		at += length;
	}
	text[at] = '\0';
	return text;
}

#endif
