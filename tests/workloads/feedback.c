/*
 * A program whose branches, calls and inlined functions are executed in known proportions, for
 * profiles that compilers read. A piece of work is one basic block, and all are of equal length.
 */
#include "work.h"

/* Divisions, which wait for each other: the code is short, and each copy of it costs the same.
 * @text keeps the compiler from making one block of two, and no part of it can be moved out. */
#ifdef __aarch64__
#define WORK(text)                              \
	__asm__ volatile("# " text "\n"         \
			 "fmov s16, #1.0\n"     \
			 ".rept 500\n"          \
			 "fdiv s16, s16, s16\n" \
			 ".endr"                \
			 :                      \
			 :                      \
			 : "v16")
#else
#define WORK(text)                                  \
	__asm__ volatile("# " text "\n"             \
			 "mov $0x3f800000, %%eax\n" \
			 "movd %%eax, %%xmm1\n"     \
			 ".rept 500\n"              \
			 "divss %%xmm1, %%xmm1\n"   \
			 ".endr"                    \
			 :                          \
			 :                          \
			 : "eax", "xmm1")
#endif

/* Code of a macro is all on the line that uses it. */
#define ON_ONE_LINE(i)                 \
	do {                           \
		if ((i) % 4)           \
			WORK("three"); \
		else                   \
			WORK("one");   \
	} while (0)

static inline void inner(void)
{
	WORK("inner");
}

FUNCTION void outer(void)
{
	inner(); /* inlined */
}

FUNCTION void choose(unsigned i)
{
	if (i % 10 > 8)
		WORK("seldom"); /* seldom */
	else
		WORK("often"); /* often */
}

FUNCTION void on_one_line(unsigned i)
{
	ON_ONE_LINE(i);
}

FUNCTION void recurse(unsigned n)
{
	WORK("recurse");
	if (n)
		recurse(n - 1); /* itself */
	KEEP_FRAME();
}

FUNCTION void first(void)
{
	WORK("first");
}

FUNCTION void second(void)
{
	WORK("second");
}

FUNCTION void call(void (*function)(void))
{
	function(); /* first or second */
	KEEP_FRAME();
}

#ifdef __clang__ /* gcc writes no assembly code that the assembler understands */
FUNCTION void hostile(void) __asm__("a name: 1:2");
#endif
FUNCTION void hostile(void)
{
	WORK("hostile");
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds));) {
		for (unsigned i = 0; i < n; i++) {
			outer();
			choose(i);
			on_one_line(i);
			recurse(3);
			call(i % 5 ? first : second);
			hostile();
		}
	}
	return 0;
}
