/* What runs before main, after it, and between a call and its function: for a stepping test. */
#define _GNU_SOURCE
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define noinline __attribute__((noinline))
#else
#define noinline __attribute__((noinline, noclone))
#endif

static volatile int sink;

static noinline int leaf(int n)
{
	return n * sink;
}

static __attribute__((constructor(101))) void construct_first(void)
{
	sink += leaf(1);
}

static __attribute__((constructor)) void construct(void)
{
	sink += leaf(2) + (getenv("PATH") != NULL);
}

static __attribute__((destructor)) void destruct(void)
{
	sink += leaf(3);
}

static void at_exit(void)
{
	sink += leaf(4);
}

#ifdef __GLIBC__
static int by_one(int n)
{
	return leaf(n) + 1;
}

static int by_two(int n)
{
	return leaf(n) + 2;
}

/* Called by the loader, or at the first call, or by a static program's start. */
static int (*resolve_chosen(void))(int)
{
	char local[128];

	memset(local, sink, sizeof(local));
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") && local[3] == 0 ? by_two : by_one;
}
int chosen(int n) __attribute__((ifunc("resolve_chosen")));
#else
static noinline int chosen(int n)
{
	return leaf(n);
}
#endif

static noinline long times(void)
{
	struct timespec now;
	struct timeval day;
	unsigned cpu = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	gettimeofday(&day, NULL);
#ifdef __GLIBC__
	getcpu(&cpu, NULL);
#endif
	return now.tv_nsec + day.tv_usec + time(NULL) + (long)cpu;
}

static int compare(const void *a, const void *b)
{
	return chosen(*(const int *)a) - *(const int *)b;
}

int main(void)
{
	int values[] = { 3, 2, 1 };
	char text[64];

	atexit(at_exit);
	setlocale(LC_ALL, "C");
	sink = chosen(2) + chosen(3) + (int)times();
	qsort(values, 3, sizeof(values[0]), compare);
	snprintf(text, sizeof(text), "%d %g", sink, 1.5);
	puts(text);
	free(strdup(text));
	return strchr(text, '%') != NULL;
}
