/*
 * What formats of other programs must not lose: direct and mutual recursion, inlined functions, a
 * part in the kernel, page faults, waits, and a second process whose name is hostile. Is built with
 * debug information.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/workloads/work.h"

#define N_PAGES   64
#define PAGE_SIZE 4096

static volatile unsigned depth_of_rounds = 6;

static inline __attribute__((always_inline)) void inlined_leaf(unsigned n)
{
	units(n);
}

static inline __attribute__((always_inline)) void inlined_middle(unsigned n)
{
	inlined_leaf(n);
	unit();
}

FUNCTION void direct(unsigned depth)
{
	inlined_middle(1);
	if (depth)
		direct(depth - 1);
	KEEP_FRAME();
}

FUNCTION void odd(unsigned depth);

FUNCTION void even(unsigned depth)
{
	unit();
	if (depth)
		odd(depth - 1);
	KEEP_FRAME();
}

FUNCTION void odd(unsigned depth)
{
	inlined_leaf(2);
	if (depth)
		even(depth - 1);
	KEEP_FRAME();
}

/* Renamed by objcopy where a test needs a hostile name. */
FUNCTION void hot(unsigned n)
{
	units(n);
}

FUNCTION void touch_pages(void)
{
	char *pages = mmap(NULL, N_PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	for (unsigned i = 0; i < N_PAGES; i++)
		((volatile char *)pages)[i * PAGE_SIZE] = 1;
	munmap(pages, N_PAGES * PAGE_SIZE);
}

FUNCTION void wait_shortly(void)
{
	usleep(2000);
	KEEP_FRAME();
}

FUNCTION void run(struct rounds *rounds)
{
	unsigned n;

	while ((n = rounds_next(rounds))) {
		direct(depth_of_rounds);
		even(depth_of_rounds);
		hot(n);
		touch_pages();
		wait_shortly();
	}
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	pid_t child = fork();

	if (!child)
		prctl(PR_SET_NAME, "e\"\\\033;\xff\xe2\x80\xae</x");
	run(&rounds);
	if (child > 0)
		waitpid(child, NULL, 0);
	return 0;
}
