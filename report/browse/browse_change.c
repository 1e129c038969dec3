#include "report/browse/browse_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

static void forget_oldest(struct browse *browse)
{
	browse_scope_deinit(&browse->past[0].scope);
	memmove(browse->past, browse->past + 1, (BROWSE_MAX_UNDO - 1) * sizeof(browse->past[0]));
	browse->n_past--;
}

/* Notes the present scope, so that it can be gone back to. */
static int note_past(struct browse *browse)
{
	if (browse->n_past == BROWSE_MAX_UNDO)
		forget_oldest(browse);
	struct browse_past *past = &browse->past[browse->n_past];
	past->page = browse->page;
	int err = browse_scope_copy(&browse->scope, &past->scope);
	if (!err)
		browse->n_past++;
	return err;
}

/* Errors that the user made, or that the profile has no paths for. */
static int explain(struct browse *browse, int err)
{
	if (err == -ENOENT)
		browse->message = "No samples are left: nothing was changed.";
	else if (err == -EINVAL)
		browse->message = "This is not a regular expression: nothing was changed.";
	else if (err == -E2BIG)
		browse->message = "There are too many filters: u takes the last one back.";
	else
		return err;
	return 0;
}

/* Takes over @scope. */
static int change(struct browse *browse, struct browse_scope *scope, bool changes_fold)
{
	int err = note_past(browse);

	if (err) {
		browse_scope_deinit(scope);
		return err;
	}
	err = browse_change_scope(browse, scope, changes_fold);
	if (!err)
		return 0;
	browse_scope_deinit(&browse->past[--browse->n_past].scope);
	return explain(browse, err);
}

/* @condition: without its text. */
static int add_condition(struct browse *browse, struct browse_condition *condition,
			 const char *text)
{
	struct browse_scope scope;
	int err = browse_condition_init(condition, text);

	if (err)
		return explain(browse, err);
	err = browse_scope_copy(&browse->scope, &scope);
	if (!err) {
		err = browse_scope_add_condition(&scope, condition);
		if (err)
			browse_scope_deinit(&scope);
	}
	browse_condition_deinit(condition);
	return err ? explain(browse, err) : change(browse, &scope, true);
}

int browse_add_regex(struct browse *browse, enum condition_kind kind, const char *regex)
{
	struct browse_condition condition = { .kind = kind, .subject = BY_REGEX };

	return add_condition(browse, &condition, regex);
}

/* NULL, with a message: the row under the cursor is not a function. */
static const struct view_row *current_function(struct browse *browse)
{
	const struct view_row *row = browse_rows_current(browse_rows(browse));
	const bool is_function = row && view_row_is_code(row) && browse->page != PAGE_MODULES;

	if (!is_function)
		browse->message = "The row is not a function.";
	return is_function ? row : NULL;
}

static void note_choice(const struct view_row *row, struct task_choice *tasks)
{
	if (row->kind == ROW_CGROUP) {
		tasks->cgroup = row->name;
		return;
	}
	const struct profile_process *process = row->kind == ROW_THREAD ? row->process : NULL;
	if (row->kind == ROW_THREAD) {
		tasks->thread = row->name;
		tasks->tid = row->id;
	}
	if (process) {
		tasks->process = process->name ? process->name : "[unknown]";
		tasks->pid = process->pid;
	} else if (row->kind == ROW_PROCESS) {
		tasks->process = row->name;
		tasks->pid = row->id;
	}
}

int browse_choose_task(struct browse *browse)
{
	const struct view_row *row = browse_rows_current(browse_rows(browse));
	struct browse_scope scope;

	if (!row ||
	    (row->kind != ROW_PROCESS && row->kind != ROW_THREAD && row->kind != ROW_CGROUP)) {
		browse->message = "The row is not a process, thread or cgroup.";
		return 0;
	}
	int err = browse_scope_copy(&browse->scope, &scope);
	if (err)
		return err;
	note_choice(row, &scope.tasks);
	err = change(browse, &scope, true);
	return err || *browse->message ? err : browse_show_page(browse, PAGE_TREE);
}

