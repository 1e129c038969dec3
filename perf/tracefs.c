#include "perf/tracefs.h"

#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/sentence.h"

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
		/* Of several reasons the one that says most. */
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
		return sentence("tracefs is not mounted, where the kernel describes its "
				"tracepoints. As root: mount -t tracefs nodev %s",
				usual_places[0]);
	if (err == -EACCES || err == -EPERM)
		return sentence("The kernel's tracepoints are for root alone here. Run as root, "
				"or let others read them: mount -o remount,mode=755 %s",
				usual_places[0]);
	return sentence("tracefs can't be read: %s.", strerror(-err));
}

int tracefs_read(const char *path, char **text_ret, size_t *size_ret)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return -errno;
	char *text = malloc(TRACEFS_FILE_MAX + 1);
	size_t size = text ? fread(text, 1, TRACEFS_FILE_MAX + 1, file) : 0;
	int err = !text ? -ENOMEM : ferror(file) ? -EIO : size > TRACEFS_FILE_MAX ? -EFBIG : 0;

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
