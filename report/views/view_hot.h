/*
 * Hot, dense and sparse functions and contexts: table 5 of Ammons, Ball and Larus, "Exploiting
 * Hardware Performance Counters with Flow and Context Sensitive Profiling", 1997, for any two
 * metrics; the table by context is ours.
 *
 * What has at least options.threshold_percent of options.sort_metric, by its own cost, is hot. If
 * it has more of it for each unit of options.per_metric than the whole profile, it is dense, else
 * sparse.
 */
#ifndef REPORT_VIEWS_VIEW_HOT_H
#define REPORT_VIEWS_VIEW_HOT_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Own costs in the two metrics. */
struct heat_costs {
	uint64_t metric, per;
};

struct heat_class {
	uint64_t n;
	struct heat_costs sum;
};

/* A call path with own cost that is hot. */
struct hot_context {
	enum heat heat;
	uint32_t node; /* its innermost function: hot_view.nodes */
	struct heat_costs costs;
};

/* Of the fold. Paths of many contexts share them, so they are not copied for each. */
struct hot_node {
	const char *name;
	uint32_t parent; /* smaller; 0: the function has no caller */
};

struct hot_view {
	struct heat_costs whole;
	struct heat_class functions[N_HEATS], contexts[N_HEATS];
	struct hot_context *hottest; /* sorted by cost */
	uint32_t n_hottest;
	struct hot_node *nodes;
};

/* "cold", "sparse", "dense" */
const char *heat_name(enum heat heat);
/* How many times as dense as the whole profile; infinite without cost in the second metric. */
double heat_density(const struct heat_costs *costs, const struct heat_costs *whole);
/* Adds what has @costs, if it has any, to its class, which is returned. */
enum heat heat_classify(struct heat_class *classes, const struct heat_costs *costs,
			const struct heat_costs *whole, double threshold_percent);
/* Fills view->root with functions, as a flat view, and view->hot. 0; -EINVAL: there is no such
 * metric; or -ENOMEM. */
int view_fill_hot(struct view *view, const struct fold *fold);

#endif
