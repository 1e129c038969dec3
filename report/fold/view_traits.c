#include "report/fold/view_traits.h"

/*
 * The total cost of a process equals its self cost; a caller has no self cost in the cost of its
 * callee.
 */
static const struct view_traits all[] = {
	[VIEW_TREE] = { .subject = ROWS_FUNCTIONS,
			.has_self = true,
			.sort = SORT_TOTAL,
			.heading = "call path" },
	[VIEW_CALLERS] = { .subject = ROWS_FUNCTIONS,
			   .sort = SORT_TOTAL,
			   .heading = "function, its callers below" },
	[VIEW_CALLGRAPH] = { .subject = ROWS_FUNCTIONS,
			     .merges_inlined = true,
			     .has_self = true,
			     .has_child = true,
			     .sort = SORT_TOTAL,
			     .heading = "callers, function, callees" },
	[VIEW_FUNCTIONS] = { .subject = ROWS_FUNCTIONS,
			     .is_flat = true,
			     .merges_inlined = true,
			     .has_self = true,
			     .sort = SORT_SELF,
			     .heading = "function" },
	[VIEW_LINES] = { .subject = ROWS_LINES,
			 .is_flat = true,
			 .has_self = true,
			 .sort = SORT_SELF,
			 .heading = "function" },
	[VIEW_MODULES] = { .subject = ROWS_MODULES,
			   .is_flat = true,
			   .has_self = true,
			   .sort = SORT_SELF,
			   .heading = "module" },
	[VIEW_PROCESSES] = { .subject = ROWS_PROCESSES,
			     .is_flat = true,
			     .sort = SORT_TOTAL,
			     .heading = "process" },
	[VIEW_PATHS] = { .subject = ROWS_FUNCTIONS,
			 .has_self = true,
			 .has_overlaps = true,
			 .sort = SORT_TOTAL,
			 .heading = "call path" },
	[VIEW_SYSCALLS] = { .subject = ROWS_FUNCTIONS,
			    .sort = SORT_TOTAL,
			    .heading = "system call, its callers below" },
	[VIEW_THREADS] = { .subject = ROWS_PROCESSES,
			   .is_flat = true,
			   .sort = SORT_TOTAL,
			   .heading = "thread" },
	[VIEW_HOT] = { .subject = ROWS_FUNCTIONS,
		       .is_flat = true,
		       .merges_inlined = true,
		       .has_self = true,
		       .sort = SORT_SELF,
		       .heading = "function" },
	[VIEW_STATS] = { .subject = ROWS_FUNCTIONS, .sort = SORT_TOTAL, .heading = "" },
};

const struct view_traits *view_traits(enum view_kind kind)
{
	return &all[kind];
}
