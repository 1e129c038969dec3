/*
 * Rows of samples in memory, in few bytes: each row of a run is told by what differs from the one
 * before. Rows of a clock whose nodes have small numbers take less than 6 bytes, where a struct
 * sample_row takes 48. They can be added, and read all at once.
 */
#ifndef CCT_ENCODING_PACKED_ROWS_H
#define CCT_ENCODING_PACKED_ROWS_H

#include "cct/model/sample_rows.h"

/* Adds rows, whose ->run is not looked at. @sums: NULL: each is a sample. 0 or -ENOMEM; then only
 * some were added. */
int packed_rows_add(struct packed_run *run, const struct sample_row *rows,
		    const struct row_sum *sums, uint32_t n);
/* The rows of a run, all of which get its number, as an empty list has them then; with sums if some
 * are sums. 0, or -ENOMEM and nothing changed. */
int packed_rows_read(const struct packed_run *run, uint32_t number, struct sample_rows *rows);

#endif
