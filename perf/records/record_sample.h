/* The inside of PERF_RECORD_SAMPLE, and the counter values that PERF_RECORD_READ shares with it. */
#ifndef PERF_RECORDS_RECORD_SAMPLE_H
#define PERF_RECORDS_RECORD_SAMPLE_H

#include "perf/records/record.h"
#include "perf/records/record_cursor.h"

/* Fills @ret->sample and the fields of @ret that the sample carries. */
enum record_error record_decode_sample(const struct record_layout *layout,
				       struct record_cursor *cursor, struct record *ret);

struct read_values {
	uint64_t time_enabled, time_running;
	const uint64_t *values;
	size_t n_values;
};
/* false: the values lead beyond the record. */
bool record_take_read(struct record_cursor *cursor, uint64_t read_format, struct read_values *ret);

#endif
