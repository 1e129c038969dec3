#include "report/text/text_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/text/text_columns.h"

#define STEP 2 /* columns that a branch moves to the right */

/* The joint to the left of a name at its own level. */
enum joint { JOINT_CHAIN, JOINT_BRANCH, JOINT_LAST };

struct level {
	const struct view_row *row;
	unsigned indent; /* in steps */
	bool branch;     /* it is one of several siblings and drawn with a joint */
	struct text_sums more;
	unsigned n_visible; /* children */
};

struct tree {
	struct text *text;
	bool measuring;
	struct level *levels; /* the path to the current row; [0]: the root */
	unsigned n_levels, n_allocated;
	bool *open; /* by indent: a vertical line continues below */
	unsigned n_open;
	unsigned max_indent; /* in steps; deeper ones are cut on the left */
};

static int grow_levels(struct tree *tree)
{
	unsigned n = tree->n_allocated ? tree->n_allocated * 2 : 64;
	struct level *levels = reallocarray(tree->levels, n, sizeof(*levels));
	bool *open;

	if (!levels)
		return -ENOMEM;
	tree->levels = levels;
	open = reallocarray(tree->open, (size_t)n + 1, sizeof(*open));
	if (!open)
		return -ENOMEM;
	memset(open + tree->n_open, 0, n + 1 - tree->n_open);
	tree->open = open;
	tree->n_open = n + 1;
	tree->n_allocated = n;
	return 0;
}

static void count_children(const struct tree *tree, struct level *level)
{
	unsigned max_depth = tree->text->options->max_depth;

	level->n_visible = 0;
	level->more = (struct text_sums){ .n_rows = 0 };
	if (max_depth && tree->n_levels > max_depth)
		return;
	for (const struct view_row *row = level->row->children; row; row = row->next) {
		if (text_is_visible(tree->text, row))
			level->n_visible++;
		else
			text_sums_add(tree->text, &level->more, row);
	}
	if (level->more.n_rows && !text_sums_visible(tree->text, &level->more)) {
		tree->text->rows_hidden = true;
		level->more.n_rows = 0;
	}
}

static int push_level(struct tree *tree, const struct view_row *row)
{
	struct level level = { .row = row };

	assert(row); /* the visible children were counted, so there is one */
	if (tree->n_levels == tree->n_allocated) {
		int err = grow_levels(tree);

		if (err)
			return err;
	}
	if (tree->n_levels > 1) {
		const struct level *parent = &tree->levels[tree->n_levels - 1];

		level.branch = parent->n_visible > 1;
		/* The functions of a process are indented below it, even a single one. */
		level.indent = parent->indent + (level.branch || tree->n_levels == 2);
	}
	tree->levels[tree->n_levels++] = level;
	count_children(tree, &tree->levels[tree->n_levels - 1]);
	return 0;
}

static const char *joint_text(const struct tree *tree, enum joint joint, bool open)
{
	if (joint == JOINT_BRANCH)
		return tree->text->output.utf8 ? "├ " : "|-";
	if (joint == JOINT_LAST)
		return tree->text->output.utf8 ? "└ " : "`-";
	if (open)
		return tree->text->output.utf8 ? "│ " : "| ";
	return "  ";
}

/* Writes the lines to the left of a name; @indent is in steps. Returns the columns used. */
static unsigned write_joints(const struct tree *tree, unsigned indent, enum joint joint)
{
	unsigned first = indent > tree->max_indent ? indent - tree->max_indent + 1 : 1;

	if (tree->measuring)
		return (indent < tree->max_indent ? indent : tree->max_indent) * STEP;
	text_style_begin(&tree->text->output, STYLE_DIM);
	for (unsigned i = first; i < indent; i++)
		fputs(i == first && first > 1 ? ".." : joint_text(tree, JOINT_CHAIN, tree->open[i]),
		      tree->text->output.file);
	if (indent)
		fputs(joint_text(tree, joint, tree->open[indent]), tree->text->output.file);
	text_style_end(&tree->text->output, STYLE_DIM);
	return (indent ? indent - first + 1 : 0) * STEP;
}

static void show_row(const struct tree *tree, const struct level *level, enum joint joint)
{
	unsigned columns;

	if (tree->measuring) {
		columns = write_joints(tree, level->indent, joint);
		text_measure(tree->text, columns + text_title_width(tree->text, level->row),
			     level->row);
		return;
	}
	text_write_numbers(tree->text, level->row, NULL);
	columns = write_joints(tree, level->indent, joint);
	text_write_title(tree->text, level->row, columns);
}

static void show_more(const struct tree *tree, const struct level *level, unsigned indent,
		      enum joint joint)
{
	if (tree->measuring || !level->more.n_rows)
		return;
	text_write_numbers(tree->text, NULL, &level->more);
	write_joints(tree, indent, joint);
	text_write_more(tree->text, &level->more);
}

static const struct view_row *first_visible(const struct tree *tree, const struct view_row *row)
{
	while (row && !text_is_visible(tree->text, row))
		row = row->next;
	return row;
}

/*
 * Writes the row on top of the path, and its sum of hidden children if its child continues in the
 * same column.
 */
static void show_top(struct tree *tree)
{
	const struct level *top = &tree->levels[tree->n_levels - 1];
	const struct level *parent = top - 1;
	enum joint joint = JOINT_CHAIN;

	if (top->branch) {
		bool last = !first_visible(tree, top->row->next) && !parent->more.n_rows;

		joint = last ? JOINT_LAST : JOINT_BRANCH;
	}
	tree->open[top->indent] = top->branch ? joint == JOINT_BRANCH
					      : (tree->n_levels > 3 && tree->open[top->indent]);
	show_row(tree, top, joint);
	if (top->n_visible > 1)
		return;
	tree->open[top->indent + 1] = false;
	show_more(tree, top, top->indent + 1, top->n_visible ? JOINT_BRANCH : JOINT_LAST);
}

/* Moves the path to the next visible row in depth-first order. The path is empty after the last. */
static int advance(struct tree *tree)
{
	const struct level *top = &tree->levels[tree->n_levels - 1];

	if (top->n_visible)
		return push_level(tree, first_visible(tree, top->row->children));
	while (tree->n_levels > 1) {
		const struct level *left = &tree->levels[--tree->n_levels];
		const struct level *parent = left - 1;
		const struct view_row *next = first_visible(tree, left->row->next);

		if (next)
			return push_level(tree, next);
		if (parent->n_visible > 1 && tree->n_levels > 1)
			show_more(tree, parent, left->indent, JOINT_LAST);
	}
	show_more(tree, &tree->levels[0], 0, JOINT_CHAIN);
	tree->n_levels = 0;
	return 0;
}

static int walk(struct tree *tree)
{
	tree->n_levels = 0;
	int err = push_level(tree, tree->text->view->root);
	if (err)
		return err;
	err = advance(tree);
	while (!err && tree->n_levels) {
		show_top(tree);
		err = advance(tree);
	}
	return err;
}

int text_tree_write(struct text *text)
{
	struct tree tree = { .text = text,
			     .measuring = true,
			     .max_indent = text->output.width / 5 };
	int err = walk(&tree);

	if (!err) {
		tree.measuring = false;
		text_lay_out(text);
		text_write_columns_heading(text, text->view->options.kind == VIEW_CALLERS
							 ? "function, its callers below"
							 : "call path");
		err = walk(&tree);
	}
	free(tree.levels);
	free(tree.open);
	return err;
}
