/*
 * The costs of functions and arcs of a call graph: Spivey 2004, "Fast, accurate call graph
 * profiling", over whole paths.
 *
 * A sample is charged once to each function that is active: as self cost if its code runs, else as
 * the cost of children. Direct recursion is the same activation. An arc into a function is that by
 * which its most recent activation was called, an arc out of it the call that this activation made:
 * each sample is on one arc into each active function, and on one arc out of each but the running
 * one. So the numbers that a function has on its arcs add up to its own, and under mutual recursion
 * its caller may have others on the same arc.
 */
#ifndef REPORT_VIEWS_CALL_GRAPH_H
#define REPORT_VIEWS_CALL_GRAPH_H

#include "report/fold/fold.h"
#include "report/views/call_cycles.h"
#include "report/views/view_rows.h"

#define CALL_GRAPH_NO_CALLER 0u /* the root's entity */

/* The same arc as the two functions see it. */
struct call_arc {
	uint32_t caller, callee; /* entities */
	struct view_row *in;     /* of the callee, with the caller's name */
	struct view_row *out;    /* of the caller; NULL: CALL_GRAPH_NO_CALLER */
};

/* Rows have costs, but no place in the view: those without samples are to be left out. */
struct call_graph {
	struct view_row **functions; /* by entity; NULL: without a node */
	struct call_arc *arcs;
	uint32_t n_arcs, n_arcs_allocated;
	struct call_cycles cycles;
	struct view_row **cycle_rows; /* by cycle */
	uint32_t n_cycle_rows, n_cycle_rows_allocated;
};

/* @view owns the rows. 0 or -ENOMEM. */
int call_graph_init(struct call_graph *graph, struct view *view, const struct fold *fold);
void call_graph_deinit(struct call_graph *graph);

#endif
