/* The text report of a tree's size and shape. */
#ifndef REPORT_TEXT_TEXT_STATISTICS_H
#define REPORT_TEXT_TEXT_STATISTICS_H

#include "report/text/text.h"

void text_statistics_write(const struct text *text);

#endif
