/* Counter values inside records: PERF_SAMPLE_READ of samples, and all of PERF_RECORD_READ. */
#ifndef PERF_RECORDS_READ_VALUES_H
#define PERF_RECORDS_READ_VALUES_H

#include "perf/records/record_cursor.h"
#include "perf/records/record_fields.h"

struct read_values {
	uint64_t time_enabled, time_running;
	const uint64_t *values; /* by read_format */
	size_t n_values;
};

struct read_value {
	uint64_t value, id, lost; /* id and lost are 0 where read_format has none */
};

/* false: the values lead beyond the record. */
bool read_values_take(struct record_cursor *cursor, uint64_t read_format, struct read_values *ret);
/* Value @index of a sample; zeros if it has fewer. */
void read_values_of_sample(const struct sample_record *sample, uint64_t read_format, size_t index,
			   struct read_value *value_ret);
/* Where the id of value @index is, which is there; @read_format has ids. */
const uint64_t *read_values_id_of_sample(const struct sample_record *sample, uint64_t read_format,
					 size_t index);

#endif
