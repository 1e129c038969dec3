/* Frames of every form that compilers build, each a few instructions: for a single-stepping test.
 */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define noinline __attribute__((noinline))
#else
#define noinline __attribute__((noinline, noclone))
#endif

static volatile int sink;

static noinline int leaf(int a)
{
	return a * sink;
}

/* Below the stack pointer, in the red zone. */
static noinline int leaf_in_red_zone(int n)
{
	volatile int values[16];

	for (int i = 0; i < 16; i++)
		values[i] = n + i;
	return values[n & 15];
}

static noinline void fill(char *bytes, size_t n)
{
	bytes[0] = (char)leaf((int)n);
	bytes[n - 1] = (char)leaf(2);
}

static noinline int variable_length(int n)
{
	char bytes[n];

	fill(bytes, sizeof(bytes));
	return bytes[n / 2] + leaf(n);
}

/* The stack pointer goes back each time round. */
static noinline int variable_length_in_a_loop(int n)
{
	int sum = 0;

	for (int i = 1; i < n; i++) {
		char bytes[i * 24];

		fill(bytes, sizeof(bytes));
		sum += bytes[i] + leaf(i);
	}
	return sum;
}

static noinline int aligned_variable_length(int n)
{
	int aligned[8] __attribute__((aligned(128)));
	char bytes[n];

	fill((char *)aligned, sizeof(aligned));
	fill(bytes, sizeof(bytes));
	return aligned[n & 7] + bytes[0] + leaf(n);
}

static noinline int allocating_in_a_loop(int n)
{
	char *bytes = NULL;

	for (int i = 1; i < n; i++) {
		bytes = alloca((size_t)i * 40);
		fill(bytes, (size_t)i * 40);
	}
	return bytes ? bytes[0] + leaf(n) : 0;
}

/* More than a page: with -fstack-clash-protection the stack pointer goes down by pages. */
static noinline int pages(int n)
{
	char bytes[3 * 4096 + 100];

	fill(bytes, sizeof(bytes));
	return bytes[n] + leaf(n);
}

static noinline int many_pages(int n)
{
	char bytes[9 * 4096];

	fill(bytes, sizeof(bytes));
	return bytes[n] + pages(n);
}

static noinline int pages_by_alloca(int n)
{
	char *bytes = alloca((size_t)n * 1000);

	fill(bytes, (size_t)n * 1000);
	return bytes[n] + leaf(n);
}

static noinline int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h, int i,
				   int j)
{
	return leaf(a + b) + leaf(c + d) + leaf(e + f) + leaf(g + h) + leaf(i) + j;
}

/* Arguments are pushed for one call after another. */
static noinline int pushing_arguments(int n)
{
	return many_arguments(n, 1, 2, 3, 4, 5, 6, n, 8, 9) +
	       many_arguments(1, n, 2, 3, 4, 5, n, 7, 8, leaf(n)) * sink;
}

struct large {
	int values[40];
};

static noinline struct large by_value(struct large large, int n)
{
	large.values[n & 31] = leaf(n);
	return large;
}

static noinline int passing_by_value(int n)
{
	struct large large = { { n } };

	large = by_value(large, n);
	return by_value(large, n + 1).values[3] + leaf(n);
}

static noinline int variadic(int n, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += i & 1 ? (int)va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum + leaf(n);
}

/*
 * Saves registers of the other convention, and vector registers below them. clang 14's CFI is wrong
 * for it: ten instructions late.
 */
#ifdef __clang__
#define other_abi
#else
#define other_abi __attribute__((ms_abi))
#endif
static noinline other_abi int other_convention(int a, int b, int c, int d, int e)
{
	return leaf(a) + leaf(b) + leaf(c + d) + e;
}

static noinline __attribute__((force_align_arg_pointer)) int realigning_for_callers(int n)
{
	return leaf(n) + leaf(n + 1);
}

/* Realigned, and the frame larger than a page. */
static noinline int realigned_pages(int a, int b, int c, int d, int e, int f, int g)
{
	char bytes[5000] __attribute__((aligned(256)));

	fill(bytes, sizeof(bytes));
	return bytes[a] + b + c + d + e + f + leaf(g);
}

static noinline int shrink_wrapped(int n)
{
	if (n == 0)
		return 1;
	int a = leaf(n), b = leaf(a + 1), c = leaf(b + 2);

	return a * b * c + shrink_wrapped(n - 1);
}

/* Cold code goes to .text.unlikely, a part of the function with separate CFI. */
static noinline __attribute__((cold)) int seldom(int n)
{
	return leaf(n) + 1;
}

static noinline int with_cold_part(int n)
{
	char bytes[64];
	int a = leaf(n), b = leaf(n + 1), c = leaf(n + 2);

	fill(bytes, sizeof(bytes));
	if (__builtin_expect(n > 3, 0))
		return seldom(a) + leaf(b) + seldom(c) + bytes[1];
	return a + leaf(b) + c + bytes[0];
}

static noinline int tail_odd(int n);
static noinline int tail_even(int n)
{
	sink += n & 1;
	return n > 0 ? tail_odd(n - 1) : leaf(n);
}

static noinline int tail_odd(int n)
{
	char bytes[32];

	fill(bytes, sizeof(bytes));
	return n > 0 ? tail_even(n - 1) : leaf(n);
}

static int (*volatile tails[])(int) = { tail_even, tail_odd };

static noinline int tail_by_pointer(int n)
{
	int saved = leaf(n) + leaf(n + 1);

	return tails[n & 1](n + (saved & 7));
}

/* Their last instruction is a call, in the cold part too: the return address is another's. */
static noinline _Noreturn __attribute__((cold)) void give_up(int n)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", leaf(n));
	exit(strlen(text) == 0);
}

static noinline int check(int n)
{
	int a = leaf(n), b = leaf(n + 1);

	if (__builtin_expect(n > 100, 0)) {
		leaf(a);
		give_up(b);
	}
	return a + b;
}

static noinline int frames(int n)
{
	return leaf_in_red_zone(n) + variable_length(n * 10) + variable_length_in_a_loop(n) +
	       aligned_variable_length(n * 12) + allocating_in_a_loop(n) + pages(n) +
	       many_pages(n) + pages_by_alloca(n + 3) + pushing_arguments(n) + passing_by_value(n) +
	       variadic(4, n, 2.0, 3, 4.0) + other_convention(n, 2, 3, 4, 5) +
	       realigning_for_callers(n) + realigned_pages(n, 2, 3, 4, 5, 6, 7);
}

int main(void)
{
	int n = frames(3) + frames(5);

	n += shrink_wrapped(4) + with_cold_part(2) + with_cold_part(5) + tail_even(7) +
	     tail_odd(6) + tail_by_pointer(3) + tail_by_pointer(4);
	sink = n;
	check(7);
	return check(sink & 127 ? 107 : 108) + 1;
}
