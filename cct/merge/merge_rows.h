/*
 * Rows of samples of several profiles. Each row belongs to a run: of a profile that was not merged
 * yet, the one that it describes. Runs are the same if machine, command and times are; tasks, if
 * thread, numbers and names are.
 *
 * A sum has rows if all of its profiles have them. If they are more than the state's max_rows, they
 * are added up in slices of time, which are as short as this permits (cct/model/row_slices.h); if
 * not even slices as long as a run are few enough, the sum has no rows.
 *
 * While rows are added, they are packed (cct/encoding/packed_rows.h), and those of one run at a
 * time are unpacked, to be sorted or added up.
 */
#ifndef CCT_MERGE_MERGE_ROWS_H
#define CCT_MERGE_MERGE_ROWS_H

#include "cct/merge/merge_state.h"

/* Adds a profile's rows. @nodes: in the sum, by number in the profile. 0 or -ENOMEM. */
int merge_rows(struct merge_state *state, const struct merge_maps *maps, const uint32_t *nodes);
/* Gives the rows of a sum that is complete, and as few as they may be, other nodes: @nodes, by the
 * one before. Those of one slice that get one node become one. 0 or -ENOMEM. */
int merge_move_rows(struct merge_state *state, const uint32_t *nodes);
/* Gives the rows of a sum other nodes and tasks, by those before. 0 or -ENOMEM. */
int merge_move_rows_to_tasks(struct merge_state *state, const uint32_t *nodes,
			     const uint32_t *tasks);
/* When the first and the last slice of ROW_SLICE_MINUTE begin in which a process of a sum with rows
 * has samples, in nanoseconds since its start; of each process. 0 or -ENOMEM. */
int merge_find_spans(const struct merge_state *state, struct time_span *spans);
/* Makes the rows of a sum, if it has any, sums of slices of 2^@shift microseconds or more, when
 * they are moved or sorted next. */
void merge_slice_rows(struct merge_state *state, unsigned shift);
/* Moves the rows of @sum, which is complete, to @sorted, in an order that does not depend on when
 * they were added, and packed if @sorted wants them so. @maps and @nodes: from the one to the
 * other. 0 or -ENOMEM. */
int merge_sort_rows(struct merge_state *sorted, struct merge_state *sum,
		    const struct merge_maps *maps, const uint32_t *nodes);

#endif
