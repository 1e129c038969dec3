/*
 * Functions that are inlined into each other, and one that is called from an inlined one. Units are
 * in separate loops, so shares are known: first : second : called = 1 : 2 : 3.
 */
#include "work.h"

#define INLINED static inline __attribute__((always_inline))

static FUNCTION void called_by_inlined(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		unit();
	KEEP_FRAME();
}

INLINED void innermost(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		unit();
	KEEP_FRAME();
}

INLINED void middle(unsigned n)
{
	innermost(2 * n);
	called_by_inlined(3 * n);
	KEEP_FRAME();
}

static FUNCTION void outer_of_one(unsigned n)
{
	innermost(n); /* the first */
	KEEP_FRAME();
}

static FUNCTION void outer_of_two(unsigned n)
{
	middle(n); /* the second */
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds));) {
		outer_of_one(n);
		outer_of_two(n);
	}
	return 0;
}
