/* The first answers of a tree: the functions with most self cost, and the largest processes. */
#ifndef REPORT_FINDINGS_HOTTEST_H
#define REPORT_FINDINGS_HOTTEST_H

#include "report/views/view_rows.h"

#define HOTTEST_MAX 5

/* A function in all its contexts, or a row below the root that is not an idle kernel thread. */
struct hottest_row {
	struct view_row row; /* a copy of one of its rows: with the costs of one context */
	uint64_t cost;
};

/* Highest cost first. Functions: as rows of VIEW_FUNCTIONS. */
struct hottest {
	struct hottest_row functions[HOTTEST_MAX], processes[HOTTEST_MAX];
	unsigned n_functions, n_processes;
};

/* @view: a VIEW_TREE; costs are those in its sort metric. 0 or -ENOMEM. */
int hottest_find(const struct view *view, struct hottest *hottest_ret);

#endif
