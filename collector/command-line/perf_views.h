/*
 * What perf's options of reports choose: its columns, which it calls sort keys, and its ways to
 * show call paths are views of ours. The last one on the command line decides.
 */
#ifndef COLLECTOR_COMMAND_LINE_PERF_VIEWS_H
#define COLLECTOR_COMMAND_LINE_PERF_VIEWS_H

#include "collector/command-line/options.h"
#include "collector/command-line/report_options.h"

/* perf's options of dendro report, for command_line.of_perf: for a struct report_options. */
extern const struct command_option perf_options_of_report[];

/* Whether the list, "comm,dso", begins with a column of perf's. */
bool perf_views_have_column(const char *list);
/* The "take" of such a list, for a struct report_options: chooses the view that has the columns. */
int perf_views_take_columns(const struct option_use *use, void *field);
/* Called after the options are parsed, for --children and --no-children. */
void perf_views_finish(struct report_options *options);

#endif
