/* cli.h - the command line of a tool: one option table, and its uses. */
#ifndef PP_CLI_H
#define PP_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/message.h"

/*
 * Option tables
 * -------------
 *
 * A tool's options are one array of rows, made with the macros below and ended
 * by OPT_END.  Parsing, --help, --list-options, the shells' completions and the
 * test of the man page are loops over it.
 *
 *	static uint64_t limit = UINT64_MAX;
 *	static bool invert;
 *
 *	static const struct option_spec options[] = {
 *		OPT_EXAMPLE("pp-filter -n 100 in.pipe", "the first hundred samples"),
 *		OPT_U64('n', "limit", "COUNT", &limit, "stop after COUNT samples"),
 *		OPT_SWITCH(0, "invert", &invert, "keep what does not match"),
 *		OPT_COMMON_FILTER,
 *		OPT_END
 *	};
 *
 *	static const struct tool tool = {
 *		.name = "pp-filter",
 *		.summary = "Keep the samples that match",
 *		.purpose = "Cuts a recording down before it is shown.",
 *		.operands = "[EXPRESSION]",
 *		.options = options,
 *	};
 *
 * Letter 0 is no letter.  A target keeps what it was initialised with unless its
 * option is given; given twice, the last one counts (lists grow).  All strings
 * are plain ASCII; help is a phrase, lower case, without a full stop, of any
 * length (--help breaks it).  An argument named FILE is completed to files, one
 * written as "text|json" to these words, and those of completion_values.c, or of tool.value, to what
 * these list.
 *
 * Two or three examples come first.  A heading has at most 12 options.  What perf has and we only
 * accept, or refuse, is in the table too, after OPT_HIDDEN: such rows are parsed like any other, and
 * shown by --list-hidden alone.  The man page names them in one paragraph.
 */
enum option_kind {
	OPTION_END,
	OPTION_EXAMPLE,		/* a command for --help */
	OPTION_GROUP,		/* a heading */
	OPTION_HIDDEN,		/* ends what is shown, up to the next heading */
	/* rows that are options: */
	OPTION_SWITCH,		/* takes no argument */
	OPTION_VALUE,		/* takes an argument */
	OPTION_OPTIONAL,	/* -x[ARG], --name[=ARG] */
	OPTION_LEVEL,		/* --name=ARG or the word -NUMBER */
};

struct option_spec {
	enum option_kind kind;
	char letter;
	const char *name;	/* without dashes; or the heading, or the command */
	const char *arg;
	const char *help;
	/*
	 * Stores `value` (NULL where none was given) in `target`.  Returns NULL, or
	 * the end of a sentence that starts with the quoted value, such as "is not
	 * a number".  `value` lives as long as the process.
	 */
	const char *(*parse)(void *target, const char *value);
	void *target;
	int low, high;		/* of an int; of a switch without `parse`, high: its bits */
};

/* Parsers for the macros, and for use in a tool's own. */
const char *cli_switch(void *target, const char *value);	/* bool, becomes true */
const char *cli_string(void *target, const char *value);	/* const char * */
const char *cli_folder(void *target, const char *value);		/* const char *, and a warning */
const char *cli_u64(void *target, const char *value);		/* uint64_t: 12, 0x1f */
const char *cli_size(void *target, const char *value);		/* uint64_t: 4096, 4k, 256M, 2G */
const char *cli_time(void *target, const char *value);		/* uint64_t ns: 12.5, 12.5s, 5ms */
const char *cli_add(void *target, const char *value);		/* struct cli_list */
const char *cli_key_value(void *target, const char *value);		/* struct cli_list: KEY=VALUE */
const char *cli_ranges(void *target, const char *value);	/* struct cli_ranges */
const char *cli_percent(void *target, const char *value);	/* double: 5, 0.5%, at most 1e6 */
const char *cli_zstd_level(void *target, const char *value);	/* int, 1 to 22; no value: 1 */

/* Likewise, an int between the row's bounds: what a row without a parser means. */
const char *cli_int(const struct option_spec *, const char *value);

/* Strings in the order given; they and the array live as long as the process. */
struct cli_list {
	const char **items;
	size_t count;
};

/* Numbers as in "0-3,8", both ends included, in the order given. */
struct cli_ranges {
	struct cli_range {
		uint32_t first, last;
	} *items;
	size_t count;
};

/* Whether one of the ranges has `number`; false where there are none. */
bool cli_ranges_have(const struct cli_ranges *, uint32_t number);

