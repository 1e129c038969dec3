/*
 * How the size and shape of the calling context tree changed: the view stats of both sides, number
 * by number, for people and for programs.
 */
#ifndef REPORT_DIFF_DIFF_STATS_H
#define REPORT_DIFF_DIFF_STATS_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/views/export_options.h"

/* Takes the numbers of a run's view, which is one of VIEW_STATS. */
void tree_numbers_take(struct tree_numbers *numbers, const struct view *view);

/*
 * Each writes the numbers of @diff's sources: of several runs a side, their means, with the
 * standard error of the difference where both sides have two runs or more. They end the stream, and
 * return 0 or -errno.
 */
int diff_stats_write_text(FILE *out, const struct diff *diff, const struct export_options *options);
int diff_stats_write_csv(FILE *out, const struct diff *diff);
int diff_stats_write_json(FILE *out, const struct diff *diff);

#endif
