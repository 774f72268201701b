/* cli.c - the command line: options, --help, messages; what they mean is the tool's. */
#include "shared/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/output.h"
#include "shared/values.h"

enum {
	HELP_WIDTH  = 80,
	HELP_COLUMN = 28,	/* where the texts of --help begin */
};

struct cli_common common;

static const struct tool *current;

static const char *show_help(void *unused, const char *value);
static const char *show_version(void *unused, const char *value);
static const char *list_options(void *unused, const char *value);
static const char *list_values(void *unused, const char *arg);

/* What every tool has.  A row without help is hidden: it is neither listed nor abbreviated. */
static const struct option_spec builtin[] = {
	OPT_CALL('h', "help", NULL, NULL, show_help, "show this help and exit"),
	OPT_CALL('V', "version", NULL, NULL, show_version, "show the version and exit"),
	OPT_CALL(0, "list-options", NULL, NULL, list_options, NULL),
	OPT_CALL(0, "list-values", "ARG", NULL, list_values, NULL),
	OPT_END
};

/* The row after `spec`, the first after NULL; our rows follow the tool's, then comes NULL. */
static const struct option_spec *next_row(const struct option_spec *spec)
{
	spec = spec ? spec + 1 : current->options;
	if (spec->kind != OPTION_END)
		return spec;
	return spec == builtin + sizeof(builtin) / sizeof(*builtin) - 1 ? NULL : builtin;
}

/* ---- messages ---- */

const char *cli_name(void)
{
	return current ? current->name : program_invocation_short_name;
}

/*
 * What messages are made in: saying that there is no memory takes none.  A message is written at
 * once, so that the stages of a pipeline do not mix theirs.
 */
static struct {
	char text[1 << 14];	/* as the format made it */
	char line[1 << 16];	/* as it is written: whatever is odd takes four bytes */
	size_t length;
} message;

static void flush_message(void)
{
	const char *at = message.line;

	while (message.length) {
		const ssize_t written = write(STDERR_FILENO, at, message.length);

		if (written < 0 && errno != EINTR)
			break;	/* nobody is left to be told */
		at += written > 0 ? written : 0;
		message.length -= written > 0 ? (size_t)written : 0;
	}
	message.length = 0;
}

static void put_byte(char byte)
{
	if (message.length == sizeof(message.line))
		flush_message();
	message.line[message.length++] = byte;
}

/* Bytes of the UTF-8 character at `at`, 0 where there is none. */
static size_t character_length(const unsigned char *at)
{
	const size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 :
			      *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* written longer than need be, halves of UTF-16, and what lies behind Unicode's end */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

static bool is_control(const unsigned char *at)
{
	return *at < ' ' || *at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

/* What is no text, or would move the cursor, as \xNN: it comes from streams and file names. */
static void put_text(const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t length = character_length(at);
		const bool odd = !length || is_control(at);

		for (length += !length; length; length--, at++) {
			if (!odd) {
				put_byte((char)*at);
				continue;
			}
			put_byte('\\');
			put_byte('x');
			put_byte(digits[*at >> 4]);
			put_byte(digits[*at & 15]);
		}
	}
}

static void say(const char *format, va_list arguments, const char *reason)
{
	const char *text = message.text;
	char *longer = NULL;
	va_list again;

	va_copy(again, arguments);
	if (vsnprintf(message.text, sizeof(message.text), format, arguments) >=
	    (int)sizeof(message.text) && vasprintf(&longer, format, again) >= 0)
		text = longer;
	va_end(again);
	put_text(cli_name());
	put_text(": ");
	put_text(text);
	put_text(reason ? ": " : "");
	put_text(reason ? reason : "");
	put_byte('\n');
	flush_message();
	free(longer);
}

void cli_die(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
	output_close(status);
	exit(status);
}

void cli_die_os(const char *format, ...)
{
	const char *const reason = strerror(errno);
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, reason);
	va_end(arguments);
	output_close(EXIT_SYSTEM);
	exit(EXIT_SYSTEM);
}

void cli_misuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
	put_text("Try '");
	put_text(cli_name());
	put_text(" --help'.");
	put_byte('\n');
	flush_message();
	output_close(EXIT_MISUSE);
	exit(EXIT_MISUSE);
}

void cli_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
}

void cli_warn(const char *format, ...)
{
	va_list arguments;

	if (common.quiet)
		return;
	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
}

void cli_note(const char *format, ...)
{
	va_list arguments;

	if (!common.verbose || common.quiet)
		return;
	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
}

