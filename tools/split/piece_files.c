/* piece_files.c - names of pieces by a pattern, and pieces as files or as the input of commands. */
#include "split/piece_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/trust.h"

enum { HASH_DIGITS = 16, OWN_MODE = 0600 };

/* ---- pieces that are not at their end ---- */

static struct piece *unfinished;      /* the newest first; of files and commands only */
static uint64_t others;               /* there are so many more */

static void remember(struct piece *piece)
{
	piece->older = unfinished;
	others += unfinished != NULL;
	if (unfinished)
		unfinished->newer = piece;
	unfinished = piece;
	piece->remembered = true;
}

static void forget(struct piece *piece)
{
	if (!piece->remembered)
		return;
	if (piece->older)
		piece->older->newer = piece->newer;
	if (piece->newer)
		piece->newer->older = piece->older;
	else
		unfinished = piece->older;
	others -= others != 0;
}

void pieces_unfinished(void)
{
	if (others)
		cli_say("%s and %" PRIu64 " more piece%s are incomplete", unfinished->name, others,
			others == 1 ? "" : "s");
	else if (unfinished)
		cli_say("%s is incomplete", unfinished->name);
}

/* Before the process ends for what the system refused: no command goes on by itself. */
static void leave(void)
{
	pieces_unfinished();
	for (struct piece *p = unfinished; p; p = p->older)
		if (p->child > 0)
			close(p->fd);
	for (struct piece *p = unfinished; p; p = p->older)
		if (p->child > 0)
			while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
				;
}

static void __attribute__((noreturn)) no_memory(void)
{
	leave();
	cli_no_memory();
}

static void __attribute__((noreturn)) cannot(const char *verb, const char *name, int os)
{
	leave();
	errno = os ? os : EIO;
	cli_die_os("cannot %s %s", verb, name);
}

/* A piece that cannot be begun, for errno or another reason: those that are open are ended, so that each is
 * a whole stream. */
static void __attribute__((noreturn)) cannot_begin(const struct pieces *all, const char *verb,
						   const char *name, const char *why)
{
	const int os = errno;

	if (why)
		cli_say("cannot %s %s: %s", verb, name, why);
	else if (os == EMFILE)
		cli_say("cannot %s %s: %s: ulimit -n says how many there may be", verb, name,
			strerror(os));
	else
		cli_say("cannot %s %s: %s", verb, name, strerror(os));
	if (all->abandon)
		all->abandon();
	exit(EXIT_SYSTEM);
}

/* ---- names ---- */

/* The conversion of the number in a pattern, "%u" or "%03u": its length, or 0. */
static size_t conversion(const char *at)
{
	const size_t digits = strspn(at + 1, "0123456789");

	return digits < 3 && at[1 + digits] == 'u' ? digits + 2 : 0;
}

void pieces_check_pattern(const struct pieces *all)
{
	bool number = false;

	for (const char *at = all->pattern; (at = strchr(at, '%')); at++) {
		if (at[1] == '%')
			at++;
		else if (conversion(at))
			number = true;
		else
			cli_misuse("--output: '%s' has a %% that is neither %%u nor such as %%03u nor %%%%",
				   all->pattern);
	}
	if (all->keyed && !strstr(all->pattern, "{}"))
		cli_misuse("--output: '%s' lacks a {} for the value of --by", all->pattern);
	if (!all->keyed && !number)
		cli_misuse("--output: '%s' lacks a %%u for the number of the piece", all->pattern);
}

/* The name of a piece; to be freed. */
static char *name_of(const struct pieces *all, uint64_t number, const char *key)
{
	char *name = NULL;
	size_t size;
	FILE *const out = open_memstream(&name, &size);

	if (!out)
		no_memory();
	for (const char *at = all->pattern; *at; at++) {
		if (*at == '%' && at[1] != '%') {
			fprintf(out, at[1] == '0' ? "%0*" PRIu64 : "%*" PRIu64, atoi(at + 1), number);
			at += conversion(at) - 1;
		} else if (all->keyed && !strncmp(at, "{}", 2)) {
			fputs(key, out);
			at++;
		} else {
			putc(*at, out);
			at += *at == '%';
		}
	}
	if (!cli_text_end(out, &name))
		no_memory();
	return name;
}

