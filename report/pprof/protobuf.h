/*
 * Messages of Protocol Buffers, written to byte buffers: fields of types 0 (varint), 1 (64
 * bits) and 2 (length-delimited). A number without a field is an element of a packed list. Source:
 * "Encoding", the wire format of Protocol Buffers,
 * https://protobuf.dev/programming-guides/encoding/.
 *
 * Fields with the value 0 are not written: proto3 reads a missing field as 0.
 */
#ifndef REPORT_PPROF_PROTOBUF_H
#define REPORT_PPROF_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "cct/encoding/byte_buffer.h"

void protobuf_field_number(struct byte_buffer *message, unsigned field, uint64_t number);
/* Written even if @number is 0: one of several fields of which a message has one. */
void protobuf_field_choice(struct byte_buffer *message, unsigned field, uint64_t number);
/* A number of 64 bits, in type 1. */
void protobuf_field_fixed(struct byte_buffer *message, unsigned field, uint64_t number);
/* An element of a packed list of such. */
void protobuf_add_fixed(struct byte_buffer *list, uint64_t number);
/* What a field of @size bytes begins with; the bytes follow. */
void protobuf_field_start(struct byte_buffer *message, unsigned field, size_t size);
/* Written even if @size is 0. */
void protobuf_field_bytes(struct byte_buffer *message, unsigned field, const void *bytes,
			  size_t size);
/* A nested message or a packed list. */
void protobuf_field_message(struct byte_buffer *message, unsigned field,
			    const struct byte_buffer *nested);

#endif
