/* Writes and reads when a machine was watched all the time, and what that took. */
#include <errno.h>

#include "cct/store/profile_parts.h"

#define SPAN_SIZE_MIN 2 /* bytes: a distance, a duration */

void watched_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct watched_time *watched = &profile->info.watched;
	uint64_t last_ns = 0;

	byte_buffer_add_unsigned(body, watched->own_cpu_ns);
	byte_buffer_add_unsigned(body, watched->own_memory);
	byte_buffer_add_unsigned(body, watched->n);
	for (size_t i = 0; i < watched->n; i++) {
		const struct time_span *span = &watched->spans[i];

		byte_buffer_add_unsigned(body, span->start_ns - last_ns);
		byte_buffer_add_unsigned(body, span->end_ns - span->start_ns);
		last_ns = span->end_ns;
	}
	if (watched->slow_ns)
		byte_buffer_add_unsigned(body, watched->slow_ns);
}

static int read_span(struct dwarf_reader *body, struct watched_time *watched)
{
	const uint64_t last_ns = watched->n ? watched->spans[watched->n - 1].end_ns : 0;
	const uint64_t distance = dwarf_read_uleb(body), duration = dwarf_read_uleb(body);
	struct time_span span;

	if (body->is_broken || !duration || (watched->n && !distance) ||
	    __builtin_add_overflow(last_ns, distance, &span.start_ns) ||
	    __builtin_add_overflow(span.start_ns, duration, &span.end_ns))
		return -EINVAL;
	return watched_time_add(watched, &span);
}

int watched_part_read(struct dwarf_reader *body, struct profile *profile)
{
	struct watched_time *watched = &profile->info.watched;

	watched->own_cpu_ns = dwarf_read_uleb(body);
	watched->own_memory = dwarf_read_uleb(body);
	int64_t n = part_read_count(body, SPAN_SIZE_MIN);
	int err = n <= 0 || n > WATCHED_TIMES_MAX ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_span(body, watched);
	if (!err && dwarf_left(body))
		watched->slow_ns = dwarf_read_uleb(body);
	return !err && body->is_broken ? -EINVAL : err;
}
