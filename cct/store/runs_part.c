/*
 * Writes and reads the rows of samples of several runs, or sums of samples: the runs, then the rows
 * as those of one run are written (rows_part.c), then what sums have beyond single samples.
 */
#include <errno.h>
#include <stdlib.h>

#include "cct/encoding/sections.h"
#include "cct/model/row_slices.h"
#include "cct/store/profile_parts.h"
#include "cct/store/row_blocks.h"

#define RUN_SIZE_MIN 6 /* bytes: two texts, two times, whether dates are known and from when on */

static void write_run(struct byte_buffer *body, const struct sample_run *run, uint32_t n_metrics)
{
	byte_buffer_add_text(body, run->command_line);
	byte_buffer_add_text(body, run->hostname);
	byte_buffer_add_unsigned(body, run->start_ns);
	byte_buffer_add_unsigned(body, run->end_ns);
	byte_buffer_add_unsigned(body, run->has_date);
	byte_buffer_add_unsigned(body, run->unix_offset_ns);
	for (uint32_t i = 0; i < n_metrics; i++) {
		byte_buffer_add_unsigned(body, run->times[i].enabled_ns);
		byte_buffer_add_unsigned(body, run->times[i].running_ns);
	}
}

/* Whether the samples of a sum weigh all the same, so that the weight tells the rest. */
static bool is_even(const struct sample_row *row, const struct row_sum *sum)
{
	const uint64_t each = row->weight / sum->samples;

	return each * sum->samples == row->weight && sum->longest == each &&
	       sum->squares == (unsigned __int128)each * row->weight;
}

static void write_sum(struct byte_buffer *body, const struct sample_row *row,
		      const struct row_sum *sum)
{
	if (is_even(row, sum)) {
		byte_buffer_add_unsigned(body, 0);
		return;
	}
	byte_buffer_add_unsigned(body, 1);
	byte_buffer_add_unsigned(body, sum->longest);
	byte_buffer_add_unsigned(body, (uint64_t)(sum->squares >> 64));
	byte_buffer_add_unsigned(body, (uint64_t)sum->squares);
}

static void write_sums(struct byte_buffer *body, const struct sample_rows *rows)
{
	struct row_blocks blocks = row_blocks_of(rows);

	while (row_blocks_next(&blocks, body)) {
		for (uint32_t i = 0; i < blocks.n; i++)
			write_sum(body, &blocks.rows[i], &blocks.sums[i]);
	}
}

void runs_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;

	byte_buffer_add_unsigned(body, rows->slice_shift);
	byte_buffer_add_unsigned(body, rows->n_runs);
	for (uint32_t i = 0; i < rows->n_runs; i++)
		write_run(body, &rows->runs[i], profile->n_metrics);
	rows_part_write(body, profile);
	if (rows->slice_shift)
		write_sums(body, rows);
}

static int read_run(struct dwarf_reader *body, struct sample_run *run, uint32_t n_metrics)
{
	int err = part_read_text(body, &run->command_line);

	if (!err)
		err = part_read_text(body, &run->hostname);
	run->times = calloc((size_t)n_metrics + 1, sizeof(*run->times));
	if (err || !run->times)
		return err ? err : -ENOMEM;
	run->start_ns = dwarf_read_uleb(body);
	run->end_ns = dwarf_read_uleb(body);
	run->has_date = dwarf_read_uleb(body);
	run->unix_offset_ns = dwarf_read_uleb(body);
	for (uint32_t i = 0; i < n_metrics; i++) {
		run->times[i].enabled_ns = dwarf_read_uleb(body);
		run->times[i].running_ns = dwarf_read_uleb(body);
	}
	return 0;
}

static int read_runs(struct dwarf_reader *body, struct sample_rows *rows, uint32_t n_metrics)
{
	const int64_t n = part_read_count(body, RUN_SIZE_MIN + 2 * (size_t)n_metrics);
	int err = 0;

	if (n <= 0)
		return -EINVAL;
	rows->runs = calloc((size_t)n, sizeof(*rows->runs));
	if (!rows->runs)
		return -ENOMEM;
	while (!err && rows->n_runs < n)
		err = read_run(body, &rows->runs[rows->n_runs++], n_metrics);
	return err;
}

static int read_sum(struct dwarf_reader *body, const struct sample_row *row, struct row_sum *sum)
{
	const uint64_t each = row->weight / sum->samples, is_uneven = dwarf_read_uleb(body);

	sum->longest = each;
	sum->squares = (unsigned __int128)each * row->weight;
	if (is_uneven) {
		sum->longest = dwarf_read_uleb(body);
		sum->squares = (unsigned __int128)dwarf_read_uleb(body) << 64;
		sum->squares |= dwarf_read_uleb(body);
	}
	return is_uneven > 1 ? -EINVAL : 0;
}

/* Up to version 4, the numbers of samples are a column here. */
static int read_samples(struct dwarf_reader *body, struct sample_rows *rows)
{
	rows->sums = calloc((size_t)rows->n_rows + 1, sizeof(*rows->sums));
	if (!rows->sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		rows->sums[i].samples = dwarf_read_uleb(body);
		if (!rows->sums[i].samples)
			return -EINVAL;
	}
	return 0;
}

static int read_sums(struct dwarf_reader *body, struct sample_rows *rows)
{
	int err = rows->sums ? 0 : read_samples(body, rows);

	for (uint32_t i = 0; !err && i < rows->n_rows; i++)
		err = read_sum(body, &rows->rows[i], &rows->sums[i]);
	return err;
}

static int read_part(struct dwarf_reader *body, struct profile *profile, unsigned version)
{
	const uint64_t shift = dwarf_read_uleb(body);

	if (profile->rows || shift > ROW_SLICE_SHIFT_MAX)
		return -EINVAL;
	profile->rows = calloc(1, sizeof(*profile->rows));
	if (!profile->rows)
		return -ENOMEM;
	profile->rows->slice_shift = (unsigned)shift;
	int err = read_runs(body, profile->rows, profile->n_metrics);
	if (!err)
		err = part_read_rows(body, profile, version);
	if (!err && shift)
		err = read_sums(body, profile->rows);
	if (!err && body->is_broken)
		err = -EINVAL;
	return err ? err : sample_rows_check(profile->rows, profile->cct);
}

int runs_part_read(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, SECTIONS_VERSION);
}

int runs_part_read_4(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, 4);
}

int runs_part_read_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, 3);
}

int runs_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_part(body, profile, 2);
}
