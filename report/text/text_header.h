/* The head of a text report. */
#ifndef REPORT_TEXT_TEXT_HEADER_H
#define REPORT_TEXT_TEXT_HEADER_H

#include "report/text/text.h"

/* What the recording is and how good the data is. */
void text_header_write(const struct text *text);

#endif
