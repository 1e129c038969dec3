/* The first lines of a comparison for people: what was compared, and what the numbers are. */
#ifndef REPORT_DIFF_DIFF_HEADER_H
#define REPORT_DIFF_DIFF_HEADER_H

#include <stddef.h>

#include "report/diff/diff.h"
#include "report/terminal/text_output.h"

/* Of the further metrics than @n_shown it says that there was no room for their columns. */
void diff_header_write(const struct text_output *output, const struct diff *diff, size_t n_shown);

#endif
