/* What stack records a recording in memory holds. */
#ifndef TESTS_UNIT_RECORDED_STACKS_H
#define TESTS_UNIT_RECORDED_STACKS_H

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "collector/record/stacks/stack_output.h"
#include "perf/file/data_file.h"

/* A recording with one event, which user code and stacks are sampled with. */
struct recording {
	int fd;
	struct perf_event_attr attr;
	struct stack_output output;
};

static inline void recording_begin(struct recording *recording)
{
	static uint64_t ids[] = { 21 };
	struct data_writer_options options = { .compression_level = 1 };

	*recording = (struct recording){
		.fd = memfd_create("recording", MFD_CLOEXEC),
		.attr = { .type = PERF_TYPE_SOFTWARE,
			  .size = PERF_ATTR_SIZE_VER7,
			  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					 PERF_SAMPLE_TIME | PERF_SAMPLE_STACK_USER,
			  .use_clockid = 1,
			  .clockid = CLOCK_MONOTONIC,
			  .sample_stack_user = 65528 },
	};
	const struct data_writer_event event = { &recording->attr, "cpu-clock", ids, 1 };

	assert_int_equal(data_writer_create(recording->fd, &options, &event, 1, NULL, 0,
					    &recording->output.writer),
			 0);
}

/* Ends the recording; up to @max headers, of the first part of each. */
static inline size_t recording_end(struct recording *recording, struct stack_record_header *headers,
				   size_t max)
{
	struct data_file *file;
	struct stack_record record;
	struct raw_record raw;
	char path[32], *error = NULL;
	size_t n = 0;

	assert_int_equal(data_writer_finish(recording->output.writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", recording->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1) {
		if (stack_record_decode(raw.header, &record) && !record.header.offset && n < max)
			headers[n++] = record.header;
		data_block_unref(raw.block);
	}
	data_file_close(file);
	data_writer_destroy(recording->output.writer);
	close(recording->fd);
	return n;
}

#endif