void cli_refuse(const char *what, const char *text, int column)
{
	put_text(cli_name());
	put_text(": ");
	put_text(what);
	put_byte('\n');
	put_text("  ");
	put_text(text);
	put_byte('\n');
	for (column += 2; column > 0; column--)
		put_byte(' ');
	put_byte('^');
	put_byte('\n');
	flush_message();
	output_close(EXIT_MISUSE);
	exit(EXIT_MISUSE);
}

bool cli_text_end(FILE *file, char **text)
{
	const bool failed = ferror(file);

	if (fclose(file) || failed || !*text) {
		errno = ENOMEM;
		return false;
	}
	return true;
}

bool cli_color(FILE *file)
{
	const char *const refused = getenv("NO_COLOR");
	const char *const terminal = getenv("TERM");

	return !(refused && *refused) && !(terminal && !strcmp(terminal, "dumb")) &&
	       isatty(fileno(file));
}

void cli_refuse_terminal(int fd)
{
	if (isatty(fd))
		cli_die(EXIT_MISUSE, "a stream is not written to a terminal: pipe it on, as in "
			"'%s | pp-dump', or name a file with -o", cli_name());
}

void cli_refuse_terminal_input(int fd)
{
	if (isatty(fd))
		cli_die(EXIT_MISUSE, "a stream is not read from a terminal: pipe one in, as in "
			"'pp-record ... | %s', or name a file with -i", cli_name());
}

/* ---- values ---- */

static void *grow(void *array, size_t count, size_t size)
{
	void *const grown = reallocarray(array, count, size);

	if (!grown)
		cli_die_os("cannot keep the options");
	return grown;
}

const char *cli_switch(void *target, const char *value)
{
	(void)value;
	*(bool *)target = true;
	return NULL;
}

const char *cli_string(void *target, const char *value)
{
	*(const char **)target = value;
	return NULL;
}

/* Reads decimal digits and steps over them; false where there are none, or too many. */
static bool digits(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	}
	if (p == *at)
		return false;
	*at = p;
	*number = n;
	return true;
}

/* Why digits() read none of this: there are none, or too many. */
static const char *no_digits(const char *value, const char *wrong)
{
	return *value >= '0' && *value <= '9' ? "is too large" : wrong;
}

const char *cli_u64(void *target, const char *value)
{
	const char *at = value;
	uint64_t number;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		const size_t length = strlen(at + 2);

		if (!length || strspn(at + 2, "0123456789abcdefABCDEF") != length)
			return "is not a number";
		if (length > 16)
			return "is too large";
		number = strtoull(at + 2, NULL, 16);
	} else if (!digits(&at, &number)) {
		return no_digits(at, "is not a number");
	} else if (*at) {
		return "is not a number";
	}
	*(uint64_t *)target = number;
	return NULL;
}

const char *cli_size(void *target, const char *value)
{
	static const char units[] = "kmgt";
	const char *at = value;
	uint64_t number;

	if (!digits(&at, &number))
		return no_digits(at, "is not a size such as 4096, 64k, 256M or 2G");
	if (*at) {
		const char *const unit = strchr(units, *at | 0x20);
		const unsigned int shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;

		if (!unit || at[1])
			return "is not a size such as 4096, 64k, 256M or 2G";
		if (number > UINT64_MAX >> shift)
			return "is too large";
		number <<= shift;
	}
	*(uint64_t *)target = number;
	return NULL;
}

const char *cli_time(void *target, const char *value)
{
	static const char wrong[] = "is not a time in seconds, or in ns, us or ms";
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	const char *at = value, *point;
	uint64_t whole = 0, ns = 0, unit = 0;
	const bool begun = digits(&at, &whole);

	if (!begun && *at >= '0' && *at <= '9')
		return "is too large";
	point = *at == '.' ? at++ : at;
	at += strspn(at, "0123456789");
	if (!begun && at - point < 2)
		return wrong;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		unit = strcmp(at, units[i].name) ? unit : units[i].ns;
	if (!unit)
		return wrong;
	if (whole > UINT64_MAX / unit - 1)
		return "is too late";
	whole *= unit;
	while (point < at && ++point < at) {
		unit /= 10;
		if (!unit)
			return "is finer than a nanosecond";
		ns += (uint64_t)(*point - '0') * unit;
	}
	*(uint64_t *)target = whole + ns;
	return NULL;
}

