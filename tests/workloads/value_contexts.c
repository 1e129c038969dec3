/*
 * value_contexts [SECONDS]: work() has the same work in each call. first() calls it three times
 * with kind 1 and level 10, once with kind 2 and level 20; second() calls it twice with kind 2 and
 * level 10, and, through again(), itself, twice with kind 3 and level 30.
 */
#include <stdio.h>

#include "tests/workloads/work.h"

static unsigned long sum;

FUNCTION static void work(unsigned kind, unsigned level, unsigned n_units)
{
	units(n_units);
	sum += kind + level;
	KEEP_FRAME();
}

FUNCTION static void first(unsigned n)
{
	for (unsigned i = 0; i < 4; i++)
		work(i < 3 ? 1 : 2, i < 3 ? 10 : 20, n);
	KEEP_FRAME();
}

FUNCTION static void second(unsigned kind, unsigned n);

FUNCTION static void again(unsigned n)
{
	second(3, n);
	KEEP_FRAME();
}

FUNCTION static void second(unsigned kind, unsigned n)
{
	for (unsigned i = 0; i < 2; i++)
		work(kind, kind == 2 ? 10 : 30, n);
	if (kind == 2)
		again(n);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds)) > 0;) {
		first(n);
		second(2, n);
	}
	printf("%lu\n", sum);
	return 0;
}
