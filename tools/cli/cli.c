/* cli.c - the command line: its options and operands. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfpipe/perfpipe.h>

#include "cli/help.h"
#include "cli/suggestions.h"

struct cli_common common;

/* The words of the command line; `next` is the first that was not looked at. */
struct sorted_words {
	int count, next;
	char **items;
};

static const char *parse(const struct option_spec *spec, const char *value)
{
	if (spec->parse)
		return spec->parse(spec->target, value);
	if (spec->kind != OPTION_SWITCH)
		return cli_int(spec, value);
	*(uint64_t *)spec->target |= (unsigned)spec->high;
	return NULL;
}

static void set(const struct option_spec *spec, const char *value)
{
	const char *const lack = help_lack(spec), *const error = lack ? NULL : parse(spec, value);
	const char label[] = { '-', spec->letter, '\0' };
	const char *const dashes = spec->name ? "--" : "";
	const char *const name = spec->name ? spec->name : label;

	if (lack)
		cli_misuse("%s%s: this program was built without %s", dashes, name, lack);
	if (error && value)
		cli_misuse("%s%s: '%s' %s", dashes, name, value, error);
	if (error)
		cli_misuse("%s%s: %s", dashes, name, error);
}

static const char *take_value(struct sorted_words *words, const char *option, const char *arg)
{
	if (words->next == words->count)
		cli_misuse("option '%s' needs an argument: %s", option, arg);
	return words->items[words->next++];
}

/* The next row after `spec` whose name begins with these `length` bytes. */
static const struct option_spec *next_match(const struct option_spec *spec, const char *name,
					    size_t length)
{
	do
		spec = help_next_option(spec);
	while (spec && (!spec->name || strncmp(spec->name, name, length) != 0));
	return spec;
}

static void no_such_name(const char *name, size_t length) __attribute__((noreturn));
static void no_such_name(const char *name, size_t length)
{
	char wanted[PP_NEAREST_NAME], option[PP_NEAREST_NAME], meant[PP_NEAREST_TEXT] = "";
	struct pp_nearest near = { .wanted = wanted };
	const char *cure;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)(length < sizeof(wanted) ? length : 0), name);
	cure = cure_of(cli_name(), wanted);
	for (const struct option_spec *spec = help_next_option(NULL); spec; spec = help_next_option(spec)) {
		if (!spec->name || !spec->help)
			continue;
		snprintf(option, sizeof(option), "--%s", spec->name);
		pp_nearest_consider(&near, option, spec->name);
	}
	if (!*cure)
		pp_nearest_question(&near, meant, sizeof(meant));
	cli_misuse("unknown option '--%.*s'%s%s", (int)length, name, cure, meant);
}

/* The row whose name this is, or the only one that it abbreviates; dies without one. */
static const struct option_spec *find_name(const char *name, size_t length)
{
	const struct option_spec *found = NULL, *other = NULL;
	char whole[64];

	for (const struct option_spec *spec = next_match(NULL, name, length); spec;
	     spec = next_match(spec, name, length)) {
		if (!spec->name[length])
			return spec;
		if (!spec->help)
			continue;
		if (found)
			other = spec;
		else
			found = spec;
	}
	/* perf's own names are not taken for abbreviations: --cpu of pp-stat would be --cputype. */
	snprintf(whole, sizeof(whole), "%.*s", (int)(length < sizeof(whole) ? length : 0), name);
	if (!found || *cure_of(cli_name(), whole))
		no_such_name(name, length);
	if (other)
		cli_misuse("option '--%.*s' is ambiguous: --%s, --%s", (int)length, name,
			   found->name, other->name);
	return found;
}

static void parse_long(struct sorted_words *words, char *word)
{
	const size_t length = strcspn(word + 2, "=");
	const char *const value = word[2 + length] ? word + 2 + length + 1 : NULL;
	const struct option_spec *const spec = find_name(word + 2, length);
	char full[64];

	snprintf(full, sizeof(full), "--%s", spec->name);
	if (spec->kind == OPTION_SWITCH && value)
		cli_misuse("option '%s' takes no argument", full);
	if (spec->kind == OPTION_SWITCH || spec->kind == OPTION_OPTIONAL || value)
		set(spec, value);
	else
		set(spec, take_value(words, full, spec->arg));
}

static const struct option_spec *find_letter(char letter)
{
	for (const struct option_spec *spec = help_next_option(NULL); spec; spec = help_next_option(spec)) {
		if (spec->letter == letter)
			return spec;
	}
	cli_misuse("unknown option '-%c'%s", letter, cure_of(cli_name(), (const char[]){ letter, '\0' }));
}

/* "-x", "-xyz", "-xVALUE", "-x" "VALUE" */
static void parse_letters(struct sorted_words *words, const char *word)
{
	for (const char *at = word + 1; *at; at++) {
		const struct option_spec *const spec = find_letter(*at);
		const char name[] = { '-', *at, '\0' };
		const char *const rest = at[1] ? at + 1 : NULL;

		if (spec->kind == OPTION_SWITCH) {
			set(spec, NULL);
			continue;
		}
		if (rest || spec->kind == OPTION_OPTIONAL)
			set(spec, rest);
		else
			set(spec, take_value(words, name, spec->arg));
		return;
	}
}

