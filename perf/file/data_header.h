/* The header of a perf.data file in file mode: events and features, before any record. */
#ifndef PERF_FILE_DATA_HEADER_H
#define PERF_FILE_DATA_HEADER_H

#include "perf/file/data_events.h"
#include "perf/file/data_features.h"
#include "perf/file/data_input.h"

/* What every recording begins with. In pipe mode it is all there is. */
struct data_file_start {
	uint64_t magic;
	uint64_t size; /* of the header */
};

/* Checks the magic. */
int data_header_check_start(const struct data_file_start *start, bool *is_pipe_ret, char **error);

/*
 * Reads the header of a seekable file; @input is then set to the data section. Fills @truncation
 * and features->info.is_cut where the recorder did not finish the file.
 */
int data_header_read(struct data_input *input, struct data_events *events,
		     struct data_features *features, char **truncation, char **error);

#endif