/* Draws a warning from the compiler where `p` is no `type` *. */
#define CLI_TARGET(type, p) (1 ? (p) : (type *)0)

#define OPT_SWITCH(letter, name, p, help) \
	{ OPTION_SWITCH, letter, name, NULL, help, cli_switch, CLI_TARGET(bool, p), 0, 0 }
/* A switch that adds `bits` to a uint64_t. */
#define OPT_BITS(letter, name, p, bits, help) \
	{ OPTION_SWITCH, letter, name, NULL, help, NULL, CLI_TARGET(uint64_t, p), 0, (bits) }
#define OPT_STRING(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_string, CLI_TARGET(const char *, p), 0, 0 }
#define OPT_FOLDER(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_folder, CLI_TARGET(const char *, p), 0, 0 }
#define OPT_U64(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_u64, CLI_TARGET(uint64_t, p), 0, 0 }
#define OPT_SIZE(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_size, CLI_TARGET(uint64_t, p), 0, 0 }
#define OPT_TIME(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_time, CLI_TARGET(uint64_t, p), 0, 0 }
#define OPT_LIST(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_add, CLI_TARGET(struct cli_list, p), 0, 0 }
#define OPT_NOTES(p, help) \
	{ OPTION_VALUE, 0, "note", "KEY=VALUE", help, cli_key_value, CLI_TARGET(struct cli_list, p), 0, 0 }
#define OPT_RANGES(letter, name, arg, p, help) \
	{ OPTION_VALUE, letter, name, arg, help, cli_ranges, \
	  CLI_TARGET(struct cli_ranges, p), 0, 0 }

/* An int between `low` and `high`, both included. */
#define OPT_INT(letter, name, arg, p, low, high, help) \
	{ OPTION_VALUE, letter, name, arg, help, NULL, CLI_TARGET(int, p), low, high }

/* Likewise, and also as a word of its own: -19 is --level=19. */
#define OPT_LEVEL(name, arg, p, low, high, help) \
	{ OPTION_LEVEL, 0, name, arg, help, NULL, CLI_TARGET(int, p), low, high }

/* An argument for a parser of the tool's own; arg NULL: a switch, parsed with NULL. */
#define OPT_CALL(letter, name, arg, p, parse, help) \
	{ (arg) ? OPTION_VALUE : OPTION_SWITCH, letter, name, arg, help, parse, p, 0, 0 }

/* An argument that may be missing: -z, -z19, --name, --name=19; then parsed with NULL. */
#define OPT_FLAGVALUE(letter, name, arg, p, parse, help) \
	{ OPTION_OPTIONAL, letter, name, arg, help, parse, p, 0, 0 }

/* -z[LEVEL] of what writes compressed records, as perf record has it; 0: no. */
#define OPT_COMPRESS(p, parse) \
	OPT_FLAGVALUE('z', "compression-level", "LEVEL", p, parse, \
		      "compress with zstd at LEVEL (default: 1)")

/* The options that follow are listed under `heading` in --help. */
#define OPT_GROUP(heading) { OPTION_GROUP, 0, heading, NULL, NULL, NULL, NULL, 0, 0 }

/* The options that follow, up to the next heading, are accepted without effect, or refused. */
#define OPT_HIDDEN { OPTION_HIDDEN, 0, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/* A command line that works, with the tool in it, and what it is for: a phrase like the helps. */
#define OPT_EXAMPLE(command, help) { OPTION_EXAMPLE, 0, command, NULL, help, NULL, NULL, 0, 0 }

#define OPT_END { OPTION_END, 0, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/* What every tool of a kind takes. */
struct cli_common {
	const char *input;	/* NULL: standard input (also where "-" was given) */
	const char *output;	/* NULL: standard output (also where "-" was given) */
	bool progress;
	bool no_verify;
	bool no_sandbox;
	bool seal, no_seal;	/* never both */
	char **command;		/* of a tool that takes one after --: its words, then NULL; NULL: none */
	bool parted;		/* of one with two sides: there is a --, */
	size_t n_before;	/* and so many operands come before it */
};
extern struct cli_common common;

#define OPT_INPUT \
	OPT_STRING('i', "input", "FILE", &common.input, "read FILE instead of standard input")
#define OPT_OUTPUT \
	OPT_STRING('o', "output", "FILE", &common.output, \
		   "write FILE instead of standard output")
#define OPT_VERBOSE(help) OPT_SWITCH('v', "verbose", &messages.verbose, help)
#define OPT_QUIET OPT_SWITCH('q', "quiet", &messages.quiet, "print errors only, no warnings")
#define OPT_PROGRESS \
	OPT_SWITCH(0, "progress", &common.progress, \
		   "keep a line of progress on standard error")
