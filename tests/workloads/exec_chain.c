/*
 * Works, then becomes the program named by its first argument, which gets the others: a chain
 * of execs with the same work in each link, under a name that tells how wide its addresses are. A
 * link is short, so that in a long chain a processor that changes its speed does so for both names.
 */
#include <unistd.h>

#include "work.h"

#define UNITS 2500

static FUNCTION void work_of_32_bits(void)
{
	units(UNITS);
	KEEP_FRAME();
}

static FUNCTION void work_of_64_bits(void)
{
	units(UNITS);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	if (sizeof(void *) == 4)
		work_of_32_bits();
	else
		work_of_64_bits();
	if (argc < 2)
		return 0;
	execv(argv[1], argv + 1);
	return 1;
}
