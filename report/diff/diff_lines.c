#include "report/diff/diff_lines.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

/* By row. */
struct drawing {
	const struct diff_row *rows;
	const uint32_t *depth;
	uint32_t *n_below; /* rows below it that have no line yet */
	bool *is_fork;     /* several rows below it have lines */
	unsigned *indent;
};

static struct diff_line draw(struct drawing *drawing, size_t row)
{
	const uint32_t above = drawing->rows[row].parent;
	struct diff_line line = { .joint = JOINT_CHAIN };

	if (above == DIFF_NO_ROW)
		return line;
	/* What is below a row at the top is indented, even a single row. */
	line.indent =
		drawing->indent[above] + (drawing->is_fork[above] || drawing->depth[above] == 0);
	drawing->n_below[above]--;
	if (drawing->is_fork[above])
		line.joint = drawing->n_below[above] ? JOINT_BRANCH : JOINT_LAST;
	drawing->indent[row] = line.indent;
	return line;
}

static void draw_all(struct drawing *drawing, const size_t *rows, size_t n, struct diff_line *lines)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t above = drawing->rows[rows[i]].parent;

		if (above != DIFF_NO_ROW)
			drawing->is_fork[above] = drawing->n_below[above]++ > 0;
	}
	for (size_t i = 0; i < n; i++)
		lines[i] = draw(drawing, rows[i]);
}

static unsigned max_indent_of(const struct diff_lines *lines, size_t n)
{
	unsigned max = 0;

	for (size_t i = 0; i < n; i++)
		max = lines->lines[i].indent > max ? lines->lines[i].indent : max;
	return max;
}

int diff_lines_init(struct diff_lines *lines, const struct diff *diff, const size_t *rows, size_t n)
{
	const size_t n_rows = diff->rows.n_rows;
	_cleanup_free_ uint32_t *n_below = calloc(n_rows + 1, sizeof(*n_below));
	_cleanup_free_ bool *is_fork = calloc(n_rows + 1, sizeof(*is_fork));
	_cleanup_free_ unsigned *indent = calloc(n_rows + 1, sizeof(*indent));
	struct drawing drawing = { .rows = diff->rows.rows,
				   .depth = diff->tree.depth,
				   .n_below = n_below,
				   .is_fork = is_fork,
				   .indent = indent };

	*lines = (struct diff_lines){ .lines = calloc(n + 1, sizeof(*lines->lines)) };
	if (!n_below || !is_fork || !indent || !lines->lines)
		return -ENOMEM;
	draw_all(&drawing, rows, n, lines->lines);
	lines->is_open = calloc((size_t)max_indent_of(lines, n) + 1, sizeof(*lines->is_open));
	return lines->is_open ? 0 : -ENOMEM;
}

void diff_lines_deinit(struct diff_lines *lines)
{
	free(lines->lines);
	free(lines->is_open);
}

unsigned diff_lines_begin(const struct diff_lines *lines, size_t at,
			  const struct text_output *output)
{
	const struct diff_line *line = &lines->lines[at];

	if (line->joint != JOINT_CHAIN)
		lines->is_open[line->indent] = line->joint == JOINT_BRANCH;
	return text_joints_write(output, line->indent, lines->max_indent, line->joint,
				 lines->is_open);
}
