/* The command that follows a report on a terminal: what its reader would ask next. */
#ifndef COLLECTOR_COMMANDS_NEXT_COMMAND_H
#define COLLECTOR_COMMANDS_NEXT_COMMAND_H

#include "collector/command-line/report_options.h"
#include "report/views/view.h"

/*
 * Writes a line to standard output: of tasks and cgroups, the report of the costliest alone; of
 * functions and lines, the code of the costliest; of other views, dendro browse. Nothing if the
 * recording came through a pipe, or if there is nothing that the command could show.
 */
void next_command_write(const struct report_options *options, const struct view *view);

#endif
