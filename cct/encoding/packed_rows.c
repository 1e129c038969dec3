#include "cct/encoding/packed_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "cct/encoding/byte_buffer.h"
#include "cct/object/dwarf_reader.h"

/* The first byte of a row: what follows its time and node, because the row before has another. */
enum {
	HAS_METRIC = 1,
	HAS_CPU = 2,
	HAS_TASK = 4,
	HAS_CGROUP = 8,
	HAS_WEIGHT = 16,
	HAS_END = 32, /* and marks, and guessed frames */
	HAS_SUM = 64,
};

static uint64_t end_of(const struct sample_row *row)
{
	return (uint64_t)row->n_guessed << 16 | (uint64_t)row->marks << 8 | row->end;
}

static unsigned differences(const struct sample_row *row, const struct sample_row *last)
{
	unsigned found = 0;

	found |= row->metric != last->metric ? HAS_METRIC : 0;
	found |= row->cpu != last->cpu ? HAS_CPU : 0;
	found |= row->task != last->task ? HAS_TASK : 0;
	found |= row->cgroup != last->cgroup ? HAS_CGROUP : 0;
	found |= row->weight != last->weight ? HAS_WEIGHT : 0;
	found |= end_of(row) != end_of(last) ? HAS_END : 0;
	return found;
}

static void write_row(struct byte_buffer *bytes, const struct sample_row *row,
		      const struct row_sum *sum, const struct sample_row *last)
{
	const unsigned has = differences(row, last) | (sum ? HAS_SUM : 0u);

	byte_buffer_add_unsigned(bytes, has);
	byte_buffer_add_signed(bytes, (int64_t)(row->time - last->time));
	byte_buffer_add_signed(bytes, (int64_t)row->node - last->node);
	if (has & HAS_METRIC)
		byte_buffer_add_unsigned(bytes, row->metric);
	if (has & HAS_CPU)
		byte_buffer_add_unsigned(bytes, row->cpu);
	if (has & HAS_TASK)
		byte_buffer_add_unsigned(bytes, row->task);
	if (has & HAS_CGROUP)
		byte_buffer_add_unsigned(bytes, row->cgroup);
	if (has & HAS_WEIGHT)
		byte_buffer_add_unsigned(bytes, row->weight);
	if (has & HAS_END)
		byte_buffer_add_unsigned(bytes, end_of(row));
	if (!sum)
		return;
	byte_buffer_add_unsigned(bytes, sum->samples);
	byte_buffer_add_unsigned(bytes, sum->longest);
	byte_buffer_add_unsigned(bytes, (uint64_t)(sum->squares >> 64));
	byte_buffer_add_unsigned(bytes, (uint64_t)sum->squares);
}

int packed_rows_add(struct packed_run *run, const struct sample_row *rows,
		    const struct row_sum *sums, uint32_t n)
{
	struct byte_buffer bytes = {
		.bytes = run->bytes,
		.size = run->size,
		.n_allocated = run->n_allocated,
	};

	if (n > UINT32_MAX - run->n_rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		write_row(&bytes, &rows[i], sums ? &sums[i] : NULL, &run->last);
		run->last = rows[i];
	}
	run->has_sums |= sums && n;
	run->n_rows += n;
	run->bytes = bytes.bytes;
	run->size = bytes.size;
	run->n_allocated = bytes.n_allocated;
	return bytes.lacks_memory ? -ENOMEM : 0;
}

static void read_row(struct dwarf_reader *bytes, struct sample_row *row, struct row_sum *sum)
{
	const uint64_t has = dwarf_read_uleb(bytes);

	row->time += (uint64_t)dwarf_read_sleb(bytes);
	row->node += (uint32_t)dwarf_read_sleb(bytes);
	if (has & HAS_METRIC)
		row->metric = (uint16_t)dwarf_read_uleb(bytes);
	if (has & HAS_CPU)
		row->cpu = (uint32_t)dwarf_read_uleb(bytes);
	if (has & HAS_TASK)
		row->task = (uint32_t)dwarf_read_uleb(bytes);
	if (has & HAS_CGROUP)
		row->cgroup = (uint32_t)dwarf_read_uleb(bytes);
	if (has & HAS_WEIGHT)
		row->weight = dwarf_read_uleb(bytes);
	if (has & HAS_END) {
		const uint64_t end = dwarf_read_uleb(bytes);

		row->end = (uint8_t)end;
		row->marks = (uint8_t)(end >> 8);
		row->n_guessed = (uint32_t)(end >> 16);
	}
	*sum = (struct row_sum){ (unsigned __int128)row->weight * row->weight, 1, row->weight };
	if (has & HAS_SUM) {
		sum->samples = dwarf_read_uleb(bytes);
		sum->longest = dwarf_read_uleb(bytes);
		sum->squares = (unsigned __int128)dwarf_read_uleb(bytes) << 64;
		sum->squares |= dwarf_read_uleb(bytes);
	}
}

int packed_rows_read(const struct packed_run *run, uint32_t number, struct sample_rows *rows)
{
	struct dwarf_reader bytes =
		dwarf_reader(run->bytes ? run->bytes : (const uint8_t *)"", run->size);
	const size_t n = (size_t)run->n_rows + 1;
	struct sample_row *read = calloc(n, sizeof(*read)), row = { .time = 0 };
	struct row_sum *sums = run->has_sums ? calloc(n, sizeof(*sums)) : NULL, sum;

	if (!read || (run->has_sums && !sums)) {
		free(read);
		free(sums);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < run->n_rows; i++) {
		read_row(&bytes, &row, &sum);
		read[i] = row;
		read[i].run = number;
		if (sums)
			sums[i] = sum;
	}
	assert(!bytes.is_broken && !dwarf_left(&bytes));
	rows->rows = read;
	rows->sums = sums;
	rows->n_rows = run->n_rows;
	rows->n_rows_allocated = (uint32_t)n;
	rows->slice_shift = run->slice_shift;
	return 0;
}
