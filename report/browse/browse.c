#include "report/browse/browse.h"

#include <errno.h>
#include <stdlib.h>

#include "report/browse/browse_change.h"
#include "report/browse/browse_typing.h"

int browse_create(const struct profile *profile, struct symbolizer *symbolizer,
		  const struct browse_options *options, struct browse **browse_ret)
{
	struct browse *browse = calloc(1, sizeof(*browse));

	if (!browse)
		return -ENOMEM;
	int err = browse_state_init(browse, profile, symbolizer, options);
	if (err) {
		browse_destroy(browse);
		return err;
	}
	*browse_ret = browse;
	return 0;
}

void browse_destroy(struct browse *browse)
{
	if (!browse)
		return;
	browse_end_memory(browse);
	browse_state_deinit(browse);
	free(browse);
}

/* The one after a metric that has samples, or before it; itself: there is no other. */
static uint32_t next_metric(const struct browse *browse, uint32_t metric, uint32_t step)
{
	const uint32_t n = browse->profile->n_metrics;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t other = (metric + i * step) % n;

		if (browse->profile->metrics[other].samples)
			return other;
	}
	return metric;
}

static int change_metric(struct browse *browse, bool forward)
{
	const uint32_t n = browse->profile->n_metrics;
	uint32_t metric = n ? next_metric(browse, browse->metric, forward ? 1 : n - 1) : 0;

	if (metric == browse->metric)
		browse->message = "The recording has no other event with samples.";
	browse->metric = metric;
	return browse_show_page(browse, browse->page);
}

static int sort_by(struct browse *browse, enum view_sort sort)
{
	struct browse_page *page = browse_page(browse);

	page->sort = sort;
	return browse_rows_sort(&page->rows, page->sort, browse->metric);
}

static int change_sort(struct browse *browse)
{
	static const enum view_sort next[] = {
		[SORT_TOTAL] = SORT_SELF,
		[SORT_SELF] = SORT_NAME,
		[SORT_NAME] = SORT_TOTAL,
	};

	enum view_sort sort = next[browse_page(browse)->sort];
	if (sort == SORT_SELF && !view_traits(browse_view(browse)->options.kind)->has_self)
		sort = next[sort];
	return sort_by(browse, sort);
}

static int unfold_all(struct browse *browse)
{
	bool is_complete;
	int err = browse_rows_unfold_all(&browse_page(browse)->rows, browse->options.min_percent,
					 &is_complete);

	if (!err && !is_complete)
		browse->message = "Many rows were unfolded; the same key goes on.";
	return err;
}

/* There may be nothing to show on it. */
static int show_page(struct browse *browse, enum browse_page_kind kind)
{
	if (kind == PAGE_PATHS && !browse->scope.root) {
		browse->message = "r and R on a function show the paths from it and to it.";
		return 0;
	}
	if (!browse_has_page(browse, kind)) {
		browse->message =
			browse->options.is_growing && browse->all->cgroups.n_strings
				? "Only the last samples have their cgroup: w shows them."
				: "Samples have no cgroup: they do with -a or --all-cgroups.";
		return 0;
	}
	int err = browse_show_page(browse, kind);
	if (err != -ENOENT)
		return err;
	browse->message = "The function of the paths is not on any path here.";
	return 0;
}

static int show_next_page(struct browse *browse, uint32_t step)
{
	enum browse_page_kind kind = (browse->page + step) % N_BROWSE_PAGES;

	while (!browse_has_page(browse, kind))
		kind = (kind + step) % N_BROWSE_PAGES;
	return show_page(browse, kind);
}

static int act_on_rows(struct browse *browse, enum browse_action action)
{
	struct browse_rows *rows = &browse_page(browse)->rows;
	const int64_t page = browse->page_size > 1 ? browse->page_size - 1 : 1;

	switch (action) {
	case ACTION_DOWN:
	case ACTION_UP:
		browse_rows_move(rows, action == ACTION_DOWN ? 1 : -1);
		return 0;
	case ACTION_PAGE_DOWN:
	case ACTION_PAGE_UP:
		browse_rows_move(rows, action == ACTION_PAGE_DOWN ? page : -page);
		return 0;
	case ACTION_FIRST:
	case ACTION_LAST:
		browse_rows_move(rows, action == ACTION_LAST ? INT32_MAX : -(int64_t)INT32_MAX);
		return 0;
	case ACTION_UNFOLD:
		return browse_rows_unfold(rows);
	case ACTION_FOLD:
		browse_rows_fold(rows);
		return 0;
	case ACTION_TOGGLE:
		return browse_page_has_tasks(browse->page) ? browse_choose_task(browse)
							   : browse_rows_toggle(rows);
	case ACTION_HOT_PATH:
		return browse_rows_follow(rows);
	case ACTION_UNFOLD_ALL:
		return unfold_all(browse);
	case ACTION_FOLD_ALL:
		browse_rows_fold_all(rows);
		return 0;
	default:
		return 0;
	}
}

