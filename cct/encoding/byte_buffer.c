#include "cct/encoding/byte_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define NUMBER_SIZE_MAX 10 /* bytes of the largest number */
#define PIECE_SIZE_MIN  512

void byte_buffer_deinit(struct byte_buffer *buffer)
{
	free(buffer->bytes);
	free(buffer->ends);
	*buffer = (struct byte_buffer){ 0 };
}

static bool has_room(struct byte_buffer *buffer, size_t size)
{
	if (array_reserve(buffer->bytes, buffer->size, buffer->n_allocated, size))
		buffer->lacks_memory = true;
	return !buffer->lacks_memory;
}

void byte_buffer_end_piece(struct byte_buffer *buffer)
{
	const size_t last = buffer->n_ends ? buffer->ends[buffer->n_ends - 1] : 0;

	if (buffer->size - last < PIECE_SIZE_MIN)
		return;
	if (array_reserve(buffer->ends, buffer->n_ends, buffer->n_ends_allocated, 1))
		buffer->lacks_memory = true;
	else
		buffer->ends[buffer->n_ends++] = buffer->size;
}

void byte_buffer_add(struct byte_buffer *buffer, const void *bytes, size_t size)
{
	if (!size || !has_room(buffer, size))
		return;
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

void byte_buffer_add_unsigned(struct byte_buffer *buffer, uint64_t number)
{
	if (!has_room(buffer, NUMBER_SIZE_MAX))
		return;
	for (; number >= 0x80; number >>= 7)
		buffer->bytes[buffer->size++] = (uint8_t)(number | 0x80);
	buffer->bytes[buffer->size++] = (uint8_t)number;
}

void byte_buffer_add_signed(struct byte_buffer *buffer, int64_t number)
{
	if (!has_room(buffer, NUMBER_SIZE_MAX))
		return;
	/* Until the rest is the sign, which is bit 6 of the last byte as well. */
	for (; number < -0x40 || number > 0x3f; number >>= 7)
		buffer->bytes[buffer->size++] = (uint8_t)(number | 0x80);
	buffer->bytes[buffer->size++] = (uint8_t)(number & 0x7f);
}

void byte_buffer_add_text(struct byte_buffer *buffer, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	byte_buffer_add_unsigned(buffer, text ? (uint64_t)size + 1 : 0);
	byte_buffer_add(buffer, text, size);
}
