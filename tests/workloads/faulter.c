/*
 * Page faults whose number is known, in contexts that take equal times: per unit of work dense()
 * touches three new pages, sparse() one, none() none. argv: rounds (default 3), threads
 * (default 1). Each thread and round: 1200, 400, 0 faults.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "work.h"

#define UNITS       400
#define MAX_THREADS 16
#define PAGE        4096

static int n_rounds = 3;

static FUNCTION void touch_and_work(unsigned faults_per_unit)
{
	size_t size = (size_t)PAGE * (UNITS * faults_per_unit + 1);
	volatile char *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (unsigned i = 0, page = 0; i < UNITS; i++) {
		for (unsigned n = 0; n < faults_per_unit; n++)
			memory[(size_t)PAGE * page++] = 1;
		unit();
	}
	munmap((void *)memory, size);
}

static FUNCTION void dense(void)
{
	touch_and_work(3);
	KEEP_FRAME();
}

static FUNCTION void sparse(void)
{
	touch_and_work(1);
	KEEP_FRAME();
}

static FUNCTION void none(void)
{
	touch_and_work(0);
	KEEP_FRAME();
}

static void *run(void *arg)
{
	for (int i = 0; i < n_rounds; i++) {
		dense();
		sparse();
		none();
	}
	return arg;
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t threads[MAX_THREADS];

	n_rounds = argc > 1 ? atoi(argv[1]) : n_rounds;
	if (n_threads <= 1) {
		run(NULL);
		return 0;
	}
	n_threads = n_threads < MAX_THREADS ? n_threads : MAX_THREADS;
	for (int i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
