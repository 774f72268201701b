/*
 * build_id.c - build-ids out of ELF notes: of files, of the running kernel and its modules, of the
 * vdso.  Names and paths are the caller's affair; what a file says of itself is not trusted.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"
#include "base/changed.h"
#include "base/procfs.h"
#include "base/spool.h"
#include "elf/elf_reader.h"
#include "elf/build_id.h"

enum {
	NOTES_MAX = 65536,              /* more than this of one segment's notes is not searched */
	ID_MAX    = 20,
};

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* The GNU build-id among notes; 1 or 0. */
static int search_notes(const uint8_t *notes, size_t length, uint64_t align, bool foreign,
			uint8_t id[ID_MAX], uint8_t *size)
{
	while (pp_fits(sizeof(Elf32_Nhdr), length)) {
		uint32_t namesz = pp_in_order32(notes, foreign);
		uint32_t descsz = pp_in_order32(notes + 4, foreign);
		uint32_t type = pp_in_order32(notes + 8, foreign);
		uint64_t desc = round_up(sizeof(Elf32_Nhdr) + (uint64_t)namesz, align);
		uint64_t next;

		if (!pp_fits(desc, length) || !pp_fits(descsz, length - desc))
			return 0;
		if (type == NT_GNU_BUILD_ID && descsz && namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + sizeof(Elf32_Nhdr), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			*size = descsz < ID_MAX ? (uint8_t)descsz : ID_MAX;
			memset(id, 0, ID_MAX);
			memcpy(id, notes + desc, *size);
			return 1;
		}
		next = round_up(desc + descsz, align);
		if (!pp_fits(next, length))
			return 0;
		notes += next;
		length -= next;
	}
	return 0;
}

/* Of a segment or section: 1, 0: there is none, or -1. */
static int search_at(struct pp_elf_reader *elf, uint64_t offset, uint64_t size, uint64_t align,
		     uint8_t id[ID_MAX], uint8_t *id_size)
{
	size_t n;
	uint8_t *const notes = pp_elf_bytes(elf, offset, size < NOTES_MAX ? size : NOTES_MAX, NOTES_MAX, &n);
	const int found = notes ? search_notes(notes, n, align == 8 ? 8 : 4, elf->foreign, id, id_size) :
			  errno ? -1 : 0;

	free(notes);
	return found;
}

static int search_segments(struct pp_elf_reader *elf, uint8_t id[ID_MAX], uint8_t *size)
{
	int found = pp_elf_read_segments(elf);

	for (uint32_t i = 0; !found && i < elf->n_segments; i++) {
		const struct pp_elf_segment s = pp_elf_segment(elf, i);

		if (s.type == PT_NOTE)
			found = search_at(elf, s.offset, s.size, s.align, id, size);
	}
	return found;
}

static int search_sections(struct pp_elf_reader *elf, uint8_t id[ID_MAX], uint8_t *size)
{
	int found = pp_elf_read_sections(elf);

	for (uint32_t i = 0; !found && i < elf->n_sections; i++) {
		const struct pp_elf_section s = pp_elf_section(elf, i);

		if (s.type == SHT_NOTE)
			found = search_at(elf, s.offset, s.size, s.align, id, size);
	}
	return found;
}

static int search(const struct pp_elf_source *source, uint8_t id[ID_MAX], uint8_t *size)
{
	struct pp_elf_reader elf;
	int found = pp_elf_begin(&elf, source), os;

	if (found > 0)
		found = search_segments(&elf, id, size);
	if (!found)
		found = search_sections(&elf, id, size);
	os = errno;
	pp_elf_end(&elf);
	errno = os;
	return found;
}

/* ---- Opening ---- */

/* File systems whose files are made as they are read, and may act on it: the kernel's log gives each
 * of its bytes once.  Their files claim to be regular. */
static bool makes_files(const struct statfs *fs)
{
	static const uint32_t made[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, SMACK_MAGIC, AAFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, BINFMTFS_MAGIC, NSFS_MAGIC,
		DEVPTS_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC, XENFS_SUPER_MAGIC, USBDEVICE_SUPER_MAGIC,
		0x62656570 /* configfs */, 0x65735543 /* fusectl */, 0x19800202 /* mqueue */,
	};

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		if ((uint32_t)fs->f_type == made[i])
			return true;
	return false;
}

