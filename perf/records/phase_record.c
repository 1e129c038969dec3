#include "perf/records/phase_record.h"

#include <string.h>

#include "perf/records/attachment.h"

bool phase_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, PHASE_RECORD_MAGIC);
}

bool phase_record_decode(const struct perf_event_header *record, struct phase_record *ret)
{
	struct phase_record_header header;

	if (!phase_record_is_type(record) || record->size < sizeof(header))
		return false;
	memcpy(&header, record, sizeof(header));
	const char *name = (const char *)record + sizeof(header);
	if (header.name_size > PHASE_NAME_MAX || header.name_size > record->size - sizeof(header) ||
	    memchr(name, '\0', header.name_size))
		return false;
	ret->time_ns = header.time_ns;
	memcpy(ret->name, name, header.name_size);
	ret->name[header.name_size] = '\0';
	return true;
}

size_t phase_record_encode(const struct phase_record *phase,
			   uint8_t bytes[static PHASE_RECORD_SIZE_MAX])
{
	const size_t name_size = strnlen(phase->name, PHASE_NAME_MAX);
	const size_t size = (sizeof(struct phase_record_header) + name_size + 7) / 8 * 8;
	const struct phase_record_header header = {
		.header = { .type = RECORD_ATTACHMENT, .size = (uint16_t)size },
		.magic = PHASE_RECORD_MAGIC,
		.time_ns = phase->time_ns,
		.name_size = (uint32_t)name_size,
	};

	memset(bytes, 0, size);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), phase->name, name_size);
	return size;
}
