/* The fields of PERF_RECORD_SAMPLE. */
#ifndef PERF_RECORDS_RECORD_SAMPLE_H
#define PERF_RECORDS_RECORD_SAMPLE_H

#include "perf/records/record_cursor.h"
#include "perf/records/record_fields.h"

/* Fills @ret->sample and the fields of @ret that the sample carries. */
enum record_error record_decode_sample(const struct record_layout *layout,
				       struct record_cursor *cursor, struct record *ret);

#endif
