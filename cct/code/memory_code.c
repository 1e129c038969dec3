#include "cct/code/memory_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sorted.h"

static int compare_pages(const void *a, const void *b)
{
	const struct memory_page *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

int memory_code_init(struct memory_code *code, struct memory_page *pages, size_t n_pages)
{
	*code = (struct memory_code){ 0 };
	if (!n_pages)
		return 0;
	code->pages = calloc(n_pages, sizeof(*code->pages));
	code->bytes = calloc(n_pages, MEMORY_PAGE_SIZE);
	if (!code->pages || !code->bytes) {
		memory_code_deinit(code);
		return -ENOMEM;
	}
	code->n_pages = n_pages;
	qsort(pages, n_pages, sizeof(*pages), compare_pages);
	for (size_t i = 0; i < n_pages; i++) {
		uint8_t *bytes = code->bytes + i * MEMORY_PAGE_SIZE;

		memcpy(bytes, pages[i].bytes, MEMORY_PAGE_SIZE);
		code->pages[i] = pages[i];
		code->pages[i].bytes = bytes;
	}
	return 0;
}

void memory_code_deinit(struct memory_code *code)
{
	free(code->pages);
	free(code->bytes);
	*code = (struct memory_code){ 0 };
}

static bool follows(const struct memory_page *page, const struct memory_page *next)
{
	return next->pid == page->pid && next->addr - page->addr == MEMORY_PAGE_SIZE;
}

const uint8_t *memory_code_find(const struct memory_code *code, int32_t pid, uint64_t addr,
				uint64_t size, size_t *n_ret, uint16_t *machine_ret)
{
	const struct memory_page *pages = code->pages;
	const struct memory_page wanted = { .pid = pid,
					    .addr = addr & -(uint64_t)MEMORY_PAGE_SIZE };
	size_t first = sorted_count(code->n_pages, i, compare_pages(&pages[i], &wanted) < 0);

	if (first == code->n_pages || compare_pages(&pages[first], &wanted))
		return NULL;
	uint64_t offset = addr - wanted.addr;
	size_t n = MEMORY_PAGE_SIZE - offset;
	for (size_t i = first + 1; n < size && i < code->n_pages; i++) {
		if (!follows(&pages[i - 1], &pages[i]))
			break;
		n += MEMORY_PAGE_SIZE;
	}
	*n_ret = n < size ? n : (size_t)size;
	*machine_ret = pages[first].machine;
	return pages[first].bytes + offset;
}
