/*
 * How hot, dense and sparse code changed: the view hot of both sides (report/views/view_hot.h), by
 * function and by context, of the first metric per unit of the second. Costs are sums of a side's
 * runs.
 */
#ifndef REPORT_DIFF_DIFF_HOT_H
#define REPORT_DIFF_DIFF_HOT_H

#include <stdio.h>

#include "report/diff/diff.h"
#include "report/views/export_options.h"
#include "report/views/view_hot.h"

enum hot_rows { HOT_FUNCTIONS, HOT_CONTEXTS, N_HOT_ROWS };

struct diff_heat {
	struct heat_costs costs;
	enum heat heat;
};

/* The rows of one comparison. */
struct diff_heats {
	const struct diff *diff; /* borrowed */
	struct diff_heat *of;    /* [row * N_DIFF_SIDES + side] */
	size_t *hot;             /* rows that are hot on a side, what moved most first */
	size_t n_hot;
	struct heat_class classes[N_DIFF_SIDES][N_HEATS];
};

struct diff_hot {
	double threshold_percent;
	struct heat_costs whole[N_DIFF_SIDES];
	struct diff_heats rows[N_HOT_ROWS];
};

/*
 * @functions: of a table of functions, @contexts: of the tree of call paths; both have two metrics,
 * self costs decide, and they are borrowed. The caller calls diff_hot_deinit() in any case. 0 or
 * -ENOMEM.
 */
int diff_hot_init(struct diff_hot *hot, const struct diff *functions, const struct diff *contexts,
		  double threshold_percent);
void diff_hot_deinit(struct diff_hot *hot);

/* Each ends the stream, and returns 0 or -errno. */
int diff_hot_write_text(FILE *out, const struct diff_hot *hot,
			const struct export_options *options);
int diff_hot_write_json(FILE *out, const struct diff_hot *hot);
/* Functions alone. */
int diff_hot_write_csv(FILE *out, const struct diff_hot *hot);

#endif
