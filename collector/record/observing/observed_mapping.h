/* A mapping of a recorded process, as an MMAP2 record or /proc/PID/maps describes it. */
#ifndef COLLECTOR_RECORD_OBSERVING_OBSERVED_MAPPING_H
#define COLLECTOR_RECORD_OBSERVING_OBSERVED_MAPPING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cct/model/module.h"
#include "perf/records/record.h"

struct observed_mapping {
	pid_t pid;
	uint64_t start, end;
	uint64_t offset; /* of @start in the file */
	/* Ends with " (deleted)" where the kernel adds that; "" or "//anon" for anonymous memory.
	 * Borrowed from the record or the line. */
	const char *path;
	uint32_t dev_major, dev_minor;
	uint64_t inode;           /* 0: unknown, or not a file */
	struct build_id build_id; /* size 0: unknown */
	bool is_code;             /* executable */
	uint64_t time_ns;         /* 0: it existed before the recording */
};

/* false: the record is not an MMAP2, or its end is greater than any address. */
bool observed_mapping_from_record(const struct record *record, struct observed_mapping *ret);

/* Whether it is executable memory without a file, which may contain JIT code. The kernel's own
 * pages ([vdso], [vsyscall], [uprobes]) do not count. */
bool observed_mapping_is_anonymous_code(const struct observed_mapping *mapping);

#endif
