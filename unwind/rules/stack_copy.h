/*
 * The bytes of a user stack in a sample, and the memory that was proved to follow them: rules may
 * read only these.
 */
#ifndef UNWIND_RULES_STACK_COPY_H
#define UNWIND_RULES_STACK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unwind/rules/stack_memory.h"
#include "unwind/rules/unwind_end.h"

/* No stack is larger. An address so far beyond a full copy is wrong, and not a cut stack. */
#define STACK_SIZE_MAX (1ull << 32)

struct stack_copy {
	const uint8_t *bytes; /* borrowed */
	uint64_t start;       /* address of the first byte: the sampled stack pointer */
	size_t size;
	bool is_full;
	uint64_t mapping_end; /* of the mapping in which the copy was cut, at a page that was not in
				 memory; 0: it was not cut so */
	bool is_left;         /* the frames are on another stack, whose memory is not known */
	bool is_32_bit;       /* words have 4 bytes, not 8, and addresses wrap at 2^32 */
	const struct stack_memory *rest; /* of this stack; NULL: not known, or not proved yet */
};

static inline unsigned stack_word_size(const struct stack_copy *stack)
{
	return stack->is_32_bit ? 4 : 8;
}

/* A sum or difference of addresses, as the processor computes it. */
static inline uint64_t stack_address(const struct stack_copy *stack, uint64_t sum)
{
	return stack->is_32_bit ? (uint32_t)sum : sum;
}

/* @size bytes at @addr. NULL: they are not known. */
static inline const uint8_t *stack_find(const struct stack_copy *stack, uint64_t addr, size_t size)
{
	uint64_t at = addr - stack->start;

	if (at < stack->size && stack->size - at >= size)
		return stack->bytes + at;
	/* Below the copy the stack is not in use. */
	if (!stack->rest || at >= STACK_SIZE_MAX)
		return NULL;
	return stack_memory_find(stack->rest, addr, size);
}

/* stack_read() for callers that know the size of the stack's words. */
static inline bool stack_read_word(const struct stack_copy *stack, uint64_t addr, unsigned word,
				   uint64_t *value_ret)
{
	const uint8_t *bytes = stack_find(stack, addr, word);
	uint32_t narrow;

	if (!bytes)
		return false;
	if (word == sizeof(*value_ret)) {
		memcpy(value_ret, bytes, sizeof(*value_ret));
		return true;
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	*value_ret = narrow;
	return true;
}

/* Reads the word at @addr. false: it is not in the copy. */
static inline bool stack_read(const struct stack_copy *stack, uint64_t addr, uint64_t *value_ret)
{
	return stack_read_word(stack, addr, stack_word_size(stack), value_ret);
}

/* Why stack_read() failed. */
static inline enum unwind_end stack_missing(const struct stack_copy *stack, uint64_t addr)
{
	uint64_t at = addr - stack->start;

	if (stack->is_left)
		return UNWIND_OTHER_STACK;
	if (at >= stack->size && addr < stack->mapping_end)
		return UNWIND_STACK_HOLE;
	bool goes_on =
		stack->is_full && at < STACK_SIZE_MAX && at + stack_word_size(stack) > stack->size;

	return goes_on ? UNWIND_STACK_CUT : UNWIND_BAD_MEMORY;
}

#endif
