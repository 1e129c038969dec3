#include "cct/store/row_blocks.h"

#include "cct/encoding/packed_rows.h"

static uint32_t count_rows_of(const struct sample_rows *from, uint32_t first, uint32_t run)
{
	uint32_t end = first;

	while (from->rows && end < from->n_rows && from->rows[end].run == run)
		end++;
	return end - first;
}

static bool unpack(struct row_blocks *blocks, uint32_t run)
{
	if (packed_rows_read(&blocks->from->packed[run], run, &blocks->unpacked))
		return false;
	blocks->rows = blocks->unpacked.rows;
	blocks->sums = blocks->unpacked.sums;
	blocks->n = blocks->unpacked.n_rows;
	return true;
}

bool row_blocks_next(struct row_blocks *blocks, struct byte_buffer *body)
{
	const struct sample_rows *from = blocks->from;
	const uint32_t run = blocks->n_runs++;

	sample_rows_deinit(&blocks->unpacked);
	blocks->first += blocks->n;
	if (body->lacks_memory || run >= (from->n_runs ? from->n_runs : 1))
		return false;
	if (from->packed) {
		body->lacks_memory |= !unpack(blocks, run);
		return !body->lacks_memory;
	}
	blocks->rows = from->rows ? &from->rows[blocks->first] : NULL;
	blocks->sums = from->sums ? &from->sums[blocks->first] : NULL;
	blocks->n = count_rows_of(from, blocks->first, run);
	return true;
}