const char *cli_add(void *target, const char *value)
{
	struct cli_list *const list = target;

	list->items = grow(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = value;
	return NULL;
}

const char *cli_ranges(void *target, const char *value)
{
	struct cli_ranges *const ranges = target;
	const char *at = value;

	for (;;) {
		uint64_t first, last;

		if (!digits(&at, &first))
			break;
		last = first;
		if (*at == '-') {
			at++;
			if (!digits(&at, &last))
				break;
		}
		if (last < first || last > UINT32_MAX)
			break;
		ranges->items = grow(ranges->items, ranges->count + 1, sizeof(*ranges->items));
		ranges->items[ranges->count++] = (struct cli_range){
			.first = (uint32_t)first, .last = (uint32_t)last
		};
		if (!*at)
			return NULL;
		if (*at++ != ',')
			break;
	}
	return "is not a list of numbers such as 0-3,8";
}

bool cli_ranges_have(const struct cli_ranges *ranges, uint32_t number)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (number >= ranges->items[i].first && number <= ranges->items[i].last)
			return true;
	}
	return false;
}

static const char *parse_int(const struct option_spec *spec, const char *value)
{
	static char range[64];
	const char *at = value;
	uint64_t size = 0;
	bool negative;
	int64_t number;

	if (!value)
		return "needs a number";
	negative = *at == '-';
	at += negative;
	if (!at[strspn(at, "0123456789")] && *at && !digits(&at, &size)) {
		size = UINT64_MAX;
		at += strlen(at);
	}
	if (*at || at == value + negative)
		return "is not a number";
	number = size > INT32_MAX ? INT32_MAX : (int64_t)size;
	if (negative)
		number = -number;
	if (size > INT32_MAX || number < spec->low || number > spec->high) {
		snprintf(range, sizeof(range), "is not between %d and %d", spec->low, spec->high);
		return range;
	}
	*(int *)spec->target = (int)number;
	return NULL;
}

/* ---- help ---- */

/* What was printed must have arrived: --help > /dev/full is an error too. */
static void finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		cli_die_os("cannot write standard output");
	exit(EXIT_DONE);
}

static void print_wrapped(const char *text, int column, int indent)
{
	while (*text) {
		const int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > HELP_WIDTH - 1) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* "  -z, --compression-level[=LEVEL]" */
static int print_option(const struct option_spec *spec)
{
	int column;

	if (spec->kind == OPTION_LEVEL)
		column = printf("  -%s, ", spec->arg);
	else if (spec->letter)
		column = printf(spec->name ? "  -%c, " : "  -%c", spec->letter);
	else
		column = printf("      ");
	if (spec->name)
		column += printf("--%s", spec->name);
	if (!spec->arg)
		return column;
	if (spec->kind == OPTION_OPTIONAL)
		return column + printf(spec->name ? "[=%s]" : "[%s]", spec->arg);
	return column + printf(spec->name ? "=%s" : " %s", spec->arg);
}

static const char *show_help(void *unused, const char *value)
{
	const struct option_spec *spec = next_row(NULL);

	(void)unused;
	(void)value;
	printf("Usage: %s [OPTIONS]%s%s\n", current->name, *current->operands ? " " : "",
	       current->operands);
	print_wrapped(current->summary, 0, 0);
	if (spec->kind != OPTION_GROUP)
		printf("\nOptions:\n");
	for (; spec; spec = next_row(spec)) {
		int column;

		if (spec->kind == OPTION_GROUP)
			printf("\n%s:\n", spec->name);
		if (!spec->help)
			continue;
		column = print_option(spec);
		if (column > HELP_COLUMN - 2) {
			putchar('\n');
			column = 0;
		}
		printf("%*s", HELP_COLUMN - column, "");
		print_wrapped(spec->help, HELP_COLUMN, HELP_COLUMN);
	}
	if (current->details)
		printf("\n%s%s", current->details,
		       current->details[strlen(current->details) - 1] == '\n' ? "" : "\n");
	putchar('\n');
	print_wrapped(current->status ? current->status :
		      "Exit status: 0 done, 1 check failed, 2 misuse, 3 the input is damaged, "
		      "cut or altered, 4 system error (I/O, permission, memory).", 0, 0);
	finish();
	return NULL;
}

static const char *show_version(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	printf("%s (perfpipe) %s\n", current->name, VERSION);
	finish();
	return NULL;
}

static const char *list_options(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	for (const struct option_spec *spec = next_row(NULL); spec; spec = next_row(spec)) {
		const bool optional = spec->kind == OPTION_OPTIONAL;

		if (!spec->help)
			continue;
		if (spec->kind == OPTION_LEVEL)
			printf("-%s", spec->arg);
		else if (spec->letter)
			printf("-%c", spec->letter);
		printf("\t%s%s\t%s%s%s\t%s\n", spec->name ? "--" : "",
		       spec->name ? spec->name : "", optional ? "[" : "",
		       spec->arg ? spec->arg : "", optional ? "]" : "", spec->help);
	}
	printf("\t\t%s\t\n", current->operands);
	finish();
	return NULL;
}

static const char *list_values(void *unused, const char *arg)
{
	(void)unused;
	values_print(arg);
	finish();
	return NULL;
}

/* ---- parsing ---- */

/* The words of the command line; `next` is the first that was not looked at. */
struct words {
	int count, next;
	char **items;
};

static void set(const struct option_spec *spec, const char *value)
{
	const char *const error =
		spec->parse ? spec->parse(spec->target, value) : parse_int(spec, value);
	const char label[] = { '-', spec->letter, '\0' };
	const char *const dashes = spec->name ? "--" : "";
	const char *const name = spec->name ? spec->name : label;

	if (error && value)
		cli_misuse("%s%s: '%s' %s", dashes, name, value, error);
	if (error)
		cli_misuse("%s%s: %s", dashes, name, error);
}

static const char *take_value(struct words *words, const char *option, const char *arg)
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
		spec = next_row(spec);
	while (spec && (spec->kind == OPTION_GROUP || !spec->name ||
			strncmp(spec->name, name, length) != 0));
	return spec;
}

