/* Puts records together in tests, field by field. */
#ifndef TESTS_UNIT_RECORD_BUILDER_H
#define TESTS_UNIT_RECORD_BUILDER_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	uint8_t *bytes;
	size_t size, n_allocated;
	size_t record; /* where the open record begins */
};

static inline void put_bytes(struct builder *builder, const void *bytes, size_t size)
{
	if (builder->size + size > builder->n_allocated) {
		builder->n_allocated = 2 * (builder->size + size) + 64;
		builder->bytes = realloc(builder->bytes, builder->n_allocated);
		assert(builder->bytes);
	}
	if (size)
		memcpy(builder->bytes + builder->size, bytes, size);
	builder->size += size;
}

static inline void put_u16(struct builder *builder, uint16_t value)
{
	put_bytes(builder, &value, sizeof(value));
}

static inline void put_u32(struct builder *builder, uint32_t value)
{
	put_bytes(builder, &value, sizeof(value));
}

static inline void put_u64(struct builder *builder, uint64_t value)
{
	put_bytes(builder, &value, sizeof(value));
}

static inline void put_pair(struct builder *builder, uint32_t first, uint32_t second)
{
	put_u32(builder, first);
	put_u32(builder, second);
}

static inline void put_zeros(struct builder *builder, size_t n)
{
	static const uint8_t zeros[64];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		put_bytes(builder, zeros, sizeof(zeros));
	put_bytes(builder, zeros, n);
}

/* With its NUL, padded to 8 bytes as the kernel does. */
static inline void put_string(struct builder *builder, const char *string)
{
	size_t size = strlen(string) + 1;

	put_bytes(builder, string, size);
	put_zeros(builder, (8 - size % 8) % 8);
}

static inline void begin_record(struct builder *builder, uint32_t type, uint16_t misc)
{
	builder->record = builder->size;
	put_u32(builder, type);
	put_u16(builder, misc);
	put_u16(builder, 0);
}

static inline void end_record(struct builder *builder)
{
	uint16_t size = (uint16_t)(builder->size - builder->record);

	assert(builder->size - builder->record <= UINT16_MAX);
	memcpy(builder->bytes + builder->record + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
}

/* A copy of the bytes in memory of exactly their size, so that sanitizers see a read beyond. */
static inline struct perf_event_header *exact_copy(const void *bytes, size_t size)
{
	void *copy = malloc(size);

	assert(copy);
	memcpy(copy, bytes, size);
	return copy;
}

#endif
