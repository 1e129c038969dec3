/* What can be read of a recording that a failed write has ended early. */
#ifndef COLLECTOR_RECORD_KEPT_PART_H
#define COLLECTOR_RECORD_KEPT_PART_H

#include <stdint.h>

struct kept_part {
	uint64_t n_samples;
	uint64_t duration_ns; /* from the first to the last of them */
};

/*
 * Reads the whole file, which nobody writes any more. A file that ends before its first record has
 * no samples. 0; -EINVAL: it is not a regular file; -errno.
 */
int kept_part_read(const char *path, struct kept_part *ret);

#endif
