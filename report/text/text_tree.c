#include "report/text/text_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/findings/entry_rows.h"
#include "report/findings/idle_threads.h"
#include "report/terminal/text_joints.h"
#include "report/text/text_columns.h"
#include "report/text/text_format.h"
#include "report/text/text_hottest.h"

/*
 * One line. Entry functions are folded into it: "postgres (pid 12) ... main" stands for the process
 * @outer, the functions that do nothing but start main(), and main() itself, @row.
 */
struct level {
	const struct view_row *outer; /* the same as @row if nothing is folded */
	const struct view_row *row;
	unsigned indent;  /* in steps */
	bool branch;      /* it is one of several siblings and drawn with a joint */
	bool is_at_entry; /* @row is a process, a thread or an entry function below it */
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
	unsigned max_indent;   /* in steps; deeper ones are cut on the left */
	struct text_sums idle; /* of kernel threads that have one line together; no rows: none */
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

/* Whether the row has a line. Rows that are summed up share one. */
static bool is_shown(const struct tree *tree, const struct view_row *row)
{
	const struct view *view = tree->text->view;

	if (!text_is_visible(tree->text, row))
		return false;
	return !tree->idle.n_rows || row->parent != view->root || !idle_thread(view, row);
}

/* Finds the idle kernel threads, if there are several that would have lines. */
static void sum_up_idle(struct tree *tree)
{
	const struct view *view = tree->text->view;
	struct text_sums idle = { .n_rows = 0 };

	for (const struct view_row *row = view->root->children; row; row = row->next) {
		if (text_is_visible(tree->text, row) && idle_thread(view, row))
			text_sums_add(tree->text, &idle, row);
	}
	if (view->options.kind == VIEW_TREE && idle.n_rows > 1)
		tree->idle = idle;
}

static void count_children(const struct tree *tree, struct level *level)
{
	unsigned max_depth = tree->text->options->max_depth;

	level->n_visible = 0;
	level->more = (struct text_sums){ .n_rows = 0 };
	if (max_depth && tree->n_levels > max_depth)
		return;
	for (const struct view_row *row = level->row->children; row; row = row->next) {
		if (is_shown(tree, row))
			level->n_visible++;
		else if (!text_is_visible(tree->text, row))
			text_sums_add(tree->text, &level->more, row);
	}
	if (level->more.n_rows && (view_traits(tree->text->view->options.kind)->has_overlaps ||
				   !text_sums_visible(tree->text, &level->more))) {
		tree->text->rows_hidden = true;
		level->more.n_rows = 0;
	}
}

/* The lines below a line, with that of the sum of hidden rows. */
static unsigned n_below(const struct level *level)
{
	return level->n_visible + (level->more.n_rows > 0);
}

static const struct view_row *first_visible(const struct tree *tree, const struct view_row *row)
{
	while (row && !is_shown(tree, row))
		row = row->next;
	return row;
}

/* Whether the row's own cost is too small for a line. */
static bool has_little_self(const struct text *text, const struct view_row *row)
{
	for (uint32_t i = 0; i < text->n_metrics; i++) {
		uint64_t self = row->self[text->metrics[i]];
		uint64_t whole = text->view->root->total[text->metrics[i]];

		if (self && text_percent(self, whole) >= text->options->min_percent)
			return false;
	}
	return true;
}

/* Whether the line may be folded into that of its only visible child. */
static bool may_fold(const struct tree *tree, const struct level *level)
{
	return level->n_visible == 1 && !level->more.n_rows &&
	       has_little_self(tree->text, level->row);
}

static bool is_process(const struct view_row *row)
{
	return row->kind == ROW_PROCESS || row->kind == ROW_THREAD;
}

/*
 * Folds entry functions: moves @level to the first function that is none, or has several lines
 * below it. A process or thread moves only if the one function below it is such a function.
 */
static void fold_entries(const struct tree *tree, struct level *level)
{
	struct level next = *level;

	if (is_process(level->row) && may_fold(tree, level)) {
		next.row = first_visible(tree, level->row->children);
		count_children(tree, &next);
	}
	while (!is_process(next.row) && entry_row(next.row) && may_fold(tree, &next)) {
		next.row = first_visible(tree, next.row->children);
		count_children(tree, &next);
		*level = next;
	}
}

static int push_level(struct tree *tree, const struct view_row *row)
{
	const struct level *parent;
	struct level *level;

	assert(row); /* the visible children were counted, so there is one */
	if (tree->n_levels == tree->n_allocated) {
		int err = grow_levels(tree);

		if (err)
			return err;
	}
	level = &tree->levels[tree->n_levels++];
	*level = (struct level){ .outer = row, .row = row };
	count_children(tree, level);
	if (tree->n_levels == 1)
		return 0;
	parent = level - 1;
	if (tree->n_levels > 2) {
		level->branch = n_below(parent) > 1;
		/* The functions of a process are indented below it, even a single one. */
		level->indent = parent->indent + (level->branch || tree->n_levels == 3);
	}
	if (tree->text->view->options.kind != VIEW_TREE)
		return 0;
	if (is_process(row) || parent->is_at_entry)
		fold_entries(tree, level);
	level->is_at_entry =
		is_process(level->row) || (parent->is_at_entry && entry_row(level->row));
	return 0;
}

/* Writes the lines to the left of a name; @indent is in steps. Returns the columns used. */
static unsigned write_joints(const struct tree *tree, unsigned indent, enum text_joint joint)
{
	if (tree->measuring)
		return text_joints_width(indent, tree->max_indent);
	return text_joints_write(&tree->text->output, indent, tree->max_indent, joint, tree->open);
}

static void show_row(const struct tree *tree, const struct level *level, enum text_joint joint)
{
	/* What the entry functions cost beside the last one is too little to be shown. */
	struct view_row numbers = *level->outer;
	unsigned columns;

	if (tree->measuring) {
		columns = write_joints(tree, level->indent, joint);
		text_measure(tree->text,
			     columns + text_title_width(tree->text, level->outer, level->row),
			     level->row);
		return;
	}
	numbers.self = level->row->self;
	text_write_numbers(tree->text, &numbers, NULL);
	columns = write_joints(tree, level->indent, joint);
	text_write_title(tree->text, level->outer, level->row, columns);
}

static void show_more(const struct tree *tree, const struct level *level, unsigned indent,
		      enum text_joint joint)
{
	if (tree->measuring || !level->more.n_rows)
		return;
	text_write_numbers(tree->text, NULL, &level->more);
	write_joints(tree, indent, joint);
	text_write_more(tree->text, &level->more);
}

static void show_idle(const struct tree *tree)
{
	const struct text_output *output = &tree->text->output;

	if (tree->measuring || !tree->idle.n_rows)
		return;
	text_write_numbers(tree->text, NULL, &tree->idle);
	text_style_begin(output, STYLE_PROCESS);
	fprintf(output->file, "%u idle kernel thread%s\n", tree->idle.n_rows,
		tree->idle.n_rows == 1 ? "" : "s");
	text_style_end(output, STYLE_PROCESS);
}

/* Writes the line on top of the path, and the sum of its hidden children if all are hidden. */
static void show_top(struct tree *tree)
{
	const struct level *top = &tree->levels[tree->n_levels - 1];
	const struct level *parent = top - 1;
	enum text_joint joint = JOINT_CHAIN;

	if (top->branch) {
		bool last = !first_visible(tree, top->outer->next) && !parent->more.n_rows;

		joint = last ? JOINT_LAST : JOINT_BRANCH;
	}
	tree->open[top->indent] = top->branch ? joint == JOINT_BRANCH
					      : (tree->n_levels > 3 && tree->open[top->indent]);
	show_row(tree, top, joint);
	if (!top->n_visible)
		show_more(tree, top, top->indent + 1, JOINT_LAST);
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
		const struct view_row *next = first_visible(tree, left->outer->next);

		if (next)
			return push_level(tree, next);
		if (tree->n_levels > 1)
			show_more(tree, parent, left->indent, JOINT_LAST);
	}
	show_idle(tree);
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
	sum_up_idle(&tree);
	int err = walk(&tree);

	if (!err) {
		tree.measuring = false;
		text_hottest_measure(text);
		text_lay_out(text);
		text_hottest_write(text);
		text_write_columns_heading(text, view_traits(text->view->options.kind)->heading);
		err = walk(&tree);
	}
	free(tree.levels);
	free(tree.open);
	return err;
}
