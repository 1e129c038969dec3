/*
 * A line of the screen: text that is safe for a terminal, as wide as the line at most, and the
 * styles of its parts.
 */
#ifndef REPORT_TERMINAL_STYLED_LINE_H
#define REPORT_TERMINAL_STYLED_LINE_H

#include "report/terminal/text_output.h"

#define STYLED_LINE_SIZE   4096
#define STYLED_LINE_STYLES 128

struct styled_part {
	size_t start; /* byte of the text, where the style begins */
	enum text_style style;
	bool is_filled; /* a box: its background has the colour */
};

struct styled_line {
	char text[STYLED_LINE_SIZE]; /* ends with a zero */
	size_t size;
	unsigned columns, max_columns;
	bool utf8; /* whether the terminal shows it; else all is ASCII */
	struct styled_part parts[STYLED_LINE_STYLES]; /* [0] begins at 0 */
	size_t n_parts;
};

void styled_line_init(struct styled_line *line, unsigned max_columns, bool utf8);
/* What is added from now on has that style. */
void styled_line_set(struct styled_line *line, enum text_style style);
/* Likewise, whether it is a part of a box. */
void styled_line_fill(struct styled_line *line, bool is_filled);
/* Adds what fits; names from outside, too: controls are escaped. */
void styled_line_add(struct styled_line *line, const char *text);
__attribute__((format(printf, 2, 3))) void styled_line_addf(struct styled_line *line,
							    const char *format, ...);
/* Likewise, all of it or nothing. */
__attribute__((format(printf, 2, 3))) void styled_line_add_whole(struct styled_line *line,
								 const char *format, ...);
/* Adds @utf8 if the terminal shows it, else @ascii. */
void styled_line_add_sign(struct styled_line *line, const char *utf8, const char *ascii);
/* Adds spaces up to a column. */
void styled_line_pad(struct styled_line *line, unsigned column);
/* Adds a text in @columns at most, cut in the middle with a mark. */
void styled_line_add_cut(struct styled_line *line, const char *text, unsigned columns);

#endif
