/* Texts of any origin in the page's data. */
#ifndef REPORT_HTML_PAGE_STRING_H
#define REPORT_HTML_PAGE_STRING_H

#include <stdio.h>

#include "cct/encoding/byte_buffer.h"
#include "cct/text/string_ids.h"

/*
 * Writes @before, and a JSON string whose unsafe characters are escaped as for a terminal. 0 or
 * -ENOMEM.
 */
int page_string_write(FILE *out, const char *before, const char *text);
/*
 * Appends a table: the number of the strings; a column of their sizes in bytes
 * (report/html/page_column.h); the bytes of all, escaped likewise. The buffer says if memory
 * lacked.
 */
void page_strings_write(const struct string_ids *strings, struct byte_buffer *out);

#endif
