/* The header of a perf.data file, version 2, as it is written: tools/perf/util/header.h. */
#ifndef PERF_WRITER_FILE_LAYOUT_H
#define PERF_WRITER_FILE_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#define FILE_MAGIC      0x32454c4946524550ull /* "PERFILE2" */
#define HEADER_BUILD_ID 2
#define N_FEATURE_BITS  256

struct file_section {
	uint64_t offset, size;
};

/* tools/perf/util/header.h, struct perf_file_header */
struct file_header {
	uint64_t magic, size, attr_size;
	struct file_section attrs, data, event_types;
	uint64_t features[N_FEATURE_BITS / 64];
};
static_assert(sizeof(struct file_header) == 104, "on-disk layout");

#endif
