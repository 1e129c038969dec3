#include "perf/file/feature_bytes.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cct/base/array.h"
#include "perf/records/record_fields.h"

#define MISC_BUILD_ID_SIZE (1 << 15) /* the record contains the size of the build ID */
#define BUILD_ID_SIZE      20

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

void feature_bytes_add_build_id(struct feature_bytes *bytes, uint16_t cpu_mode, const uint8_t *id,
				size_t size, const char *path)
{
	static const char zeros[8];
	uint8_t padded_id[BUILD_ID_SIZE + 4] = { 0 };
	size_t path_size = strnlen(path, PATH_MAX - 1);
	size_t padding = sizeof(zeros) - path_size % sizeof(zeros);
	struct perf_event_header header = { .type = RECORD_BUILD_ID,
					    .misc = cpu_mode | MISC_BUILD_ID_SIZE };

	size = size < BUILD_ID_SIZE ? size : BUILD_ID_SIZE;
	memcpy(padded_id, id, size);
	padded_id[BUILD_ID_SIZE] = (uint8_t)size;
	header.size = (uint16_t)(sizeof(header) + sizeof(uint32_t) + sizeof(padded_id) + path_size +
				 padding);
	feature_bytes_add(bytes, &header, sizeof(header));
	feature_bytes_add_u32(bytes, UINT32_MAX); /* pid -1: of this machine, no guest */
	feature_bytes_add(bytes, padded_id, sizeof(padded_id));
	feature_bytes_add(bytes, path, path_size);
	feature_bytes_add(bytes, zeros, padding);
}
