/*
 * split_values [SECONDS]: a third of the work each: count() is called with one number after the
 * other, 2000 different ones; descend() calls itself to a depth of 3 and works there alone; say()
 * has four texts in turn that would do harm if they were written as they are.
 */
#include <stdio.h>

#include "tests/workloads/work.h"

static unsigned long sum;

FUNCTION static void count(unsigned number, unsigned n_units)
{
	units(n_units);
	sum += number;
	KEEP_FRAME();
}

FUNCTION static void descend(unsigned level, unsigned n_units)
{
	if (level < 3)
		descend(level + 1, n_units);
	else
		units(n_units);
	sum += level;
	KEEP_FRAME();
}

FUNCTION static void say(const char *text, unsigned n_units)
{
	units(n_units);
	sum += (unsigned char)*text;
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	static const char *const texts[] = { "\033[31m\n", "</script><b>", "a;b 5", "\"]\\" };
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned number = 0;

	while (rounds_next(&rounds)) {
		for (unsigned i = 0; i < 500; i++)
			count(number++ % 2000, 1);
		descend(0, 500);
		for (unsigned i = 0; i < 4; i++)
			say(texts[i], 125);
	}
	printf("%lu\n", sum);
	return 0;
}
