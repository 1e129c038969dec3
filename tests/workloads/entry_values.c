/*
 * entry_values [SECONDS]: calls leaf() with 10, 11, 12, 20, 21 and 22 in turn, with the same work
 * each time. leaf() needs its arguments no more while it works, so only its caller, two(), still
 * tells what they were.
 */
#include "tests/workloads/work.h"

static volatile unsigned long count;

static unsigned n_units; /* of this round: rounds don't keep step with the sampling clock */

FUNCTION static void spin(void)
{
	units(n_units);
	count++;
}

FUNCTION static void leaf(int dead, int code)
{
	count += (unsigned long)dead + (unsigned long)code;
	spin();
	count++;
	spin();
	count++;
}

FUNCTION static void two(int k, const char *text)
{
	for (int i = 0; i < 3; i++) {
		leaf(k + i, 7);
		count += (unsigned char)*text;
	}
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);

	while ((n_units = rounds_next(&rounds) / 8)) {
		two(10, "text");
		two(20, "text");
	}
	return 0;
}
