/*
 * The acyclic paths inside functions that branch stacks walked through: from a function's entry or
 * the beginning of a loop's round to its end, or to where a round ends
 * (report/branches/flow_graph.h). A path goes on after a call when the call returns. What a branch
 * stack begins or ends in the midst of is counted as a part of a path.
 *
 * Use: branch_paths_place() for both ends of each branch, branch_paths_add() for each stack, then
 * read ->paths and ->functions. The memory is bounded by the distinct paths and the code.
 */
#ifndef REPORT_BRANCHES_BRANCH_PATHS_H
#define REPORT_BRANCHES_BRANCH_PATHS_H

#include "cct/base/hash_table.h"
#include "cct/base/pair_map.h"
#include "report/branches/flow_graph.h"
#include "report/branches/stack_calls.h"
#include "report/names/symbolize.h"

#define BRANCH_NO_FUNCTION UINT32_MAX

enum path_begin { PATH_FROM_ENTRY, PATH_FROM_LOOP, PATH_FROM_INSIDE };
enum path_end { PATH_TO_EXIT, PATH_TO_LOOP, PATH_TO_INSIDE };

/* One end of a branch. */
struct branch_place {
	uint64_t addr;        /* in the process */
	uint32_t function;    /* index, or BRANCH_NO_FUNCTION: its code is not known */
	uint32_t instruction; /* index; FLOW_NONE: none begins at the address */
};

/* A branch that was taken. */
struct branch_step {
	struct branch_place from, to;
	bool is_mispredicted;
	uint32_t cycles; /* since the branch before; 0: not known */
};

struct branch_path {
	uint32_t function;
	uint32_t context;     /* of the function; 0 where contexts are not told apart */
	uint8_t begin, end;   /* enum path_begin, path_end */
	uint32_t first, last; /* instructions */
	/* Of the list of jumps: its place in branch_paths.jumps and its length. */
	uint32_t jumps, n_jumps;
	uint64_t count, n_mispredicted, cycles, n_instructions;
};

/* How often an instruction was executed, jumped from, and jumped from against the prediction. */
struct branch_counts {
	uint64_t executed, taken, mispredicted;
	uint64_t begun; /* of ->executed: as the first of a stack, which only its jump shows */
};

struct branch_function {
	struct frame frame; /* of its first instruction seen */
	uint32_t id;        /* the symbolizer's number of it */
	const char *name, *symbol, *module, *module_path;
	uint64_t vaddr; /* of its first byte */
	struct flow_graph graph;
	struct branch_counts *counts; /* by instruction */
};

/* One end of a jump, call or return. */
struct branch_end {
	uint32_t function;    /* index, or BRANCH_NO_FUNCTION: its code is not known */
	uint32_t instruction; /* index; FLOW_NONE: none begins there */
};

/* All branches from one instruction to another. */
struct branch_edge {
	struct branch_end from, to;
	bool is_call; /* of a known function by known code: as it calls, or as it ends */
	uint64_t count, n_mispredicted;
};

struct branch_paths {
	const struct profile *profile; /* borrowed; the frames are of its modules */
	struct symbolizer *symbolizer; /* of the profile; borrowed */
	struct branch_function *functions;
	uint32_t n_functions, functions_allocated;
	struct branch_path *paths;
	uint32_t n_paths, paths_allocated;
	struct branch_edge *edges; /* without those that lead into the kernel and out of it */
	uint32_t n_edges, edges_allocated;
	struct flow_edge *jumps; /* those taken by the paths */
	uint32_t n_jumps, jumps_allocated;
	/* Stacks, branches in them, those of them that leave code whose bytes are not known, and
	 * the places where a stack did not fit the code: it is
	 * followed anew from there. */
	uint64_t n_stacks, n_branches, n_unknown, n_broken;
	/* Stacks whose sample has no callers, or other functions than the stack ends in. */
	uint64_t n_without_callers;
	struct branch_contexts contexts;
	struct hash_table by_path;
	struct pair_map by_frame, by_start, by_edge;
	struct branch_walk *walk;
};

/* 0 or -ENOMEM; paths that failed are to be released, too. */
int branch_paths_init(struct branch_paths *paths, const struct profile *profile,
		      struct symbolizer *symbolizer);
void branch_paths_deinit(struct branch_paths *paths);
/* Finds the function and instruction at a frame of code, whose address in the process is @addr. 0
 * or -ENOMEM. */
int branch_paths_place(struct branch_paths *paths, const struct frame *frame, uint64_t addr,
		       struct branch_place *place_ret);
/*
 * @steps: all branches that were taken between the first and the last one, oldest first. @callers:
 * of the sample, in paths->contexts: paths in different contexts are different paths; NULL: they
 * are not. 0 or -ENOMEM.
 */
int branch_paths_add(struct branch_paths *paths, const struct branch_step *steps, size_t n_steps,
		     const struct branch_callers *callers);
/* Where a walk over the blocks of a path is; all zeros: before the first one. */
struct path_position {
	uint32_t at;      /* the block's first instruction, or the path's */
	uint32_t n_jumps; /* those up to there */
	bool is_begun;
};
/* Goes to the next block. false: there is none. */
bool branch_paths_next_block(const struct branch_paths *paths, const struct branch_path *path,
			     struct path_position *position);

#endif
