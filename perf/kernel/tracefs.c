#include "perf/kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/sentence.h"

static const char *const usual_places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* 0, or -errno if this is not it. */
static int try_folder(const char *folder, char path_ret[PATH_MAX])
{
	char events[PATH_MAX + 8];

	snprintf(events, sizeof(events), "%s/events", folder);
	if (access(events, R_OK | X_OK) < 0)
		return -errno;
	snprintf(path_ret, PATH_MAX, "%s", folder);
	return 0;
}

static int try_mount(const struct mntent *mount, char path_ret[PATH_MAX])
{
	char folder[PATH_MAX];
	bool is_debugfs = strcmp(mount->mnt_type, "debugfs") == 0;

	if (!is_debugfs && strcmp(mount->mnt_type, "tracefs") != 0)
		return -ENOENT;
	int n = snprintf(folder, sizeof(folder), "%s%s", mount->mnt_dir,
			 is_debugfs ? "/tracing" : "");
	return n < (int)sizeof(folder) ? try_folder(folder, path_ret) : -ENAMETOOLONG;
}

static int search_mounts(char path_ret[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/mounts", "re");
	struct mntent mount;
	char text[2 * PATH_MAX];
	int err = -ENOENT;

	if (!mounts)
		return err;
	while (err && getmntent_r(mounts, &mount, text, sizeof(text))) {
		int mount_err = try_mount(&mount, path_ret);
		/* Chooses the most specific of several reasons. */
		if (!mount_err || mount_err == -EACCES)
			err = mount_err;
	}
	endmntent(mounts);
	return err;
}

int tracefs_find(char path_ret[PATH_MAX])
{
	for (size_t i = 0; i < sizeof(usual_places) / sizeof(usual_places[0]); i++)
		if (try_folder(usual_places[i], path_ret) == 0)
			return 0;
	return search_mounts(path_ret);
}

char *tracefs_explain(int err)
{
	if (err == -ENOENT)
		return sentence("tracefs, in which the kernel describes its tracepoints, is "
				"not mounted. As root: mount -t tracefs nodev %s",
				usual_places[0]);
	if (err == -EACCES || err == -EPERM)
		return sentence("Only root may use the kernel's tracepoints here. Run as root, "
				"or let a group read them: mount -o remount,mode=750,gid=GROUP "
				"%s; sysctl kernel.perf_event_paranoid=-1",
				usual_places[0]);
	return sentence("tracefs cannot be read: %s.", strerror(-err));
}

/* Only regular files: opening a FIFO, for example, would block. */
static FILE *open_file(const char *path, int *err_ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	*err_ret = -errno;
	if (fd < 0)
		return NULL;
	FILE *file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
	if (!file)
		close(fd);
	*err_ret = file ? 0 : -EINVAL;
	return file;
}

int tracefs_read(const char *path, char **text_ret, size_t *size_ret)
{
	int err;
	FILE *file = open_file(path, &err);

	if (!file)
		return err;
	char *text = malloc(TRACEFS_FILE_MAX + 1);
	size_t size = text ? fread(text, 1, TRACEFS_FILE_MAX + 1, file) : 0;
	if (!text)
		err = -ENOMEM;
	else if (ferror(file))
		err = -EIO;
	else if (size > TRACEFS_FILE_MAX)
		err = -EFBIG;

	fclose(file);
	if (err) {
		free(text);
		return err;
	}
	text[size] = '\0';
	*text_ret = text;
	*size_ret = size;
	return 0;
}
