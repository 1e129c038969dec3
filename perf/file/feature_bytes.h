/* Builds the bytes of a feature section, with numbers and strings as perf encodes them
 * (tools/perf/util/header.c). */
#ifndef PERF_FILE_FEATURE_BYTES_H
#define PERF_FILE_FEATURE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feature_bytes {
	uint8_t *start; /* heap; the caller's to free */
	size_t size, n_allocated;
	bool failed; /* memory was exhausted: the bytes are incomplete */
};

void feature_bytes_add(struct feature_bytes *bytes, const void *more, size_t size);
void feature_bytes_add_u32(struct feature_bytes *bytes, uint32_t value);
void feature_bytes_add_u64(struct feature_bytes *bytes, uint64_t value);
/* The padded size, then the text with zeros up to a multiple of 64. */
void feature_bytes_add_string(struct feature_bytes *bytes, const char *text);

#endif
