/* Formats amounts and ratios for people. */
#ifndef REPORT_TEXT_TEXT_FORMAT_H
#define REPORT_TEXT_TEXT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* "12.35 s", "1.20 GiB", "12345". */
void text_format_amount(char *buffer, size_t size, uint64_t amount, const char *unit);
/* "time", "bytes", "count": the heading of values. */
const char *text_value_heading(const char *unit);
/* "1.42 s", "5.8 MiB", "58 MiB", "12345", "1.23M": in no more than seven columns. */
void text_format_value(char *buffer, size_t size, uint64_t value, const char *unit);
/* "1.234", "56.7k", in no more than six columns. */
void text_format_ratio(char *buffer, size_t size, double value);

static inline double text_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
