/*
 * Lines whose cost is known: in hot(), two loops on a line each, 3 : 1; and a third of 1 in a
 * function that is inlined there. The unit is a macro, so its cost belongs to the line.
 */
#include "work.h"

#define INLINED static inline __attribute__((always_inline))
#define UNIT()                                        \
	do {                                          \
		unsigned long left = UNIT_ITERATIONS; \
		__asm__ volatile(".p2align 6\n"       \
				 "1:\t" DECREMENT     \
				 : "+r"(left)         \
				 :                    \
				 : "cc");             \
	} while (0)

/* clang-format off */
INLINED void inlined_loop(unsigned n)
{
	for (unsigned i = 0; i < n; i++) UNIT(); /* the inlined line */
}

static FUNCTION void hot(unsigned n)
{
	for (unsigned i = 0; i < 3 * n; i++) UNIT(); /* the hot line */
	for (unsigned i = 0; i < n; i++) UNIT(); /* the cold line */
	inlined_loop(n); /* the line of the call */
	KEEP_FRAME();
}
/* clang-format on */

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds));)
		hot(n);
	return 0;
}
