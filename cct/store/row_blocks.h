/*
 * The rows of a profile's samples for those who write them: those of one run after another, so that
 * packed rows (cct/encoding/packed_rows.h) are unpacked for one run at a time.
 *
 *	struct row_blocks blocks = row_blocks_of(profile->rows);
 *
 *	while (row_blocks_next(&blocks, body))
 *		write(body, blocks.rows, blocks.sums, blocks.n);
 */
#ifndef CCT_STORE_ROW_BLOCKS_H
#define CCT_STORE_ROW_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/encoding/byte_buffer.h"
#include "cct/model/sample_rows.h"

struct row_blocks {
	const struct sample_rows *from;
	const struct sample_row *rows; /* of the run that is in turn, in their order; may be none */
	const struct row_sum *sums;    /* likewise; NULL: each row is a sample */
	uint32_t n;
	uint32_t first;              /* the number of its first row */
	uint32_t n_runs;             /* that were in turn */
	struct sample_rows unpacked; /* owned */
};

static inline struct row_blocks row_blocks_of(const struct sample_rows *rows)
{
	return (struct row_blocks){ .from = rows };
}
/* Goes to the next run; rows without runs are of one. false: there is none, and the memory is free;
 * so it is where memory lacks, which @body is told. */
bool row_blocks_next(struct row_blocks *blocks, struct byte_buffer *body);

#endif
