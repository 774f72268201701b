/* smi.c - whether the CPU's counters stand still during interrupts of system management, which a file
 * of sysfs says. */
#include "base/procfs.h"
#include "count/counting.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char path[] = "/sys/devices/cpu/freeze_on_smi";

static int set(char value)
{
	char rooted[PP_PATH];
	const int fd = open(pp_rooted(rooted, path), O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int os;

	if (fd < 0)
		return -1;
	n = write(fd, &value, 1);
	os = errno;
	(void)close(fd);
	errno = os;
	return n == 1 ? 0 : -1;
}

int pp_smi_freeze(struct pp_smi *smi, struct pp_error *error)
{
	char text[16];

	if (pp_file_text(text, sizeof(text), path) < 0)
		return pp_fail_os(error, "cannot measure interrupts of system management: this machine "
				  "has no freeze_on_smi");
	if (*text != '0')
		return 0;
	if (set('1'))
		return pp_fail_os(error, "cannot set %s", path);
	smi->set = true;
	return 0;
}

void pp_smi_release(struct pp_smi *smi)
{
	if (smi->set)
		(void)set('0');
	smi->set = false;
}
