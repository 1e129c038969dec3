/*
 * For LD_PRELOAD: a qsort() that works itself before it calls the C library's, with one unit for
 * each two of the comparison that sorter passes.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "work.h"

typedef int (*compare_function)(const void *a, const void *b);

static FUNCTION void preload_work(unsigned n)
{
	units(n);
}

void qsort(void *base, size_t n, size_t size, compare_function compare)
{
	static void (*next)(void *base, size_t n, size_t size, compare_function compare);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "qsort");
	preload_work(*(unsigned *)base);
	next(base, n, size, compare);
	KEEP_FRAME();
}