/*
 * Is this the file that the kernel saw?  The kernel gives the device of the file system, which
 * overlayfs and those with subvolumes do not show in stat(); and overlayfs may replace the number
 * of the inode.
 */
static bool is_same(const struct pp_elf_file *wanted, const struct stat *st, const struct statfs *fs)
{
	static const uint32_t bcachefs = 0xca451a4e;
	const uint32_t type = (uint32_t)fs->f_type;
	const bool overlay = type == OVERLAYFS_SUPER_MAGIC;

	if (!wanted->ino)
		return true;
	if (overlay ? (uint32_t)st->st_ino != (uint32_t)wanted->ino : st->st_ino != wanted->ino)
		return false;
	return st->st_dev == makedev(wanted->maj, wanted->min) || overlay ||
	       type == BTRFS_SUPER_MAGIC || type == bcachefs;
}

/* Whether the number of its inode was another file's then.  Where the file system does not say, it may be
 * the same. */
static bool is_reborn(const struct pp_elf_file *wanted, int fd)
{
	/* the request is one for a long; file systems write an int */
	union { long room; uint32_t is; } generation = { .room = 0 };

	return wanted->ino && wanted->ino_generation && !ioctl(fd, FS_IOC_GETVERSION, &generation) &&
	       generation.is && generation.is != (uint32_t)wanted->ino_generation;
}

/* Whether what is in it is newer than what was recorded.  Without an inode it is not known to be a file of
 * this machine. */
static bool is_changed(const struct pp_elf_file *wanted, const struct stat *st, const struct statfs *fs)
{
	return wanted->ino && wanted->recorded_by && pp_changed(st, fs) > wanted->recorded_by;
}

static int close_with(int fd, int result)
{
	const int os = errno;

	close(fd);
	errno = os;
	return result;
}

/* Opens it, and follows no link out of its root. */
static int open_beneath(const struct pp_elf_file *file, int flags)
{
	const char *path = file->path;
	struct open_how how = { .flags = (uint64_t)(flags | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int dir, fd;

	if (!file->root)
		return open(path, flags | O_CLOEXEC);
	dir = open(file->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	/* before Linux 5.6 a link may lead out: then the file is not the one that is wanted, and what
	 * a link to it does is not done as root */
	if (fd < 0 && errno == ENOSYS && file->ino && geteuid())
		fd = openat(dir, path + strspn(path, "/"), flags | O_CLOEXEC);
	return close_with(dir, fd);
}

/* What was only looked at is opened for reading: the same file, or none.  A descriptor, or -1. */
static int open_again(int seen, const struct pp_elf_file *file, int links, const struct stat *st)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };
	struct stat now;
	char link[32];
	int fd;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", seen);
	fd = open(link, FLAGS);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))  /* there is no /proc */
		fd = open_beneath(file, FLAGS | links);
	if (fd < 0)
		return -1;
	if (fstat(fd, &now))
		return close_with(fd, -1);
	if (now.st_dev == st->st_dev && now.st_ino == st->st_ino)
		return fd;
	errno = ESTALE;
	return close_with(fd, -1);
}

/*
 * Opens a regular file and nothing else, and looks at it before: a device may act on being opened, a
 * fifo would wait, and what the kernel makes up as it is read may be gone for others.  As
 * pp_elf_build_id: PP_ELF_FOUND and *fd, PP_ELF_NONE where it is too short.  `links`: O_NOFOLLOW, or 0.
 */
