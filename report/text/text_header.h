/* The header of a text report. */
#ifndef REPORT_TEXT_TEXT_HEADER_H
#define REPORT_TEXT_TEXT_HEADER_H

#include "report/text/text.h"

/* Writes what was recorded and where, the events, and the quality of the data. */
void text_header_write(const struct text *text);

#endif
