/*
 * Rows of samples in slices of time: one row is the sum of the samples of a run, metric, CPU, task,
 * node and kind of path in a slice. Slices have a power of two of microseconds and begin at
 * multiples of it, counted from the start of the run. So two slices make one that is twice as long,
 * and it does not matter in how many steps rows were added up.
 *
 * Samples of a slice that are in different phases of the run, or epochs of their process, stay
 * apart: the time of a sum is that of the slice's start, or of the phase or epoch in it.
 */
#ifndef CCT_MODEL_ROW_SLICES_H
#define CCT_MODEL_ROW_SLICES_H

#include "cct/model/profile.h"

#define ROW_SLICE_SHIFT_MAX 63 /* all of a run is one slice */
#define ROW_SLICE_MINUTE    26 /* 67.1 s: the shortest slices in which a window of a minute is one */

/* Sorts rows by run, metric, CPU, time, and all else that a row has, so that equal rows in any
 * order become equal lists. 0 or -ENOMEM. */
int row_slices_sort(struct sample_rows *rows);
/*
 * Adds the rows up in slices of 2^@shift microseconds, unless their slices are as long already.
 * They are sorted then as row_slices_sort() does it. @profile: to which rows, tasks, phases and
 * epochs belong. 0, or -ENOMEM: nothing changed.
 */
int row_slices_make(struct sample_rows *rows, const struct profile *profile, unsigned shift);
/* How many sums there are in slices of 2^shift microseconds, by shift. Those shorter than the rows'
 * own are not known, and 0. */
struct row_slice_counts {
	uint64_t n[ROW_SLICE_SHIFT_MAX + 1];
};

/* Sorts the rows so that they can be added up, and adds to the counts how many sums they make. 0 or
 * -ENOMEM. */
int row_slices_count(struct sample_rows *rows, const struct profile *profile,
		     struct row_slice_counts *counts);
/* The shift of the shortest slices, of those that are known, with which there are @n_max sums at
 * most. 0: not even if a run is one slice. */
unsigned row_slices_choose(const struct row_slice_counts *counts, uint32_t n_max);
/*
 * Adds the rows up in the shortest slices with which they are @n_max at most; without need, they
 * stay as they are. 0, -ENOMEM, or -E2BIG: there are more even if a run is one slice.
 */
int row_slices_fit(struct sample_rows *rows, const struct profile *profile, uint32_t n_max);

/*
 * Moves the rows of @from, which are finished, or sums of no longer slices, to @rows, which become
 * sums of @n_max at most, or of as long slices as there are. So samples that go on coming take a
 * bounded memory.
 * @profile: as above, with what is known so far. 0 or -ENOMEM.
 */
int row_slices_add(struct sample_rows *rows, const struct profile *profile,
		   struct sample_rows *from, uint32_t n_max);

#endif
