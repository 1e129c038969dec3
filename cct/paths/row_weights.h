/*
 * Weights of a profile's rows that add up to the costs of its tree: where an event was multiplexed,
 * rows have weights that are not scaled.
 */
#ifndef CCT_PATHS_ROW_WEIGHTS_H
#define CCT_PATHS_ROW_WEIGHTS_H

#include "cct/model/profile.h"

/* *@weights_ret: by index of the row, heap; NULL: as in the rows, as no event is scaled. 0 or
 * -ENOMEM. */
int row_weights_create(const struct profile *profile, uint64_t **weights_ret);

#endif
