/*
 * script_text.c - reads what perf script prints into a profile.
 *
 *	perl 4711/4712 [001] 643.020058:     250000 cpu-clock:u:             the head: comm, numbers, ...
 *	        7f1cd0c34b70 inner+0x10 (/usr/bin/perl)                      a frame: address, function, file
 *	        7f1cd0c34b90 outer+0x20 (/usr/bin/perl)
 *	                                                                     the end
 *
 * Without a call chain the frame is at the end of the head.  A comm may have anything in it, blanks and
 * numbers too, so that it ends where what follows makes sense for the first time.
 */
#include <perfpipe/script_text.h>

#include "base/hash.h"
#include "format/format.h"
#include "model/sample_details.h"
#include "profile/call_tree.h"
#include "profile/named_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No task has a longer name, not even a worker of the kernel. */
enum { COMM_MOST = 256, NUMBER_ROOM = 24 };

/* Part of a line. */
struct part {
	const char *at;
	size_t length;
};

/* The first line of a sample. */
struct sample_head {
	struct part comm, pid, tid, event, rest;
	uint64_t time, period;
	bool timed, has_period;
};

/* The last sample of a thread, where they weigh time. */
struct timed_thread {
	struct pp_folded last;
};

struct pp_script_text {
	struct pp_fold_options how;
	struct pp_profile *profile;
	struct pp_named_stack stack;
	struct pp_fold_stats stats;
	struct pp_buffer line;        /* a copy of the head of the sample at hand */
	struct sample_head head;
	bool open, wanted;            /* there is one, and of the event that is meant */
	bool doubtful;                /* its head may be anything, unless a frame follows */
	bool framed, frames;          /* it, and any before it, has frames in lines of their own */
	char *event;                  /* which that is; NULL: not known yet */
	struct pp_idmap tids;         /* which of `threads` */
	struct timed_thread *threads;
	size_t n_threads, threads_room;
	uint64_t lines, opened;       /* so many were read, and then; the number of the head's */
};

struct pp_script_text *pp_script_text_new(const struct pp_fold_options *how, struct pp_profile *profile)
{
	struct pp_script_text *const t = profile ? calloc(1, sizeof(*t)) : NULL;

	if (!t)
		return NULL;
	t->how = *how;
	t->how.objects = false;
	t->profile = profile;
	if (pp_named_stack_open(&t->stack, &t->how, profile)) {
		free(t);
		return NULL;
	}
	return t;
}

void pp_script_text_free(struct pp_script_text *t)
{
	if (!t)
		return;
	pp_named_stack_close(&t->stack);
	pp_buffer_free(&t->line);
	pp_idmap_close(&t->tids);
	free(t->threads);
	free(t->event);
	free(t);
}

void pp_script_text_stats(const struct pp_script_text *t, struct pp_fold_stats *stats)
{
	*stats = t->stats;
	stats->event = t->event;
}

/* ---- words ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static void skip_blanks(struct part *p)
{
	for (; p->length && is_space(*p->at); p->length--)
		p->at++;
}

static void trim(struct part *p)
{
	skip_blanks(p);
	while (p->length && is_space(p->at[p->length - 1]))
		p->length--;
}

static struct part skip(struct part p, size_t n)
{
	return (struct part){ p.at + n, p.length - n };
}

/* The word that comes next, up to a blank; *p is after it. */
static struct part next_word(struct part *p)
{
	struct part word;

	skip_blanks(p);
	word = (struct part){ p->at, 0 };
	while (word.length < p->length && !is_space(word.at[word.length]))
		word.length++;
	*p = skip(*p, word.length);
	return word;
}

/* How many of the bytes are digits. */
static size_t digits(struct part p)
{
	size_t n = 0;

	while (n < p.length && is_digit(p.at[n]))
		n++;
	return n;
}

static bool is_number(struct part p)
{
	return p.length && digits(p) == p.length;
}

static bool is_address(struct part p)
{
	for (size_t i = 0; i < p.length; i++)
		if (!is_hex(p.at[i]))
			return false;
	return p.length && p.length <= 16;
}

static uint64_t number(struct part p)
{
	uint64_t value = 0;

	for (size_t i = 0; i < p.length; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(p.at[i] - '0'), &value))
			return UINT64_MAX;
	return value;
}

