/* The lines to the left of names in a tree: joints between a row and those below it. */
#ifndef REPORT_TERMINAL_TEXT_JOINTS_H
#define REPORT_TERMINAL_TEXT_JOINTS_H

#include "report/terminal/text_output.h"

#define TEXT_JOINT_WIDTH 2 /* columns that a branch moves to the right */

/* The joint to the left of a name at its own level. */
enum text_joint { JOINT_CHAIN, JOINT_BRANCH, JOINT_LAST };

/*
 * @indent: how many joints the name has, of which @max_indent are shown at most: of deeper names
 * the outermost are cut. @is_open: by indent, whether a vertical line continues there. Returns the
 * columns used.
 */
unsigned text_joints_write(const struct text_output *output, unsigned indent, unsigned max_indent,
			   enum text_joint joint, const bool *is_open);
/* The columns that it would use. */
unsigned text_joints_width(unsigned indent, unsigned max_indent);

#endif
