#include "collector/record/start/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf/kernel/file_lock.h"

static int open_stdout(bool *is_pipe_ret)
{
	if (isatty(STDOUT_FILENO))
		return -ENOTTY;
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -errno;
	*is_pipe_ret = true;
	return fd;
}

static int keep_old(const char *path)
{
	char old[PATH_MAX];

	if (snprintf(old, sizeof(old), "%s.old", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	return rename(path, old) == 0 ? 0 : -errno;
}

int output_file_open(const char *path, bool *is_pipe_ret)
{
	struct stat st;
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY;

	if (strcmp(path, "-") == 0)
		return open_stdout(is_pipe_ret);
	*is_pipe_ret = false;
	if (stat(path, &st) != 0) {
		flags |= O_EXCL;
	} else if (S_ISREG(st.st_mode)) {
		int err = keep_old(path);
		if (err)
			return err;
		flags |= O_EXCL;
	} else if (S_ISFIFO(st.st_mode)) {
		*is_pipe_ret = true;
		flags = O_WRONLY | O_CLOEXEC;
	}
	int fd = open(path, flags, 0600);
	if (fd < 0)
		return -errno;
	if (!*is_pipe_ret)
		file_lock_take(fd);
	return fd;
}
