#include "perf/writer/record_build.h"

#include <string.h>

#define SAMPLE_ID_MAX 48

int record_build_begin(struct record_builder *builder, uint32_t type, uint32_t misc, size_t size)
{
	const struct perf_event_header header = { .type = type, .misc = (uint16_t)misc };
	void *room;

	size += sizeof(header) + SAMPLE_ID_MAX;
	int err = data_writer_reserve(builder->writer, (size + 7) & ~(size_t)7, &room);
	if (err)
		return err;
	builder->start = builder->at = room;
	record_build_add(builder, &header, sizeof(header));
	return 0;
}

void record_build_add(struct record_builder *builder, const void *bytes, size_t size)
{
	memcpy(builder->at, bytes, size);
	builder->at += size;
}

void record_build_u32(struct record_builder *builder, uint32_t value)
{
	record_build_add(builder, &value, sizeof(value));
}

void record_build_u64(struct record_builder *builder, uint64_t value)
{
	record_build_add(builder, &value, sizeof(value));
}

void record_build_string(struct record_builder *builder, const char *text, size_t size)
{
	size_t padded = (size + 1 + 7) & ~(size_t)7;

	memset(builder->at, 0, padded);
	memcpy(builder->at, text, size);
	builder->at += padded;
}

static void add_sample_id(struct record_builder *builder, int32_t pid, int32_t tid)
{
	const uint64_t type = builder->attr->sample_type;

	if (!builder->attr->sample_id_all)
		return;
	if (type & PERF_SAMPLE_TID) {
		record_build_u32(builder, (uint32_t)pid);
		record_build_u32(builder, (uint32_t)tid);
	}
	if (type & PERF_SAMPLE_TIME)
		record_build_u64(builder, builder->time_ns);
	if (type & PERF_SAMPLE_ID)
		record_build_u64(builder, builder->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		record_build_u64(builder, builder->id);
	if (type & PERF_SAMPLE_CPU)
		record_build_u64(builder, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		record_build_u64(builder, builder->id);
}

int record_build_end(struct record_builder *builder, int32_t pid, int32_t tid)
{
	struct perf_event_header *header = (struct perf_event_header *)builder->start;

	add_sample_id(builder, pid, tid);
	header->size = (uint16_t)(builder->at - builder->start);
	return data_writer_commit(builder->writer);
}
