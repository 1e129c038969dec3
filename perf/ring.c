#include "perf/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* perf_event_header.size is 16 bits wide. */
#define MAX_RECORD_SIZE (1 << 16)
/* The kernel writes records in units of 8 bytes, so a header never crosses the ring's end. */
#define RECORD_ALIGNMENT 8

int ring_map(struct ring *ring, int fd, size_t size)
{
	memset(ring, 0, sizeof(*ring));
	size_t page_size = sysconf(_SC_PAGESIZE);
	if (size < page_size || size & (size - 1))
		return -EINVAL;

	uint8_t *wrapped = malloc(MAX_RECORD_SIZE);
	if (!wrapped)
		return -ENOMEM;
	void *page = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		int err = -errno;
		free(wrapped);
		return err;
	}
	ring->page = page;
	ring->data = (uint8_t *)page + page_size;
	ring->size = size;
	ring->wrapped = wrapped;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
	free(ring->wrapped);
	memset(ring, 0, sizeof(*ring));
}

uint64_t ring_begin(struct ring *ring)
{
	/* Pairs with the kernel's barrier between writing the records and publishing the head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->tail = ring->page->data_tail; /* only we write it */
	return ring->head - ring->tail;
}

static const void *unwrap(struct ring *ring, uint64_t position, size_t size)
{
	size_t until_end = ring->size - position;
	memcpy(ring->wrapped, ring->data + position, until_end);
	memcpy(ring->wrapped + until_end, ring->data, size - until_end);
	return ring->wrapped;
}

const struct perf_event_header *ring_next(struct ring *ring)
{
	uint64_t waiting = ring->head - ring->tail;
	if (waiting < sizeof(struct perf_event_header) || waiting > ring->size ||
	    ring->tail % RECORD_ALIGNMENT)
		return NULL;

	uint64_t position = ring->tail & (ring->size - 1);
	const struct perf_event_header *header = (const void *)(ring->data + position);
	size_t size = header->size;
	if (size < sizeof(*header) || size > waiting || size % RECORD_ALIGNMENT)
		return NULL;
	if (position + size > ring->size)
		header = unwrap(ring, position, size);
	ring->tail += size;
	return header;
}

void ring_end(struct ring *ring)
{
	/* Our reads of the records must be done before the kernel may overwrite them. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
