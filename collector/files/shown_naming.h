/*
 * Shows how far the naming of a profile's code has come (collector/files/progress.h), which happens
 * wherever names are needed first:
 *
 *	struct shown_naming naming;
 *
 *	shown_naming_start(&naming, "report", symbolizer, "adding up");
 *	... makes a view
 *	shown_naming_stop(&naming);
 */
#ifndef COLLECTOR_FILES_SHOWN_NAMING_H
#define COLLECTOR_FILES_SHOWN_NAMING_H

#include "collector/command-line/selection_options.h"
#include "collector/files/progress.h"
#include "report/names/symbolize.h"

struct shown_naming {
	struct symbolizer *symbolizer;
	struct work_done work;
	struct progress *progress;
};

/* All are borrowed until shown_naming_stop(). @then: what follows the naming; NULL: nothing long.
 */
void shown_naming_start(struct shown_naming *naming, const char *command,
			struct symbolizer *symbolizer, const char *then);
/* Before anything is printed on standard output. */
void shown_naming_stop(struct shown_naming *naming);
/* selection_options_apply(), which may name all functions. */
int shown_naming_select(const char *command, const struct path_selection *selection,
			struct profile *profile, struct symbolizer *symbolizer,
			struct selected_paths *selected_ret);

#endif
