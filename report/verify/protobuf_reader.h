/*
 * Reads messages of Protocol Buffers of which nothing is known to be right. Source: as in
 * report/pprof/protobuf.h.
 */
#ifndef REPORT_VERIFY_PROTOBUF_READER_H
#define REPORT_VERIFY_PROTOBUF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message, a text or a packed list: borrowed bytes. */
struct protobuf_slice {
	const uint8_t *bytes;
	size_t size;
};

struct protobuf_field {
	uint64_t number;
	bool has_slice; /* of type 2; otherwise a number */
	struct protobuf_slice slice;
	uint64_t value;
};

/* The field at *@at of the message; *@at is moved past it. 0: there is none; 1; -EINVAL: the
 * bytes are malformed. */
int protobuf_read(const struct protobuf_slice *message, size_t *at, struct protobuf_field *ret);

struct protobuf_numbers {
	uint64_t *all; /* heap */
	size_t n, n_allocated;
};

/* The elements of a repeated number, packed or not, in place of those in the list. 0, -EINVAL, or
 * -ENOMEM. */
int protobuf_read_numbers(const struct protobuf_slice *message, uint64_t field,
			  struct protobuf_numbers *numbers);
/* Sorts the numbers. Whether one is there twice. */
bool protobuf_numbers_repeat(struct protobuf_numbers *numbers);
/* The last value of a field, 0 by default; of a malformed message, what precedes the damage. */
uint64_t protobuf_read_number(const struct protobuf_slice *message, uint64_t field);
/* The last slice of a field; empty by default. */
struct protobuf_slice protobuf_read_slice(const struct protobuf_slice *message, uint64_t field);
/* Whether nothing but zeros is set. */
bool protobuf_is_zero(const struct protobuf_slice *message);

#endif
