#include "report/pprof/protobuf.h"

#include <endian.h>

#define TYPE_VARINT    0
#define TYPE_FIXED     1
#define TYPE_DELIMITED 2
#define TYPE_BITS      3

void protobuf_field_number(struct byte_buffer *message, unsigned field, uint64_t number)
{
	if (number)
		protobuf_field_choice(message, field, number);
}

void protobuf_field_choice(struct byte_buffer *message, unsigned field, uint64_t number)
{
	byte_buffer_add_unsigned(message, field << TYPE_BITS | TYPE_VARINT);
	byte_buffer_add_unsigned(message, number);
}

void protobuf_add_fixed(struct byte_buffer *list, uint64_t number)
{
	const uint64_t little = htole64(number);

	byte_buffer_add(list, &little, sizeof(little));
}

void protobuf_field_fixed(struct byte_buffer *message, unsigned field, uint64_t number)
{
	if (!number)
		return;
	byte_buffer_add_unsigned(message, field << TYPE_BITS | TYPE_FIXED);
	protobuf_add_fixed(message, number);
}

void protobuf_field_start(struct byte_buffer *message, unsigned field, size_t size)
{
	byte_buffer_add_unsigned(message, field << TYPE_BITS | TYPE_DELIMITED);
	byte_buffer_add_unsigned(message, size);
}

void protobuf_field_bytes(struct byte_buffer *message, unsigned field, const void *bytes,
			  size_t size)
{
	protobuf_field_start(message, field, size);
	byte_buffer_add(message, bytes, size);
}

void protobuf_field_message(struct byte_buffer *message, unsigned field,
			    const struct byte_buffer *nested)
{
	message->lacks_memory |= nested->lacks_memory;
	protobuf_field_bytes(message, field, nested->bytes, nested->size);
}
