/* control_channel.c - opens fifos and descriptors through which a running tool takes commands. */
#include "cli/control_channel.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/trust.h"

static const char no_control[] = "is not fd:N, fd:N,ACK, fifo:FILE or fifo:FILE,ACKFILE";

/* "N" or "N,ACK"; false: something else. */
static bool descriptors(struct control *c, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || n < 0 || n > INT32_MAX)
		return false;
	c->fd = (int)n;
	if (!*end)
		return true;
	text = end + 1;
	n = strtol(text, &end, 10);
	c->ack = (int)n;
	return text[-1] == ',' && end != text && !*end && n >= 0 && n <= INT32_MAX;
}

const char *parse_control(void *target, const char *value)
{
	struct control *const c = target;

	*c = (struct control){ .value = value, .fd = -1, .ack = -1 };
	c->is_fifo = !strncmp(value, "fifo:", 5);
	if (c->is_fifo)
		return value[5] && value[5] != ',' ? NULL : no_control;
	return !strncmp(value, "fd:", 3) && descriptors(c, value + 3) ? NULL : no_control;
}

/*
 * For both directions, so that the other side may come and go.  A file would be written over
 * from its start.
 */
static int open_fifo(const char *given)
{
	char *why, *const path = trust_resolve(given, &why);
	int fd = -1, own;
	struct stat st;

	if (path)
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC |
			  (trust_is_descriptor(path, &own) ? 0 : O_NOFOLLOW));

	if (fd < 0 && why)
		cli_die(EXIT_SYSTEM, "--control: cannot open %s: %s", given, why);
	if (fd < 0 || fstat(fd, &st))
		cli_die_os("--control: cannot open %s", given);
	if (S_ISREG(st.st_mode))
		cli_die(EXIT_SYSTEM, "--control: cannot open %s: it is no fifo", given);
	free(path);
	return fd;
}

static void must_be_open(int fd)
{
	if (fd >= 0 && fcntl(fd, F_GETFD) < 0)
		cli_misuse("--control: descriptor %d is not open", fd);
}

void control_open(struct control *c)
{
	const char *comma;
	char *path;

	if (!c->value)
		return;
	if (!c->is_fifo) {
		must_be_open(c->fd);
		must_be_open(c->ack);
		return;
	}
	comma = strchr(c->value, ',');
	path = strndup(c->value + 5, strcspn(c->value + 5, ","));
	if (!path)
		cli_no_memory();
	c->fd = open_fifo(path);
	free(path);
	if (comma && comma[1])
		c->ack = open_fifo(comma + 1);
}
