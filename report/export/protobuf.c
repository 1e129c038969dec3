#include "report/export/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define VARINT_MAX     10 /* bytes of the largest number */
#define TYPE_VARINT    0
#define TYPE_DELIMITED 2
#define TYPE_BITS      3

void protobuf_deinit(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){ 0 };
}

static bool has_room(struct protobuf *message, size_t size)
{
	if (array_reserve(message->bytes, message->size, message->n_allocated, size))
		message->lacks_memory = true;
	return !message->lacks_memory;
}

void protobuf_number(struct protobuf *message, uint64_t number)
{
	if (!has_room(message, VARINT_MAX))
		return;
	for (; number >= 0x80; number >>= 7)
		message->bytes[message->size++] = (uint8_t)(number | 0x80);
	message->bytes[message->size++] = (uint8_t)number;
}

void protobuf_bytes(struct protobuf *message, const void *bytes, size_t size)
{
	if (!size || !has_room(message, size))
		return;
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void protobuf_field_number(struct protobuf *message, unsigned field, uint64_t number)
{
	if (!number)
		return;
	protobuf_number(message, field << TYPE_BITS | TYPE_VARINT);
	protobuf_number(message, number);
}

void protobuf_field_start(struct protobuf *message, unsigned field, size_t size)
{
	protobuf_number(message, field << TYPE_BITS | TYPE_DELIMITED);
	protobuf_number(message, size);
}

void protobuf_field_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t size)
{
	protobuf_field_start(message, field, size);
	protobuf_bytes(message, bytes, size);
}

void protobuf_field_message(struct protobuf *message, unsigned field, const struct protobuf *nested)
{
	message->lacks_memory |= nested->lacks_memory;
	protobuf_field_bytes(message, field, nested->bytes, nested->size);
}