#define OPT_NO_VERIFY \
	OPT_SWITCH(0, "no-verify", &common.no_verify, "do not look at the seals of the input")
#define OPT_NO_SANDBOX \
	OPT_SWITCH(0, "no-sandbox", &common.no_sandbox, "keep all privileges and system calls to the end")
#define OPT_SEAL \
	OPT_SWITCH(0, "seal", &common.seal, "seal the output even if the input is not")
#define OPT_NO_SEAL \
	OPT_SWITCH(0, "no-seal", &common.no_seal, "write no seals, only plain rounds")

/* A stream in, a stream out. */
#define OPT_COMMON_FILTER \
	OPT_GROUP("Common options"), OPT_INPUT, OPT_OUTPUT, \
	OPT_VERBOSE("say more about what is done"), OPT_QUIET, OPT_PROGRESS, \
	OPT_NO_VERIFY, OPT_SEAL, OPT_NO_SEAL

/* A stream in, text out; -v is the tool's: add OPT_VERBOSE("what it does here"). */
#define OPT_COMMON_SINK \
	OPT_GROUP("Common options"), OPT_INPUT, OPT_OUTPUT, OPT_QUIET, OPT_PROGRESS, \
	OPT_NO_VERIFY

/* A stream out; sources seal by default. */
#define OPT_COMMON_SOURCE \
	OPT_GROUP("Common options"), OPT_OUTPUT, OPT_VERBOSE("say more about what is done"), \
	OPT_QUIET, OPT_PROGRESS, OPT_NO_SEAL

/* What a program that is all tools says of itself, before cli_parse(); all zero otherwise. */
extern struct cli_whole {
	/* Options that need what this program was built without: they are refused.  NULL at the end. */
	const struct cli_lack { const char *option, *library; } *lacks;
} cli_whole;

struct tool {
	const char *name;	/* "pp-filter" */
	const char *summary;	/* "Keep the samples that match" */
	const char *purpose;	/* what one runs it for: a sentence or two */
	/*
	 * As --help shows them: "" none, "[FILE]", "[EXPRESSION]", "NAME FILE...",
	 * "[--] [COMMAND...]".  Words not in brackets are required, "..." is any number;
	 * cli_parse() holds the command line to it.
	 */
	const char *operands;
	const struct option_spec *options;
	bool posix_order;	/* the first operand ends the options: a COMMAND follows */
	const bool *any_order;	/* but not where this is true by then; or NULL */
	bool takes_command;	/* what follows -- is no operand: common.command */
	bool two_sides;		/* -- stands between operands, and options may follow it: common.n_before */
	const char *const *two_sides_with;      /* but only where this option has a value by then; or NULL */
	/* Shown the first operand, and what follows it, options too; then NULL.  NULL: it is not asked. */
	void (*first_operand)(char **words);
	const char *details;	/* lines for the end of --help, or NULL */
	const char *status;	/* what the exit statuses mean, or NULL: as everywhere */
	/*
	 * For completions: the i-th value of an argument that this tool has a list of, and in *needs the
	 * PP_SAMPLE_ bits of which samples need one for it, or 0.  NULL: past the last, or no list.
	 */
	const char *(*value)(const char *arg, size_t i, uint64_t *needs);
};

/*
 * Parses the command line and sets the targets.  Returns the index of the first operand (argc where
 * there is none); operands are moved after the options, in their order.  Adds -h, -V and, for programs,
 * --list-options, --list-hidden and --list-values; long options may be abbreviated while they are
 * unique.  Does not return on misuse.  Also sets up the process: SIGPIPE kills again, descriptors
 * 0 to 2 are taken.  Call it first.
 *
 * --list-options prints a line for each option, with tabs between
 *	-LETTER or nothing, --NAME, ARG or [ARG] or nothing, help
 * (the letter of OPT_LEVEL is -ARG) and at the end one with nothing for letter, name
 * and help: the operands.  --list-hidden prints the same lines of the options after OPT_HIDDEN.
 * --list-values=ARG prints what may be given for ARG, after --values-of=FILE: of that recording.
 */
int cli_parse(const struct tool *, int argc, char **argv);

/*
 * Takes FILE, an operand, for what -i names as well: common.input.  cli_parse() does it itself where
 * the operands are "[FILE]".
 */
void cli_input(const char *file);

#endif
