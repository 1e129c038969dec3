/* The answers above a tree: the functions with most self cost, and the largest processes. */
#ifndef REPORT_TEXT_TEXT_HOTTEST_H
#define REPORT_TEXT_TEXT_HOTTEST_H

#include "report/text/text.h"

/* Widens the columns to hold both tables. */
void text_hottest_measure(struct text *text);
/* Writes what @text->hottest has, after the columns have been laid out. */
void text_hottest_write(const struct text *text);

#endif
