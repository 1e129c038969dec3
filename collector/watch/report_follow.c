#include "collector/watch/report_follow.h"

#include <fcntl.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/command-line/messages.h"
#include "collector/watch/top_screen.h"
#include "collector/watch/top_watch.h"
#include "perf/kernel/file_lock.h"
#include "report/export/export.h"

/* Of a table. */
#define N_ROWS 20

static bool is_still_written(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && file_lock_is_taken(fd);
}

static bool has_plain_rows(enum view_kind kind)
{
	return kind == VIEW_FUNCTIONS || kind == VIEW_LINES || kind == VIEW_MODULES ||
	       kind == VIEW_PROCESSES || kind == VIEW_THREADS;
}

/* What is shown while the recording grows has no selection of paths, and no end to count from. */
int report_follow_check(const struct report_options *options)
{
	if (!options->follows)
		return 0;
	if (options->n_paths > 1 || strcmp(options->path, "-") == 0)
		return message_wrong_use(options->command,
					 "--follow shows one recording, which is written to a "
					 "file.");
	if (options->html || options->compared[0] || strcmp(options->format->name, "text") != 0)
		return message_wrong_use(options->command,
					 "--follow shows tables: leave out --html, --compare and "
					 "other formats than text.");
	if (options->build.filter.has_time || options->build.filter.n_phases ||
	    options->build.filter.n_epochs || !path_selection_is_empty(&options->selection))
		return message_wrong_use(options->command,
					 "--follow does not take --time, --phase, --epoch and what "
					 "chooses call paths: leave it out, and the recording is "
					 "reported as far as it is written.");
	return 0;
}

int report_follow(const struct report_options *options, bool *is_whole_ret)
{
	struct top_options top = { .report = *options,
				   .interval_ns = NSEC_PER_SEC,
				   .n_rows = N_ROWS };

	*is_whole_ret = true;
	if (!is_still_written(options->path))
		return 0;
	if (!has_plain_rows(options->view.kind))
		report_options_choose_view(&top.report, VIEW_FUNCTIONS);
	const bool has_screen = top_screen_is_wanted(&top);
	int status = top_watch_file(&top, options->path, is_whole_ret);
	*is_whole_ret &= !has_screen;
	return status;
}
