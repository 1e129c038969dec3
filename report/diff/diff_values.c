#include "report/diff/diff_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text/text_format.h"

const char *diff_unit(const struct diff *diff, size_t metric)
{
	return diff->options.norm == DIFF_BY_METRIC ? "" : diff->options.metrics[metric].unit;
}

static void format_cost(char *text, size_t size, double cost, const char *unit)
{
	if (strcmp(unit, "") == 0)
		snprintf(text, size, "%.4g", cost);
	else if (cost >= 100 || cost <= 0)
		text_format_value(text, size, (uint64_t)(cost < 1e19 ? cost + 0.5 : 1e19), unit);
	else if (strcmp(unit, "events") == 0)
		snprintf(text, size, "%.3g", cost);
	else
		snprintf(text, size, "%.3g %s", cost, strcmp(unit, "bytes") == 0 ? "B" : unit);
}

void diff_format_cost(char *text, double cost, const char *unit)
{
	format_cost(text, DIFF_VALUE_SIZE, cost, unit);
}

void diff_format_value(const struct diff *diff, size_t metric, char *text, double value)
{
	if (diff_has_shares(diff))
		snprintf(text, DIFF_VALUE_SIZE, "%.2f%%", 100 * value);
	else
		diff_format_cost(text, value, diff_unit(diff, metric));
}

void diff_format_change(const struct diff *diff, size_t metric, char *text, double change)
{
	text[0] = change < 0 ? '-' : '+';
	if (diff_has_shares(diff))
		snprintf(text + 1, DIFF_VALUE_SIZE - 1, "%.2f", 100 * fabs(change));
	else
		format_cost(text + 1, DIFF_VALUE_SIZE - 1, fabs(change), diff_unit(diff, metric));
}

void diff_format_error(const struct diff *diff, size_t metric, char *text, double error)
{
	if (diff_has_shares(diff))
		snprintf(text, DIFF_VALUE_SIZE, "%.2f", 100 * error);
	else
		diff_format_cost(text, error, diff_unit(diff, metric));
}

void diff_format_relative(char *text, const struct diff_change *change)
{
	double relative = diff_relative(change);

	if (isnan(relative))
		snprintf(text, DIFF_VALUE_SIZE, "-");
	else if (relative >= 9.995)
		snprintf(text, DIFF_VALUE_SIZE, "x%.3g", relative + 1);
	else
		snprintf(text, DIFF_VALUE_SIZE, "%+.1f%%", 100 * relative);
}