static uint64_t address_of(struct part p)
{
	uint64_t value = 0;

	for (size_t i = 0; i < p.length; i++)
		value = value << 4 | (uint64_t)(is_digit(p.at[i]) ? p.at[i] - '0' : p.at[i] - 'a' + 10);
	return value;
}

static bool begins_with(struct part p, const char *text)
{
	const size_t length = strlen(text);

	return p.length >= length && !memcmp(p.at, text, length);
}

static bool ends_with(struct part p, const char *text)
{
	const size_t length = strlen(text);

	return p.length >= length && !memcmp(p.at + p.length - length, text, length);
}

/* ---- the head ---- */

/* "12", "-1", "12/13": a thread, or a process and its thread. */
static bool take_ids(struct part *p, struct sample_head *h)
{
	struct part at = *p, word = next_word(&at), first = word;
	size_t n;

	n = begins_with(word, "-") + digits(skip(word, begins_with(word, "-")));
	first.length = n;
	if (n == begins_with(word, "-") || n > 11)
		return false;
	word = skip(word, n);
	if (!word.length) {
		h->tid = first;
		*p = at;
		return true;
	}
	word = skip(word, 1);
	n = begins_with(word, "-") + digits(skip(word, begins_with(word, "-")));
	if (word.at[-1] != '/' || n != word.length || n == begins_with(word, "-") || n > 11)
		return false;
	h->pid = first;
	h->tid = word;
	*p = at;
	return true;
}

static void take_cpu(struct part *p)
{
	struct part at = *p;
	const struct part word = next_word(&at);

	if (word.length > 2 && word.at[0] == '[' && word.at[word.length - 1] == ']' &&
	    is_number((struct part){ word.at + 1, word.length - 2 }))
		*p = at;
}

/* "643.020058:" as ns. */
static bool take_time(struct part *p, struct sample_head *h)
{
	struct part at = *p, word = next_word(&at), whole, fraction;
	uint64_t ns;

	if (word.length < 4 || word.at[word.length - 1] != ':')
		return false;
	word.length--;
	whole = (struct part){ word.at, digits(word) };
	if (!whole.length || whole.length == word.length || word.at[whole.length] != '.')
		return false;
	fraction = skip(word, whole.length + 1);
	if (!is_number(fraction) || fraction.length > 9)
		return false;
	ns = number(fraction);
	for (size_t n = fraction.length; n < 9; n++)
		ns *= 10;
	if (__builtin_mul_overflow(number(whole), UINT64_C(1000000000), &h->time) ||
	    __builtin_add_overflow(h->time, ns, &h->time))
		return false;
	h->timed = true;
	*p = at;
	return true;
}

/* Flags of where a sample is from, "UX", and the time of day: -F misc, tod. */
static void take_between(struct part *p, bool numbered)
{
	struct part at = *p, word = next_word(&at);
	size_t n = 0;

	while (n < word.length && word.at[n] && strchr("KUHGgMDESFps", word.at[n]))
		n++;
	if (numbered && n && n <= 5 && n == word.length) {
		*p = at;
		word = next_word(&at);
	}
	if (word.length == 10 && word.at[4] == '-' && word.at[7] == '-') {
		(void)next_word(&at);
		*p = at;
	}
}

static void take_period_and_event(struct part *p, struct sample_head *h)
{
	struct part at = *p, word = next_word(&at);

	if (is_number(word)) {
		h->period = number(word);
		h->has_period = true;
		*p = at;
		word = next_word(&at);
	}
	if (word.length < 2 || word.at[word.length - 1] != ':')
		return;
	h->event = (struct part){ word.at, word.length - 1 };
	*p = at;
}

/* What follows a comm, of which a time or an event is one's sign. */
static bool take_numbers(struct part p, struct sample_head *h)
{
	struct sample_head head = { .comm = h->comm };
	const bool numbered = take_ids(&p, &head);
	struct part before;

	take_cpu(&p);
	before = p;
	take_between(&p, numbered);
	if (!take_time(&p, &head))
		p = before;
	take_period_and_event(&p, &head);
	if (!head.timed && (!numbered || !head.event.length))
		return false;
	/* with the address of the sample but no event, a number is the address */
	if (head.has_period && !head.event.length && !p.length)
		return false;
	head.rest = p;
	*h = head;
	return true;
}

