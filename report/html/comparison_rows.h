/*
 * When the samples of a comparison's call paths were taken, and in which threads: the rows of its
 * runs (cct/model/sample_rows.h), added up in slices of time, which are equal for all runs of a
 * side. Runs have no time and no threads in common: each has times since its start, and threads go
 * by their names.
 */
#ifndef REPORT_HTML_COMPARISON_ROWS_H
#define REPORT_HTML_COMPARISON_ROWS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/model/profile.h"
#include "report/diff/diff.h"

#define COMPARISON_SLICES   200 /* of a side at most, and more than half of that */
#define COMPARISON_ALL_RUNS UINT32_MAX

/* The samples of a path in one run, slice and thread. */
struct comparison_row {
	uint32_t path; /* row of the comparison; DIFF_NO_ROW: not selected, above all paths */
	bool is_rest;  /* of the paths below that one that are too small */
	uint32_t metric, run;
	uint32_t slice; /* and 1; 0: the samples have no time */
	uint32_t thread;
	struct diff_cost cost; /* not scaled */
};

struct comparison_thread {
	uint32_t process, thread; /* in comparison_rows.strings */
};

struct comparison_side {
	struct comparison_row *rows;
	uint32_t n, n_allocated;
	unsigned shift; /* a slice has 2^shift microseconds */
	uint32_t n_slices;
};

/* All zero has none. */
struct comparison_rows {
	struct comparison_side sides[N_DIFF_SIDES];
	struct string_ids strings, keys; /* a thread's number is that of its key */
	struct comparison_thread *threads;
	uint32_t n_threads, n_threads_allocated;
	/* By run: phases and losses, as page_marks.h writes them. Owned. NULL: not known */
	char **marks;
	size_t n_marks;
};

/* A run of a comparison. Borrowed. */
struct comparison_run {
	size_t number;
	enum diff_side side;
	const struct profile *profile;
	uint32_t profile_run;    /* or COMPARISON_ALL_RUNS */
	const uint32_t *paths;   /* by node of the profile's tree: as in struct comparison_row */
	const uint32_t *metrics; /* the profile's numbers of the compared metrics */
	size_t n_metrics;
	bool counts_samples; /* every sample weighs 1 */
};

/* Adds the rows of a run of the comparison whose rows, so far, are @diff. Without rows in the
 * profile it does nothing. 0 or -ENOMEM. */
int comparison_rows_add(struct comparison_rows *rows, const struct diff_rows *diff,
			const struct comparison_run *run);
/* Leaves metrics out, and numbers the rest again. */
void comparison_rows_drop_metrics(struct comparison_rows *rows, const bool *is_dropped);
void comparison_rows_deinit(struct comparison_rows *rows);

/*
 * Which rows a page has. Paths with fewer than @least samples, in all metrics and runs, are one row
 * below the path above them; slices are 2^@shift times as long.
 */
struct comparison_coarseness {
	uint64_t least;
	unsigned shift;
};

/*
 * Appends, as report/html/comparison_columns.h describes it: @least; for each side the number of
 * slices and their microseconds; strings; threads: their number and columns: process, thread; for
 * each metric and run the number of rows, and columns: node (its number, twice, and 1 for the rest;
 * difference to the row before), slice, thread, weight, samples, unevenness. 0 or -ENOMEM.
 *
 * @paths: the comparison, whose paths have the numbers of their order, from 1 on. *@n_ret: rows
 * that are not of the rest.
 */
int comparison_rows_write(const struct comparison_rows *rows, const struct diff *paths,
			  const struct comparison_coarseness *coarseness, struct byte_buffer *out,
			  uint32_t *n_ret);

#endif
