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
