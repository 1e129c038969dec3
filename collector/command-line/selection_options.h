/* Options that select samples by the functions on their paths, and shorten paths. */
#ifndef COLLECTOR_COMMAND_LINE_SELECTION_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_SELECTION_OPTIONS_H

#include "collector/command-line/options.h"
#include "report/selection/select_paths.h"

/* For a struct path_selection. */
extern const struct command_option selection_options[];

/*
 * Applies the selection to the profile, and notes what matches nothing. *@selected_ret is all zero
 * if everything is selected. 0, or another value after a message.
 */
int selection_options_apply(const char *command, const struct path_selection *selection,
			    struct profile *profile, struct symbolizer *symbolizer,
			    struct selected_paths *selected_ret);
/* Notes the share that is selected, for formats that have no place for it. */
void selection_options_note_share(const char *command, const struct selected_paths *selected,
				  const struct profile *profile);

#endif
