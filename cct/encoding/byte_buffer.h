/*
 * Bytes that are written to memory, to become part of a file: blocks, numbers of variable length
 * and texts. Numbers are in LEB128 (DWARF 5, section 7.6), which is what Protocol Buffers call
 * varints; cct/object/dwarf_reader.h reads them.
 *
 * Bytes that are alike, as those of a column, may be told as a piece: sections compress each by
 * itself.
 */
#ifndef CCT_ENCODING_BYTE_BUFFER_H
#define CCT_ENCODING_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty buffer. Once memory was lacking, it stays as it was then. */
struct byte_buffer {
	uint8_t *bytes; /* heap */
	size_t size, n_allocated;
	bool lacks_memory;
	size_t *ends; /* heap: of the pieces, but for the last one */
	size_t n_ends, n_ends_allocated;
};

void byte_buffer_deinit(struct byte_buffer *buffer);
/* An empty buffer, with the same memory. */
static inline void byte_buffer_clear(struct byte_buffer *buffer)
{
	buffer->size = 0;
	buffer->n_ends = 0;
}
/* What comes next is of another kind than what came before, which is a piece unless it is small. */
void byte_buffer_end_piece(struct byte_buffer *buffer);
void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t size);
void byte_buffer_add_unsigned(struct byte_buffer *buffer, uint64_t number);
void byte_buffer_add_signed(struct byte_buffer *buffer, int64_t number);
/* 0 for NULL; else the length plus 1, and the text without its zero. */
void byte_buffer_add_text(struct byte_buffer *buffer, const char *text);

#endif
