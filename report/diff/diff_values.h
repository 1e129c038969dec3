/* The values of a comparison as text for people. Each function writes DIFF_VALUE_SIZE bytes at
 * most.
 */
#ifndef REPORT_DIFF_DIFF_VALUES_H
#define REPORT_DIFF_DIFF_VALUES_H

#include "report/diff/diff.h"

#define DIFF_VALUE_SIZE 32

/* The unit of a metric's values; of those that are divided by another metric, none. */
const char *diff_unit(const struct diff *diff, size_t metric);
/* Costs are whole numbers in recordings, but not per request. */
void diff_format_cost(char *text, double cost, const char *unit);
void diff_format_value(const struct diff *diff, size_t metric, char *text, double value);
void diff_format_change(const struct diff *diff, size_t metric, char *text, double change);
void diff_format_error(const struct diff *diff, size_t metric, char *text, double error);
void diff_format_relative(char *text, const struct diff_change *change);

#endif
