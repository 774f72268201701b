/* ring_control.c - reads the commands to pp-ring out of a fifo, and answers them. */
#include "ring/ring_control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

const char *parse_ring_control(void *target, const char *value)
{
	struct ring_control *const c = target;

	if (strncmp(value, "fifo:", 5) || !value[5] || value[5] == ',')
		return "is not fifo:FILE or fifo:FILE,ACKFILE";
	return parse_control(&c->channel, value);
}

/* Whether a line is there, in c->line; what is too long for a command is cut there. */
static bool read_line(struct ring_control *c)
{
	char byte;
	ssize_t got;

	while (c->channel.fd >= 0) {
		got = read(c->channel.fd, &byte, 1);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (got <= 0) {
			/* a device that ends, or fails */
			c->channel.fd = -1;
			return false;
		}
		if (byte != '\n' && byte != '\0') {
			if (c->n < sizeof(c->line) - 1)
				c->line[c->n++] = byte;
			continue;
		}
		c->line[c->n] = '\0';
		c->n = 0;
		if (c->line[0])
			return true;
	}
	return false;
}

enum ring_command ring_control_next(struct ring_control *c)
{
	static const char *const names[] = {
		[RING_DUMP] = "dump", [RING_STATUS] = "status", [RING_PING] = "ping",
	};

	while (read_line(c)) {
		for (enum ring_command i = RING_DUMP; i <= RING_PING; i++)
			if (!strcmp(c->line, names[i]))
				return i;
		cli_say("--control: there is no command '%s': use dump, status or ping", c->line);
	}
	return RING_NO_COMMAND;
}

void ring_control_answer(const struct ring_control *c, const char *text)
{
	static const char ack[] = "ack\n";   /* with the zero byte that perf sends too */
	char line[512];
	const int n = text ? snprintf(line, sizeof(line), "%s\n", text) : 0;
	const size_t size = text ? (size_t)n : sizeof(ack);

	if (c->channel.ack < 0) {
		if (text)
			cli_say("%s", text);
		return;
	}
	if (write(c->channel.ack, text ? line : ack, size) < 0)
		cli_say("--control: cannot answer: %s", strerror(errno));
}
