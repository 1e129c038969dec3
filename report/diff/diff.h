/*
 * A comparison of runs before and after a change, ready to print: for each row its value on both
 * sides, the difference with its error, and whether chance explains it.
 */
#ifndef REPORT_DIFF_DIFF_H
#define REPORT_DIFF_DIFF_H

#include "report/diff/diff_tree.h"
#include "report/fold/view_options.h"
#include "report/views/tree_statistics.h"

enum diff_norm {
	DIFF_BY_TOTAL,   /* shares of the run's cost */
	DIFF_BY_SAMPLES, /* shares of the run's samples */
	DIFF_BY_TIME,    /* cost per second of the run */
	DIFF_BY_METRIC,  /* cost per cost of another metric in the run */
	DIFF_BY_NUMBER,  /* cost per number that the user knows: requests, frames */
};

/* Of a calling context tree: report/views/tree_statistics.h. */
enum tree_number {
	TREE_SIZE,
	TREE_NODES,
	TREE_NODE_SIZE,
	TREE_INTERIOR_NODES,
	TREE_OUT_DEGREE,
	TREE_AVERAGE_HEIGHT,
	TREE_HEIGHT,
	TREE_REPLICATION,
	N_TREE_NUMBERS
};

struct tree_numbers {
	double of[N_TREES][N_TREE_NUMBERS];
};

/* A recording or stored profile. */
struct diff_source {
	const char *path; /* borrowed */
	enum diff_side side;
	uint64_t duration_ns;
	double amount; /* DIFF_BY_TIME, _METRIC, _NUMBER: what the cost is divided by, above 0 */
	struct tree_numbers trees; /* VIEW_STATS */
};

/* Strings are borrowed. */
struct diff_metric {
	const char *event, *unit;
};

struct diff_options {
	enum view_kind view;
	const char *view_name; /* borrowed */
	enum diff_norm norm;
	const char *per; /* the name of what is counted: "requests", another metric's; NULL */
	enum diff_measure measure; /* what rows are sorted by, and text shows */
	bool significant_only;
	const struct diff_metric *metrics; /* of the rows; borrowed */
};

struct diff_change {
	struct diff_result result; /* its p is adjusted for no other row */
	double q;                  /* adjusted for all rows of the measure; NAN: not tested */
};

/* Of one metric. */
struct diff_changes {
	struct diff_change *rows[N_DIFF_MEASURES];
	struct diff_change total; /* of the runs: of their cost, if rows are shares */
	size_t n_significant;     /* rows */
};

struct diff {
	struct diff_options options;
	const struct diff_source *sources; /* borrowed */
	struct diff_rows rows;
	/* By metric. The first decides which rows are shown and in what order. */
	struct diff_changes changes[DIFF_MAX_METRICS];
	struct diff_tree tree; /* by the first metric */
	/* The rows to show, what moved most first; in a tree below the row that they are below. */
	size_t *order;
	size_t n_shown;
};

/*
 * Compares the runs of *@rows, which are taken over, also by an error. A share is only called
 * significant if the row's cost moved in the same direction, and by more than chance lets it, too:
 * a row does not move because others did. The caller calls diff_deinit(). 0 or -ENOMEM.
 */
int diff_init(struct diff *diff, const struct diff_options *options,
	      const struct diff_source *sources, struct diff_rows *rows);
void diff_deinit(struct diff *diff);

bool diff_has_shares(const struct diff *diff);
/* Whether rows are below others. */
bool diff_is_tree(const struct diff *diff);
static inline bool diff_change_is_significant(const struct diff_change *change)
{
	return change->q <= DIFF_FALSE_RATE;
}
static inline double diff_change_of(const struct diff_change *change)
{
	return change->result.values[DIFF_AFTER] - change->result.values[DIFF_BEFORE];
}
/* The change over the value before: 0.1 is 10 % more. NAN: there was nothing before. */
double diff_relative(const struct diff_change *change);
/* How a row changed in a metric, by the measure that rows are sorted by. */
static inline const struct diff_change *diff_change_at(const struct diff *diff, size_t metric,
						       size_t row)
{
	return &diff->changes[metric].rows[diff->options.measure][row];
}
/* "new", "gone", or "" for a row with cost on both sides, of any metric. */
const char *diff_row_status(const struct diff *diff, size_t row);

struct diff_rise {
	const struct diff_row *row; /* of diff->rows; NULL: none rose */
	size_t n_rows;              /* that the pattern names */
};

/*
 * Looks for a row whose first metric rose by more than @percent percent of what it was. @function:
 * NULL for any row that is significant among all; a name or glob for these rows, which are then
 * significant among themselves. Returns 1 if there is one, 0 if not, or -ENOMEM.
 */
int diff_find_rise(const struct diff *diff, double percent, const char *function,
		   struct diff_rise *rise_ret);

#endif
