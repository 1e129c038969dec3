/* Made-up recordings of two events in tests, record by record, in memory. */
#ifndef TESTS_UNIT_MADE_UP_RECORDING_H
#define TESTS_UNIT_MADE_UP_RECORDING_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/writer/data_writer.h"
#include "tests/unit/record_builder.h"

#define PID 50

enum { CYCLES_ID = 11, INSTRUCTIONS_ID = 12 };

struct recording {
	int fd;
	struct data_writer *writer;
	struct builder records;
	uint64_t time_ns;
};

static const uint64_t recording_ids[] = { CYCLES_ID, INSTRUCTIONS_ID };

/* cycles, and instructions read with them */
static inline struct recording *recording_create_as(bool is_pipe, bool reads_group, bool inherit)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			       (reads_group ? PERF_SAMPLE_READ : 0),
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = inherit,
		.sample_id_all = 1,
	};
	struct perf_event_attr member = attr;
	struct data_writer_options options = { .is_pipe = is_pipe };

	member.config = PERF_COUNT_HW_INSTRUCTIONS;
	const struct data_writer_event events[] = { { &attr, "cycles", &recording_ids[0], 1 },
						    { &member, "instructions", &recording_ids[1],
						      1 } };
	assert_non_null(recording);
	recording->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(
		data_writer_create(recording->fd, &options, events, 2, NULL, 0, &recording->writer),
		0);
	return recording;
}

static inline struct recording *recording_create(bool reads_group, bool inherit)
{
	return recording_create_as(false, reads_group, inherit);
}

static inline void put_head(struct recording *recording, uint64_t id, uint64_t ip, int32_t tid)
{
	struct builder *b = &recording->records;

	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(b, id);
	put_u64(b, ip);
	put_pair(b, PID, (uint32_t)tid);
	put_u64(b, ++recording->time_ns);
}

/* A sample of cycles in @ip that tells what both events have counted. */
static inline void put_group(struct recording *recording, uint64_t ip, int32_t tid, uint64_t cycles,
			     uint64_t instructions)
{
	struct builder *b = &recording->records;

	put_head(recording, CYCLES_ID, ip, tid);
	put_u64(b, 1000); /* the period */
	put_u64(b, 2);
	put_u64(b, 0);
	put_u64(b, 0);
	put_u64(b, cycles);
	put_u64(b, CYCLES_ID);
	put_u64(b, instructions);
	put_u64(b, INSTRUCTIONS_ID);
	end_record(b);
}

static inline void put_sample(struct recording *recording, uint64_t id, uint64_t ip,
			      uint64_t period)
{
	put_head(recording, id, ip, PID);
	put_u64(&recording->records, period);
	end_record(&recording->records);
}

/* A thread of the process begins. */
static inline void put_fork(struct recording *recording, int32_t tid)
{
	struct builder *b = &recording->records;

	begin_record(b, PERF_RECORD_FORK, 0);
	put_pair(b, PID, PID);
	put_pair(b, (uint32_t)tid, PID);
	put_u64(b, ++recording->time_ns);
	put_pair(b, PID, (uint32_t)tid); /* sample_id: TID, TIME, IDENTIFIER */
	put_u64(b, recording->time_ns);
	put_u64(b, CYCLES_ID);
	end_record(b);
}

/* The file is whole from then on; @path_ret: until recording_destroy(). */
static inline void recording_finish(struct recording *recording, const char *counts,
				    char path_ret[static 64])
{
	assert_int_equal(data_writer_append(recording->writer, recording->records.bytes,
					    recording->records.size),
			 0);
	if (counts)
		assert_int_equal(data_writer_attach(recording->writer, ATTACHMENT_COUNTS, "",
						    counts, strlen(counts)),
				 0);
	assert_int_equal(data_writer_finish(recording->writer), 0);
	snprintf(path_ret, 64, "/proc/self/fd/%d", recording->fd);
}

static inline void recording_destroy(struct recording *recording)
{
	data_writer_destroy(recording->writer);
	close(recording->fd);
	free(recording->records.bytes);
	free(recording);
}

#endif