/* Whether it is the first line of a sample; what h has leads into it. */
static bool parse_head(struct part line, struct sample_head *h)
{
	size_t most;

	skip_blanks(&line);
	most = line.length < COMM_MOST ? line.length : COMM_MOST;
	h->comm = (struct part){ line.at, 0 };
	if (take_numbers(line, h))
		return true;
	for (size_t n = 1; n < most; n++) {
		if (!is_space(line.at[n]) || is_space(line.at[n - 1]))
			continue;
		h->comm = (struct part){ line.at, n };
		if (take_numbers(skip(line, n), h))
			return true;
	}
	return false;
}

/* The same where neither a time nor an event was printed. */
static void parse_bare_head(struct part line, struct sample_head *h)
{
	trim(&line);
	*h = (struct sample_head){ .comm = line };
	for (size_t n = 1; n < line.length; n++) {
		struct part rest = skip(line, n);
		struct sample_head with = { .comm = { line.at, n } };

		if (!is_space(line.at[n]) || is_space(line.at[n - 1]) || !take_ids(&rest, &with))
			continue;
		take_cpu(&rest);
		if (!rest.length) {
			*h = with;
			return;
		}
	}
}

/* ---- frames ---- */

struct text_frame {
	uint64_t address;
	struct part function, dso;    /* of length 0: not known */
	bool inlined;
};

/* Takes "+0x1f" off the end. */
static void without_offset(struct part *p)
{
	size_t n = p->length;

	while (n && is_hex(p->at[n - 1]))
		n--;
	if (n > 3 && n < p->length && !memcmp(p->at + n - 3, "+0x", 3))
		p->length = n - 3;
}

/* Where the brackets open that end a line, and that follow a blank: a path may have some, too. */
static bool find_file(struct part p, size_t *open)
{
	size_t depth = 0;

	for (size_t i = p.length; i-- > 0;) {
		if (p.at[i] != '(' && p.at[i] != ')')
			continue;
		depth += p.at[i] == ')' ? 1 : -(size_t)1;
		if (depth)
			continue;
		*open = i;
		return !i || is_space(p.at[i - 1]);
	}
	return false;
}

/* A function with "+0x1f" is over where that ends, and one without a name is "[unknown]", whatever the file
 * is called. */
static bool find_file_after_offset(struct part p, size_t *open)
{
	static const char unknown[] = "[unknown] (";

	*open = sizeof(unknown) - 2;
	if (begins_with(p, unknown))
		return true;
	for (size_t i = 4; i < p.length; i++) {
		struct part before = { p.at, i };

		if (p.at[i] != '(' || p.at[i - 1] != ' ')
			continue;
		before.length--;
		without_offset(&before);
		if (before.length == i - 1)
			continue;
		*open = i;
		return true;
	}
	return false;
}

/* What follows an address: "main+0x1f (/bin/x)". */
static void parse_names(struct part p, struct text_frame *f)
{
	static const char inlined[] = "(inlined)";
	size_t open;

	trim(&p);
	f->inlined = ends_with(p, inlined) && (p.length == sizeof(inlined) - 1 ||
					       is_space(p.at[p.length - sizeof(inlined)]));
	if (f->inlined) {
		p.length -= sizeof(inlined) - 1;
	} else if (ends_with(p, ")") && (find_file_after_offset(p, &open) || find_file(p, &open))) {
		f->dso = (struct part){ p.at + open + 1, p.length - open - 2 };
		without_offset(&f->dso);
		p.length = open;
	}
	trim(&p);
	without_offset(&p);
	if (p.length != 9 || memcmp(p.at, "[unknown]", 9) != 0)
		f->function = p;
	if (f->dso.length == 9 && !memcmp(f->dso.at, "[unknown]", 9))
		f->dso.length = 0;
}

static bool parse_frame(struct part line, struct text_frame *f)
{
	struct part word;

	*f = (struct text_frame){ .address = 0 };
	if (!line.length || !is_space(*line.at))
		return false;
	word = next_word(&line);
	if (!is_address(word))
		return false;
	f->address = address_of(word);
	parse_names(line, f);
	return true;
}

