#include "report/html/page.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/stream.h"
#include "report/fold/fold_profile.h"
#include "report/html/page_block.h"
#include "report/html/page_code.h"
#include "report/html/page_columns.h"
#include "report/html/page_facts.h"
#include "report/html/page_text.h"

/* A block of what a function writes as text. */
static int write_text(FILE *out, const struct page *page,
		      int (*write)(FILE *out, const struct page *page))
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	int err = write(stream, page);
	if (fclose(stream) && !err)
		err = -ENOMEM;
	return err ? err : page_block_write(out, text, size);
}

static int write_code(FILE *out, const struct page *page)
{
	const struct page_code code = {
		.profile = page->profile,
		.symbolizer = page->line_symbolizer,
		.metric = page->view->sort_metric,
		.moved_sources = page->moved_sources,
		.n_moved_sources = page->n_moved_sources,
	};

	return page_code_write(out, &code);
}

static int write_columns(FILE *out, const struct page_columns *columns)
{
	struct byte_buffer bytes = { 0 };
	int err = page_columns_write(columns, &bytes);

	if (!err)
		err = page_block_write(out, bytes.bytes, bytes.size);
	byte_buffer_deinit(&bytes);
	return err;
}

static int write_page(FILE *out, const struct page *page, const struct page_tree *tree,
		      const struct page_rows *rows)
{
	const struct page_columns whole = { page->profile, tree, rows, 0, page->view->errors };
	const struct page_columns top = { page->profile, tree, NULL,
					  page_tree_total(tree, 0) / PAGE_TOP_PARTS + 1, false };
	const char *at = page_text;

	page_text_write(out, &at, page_text_end, PAGE_MARK_FACTS);
	int err = write_text(out, page, page_facts_write);
	page_text_write(out, &at, page_text_end, PAGE_MARK_TOP);
	if (!err)
		err = write_columns(out, &top);
	page_text_write(out, &at, page_text_end, PAGE_MARK_TREE);
	if (!err)
		err = write_columns(out, &whole);
	page_text_write(out, &at, page_text_end, PAGE_MARK_CODE);
	if (!err && page->line_symbolizer)
		err = write_text(out, page, write_code);
	page_text_write(out, &at, page_text_end, NULL);
	return err ? err : stream_finish(out);
}

static int write_fold(FILE *out, const struct page *page, const struct fold *fold,
		      const uint32_t *nodes)
{
	struct page_tree tree;
	struct page_rows rows = { 0 };
	int err = page_tree_init(&tree, fold, page->view->sort_metric);

	if (!err)
		err = page_rows_init(&rows, page->profile, &tree, nodes);
	if (!err)
		err = write_page(out, page, &tree, &rows);
	page_rows_deinit(&rows);
	page_tree_deinit(&tree);
	return err;
}

int page_write(FILE *out, const struct page *page)
{
	const struct view_options options = {
		.kind = VIEW_TREE,
		.grouping = page->view->grouping,
		.kernel = page->view->kernel,
		.sort_metric = page->view->sort_metric,
		.errors = page->view->errors,
	};
	_cleanup_free_ uint32_t *nodes = NULL;
	struct fold *fold;
	int err = fold_profile_mapped(page->profile, page->symbolizer, &options, &fold, &nodes);

	if (err)
		return err;
	err = write_fold(out, page, fold, nodes);
	fold_destroy(fold);
	return err;
}
