/* The inside of a struct data_file, for perf/data_*.c. */
#ifndef PERF_FILE_DATA_FILE_PRIVATE_H
#define PERF_FILE_DATA_FILE_PRIVATE_H

#include "perf/file/attachments_in.h"
#include "perf/file/data_blocks.h"
#include "perf/file/data_events.h"
#include "perf/file/data_features.h"
#include "perf/file/data_inflate.h"
#include "perf/file/data_input.h"
#include "perf/file/data_stream.h"

struct data_file {
	struct data_input input;
	struct block_pool pool;
	struct data_inflate inflate;
	struct data_stream plain;    /* the file's own records */
	struct data_stream expanded; /* what its compressed records hold */
	struct data_events events;
	struct data_features features;
	struct attachments_in attachments;
	char *error, *truncation;
	/* data_file_open() reads up to the first record it can't take in, to know all events. */
	struct raw_record first;
	bool has_first;
	int end; /* what data_file_next() returns from now on, once @has_ended */
	bool has_ended;
};

#endif
