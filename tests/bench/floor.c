/*
 * floor.c - walks a perf stream as barely as can be, to compare the tools' times with: reads standard input
 * into a large buffer, finds each record, looks its event up, compares the pid of samples, counts.
 *
 * It trusts the stream, which has to be plain, of this byte order, and of events that all have their id at
 * the same place.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SAMPLE = 9, ATTR = 64, TRACING_DATA = 66, AUXTRACE = 71,
	IP = 1 << 0, TID = 1 << 1, TIME = 1 << 2, ADDR = 1 << 3, ID = 1 << 6, CPU = 1 << 7,
	STREAM_ID = 1 << 9, IDENTIFIER = 1 << 16,
	BUFFER = 1 << 20, RECORD_MOST = 1 << 16, EVENTS = 1 << 16,
};

/* By id; where pid_at is 0 there is none. */
static struct event {
	uint64_t id;
	uint32_t pid_at;
} events[EVENTS];

/* Where the id is: in samples from their start, in the kernel's other records from their end. */
static size_t id_at = 8, id_from_end = 8;

static uint64_t records, matched, unknown;

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static struct event *find(uint64_t id)
{
	size_t i = id % EVENTS;

	while (events[i].pid_at && events[i].id != id)
		i = (i + 1) % EVENTS;
	return &events[i];
}

/* Bytes of those of these fields that the event has. */
static size_t width(uint64_t type, uint64_t fields)
{
	return 8 * (size_t)__builtin_popcountll(type & fields);
}

static void take_attr(const uint8_t *record, size_t size)
{
	static size_t count;
	const uint64_t type = load64(record + 8 + 24);

	if (!(type & IDENTIFIER)) {
		id_at = 8 + width(type, IP | TID | TIME | ADDR);
		id_from_end = width(type, ID | STREAM_ID | CPU);
	}
	for (size_t at = 8 + load32(record + 8 + 4); at + 8 <= size && count < EVENTS / 2; at += 8, count++) {
		struct event *const event = find(load64(record + at));

		event->id = load64(record + at);
		event->pid_at = (uint32_t)(8 + width(type, IDENTIFIER | IP));
	}
}

/* Bytes after a record that its size does not count. */
static size_t tail(uint32_t type, const uint8_t *record)
{
	return type == TRACING_DATA ? load32(record + 8) : type == AUXTRACE ? load64(record + 8) : 0;
}

/* All whole records of these bytes: how far they go, which is beyond the bytes where a tail is. */
static size_t walk(const uint8_t *bytes, size_t have)
{
	static const struct event *event = &events[0]; /* that of the last id */
	size_t at = 0, size;

	for (; at + 8 <= have; at += size) {
		const uint8_t *const record = bytes + at;
		const uint32_t type = load32(record);

		size = load32(record + 4) >> 16;
		if (size < 8 || at + size > have)
			break;
		records++;
		if (type < ATTR) {
			const uint64_t id = load64(record + (type == SAMPLE ? id_at : size - id_from_end));

			if (event->id != id)
				event = find(id);
			if (!event->pid_at)
				unknown++;
			else if (type == SAMPLE)
				matched += load32(record + event->pid_at) > 1;
		} else if (type == ATTR) {
			take_attr(record, size);
		} else {
			size += tail(type, record);
		}
	}
	return at;
}

int main(void)
{
	uint8_t *const buffer = malloc(BUFFER + RECORD_MOST);
	size_t have = 0, at = 16; /* after the stream's header */
	ssize_t n;

	if (!buffer)
		return 4;
	while ((n = read(STDIN_FILENO, buffer + have, BUFFER)) > 0) {
		have += (size_t)n;
		if (at < have)
			at += walk(buffer + at, have - at);
		if (at < have) {
			/* the rest of the record is still to come */
			have -= at;
			memmove(buffer, buffer + at, have);
			at = 0;
		} else {
			at -= have;
			have = 0;
		}
	}
	if (n < 0)
		return 4;
	return printf("%llu records, %llu with a pid above 1, %llu of no event\n",
		      (unsigned long long)records, (unsigned long long)matched,
		      (unsigned long long)unknown) < 0 ? 4 : 0;
}
