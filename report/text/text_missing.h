/* The foot of a text report: what it had to do without. */
#ifndef REPORT_TEXT_TEXT_MISSING_H
#define REPORT_TEXT_TEXT_MISSING_H

#include "report/text/text.h"

/* Modules whose names or debug information are missing. 0 or -ENOMEM. */
int text_missing_write(const struct text *text);

#endif
