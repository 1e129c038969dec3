#include "report/text/text_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/clock.h"

void text_format_amount(char *buffer, size_t size, uint64_t amount, const char *unit)
{
	static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)amount;
	size_t i = 0;

	if (strcmp(unit, "ns") == 0) {
		if (amount < NSEC_PER_MSEC)
			snprintf(buffer, size, "%.3g us", value / 1e3);
		else if (amount < NSEC_PER_SEC)
			snprintf(buffer, size, "%.3g ms", value / 1e6);
		else
			snprintf(buffer, size, "%.2f s", value / 1e9);
		return;
	}
	if (strcmp(unit, "bytes") != 0) {
		snprintf(buffer, size, "%" PRIu64 " %s", amount, unit);
		return;
	}
	for (; value >= 1024 && i + 1 < sizeof(binary) / sizeof(binary[0]); i++)
		value /= 1024;
	snprintf(buffer, size, i ? "%.2f %s" : "%.0f %s", value, binary[i]);
}

/* Three significant digits: "1.42", "14.2", "142". */
static int decimals_of_three(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

static void format_time(char *buffer, size_t size, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	size_t unit = 0;

	for (; value >= 999.5 && unit < 3; unit++)
		value /= 1000;
	if (value >= 99999.5)
		snprintf(buffer, size, "%.0f h", value / 3600);
	else
		snprintf(buffer, size, "%.*f %s", unit ? decimals_of_three(value) : 0, value,
			 units[unit]);
}

static void format_bytes(char *buffer, size_t size, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = bytes;
	size_t unit = 0;

	for (; value >= 999.5 && unit < 6; unit++)
		value /= 1024;
	snprintf(buffer, size, "%.*f %s", unit && value < 9.95 ? 1 : 0, value, units[unit]);
}

static void format_count(char *buffer, size_t size, double count)
{
	static const char units[] = " kMGTPE";
	double value = count;
	size_t unit = 0;

	for (; value >= (unit ? 999.5 : 99999.5) && unit < 6; unit++)
		value /= 1000;
	snprintf(buffer, size, "%.*f%.*s", unit ? decimals_of_three(value) : 0, value, unit > 0,
		 &units[unit]);
}

void text_format_value(char *buffer, size_t size, uint64_t value, const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		format_time(buffer, size, (double)value);
	else if (strcmp(unit, "bytes") == 0)
		format_bytes(buffer, size, (double)value);
	else
		format_count(buffer, size, (double)value);
}

const char *text_value_heading(const char *unit)
{
	if (strcmp(unit, "ns") == 0)
		return "time";
	return strcmp(unit, "events") == 0 ? "count" : unit;
}

void text_format_ratio(char *buffer, size_t size, double value)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;
	int n_decimals;

	for (; value >= 99999.5 && units[unit + 1]; unit++)
		value /= 1000;
	n_decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
	snprintf(buffer, size, "%.*f%.*s", n_decimals, value, unit > 0, &units[unit]);
}