/* Of "7f12 main (/bin/x) => ...", a branch, what is before the arrow. */
static struct part without_target(struct part p)
{
	const char *const arrow = memmem(p.at, p.length, " => ", 4);

	return arrow ? (struct part){ p.at, (size_t)(arrow - p.at) } : p;
}

/* The frame at the end of a head, after an address of data, or the text of a tracepoint. */
static bool parse_own_frame(struct part rest, struct text_frame *f)
{
	struct part at, word, next;

	rest = without_target(rest);
	at = rest;
	word = next_word(&at);
	*f = (struct text_frame){ .address = 0 };
	if (is_address(word)) {
		struct part after = at;

		next = next_word(&after);
		skip_blanks(&after);
		if (is_address(next) && next.length >= 6 && after.length && *after.at != '(') {
			word = next;
			at = after;
		}
		f->address = address_of(word);
		parse_names(at, f);
		return true;
	}
	if (!ends_with(rest, "])") && !memmem(rest.at, rest.length, " (/", 3))
		return false;
	while ((word = next_word(&at)).length)
		if (word.length >= 8 && is_address(word)) {
			f->address = address_of(word);
			parse_names(at, f);
		}
	return f->function.length || f->dso.length;
}

static char *copy_of(struct part p)
{
	return p.length ? strndup(p.at, p.length) : strdup("");
}

