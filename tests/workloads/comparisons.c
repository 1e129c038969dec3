/*
 * comparisons [SECONDS]: sorts the same numbers with qsort(), by one function and then by another
 * that does three times its work in each call.
 */
#include <stdlib.h>

#include "tests/workloads/work.h"

#define N 64

FUNCTION static int by_number(const void *a, const void *b)
{
	units(4);
	return *(const int *)a - *(const int *)b;
}

FUNCTION static int by_name(const void *a, const void *b)
{
	units(12);
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	int numbers[N];

	while (rounds_next(&rounds) > 0) {
		for (int i = 0; i < N; i++)
			numbers[i] = i * 37 % N;
		qsort(numbers, N, sizeof(*numbers), by_number);
		for (int i = 0; i < N; i++)
			numbers[i] = i * 37 % N;
		qsort(numbers, N, sizeof(*numbers), by_name);
	}
	return 0;
}
