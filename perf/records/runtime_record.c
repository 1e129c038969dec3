#include "perf/records/runtime_record.h"

#include <string.h>

#include "perf/records/attachment.h"
#include "perf/records/record_cursor.h"

#define WORD 8u

bool runtime_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, RUNTIME_RECORD_MAGIC);
}

bool runtime_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret)
{
	const struct runtime_record_header *header = (const void *)(record + 1);

	if (record->size < sizeof(*record) + sizeof(*header))
		return false;
	*time_ns_ret = header->time_ns;
	return true;
}

static bool has_sound_frame(const struct runtime_record_header *header)
{
	if (header->kind != RUNTIME_COMPILED)
		return header->frame_size == 0;
	return header->frame_size % WORD == 0 && header->frame_size >= 2 * WORD &&
	       header->frame_size <= RUNTIME_FRAME_SIZE_MAX;
}

static uint32_t name_max(uint32_t kind)
{
	return kind == RUNTIME_INLINED ? RUNTIME_NAMES_MAX : RUNTIME_NAME_MAX;
}

static bool is_sound(const struct runtime_record_header *header)
{
	return header->kind >= RUNTIME_COMPILED && header->kind <= RUNTIME_INLINED &&
	       header->size && header->size <= RUNTIME_CODE_SIZE_MAX &&
	       header->start <= UINT64_MAX - header->size && has_sound_frame(header) &&
	       header->name_size && header->name_size <= name_max(header->kind);
}

bool runtime_record_decode(const struct perf_event_header *record, struct runtime_record *ret)
{
	struct record_cursor cursor = { .at = (const uint8_t *)(record + 1),
					.end = (const uint8_t *)record + record->size };

	if (!runtime_record_is_type(record) ||
	    !cursor_copy(&cursor, &ret->header, sizeof(ret->header)) || !is_sound(&ret->header))
		return false;
	ret->name = (const char *)cursor_bytes(&cursor, ret->header.name_size);
	return ret->name;
}

void runtime_record_encode(const struct runtime_record *record, struct perf_event_header *to)
{
	struct runtime_record_header header = record->header;
	const size_t padded = (header.name_size + WORD - 1) / WORD * WORD;
	uint8_t *name = (uint8_t *)(to + 1) + sizeof(header);

	*to = (struct perf_event_header){
		.type = RECORD_ATTACHMENT,
		.size = (uint16_t)(sizeof(*to) + sizeof(header) + padded),
	};
	header.magic = RUNTIME_RECORD_MAGIC;
	memcpy(to + 1, &header, sizeof(header));
	memset(name, 0, padded);
	memcpy(name, record->name, header.name_size);
}
