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
