/* The text report of hot functions and contexts. */
#ifndef REPORT_TEXT_TEXT_HOT_H
#define REPORT_TEXT_TEXT_HOT_H

#include "report/text/text.h"

void text_hot_write(const struct text *text);

#endif
