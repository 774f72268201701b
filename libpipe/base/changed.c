/* changed.c - when a file was changed. */
#include "base/changed.h"

#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* File systems on which another machine may say when, or a program. */
static bool has_other_clock(const struct statfs *fs)
{
	static const uint32_t others[] = {
		NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, V9FS_MAGIC,
		CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC, CODA_SUPER_MAGIC, NCP_SUPER_MAGIC,
		FUSE_SUPER_MAGIC, OCFS2_SUPER_MAGIC, 0x01161970 /* gfs2 */, 0x0bd00bd0 /* lustre */,
		0x786f4256 /* vboxsf */, 0xbacbacbc /* vmhgfs */, 0x47504653 /* gpfs */,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if ((uint32_t)fs->f_type == others[i])
			return true;
	return false;
}

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* Not ctime, though programs can set mtime back: perf record makes a link to each file that it sampled. */
uint64_t pp_changed(const struct stat *st, const struct statfs *fs)
{
	return has_other_clock(fs) ? 0 : ns_of(&st->st_mtim);
}

uint64_t pp_changed_file(int fd)
{
	struct statfs fs;
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) ? 0 : pp_changed(&st, &fs);
}

uint64_t pp_changed_anything(int fd)
{
	static const struct timespec two_seconds = { 2, 0 };
	struct timespec tick = { 0, 0 };
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs) || has_other_clock(&fs))
		return 0;
	(void)clock_getres(CLOCK_REALTIME_COARSE, &tick);
	return ns_of(&st.st_ctim) + ns_of(st.st_ctim.tv_nsec ? &tick : &two_seconds);
}
