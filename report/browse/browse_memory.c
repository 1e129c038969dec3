#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/system/huge_pages.h"
#include "report/browse/browse.h"

/* What the first filter and the first pages take, measured with 1 000 000 nodes: 107. */
#define BYTES_PER_NODE 112
#define STEP_SIZE      ((size_t)2 << 20)

struct browse_memory {
	pthread_t thread;
	char *begin, *end;
	atomic_bool is_ending;
};

/* Without separate mappings, large arrays are reused; without a threshold, the rest is, too. */
void browse_keep_memory(void)
{
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/*
 * The kernel gives pages to addresses that malloc() may have handed out since then, or not yet;
 * what is in them stays. Before Linux 5.14 it refuses.
 */
static void *fetch(void *data)
{
	struct browse_memory *memory = data;

	for (char *step = memory->begin; step < memory->end && !memory->is_ending;
	     step += STEP_SIZE) {
		const size_t left = (size_t)(memory->end - step);

		if (madvise(step, left < STEP_SIZE ? left : STEP_SIZE, MADV_POPULATE_WRITE))
			break;
	}
	return NULL;
}

/* Signals are for the thread that reads keys. */
static int start(struct browse_memory *memory)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int err = pthread_create(&memory->thread, NULL, fetch, memory);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

/* The end of the heap, as memory that is freed stays there. */
static void reserve(struct browse_memory *memory, size_t size)
{
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	char *heap = malloc(size);
	const size_t before = -(uintptr_t)heap & (page_size - 1);

	if (!heap || before >= size)
		return;
	huge_pages_allow(heap, size);
	memory->begin = heap + before;
	memory->end = memory->begin + ((size - before) & ~(page_size - 1));
	free(heap);
}

void browse_fetch_memory(struct browse *browse)
{
	const size_t n_nodes = browse->all->cct->n_nodes;

	if (n_nodes < BROWSE_LARGE || browse->memory)
		return;
	browse->memory = calloc(1, sizeof(*browse->memory));
	if (!browse->memory)
		return;
	reserve(browse->memory, n_nodes * BYTES_PER_NODE);
	if (start(browse->memory)) {
		free(browse->memory);
		browse->memory = NULL;
	}
}

void browse_end_memory(struct browse *browse)
{
	if (!browse->memory)
		return;
	browse->memory->is_ending = true;
	pthread_join(browse->memory->thread, NULL);
	free(browse->memory);
	browse->memory = NULL;
}
