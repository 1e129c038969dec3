/* What the commands that record have in common: dendro record, dendro top and dendro agent. */
#ifndef COLLECTOR_FILES_RECORDING_RUN_H
#define COLLECTOR_FILES_RECORDING_RUN_H

#include "collector/command-line/record_options.h"

/* Without -e: cycles, or cpu-clock where that is not available. 0, or an exit status after a
 * message. */
int recording_run_choose_events(struct record_arguments *arguments);
/* Checked first, so that an older recording is not replaced for a command that does not exist. 0,
 * or an exit status after a message. */
int recording_run_check_command(const struct record_arguments *arguments);
/* Why the command could not be started, for -errno. Returns the exit status. */
int recording_run_command_failed(const struct record_arguments *arguments, int err);
/* The recorder's notes from the one with this number on. */
void recording_run_print_notes(const struct recorder *recorder, size_t first,
			       const struct record_arguments *arguments);

#endif
