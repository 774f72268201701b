/*
 * piece_deputy.c - another process does what pp-split gives up before it reads the stream: it makes and
 * removes files of pieces, and runs commands, for names that fit the pattern and for no others.
 */
#include "split/piece_deputy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/timed_names.h"
#include "cli/trust.h"

enum { OWN_MODE = 0600, IS_INPUT = -2 };

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
		return NULL;
	for (const char *at = all->command; *at; at++) {
		if (!strncmp(at, "{}", 2)) {
			fprintf(out, "\"$%s\"", variable);
			at++;
		} else {
			putc(*at, out);
		}
	}
	return cli_text_end(out, &text) ? text : NULL;
}

static _Noreturn void run_command(const struct pieces *all, const char *text, const char *name, int from)
{
	/* ^C and a closed terminal are for the source: what it gave still arrives */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &all->mask, NULL);
	if (dup2(from, STDIN_FILENO) >= 0 && !setenv(variable, name, 1))
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
	cli_say("cannot run %s: %s", all->command, strerror(errno));
	_exit(127);
}

/* The command's process, and the end of the pipe that it reads; -1 and errno. */
static pid_t start_command(const struct pieces *all, const char *name, int *to)
{
	char *const text = command_of(all);
	int ends[2], os;
	pid_t child;

	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC) < 0) {
		free(text);
		return -1;
	}
	child = fork();
	if (!child)
		run_command(all, text, name, ends[0]);
	os = errno;
	free(text);
	(void)close(ends[0]);
	if (child > 0)
		*to = ends[1];
	else
		(void)close(ends[1]);
	errno = os;
	return child;
}

/* ---- files ---- */

/* The file of that name to write: a descriptor; -1, and errno or *why; or IS_INPUT. */
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

		/* what another has, or has made a name of, too, is replaced; what > refuses is refused */
		if (regular && was.st_dev == all->input.st_dev && was.st_ino == all->input.st_ino)
			fd = IS_INPUT;
		else if (!regular || trust_is_own(&was))
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

/* Makes a new file: NAME, or, where that is taken, NAME-1, NAME-2 ...  *made is the name that it got. */
static int create_timed(const char *name, char **made, char **why)
{
	int fd = -1;

	errno = EEXIST;
	for (unsigned n = 0; fd < 0 && errno == EEXIST && !*why && n < SAME_NAMES; n++) {
		char *const nth = timed_name_nth(name, n);
		char *const path = nth ? trust_resolve(nth, why) : NULL;
		int os;

		fd = path ? trust_create(path, OWN_MODE) : -1;
		os = errno;
		free(path);
		if (fd >= 0)
			*made = nth;
		else
			free(nth);
		errno = os;
	}
	return fd;
}

/* The files that --keep has to remove, the oldest first.  Their timed names are kept, since a number does not
 * give them. */
struct made_file {
	struct made_file *next;
	char *name;
};
static struct made_file *oldest, **newest = &oldest;

static int remove_file(const char *name)
{
	struct stat status;

	return lstat(name, &status) ? errno != ENOENT : S_ISREG(status.st_mode) && unlink(name) < 0;
}

/* ---- answers ---- */

static void add_name(struct pp_deputy_answer *answer, const char *name)
{
	const size_t size = strlen(name) + 1;

	if (size <= sizeof(answer->text) - answer->length) {
		memcpy(answer->text + answer->length, name, size);
		answer->length += size;
	}
}

static int open_timed(const struct pieces *all, const char *name, char **why, struct pp_deputy_answer *answer)
{
	struct made_file *const file = calloc(1, sizeof(*file));
	int fd = -1, os;

	if (!file)
		return -1;
	fd = create_timed(name, &file->name, why);
	os = errno;
	if (fd >= 0)
		add_name(answer, file->name);
	if (fd >= 0 && all->keeps) {
		*newest = file;
		newest = &file->next;
	} else {
		free(file->name);
		free(file);
	}
	errno = os;
	return fd;
}

static int remove_oldest(struct pp_deputy_answer *answer)
{
	struct made_file *const file = oldest;
	int failed, os;

	if (!file)
		return 0;
	oldest = file->next;
	if (!oldest)
		newest = &oldest;
	failed = remove_file(file->name);
	os = errno;
	add_name(answer, file->name);
	free(file->name);
	free(file);
	errno = os;
	return failed;
}

static void answer_file(const struct pieces *all, const char *name, struct pp_deputy_answer *answer)
{
	char *why = NULL;

	answer->fd = all->timed ? open_timed(all, name, &why, answer) : open_at(all, name, &why);
	answer->number = answer->fd >= 0 ? 0 : answer->fd == IS_INPUT ? PIECE_IS_INPUT : errno;
	if (answer->fd >= 0 || !why)
		return;
	answer->number = PIECE_REFUSED;
	answer->length = strnlen(why, sizeof(answer->text) - 1);
	memcpy(answer->text, why, answer->length);
	answer->text[answer->length++] = '\0';
	free(why);
}

static void answer_number(struct pp_deputy_answer *answer, int failed, int number)
{
	answer->number = failed ? errno : 0;
	answer->length = sizeof(number);
	memcpy(answer->text, &number, sizeof(number));
}

static void answer_command(const struct pieces *all, const char *name, struct pp_deputy_answer *answer)
{
	const pid_t child = start_command(all, name, &answer->fd);

	answer_number(answer, child < 0, child);
	if (all->timed)
		add_name(answer, name);
}

static void answer_end(pid_t child, struct pp_deputy_answer *answer)
{
	int status = 0;
	const pid_t ended = waitpid(child, &status, 0);

	answer_number(answer, ended < 0, status);
}

static void answer_question(void *arg, const void *question, size_t size, struct pp_deputy_answer *answer)
{
	const struct pieces *const all = arg;
	struct piece_question q;
	char key[KEY_MAX], *name;
	int failed;

	answer->number = EINVAL;
	if (size != sizeof(q))
		return;
	memcpy(&q, question, sizeof(q));
	/* a stream may have taken over the stage that asks */
	pieces_safe_key(key, q.key, strnlen(q.key, sizeof(q.key) - 1));
	name = pieces_name(all, q.number, key, q.when);
	if (!name)
		answer->number = all->timed ? errno : ENOMEM;
	else if (q.what == PIECE_FILE && !all->command)
		answer_file(all, name, answer);
	else if (q.what == PIECE_COMMAND && all->command)
		answer_command(all, name, answer);
	else if (q.what == PIECE_END && q.child > 0)
		answer_end(q.child, answer);
	else if (q.what == PIECE_REMOVE && all->keeps) {
		failed = all->timed ? remove_oldest(answer) : remove_file(name);
		answer->number = failed ? errno : 0;
	}
	free(name);
}

struct pp_deputy *pieces_deputy(struct pieces *all, struct pp_error *error)
{
	(void)sigprocmask(SIG_SETMASK, NULL, &all->mask);
	return pp_deputy_start(answer_question, all, error);
}
