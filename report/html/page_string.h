/* Texts of any origin in the page's data. */
#ifndef REPORT_HTML_PAGE_STRING_H
#define REPORT_HTML_PAGE_STRING_H

#include <stdio.h>

/*
 * Writes @before, and a JSON string whose unsafe characters are escaped as for a terminal. 0 or
 * -ENOMEM.
 */
int page_string_write(FILE *out, const char *before, const char *text);

#endif