/* The row that takes a word like -19, if the tool has one and this is such a word. */
static const struct option_spec *find_level(const char *word)
{
	if (!word[1] || strspn(word + 1, "0123456789") != strlen(word + 1))
		return NULL;
	for (const struct option_spec *spec = help_next_option(NULL); spec; spec = help_next_option(spec)) {
		if (spec->kind == OPTION_LEVEL)
			return spec;
	}
	return NULL;
}

static void parse_word(struct sorted_words *words, char *word)
{
	const struct option_spec *const level = find_level(word);

	if (level)
		set(level, word + 1);
	else if (word[1] == '-')
		parse_long(words, word);
	else
		parse_letters(words, word);
}

/* Counts the words of tool.operands: those that must be there, and those that may. */
static void count_operands(const char *operands, int *least, int *most)
{
	*least = *most = 0;
	while (*operands) {
		const int length = (int)strcspn(operands, " ");

		if (strncmp(operands, "[--]", 4) != 0) {
			*least += *operands != '[';
			if (*most < INT32_MAX)
				++*most;
			if (memmem(operands, (size_t)length, "...", 3))
				*most = INT32_MAX;
		}
		operands += length;
		operands += strspn(operands, " ");
	}
}

static void check_operands(const struct tool *tool, int count, char **operands)
{
	int least, most;

	count_operands(tool->operands, &least, &most);
	if (count > most)
		cli_misuse("unexpected operand '%s'", operands[most]);
	if (count < least)
		cli_misuse("missing operand: %s", tool->operands);
}

/*
 * A descriptor that was closed would be given to the next file that is opened, and
 * messages would land in it.  These fail with EBADF, as a closed one does.
 */
static void hold_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			exit(EXIT_SYSTEM);
	}
}

/* Some parents leave SIGPIPE ignored, or blocked, to their children. */
static void restore_sigpipe(void)
{
	sigset_t pipe_only;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &pipe_only, NULL);
}

static void check_common(void)
{
	if (common.seal && common.no_seal)
		cli_misuse("--seal and --no-seal exclude each other");
	if (common.input && !strcmp(common.input, "-"))
		common.input = NULL;
	if (common.output && !strcmp(common.output, "-"))
		common.output = NULL;
}

/* Only now is it known whether warnings are wanted. */
static void check_folders(const struct tool *tool)
{
	for (const struct option_spec *o = tool->options; o->kind != OPTION_END; o++) {
		const char *const path = o->parse == cli_folder ? *(const char **)o->target : NULL;
		struct stat status;

		if (!path)
			continue;
		errno = ENOTDIR;
		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
			continue;
		cli_warn("--%s: no file can be read below %s: %s", o->name, path, strerror(errno));
	}
}

void cli_input(const char *file)
{
	if (common.input)
		cli_misuse("FILE and --input name the input twice");
	common.input = strcmp(file, "-") ? file : NULL;
}

/* By itself glibc learns from the first large array that is freed to keep the next ones, up to 32 MB each:
 * then those that grow are copied, and leave gaps into which nothing fits that is larger. */
static void return_what_is_freed(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

/* Moves a word before those at `to` and after.  No array is made for them: a refusal ends the process there
 * and then. */
static void move_word(char **words, int from, int to)
{
	char *const word = words[from];

	memmove(words + to + 1, words + to, (size_t)(from - to) * sizeof(*words));
	words[to] = word;
}

/* Whether a -- after so many operands parts two sides, as the first does that follows any. */
static bool parts_sides(const struct tool *tool, size_t count)
{
	const bool parts = tool->two_sides && !common.n_before &&
			   (!tool->two_sides_with || *tool->two_sides_with);

	if (parts) {
		common.parted = true;
		common.n_before = count;
	}
	return parts;
}

int cli_parse(const struct tool *tool, int argc, char **argv)
{
	struct sorted_words words = { .count = argc, .next = argc ? 1 : 0, .items = argv };
	int count = 0, kept = words.next;

	help_for(tool);
	messages.name = tool->name;
	return_what_is_freed();
	hold_descriptors();
	restore_sigpipe();
	while (words.next < argc) {
		char *const word = argv[words.next];
		const int first = words.next;

		if (word[0] != '-' || !word[1]) {
			if (tool->posix_order && !(tool->any_order && *tool->any_order))
				break;
			if (tool->first_operand && !count)
				tool->first_operand(argv + words.next);
			count++;
			words.next++;
			continue;
		}
		words.next++;
		if (strcmp(word, "--") != 0)
			parse_word(&words, word);
		for (int i = first; i < words.next; i++)
			move_word(argv, i, kept++);
		if (!strcmp(word, "--") && !parts_sides(tool, (size_t)count))
			break;
	}
	if (tool->first_operand && !count && words.next < argc)
		tool->first_operand(argv + words.next);
	if (tool->takes_command && words.next < argc)
		common.command = argv + words.next;
	else
		count += argc - words.next;
	check_common();
	check_folders(tool);
	check_operands(tool, count, argv + kept);
	if (count && !strcmp(tool->operands, "[FILE]"))
		cli_input(argv[kept]);
	return kept;
}
