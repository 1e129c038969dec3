/* The columns of a text report: numbers on the left, then name and module. */
#ifndef REPORT_TEXT_TEXT_COLUMNS_H
#define REPORT_TEXT_TEXT_COLUMNS_H

#include "report/text/text.h"
#include "report/text/text_sums.h"

#define TEXT_SUFFIX_SIZE 1024
/* Widths of a share with two decimals, and with one. */
#define TEXT_NUMBER_WIDTH  8
#define TEXT_COMPACT_WIDTH 7

/* Widens the columns to hold the contents of @row. */
void text_measure(struct text *text, unsigned name_width, const struct view_row *row);
/* Chooses the final widths of the columns, after all rows have been measured. */
void text_lay_out(struct text *text);
/* The columns left of the names. */
unsigned text_numbers_width(const struct text *text);
/* The columns left of a line with two numbers whose name is in the column of names. */
unsigned text_answer_indent(const struct text *text);
/* Writes a share in percent and a space. */
void text_write_share(const struct text *text, double share);
/* Writes a cost, "1.42 s", and a space. */
void text_write_value(const struct text *text, uint64_t value, const char *unit);
void text_write_columns_heading(const struct text *text, const char *name_heading);
/* Writes the numbers of a row, or those of @sums if @row is NULL. */
void text_write_numbers(const struct text *text, const struct view_row *row,
			const struct text_sums *sums);
/* The style of a row's name. */
enum text_style text_row_style(const struct view_row *row);
/* That of a share in percent. */
enum text_style text_share_style(double share);
/*
 * The text after a row's name: " (pid 12)", " (inlined at list.c:20)", " (and 2 more)", "
 * (guessed)", or "". @size: TEXT_SUFFIX_SIZE.
 */
void text_row_suffix(const struct view_row *row, char *buffer, size_t size);
/*
 * @outer: the first of the rows that are folded into the line of @row, or @row: "make (pid 12) ...
 * main" if it is a process or thread, else "... main".
 */
unsigned text_title_width(const struct text *text, const struct view_row *outer,
			  const struct view_row *row);
/* Writes name and module of a row and ends the line. @indent columns are already used. */
void text_write_title(const struct text *text, const struct view_row *outer,
		      const struct view_row *row, unsigned indent);
/* "... 12 more below 0.5 %" */
void text_write_more(const struct text *text, const struct text_sums *sums);

#endif
