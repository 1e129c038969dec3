/* Writes and reads where in their slices sums begin: those of a phase or epoch that began there. */
#include <errno.h>

#include "cct/store/profile_parts.h"
#include "cct/store/row_blocks.h"

static uint64_t mask_of(const struct sample_rows *rows)
{
	return (1ull << rows->slice_shift) - 1;
}

bool starts_part_is_needed(const struct sample_rows *rows)
{
	struct row_blocks blocks = row_blocks_of(rows);
	struct byte_buffer lack = { .bytes = NULL };
	uint64_t starts = 0;

	while (rows->slice_shift && row_blocks_next(&blocks, &lack)) {
		for (uint32_t i = 0; i < blocks.n; i++)
			starts |= blocks.rows[i].time & mask_of(rows);
	}
	return starts || lack.lacks_memory;
}

void starts_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	struct row_blocks blocks = row_blocks_of(rows);

	while (row_blocks_next(&blocks, body)) {
		for (uint32_t i = 0; i < blocks.n; i++)
			byte_buffer_add_unsigned(body, blocks.rows[i].time & mask_of(rows));
	}
}

int starts_part_read(struct dwarf_reader *body, struct profile *profile)
{
	struct sample_rows *rows = profile->rows;

	if (!rows)
		return -EINVAL;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint64_t start = dwarf_read_uleb(body);

		if (start > mask_of(rows))
			return -EINVAL;
		rows->rows[i].time += start;
	}
	return body->is_broken ? -EINVAL : 0;
}
