/*
 * Froyd, Mellor-Crummey, Fowler 2005, Figure 1: a and b call c through a pointer; a calls it half
 * as often with twice the work. Both paths, main-a-c-d and main-b-c-d, cost the same. With a second
 * argument, the number of calls of a and of b is printed.
 */
#include <stdio.h>

#include "work.h"

typedef void (*function)(unsigned);

static FUNCTION void d(unsigned n)
{
	units(n);
}

static FUNCTION void c(unsigned n)
{
	d(n);
	KEEP_FRAME();
}

static FUNCTION void a(function f, unsigned n)
{
	f(2 * n);
	KEEP_FRAME();
}

static FUNCTION void b(function f, unsigned n)
{
	f(n);
	KEEP_FRAME();
	f(n);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	function volatile f = c;
	unsigned n, n_rounds = 0;

	for (; (n = rounds_next(&rounds)); n_rounds++) {
		a(f, n);
		b(f, n);
	}
	if (argc > 2)
		printf("%u\n", n_rounds);
	return 0;
}
