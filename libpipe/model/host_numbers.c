/*
 * host_numbers.c - hosts that share a stream: the notes that name them, and the numbers that keep
 * their processes and processors apart.  merge/merge_hosts.c assigns the numbers.
 *
 * THE FORMAT of these notes: one for each host, key "host.N", N from 0 without gaps in decimal,
 * value "NAME" or "NAME pid=OFFSET cpu=OFFSET", offsets in decimal.  A NAME has no blanks, and no
 * two hosts have the same.  Where there are offsets, each number of a process or thread of that
 * host but 0 and -1, and each number of a processor but "any" (all bits set), is larger by it than
 * it was on the host.  A number belongs to the host with the largest offset that is not larger.
 */
#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	KEY_ROOM = 32,
	MASK_STEP = 64,               /* offsets of processors are multiples: masks grow by words */
};

/* ---- Notes ---- */

int pp_host_write(struct pp_writer *w, size_t number, const struct pp_host *host,
		  struct pp_error *error)
{
	char key[KEY_ROOM], value[PP_HOST_NAME + 64];
	int length;

	snprintf(key, sizeof(key), "host.%zu", number);
	length = snprintf(value, sizeof(value), "%s", host->name);
	if (host->apart)
		length += snprintf(value + length, sizeof(value) - (size_t)length,
				   " pid=%" PRIu32 " cpu=%" PRIu32, host->pid, host->cpu);
	return pp_writer_note(w, key, value, (size_t)length, error);
}

/* Decimal digits, all of them, up to `most`. */
static bool decimal_number(const char *text, size_t length, uint64_t most, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || *value > (most - (uint64_t)(text[i] - '0')) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(text[i] - '0');
	}
	return length != 0;
}

/* Takes "WORD=NUMBER" off the end of *length bytes, with the blank before it. */
static bool take_word(const char *text, size_t *length, const char *word, uint32_t *value)
{
	const size_t n = strlen(word);
	const char *const blank = memrchr(text, ' ', *length);
	size_t left;
	uint64_t found;

	if (!blank)
		return false;
	left = *length - (size_t)(blank + 1 - text);
	if (left <= n || memcmp(blank + 1, word, n) ||
	    !decimal_number(blank + 1 + n, left - n, INT32_MAX, &found))
		return false;
	*length = (size_t)(blank - text);
	*value = (uint32_t)found;
	return true;
}

static bool parse_value(const char *text, size_t length, struct pp_host *host)
{
	size_t left = length;

	*host = (struct pp_host){ .apart = false };
	host->apart = take_word(text, &left, "cpu=", &host->cpu) &&
		      take_word(text, &left, "pid=", &host->pid);
	if (!host->apart) {
		host->cpu = host->pid = 0;
		left = length;
	}
	if (!left || left >= sizeof(host->name) || host->cpu % MASK_STEP || memchr(text, ' ', left))
		return false;
	memcpy(host->name, text, left);
	return true;
}

bool pp_host_parse(const struct pp_note *note, size_t *n, struct pp_host *host)
{
	uint64_t found;

	if (note->key_length <= 5 || memcmp(note->key, "host.", 5) || note->continues ||
	    !decimal_number(note->key + 5, note->key_length - 5, PP_HOSTS_MOST - 1, &found))
		return false;
	*n = (size_t)found;
	return parse_value(note->value, note->value_length, host);
}

void pp_host_name(struct pp_host *host, const char *text, size_t length)
{
	if (length >= sizeof(host->name))
		length = sizeof(host->name) - 1;
	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		host->name[i] = c <= ' ' || c == 0x7f ? '_' : text[i];
	}
	if (!length)
		host->name[length++] = '_';
	host->name[length] = 0;
}

/* ---- Numbers of processes and processors, wherever a record has them ---- */

enum host_key { NOTHING, PROCESS, PROCESSOR, MASK };

static enum host_key meaning(const struct pp_field *field)
{
	return pp_is_task(field->is) ? PROCESS : field->is == PP_IS_CPU ? PROCESSOR :
	       field->is == PP_IS_CPU_MASK ? MASK : NOTHING;
}

static uint64_t all_ones(size_t width)
{
	return UINT64_MAX >> (64 - 8 * width);
}

/* Whether a number is moved at all: process 0 is on every host, and all ones mean none. */
static bool moves(enum host_key what, uint64_t value, size_t width)
{
	return value != all_ones(width) && (what != PROCESS || value);
}

static int cannot(const struct pp_record *rec, struct pp_error *error, enum host_key what,
		  uint64_t value)
{
	pp_fail(error, PP_E_VALUE, "%s %" PRId64 " is not one of its host's",
		what == PROCESS ? "process" : "processor", (int64_t)value);
	return pp_error_at(error, rec->offset, rec->index, rec->type);
}

/* One number, forth or back.  0, or -1: it is outside of what the host has. */
static int move_one(const struct pp_host *host, bool back, const struct pp_record *rec, enum host_key what,
		    uint8_t *at, size_t width, struct pp_error *error)
{
	const uint64_t offset = what == PROCESS ? host->pid : host->cpu;
	const uint64_t room = what == PROCESS ? host->pids : host->cpus;
	const uint64_t value = pp_load_width(at, width);
	uint64_t own = value;

	if (!moves(what, value, width))
		return 0;
	if (back && value < offset)
		return cannot(rec, error, what, value);
	if (back)
		own = value - offset;
	if ((room && own >= room) || (!back && own > (all_ones(width) >> 1) - offset))
		return cannot(rec, error, what, value);
	pp_store_width(at, width, back ? own : own + offset);
	return 0;
}

