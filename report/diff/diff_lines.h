/* Where the rows of a comparison are in text that draws them as a tree. */
#ifndef REPORT_DIFF_DIFF_LINES_H
#define REPORT_DIFF_DIFF_LINES_H

#include "report/diff/diff.h"
#include "report/terminal/text_joints.h"

struct diff_line {
	unsigned indent; /* in joints */
	enum text_joint joint;
};

struct diff_lines {
	struct diff_line *lines; /* by position in the list of rows */
	bool *is_open;           /* for text_joints_write(), of the line that was begun last */
	unsigned max_indent;     /* set by the caller */
};

/*
 * Of these @n rows, each with the rows above it, in the order of the comparison. Rows that are the
 * only one below another are not drawn farther to the right. 0 or -ENOMEM; to be released in any
 * case.
 */
int diff_lines_init(struct diff_lines *lines, const struct diff *diff, const size_t *rows,
		    size_t n);
void diff_lines_deinit(struct diff_lines *lines);
/* Begins the line @at, which follows the one that was begun before. Returns the columns used. */
unsigned diff_lines_begin(const struct diff_lines *lines, size_t at,
			  const struct text_output *output);

#endif
