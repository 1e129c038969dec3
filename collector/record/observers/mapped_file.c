#include "collector/record/observers/mapped_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/attached/elf_extract.h"
#include "collector/record/live/process_files.h"

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static int open_mapped(const struct mapped_file *file)
{
	return process_file_open_mapped("/proc", file->pid, file->start, file->end);
}

static int open_under_root(const struct mapped_file *file, pid_t pid)
{
	if (ends_with(file->path, " (deleted)"))
		return -ENOENT;
	return process_file_open("/proc", pid, file->path, true);
}

/* Is this the file that was mapped? The build ID decides, or else the inode. On overlays stat()
 * gives other device numbers than the mapping has, so the mapped file is compared as well. */
static bool is_mapped_file(struct mapped_file *file, int fd)
{
	struct stat st, mapped;

	if (fstat(fd, &st) != 0)
		return false;
	file->build_id.size = 0;
	elf_read_build_id(fd, &file->build_id);
	if (file->key_id.size)
		return build_id_equal_exact(&file->key_id, &file->build_id);
	if (st.st_ino == file->inode && major(st.st_dev) == file->dev_major &&
	    minor(st.st_dev) == file->dev_minor)
		return true;
	_cleanup_close_ int mapped_fd = open_mapped(file);
	return mapped_fd >= 0 && fstat(mapped_fd, &mapped) == 0 && mapped.st_ino == st.st_ino &&
	       mapped.st_dev == st.st_dev;
}

bool mapped_file_is_at_path(struct mapped_file *file)
{
	struct stat st;

	_cleanup_close_ int fd = process_file_open_here(file->path, true);
	if (fd < 0 || !is_mapped_file(file, fd) || fstat(fd, &st) != 0)
		return false;
	file->found_dev = st.st_dev;
	file->found_inode = st.st_ino;
	return true;
}

/* The process may have exited, and its pid or address range may be reused by now. */
static bool is_same_file(struct mapped_file *file, int fd)
{
	struct stat st;

	file->build_id.size = 0;
	elf_read_build_id(fd, &file->build_id);
	if (file->key_id.size)
		return build_id_equal_exact(&file->key_id, &file->build_id);
	return fstat(fd, &st) == 0 && (st.st_ino == file->inode || st.st_ino == file->found_inode);
}

/* For a file below the root of another process than the one that mapped it: two such roots may be
 * copies with the same inodes, so the device counts, too. */
static bool is_same_file_elsewhere(struct mapped_file *file, int fd)
{
	struct stat st;

	return is_same_file(file, fd) &&
	       (file->key_id.size || (fstat(fd, &st) == 0 && major(st.st_dev) == file->dev_major &&
				      minor(st.st_dev) == file->dev_minor));
}

/* Closes @fd if it is not the file that was mapped. */
static int checked(int fd, bool is_right)
{
	if (fd < 0 || is_right)
		return fd;
	close(fd);
	return -ESTALE;
}

static void note_other_root(struct other_roots *roots, pid_t pid)
{
	for (size_t i = 0; i < OTHER_ROOTS_MAX; i++) {
		if (roots->pids[i] == pid)
			return;
	}
	roots->pids[roots->next++ % OTHER_ROOTS_MAX] = pid;
}

/* For a file whose process has exited, or had another file there when it was checked. */
static int open_by_others(const struct other_roots *roots, struct mapped_file *file)
{
	int fd = process_file_open_here(file->path, true);

	fd = checked(fd, fd >= 0 && is_same_file_elsewhere(file, fd));
	for (size_t i = 0; i < OTHER_ROOTS_MAX && fd < 0; i++) {
		if (!roots->pids[i])
			break;
		fd = open_under_root(file, roots->pids[i]);
		fd = checked(fd, fd >= 0 && is_same_file_elsewhere(file, fd));
	}
	return fd;
}

/* The mapping's own link is tried first, because it does not depend on the path. */
int mapped_file_open(struct mapped_file *file, struct other_roots *roots)
{
	int fd = open_mapped(file);

	if (fd == -ENODEV)
		return fd;
	fd = checked(fd, fd >= 0 && is_same_file(file, fd));
	if (fd < 0) {
		fd = open_under_root(file, file->pid);
		fd = checked(fd, fd >= 0 && is_same_file(file, fd));
	}
	if (fd >= 0) {
		note_other_root(roots, file->pid);
		return fd;
	}
	return open_by_others(roots, file);
}