/* A mask of processors grows by words that are zero, or loses them; `nr` is the number of its
 * words. */
static int move_mask(const struct pp_host *host, bool back, struct pp_record *rec, size_t room,
		     const struct pp_cursor *c, uint8_t *nr, struct pp_error *error)
{
	const size_t words = host->cpu / (8 * (size_t)c->width), bytes = words * c->width;
	const size_t behind = rec->size - (size_t)(c->data - rec->data);
	size_t size = rec->size;

	if (back) {
		for (size_t i = 0; i < bytes; i++)
			if (words > c->count || c->data[i])
				return cannot(rec, error, PROCESSOR, 0);
		memmove(c->data, c->data + bytes, behind - bytes);
		size -= bytes;
	} else {
		if (!pp_fits(bytes, room - rec->size) || !pp_fits(bytes, PP_RECORD_MAX - rec->size))
			return cannot(rec, error, PROCESSOR, 0);
		memmove(c->data + bytes, c->data, behind);
		memset(c->data, 0, bytes);
		size += bytes;
	}
	pp_store16(nr, (uint16_t)(back ? c->count - words : c->count + words));
	pp_store16(rec->data + 6, (uint16_t)size);
	rec->size = (uint16_t)size;
	return 0;
}

/* A sample has its numbers where its event's plan says. */
static int move_sample(const struct pp_host *host, bool back, struct pp_record *rec,
		       struct pp_error *error)
{
	const struct pp_plan *const plan = &rec->attr->plan;
	uint8_t *const data = rec->data;

	if (plan->tid && pp_fits((uint64_t)plan->tid + 8, rec->size) &&
	    (move_one(host, back, rec, PROCESS, data + plan->tid, 4, error) ||
	     move_one(host, back, rec, PROCESS, data + plan->tid + 4, 4, error)))
		return -1;
	if (plan->cpu && pp_fits((uint64_t)plan->cpu + 4, rec->size))
		return move_one(host, back, rec, PROCESSOR, data + plan->cpu, 4, error);
	return 0;
}

int pp_host_move(const struct pp_host *host, bool back, struct pp_record *rec, size_t room,
		 struct pp_error *error)
{
	uint8_t *nr = NULL;
	struct pp_cursor c;
	int token;

	if (rec->type == PP_REC_SAMPLE)
		return rec->attr ? move_sample(host, back, rec, error) : 0;
	if (rec->type == PP_REC_HEADER_FEATURE || rec->type == PP_REC_HEADER_ATTR)
		return 0;
	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		const enum host_key what = token == PP_VALUE ? meaning(c.field) : NOTHING;

		if (token == PP_VALUE && c.field->counts)
			nr = c.data;
		/* nothing but padding follows a mask */
		if (what == MASK && nr)
			return move_mask(host, back, rec, room, &c, nr, error);
		if (what != PROCESS && what != PROCESSOR)
			continue;
		for (uint32_t i = 0; i < c.count; i++)
			if (move_one(host, back, rec, what, c.data + i * c.width, c.width, error))
				return -1;
	}
	if (token < 0 && error)
		*error = c.error;
	return token < 0 ? -1 : 0;
}

/* ---- Whose a record is ---- */

static int owner(const struct pp_host *hosts, size_t n, enum host_key what, uint64_t value)
{
	int found = -1;

	for (size_t i = 0; i < n; i++) {
		const uint64_t offset = what == PROCESS ? hosts[i].pid : hosts[i].cpu;
		const uint64_t best = found < 0 ? 0 : what == PROCESS ? hosts[found].pid :
				      hosts[found].cpu;

		if (hosts[i].apart && offset <= value && (found < 0 || offset > best))
			found = (int)i;
	}
	return found;
}

static int owner_of_sample(const struct pp_host *hosts, size_t n, const struct pp_record *rec)
{
	uint32_t pid = 0, tid, cpu;

	if (pp_task(rec, &pid, &tid) && moves(PROCESS, pid, sizeof(pid)))
		return owner(hosts, n, PROCESS, pid);
	if (pp_cpu(rec, &cpu) && moves(PROCESSOR, cpu, sizeof(cpu)))
		return owner(hosts, n, PROCESSOR, cpu);
	return -1;
}

/* The first processor of a mask. */
static bool first_of_mask(const struct pp_cursor *c, uint64_t *cpu)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const uint64_t word = pp_walk_u64(c, i);

		if (!word)
			continue;
		*cpu = (uint64_t)i * c->width * 8 + (uint64_t)__builtin_ctzll(word);
		return true;
	}
	return false;
}

int pp_host_of(const struct pp_host *hosts, size_t n, const struct pp_record *rec)
{
	uint64_t cpu = UINT64_MAX;
	struct pp_cursor c;

	if (rec->type == PP_REC_SAMPLE)
		return owner_of_sample(hosts, n, rec);
	if (rec->type == PP_REC_HEADER_FEATURE || rec->type == PP_REC_HEADER_ATTR)
		return -1;
	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		const enum host_key what = token == PP_VALUE ? meaning(c.field) : NOTHING;

		for (uint32_t i = 0; (what == PROCESS || what == PROCESSOR) && i < c.count; i++) {
			const uint64_t value = pp_load_width(c.data + i * c.width, c.width);

			if (what == PROCESS && moves(what, value, c.width))
				return owner(hosts, n, PROCESS, value);
			if (what == PROCESSOR && moves(what, value, c.width))
				cpu = value;
		}
		if (what == MASK && first_of_mask(&c, &cpu))
			break;
	}
	return cpu == UINT64_MAX ? -1 : owner(hosts, n, PROCESSOR, cpu);
}
