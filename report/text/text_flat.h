/* The text report of a flat view: one line for each row. */
#ifndef REPORT_TEXT_TEXT_FLAT_H
#define REPORT_TEXT_TEXT_FLAT_H

#include "report/text/text.h"

void text_flat_write(struct text *text);

#endif
