/*
 * The size and shape of a calling context tree: the columns of table 3 of Ammons, Ball and Larus,
 * "Exploiting Hardware Performance Counters with Flow and Context Sensitive Profiling", 1997.
 */
#ifndef REPORT_VIEWS_TREE_STATISTICS_H
#define REPORT_VIEWS_TREE_STATISTICS_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* By function is the paper's tree, but for its recursion, which ours does not bound. */
enum tree_kind { TREE_BY_FUNCTION, TREE_BY_CALL_SITE, N_TREES };

/* The root and processes are nodes, too. */
struct tree_statistics {
	uint64_t size; /* bytes of all nodes with their costs, in memory */
	uint64_t n_nodes, n_interior;
	uint64_t n_leaves;
	uint64_t sum_of_heights; /* of all leaves: steps from the root */
	uint64_t max_height;
	/* TREE_BY_FUNCTION: the largest number of nodes that a function has; 0: no function. */
	uint64_t replication;
	const char *replicated, *module; /* that function */
};

/* "functions", "call sites" */
const char *tree_kind_name(enum tree_kind kind);
static inline double tree_out_degree(const struct tree_statistics *tree)
{
	return tree->n_interior ? (double)(tree->n_nodes - 1) / (double)tree->n_interior : 0;
}
static inline double tree_average_height(const struct tree_statistics *tree)
{
	return tree->n_leaves ? (double)tree->sum_of_heights / (double)tree->n_leaves : 0;
}
static inline uint64_t tree_node_size(const struct tree_statistics *tree)
{
	return tree->size / tree->n_nodes;
}
/* Fills view->trees, which has N_TREES. 0 or -ENOMEM. */
int view_fill_statistics(struct view *view, const struct fold *fold);

#endif
