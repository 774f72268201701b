/* kernel_symbols.c - reads the symbols of the running kernel and where its modules begin. */
#include "image/kernel_symbols.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/procfs.h"
#include "elf/kallsyms.h"

enum { WEAK = 1, LOCAL, GLOBAL };     /* as in elf_image.c */

static int note_symbol(void *arg, const struct pp_kallsym *symbol, struct pp_error *error)
{
	struct pp_kernel *const k = arg;
	const unsigned char type = (unsigned char)symbol->type;
	const uint8_t rank = toupper(type) == 'W' ? WEAK : isupper(type) ? GLOBAL : LOCAL;

	if (!symbol->address || !type || !strchr("TtWwDdBb", type))
		return 0;
	if (pp_kallsym_is(symbol, "_text"))
		k->text = symbol->address;
	if (pp_symtab_add(&k->symbols, symbol->address, 0, rank, symbol->name, symbol->length))
		return pp_fail(error, PP_E_NOMEM, NULL);
	k->symbols.items[k->symbols.n - 1].own_code = !symbol->module && strchr("TtWw", type);
	return 0;
}

int pp_kernel_read(struct pp_kernel *k, struct pp_error *error)
{
	*k = (struct pp_kernel){ .os = 0 };
	if (pp_kallsyms_read(note_symbol, k, error)) {
		if (error->code == PP_E_NOMEM || pp_lacking(error->os))
			return -1;
		k->os = error->os;
		error->code = PP_OK;
	}
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

static int note_text(void *arg, const struct pp_kallsym *symbol, struct pp_error *error)
{
	uint64_t *const text = arg;

	(void)error;
	if (!pp_kallsym_is(symbol, "_text"))
		return 0;
	*text = symbol->address;
	return 1;
}

/* It is among the first. */
bool pp_kernel_text(uint64_t *text)
{
	struct pp_error error;

	*text = 0;
	return pp_kallsyms_read(note_text, text, &error) == 1;
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

		if (!strncmp(p, name, length) && p[length] == ' ' && address && (!end || address < end)) {
			*start = strtoull(address + 1, NULL, 16);
			found = *start;
		}
		p = end ? end + 1 : NULL;
	}
	free(text);
	return found;
}