void pieces_safe_key(char *key, const char *text, size_t length)
{
	/* one that is too long is cut, and distinguished from others by a hash */
	const bool cut = length >= KEY_MAX;
	const size_t kept = cut ? KEY_MAX - HASH_DIGITS - 2 : length;
	uint64_t hash = UINT64_C(14695981039346656037);
	size_t n = 0;

	for (; n < kept; n++) {
		const unsigned char c = (unsigned char)text[n];

		key[n] = c <= ' ' || c == 0x7f || c == '/' || (!n && (c == '.' || c == '-')) ? '_' : (char)c;
	}
	for (size_t i = kept; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	if (!n)
		key[n++] = '_';
	key[n] = '\0';
	if (cut)
		snprintf(key + n, KEY_MAX - n, "-%016" PRIx64, hash);
}

/* ---- commands ---- */

/*
 * A name is never text of the command: what the shell takes out of a variable it does not run.
 * Quotes of the command around it would end at those that are put here, and those of a program
 * within it, as of sh -c, would make it text of that.
 */
static const char variable[] = "PP_PIECE";

void pieces_check_command(const struct pieces *all)
{
	char quote = '\0', before = ' ';

	for (const char *at = all->command; *at; before = *at++) {
		if (quote && !strncmp(at, "{}", 2))
			cli_misuse("--exec: {} is one word of the shell, without quotes around it; in "
				   "quotes \"$%s\" is the name", variable);
		if (!quote && *at == '#' && strchr(" \t\n;&|(", before))
			at += strcspn(at, "\n") - 1;
		else if (*at == '\\' && quote != '\'' && at[1])
			at++;
		else if (quote ? *at == quote : *at == '\'' || *at == '"')
			quote = quote ? '\0' : *at;
	}
}

static char *command_of(const struct pieces *all)
{
	char *text = NULL;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	if (!out)
		no_memory();
	for (const char *at = all->command; *at; at++) {
		if (!strncmp(at, "{}", 2)) {
			fprintf(out, "\"$%s\"", variable);
			at++;
		} else {
			putc(*at, out);
		}
	}
	if (!cli_text_end(out, &text))
		no_memory();
	return text;
}

static void start_command(const struct pieces *all, struct piece *piece)
{
	char *const text = command_of(all);
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		cannot_begin(all, "run", all->command, NULL);
	piece->child = fork();
	if (piece->child < 0)
		cannot_begin(all, "run", all->command, NULL);
	if (!piece->child) {
		/* ^C and a closed terminal are for the source: what it gave still arrives */
		signal(SIGINT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		signal(SIGPIPE, SIG_DFL);
		if (dup2(ends[0], STDIN_FILENO) >= 0 && !setenv(variable, piece->name, 1))
			execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		cli_say("cannot run %s: %s", all->command, strerror(errno));
		_exit(127);
	}
	close(ends[0]);
	pp_enlarge_pipe(ends[1]);
	free(text);
	piece->fd = ends[1];
}

static void end_command(struct pieces *all, const struct piece *piece)
{
	int status;

	while (waitpid(piece->child, &status, 0) < 0)
		if (errno != EINTR)
			cannot("wait for", all->command, errno);
	if (!status)
		return;
	all->failures++;
	if (WIFEXITED(status))
		cli_say("%s: the command ended with status %d", piece->name, WEXITSTATUS(status));
	else
		cli_say("%s: the command was ended by signal %d", piece->name, WTERMSIG(status));
}

/* ---- files ---- */

/* The file of that name to write: a descriptor, or -1, and errno or *why. */
static int open_at(const struct pieces *all, const char *name, char **why)
{
	char *const path = trust_resolve(name, why);
	struct stat was;
	int fd, os;

	if (!path)
		return -1;
	if (trust_is_descriptor(path, &fd)) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else if (lstat(path, &was)) {
		fd = errno == ENOENT ? trust_create(path, OWN_MODE) : -1;
	} else {
		const bool regular = S_ISREG(was.st_mode);

		if (regular && was.st_dev == all->input.st_dev && was.st_ino == all->input.st_ino)
			cli_die(EXIT_SYSTEM, "cannot write %s: it is the input", name);
		/* what another has, or has made a name of, too, is replaced; what > refuses is refused */
		if (!regular || trust_is_own(&was))
			fd = trust_open(path, &was);
		else if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) || unlink(path))
			fd = -1;
		else
			fd = trust_create(path, OWN_MODE);
	}
	os = errno;
	free(path);
	errno = os;
	return fd;
}

