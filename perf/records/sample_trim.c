#include "perf/records/sample_trim.h"

#include <string.h>

static size_t round_up_8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void sample_trim_init(struct sample_trim *trim, const struct record_layout *layout,
		      const struct perf_event_header *header)
{
	const uint8_t *start = (const uint8_t *)header;
	struct record record;

	*trim = (struct sample_trim){
		.header = header,
		.misc = header->misc,
		.size = header->size,
	};
	if (!(layout->sample_type & PERF_SAMPLE_STACK_USER) ||
	    record_decode(layout, header, &record) != RECORD_OK)
		return;
	const struct sample_record *sample = &record.sample;
	if (!sample->has_user_stack || !sample->user_stack_space)
		return;

	/* size, the bytes, dyn_size (include/uapi/linux/perf_event.h); the last only where
	 * size is not 0. */
	size_t used = round_up_8(sample->user_stack_size);
	trim->before_size = (size_t)(sample->user_stack - start) - sizeof(uint64_t);
	trim->stack = sample->user_stack;
	trim->valid_size = sample->user_stack_size;
	trim->after = sample->user_stack + sample->user_stack_space + sizeof(uint64_t);
	trim->after_size = (size_t)(start + header->size - trim->after);
	trim->size = trim->before_size + sizeof(uint64_t) + used + trim->after_size +
		     (used ? sizeof(uint64_t) : 0);
}

bool sample_trim_leave_stack_out(struct sample_trim *trim)
{
	if (!trim->stack || !trim->valid_size)
		return false;
	trim->valid_size = 0;
	trim->size = trim->before_size + sizeof(uint64_t) + trim->after_size;
	trim->misc |= RECORD_MISC_STACK_LEFT_OUT;
	return true;
}

void sample_trim_copy(const struct sample_trim *trim, void *to)
{
	uint8_t *at = to;

	if (!trim->stack) {
		memcpy(to, trim->header, trim->size);
		return;
	}
	uint64_t valid = trim->valid_size, used = round_up_8(valid);
	memcpy(at, trim->header, trim->before_size);
	at += trim->before_size;
	memcpy(at, &used, sizeof(used));
	at += sizeof(used);
	if (used) {
		memcpy(at, trim->stack, valid);
		memset(at + valid, 0, used - valid);
		memcpy(at + used, &valid, sizeof(valid));
		at += used + sizeof(valid);
	}
	memcpy(at, trim->after, trim->after_size);
	struct perf_event_header *header = to;
	header->size = (uint16_t)trim->size;
	header->misc = trim->misc;
}
