/*
 * One mapped ring of perf records: the kernel writes at data_head, we read up to it and hand space
 * back through data_tail. Barriers follow include/uapi/linux/perf_event.h: load-acquire of head,
 * store-release of tail.
 */
#ifndef PERF_RINGS_RING_H
#define PERF_RINGS_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/clock.h"

/* Records of one ring may be this much out of order: an interrupt may write other records between
 * the moment of a record's time and the write of that record. */
#define RING_DISORDER_NS NSEC_PER_MSEC

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped, so it is empty */
	uint8_t *data;
	uint64_t size;       /* bytes of data, a power of two */
	uint64_t head, tail; /* of this peek */
	uint8_t *aside;      /* for copies of records that can't be read in place; 64 KiB */
};

/* @size: bytes of data, a power of two of at least a page. 0 or -errno (-EPERM: mlock limit). */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* Starts a read: fixes head. Returns the number of bytes that wait. */
uint64_t ring_begin(struct ring *ring);
/* Copies @size bytes from @offset bytes after the tail. */
void ring_peek(const struct ring *ring, uint64_t offset, void *bytes, size_t size);
/* The record at the tail, in one piece and aligned, until the next call; NULL: none before head, or
 * garbage (then ring->tail != ring->head). */
const struct perf_event_header *ring_look(struct ring *ring);
/* The same, and moves the tail to its end. */
const struct perf_event_header *ring_next(struct ring *ring);
/* Gives the space of the records that were read back to the kernel. */
void ring_end(struct ring *ring);

#endif
