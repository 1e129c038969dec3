/* The rows of a table. */
#ifndef REPORT_TEXT_TEXT_FLAT_H
#define REPORT_TEXT_TEXT_FLAT_H

#include "report/text/text.h"

void text_flat_write(struct text *text);

#endif
