#include "collector/record/live/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

/* A process that renames folders all the time must not keep the recorder here. */
#define FIND_ATTEMPTS 16

/* Finding a file with O_PATH has no effect on it; it is opened when it is known to be regular. */
static int open_found(int found_fd)
{
	char link[32];
	struct stat st;

	if (fstat(found_fd, &st) != 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return -ENODEV;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found_fd);
	int fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_regular(int folder_fd, const char *path, bool follows_links)
{
	_cleanup_close_ int found_fd =
		openat(folder_fd, path, O_PATH | O_CLOEXEC | (follows_links ? 0 : O_NOFOLLOW));

	return found_fd < 0 ? -errno : open_found(found_fd);
}

/*
 * Finds @path with all links in it resolved below the root. A plain open() would resolve an
 * absolute link, or one with too many "..", below our own root.
 */
static int find_in_root(int root_fd, const char *path, bool follows_links)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC |
					 (follows_links ? 0u : (uint64_t)O_NOFOLLOW),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = -1;

	/* EAGAIN: the kernel could not exclude that a rename led ".." out of the root. */
	for (int i = 0; i < FIND_ATTEMPTS; i++) {
		fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
	}
	return fd < 0 ? -errno : (int)fd;
}

int process_file_open_mapped(const char *proc, pid_t pid, uint64_t start, uint64_t end)
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%s/%d/map_files/%" PRIx64 "-%" PRIx64, proc, pid, start, end);
	return open_regular(AT_FDCWD, link, true);
}

int process_file_open(const char *proc, pid_t pid, const char *path, bool follows_links)
{
	char root[PATH_MAX];
	int n = snprintf(root, sizeof(root), "%s/%d/root", proc, pid);

	if (n < 0 || (size_t)n >= sizeof(root))
		return -ENAMETOOLONG;
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	_cleanup_close_ int found_fd = find_in_root(root_fd, path, follows_links);
	return found_fd < 0 ? found_fd : open_found(found_fd);
}

int process_file_open_here(const char *path, bool follows_links)
{
	return open_regular(AT_FDCWD, path, follows_links);
}

int process_file_open_trusted(const char *root, const char *folder, const char *name, uid_t uid)
{
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	_cleanup_close_ int folder_fd =
		openat(root_fd, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder_fd < 0)
		return -errno;
	int fd = open_regular(folder_fd, name, false);
	if (fd < 0 || process_file_is_trusted(fd, uid))
		return fd;
	close(fd);
	return -EPERM;
}

bool process_file_is_trusted(int fd, uid_t uid)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_uid == uid || st.st_uid == 0);
}

int process_user(const char *proc, pid_t pid, uid_t *uid_ret)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	if (stat(path, &st) != 0)
		return -errno;
	*uid_ret = st.st_uid;
	return 0;
}

/* Reads the last ID in the line "NSpid:". */
pid_t process_own_tid(const char *proc, pid_t pid, pid_t tid)
{
	char path[PATH_MAX], line[256];
	pid_t own = tid;

	snprintf(path, sizeof(path), "%s/%d/task/%d/status", proc, pid, tid);
	FILE *status = fopen(path, "re");
	if (!status)
		return tid;
	while (fgets(line, sizeof(line), status)) {
		const char *last = strncmp(line, "NSpid:", 6) == 0 ? strrchr(line, '\t') : NULL;

		if (last)
			own = (pid_t)strtol(last + 1, NULL, 10);
	}
	fclose(status);
	return own;
}
