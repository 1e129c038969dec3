/* Calls of every kind, each a few instructions: what a single-stepping test walks through. */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __clang__
#define noinline __attribute__((noinline))
#else
#define noinline __attribute__((noinline, noclone))
#endif

static volatile int sink;
static volatile sig_atomic_t handled, n_signals;

static noinline int recurse(int n)
{
	int below = n > 0 ? recurse(n - 1) : 0;

	return below * 3 + sink;
}

static noinline int leaf(int a)
{
	return a * sink;
}

/* Six callee-saved registers and a frame on the stack. */
static noinline int many_registers(int a, int b, int c, int d, int e, int f)
{
	int g = leaf(a), h = leaf(b), i = leaf(c), j = leaf(d), k = leaf(e), l = leaf(f);
	int m = leaf(g + h), n = leaf(i + j), o = leaf(k + l);

	return a + b * c + d * e + f + g + h * i + j * k + l + m * n + o;
}

static noinline int with_alloca(int n)
{
	char *bytes = alloca((size_t)n);

	memset(bytes, n, (size_t)n);
	return leaf(bytes[n / 2]) + leaf(bytes[n - 1]);
}

static noinline void fill(int *values, int n)
{
	for (int i = 0; i < n; i++)
		values[i] = leaf(i);
}

/* The stack is realigned to 64 bytes; with arguments on the stack a DRAP register is needed. */
static noinline int realigned(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int values[16] __attribute__((aligned(64)));

	fill(values, 16);
	return values[a & 15] + b + c + d + e + f + g + leaf(h);
}

static noinline int realigned_with_alloca(int n, int b, int c, int d, int e, int f, int g)
{
	int values[16] __attribute__((aligned(64)));
	char *bytes = alloca((size_t)n);

	fill(values, 16);
	memset(bytes, n, (size_t)n);
	return values[n & 15] + bytes[b & 7] + leaf(c + d + e + f + g);
}

static noinline int tail_target(int n)
{
	return n > 100 ? n : leaf(n) + leaf(n + 1);
}

static noinline int tail_call(int n)
{
	sink += n;
	return tail_target(n + sink);
}

static noinline int by_pointer(int (*function)(int), int n)
{
	return function(n) + function(n + 1);
}

static noinline int big_frame(int n)
{
	char bytes[5000];

	memset(bytes, n, 16);
	sink += bytes[3];
	return leaf(bytes[n & 15]) + leaf(n);
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return leaf(x) == 0 ? (x > y) - (x < y) : 0;
}

static noinline int sort(void)
{
	int values[] = { 5, 3, 9, 1, 7 };

	qsort(values, sizeof(values) / sizeof(values[0]), sizeof(values[0]), compare);
	return values[0];
}

static void on_signal(int number)
{
	n_signals++;
	handled += recurse(number & 3);
}

/* The handler interrupts a function at whatever it does: raise() is a system call in a loop. */
static noinline int interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	return raise(SIGUSR1) + handled;
}

/*
 * The vdso begins again when the kernel has updated the time meanwhile. Where signals are handled
 * every few steps it always has: there a clock is read in few instructions.
 */
static noinline long what_time(void)
{
	struct timespec now;

	clock_gettime(n_signals > 1 ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC, &now);
	return now.tv_nsec;
}

static noinline _Noreturn void finish(int status)
{
	exit(status);
}

int main(void)
{
	char text[64];
	int n = recurse(6) + many_registers(1, 2, 3, 4, 5, 6) + with_alloca(40) +
		realigned(1, 2, 3, 4, 5, 6, 7, 8) + realigned_with_alloca(24, 2, 3, 4, 5, 6, 7) +
		tail_call(3) + by_pointer(tail_call, 2) + big_frame(4) + sort() + interrupted();

	sink = (int)what_time();
	snprintf(text, sizeof(text), "%d", n);
	free(malloc((size_t)n & 63));
	finish(strlen(text) == 0);
}
