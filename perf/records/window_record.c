#include "perf/records/window_record.h"

#include <string.h>

#include "perf/records/attachment.h"

bool window_record_is_type(const struct perf_event_header *record)
{
	return attachment_has_magic(record, WINDOW_RECORD_MAGIC);
}

bool window_record_peek_time(const struct perf_event_header *record, uint64_t *time_ns_ret)
{
	const struct window_record *window = (const void *)record;

	if (record->size < sizeof(*window))
		return false;
	*time_ns_ret = window->time_ns;
	return true;
}

bool window_record_decode(const struct perf_event_header *record, struct window_record *ret)
{
	if (!window_record_is_type(record) || record->size < sizeof(*ret))
		return false;
	memcpy(ret, record, sizeof(*ret));
	return ret->kind >= WINDOW_RECORD_BEGIN && ret->kind <= WINDOW_RECORD_LAST_PART;
}

void window_record_init(struct window_record *record, enum window_record_kind kind,
			uint64_t time_ns)
{
	*record = (struct window_record){
		.header = { .type = RECORD_ATTACHMENT, .size = sizeof(*record) },
		.magic = WINDOW_RECORD_MAGIC,
		.kind = kind,
		.time_ns = time_ns,
	};
}
