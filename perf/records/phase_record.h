/*
 * Phase records: from some time on, a phase of the recorded run has a name, or none goes on. They
 * are records of type RECORD_ATTACHMENT (65), like stack records, with a separate magic. Each
 * precedes, in the file, all samples that are later. docs/FORMAT.md shows the layout.
 */
#ifndef PERF_RECORDS_PHASE_RECORD_H
#define PERF_RECORDS_PHASE_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define PHASE_RECORD_MAGIC 0x3153414850444e44ull /* "DNDPHAS1" little endian */
#define PHASE_NAME_MAX     255                   /* bytes, without NUL */

/* On disk; the name follows, without NUL, then zeros up to a multiple of 8. */
struct phase_record_header {
	struct perf_event_header header;
	uint64_t magic;
	uint64_t time_ns;
	uint32_t name_size; /* 0: the phase ends, and none begins */
	uint32_t reserved;
};
static_assert(sizeof(struct phase_record_header) == 32, "on-disk layout");

struct phase_record {
	uint64_t time_ns;
	char name[PHASE_NAME_MAX + 1]; /* "": the phase ends */
};

#define PHASE_RECORD_SIZE_MAX (sizeof(struct phase_record_header) + PHASE_NAME_MAX + 1)

bool phase_record_is_type(const struct perf_event_header *record);
/* false: a size is wrong, or there is a NUL in the name. */
bool phase_record_decode(const struct perf_event_header *record, struct phase_record *ret);
/* The size of the record that is made at @bytes, which are aligned to 8. */
size_t phase_record_encode(const struct phase_record *phase,
			   uint8_t bytes[static PHASE_RECORD_SIZE_MAX]);

#endif