static int add_parsed(struct pp_script_text *t, const struct text_frame *f, struct pp_error *error)
{
	const unsigned mode = pp_mode_of_address(f->address);
	char *const dso = copy_of(f->dso), *const function = copy_of(f->function);
	unsigned kind;
	int status;

	if (!dso || !function) {
		free(dso);
		free(function);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	t->stats.frames++;
	t->stats.unnamed += !f->function.length;
	t->stack.object = f->dso.length ? dso : NULL;
	kind = f->inlined ? PP_FLAME_INLINED : pp_named_stack_kind(t->stack.object, mode);
	status = !f->function.length ? pp_named_stack_add_unnamed(&t->stack, f->address, kind, error) :
				       pp_named_stack_add(&t->stack, function, kind, error);
	t->stack.object = NULL;
	free(dso);
	free(function);
	return status;
}

static int add_text_frame(struct pp_script_text *t, const struct text_frame *f, struct pp_error *error)
{
	return !t->wanted || (f->inlined && t->how.no_inline) ? 0 : add_parsed(t, f, error);
}

/* ---- samples ---- */

/* Whom an event leaves out, ":u", may be printed or not. */
static bool is_event(struct part event, const char *name)
{
	const char *const colon = memrchr(event.at, ':', event.length);
	const size_t length = strlen(name), bare = colon ? (size_t)(colon - event.at) : event.length;

	return (length == event.length || length == bare) && !memcmp(event.at, name, length);
}

/* 1, 0, or -1 and *error: memory. */
static int is_meant(struct pp_script_text *t, struct part event, struct pp_error *error)
{
	if (t->event)
		return strlen(t->event) == event.length && !memcmp(t->event, event.at, event.length);
	if (t->how.event && !is_event(event, t->how.event))
		return 0;
	t->event = copy_of(event);
	return t->event ? 1 : pp_fail(error, PP_E_NOMEM, NULL);
}

static int open_sample(struct pp_script_text *t, struct part line, bool bare, struct pp_error *error)
{
	struct part kept;
	int meant;

	t->line.size = 0;
	if (pp_buffer_add(&t->line, line.at, line.length, error))
		return -1;
	kept = (struct part){ (const char *)t->line.data, t->line.size };
	t->head = (struct sample_head){ .timed = false };
	if (bare)
		parse_bare_head(kept, &t->head);
	else
		(void)parse_head(kept, &t->head);
	if (!t->head.event.length)
		t->head.event = (struct part){ "samples", 7 };
	t->opened = t->lines;
	t->doubtful = bare;
	t->framed = false;
	t->stack.n = 0;
	t->stack.cut = false;
	/* what may be no head chooses no event */
	meant = bare ? !t->how.event : is_meant(t, t->head.event, error);
	if (meant < 0)
		return -1;
	t->wanted = meant;
	t->open = true;
	return 0;
}

static void copy_number(char to[NUMBER_ROOM], struct part p)
{
	const size_t n = p.length < NUMBER_ROOM ? p.length : NUMBER_ROOM - 1;

	memcpy(to, p.length ? p.at : "?", p.length ? n : 1);
	to[p.length ? n : 1] = 0;
}

static int outermost(struct pp_script_text *t, uint32_t *frame, struct pp_error *error)
{
	char pid[NUMBER_ROOM], tid[NUMBER_ROOM], none[NUMBER_ROOM + 1];

	copy_number(pid, t->head.pid);
	copy_number(tid, t->head.tid);
	if (!t->head.comm.length) {
		/* perf's word for threads whose name it does not know */
		snprintf(none, sizeof(none), ":%s", t->head.tid.length ? tid : "-1");
		return pp_named_stack_task(&t->stack, none, strlen(none), pid, tid, frame, error);
	}
	return pp_named_stack_task(&t->stack, t->head.comm.at, t->head.comm.length, pid, tid, frame, error);
}

/* At these a thread leaves its CPU, and only the records of its return, which are no text, say when it runs
 * again. */
static bool event_leaves_cpu(const char *event)
{
	return !strcmp(event, "sched:sched_switch") || !strncmp(event, "context-switches", 16) ||
	       !strncmp(event, "cgroup-switches", 15);
}

/* As for a stream: *folded becomes the sample of the thread before, whose time is known now. */
static int weigh_time_between(struct pp_script_text *t, struct pp_folded *folded, struct pp_error *error)
{
	const bool negative = t->head.tid.length && *t->head.tid.at == '-';
	const uint64_t tid = number(skip(t->head.tid, negative)) | (uint64_t)negative << 32;
	const uint64_t *known = pp_idmap_find(&t->tids, tid);
	const struct pp_folded now = *folded;
	struct pp_folded *last;

	if (!t->head.timed || !t->head.tid.length || event_leaves_cpu(t->event))
		return pp_fail(error, PP_E_USE, "this text cannot be weighed by time: %s",
			       !t->head.timed ? "it has none" : !t->head.tid.length ? "it has no threads" :
			       "it does not say when threads that left their CPU run again");
	if (!known) {
		if (PP_GROW(&t->threads, &t->threads_room, t->n_threads + 1, error))
			return -1;
		if (pp_idmap_set(&t->tids, tid, t->n_threads))
			return pp_fail(error, PP_E_NOMEM, NULL);
		t->threads[t->n_threads++].last = now;
		known = pp_idmap_find(&t->tids, tid);
	}
	last = &t->threads[*known].last;
	*folded = *last;
	folded->weight = now.time > last->time ? now.time - last->time : 0;
	*last = now;
	return 0;
}

static int fold_sample(struct pp_script_text *t, struct pp_folded *folded, struct pp_error *error)
{
	struct text_frame own;
	uint32_t first;

	t->stats.no_chain += !t->stack.n;
	if (!t->stack.n && parse_own_frame(t->head.rest, &own) && add_text_frame(t, &own, error))
		return -1;
	*folded = (struct pp_folded){ .time = t->head.time, .weight = 1 };
	if (t->how.weight == PP_FOLD_PERIOD && t->head.has_period)
		folded->weight = t->head.period;
	if (outermost(t, &first, error))
		return -1;
	t->stack.frames[t->stack.n++] = first;
	folded->node = PP_PROFILE_ROOT;
	if (pp_named_stack_call(&t->stack, &folded->node, error) ||
	    pp_tree_end(t->profile, &folded->node, error) ||
	    (t->how.weight == PP_FOLD_TIME && weigh_time_between(t, folded, error)) ||
	    pp_profile_weigh(t->profile, folded->node, t->how.side, folded->weight, error))
		return -1;
	t->profile->cut += t->stack.cut;
	t->stats.samples++;
	return 1;
}

static const char neither[] = "is neither the first line of a sample nor a frame of one";

static int line_fails(uint64_t line, const char *why, struct pp_error *error)
{
	return pp_fail(error, PP_E_VALUE, "line %llu: %s", (unsigned long long)line, why);
}

/* Ends the sample at hand, if there is one. */
static int end_sample(struct pp_script_text *t, struct pp_folded *folded, struct pp_error *error)
{
	if (!t->open)
		return 0;
	t->open = false;
	if (t->doubtful)
		return line_fails(t->opened, neither, error);
	if (t->wanted)
		return fold_sample(t, folded, error);
	t->stats.others++;
	return 0;
}

/* ---- lines ---- */

static int note_frame(struct pp_script_text *t, const struct text_frame *frame, struct pp_error *error)
{
	if (!t->open)
		return line_fails(t->lines, "a frame that belongs to no sample", error);
	t->framed = t->frames = true;
	t->doubtful = false;
	return add_text_frame(t, frame, error);
}

bool pp_script_text_begins(const char *line, size_t length)
{
	struct sample_head head;

	return length && *line != '\t' && *line != '#' && parse_head((struct part){ line, length }, &head);
}

bool pp_script_text_is_frame(const char *line, size_t length)
{
	struct text_frame frame;

	return parse_frame((struct part){ line, length }, &frame);
}

enum line_kind { LINE_EMPTY, LINE_PASSED, LINE_HEAD, LINE_FRAME, LINE_OTHER };

static enum line_kind kind_of_line(const struct pp_script_text *t, struct part line, struct text_frame *frame)
{
	struct sample_head head;
	struct part rest = line;

	trim(&rest);
	if (!rest.length)
		return LINE_EMPTY;
	if (*line.at == '\t' && parse_frame(line, frame))
		return LINE_FRAME;
	if (parse_head(line, &head) && (*line.at != '#' || (head.timed && head.tid.length)))
		return begins_with(head.rest, "PERF_RECORD_") || begins_with(head.rest, " PERF_RECORD_") ?
		       LINE_PASSED : LINE_HEAD;
	if (*line.at == '#')
		return LINE_PASSED;
	if (parse_frame(line, frame))
		return LINE_FRAME;
	/* with a frame, "  file.c:12"; with a sample, registers, " ABI:2 AX:0x1", branches, " 0x1/0x2/P" */
	if (t->open && (*line.at == '|' || (*line.at == ' ' && line.at[1 + (line.at[1] == ' ')] != ' ')))
		return LINE_PASSED;
	return LINE_OTHER;
}

int pp_script_text_line(struct pp_script_text *t, const char *text, size_t length, struct pp_folded *folded,
			struct pp_error *error)
{
	const struct part line = { text, length };
	struct text_frame frame;
	enum line_kind kind;
	int ended;

	t->lines++;
	if (memchr(text, 0, length))
		return line_fails(t->lines, "has bytes that are no text", error);
	kind = kind_of_line(t, line, &frame);
	switch (kind) {
	case LINE_EMPTY:
		return end_sample(t, folded, error);
	case LINE_PASSED:
		return 0;
	case LINE_FRAME:
		return note_frame(t, &frame, error);
	default:
		break;
	}
	if (kind == LINE_OTHER && t->open && t->framed)
		return line_fails(t->lines, neither, error);
	ended = end_sample(t, folded, error);
	if (ended < 0 && error->code != PP_E_VALUE)
		return -1;
	return open_sample(t, line, kind == LINE_OTHER, error) ? -1 : ended;
}

void pp_script_text_skip(struct pp_script_text *t)
{
	t->lines++;
}

int pp_script_text_end(struct pp_script_text *t, struct pp_folded *folded, struct pp_error *error)
{
	struct part rest = t->head.rest;

	trim(&rest);
	/* frames that have lines of their own have an empty line after them */
	if (t->open && (t->framed || (t->frames && !t->doubtful && !rest.length))) {
		t->open = false;
		return line_fails(t->lines, "the text ends within a sample, which was left out", error);
	}
	return end_sample(t, folded, error);
}

int pp_script_text_lighten(struct pp_script_text *t, uint32_t *places, uint64_t *left_out,
			   struct pp_error *error)
{
	memset(places, 0, t->profile->n_nodes * sizeof(*places));
	if (pp_tree_lighten(t->profile, t->how.side == PP_PROFILE_SECOND, pp_profile_nodes(t->profile) / 2,
			    places, left_out, error))
		return -1;
	for (size_t i = 0; i < t->n_threads; i++)
		t->threads[i].last.node = places[t->threads[i].last.node];
	return 0;
}
