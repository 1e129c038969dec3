/* A mapping of a process that is recorded, as an MMAP2 record or /proc/PID/maps describes it. */
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
	/* "... (deleted)" where the kernel adds that; "" or "//anon" for anonymous memory. Valid
	 * as long as what it was made from. */
	const char *path;
	uint32_t dev_major, dev_minor;
	uint64_t inode;           /* 0: unknown, or none */
	struct build_id build_id; /* size 0: unknown */
	bool is_code;             /* executable */
	uint64_t time_ns;         /* 0: it was there before the recording */
};

/* false: the record is not an MMAP2, or its end is beyond all addresses. */
bool observed_mapping_from_record(const struct record *record, struct observed_mapping *ret);

/* Executable memory without a file, where code made at run time may be. The kernel's own pages
 * ([vdso], [vsyscall], [uprobes]) do not count. */
bool observed_mapping_is_anonymous_code(const struct observed_mapping *mapping);

#endif
