/* message.h - what a tool says on standard error, and how it ends where it cannot go on. */
#ifndef PP_MESSAGE_H
#define PP_MESSAGE_H

#include <perfpipe/error.h>
#include <perfpipe/say.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Exit statuses, the same in every tool.  A stage whose reader went away dies
 * by SIGPIPE instead.
 */
enum {
	EXIT_DONE    = 0,
	EXIT_NO      = 1,	/* a check or a comparison that was asked for failed */
	EXIT_MISUSE  = 2,	/* wrong options, operands or expressions */
	EXIT_DAMAGED = 3,	/* the input is damaged, cut or altered */
	EXIT_SYSTEM  = 4,	/* I/O, permission, memory */
};

/* What messages have to know, and who has to know of them. */
extern struct messages {
	const char *name;               /* of the tool; NULL: as the process was called */
	bool quiet, verbose;            /* cli_warn() is not heard; cli_note() is */
	void (*before)(void);           /* called before each; or NULL */
	/* Takes what would be written, with its line feed, where a screen is in use; or NULL. */
	void (*instead)(const char *text, size_t length);
	void (*at_death)(int status);   /* called before the process exits with that; or NULL */
} messages;

/* The name of the tool, for messages made elsewhere. */
const char *cli_name(void);

/*
 * Each message is one line (or more) on standard error: the tool's name, a colon, the text,
 * a line feed.  Texts are lower case, without a full stop; "cannot VERB THING: reason".
 * Control characters, also a line feed, and bytes that are no UTF-8 are shown as \xNN: names in
 * a stream are not trusted.  Saying something takes no memory, except for texts above 16 KB.
 */
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

/*
 * Says it, lets messages.at_death remove or rename the output as `status` asks, exits.  What is
 * still to be written to an output that stays must have been flushed.
 */
void cli_die(int status, const char *format, ...) CLI_PRINTF(2, 3) __attribute__((noreturn));

/* cli_die(EXIT_SYSTEM) with ": " and the text of errno at the end. */
void cli_die_os(const char *format, ...) CLI_PRINTF(1, 2) __attribute__((noreturn));

/* cli_die(EXIT_MISUSE) with a second line "Try 'pp-x --help'." */
void cli_misuse(const char *format, ...) CLI_PRINTF(1, 2) __attribute__((noreturn));

/*
 * cli_die(EXIT_MISUSE) for `text` that was given: below the message it is shown, with a ^ under
 * its byte `at`, from 0.
 */
void cli_refuse(const char *what, const char *text, size_t at) __attribute__((noreturn));

/* Says it, also with --quiet: what is wrong with the input. */
void cli_say(const char *format, ...) CLI_PRINTF(1, 2);

/* Writes a line of another tool as it is, or has it shown as one of this tool. */
void cli_pass_on(const char *line);

/* Says it, unless --quiet. */
void cli_warn(const char *format, ...) CLI_PRINTF(1, 2);

/* Says it with --verbose. */
void cli_note(const char *format, ...) CLI_PRINTF(1, 2);

/* Hands the library's lines to cli_warn(), of files without symbols the first few, or with --verbose all; and
 * what is lost to cli_say(). */
extern const struct pp_say message_says;

/* How a user of the tools gets what the library says would help: the end of its text, or "". */
const char *cli_cure(enum pp_hint);
/* The error with that at the end of its detail. */
struct pp_error cli_cured(const struct pp_error *);
/* pp_error_text() of that. */
void cli_error_text(const struct pp_error *, char *text, size_t size);

/* "out of memory", with EXIT_SYSTEM. */
void cli_no_memory(void) __attribute__((noreturn));
/* As reallocarray(), but never NULL.  The library's own growth is not for its clients. */
void *cli_grow(void *array, size_t count, size_t size);
/* As asprintf(): the text, which is the caller's, and never NULL. */
char *CLI_PRINTF(1, 2) cli_text(const char *format, ...);

/* "" of one, "s" of more or none. */
const char *cli_plural(uint64_t count);

/* Closes what open_memstream() opened on *text: whether the text is all there, and not cut where
 * memory lacked, which fclose() does not say.  Where it is not, errno is ENOMEM. */
bool cli_text_end(FILE *, char **text);

/* Exits with EXIT_MISUSE, saying how to pipe it, if `fd`, where a stream is due, is a terminal. */
void cli_refuse_terminal(int fd);

/* Likewise where a page or a picture is due, for programs that show it. */
void cli_refuse_terminal_page(int fd);

/* Likewise for `fd` from which a stream is to be read. */
void cli_refuse_terminal_input(int fd);

#endif
