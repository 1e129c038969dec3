#include "collector/watch/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/model/profile_filter.h"
#include "cct/store/profile_file.h"

static int read_back(FILE *file, const struct report_options *options, struct profile **profile_ret)
{
	_cleanup_free_ char *error = NULL;
	struct profile *profile;
	unsigned n_skipped;

	rewind(file);
	int err = profile_file_read(file, &profile, &n_skipped, &error);
	if (err)
		return err;
	if (options->view.grouping != GROUP_THREAD && profile_join_threads(profile)) {
		profile_destroy(profile);
		return -ENOMEM;
	}
	*profile_ret = profile;
	return 0;
}

static int take(struct growing_profile *growing, const struct report_options *options, FILE *file,
		struct snapshot *snapshot_ret)
{
	struct profile *profile = NULL;
	int err = growing_profile_write(growing, file);

	if (!err)
		err = read_back(file, options, &profile);
	if (err)
		return err;
	struct symbolizer *symbolizer = symbolizer_create(profile, &options->symbolizer);
	if (!symbolizer) {
		profile_destroy(profile);
		return -ENOMEM;
	}
	*snapshot_ret = (struct snapshot){ profile, symbolizer };
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
	fclose(file);
	return err;
}

void snapshot_deinit(struct snapshot *snapshot)
{
	symbolizer_destroy(snapshot->symbolizer);
	profile_destroy(snapshot->profile);
	*snapshot = (struct snapshot){ 0 };
}
