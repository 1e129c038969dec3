#include "report/browse/browse_state.h"

#include <errno.h>
#include <stdlib.h>

#include "report/fold/fold_profile.h"

static const struct {
	enum view_kind kind;
	const char *name;
} page_kinds[] = {
	[PAGE_TREE] = { VIEW_TREE, "tree" },
	[PAGE_CALLERS] = { VIEW_CALLERS, "callers" },
	[PAGE_FUNCTIONS] = { VIEW_FUNCTIONS, "functions" },
	[PAGE_MODULES] = { VIEW_MODULES, "modules" },
};

const char *browse_page_name(enum browse_page_kind kind)
{
	return page_kinds[kind].name;
}

static int open_page(struct browse *browse, enum browse_page_kind kind)
{
	struct browse_page *page = &browse->pages[kind];
	struct view_options options = browse->options.view;
	struct growing_view *growing;

	options.kind = page_kinds[kind].kind;
	options.sort = page->sort;
	options.sort_metric = browse->metric;
	int err = growing_view_create(browse->profile, &options, browse->fold, &growing);
	return err ? err : browse_rows_init(&page->rows, growing);
}

int browse_show_page(struct browse *browse, enum browse_page_kind kind)
{
	struct browse_page *page = &browse->pages[kind];
	int err = 0;

	if (!page->rows.growing)
		err = open_page(browse, kind);
	else if (page->rows.growing->view->options.sort_metric != browse->metric)
		err = browse_rows_sort(&page->rows, page->sort, browse->metric);
	if (!err)
		browse->page = kind;
	return err;
}

int browse_state_init(struct browse *browse, const struct profile *profile,
		      struct symbolizer *symbolizer, const struct browse_options *options)
{
	struct view_options view = options->view;

	*browse = (struct browse){
		.profile = profile,
		.symbolizer = symbolizer,
		.options = *options,
		.metric = options->view.sort_metric,
		.page_size = 1,
		.message = "",
	};
	view.kind = VIEW_TREE;
	for (int kind = 0; kind < N_BROWSE_PAGES; kind++)
		browse->pages[kind].sort = view_traits(page_kinds[kind].kind)->sort;
	int err = fold_profile(profile, symbolizer, &view, &browse->fold);
	return err ? err : browse_show_page(browse, PAGE_TREE);
}

void browse_state_deinit(struct browse *browse)
{
	row_search_end(&browse->search);
	free(browse->revealed);
	for (int kind = 0; kind < N_BROWSE_PAGES; kind++)
		browse_rows_deinit(&browse->pages[kind].rows);
	fold_destroy(browse->fold);
}

uint32_t browse_n_metrics(const struct browse *browse, uint32_t *place_ret)
{
	uint32_t n = 0;

	*place_ret = 1;
	for (uint32_t i = 0; i < browse->profile->n_metrics; i++) {
		n += browse->profile->metrics[i].samples || i == browse->metric;
		if (i == browse->metric)
			*place_ret = n;
	}
	return n;
}

void browse_scroll(struct browse *browse, uint32_t page_size)
{
	struct browse_page *page = browse_page(browse);
	const uint32_t cursor = page->rows.cursor, n = page->rows.n_lines;

	browse->page_size = page_size ? page_size : 1;
	if (page->top > cursor)
		page->top = cursor;
	if (cursor - page->top >= browse->page_size)
		page->top = cursor - browse->page_size + 1;
	if (n - page->top < browse->page_size)
		page->top = n > browse->page_size ? n - browse->page_size : 0;
}
