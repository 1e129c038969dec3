#include "perf/records/memory_record.h"

#include <string.h>

#include "perf/records/attachment.h"
#include "perf/records/record_cursor.h"

#define WORD 8u

bool memory_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, MEMORY_RECORD_MAGIC);
}

/* Equal times keep the order of the file, in which the sample comes first. */
bool memory_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret)
{
	const struct memory_record_header *header = (const void *)(record + 1);

	if (record->size < sizeof(*record) + sizeof(*header))
		return false;
	*time_ns_ret = header->time_ns ? header->time_ns - 1 : 0;
	return true;
}

bool memory_record_decode(const struct perf_event_header *record, struct memory_record *ret)
{
	struct record_cursor cursor = { .at = (const uint8_t *)(record + 1),
					.end = (const uint8_t *)record + record->size };

	if (!memory_record_is_type(record) ||
	    !cursor_copy(&cursor, &ret->header, sizeof(ret->header)) ||
	    ret->header.n_parts > MEMORY_PARTS_MAX || ret->header.outcome >= N_MEMORY_OUTCOMES)
		return false;
	ret->parts = (const void *)cursor_bytes(&cursor,
						ret->header.n_parts * sizeof(struct memory_part));
	if (!ret->parts)
		return false;
	ret->n_bytes = 0;
	for (uint32_t i = 0; i < ret->header.n_parts; i++) {
		if (ret->parts[i].size > MEMORY_BYTES_MAX - ret->n_bytes)
			return false;
		ret->n_bytes += ret->parts[i].size;
	}
	ret->bytes = cursor_bytes(&cursor, ret->n_bytes);
	return ret->bytes;
}

void memory_record_encode(const struct memory_record *record, struct perf_event_header *to)
{
	struct memory_record_header header = record->header;
	const size_t size_of_parts = header.n_parts * sizeof(struct memory_part);
	const size_t padded = (record->n_bytes + WORD - 1) / WORD * WORD;
	uint8_t *at = (uint8_t *)(to + 1);

	*to = (struct perf_event_header){
		.type = RECORD_ATTACHMENT,
		.size = (uint16_t)(sizeof(*to) + sizeof(header) + size_of_parts + padded),
	};
	header.magic = MEMORY_RECORD_MAGIC;
	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	if (!header.n_parts)
		return;
	memcpy(at, record->parts, size_of_parts);
	at += size_of_parts;
	memset(at, 0, padded);
	memcpy(at, record->bytes, record->n_bytes);
}

const uint8_t *memory_record_find(const struct memory_record *record, uint64_t addr, size_t size,
				  bool *is_at_sample_ret)
{
	const uint8_t *bytes = record->bytes;

	for (uint32_t i = 0; i < record->header.n_parts; i++) {
		const struct memory_part *part = &record->parts[i];
		const uint64_t at = addr - part->addr;

		if (at <= part->size && size <= part->size - at) {
			*is_at_sample_ret = part->is_at_sample;
			return bytes + at;
		}
		bytes += part->size;
	}
	return NULL;
}

bool memory_record_is_at_sample(const struct memory_record *record)
{
	for (uint32_t i = 0; i < record->header.n_parts; i++)
		if (!record->parts[i].is_at_sample)
			return false;
	return record->header.n_parts;
}

const char *memory_outcome_text(enum memory_outcome outcome)
{
	static const char *const texts[N_MEMORY_OUTCOMES] = {
		[MEMORY_GONE] = "the process had ended",
		[MEMORY_UNMAPPED] = "nothing is mapped there",
		[MEMORY_FORBIDDEN] = "no permission to read the process",
		[MEMORY_TOO_MUCH] = "more than 64 parts or 4096 bytes",
		[MEMORY_TOO_LATE] = "not in time",
	};

	return texts[outcome];
}
