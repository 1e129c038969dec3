/* The footer of a text report: which names and debug information are missing. */
#ifndef REPORT_TEXT_TEXT_MISSING_H
#define REPORT_TEXT_TEXT_MISSING_H

#include "report/text/text.h"

/* Writes the modules whose names or debug information are missing. 0 or -ENOMEM. */
int text_missing_write(const struct text *text);

#endif
