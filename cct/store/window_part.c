/* Writes and reads which part of a run's time the samples are of. */
#include <errno.h>

#include "cct/store/profile_parts.h"

void window_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct time_window *window = &profile->info.window;

	byte_buffer_add_unsigned(body, window->from_us);
	byte_buffer_add_unsigned(body, window->to_us == UINT64_MAX ? 0 : window->to_us + 1);
}

int window_part_read(struct dwarf_reader *body, struct profile *profile)
{
	const uint64_t from = dwarf_read_uleb(body), to = dwarf_read_uleb(body);

	profile->info.has_window = true;
	profile->info.window = (struct time_window){ from, to ? to - 1 : UINT64_MAX };
	return body->is_broken ? -EINVAL : 0;
}
