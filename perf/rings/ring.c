#include "perf/rings/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* perf_event_header.size is 16 bits wide. */
#define MAX_RECORD_SIZE (1 << 16)
/* What words of a record need. Kernels cut the stack of a 32-bit process off at the end of its
 * address space, which may be no multiple of 8 away: all that follows in the ring is out of step
 * then. */
#define RECORD_ALIGNMENT 8

int ring_map(struct ring *ring, int fd, size_t size)
{
	memset(ring, 0, sizeof(*ring));
	size_t page_size = sysconf(_SC_PAGESIZE);
	if (size < page_size || size & (size - 1))
		return -EINVAL;

	uint8_t *aside = malloc(MAX_RECORD_SIZE);
	if (!aside)
		return -ENOMEM;
	void *page = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		int err = -errno;
		free(aside);
		return err;
	}
	ring->page = page;
	ring->data = (uint8_t *)page + page_size;
	ring->size = size;
	ring->aside = aside;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
	free(ring->aside);
	memset(ring, 0, sizeof(*ring));
}

uint64_t ring_begin(struct ring *ring)
{
	if (!ring->page)
		return 0;
	/* Pairs with the kernel's barrier between writing the records and publishing the head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->tail = ring->page->data_tail; /* only we write it */
	return ring->head - ring->tail;
}

void ring_peek(const struct ring *ring, uint64_t offset, void *bytes, size_t size)
{
	uint64_t position = (ring->tail + offset) & (ring->size - 1);
	uint64_t until_end = ring->size - position;

	if (size <= until_end) {
		memcpy(bytes, ring->data + position, size);
		return;
	}
	memcpy(bytes, ring->data + position, until_end);
	memcpy((uint8_t *)bytes + until_end, ring->data, size - until_end);
}

const struct perf_event_header *ring_look(struct ring *ring)
{
	uint64_t waiting = ring->head - ring->tail;
	struct perf_event_header header;

	if (waiting < sizeof(header) || waiting > ring->size)
		return NULL;
	ring_peek(ring, 0, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > waiting)
		return NULL;

	uint64_t position = ring->tail & (ring->size - 1);
	const void *record = ring->data + position;
	if (position + header.size > ring->size || position % RECORD_ALIGNMENT) {
		ring_peek(ring, 0, ring->aside, header.size);
		record = ring->aside;
	}
	return record;
}

const struct perf_event_header *ring_next(struct ring *ring)
{
	const struct perf_event_header *header = ring_look(ring);

	if (header)
		ring->tail += header->size;
	return header;
}

void ring_end(struct ring *ring)
{
	if (!ring->page)
		return;
	/* Our reads of the records must be done before the kernel may overwrite them. */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
