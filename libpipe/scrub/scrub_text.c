/* scrub_text.c - what stands for a text: a path by its components, an event or a release by its words. */
#include "scrub/scrub_state.h"

#include "pattern/glob.h"

#include <ctype.h>
#include <string.h>

static int add_text(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	return length ? pp_buffer_add(&s->text, text, length, error) : 0;
}

/* A text that stays. */
static int keep_text(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	return pp_scrub_keep_text(&s->verify, text, length, error) ||
	       add_text(s, text, length, error) ? -1 : 0;
}

static int add_pseudonym(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	char name[PP_PSEUDONYM_LENGTH + 1];

	if (!length)
		return 0;
	return pp_pseudonym_text(&s->names, text, length, name, error) ? -1 :
		add_text(s, name, PP_PSEUDONYM_LENGTH, error);
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	const size_t n = strlen(end);

	return length >= n && !memcmp(text + length - n, end, n);
}

static bool begins_with(const char *text, size_t length, const char *start)
{
	const size_t n = strlen(start);

	return length >= n && !memcmp(text, start, n);
}

/* ---- Words ---- */

static bool is_of_word(char c)
{
	return isalnum((uint8_t)c) || c == '_' || (uint8_t)c >= 0x80;
}

static bool is_all(const char *text, size_t length, const char *of)
{
	for (size_t i = 0; i < length; i++)
		if (!text[i] || !strchr(of, text[i]))
			return false;
	return length > 0;
}

/* A number, or the bits of a raw event; not an address, which has more digits. */
static bool is_number(const char *text, size_t length)
{
	enum { MOST_RAW = 6 };
	static const char hex[] = "0123456789abcdefABCDEF", decimal[] = "0123456789";

	if (is_all(text, length, decimal))
		return true;
	if (length > 2 && length <= 2 + MOST_RAW && text[0] == '0' && text[1] == 'x')
		return is_all(text + 2, length - 2, hex);
	return length > 2 && length <= 1 + MOST_RAW && text[0] == 'r' && is_all(text + 1, length - 1, hex) &&
	       strcspn(text, decimal) < length;
}

/* Letters after an event's name that say what is counted of it. */
static bool is_modifier(const char *text, size_t at, size_t length)
{
	enum { MOST = 3 };
	size_t precise = 0;

	while (precise < length && text[at + precise] == 'p')
		precise++;
	return at && (text[at - 1] == ':' || text[at - 1] == '/') && precise <= MOST &&
	       length - precise <= MOST && is_all(text + at, length, "ukhGHpPDSIW");
}

/* A tracepoint of one of the kernel's systems. */
static bool is_of_kernel(const char *text, size_t length)
{
	const char *const colon = memchr(text, ':', length);
	size_t at;

	if (!colon || !pp_is_kernel_system(text, (size_t)(colon - text)))
		return false;
	for (at = (size_t)(colon - text) + 1; at < length && is_of_word(text[at]); at++)
		if ((uint8_t)text[at] >= 0x80)
			return false;
	return at == length || (text[at] == ':' && is_modifier(text, at + 1, length - at - 1));
}

/* Whether a name is one of those that were to stay. */
static bool is_excepted(const struct pp_scrub *s, const char *name, size_t length)
{
	char copy[256];

	if (!length || length >= sizeof(copy))
		return false;
	memcpy(copy, name, length);
	copy[length] = 0;
	for (size_t at = 0; at < s->patterns_size; at += strlen(s->patterns + at) + 1)
		if (pp_query_glob(s->patterns + at, copy))
			return true;
	return false;
}

static int scrub_words(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	if (is_of_kernel(text, length))
		return keep_text(s, text, length, error);
	for (size_t at = 0, end; at < length; at = end) {
		bool stays;

		for (end = at; end < length && is_of_word(text[end]); end++)
			;
		if (end == at) {
			if (add_text(s, text + end++, 1, error))
				return -1;
			continue;
		}
		stays = is_number(text + at, end - at) || is_modifier(text, at, end - at) ||
			pp_is_common_word(text + at, end - at) ||
			is_excepted(s, text + at, end - at);
		if ((stays ? keep_text : add_pseudonym)(s, text + at, end - at, error))
			return -1;
	}
	return 0;
}

/* ---- Paths ---- */

static size_t without_deleted(const char *path, size_t length)
{
	static const char mark[] = " (deleted)";

	return ends_in(path, length, mark) ? length - (sizeof(mark) - 1) : length;
}

static const char *base_name(const char *path, size_t length)
{
	const char *const slash = memrchr(path, '/', length);

	return slash ? slash + 1 : path;
}

bool pp_scrub_file_stays(const struct pp_scrub *s, const char *path, size_t length)
{
	const char *base;

	length = without_deleted(path, length);
	base = base_name(path, length);
	if (length && path[0] == '[') {
		if (begins_with(path, length, "[kernel.") || begins_with(path, length, "[guest.kernel."))
			return pp_is_special_map(path, length) && is_excepted(s, "kernel", 6);
		return pp_is_special_map(path, length) ||
		       (path[length - 1] == ']' && is_excepted(s, path + 1, length - 2));
	}
	if (begins_with(path, length, "/usr/local/") ||
	    (!begins_with(path, length, "/usr/") && !begins_with(path, length, "/lib")))
		return false;
	return is_excepted(s, base, (size_t)(path + length - base));
}

