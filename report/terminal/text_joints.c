#include "report/terminal/text_joints.h"

static const char *joint_text(const struct text_output *output, enum text_joint joint, bool is_open)
{
	if (joint == JOINT_BRANCH)
		return output->utf8 ? "├ " : "|-";
	if (joint == JOINT_LAST)
		return output->utf8 ? "└ " : "`-";
	if (is_open)
		return output->utf8 ? "│ " : "| ";
	return "  ";
}

unsigned text_joints_width(unsigned indent, unsigned max_indent)
{
	return (indent < max_indent ? indent : max_indent) * TEXT_JOINT_WIDTH;
}

unsigned text_joints_write(const struct text_output *output, unsigned indent, unsigned max_indent,
			   enum text_joint joint, const bool *is_open)
{
	unsigned first = indent > max_indent ? indent - max_indent + 1 : 1;

	text_style_begin(output, STYLE_DIM);
	for (unsigned i = first; i < indent; i++)
		fputs(i == first && first > 1 ? ".." : joint_text(output, JOINT_CHAIN, is_open[i]),
		      output->file);
	if (indent)
		fputs(joint_text(output, joint, is_open[indent]), output->file);
	text_style_end(output, STYLE_DIM);
	return text_joints_width(indent, max_indent);
}
