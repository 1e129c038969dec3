/* The standard errors that stand after shares. */
#ifndef REPORT_TEXT_TEXT_ERRORS_H
#define REPORT_TEXT_TEXT_ERRORS_H

#include "report/findings/row_error.h"
#include "report/text/text.h"

#define TEXT_ERROR_WIDTH 7 /* "±0.46", with the space after it */

/* Before the metrics are chosen: with --errors all shares have errors. */
void text_errors_init(struct text *text);
/*
 * When the columns are chosen: at a terminal and without --errors, shares of rows that are shown
 * and stand for few samples have errors, if @width columns are left for them.
 */
void text_errors_choose(struct text *text, unsigned width);
/* The columns that errors take in the block of a metric. */
unsigned text_errors_width(const struct text *text);
void text_errors_write_heading(const struct text *text, enum share_kind kind);
/* Writes the error of a row's share, or room for it; nothing if there is no such column. @row: NULL
 * for a sum of hidden rows. */
void text_errors_write(const struct text *text, const struct view_row *row, uint32_t metric,
		       enum share_kind kind);
/* The line below the table that says what the errors are. */
void text_errors_write_note(const struct text *text);

#endif
