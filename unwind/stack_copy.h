/* The bytes of a user stack that a sample carries: the only memory that rules may read. */
#ifndef UNWIND_STACK_COPY_H
#define UNWIND_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unwind/unwind_end.h"

/* Farther beyond a full copy than any stack goes on, an address is a wrong unwind and no cut. */
#define STACK_SIZE_MAX (1ull << 32)

struct stack_copy {
	const uint8_t *bytes; /* borrowed */
	uint64_t start;       /* address of the first byte: the sampled stack pointer */
	size_t size;
	bool is_full;
};

/* Reads the 8 bytes at @addr. false: they are not in the copy. */
static inline bool stack_read(const struct stack_copy *stack, uint64_t addr, uint64_t *value_ret)
{
	uint64_t at = addr - stack->start;

	if (at >= stack->size || stack->size - at < sizeof(*value_ret))
		return false;
	memcpy(value_ret, stack->bytes + at, sizeof(*value_ret));
	return true;
}

/* Why stack_read() failed. */
static inline enum unwind_end stack_missing(const struct stack_copy *stack, uint64_t addr)
{
	uint64_t at = addr - stack->start;
	bool goes_on = stack->is_full && at < STACK_SIZE_MAX && at + sizeof(addr) > stack->size;

	return goes_on ? UNWIND_STACK_CUT : UNWIND_BAD_MEMORY;
}

#endif
