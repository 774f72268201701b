/* kernel.c - reads the symbols of the running kernel and where its modules begin; whether it is the one
 * that was recorded is left to the caller. */
#include "symbol/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/procfs.h"

enum { WEAK = 1, LOCAL, GLOBAL };     /* as in image.c */

/* A hexadecimal number at the start of a line; where it ends, or NULL. */
static const char *number(const char *p, uint64_t *value)
{
	const char *const start = p;

	for (*value = 0; p - start < 17; p++) {
		const unsigned digit = (unsigned char)*p - (unsigned)'0';
		const unsigned letter = ((unsigned char)*p | 32) - (unsigned)'a';

		if (digit > 9 && letter > 5)
			break;
		*value = *value << 4 | (digit <= 9 ? digit : letter + 10);
	}
	return p == start ? NULL : p;
}

/* "ffffffff81000000 T _text", then maybe a tab and "[module]". */
static int note_line(struct pp_kernel *k, const char *line, size_t length)
{
	uint64_t address;
	const char *p = number(line, &address);
	const char *name, *end = line + length;
	uint8_t rank;

	if (!p || end - p < 4 || *p != ' ' || p[2] != ' ' || !address ||
	    !strchr("TtWwDdBb", p[1]))
		return 0;
	name = p + 3;
	end = memchr(name, '\t', (size_t)(end - name)) ? memchr(name, '\t', (size_t)(end - name)) : end;
	rank = toupper((unsigned char)p[1]) == 'W' ? WEAK : isupper((unsigned char)p[1]) ? GLOBAL : LOCAL;
	if (end - name == 5 && !memcmp(name, "_text", 5))
		k->text = address;
	if (pp_symtab_add(&k->symbols, address, 0, rank, name, (size_t)(end - name)))
		return -1;
	k->symbols.items[k->symbols.n - 1].own_code = end == line + length && strchr("TtWw", p[1]);
	return 0;
}

int pp_kernel_read(struct pp_kernel *k, struct pp_error *error)
{
	size_t length;
	char *const text = pp_file_all("/proc/kallsyms", &length);
	const char *p = text;
	int failed = 0;

	*k = (struct pp_kernel){ .hidden = !text, .os = text ? 0 : errno };
	if (!text)
		return pp_lacking(errno) ? pp_fail_os(error, "cannot read /proc/kallsyms") : 0;
	while (!failed && p < text + length) {
		const char *const end = memchr(p, '\n', (size_t)(text + length - p));
		const size_t n = end ? (size_t)(end - p) : (size_t)(text + length - p);

		failed = note_line(k, p, n);
		p += n + 1;
	}
	free(text);
	if (failed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	k->hidden = !k->symbols.n;
	pp_symtab_sort(&k->symbols);
	return 0;
}

void pp_kernel_free(struct pp_kernel *k)
{
	pp_symtab_free(&k->symbols);
}

bool pp_kernel_is(const struct pp_id *id)
{
	struct pp_id here;

	return pp_kernel_build_id(here.bytes, &here.size) == 1 && pp_same_id(&here, id);
}

/* Symbols come in the order of their addresses; before the first of the code are those of one CPU's data. */
bool pp_kernel_text(uint64_t *text)
{
	enum { HEAD = 1 << 16 };
	char head[HEAD];
	const char *at;

	if (pp_file_text(head, sizeof(head), "/proc/kallsyms") <= 0)
		return false;
	at = strstr(head, " _text\n");
	while (at && at > head && at[-1] != '\n')
		at--;
	return at && number(at, text);
}

bool pp_module_name(const char *path, char *name, size_t size)
{
	const char *const slash = strrchr(path, '/');
	const char *const from = *path == '[' ? path + 1 : slash ? slash + 1 : path;
	const char *const end = *path == '[' ? strchr(from, ']') : strstr(from, ".ko");
	const size_t length = end ? (size_t)(end - from) : 0;

	if (!length || length >= size)
		return false;
	for (size_t i = 0; i < length; i++)
		name[i] = from[i] == '-' ? '_' : from[i];
	name[length] = '\0';
	return true;
}

/* "ext4 999424 1 - Live 0xffffffffc0a00000", a line each. */
bool pp_module_start(const char *name, uint64_t *start)
{
	const size_t length = strlen(name);
	size_t size;
	char *const text = pp_file_all("/proc/modules", &size);
	bool found = false;

	for (const char *p = text; p && *p && !found;) {
		const char *const end = strchr(p, '\n');
		const char *const address = strstr(p, " 0x");

		if (!strncmp(p, name, length) && p[length] == ' ' && address && (!end || address < end))
			found = number(address + 3, start) && *start;
		p = end ? end + 1 : NULL;
	}
	free(text);
	return found;
}
