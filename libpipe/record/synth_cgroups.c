/*
 * synth_cgroups.c - the control groups that there are, and the namespaces that a task is in, as the kernel
 * reports those to come.
 */
#include "base/procfs.h"
#include "record/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- control groups ---- */

struct cgroup_walk {
	struct pp_synth_out *made;
	char path[PP_PATH];
	size_t root;                  /* bytes of it up to the mount's own */
};

/* Its number is in its handle; since Linux 5.5 also that of its inode. */
static uint64_t group_id(const char *path)
{
	union {
		struct file_handle handle;
		uint8_t room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} to;
	struct stat st;
	int mount;

	memset(&to, 0, sizeof(to));
	to.handle.handle_bytes = sizeof(uint64_t);
	if (!name_to_handle_at(AT_FDCWD, path, &to.handle, &mount, 0) &&
	    to.handle.handle_bytes == sizeof(uint64_t))
		return pp_load64(to.room + sizeof(struct file_handle));
	return stat(path, &st) ? 0 : st.st_ino;
}

static int put_group(struct cgroup_walk *w, struct pp_error *error)
{
	const uint64_t id = group_id(w->path);
	struct pp_build b;

	if (!id)
		return 0;
	pp_build(&b, w->made->buf, sizeof(w->made->buf), PP_REC_CGROUP, 0, w->made->attr);
	pp_build_u64(&b, "id", id);
	pp_build_text(&b, "path", w->path[w->root] ? w->path + w->root : "/");
	return pp_synth_out_put(w->made, &b, error);
}

/* The group at w->path, then those below it.  One that is gone by then is left out. */
static int put_groups(struct cgroup_walk *w, struct pp_error *error)
{
	const size_t length = strlen(w->path);
	struct dirent *entry;
	int status;
	DIR *dir;

	if (put_group(w, error))
		return -1;
	dir = opendir(w->path);
	if (!dir)
		return pp_lacking(errno) ? pp_fail_os(error, "cannot read %s", w->path) : 0;
	status = 0;
	while (!status && (entry = readdir(dir))) {
		const size_t n = strlen(entry->d_name);

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    n + 2 > sizeof(w->path) - length)
			continue;
		w->path[length] = '/';
		memcpy(w->path + length + 1, entry->d_name, n + 1);
		status = put_groups(w, error);
		w->path[length] = '\0';
	}
	(void)closedir(dir);
	return status;
}

/* Where the hierarchy is mounted that events know: that of perf_event, or the unified one. */
static bool find_mount(char *path, size_t size)
{
	char name[PP_PATH];
	FILE *const f = setmntent(pp_rooted(name, "/proc/self/mounts"), "re");
	const struct mntent *m;
	int found = 0;

	while (f && found < 2 && (m = getmntent(f))) {
		const int now = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event") ? 2 :
				!strcmp(m->mnt_type, "cgroup2") ? 1 : 0;

		if (now <= found || strlen(m->mnt_dir) >= size)
			continue;
		found = now;
		(void)snprintf(path, size, "%s", m->mnt_dir);
	}
	if (f)
		(void)endmntent(f);
	return found > 0;
}

int pp_cgroups_put(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct cgroup_walk w = { .made = made };

	errno = 0;
	if (find_mount(w.path, sizeof(w.path))) {
		w.root = strlen(w.path);
		return put_groups(&w, error);
	}
	if (pp_looked(&c->options.say, "/proc/self/mounts", error))
		return -1;
	pp_say(&c->options.say, "control groups have no names in the recording: none are mounted");
	return 0;
}

/* ---- namespaces ---- */

int pp_namespaces_put(struct pp_synth_out *made, int32_t pid, int32_t tid, struct pp_error *error)
{
	/* in the order of the kernel's NET_NS_INDEX and so on */
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	enum { N = sizeof(names) / sizeof(names[0]) };
	char path[64];
	struct pp_build b;
	struct stat st[N];
	bool any = false;

	for (size_t i = 0; i < N; i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/ns/%s", pid, tid, names[i]);
		if (pp_file_stat(path, &st[i]))
			st[i] = (struct stat){ .st_ino = 0 };
		else
			any = true;
	}
	if (!any)
		return 0;
	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_NAMESPACES, 0, made->attr);
	pp_build_u64(&b, "pid", (uint64_t)pid);
	pp_build_u64(&b, "tid", (uint64_t)tid);
	pp_build_u64(&b, "nr", N);
	for (size_t i = 0; i < N; i++) {
		pp_build_open(&b, "namespaces");
		pp_build_u64(&b, "dev", st[i].st_dev);
		pp_build_u64(&b, "ino", st[i].st_ino);
		pp_build_close(&b);
	}
	return pp_synth_out_put(made, &b, error);
}
