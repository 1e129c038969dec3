/*
 * Window records: the begin and the end of sampling, and of the time in which a CPU was not
 * recorded, and which samples were read from threads that waited at the begin. Begin and end of all
 * are written where time off the CPU is recorded, because a sleeping thread has no records that
 * would show when sampling began and ended.
 *
 * They are records of type RECORD_ATTACHMENT (65), like stack records, with a separate magic and a
 * time that sorts them among the other records. Without a begin, sampling began with the first
 * record, the exec of the command. docs/FORMAT.md shows the layout.
 */
#ifndef PERF_RECORDS_WINDOW_RECORD_H
#define PERF_RECORDS_WINDOW_RECORD_H

#include <assert.h>

#include "perf/records/record.h"

#define WINDOW_RECORD_MAGIC 0x3157444e57444e44ull /* "DNDWNDW1" little endian */

enum window_record_kind {
	WINDOW_RECORD_BEGIN = 1,
	WINDOW_RECORD_END = 2,
	WINDOW_RECORD_CPU_LOST = 3, /* a CPU went offline: it is not recorded from now on */
	WINDOW_RECORD_CPU_BACK = 4, /* it is recorded again */
	/* The next sample, of the same time and of that thread, is not of a switch: it was read
	 * from the thread, which has waited since before the begin. */
	WINDOW_RECORD_WAITING = 5,
	/* The file has only the last part of a recording, which begins then: older samples were not
	 * kept. */
	WINDOW_RECORD_LAST_PART = 6,
};

/* On disk, whole. */
struct window_record {
	struct perf_event_header header;
	uint64_t magic;
	uint32_t kind;
	uint32_t cpu; /* CPU_LOST, CPU_BACK; WAITING: the tid; else 0 */
	uint64_t time_ns;
};
static_assert(sizeof(struct window_record) == 32, "on-disk layout");

bool window_record_is_type(const struct perf_event_header *record);
/* The time alone. false: the record is too small. */
bool window_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret);
/* false: too short, or of an unknown kind. */
bool window_record_decode(const struct perf_event_header *record, struct window_record *ret);
void window_record_init(struct window_record *record, enum window_record_kind kind,
			uint64_t time_ns);

#endif
