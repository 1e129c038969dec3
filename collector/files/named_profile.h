/* Profiles with their names: what is stored, and what is added up. */
#ifndef COLLECTOR_FILES_NAMED_PROFILE_H
#define COLLECTOR_FILES_NAMED_PROFILE_H

#include "collector/command-line/report_options.h"

/*
 * The functions return 0, or another value after a message.
 *
 * Reads the recording or profile options->path, by thread, leaves out events that the filters do
 * not want, and names what has no names yet. options->build.files must be open. *@is_damaged_ret: a
 * message said that the recording is damaged: the profile has what precedes the damage.
 */
int named_profile_build(struct report_options *options, struct profile **profile_ret,
			bool *is_damaged_ret);
/* Names a profile of files that has no names yet. */
int named_profile_name(const struct report_options *options, struct profile *profile);
/* The sum of the files options->paths, of which each is read when the one before is added. */
int named_profile_merge(struct report_options *options, struct profile **profile_ret,
			bool *is_damaged_ret);
/* Likewise, with packed rows, for named_profile_write() alone. */
int named_profile_merge_packed(struct report_options *options, struct profile **profile_ret,
			       bool *is_damaged_ret);
/* Makes *@profile, of one run, the sum of that run alone: sums of samples are of runs. */
int named_profile_give_run(struct report_options *options, struct profile **profile);
/* Checks the path after -o: NULL if there was none, "-" for standard output. 0, or an exit status
 * after a message. */
int named_profile_check_output(const char *command, const char *output);
/* Notes what a report of it cannot do. */
void named_profile_note_lacks(const struct report_options *options, const struct profile *profile);
/* With those notes. */
int named_profile_write(const struct report_options *options, const char *output,
			const struct profile *profile);

#endif
