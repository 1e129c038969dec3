#include "perf/file/feature_bytes.h"

#include <string.h>

#include "cct/base/array.h"

void feature_bytes_add(struct feature_bytes *bytes, const void *more, size_t size)
{
	if (bytes->failed || !size)
		return;
	if (array_reserve(bytes->start, bytes->size, bytes->n_allocated, size)) {
		bytes->failed = true;
		return;
	}
	memcpy(bytes->start + bytes->size, more, size);
	bytes->size += size;
}

void feature_bytes_add_u32(struct feature_bytes *bytes, uint32_t value)
{
	feature_bytes_add(bytes, &value, sizeof(value));
}

void feature_bytes_add_u64(struct feature_bytes *bytes, uint64_t value)
{
	feature_bytes_add(bytes, &value, sizeof(value));
}

void feature_bytes_add_string(struct feature_bytes *bytes, const char *text)
{
	static const char zeros[64];
	size_t size = strlen(text) + 1;
	size_t padded = (size + sizeof(zeros) - 1) & ~(sizeof(zeros) - 1);

	feature_bytes_add_u32(bytes, (uint32_t)padded);
	feature_bytes_add(bytes, text, size);
	feature_bytes_add(bytes, zeros, padded - size);
}
