#include "unwind/rules/huge_pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *huge_pages_alloc(size_t size)
{
	size_t rounded = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *memory = aligned_alloc(HUGE_PAGE, rounded);
	if (!memory)
		return NULL;
	madvise(memory, rounded, MADV_HUGEPAGE);
	return memset(memory, 0, size);
}
