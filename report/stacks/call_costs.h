/*
 * What functions cost, line by line, and what each called one costs at a line: the call graph of a
 * profile, for formats that have no paths. Recursion would count cost twice there, so a function is
 * another one at each level of recursion: the nth function of a path that has the same name, file
 * and module is of level n.
 *
 * The outermost functions are the groups of paths, of level 1.
 */
#ifndef REPORT_STACKS_CALL_COSTS_H
#define REPORT_STACKS_CALL_COSTS_H

#include "report/stacks/path_groups.h"
#include "report/stacks/stack_tree.h"

#define CALL_NONE UINT32_MAX

/* A function at a level of recursion. */
struct call_function {
	uint32_t function; /* of the stack tree; CALL_NONE: a group */
	uint32_t group;
	uint32_t level; /* from 1 on */
};

/* What a function costs at a line: by itself, or by the calls of another there. */
struct call_cost {
	uint32_t function; /* of ->functions */
	uint32_t called;   /* likewise; CALL_NONE: its self cost */
	const char *file;  /* NULL: not known */
	uint32_t line;     /* 0: not known */
	uint64_t samples;  /* of all metrics */
};

struct call_costs {
	struct call_function *functions;
	uint32_t n_functions, n_functions_allocated;
	struct call_cost *costs; /* by function, then file, line and called function */
	uint64_t *weights;       /* [cost * n_metrics + metric] */
	uint32_t n_costs, n_costs_allocated;
	size_t n_weights_allocated;
};

/* @tree is one of lines. 0 or -ENOMEM; it may be deinitialized in any case. */
int call_costs_init(struct call_costs *costs, const struct profile *profile,
		    const struct stack_tree *tree, const struct path_groups *groups);
void call_costs_deinit(struct call_costs *costs);

#endif
