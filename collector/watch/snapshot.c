#include "collector/watch/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_file.h"

#define MAX_SAVED 9999

static int read_back(FILE *file, struct profile **profile_ret)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile;
	unsigned n_skipped;

	rewind(file);
	int err = profile_file_read_with_rows(file, &profile, &n_skipped, &error);
	if (!err)
		*profile_ret = profile;
	return err;
}

static int take(struct growing_profile *growing, const struct report_options *options, FILE *file,
		struct snapshot *snapshot_ret)
{
	struct profile *profile = NULL;
	int err = growing_profile_write(growing, file);

	if (!err)
		err = read_back(file, &profile);
	if (err)
		return err;
	struct symbolizer *symbolizer = symbolizer_create(profile, &options->symbolizer);
	if (!symbolizer) {
		profile_destroy(profile);
		return -ENOMEM;
	}
	*snapshot_ret = (struct snapshot){ file, profile, symbolizer };
	return 0;
}

int snapshot_take(struct growing_profile *growing, const struct report_options *options,
		  struct snapshot *snapshot_ret)
{
	int fd = memfd_create("dendro snapshot", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		int err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	int err = take(growing, options, file, snapshot_ret);
	if (err)
		fclose(file);
	return err;
}

void snapshot_deinit(struct snapshot *snapshot)
{
	symbolizer_destroy(snapshot->symbolizer);
	profile_destroy(snapshot->profile);
	if (snapshot->file)
		fclose(snapshot->file);
	*snapshot = (struct snapshot){ 0 };
}

/* A name that is not in use. */
static int create_file(char name[SNAPSHOT_NAME_MAX])
{
	int fd = -1;

	for (unsigned i = 1; i <= MAX_SAVED && fd < 0; i++) {
		if (i == 1)
			snprintf(name, SNAPSHOT_NAME_MAX, "top.cct");
		else
			snprintf(name, SNAPSHOT_NAME_MAX, "top-%u.cct", i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int copy(FILE *from, int fd)
{
	char bytes[1 << 16];
	size_t n;

	rewind(from);
	while ((n = fread(bytes, 1, sizeof(bytes), from)) > 0) {
		for (size_t at = 0; at < n;) {
			ssize_t written = write(fd, bytes + at, n - at);

			if (written < 0 && errno != EINTR)
				return -errno;
			at += written > 0 ? (size_t)written : 0;
		}
	}
	return ferror(from) ? -EIO : 0;
}

int snapshot_save(struct snapshot *snapshot, char name_ret[SNAPSHOT_NAME_MAX])
{
	int fd = snapshot->file ? create_file(name_ret) : -ENODATA;

	if (fd < 0)
		return fd;
	int err = copy(snapshot->file, fd);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(name_ret);
	return err;
}
