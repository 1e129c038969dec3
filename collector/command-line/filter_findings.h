/* Explains why no sample of a recording passes the filters: a second look at it finds the filter
 * that lets nothing pass, and the names that may have been meant. And refuses phases and epochs
 * that it does not have. */
#ifndef COLLECTOR_COMMAND_LINE_FILTER_FINDINGS_H
#define COLLECTOR_COMMAND_LINE_FILTER_FINDINGS_H

#include "collector/command-line/file_options.h"
#include "collector/session/dendro.h"

/* Prints a note. @paths: recordings and profiles, which are read once more unless one is a pipe.
 * @files: where their programs are. */
void filter_findings_print(const char *command, const char *const *paths, size_t n_paths,
			   const struct file_options *files, const struct dendro_filter *filter);
/* Whether each pattern for phases matches one; @profile: of the whole recording. 0, or 1 after a
 * message that names the phases there are, and @file, which is NULL where there is but one. */
int filter_findings_check_phases(const char *command, const char *file,
				 const struct profile *profile, const struct dendro_filter *filter);
/* Likewise, whether each number and pattern for epochs is that of one. */
int filter_findings_check_epochs(const char *command, const char *file,
				 const struct profile *profile, const struct dendro_filter *filter);
/*
 * Of several recordings, any may have a phase or an epoch. Notes which of those that the filter
 * names this one has, in @found, by phase and then by epoch; and whether each was found in one.
 */
void filter_findings_note_intervals(const struct profile *profile,
				    const struct dendro_filter *filter, bool *found);
int filter_findings_check_noted(const char *command, const struct dendro_filter *filter,
				const bool *found);

#endif
