/* piece_files.c - pieces as files or as the input of commands, which another process opens. */
#include "split/piece_deputy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- who opens files ---- */

static struct pp_deputy *deputy;

int pieces_start(struct pieces *all, struct pp_error *error)
{
	deputy = pieces_deputy(all, error);
	return deputy ? 0 : -1;
}

void pieces_end(void)
{
	pp_deputy_stop(deputy);
	deputy = NULL;
}

/* Asks the deputy for something of a piece: 0 and *answer, whose descriptor is the caller's; else an errno,
 * or a number of piece_deputy.h. */
static int ask_deputy(int what, const struct piece *piece, const char *key, struct pp_deputy_answer *answer)
{
	struct piece_question q = {
		.what = what, .child = piece->child, .number = piece->number, .when = piece->when,
	};

	(void)snprintf(q.key, sizeof(q.key), "%s", key);
	if (pp_deputy_ask(deputy, &q, sizeof(q), answer))
		return errno;
	return answer->number;
}

/* Whether one more descriptor fits: else the deputy would make a file, or start a command, in vain. */
static bool has_place(void)
{
	const int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0 || errno != EMFILE;
}

/* The status of a command that ended: 0, or errno. */
static int wait_for_command(const struct piece *piece, int *status)
{
	struct pp_deputy_answer answer;
	const int os = ask_deputy(PIECE_END, piece, "", &answer);

	if (!os)
		memcpy(status, answer.text, sizeof(*status));
	return os;
}

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
	int status;

	pieces_unfinished();
	for (struct piece *p = unfinished; p; p = p->older)
		if (p->child > 0)
			close(p->fd);
	for (struct piece *p = unfinished; p; p = p->older)
		if (p->child > 0)
			(void)wait_for_command(p, &status);
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

/* The name of a piece; to be freed. */
static char *name_of(const struct pieces *all, uint64_t number, const char *key)
{
	char *const name = all->timed ? pieces_timed_pattern(all) : pieces_name(all, number, key, 0);

	if (!name)
		no_memory();
	return name;
}

/* The deputy says what a timed name has become, at this place of its answer. */
static void take_name(struct piece *piece, const struct pp_deputy_answer *answer, size_t at)
{
	char *const name = answer->length > at ? strndup(answer->text + at, answer->length - at) : NULL;

	if (!name && !piece->child)
		cli_say("%s is incomplete", answer->text + at);
	if (!name)
		no_memory();
	free(piece->name);
	piece->name = name;
}

/* ---- commands ---- */

static void begin_command(const struct pieces *all, struct piece *piece, const char *key)
{
	struct pp_deputy_answer answer;

	errno = has_place() ? ask_deputy(PIECE_COMMAND, piece, key, &answer) : EMFILE;
	if (errno)
		cannot_begin(all, "run", all->command, NULL);
	memcpy(&piece->child, answer.text, sizeof(piece->child));
	piece->fd = answer.fd;
	if (all->timed)
		take_name(piece, &answer, sizeof(piece->child));
	pp_enlarge_pipe(piece->fd);
}

static void end_command(struct pieces *all, const struct piece *piece)
{
	int status;
	const int os = wait_for_command(piece, &status);

	if (os)
		cannot("wait for", all->command, os);
	if (!status)
		return;
	all->failures++;
	if (WIFEXITED(status))
		cli_say("%s: the command ended with status %d", piece->name, WEXITSTATUS(status));
	else
		cli_say("%s: the command was ended by signal %d", piece->name, WTERMSIG(status));
}

/* ---- files ---- */

/* Written in place: what a killed split wrote is there.  Its mode is that of other output files. */
static int open_file(const struct pieces *all, struct piece *piece, const char *key, bool *regular)
{
	const char *name = piece->name;
	struct pp_deputy_answer answer;
	struct stat status;
	int got = has_place() ? ask_deputy(PIECE_FILE, piece, key, &answer) : EMFILE;

	if (got == PIECE_IS_INPUT)
		cli_die(EXIT_SYSTEM, "cannot write %s: it is the input", name);
	if (!got && all->timed)
		take_name(piece, &answer, 0);
	name = piece->name;
	if (!got && fstat(answer.fd, &status))
		got = errno;
	errno = got;
	if (got)
		cannot_begin(all, "write", name, got == PIECE_REFUSED ? answer.text : NULL);
	cli_refuse_terminal(answer.fd);
	*regular = S_ISREG(status.st_mode);
	/* one that is empty is left alone: ext4 would write all out at the close of what was cut to 0 */
	if (*regular && status.st_size && ftruncate(answer.fd, 0) < 0)
		cannot("write", name, errno);
	return answer.fd;
}

void pieces_remove(const struct pieces *all, uint64_t number)
{
	const struct piece piece = { .number = number };
	struct pp_deputy_answer answer = { .length = 0 };
	const int os = ask_deputy(PIECE_REMOVE, &piece, "", &answer);

	if (os)
		cannot("remove", all->timed && answer.length ? answer.text : name_of(all, number, ""), os);
}

/* ---- pieces ---- */

struct piece *piece_open(struct pieces *all, const char *key, time_t when)
{
	struct piece *const piece = calloc(1, sizeof(*piece));
	bool stays = true;

	if (!piece)
		no_memory();
	all->opening = piece;
	piece->number = all->count++;
	piece->when = when;
	piece->name = name_of(all, piece->number, key);
	if (all->command)
		begin_command(all, piece, key);
	else
		piece->fd = open_file(all, piece, key, &stays);
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
