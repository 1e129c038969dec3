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
/*
 * A record that names a file's build ID (tools/perf/util/event.h, struct
 * perf_record_header_build_id), for HEADER_BUILD_ID and, in pipe mode, for the stream.
 * @cpu_mode: PERF_RECORD_MISC_KERNEL or _USER. @size: at most 20 bytes. Longer paths than PATH_MAX
 * are cut.
 */
void feature_bytes_add_build_id(struct feature_bytes *bytes, uint16_t cpu_mode, const uint8_t *id,
				size_t size, const char *path);
/* The padded size, then the text with zeros up to a multiple of 64. */
void feature_bytes_add_string(struct feature_bytes *bytes, const char *text);

#endif
