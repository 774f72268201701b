/* message.c - what a tool says on standard error, and the end of a process that cannot continue. */
#include <perfpipe/output.h>

#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_NAMED = 8 };

struct messages messages;

const char *cli_name(void)
{
	return messages.name ? messages.name : program_invocation_short_name;
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

	if (messages.instead) {
		messages.instead(message.line, message.length);
		message.length = 0;
	}
	while (message.length) {
		const ssize_t written = write(STDERR_FILENO, at, message.length);

		if (written < 0 && errno != EINTR)
			break;	/* the reader has gone */
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

/* What is no text, or would move the cursor, as \xNN: it comes from streams and file names. */
static void put_text(const char *text)
{
	static const char digits[] = "0123456789abcdef";

	while (*text) {
		const size_t length = pp_printable(text, strnlen(text, PP_CHARACTER_MOST));
		const unsigned char byte = (unsigned char)*text;

		if (!length) {
			put_byte('\\');
			put_byte('x');
			put_byte(digits[byte >> 4]);
			put_byte(digits[byte & 15]);
			text++;
		}
		for (size_t i = 0; i < length; i++)
			put_byte(*text++);
	}
}

static void begin(void)
{
	if (messages.before)
		messages.before();
	put_text(cli_name());
	put_text(": ");
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
	begin();
	put_text(text);
	put_text(reason ? ": " : "");
	put_text(reason ? reason : "");
	put_byte('\n');
	flush_message();
	free(longer);
}

void cli_pass_on(const char *line)
{
	if (messages.before)
		messages.before();
	put_text(line);
	put_byte('\n');
	flush_message();
}

static void __attribute__((noreturn)) end(int status)
{
	if (messages.at_death)
		messages.at_death(status);
	exit(status);
}

void cli_die(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
	end(status);
}

void cli_die_os(const char *format, ...)
{
	const char *const reason = strerror(errno);
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments, reason);
	va_end(arguments);
	end(EXIT_SYSTEM);
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
	end(EXIT_MISUSE);
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

	if (messages.quiet)
		return;
	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
}

void cli_note(const char *format, ...)
{
	va_list arguments;

	if (!messages.verbose || messages.quiet)
		return;
	va_start(arguments, format);
	say(format, arguments, NULL);
	va_end(arguments);
}

void cli_refuse(const char *what, const char *text, size_t at)
{
	begin();
	put_text(what);
	put_byte('\n');
	put_text("  ");
	for (const char *c = text; *c; c++)
		put_byte((unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c);
	put_byte('\n');
	put_text("  ");
	/* Bytes that continue a character take no column. */
	for (size_t i = 0; i < at && text[i]; i++)
		if ((text[i] & 0xc0) != 0x80)
			put_byte(' ');
	put_byte('^');
	put_byte('\n');
	flush_message();
	end(EXIT_MISUSE);
}

/* Of the files that have no symbols here only the first are named: on a machine with containers there are
 * hundreds. */
static void warn_line(void *arg, const char *text, enum pp_hint hint)
{
	static unsigned named;

	(void)arg;
	if (hint != PP_HINT_FILES || messages.verbose || named++ < FILES_NAMED)
		cli_warn("%s%s", text, cli_cure(hint));
	else if (named == FILES_NAMED + 1)
		cli_warn("no symbols for more files: -v names them all");
}

static void say_line(void *arg, const char *text, enum pp_hint hint)
{
	(void)arg;
	cli_say("%s%s", text, cli_cure(hint));
}

const struct pp_say message_says = { .line = warn_line, .lost = say_line };

void cli_no_memory(void)
{
	cli_die(EXIT_SYSTEM, "out of memory");
}

void *cli_grow(void *array, size_t count, size_t size)
{
	void *const grown = reallocarray(array, count, size);

	if (!grown)
		cli_no_memory();
	return grown;
}

char *cli_text(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		cli_no_memory();
	return text;
}

const char *cli_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
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

void cli_refuse_terminal(int fd)
{
	if (isatty(fd))
		cli_die(EXIT_MISUSE, "a stream is not written to a terminal: pipe it on, as in "
			"'%s | pp-dump', or name a file with -o", cli_name());
}

void cli_refuse_terminal_page(int fd)
{
	if (isatty(fd))
		cli_die(EXIT_MISUSE, "a page is not written to a terminal: name a file with -o, or with >, "
			"as in '%s -o flame.html'", cli_name());
}

void cli_refuse_terminal_input(int fd)
{
	if (isatty(fd))
		cli_die(EXIT_MISUSE, "a stream is not read from a terminal: pipe one in, as in "
			"'pp-record ... | %s', or name a file with -i", cli_name());
}
