/*
 * Direct recursion 50 deep, mutual recursion 50 deep, and no recursion, with work in the ratio
 * 1:1:2, all of it at the deepest point.
 */
#include "watched.h"
#include "work.h"

#define DEPTH 50

static FUNCTION void deepest_work(unsigned n)
{
	units(n);
}

/* Active DEPTH times when the work is done. */
static FUNCTION void recurse(unsigned depth, unsigned n)
{
	if (depth > 1)
		recurse(depth - 1, n);
	else
		deepest_work(n);
	KEEP_FRAME();
}

static FUNCTION void odd(unsigned depth, unsigned n);

/* even and odd are active DEPTH / 2 times each. */
static FUNCTION void even(unsigned depth, unsigned n)
{
	odd(depth - 1, n);
	KEEP_FRAME();
}

static FUNCTION void odd(unsigned depth, unsigned n)
{
	if (depth > 1)
		even(depth - 1, n);
	else
		deepest_work(n);
	KEEP_FRAME();
}

static FUNCTION void plain(unsigned n)
{
	deepest_work(2 * n);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned n;

	while ((n = rounds_next(&rounds))) {
		recurse(DEPTH, n);
		even(DEPTH, n);
		plain(n);
	}
	return 0;
}
