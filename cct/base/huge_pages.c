#include "cct/base/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void huge_pages_allow(void *memory, size_t size)
{
	const size_t skipped = -(uintptr_t)memory & (HUGE_PAGE - 1);

	if (size >= skipped + HUGE_PAGE)
		madvise((char *)memory + skipped, (size - skipped) & ~(HUGE_PAGE - 1),
			MADV_HUGEPAGE);
}

void *huge_pages_alloc(size_t size)
{
	size_t rounded = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *memory = aligned_alloc(HUGE_PAGE, rounded);
	if (!memory)
		return NULL;
	madvise(memory, rounded, MADV_HUGEPAGE);
	return memset(memory, 0, size);
}
