/*
 * Checks the records of a perf.data file, of which nothing is believed: sizes, IDs, the order that
 * perf relies on, and the contexts of callchains.
 */
#ifndef COLLECTOR_EXCHANGE_PERF_RECORDS_CHECK_H
#define COLLECTOR_EXCHANGE_PERF_RECORDS_CHECK_H

#include "perf/records/record.h"
#include "report/verify/verification.h"

struct checked_id {
	uint64_t id;
	size_t event;
};

/* All zero has no events. */
struct perf_records_check {
	struct verification *verification;
	struct record_layout *layouts; /* by event */
	size_t n_events;
	struct checked_id *ids; /* sorted, once records other than attrs come */
	size_t n_ids, n_ids_allocated;
	bool is_sorted;
	uint64_t newest_ns;  /* of all records so far */
	uint64_t round_ns;   /* of those before the last FINISHED_ROUND */
	uint64_t flushed_ns; /* of those before the one before: what is older comes too late */
};

void perf_records_check_deinit(struct perf_records_check *check);
/* Notes the next event: its attr of @size bytes, which need not be aligned. @where: for messages.
 */
bool perf_records_check_event(struct perf_records_check *check, const uint8_t *attr, size_t size,
			      uint64_t where);
/* Notes IDs of the last event; @size: bytes. */
bool perf_records_check_ids(struct perf_records_check *check, const uint8_t *ids, size_t size,
			    uint64_t where);
/* @record: @size bytes, its whole size, aligned to 8, which is at offset @where. Not those of
 * pipes' headers. */
bool perf_records_check_record(struct perf_records_check *check,
			       const struct perf_event_header *record, uint64_t where);

#endif
