/* /proc/self/mountinfo and statx(2) name mounts by the same numbers. */
#include "collector/record/live/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

static int add_id(struct mounts *mounts, uint64_t id)
{
	if (array_reserve_one(mounts->ids, mounts->n_ids))
		return -ENOMEM;
	mounts->ids[mounts->n_ids++] = id;
	return 0;
}

/* The mount of an open file, or of "/" (@fd -1). false: the kernel does not tell. */
static bool find_mount(int fd, uint64_t *id_ret)
{
#ifdef STATX_MNT_ID
	struct statx status;

	if (statx(fd, fd < 0 ? "/" : "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return false;
	*id_ret = status.stx_mnt_id;
	return true;
#else
	(void)fd;
	(void)id_ret;
	return false;
#endif
}

/* After chroot(2) into a folder, the list lacks the mount that contains the folder. */
static int add_root(struct mounts *mounts)
{
	uint64_t id;

	return find_mount(-1, &id) ? add_id(mounts, id) : 0;
}

int mounts_init(struct mounts *mounts)
{
	_cleanup_free_ char *line = NULL;
	size_t allocated = 0;
	int err = 0;

	*mounts = (struct mounts){ 0 };
	FILE *file = fopen("/proc/self/mountinfo", "re");
	if (!file)
		return -errno;
	while (!err && getline(&line, &allocated, file) > 0) {
		uint64_t id;

		if (sscanf(line, "%" SCNu64 " ", &id) == 1)
			err = add_id(mounts, id);
	}
	fclose(file);
	if (!err)
		err = add_root(mounts);
	if (err)
		mounts_deinit(mounts);
	return err;
}

void mounts_deinit(struct mounts *mounts)
{
	free(mounts->ids);
	*mounts = (struct mounts){ 0 };
}

bool mounts_hold(const struct mounts *mounts, int fd)
{
	uint64_t id;

	if (!mounts->n_ids || !find_mount(fd, &id))
		return true;
	for (size_t i = 0; i < mounts->n_ids; i++) {
		if (mounts->ids[i] == id)
			return true;
	}
	return false;
}
