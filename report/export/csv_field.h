/* Fields of comma-separated values (RFC 4180). */
#ifndef REPORT_EXPORT_CSV_FIELD_H
#define REPORT_EXPORT_CSV_FIELD_H

#include <stdio.h>

#define CSV_LINE_END "\r\n"

/*
 * Writes @text and @suffix in quotes. Control characters are escaped as for a terminal, so no field
 * contains a line end.
 */
void csv_write_field(FILE *out, const char *text, const char *suffix);

#endif
