/*
 * Bounds a fold's depth: the node of a recursive call becomes a part of that of the same function
 * farther out, and its callees become that one's. No path then has a function twice. This is the
 * calling context tree of Ammons, Ball and Larus (Exploiting hardware performance counters with
 * flow and context sensitive profiling, PLDI 1997, section 4.1), whose back edges are not kept.
 *
 * For display: what is between a function and its recursive call has lost the cost below that call,
 * so numbers of callers and callees are computed from a fold that was not bounded.
 */
#ifndef REPORT_FOLD_FOLD_RECURSION_H
#define REPORT_FOLD_FOLD_RECURSION_H

#include "report/fold/fold.h"

/* Call this before fold_sum_up(), while @fold's total and samples are NULL. 0 or -ENOMEM. */
int fold_recursion(struct fold *fold);

#endif
