#include "collector/files/shown_build.h"

#include "collector/files/progress.h"

int shown_build(const char *command, bool is_quiet, const struct dendro_source *source,
		const struct dendro_options *options, struct profile **profile_ret,
		char **error_ret)
{
	const struct progress_title title = { .command = command, .what = "reading" };
	struct work_done work = { 0 };
	struct dendro_options with_work = *options;
	struct progress *progress = is_quiet ? NULL : progress_start(&title, &work);

	if (progress)
		with_work.work = &work;
	const int err = dendro_build_from(source, &with_work, profile_ret, error_ret);
	progress_stop(progress);
	return err;
}
