#include "report/browse/browse_refresh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A copy of a name that is of a profile, which is about to go. 0 or -ENOMEM. */
static int keep_name(struct browse *browse, const char **name)
{
	uint32_t id;
	bool is_new;

	if (!*name)
		return 0;
	if (string_ids_add(&browse->names, *name, &id, &is_new))
		return -ENOMEM;
	*name = browse->names.strings[id];
	return 0;
}

static int keep_scope(struct browse *browse, struct browse_scope *scope)
{
	int err = keep_name(browse, &scope->root);

	if (!err)
		err = keep_name(browse, &scope->tasks.process);
	if (!err)
		err = keep_name(browse, &scope->tasks.thread);
	if (!err)
		err = keep_name(browse, &scope->tasks.cgroup);

	for (size_t i = 0; i < scope->n_zoom && !err; i++) {
		err = keep_name(browse, &scope->zoom[i].name);
		if (!err)
			err = keep_name(browse, &scope->zoom[i].module);
	}
	return err;
}

static int keep_names(struct browse *browse)
{
	int err = keep_scope(browse, &browse->scope);

	for (uint32_t i = 0; i < browse->n_past && !err; i++)
		err = keep_scope(browse, &browse->past[i].scope);
	return err;
}

static bool is_same(const struct browse *browse, const struct view_row *a, const struct view_row *b)
{
	const bool has_numbers =
		browse->options.view.grouping != GROUP_COMM || browse_page_has_tasks(browse->page);

	return a->kind == b->kind && (!has_numbers || a->id == b->id) && a->line == b->line &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->module, b->module) == 0;
}

static struct view_row *find_child(const struct browse *browse, const struct view_row *parent,
				   const struct view_row *row)
{
	for (struct view_row *child = parent->children; child; child = child->next) {
		if (is_same(browse, child, row))
			return child;
	}
	return NULL;
}

/* The first of @row and the siblings after it that is unfolded, and what it is below @parent. */
static const struct view_row *find_unfolded(const struct browse *browse, const struct view_row *row,
					    const struct view_row *parent, struct view_row **to)
{
	for (; row; row = row->next) {
		*to = row->is_unfolded ? find_child(browse, parent, row) : NULL;
		if (*to)
			return row;
	}
	return NULL;
}

/* Unfolds what was unfolded before, from @from's root on. 0 or -ENOMEM. */
static int copy_folds(const struct browse *browse, const struct browse_rows *before,
		      struct growing_view *growing)
{
	const struct view_row *root = before->growing->view->root, *from = root, *next;
	struct view_row *to = growing->view->root, *child;

	for (;;) {
		next = find_unfolded(browse, from->children, to, &child);
		while (!next && from != root) {
			next = find_unfolded(browse, from->next, to->parent, &child);
			from = from->parent;
			to = to->parent;
		}
		if (!next)
			return 0;
		from = next;
		to = child;
		if (growing_view_grow(growing, to))
			return -ENOMEM;
		to->is_unfolded = to->children;
	}
}

/* The row that @row is now; of one that is gone, the last one above it. 0 or -ENOMEM. */
static int find_row(const struct browse *browse, const struct view_row *row,
		    struct growing_view *growing, struct view_row **row_ret)
{
	const struct view_row **steps;
	size_t n = 0;

	for (const struct view_row *above = row; above && above->parent; above = above->parent)
		n++;
	steps = calloc(n + 1, sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (size_t i = n; i > 0; row = row->parent)
		steps[--i] = row;
	struct view_row *to = growing->view->root, *child = to;
	int err = 0;
	for (size_t i = 0; i < n && child && !err; i++) {
		child = find_child(browse, to, steps[i]);
		to = child ? child : to;
		if (child && i + 1 < n)
			err = growing_view_grow(growing, child);
	}
	free(steps);
	*row_ret = to;
	return err;
}

/* The cursor and the screen's first line, after the rows are those of before. */
static int copy_place(const struct browse *browse, const struct browse_page *before,
		      struct browse_page *page)
{
	const uint32_t offset = before->rows.cursor - before->top;
	struct view_row *row = NULL;
	int err = find_row(browse, browse_rows_current(&before->rows), page->rows.growing, &row);

	if (!err && row->parent)
		err = browse_rows_reveal(&page->rows, row);
	page->top = page->rows.cursor > offset ? page->rows.cursor - offset : 0;
	return err;
}

static bool has_folds(enum browse_page_kind kind)
{
	return kind == PAGE_TREE || kind == PAGE_CALLERS || kind == PAGE_ICICLE ||
	       kind == PAGE_PATHS;
}

static int copy_page(const struct browse *before, struct browse *browse, enum browse_page_kind kind)
{
	const struct browse_page *page = &before->pages[kind];
	int err;

	if (!page->rows.growing || (kind != before->page && !has_folds(kind)))
		return 0;
	err = browse_show_page(browse, kind);
	if (err) /* the function of the paths may be gone */
		return err == -ENOENT ? 0 : err;
	struct browse_page *now = &browse->pages[kind];
	if (has_folds(kind))
		err = copy_folds(before, &page->rows, now->rows.growing);
	if (!err)
		err = browse_rows_refresh(&now->rows);
	return err ? err : copy_place(before, page, now);
}

static int copy_pages(const struct browse *before, struct browse *browse)
{
	int err = 0;

	for (int kind = 0; kind < N_BROWSE_PAGES && !err; kind++)
		err = copy_page(before, browse, (enum browse_page_kind)kind);
	if (err)
		return err;
	err = browse_show_page(browse, before->page);
	return err == -ENOENT ? browse_show_page(browse, PAGE_TREE) : err;
}

/* The part of the profile that is shown. */
static int copy_scope(const struct browse *before, struct browse *browse)
{
	struct browse_scope scope;
	int err = browse_scope_copy(&before->scope, &scope);

	if (!err)
		err = browse_change_scope(browse, &scope, true);
	if (err != -ENOENT || browse->options.is_recent)
		return err;
	browse->message = "No samples are left of what was shown: this is the whole.";
	return 0;
}

/* What does not depend on the profile goes over. */
static void take_rest(struct browse *before, struct browse *browse)
{
	memcpy(browse->past, before->past, before->n_past * sizeof(before->past[0]));
	browse->n_past = before->n_past;
	before->n_past = 0;
	browse->names = before->names;
	before->names = (struct string_ids){ 0 };
	browse->search.text = before->search.text;
	browse->search.has_upper_case = before->search.has_upper_case;
	before->search.text = NULL;
	if (!*browse->message)
		browse->message = before->message;
}

int browse_refresh(struct browse *browse, const struct profile *profile,
		   struct symbolizer *symbolizer, const char *source)
{
	struct browse_options options = browse->options;
	struct browse now;
	int err = keep_names(browse);

	if (err)
		return err;
	options.source = source;
	options.view.sort_metric = browse->metric;
	err = browse_state_init(&now, profile, symbolizer, &options);
	now.page_size = browse->page_size;
	for (int kind = 0; kind < N_BROWSE_PAGES; kind++)
		now.pages[kind].sort = browse->pages[kind].sort;
	if (!err)
		err = copy_scope(browse, &now);
	if (!err)
		err = browse_rows_sort(&browse_page(&now)->rows, browse_page(&now)->sort,
				       now.metric);
	if (!err)
		err = copy_pages(browse, &now);
	if (err) {
		browse_state_deinit(&now);
		return err;
	}
	take_rest(browse, &now);
	browse_state_deinit(browse);
	*browse = now;
	return 0;
}
