/* PCT's program (Blake and Bauer 2002): two callers give one worker work in the ratio 1:2. */
#include "work.h"

static FUNCTION void worker(unsigned n)
{
	units(n);
}

static FUNCTION void dispatch_1(unsigned n)
{
	worker(n);
	KEEP_FRAME();
}

static FUNCTION void dispatch_2(unsigned n)
{
	worker(2 * n);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned n;

	while ((n = rounds_next(&rounds))) {
		dispatch_1(n);
		dispatch_2(n);
	}
	return 0;
}
