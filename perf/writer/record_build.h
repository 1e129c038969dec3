/*
 * Builds records of the kernel's types (include/uapi/linux/perf_event.h) in a writer's memory,
 *field by field, with the sample_id that the layout of an event has.
 *
 *	struct record_builder builder = { .writer = writer, .attr = attr, .id = id };
 *	int err = record_build_begin(&builder, PERF_RECORD_COMM, 0, 8 + size + 8);
 *
 *	if (err)
 *		return err;
 *	record_build_u32(&builder, pid);
 *	record_build_u32(&builder, tid);
 *	record_build_string(&builder, comm, size);
 *	return record_build_end(&builder, pid, tid);
 */
#ifndef PERF_WRITER_RECORD_BUILD_H
#define PERF_WRITER_RECORD_BUILD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/writer/data_writer.h"

/* The first four are the user's to set; a builder may make one record after the other. */
struct record_builder {
	struct data_writer *writer;         /* borrowed, as is the next */
	const struct perf_event_attr *attr; /* the layout of the sample_id */
	uint64_t id, time_ns;               /* in the sample_id */
	uint8_t *start, *at;
};

/* @size: an upper bound for the record's fields, without header and sample_id. 0 or -errno. */
int record_build_begin(struct record_builder *builder, uint32_t type, uint32_t misc, size_t size);
void record_build_add(struct record_builder *builder, const void *bytes, size_t size);
void record_build_u32(struct record_builder *builder, uint32_t value);
void record_build_u64(struct record_builder *builder, uint64_t value);
/* Ends with 1 to 8 zeros. */
void record_build_string(struct record_builder *builder, const char *text, size_t size);
/* Adds the sample_id, and the record to the writer. 0 or -errno. */
int record_build_end(struct record_builder *builder, int32_t pid, int32_t tid);

#endif
