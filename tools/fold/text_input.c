/* text_input.c - reads text line by line into a profile, as what perf script prints or as folded stacks. */
#include "fold/text_input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/stage_signals.h"

/* As long as a stack of PP_PROFILE_DEEPEST frames is whose names have 4 KiB. */
enum { LONGEST = 16 << 20 };

/* The only input, as long as all of its lines have two weights: then it is a difference. */
static struct pp_profile *pairs;
/* A first line that may be either, until the next one comes; and what reads the text of perf script. */
static char *held;
static size_t held_length;
static struct pp_script_text *script;
static enum { FORM_UNKNOWN, FORM_FOLDED, FORM_SCRIPT } form;

static const char *name_of(const struct text_input *in)
{
	return in->path ? in->path : "standard input";
}

struct pp_profile *text_input_profile(void)
{
	return pairs ? pairs : stacks_profile();
}

void text_input_free(void)
{
	pp_profile_free(pairs);
	pairs = NULL;
}

/* ---- which it is ---- */

/* The first bytes of what is read, as far as they are there; of a pipe they are looked at without being
 * taken. */
static size_t peek(const struct text_input *in, int fd, char *head, size_t size)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	const bool pipe = at < 0;
	int copy[2] = { -1, -1 };
	ssize_t got;

	if (pipe && (errno != ESPIPE || pipe2(copy, O_CLOEXEC)))
		cli_die_os("%s: cannot read", name_of(in));
	do
		got = pipe ? tee(fd, copy[1], size, 0) : pread(fd, head, size, at);
	while (got < 0 && pp_try_again(fd, POLLIN));
	for (ssize_t taken = 0, n; pipe && taken < got; taken += n > 0 ? n : 0) {
		n = read(copy[0], head + taken, (size_t)(got - taken));
		if (n < 0 && !pp_try_again(copy[0], POLLIN))
			got = -1;
	}
	if (got < 0 && errno != EINVAL)
		cli_die_os("%s: cannot read", name_of(in));
	if (pipe) {
		close(copy[0]);
		close(copy[1]);
	}
	return got > 0 ? (size_t)got : 0;
}

/* Whether it is no recording. */
static bool is_text(struct text_input *in)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "\x28\xb5\x2f\xfd" };
	const int fd = in->path ? open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	struct stat st;
	char head[8];
	size_t got;

	if (fd < 0)
		cli_die_os("%s: cannot open", name_of(in));
	if (fstat(fd, &st))
		cli_die_os("%s: cannot read", name_of(in));
	got = S_ISDIR(st.st_mode) ? 0 : peek(in, fd, head, sizeof(head));
	in->fd = fd;
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics) && got > 0; i++) {
		const size_t length = strlen(magics[i]);

		if (!memcmp(head, magics[i], length < got ? length : got))
			return false;
	}
	if (memchr(head, 0, got))
		cli_die(EXIT_DAMAGED, "%s: is neither a recording nor text of stacks", name_of(in));
	return got > 0;
}

void text_input_open(struct text_input *in, const char *path, enum pp_profile_side side)
{
	in->path = path && strcmp(path, "-") ? path : NULL;
	in->side = side;
	in->text = is_text(in);
	if (in->text)
		outlive_interrupt(in->path);
	if (!in->path)
		return;
	if (!in->text)
		close(in->fd);
	/* it has text, so that waiting for more is meant */
	else if (fcntl(in->fd, F_SETFL, fcntl(in->fd, F_GETFL) & ~O_NONBLOCK))
		cli_die_os("cannot open %s", name_of(in));
}

/* ---- lines ---- */

struct line_buffer {
	int fd;
	char *data;
	size_t begin, end, room;
	bool ended;
};

/* Reads on; without what was taken. */
static void read_more(struct line_buffer *b, const struct text_input *in)
{
	ssize_t got;

	if (b->begin)
		memmove(b->data, b->data + b->begin, b->end - b->begin);
	b->end -= b->begin;
	b->begin = 0;
	if (b->end == b->room) {
		b->room = b->room ? b->room * 2 : 1 << 16;
		b->data = realloc(b->data, b->room);
		if (!b->data)
			cli_no_memory();
	}
	do
		got = read(b->fd, b->data + b->end, b->room - b->end);
	while (got < 0 && pp_try_again(b->fd, POLLIN));
	if (got < 0)
		cli_die_os("cannot read %s", name_of(in));
	b->ended = !got;
	b->end += (size_t)got;
}

struct text_line {
	const char *at;
	size_t length;
	bool cut, long_one;           /* its end is missing; it is longer than LONGEST: this is some of it */
};

/* The next line, without its end; false: there are no more. */
static bool next_line(struct line_buffer *b, const struct text_input *in, struct text_line *line)
{
	size_t seen = 0;
	const char *end;

	*line = (struct text_line){ .at = NULL };
	while (!(end = b->end > b->begin + seen ?
			       memchr(b->data + b->begin + seen, '\n', b->end - b->begin - seen) : NULL) &&
	       !b->ended) {
		seen = b->end - b->begin;
		if (seen > LONGEST) {
			line->long_one = true;
			b->begin = b->end;
			seen = 0;
		}
		read_more(b, in);
	}
	if (!end && b->begin == b->end)
		return false;
	line->at = b->data + b->begin;
	line->cut = !end;
	line->length = end ? (size_t)(end - line->at) : b->end - b->begin;
	line->long_one |= line->length > LONGEST;
	b->begin += line->length + !line->cut;
	return true;
}

/* ---- what lines are ---- */

