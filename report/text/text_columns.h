/* The columns of a text report: numbers on the left, then name and module. */
#ifndef REPORT_TEXT_TEXT_COLUMNS_H
#define REPORT_TEXT_TEXT_COLUMNS_H

#include "report/text/text.h"
#include "report/text/text_sums.h"

#define TEXT_SUFFIX_SIZE 128
/* Widths a share may have: with two decimals, and with one. */
#define TEXT_NUMBER_WIDTH  8
#define TEXT_COMPACT_WIDTH 7

/* Widths of what the columns hold. */
void text_measure(struct text *text, unsigned name_width, const struct view_row *row);
/* Decides the columns' widths once all rows are measured. */
void text_lay_out(struct text *text);
void text_write_columns_heading(const struct text *text, const char *name_heading);
/* The columns of numbers of a row; of @sums where @row is NULL. */
void text_write_numbers(const struct text *text, const struct view_row *row,
			const struct text_sums *sums);
/* " (pid 12)", " (inlined at list.c:20)", " (and 2 more)", " (guessed)": what stands behind a name.
 * May be empty.
 * @size: TEXT_SUFFIX_SIZE. */
void text_row_suffix(const struct view_row *row, char *buffer, size_t size);
unsigned text_title_width(const struct text *text, const struct view_row *row);
/* Name and module of a row, @indent columns being written already. Ends the line. */
void text_write_title(const struct text *text, const struct view_row *row, unsigned indent);
/* "... 12 more below 0.5 %" */
void text_write_more(const struct text *text, const struct text_sums *sums);

#endif
