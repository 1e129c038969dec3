/*
 * Messages of Protocol Buffers, written to memory: varints, and fields of types 0 (varint) and 2
 * (length-delimited). Source: "Encoding", the wire format of Protocol Buffers,
 * https://protobuf.dev/programming-guides/encoding/.
 *
 * Fields with the value 0 are not written: proto3 reads a missing field as 0.
 */
#ifndef REPORT_EXPORT_PROTOBUF_H
#define REPORT_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty message. Once memory was lacking, it stays as it was then. */
struct protobuf {
	uint8_t *bytes; /* heap */
	size_t size, n_allocated;
	bool lacks_memory;
};

void protobuf_deinit(struct protobuf *message);
/* An empty message, with the same memory. */
static inline void protobuf_clear(struct protobuf *message)
{
	message->size = 0;
}
/* A number without a field: an element of a packed list. */
void protobuf_number(struct protobuf *message, uint64_t number);
/* Bytes without a field. */
void protobuf_bytes(struct protobuf *message, const void *bytes, size_t size);
void protobuf_field_number(struct protobuf *message, unsigned field, uint64_t number);
/* What a field of @size bytes begins with; the bytes follow. */
void protobuf_field_start(struct protobuf *message, unsigned field, size_t size);
/* Written even if @size is 0. */
void protobuf_field_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t size);
/* A nested message or a packed list. */
void protobuf_field_message(struct protobuf *message, unsigned field,
			    const struct protobuf *nested);

#endif