/* Says what is wrong with the first line that is. */
static void note_wrong(struct text_input *in, const char *why)
{
	if (!in->wrong++)
		cli_warn("%s: %s", name_of(in), why);
}

static void note_pair(const char *line, size_t length)
{
	struct pp_error error;

	if (pp_profile_read_folded(pairs, line, length, PP_PROFILE_SIDES, stacks_options.fold.reversed,
				   &error) >= 0)
		return;
	if (error.code == PP_E_NOMEM)
		cli_no_memory();
	pp_profile_free(pairs);
	pairs = NULL;
}

static void take_folded(struct text_input *in, const char *line, size_t length)
{
	struct pp_error error;
	char text[256];

	in->lines++;
	if (pairs)
		note_pair(line, length);
	if ((pairs && stacks_bound(pairs, NULL, &error)) ||
	    stacks_bound(stacks_profile(), NULL, &error))
		cli_no_memory();
	switch (pp_profile_read_folded(stacks_profile(), line, length, in->side, stacks_options.fold.reversed,
				       &error)) {
	case 1:
		in->stacks++;
		break;
	case -1:
		if (error.code == PP_E_NOMEM)
			cli_no_memory();
		snprintf(text, sizeof(text), "line %llu: %s", (unsigned long long)in->lines, error.detail);
		note_wrong(in, text);
		break;
	}
}

/* What became of a line, or of the end. */
static void note_script(struct text_input *in, int got, struct pp_error *error)
{
	if (got < 0 && error->code == PP_E_NOMEM)
		cli_no_memory();
	if (got < 0 && error->code == PP_E_USE)
		cli_misuse("%s: %s", name_of(in), error->detail);
	if (got < 0)
		note_wrong(in, error->detail);
	if (got <= 0)
		return;
	in->stacks++;
	if (stacks_bound(stacks_profile(), script, error))
		cli_no_memory();
}

static void take_script(struct text_input *in, const char *line, size_t length)
{
	struct pp_folded folded;
	struct pp_error error;

	in->lines++;
	note_script(in, pp_script_text_line(script, line, length, &folded, &error), &error);
}

static bool says_nothing(const char *line, size_t length)
{
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r'))
		length--;
	return !length || *line == '#';
}

static void give(struct text_input *in, const char *line, size_t length)
{
	(form == FORM_FOLDED ? take_folded : take_script)(in, line, length);
}

/* Gives lines to what reads them, once it is known which that is. */
static void decide(struct text_input *in, bool is_script)
{
	form = is_script ? FORM_SCRIPT : FORM_FOLDED;
	if (held)
		give(in, held, held_length);
	free(held);
	held = NULL;
}

static void take_line(struct text_input *in, const char *line, size_t length)
{
	const bool begins = form == FORM_UNKNOWN && !held && pp_script_text_begins(line, length);

	if (form == FORM_UNKNOWN && !held && says_nothing(line, length)) {
		take_script(in, line, length);
		return;
	}
	if (form == FORM_UNKNOWN && !held && !begins) {
		held = malloc(length);
		if (!held)
			cli_no_memory();
		memcpy(held, line, length);
		held_length = length;
		return;
	}
	if (form == FORM_UNKNOWN)
		decide(in, begins || pp_script_text_is_frame(line, length));
	give(in, line, length);
}

/* ---- all of them ---- */

static void read_lines(struct text_input *in, int fd)
{
	struct line_buffer buffer = { .fd = fd };
	struct text_line line;
	char text[80];

	while (next_line(&buffer, in, &line)) {
		if (!line.long_one && !(line.cut && form == FORM_SCRIPT)) {
			take_line(in, line.at, line.length);
			continue;
		}
		in->lines++;
		pp_script_text_skip(script);
		snprintf(text, sizeof(text), line.long_one ? "line %llu: is longer than %d bytes" :
			 "line %llu: the text ends within it", (unsigned long long)in->lines, LONGEST);
		note_wrong(in, text);
	}
	free(buffer.data);
	if (form == FORM_UNKNOWN)
		decide(in, false);
}

/* What there is to say at the end of the text of perf script. */
static void end_script(struct text_input *in)
{
	struct pp_fold_stats stats;
	struct pp_folded folded;
	struct pp_error error;

	note_script(in, pp_script_text_end(script, &folded, &error), &error);
	pp_script_text_stats(script, &stats);
	if (stacks_note_stats(name_of(in), &stats, in->wrong != 0, &error))
		cli_no_memory();
}

int text_input_read(struct text_input *in, bool alone)
{
	stacks_options.fold.side = in->side;
	form = FORM_UNKNOWN;
	if ((alone && !stacks_options.in_order && !(pairs = pp_profile_new())) || !stacks_profile() ||
	    !(script = pp_script_text_new(&stacks_options.fold, stacks_profile())))
		cli_no_memory();
	read_lines(in, in->fd);
	if (in->path)
		close(in->fd);
	in->script = form == FORM_SCRIPT;
	if (in->script) {
		end_script(in);
		text_input_free();
	}
	pp_script_text_free(script);
	script = NULL;
	if (in->wrong)
		cli_say("%s: %llu of %llu lines are %s", name_of(in), (unsigned long long)in->wrong,
			(unsigned long long)in->lines,
			in->script ? "not what perf script prints" : "no stacks");
	else if (!in->stacks && !in->script)
		cli_say("%s: there are no stacks in it", name_of(in));
	return in->wrong || (!in->stacks && !in->script) ? EXIT_DAMAGED : EXIT_DONE;
}