/* How many bytes of a name are its ending, if that is one that everybody uses. */
static size_t length_of_ending(const char *name, size_t length)
{
	static const char *const endings[] = {
		".so", ".ko", ".ko.xz", ".ko.zst", ".ko.gz", ".py", ".jar", ".js", ".debug", ".dump",
		".map", ".o", ".c", ".cc", ".cpp", ".h", ".hpp", ".rs", ".go", ".S", ".java",
	};
	size_t stem = length;

	/* the version of a library */
	while (stem && (isdigit((uint8_t)name[stem - 1]) || name[stem - 1] == '.'))
		stem--;
	if (stem == length || ends_in(name, stem, ".so"))
		for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
			if (ends_in(name, stem, endings[i]))
				return length - stem + strlen(endings[i]);
	return 0;
}

/* A part of a path, between slashes; that after "modules" is a release. */
static int scrub_component(struct pp_scrub *s, const char *name, size_t length, bool of_modules,
			   struct pp_error *error)
{
	const size_t ending = length_of_ending(name, length);

	if (!length || pp_is_common_folder(name, length))
		return keep_text(s, name, length, error);
	if (of_modules && isdigit((uint8_t)*name))
		return scrub_words(s, name, length, error);
	if (ending == length)
		return add_pseudonym(s, name, length, error);
	return add_pseudonym(s, name, length - ending, error) ||
	       keep_text(s, name + length - ending, ending, error) ? -1 : 0;
}

static int scrub_components(struct pp_scrub *s, const char *path, size_t length, bool base_stays,
			    struct pp_error *error)
{
	bool of_modules = false;

	for (size_t at = 0, end; at <= length; at = end + 1) {
		const char *const slash = at < length ? memchr(path + at, '/', length - at) : NULL;

		end = slash ? (size_t)(slash - path) : length;
		if (!slash && base_stays ? keep_text(s, path + at, end - at, error) :
					   scrub_component(s, path + at, end - at, of_modules, error))
			return -1;
		if (slash && add_text(s, "/", 1, error))
			return -1;
		of_modules = end - at == 7 && !memcmp(path + at, "modules", 7);
	}
	return 0;
}

/* A name in brackets of a module, or of whatever else is no file. */
static int scrub_bracketed(struct pp_scrub *s, const char *path, size_t length, bool stays,
			   struct pp_error *error)
{
	if (stays)
		return keep_text(s, path, length, error);
	if (path[length - 1] != ']' || length < 3)
		return add_pseudonym(s, path, length, error);
	return add_text(s, "[", 1, error) || add_pseudonym(s, path + 1, length - 2, error) ||
	       add_text(s, "]", 1, error) ? -1 : 0;
}

static int scrub_path(struct pp_scrub *s, const char *path, size_t all, struct pp_error *error)
{
	static const char memfd[] = "/memfd:";
	const size_t length = without_deleted(path, all), n = sizeof(memfd) - 1;
	const bool stays = pp_scrub_file_stays(s, path, length);
	int failed;

	if (pp_is_special_map(path, length))
		failed = keep_text(s, path, length, error);
	else if (length && *path == '[')
		failed = scrub_bracketed(s, path, length, stays, error);
	else if (begins_with(path, length, memfd))
		failed = keep_text(s, memfd, n, error) || add_pseudonym(s, path + n, length - n, error);
	else
		failed = scrub_components(s, path, length, stays, error);
	return failed || keep_text(s, path + length, all - length, error) ? -1 : 0;
}

/* ---- Others ---- */

static int scrub_host(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	for (size_t at = 0, end; at < length; at = end) {
		const bool dot = text[at] == '.';

		for (end = at; end < length && (text[end] == '.') == dot; end++)
			;
		if ((dot ? add_text : add_pseudonym)(s, text + at, end - at, error))
			return -1;
	}
	return 0;
}

static int scrub_argument(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	if (pp_is_common_option(text, length))
		return keep_text(s, text, length, error);
	if (length && strchr("/.~", *text) && memchr(text, '/', length))
		return scrub_path(s, text, length, error);
	return scrub_words(s, text, length, error);
}

static int scrub_symbol(struct pp_scrub *s, const char *text, size_t length, struct pp_error *error)
{
	static const char program[] = "bpf_prog_";
	const size_t n = sizeof(program) - 1;

	if (begins_with(text, length, program))
		return keep_text(s, program, n, error) ||
		       add_pseudonym(s, text + n, length - n, error) ? -1 : 0;
	return add_pseudonym(s, text, length, error);
}

int pp_scrub_text(struct pp_scrub *s, enum pp_hide how, const char *text, size_t length,
		  struct pp_error *error)
{
	switch (how) {
	case PP_HIDE_HOST:     return scrub_host(s, text, length, error);
	case PP_HIDE_PATH:     return scrub_path(s, text, length, error);
	case PP_HIDE_WORDS:    return scrub_words(s, text, length, error);
	case PP_HIDE_ARGUMENT: return scrub_argument(s, text, length, error);
	case PP_HIDE_SYMBOL:   return scrub_symbol(s, text, length, error);
	case PP_HIDE_KEEP:     return keep_text(s, text, length, error);
	case PP_HIDE_MACHINE:  return add_text(s, text, length, error);
	default:
		return add_pseudonym(s, text, length, error);
	}
}