static int open_regular(const struct pp_elf_file *file, int links, uint64_t least, int *fd)
{
	const int seen = open_beneath(file, O_PATH | links);
	struct statfs fs;
	struct stat st;

	if (seen < 0)
		return -1;
	if (fstat(seen, &st) || fstatfs(seen, &fs))
		return close_with(seen, -1);
	if (!S_ISREG(st.st_mode) || makes_files(&fs))
		return close_with(seen, PP_ELF_SPECIAL);
	if (!is_same(file, &st, &fs))
		return close_with(seen, PP_ELF_OTHER);
	if (is_changed(file, &st, &fs))
		return close_with(seen, PP_ELF_CHANGED);
	if ((uint64_t)st.st_size < least)
		return close_with(seen, PP_ELF_NONE);
	*fd = open_again(seen, file, links, &st);
	if (*fd >= 0 && is_reborn(file, *fd)) {
		(void)close_with(*fd, 0);
		*fd = -1;
		return close_with(seen, PP_ELF_OTHER);
	}
	return close_with(seen, *fd < 0 ? -1 : PP_ELF_FOUND);
}

int pp_regular_open(const struct pp_elf_file *file, uint64_t least, int *fd)
{
	return open_regular(file, 0, least, fd);
}

int pp_regular_open_itself(const struct pp_elf_file *file, uint64_t least, int *fd)
{
	return open_regular(file, O_NOFOLLOW, least, fd);
}

int pp_elf_open(const struct pp_elf_file *file, int *fd)
{
	return pp_regular_open(file, sizeof(Elf32_Ehdr), fd);
}

int pp_elf_read_build_id(int fd, uint8_t id[20], uint8_t *size)
{
	struct pp_elf_source source;

	return pp_elf_source_of(&source, fd) ? -1 : search(&source, id, size);
}

int pp_elf_build_id_of(const void *bytes, size_t length, uint8_t id[20], uint8_t *size)
{
	const struct pp_elf_source source = { .fd = -1, .memory = bytes, .size = length };

	return search(&source, id, size);
}

int pp_elf_build_id(const struct pp_elf_file *wanted, uint8_t id[20], uint8_t *size)
{
	int fd, found = pp_elf_open(wanted, &fd);

	if (found != PP_ELF_FOUND)
		return found;
	return close_with(fd, pp_elf_read_build_id(fd, id, size));
}

int pp_notes_build_id(const void *notes, size_t length, uint8_t id[20], uint8_t *size)
{
	return search_notes(notes, length, 4, false, id, size);
}

/* Files of sysfs that are nothing but notes. */
int pp_elf_open_notes(const char *module)
{
	char path[128], rooted[PP_PATH];
	int n;

	if (!module)
		return open(pp_rooted(rooted, "/sys/kernel/notes"), O_RDONLY | O_CLOEXEC);
	n = snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	if (*module == '.' || strchr(module, '/') || n >= (int)sizeof(path)) {
		errno = ENOENT;
		return -1;
	}
	for (char *p = path + strlen("/sys/module/"); *p && *p != '/'; p++)
		if (*p == '-')
			*p = '_';
	return open(pp_rooted(rooted, path), O_RDONLY | O_CLOEXEC);
}

int pp_elf_read_notes(int fd, uint8_t id[20], uint8_t *size)
{
	uint8_t notes[4096];
	const ssize_t length = pp_read_up_to(fd, notes, sizeof(notes), 0);

	return length < 0 ? -1 : pp_notes_build_id(notes, (size_t)length, id, size);
}

static int notes_of(const char *module, uint8_t id[20], uint8_t *size)
{
	const int fd = pp_elf_open_notes(module);

	return fd < 0 ? -1 : close_with(fd, pp_elf_read_notes(fd, id, size));
}

int pp_module_build_id(const char *module, uint8_t id[20], uint8_t *size)
{
	return notes_of(module, id, size);
}

int pp_kernel_build_id(uint8_t id[20], uint8_t *size)
{
	return notes_of(NULL, id, size);
}

int pp_vdso_build_id(uint8_t id[20], uint8_t *size)
{
	const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) header;
	ElfW(Phdr) segment_header;

	if (!vdso)
		return 0;
	memcpy(&header, vdso, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		memcpy(&segment_header, vdso + header.e_phoff + i * sizeof(segment_header),
		       sizeof(segment_header));
		if (segment_header.p_type == PT_NOTE &&
		    pp_notes_build_id(vdso + segment_header.p_offset, segment_header.p_filesz, id,
				      size))
			return 1;
	}
	return 0;
}
