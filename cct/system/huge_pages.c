#include "cct/system/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void huge_pages_allow(void *memory, size_t size)
{
	const size_t skipped = -(uintptr_t)memory & (HUGE_PAGE - 1);

	if (size >= skipped + HUGE_PAGE)
		madvise((char *)memory + skipped, (size - skipped) & ~(HUGE_PAGE - 1),
			MADV_HUGEPAGE);
}

static size_t whole_pages(size_t size)
{
	return (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

/* Fresh memory is zero: to write zeros would only touch it. */
void *huge_pages_alloc(size_t size)
{
	const size_t rounded = whole_pages(size);
	char *mapped = mmap(NULL, rounded + HUGE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED)
		return NULL;
	const size_t before = -(uintptr_t)mapped & (HUGE_PAGE - 1);
	char *memory = mapped + before;
	if (before)
		munmap(mapped, before);
	munmap(memory + rounded, HUGE_PAGE - before);
	madvise(memory, rounded, MADV_HUGEPAGE);
	return memory;
}

void huge_pages_free(void *memory, size_t size)
{
	if (memory)
		munmap(memory, whole_pages(size));
}
