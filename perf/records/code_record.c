#include "perf/records/code_record.h"

#include <string.h>

#include "perf/records/attachment.h"
#include "perf/records/record_cursor.h"

bool code_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, CODE_RECORD_MAGIC);
}

static bool is_sound(const struct code_record_header *header)
{
	return (header->size == 0 || header->size == CODE_PAGE_SIZE) &&
	       header->addr % CODE_PAGE_SIZE == 0 && header->begin_ns <= header->end_ns;
}

bool code_record_decode(const struct perf_event_header *record, struct code_record *ret)
{
	struct record_cursor cursor = { .at = (const uint8_t *)(record + 1),
					.end = (const uint8_t *)record + record->size };

	if (!code_record_is_type(record))
		return false;
	if (!cursor_copy(&cursor, &ret->header, sizeof(ret->header)))
		return false;
	if (!is_sound(&ret->header))
		return false;
	ret->bytes = cursor_bytes(&cursor, ret->header.size);
	return ret->bytes;
}

void code_record_encode(const struct code_record_header *header, struct perf_event_header *to)
{
	struct code_record_header filled = *header;

	*to = (struct perf_event_header){
		.type = RECORD_ATTACHMENT,
		.size = (uint16_t)(sizeof(*to) + sizeof(filled) + header->size),
	};
	filled.magic = CODE_RECORD_MAGIC;
	memcpy(to + 1, &filled, sizeof(filled));
}
