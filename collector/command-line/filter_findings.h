/* Explains why no sample of a recording passes the filters: a second look at it finds the filter
 * that lets nothing pass, and the names that may have been meant. */
#ifndef COLLECTOR_COMMAND_LINE_FILTER_FINDINGS_H
#define COLLECTOR_COMMAND_LINE_FILTER_FINDINGS_H

#include "collector/session/dendro.h"

/* Prints a note. @path: the recording, which is read once more unless it is a pipe. */
void filter_findings_print(const char *command, const char *path,
			   const struct dendro_filter *filter);

#endif
