#include "perf/records/stack_record.h"

#include <string.h>

#include "perf/records/attachment.h"
#include "perf/records/record_cursor.h"

static_assert(sizeof(struct perf_event_header) + sizeof(struct stack_record_header) +
			      STACK_RECORD_WORDS_MAX * sizeof(uint64_t) + STACK_RECORD_PART_MAX <=
		      (UINT16_MAX & ~7),
	      "a record's size has 16 bits");

static size_t round_up_8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static bool is_sound(const struct stack_record_header *header)
{
	return header->n_words <= STACK_RECORD_WORDS_MAX && header->size <= STACK_RECORD_SIZE_MAX &&
	       header->offset <= header->size &&
	       header->part_size <= header->size - header->offset &&
	       header->start <= UINT64_MAX - header->size;
}

bool stack_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, STACK_RECORD_MAGIC);
}

bool stack_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret)
{
	const struct stack_record_header *header = (const void *)(record + 1);

	if (record->size < sizeof(*record) + sizeof(*header))
		return false;
	*time_ns_ret = header->time_ns;
	return true;
}

bool stack_record_decode(const struct perf_event_header *record, struct stack_record *ret)
{
	struct record_cursor cursor = { .at = (const uint8_t *)(record + 1),
					.end = (const uint8_t *)record + record->size };

	if (!stack_record_is_type(record))
		return false;
	if (!cursor_copy(&cursor, &ret->header, sizeof(ret->header)))
		return false;
	if (!is_sound(&ret->header))
		return false;
	ret->words = cursor_words(&cursor, ret->header.n_words);
	ret->bytes = ret->words ? cursor_bytes(&cursor, ret->header.part_size) : NULL;
	return ret->bytes;
}

size_t stack_record_size(size_t n_words, size_t part_size)
{
	return sizeof(struct perf_event_header) + sizeof(struct stack_record_header) +
	       n_words * sizeof(uint64_t) + round_up_8(part_size);
}

void stack_record_encode(const struct stack_record_header *header, const uint64_t *words,
			 const void *bytes, struct perf_event_header *to)
{
	size_t size = stack_record_size(header->n_words, header->part_size);
	uint8_t *at = (uint8_t *)(to + 1);
	struct stack_record_header filled = *header;

	*to = (struct perf_event_header){ .type = RECORD_ATTACHMENT, .size = (uint16_t)size };
	filled.magic = STACK_RECORD_MAGIC;
	memcpy(at, &filled, sizeof(filled));
	at += sizeof(filled);
	if (header->n_words)
		memcpy(at, words, header->n_words * sizeof(*words));
	at += header->n_words * sizeof(*words);
	if (header->part_size)
		memcpy(at, bytes, header->part_size);
	memset(at + header->part_size, 0, round_up_8(header->part_size) - header->part_size);
}
