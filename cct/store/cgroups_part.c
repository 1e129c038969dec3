/* Writes and reads the cgroups of samples: their paths, and a column over the rows of samples. */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"
#include "cct/store/row_blocks.h"

/* 0: as the last row of the task; else the number in the row, plus 1. */
static void write_column(struct byte_buffer *body, const struct row_blocks *blocks, uint32_t *last)
{
	for (uint32_t i = 0; i < blocks->n; i++) {
		const struct sample_row *row = &blocks->rows[i];

		byte_buffer_add_unsigned(body,
					 row->cgroup == last[row->task] ? 0 : row->cgroup + 1ull);
		last[row->task] = row->cgroup;
	}
}

void cgroups_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint32_t *last = calloc((size_t)rows->n_tasks + 1, sizeof(*last));
	struct row_blocks blocks = row_blocks_of(rows);

	body->lacks_memory |= !last;
	byte_buffer_add_unsigned(body, profile->cgroups.n_strings);
	for (uint32_t i = 0; i < profile->cgroups.n_strings; i++)
		byte_buffer_add_text(body, profile->cgroups.strings[i]);
	while (last && row_blocks_next(&blocks, body))
		write_column(body, &blocks, last);
}

static int read_path(struct dwarf_reader *body, struct string_ids *paths)
{
	_cleanup_free_ char *path = NULL;
	uint32_t number;
	bool is_new;
	int err = part_read_text(body, &path);

	if (err || !path)
		return err ? err : -EINVAL;
	err = string_ids_add(paths, path, &number, &is_new);
	return err || is_new ? err : -EINVAL;
}

static int read_column(struct dwarf_reader *body, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	_cleanup_free_ uint32_t *last = calloc((size_t)rows->n_tasks + 1, sizeof(*last));

	if (!last)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		struct sample_row *row = &rows->rows[i];
		const uint64_t given = dwarf_read_uleb(body);

		if (given > profile->cgroups.n_strings + 1ull)
			return -EINVAL;
		if (given)
			last[row->task] = (uint32_t)given - 1;
		row->cgroup = last[row->task];
	}
	return 0;
}

int cgroups_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int64_t n = part_read_count(body, 1);
	int err = n < 0 || !profile->rows ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_path(body, &profile->cgroups);
	if (!err)
		err = read_column(body, profile);
	return !err && body->is_broken ? -EINVAL : err;
}
