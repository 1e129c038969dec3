#include "report/verify/protobuf_reader.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define TYPE_BITS  3
#define NUMBER_MAX 10 /* bytes */
enum { TYPE_VARINT = 0, TYPE_FIXED64 = 1, TYPE_DELIMITED = 2, TYPE_FIXED32 = 5 };

static bool read_varint(const struct protobuf_slice *slice, size_t *at, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < NUMBER_MAX && *at < slice->size; i++) {
		const uint8_t byte = slice->bytes[(*at)++];

		number |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			*ret = number;
			return true;
		}
	}
	return false;
}

static bool read_fixed(const struct protobuf_slice *slice, size_t *at, size_t size, uint64_t *ret)
{
	uint64_t number = 0;

	if (size > slice->size - *at)
		return false;
	memcpy(&number, slice->bytes + *at, size);
	*at += size;
	*ret = le64toh(number);
	return true;
}

static bool read_delimited(const struct protobuf_slice *slice, size_t *at,
			   struct protobuf_slice *ret)
{
	uint64_t size;

	if (!read_varint(slice, at, &size) || size > slice->size - *at)
		return false;
	*ret = (struct protobuf_slice){ slice->bytes + *at, (size_t)size };
	*at += (size_t)size;
	return true;
}

static bool read_value(const struct protobuf_slice *message, size_t *at, unsigned type,
		       struct protobuf_field *ret)
{
	switch (type) {
	case TYPE_VARINT:
		return read_varint(message, at, &ret->value);
	case TYPE_FIXED64:
		return read_fixed(message, at, sizeof(uint64_t), &ret->value);
	case TYPE_FIXED32:
		return read_fixed(message, at, sizeof(uint32_t), &ret->value);
	case TYPE_DELIMITED:
		ret->has_slice = true;
		return read_delimited(message, at, &ret->slice);
	default:
		return false;
	}
}

int protobuf_read(const struct protobuf_slice *message, size_t *at, struct protobuf_field *ret)
{
	uint64_t key;

	*ret = (struct protobuf_field){ 0 };
	if (*at == message->size)
		return 0;
	if (!read_varint(message, at, &key))
		return -EINVAL;
	ret->number = key >> TYPE_BITS;
	if (!ret->number || !read_value(message, at, key & ((1 << TYPE_BITS) - 1), ret))
		return -EINVAL;
	return 1;
}

static int add_number(struct protobuf_numbers *numbers, uint64_t number)
{
	if (array_reserve(numbers->all, numbers->n, numbers->n_allocated, 1))
		return -ENOMEM;
	numbers->all[numbers->n++] = number;
	return 0;
}

static int add_packed(struct protobuf_numbers *numbers, const struct protobuf_slice *list)
{
	uint64_t number;
	size_t at = 0;
	int err = 0;

	while (!err && at < list->size)
		err = read_varint(list, &at, &number) ? add_number(numbers, number) : -EINVAL;
	return err;
}

int protobuf_read_numbers(const struct protobuf_slice *message, uint64_t field,
			  struct protobuf_numbers *numbers)
{
	struct protobuf_field found;
	size_t at = 0;
	int got, err = 0;

	numbers->n = 0;
	while (!err && (got = protobuf_read(message, &at, &found))) {
		if (got < 0)
			return got;
		if (found.number == field)
			err = found.has_slice ? add_packed(numbers, &found.slice)
					      : add_number(numbers, found.value);
	}
	return err;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

bool protobuf_numbers_repeat(struct protobuf_numbers *numbers)
{
	if (numbers->n)
		qsort(numbers->all, numbers->n, sizeof(*numbers->all), compare_numbers);
	for (size_t i = 1; i < numbers->n; i++) {
		if (numbers->all[i] == numbers->all[i - 1])
			return true;
	}
	return false;
}

static struct protobuf_field last(const struct protobuf_slice *message, uint64_t field)
{
	struct protobuf_field found, ret = { 0 };
	size_t at = 0;

	while (protobuf_read(message, &at, &found) > 0) {
		if (found.number == field)
			ret = found;
	}
	return ret;
}

uint64_t protobuf_read_number(const struct protobuf_slice *message, uint64_t field)
{
	return last(message, field).value;
}

struct protobuf_slice protobuf_read_slice(const struct protobuf_slice *message, uint64_t field)
{
	return last(message, field).slice;
}

static bool are_zeros(const struct protobuf_slice *slice)
{
	for (size_t i = 0; i < slice->size; i++) {
		if (slice->bytes[i])
			return false;
	}
	return true;
}

bool protobuf_is_zero(const struct protobuf_slice *message)
{
	struct protobuf_field field;
	size_t at = 0;
	int got;

	while ((got = protobuf_read(message, &at, &field)) > 0) {
		if (field.value || !are_zeros(&field.slice))
			return false;
	}
	return !got;
}