/* The row whose name this is, or the only one that it abbreviates; dies without one. */
static const struct option_spec *find_name(const char *name, size_t length)
{
	const struct option_spec *found = NULL, *other = NULL;

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
	if (!found)
		cli_misuse("unknown option '--%.*s'", (int)length, name);
	if (other)
		cli_misuse("option '--%.*s' is ambiguous: --%s, --%s", (int)length, name,
			   found->name, other->name);
	return found;
}

static void parse_long(struct words *words, char *word)
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
	for (const struct option_spec *spec = next_row(NULL); spec; spec = next_row(spec)) {
		if (spec->kind != OPTION_GROUP && spec->letter == letter)
			return spec;
	}
	cli_misuse("unknown option '-%c'", letter);
}

/* "-x", "-xyz", "-xVALUE", "-x" "VALUE" */
static void parse_letters(struct words *words, const char *word)
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
	for (const struct option_spec *spec = next_row(NULL); spec; spec = next_row(spec)) {
		if (spec->kind == OPTION_LEVEL)
			return spec;
	}
	return NULL;
}

static void parse_word(struct words *words, char *word)
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

static void check_operands(int count, char **operands)
{
	int least, most;

	count_operands(current->operands, &least, &most);
	if (count > most)
		cli_misuse("unexpected operand '%s'", operands[most]);
	if (count < least)
		cli_misuse("missing operand: %s", current->operands);
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

void cli_input(const char *file)
{
	if (common.input)
		cli_misuse("FILE and --input name the input twice");
	common.input = strcmp(file, "-") ? file : NULL;
}

int cli_parse(const struct tool *tool, int argc, char **argv)
{
	struct words words = { .count = argc, .next = argc ? 1 : 0, .items = argv };
	char **const operands = grow(NULL, (size_t)argc + 1, sizeof(*operands));
	int count = 0, kept = words.next;

	current = tool;
	hold_descriptors();
	restore_sigpipe();
	while (words.next < argc) {
		char *const word = argv[words.next];
		const int first = words.next;

		if (word[0] != '-' || !word[1]) {
			if (tool->posix_order)
				break;
			operands[count++] = word;
			words.next++;
			continue;
		}
		words.next++;
		if (strcmp(word, "--") != 0)
			parse_word(&words, word);
		/* Closes the gap that operands left, which stand aside. */
		for (int i = first; i < words.next; i++)
			argv[kept++] = argv[i];
		if (!strcmp(word, "--"))
			break;
	}
	while (words.next < argc)
		operands[count++] = argv[words.next++];
	if (count)
		memcpy(argv + kept, operands, (size_t)count * sizeof(*operands));
	free(operands);
	check_common();
	check_operands(count, argv + kept);
	if (count && !strcmp(tool->operands, "[FILE]"))
		cli_input(argv[kept]);
	return kept;
}
