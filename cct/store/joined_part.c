/* Writes and reads which processes stand for several short ones. */
#include <errno.h>

#include "cct/store/profile_parts.h"

#define JOINED_SIZE_MIN 2 /* bytes: a distance, a number of processes */

static uint32_t count_joined(const struct profile *profile)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		n += profile->processes[i].n_joined > 0;
	return n;
}

bool joined_part_is_needed(const struct profile *profile)
{
	return count_joined(profile);
}

void joined_part_write(struct byte_buffer *body, const struct profile *profile)
{
	uint32_t next = 0;

	byte_buffer_add_unsigned(body, count_joined(profile));
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		if (!profile->processes[i].n_joined)
			continue;
		byte_buffer_add_unsigned(body, i - next);
		byte_buffer_add_unsigned(body, profile->processes[i].n_joined);
		next = i + 1;
	}
}

int joined_part_read(struct dwarf_reader *body, struct profile *profile)
{
	const int64_t n = part_read_count(body, JOINED_SIZE_MIN);
	uint64_t next = 0;

	for (int64_t i = 0; i < n; i++) {
		const uint64_t distance = dwarf_read_uleb(body), number = dwarf_read_uleb(body);

		if (body->is_broken || distance >= profile->n_processes - next || number < 2 ||
		    number > JOINED_MAX)
			return -EINVAL;
		next += distance + 1;
		profile->processes[next - 1].n_joined = number;
	}
	return n <= 0 ? -EINVAL : 0;
}
