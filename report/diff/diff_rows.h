/*
 * The rows of a view of several runs, side by side: a table, or a tree that is joined from those of
 * the runs. Two builds of a program are compared by names: a row is one kind, name and module (the
 * last part of its path), with the source line in a view of lines, below the same row. Numbers that
 * differ from run to run, such as of threads, are no part of names.
 */
#ifndef REPORT_DIFF_DIFF_ROWS_H
#define REPORT_DIFF_DIFF_ROWS_H

#include "cct/text/string_ids.h"
#include "report/diff/diff_statistics.h"
#include "report/views/view_rows.h"

enum diff_measure { DIFF_SELF, DIFF_TOTAL, N_DIFF_MEASURES };

#define DIFF_NO_ROW UINT32_MAX

struct diff_row {
	uint32_t parent; /* the row above, with a smaller number; DIFF_NO_ROW */
	enum row_kind kind;
	enum row_arc arc;
	char *name, *module; /* owned */
	char *file;          /* owned; NULL: not a source line */
	uint32_t line;
};

#define DIFF_MAX_METRICS 64

/* The costs of one metric. */
struct diff_costs {
	/* [row * n_runs + run]; no row has more than its run */
	struct diff_cost *rows[N_DIFF_MEASURES];
	struct diff_run *runs; /* their costs; made with the first run */
};

/* All zero with n_runs and n_metrics, DIFF_MAX_METRICS at most, is an empty one. */
struct diff_rows {
	size_t n_runs, n_metrics;
	struct string_ids keys; /* whose numbers are the positions of the rows */
	struct diff_row *rows;
	size_t n_rows, n_allocated;
	struct diff_costs metrics[DIFF_MAX_METRICS];
};

void diff_costs_deinit(struct diff_costs *costs);
void diff_rows_deinit(struct diff_rows *rows);
/* Puts @n runs without cost, above 0, into the place of a run that was not added yet. 0 or -ENOMEM.
 */
int diff_rows_split_run(struct diff_rows *rows, size_t run, size_t n);
/*
 * Adds a run's view: a flat one, or a tree with options.errors. Of several rows with one key, the
 * costs are added up, so the total of one in a table may be too large where one of them calls
 * another, but never larger than that of the run. In a tree of calling contexts, totals stay the
 * sums of the self costs.
 * @metrics: the view's number of each metric. @count_samples: every sample weighs 1.
 * @nodes: NULL, or of a tree, filled by what its rows are made of (view_row.source): the row here;
 * the others keep what they have. 0 or -ENOMEM.
 */
int diff_rows_add(struct diff_rows *rows, size_t run, const struct view *view,
		  const uint32_t *metrics, bool count_samples, uint32_t *nodes);

#endif