int browse_add_function(struct browse *browse, enum condition_kind kind)
{
	struct browse_condition condition = { .kind = kind, .subject = BY_NAME };

	if (browse->page == PAGE_MODULES)
		return browse_add_module(browse, kind);
	if (browse_page_has_tasks(browse->page) && kind == PATH_FOCUS)
		return browse_choose_task(browse);
	const struct view_row *row = current_function(browse);
	return row ? add_condition(browse, &condition, row->name) : 0;
}

int browse_add_module(struct browse *browse, enum condition_kind kind)
{
	const struct view_row *row = browse_rows_current(browse_rows(browse));
	const bool is_kernel = row && row->kind == ROW_KERNEL;
	struct browse_condition condition = { .kind = kind,
					      .subject = BY_MODULE,
					      .frame_kind = is_kernel ? FRAME_KERNEL : FRAME_USER };

	if (!row || (!is_kernel && row->kind != ROW_USER && row->kind != ROW_INLINE)) {
		browse->message = "The row is not code of a module.";
		return 0;
	}
	condition.module_id = row->module_id;
	return add_condition(browse, &condition, *row->module ? row->module : row->name);
}

int browse_change_kernel(struct browse *browse)
{
	static const enum view_kernel next[] = {
		[KERNEL_MERGED] = KERNEL_NONE,
		[KERNEL_NONE] = KERNEL_ONLY,
		[KERNEL_ONLY] = KERNEL_MERGED,
	};
	struct browse_scope scope;
	int err = browse_scope_copy(&browse->scope, &scope);

	if (err)
		return err;
	scope.kernel = next[scope.kernel];
	return change(browse, &scope, true);
}

int browse_zoom(struct browse *browse)
{
	const struct view_row *row = browse_rows_current(browse_rows(browse));
	struct browse_scope scope;

	if (browse_page_has_tasks(browse->page))
		return browse_choose_task(browse);
	if ((browse->page != PAGE_TREE && browse->page != PAGE_ICICLE) || !row) {
		browse->message = "A row of the tree can be shown alone: 1 shows the tree.";
		return 0;
	}
	int err = browse_scope_copy(&browse->scope, &scope);
	if (err)
		return err;
	err = browse_scope_zoom(&scope, browse_fold(browse), row);
	if (err) {
		browse_scope_deinit(&scope);
		return err;
	}
	return change(browse, &scope, true);
}

static bool is_same_part(const struct browse_scope *a, const struct browse_scope *b)
{
	return browse_scope_folds_alike(a, b) && a->n_zoom == b->n_zoom;
}

int browse_undo(struct browse *browse)
{
	if (!browse->n_past) {
		browse->message = "Nothing to undo.";
		return 0;
	}
	struct browse_past *past = &browse->past[--browse->n_past];
	const bool changes_fold = !is_same_part(&past->scope, &browse->scope);
	/* The page goes back, too. */
	if (browse->page == PAGE_PATHS && past->page != PAGE_PATHS) {
		int err = browse_show_page(browse, past->page);
		if (err)
			return err;
	}
	int err = browse_change_scope(browse, &past->scope, changes_fold);
	if (err)
		return explain(browse, err);
	return browse_show_page(browse, past->page);
}

static int change_paths(struct browse *browse, const char *root, enum path_direction direction)
{
	struct browse_scope scope;
	int err = browse_scope_copy(&browse->scope, &scope);

	if (err)
		return err;
	scope.root = root;
	scope.direction = direction;
	err = change(browse, &scope, false);
	if (!err)
		err = browse_show_page(browse, PAGE_PATHS);
	if (err != -ENOENT)
		return err;
	browse->message = "The function of the paths is not on any path here.";
	return browse_undo(browse);
}

int browse_show_paths(struct browse *browse, enum path_direction direction)
{
	const struct view_row *row = current_function(browse);

	return row ? change_paths(browse, row->name, direction) : 0;
}

int browse_turn_paths(struct browse *browse)
{
	const enum path_direction direction =
		browse->scope.direction == PATHS_DOWN ? PATHS_UP : PATHS_DOWN;

	if (browse->scope.root)
		return change_paths(browse, browse->scope.root, direction);
	browse->message = "r or R on a function shows its paths first.";
	return 0;
}