/* Written in place: what a killed split wrote is there.  Its mode is that of other output files. */
static int open_file(const struct pieces *all, const char *name, bool *regular)
{
	char *why;
	const int fd = open_at(all, name, &why);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		cannot_begin(all, "write", name, why);
	cli_refuse_terminal(fd);
	*regular = S_ISREG(status.st_mode);
	/* one that is empty is left alone: ext4 would write all out at the close of what was cut to 0 */
	if (*regular && status.st_size && ftruncate(fd, 0) < 0)
		cannot("write", name, errno);
	return fd;
}

void pieces_remove(const struct pieces *all, uint64_t number)
{
	char *const name = name_of(all, number, "");
	struct stat status;

	if (lstat(name, &status) ? errno != ENOENT :
				   S_ISREG(status.st_mode) && unlink(name) < 0)
		cannot("remove", name, errno);
	free(name);
}

/* ---- pieces ---- */

struct piece *piece_open(struct pieces *all, const char *key)
{
	struct piece *const piece = calloc(1, sizeof(*piece));
	bool stays = true;

	if (!piece)
		no_memory();
	all->opening = piece;
	piece->number = all->count++;
	piece->name = name_of(all, piece->number, key);
	if (all->command)
		start_command(all, piece);
	else
		piece->fd = open_file(all, piece->name, &stays);
	if (stays)
		remember(piece);
	piece->out = pp_writer_open(piece->fd, all->sealing);
	if (!piece->out)
		no_memory();
	all->opening = NULL;
	return piece;
}

void piece_check(struct piece *piece, int result)
{
	piece_check_with(piece, result, NULL);
}

void piece_check_with(struct piece *piece, int result, const struct pp_error *error)
{
	const int os = result < 0 ? pp_writer_os(piece->out) : 0;
	char text[512];

	if (result >= 0 || piece->gone)
		return;
	if (piece->child && os == EPIPE) {
		piece->gone = true;
		return;
	}
	if (os)
		cannot("write", piece->name, os);
	if (!error || !error->code)
		no_memory();
	leave();
	cli_error_text(error, text, sizeof(text));
	cli_die(pp_error_status(error), "%s", text);
}

void piece_close(struct pieces *all, struct piece *piece, uint32_t flags)
{
	if (piece->due && !pp_writer_sealing(piece->out) && !(flags & PP_SEAL_DAMAGED))
		piece_check(piece, pp_writer_round(piece->out, NULL));
	piece_check(piece, pp_writer_end(piece->out, flags, NULL));
	if (close(piece->fd) < 0)
		cannot("write", piece->name, errno);
	if (piece->child)
		end_command(all, piece);
	cli_note("%s: %" PRIu64 " sample%s, %" PRIu64 " bytes", piece->name, piece->samples,
		 piece->samples == 1 ? "" : "s", pp_writer_bytes(piece->out));
	forget(piece);
	pp_writer_close(piece->out);
	free(piece->name);
	free(piece);
}
