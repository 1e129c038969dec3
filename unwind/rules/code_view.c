#include "unwind/rules/code_view.h"

#include <string.h>

/* An instruction that has a byte has no other one farther from it. */
#define REACH 14

static void blank(uint8_t *bytes, size_t size, size_t at)
{
	size_t first = at > REACH ? at - REACH : 0;
	size_t end = size - at > REACH ? at + REACH + 1 : size;

	memset(bytes + first, CODE_VIEW_NO_INSTRUCTION, end - first);
}

size_t code_view_fill(const struct code_view *view,
		      uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE])
{
	const size_t size = view->n_pages * CODE_VIEW_PAGE_SIZE;

	for (size_t page = 0; page < view->n_pages; page++)
		memcpy(bytes + page * CODE_VIEW_PAGE_SIZE, view->after[page], CODE_VIEW_PAGE_SIZE);
	for (size_t page = 0; page < view->n_pages; page++) {
		const uint8_t *before = view->before[page], *after = view->after[page];

		for (size_t i = 0; before != after && i < CODE_VIEW_PAGE_SIZE; i++)
			if (before[i] != after[i])
				blank(bytes, size, page * CODE_VIEW_PAGE_SIZE + i);
	}
	return size;
}

bool code_view_read(const struct code_view *view, uint64_t addr, uint8_t *bytes, size_t size)
{
	const size_t known = view->n_pages * CODE_VIEW_PAGE_SIZE;
	const uint64_t first = addr - view->start;

	if (first >= known || known - first < size)
		return false;
	for (size_t i = 0; i < size; i++) {
		const size_t page = (first + i) / CODE_VIEW_PAGE_SIZE;
		const size_t at = (first + i) % CODE_VIEW_PAGE_SIZE;

		bytes[i] = view->before[page][at] == view->after[page][at]
				   ? view->after[page][at]
				   : CODE_VIEW_NO_INSTRUCTION;
	}
	return true;
}

static void find_in_list(const struct code_source *source, uint64_t addr,
			 struct code_view *view_ret)
{
	/* It is the first member. */
	const struct code_view_list *list = (const struct code_view_list *)source;

	view_ret->n_pages = 0;
	for (size_t i = 0; i < list->n_views && !view_ret->n_pages; i++)
		if (addr - list->views[i].start < CODE_VIEW_PAGE_SIZE)
			*view_ret = list->views[i];
}

void code_view_list_init(struct code_view_list *list, const struct code_view *views, size_t n_views)
{
	*list = (struct code_view_list){ { find_in_list }, views, n_views };
}