static struct view_row *widest_child(struct browse_rows *rows, struct view_row *row)
{
	if (growing_view_grow(rows->growing, row))
		return NULL;
	return browse_rows_hottest(rows, row);
}

static struct view_row *row_on_the_left(const struct view_row *row)
{
	struct view_row *left = row->parent->children;

	while (left != row && left->next != row)
		left = left->next;
	return left;
}

/* Rows are beside each other, and those that they call below them. */
static int act_on_icicle(struct browse *browse, enum browse_action action)
{
	struct browse_rows *rows = &browse_page(browse)->rows;
	struct view_row *row = browse_rows_current(rows), *to = NULL;

	if (!row)
		return 0;
	switch (action) {
	case ACTION_DOWN:
		to = widest_child(rows, row);
		break;
	case ACTION_UP:
		to = row->parent->parent ? row->parent : NULL;
		break;
	case ACTION_FOLD:
		to = row_on_the_left(row);
		break;
	case ACTION_UNFOLD:
		to = row->next;
		break;
	case ACTION_TOGGLE:
		return browse_zoom(browse);
	default:
		return act_on_rows(browse, action);
	}
	return to ? browse_rows_reveal(rows, to) : 0;
}

static int act_on_scope(struct browse *browse, enum browse_action action)
{
	switch (action) {
	case ACTION_FOCUS:
		return browse_add_function(browse, PATH_FOCUS);
	case ACTION_IGNORE:
		return browse_add_function(browse, PATH_IGNORE);
	case ACTION_FOCUS_MODULE:
		return browse_add_module(browse, PATH_FOCUS);
	case ACTION_IGNORE_MODULE:
		return browse_add_module(browse, PATH_IGNORE);
	case ACTION_KERNEL:
		return browse_change_kernel(browse);
	case ACTION_ZOOM:
		return browse_zoom(browse);
	case ACTION_PATHS_FROM:
		return browse_show_paths(browse, PATHS_DOWN);
	case ACTION_PATHS_TO:
		return browse_show_paths(browse, PATHS_UP);
	case ACTION_TURN_PATHS:
		return browse_turn_paths(browse);
	case ACTION_UNDO:
		return browse_undo(browse);
	default:
		return browse->page == PAGE_ICICLE ? act_on_icicle(browse, action)
						   : act_on_rows(browse, action);
	}
}

bool browse_act_counts(const struct browse *browse, enum browse_action action)
{
	if (action >= ACTION_TREE && action <= ACTION_CGROUPS)
		return !browse->pages[PAGE_TREE + (action - ACTION_TREE)].rows.growing;
	return action == ACTION_NEXT_VIEW || action == ACTION_PREVIOUS_VIEW ||
	       (action >= ACTION_PATHS_FROM && action <= ACTION_UNDO);
}

int browse_act(struct browse *browse, enum browse_action action)
{
	browse->message = "";
	switch (action) {
	case ACTION_SORT:
		return change_sort(browse);
	case ACTION_SORT_TOTAL:
		return sort_by(browse, SORT_TOTAL);
	case ACTION_SORT_SELF:
		return sort_by(browse, SORT_SELF);
	case ACTION_SORT_NAME:
		return sort_by(browse, SORT_NAME);
	case ACTION_NEXT_METRIC:
	case ACTION_PREVIOUS_METRIC:
		return change_metric(browse, action == ACTION_NEXT_METRIC);
	case ACTION_NEXT_VIEW:
		return show_next_page(browse, 1);
	case ACTION_PREVIOUS_VIEW:
		return show_next_page(browse, N_BROWSE_PAGES - 1);
	case ACTION_TREE:
	case ACTION_CALLERS:
	case ACTION_FUNCTIONS:
	case ACTION_MODULES:
	case ACTION_LINES:
	case ACTION_ICICLE:
	case ACTION_PATHS:
	case ACTION_PROCESSES:
	case ACTION_THREADS:
	case ACTION_CGROUPS:
		return show_page(browse, PAGE_TREE + (action - ACTION_TREE));
	case ACTION_NEXT_MATCH:
	case ACTION_PREVIOUS_MATCH:
		return browse_search_next(browse, action == ACTION_PREVIOUS_MATCH);
	case ACTION_CANCEL:
		row_search_end(&browse->search);
		return 0;
	default:
		return act_on_scope(browse, action);
	}
}
