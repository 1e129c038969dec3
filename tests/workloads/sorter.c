/* Sorts two numbers, with work in the one comparison that this takes; made for preload.c. */
#include "work.h"

static FUNCTION int compare(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	units(*x + *y);
	return *x < *y ? -1 : *x > *y;
}

static FUNCTION void sort_something(unsigned n)
{
	unsigned numbers[2] = { n, n };

	qsort(numbers, 2, sizeof(numbers[0]), compare);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned n;

	while ((n = rounds_next(&rounds)))
		sort_something(n);
	return 0;
}
