/*
 * Window records: from when to when samples were taken. Written where time off the CPU is recorded,
 * for a thread that sleeps has no records of its own that would tell.
 *
 * Records of type RECORD_ATTACHMENT (65), like stack records, with a magic of their own and a time;
 * their place among the other records is by it. Without a begin, samples began with the first
 * record: with the exec of the command. docs/FORMAT.md shows the layout.
 */
#ifndef PERF_RECORDS_WINDOW_RECORD_H
#define PERF_RECORDS_WINDOW_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define WINDOW_RECORD_MAGIC 0x3157444e57444e44ull /* "DNDWNDW1" little endian */

enum window_record_kind {
	WINDOW_RECORD_BEGIN = 1,
	WINDOW_RECORD_END = 2,
};

/* On disk, whole. */
struct window_record {
	struct perf_event_header header;
	uint64_t magic;
	uint32_t kind;
	uint32_t reserved;
	uint64_t time_ns;
};
static_assert(sizeof(struct window_record) == 32, "on-disk layout");

bool window_record_is_type(const struct perf_event_header *record);
/* false: too short, or of a kind that is not known. */
bool window_record_decode(const struct perf_event_header *record, struct window_record *ret);
void window_record_init(struct window_record *record, enum window_record_kind kind,
			uint64_t time_ns);

#endif
