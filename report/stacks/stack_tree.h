/*
 * The call paths of a profile for other programs: a tree whose nodes are functions, also those that
 * are inlined, and the marks in brackets that say why a path begins or ends where it does. It has
 * no processes: equal paths of several ones are one. The boundary to the kernel is left out.
 *
 * Nodes, frames and functions are numbered from 0 on, in the order of the profile's tree; a parent
 * has a lower number than its children.
 */
#ifndef REPORT_STACKS_STACK_TREE_H
#define REPORT_STACKS_STACK_TREE_H

#include "cct/base/pair_map.h"
#include "cct/model/profile.h"
#include "report/fold/node_index.h"
#include "report/names/symbolize.h"

#define STACK_NONE NODE_NONE

/* What makes two frames different ones. */
enum stack_detail {
	STACKS_OF_FUNCTIONS,
	STACKS_OF_LINES, /* functions with their source lines */
	STACKS_OF_CODE,  /* addresses; each inlined function at one is a frame, too */
};

enum stack_kind {
	STACK_USER,
	STACK_KERNEL,
	STACK_JIT,  /* code that was made at run time */
	STACK_MARK, /* no function, but why a path begins or ends here */
	N_STACK_KINDS
};

struct stack_function {
	const char *name;   /* the symbolizer's */
	const char *file;   /* where it was first seen; NULL: not known */
	uint32_t line;      /* its lowest line in that file that was seen; 0: none */
	uint32_t module;    /* 0: none */
	uint32_t first_cct; /* the number of the frame in cct->frames that it was first seen at */
	uint64_t start; /* of its symbol, as offsets of frames; without one, that frame's offset */
	enum stack_kind kind;
};

struct stack_frame {
	uint32_t function;
	const char *file; /* NULL: not known; equal files are one string */
	uint32_t line;    /* 0: not known */
	uint32_t cct;     /* as first_cct */
	uint32_t depth;   /* 0: compiled; n: the nth that is inlined at its address, which of code
			     is the nth frame after the compiled one */
};

struct stack_node {      /* begins as struct node_key */
	uint32_t parent; /* STACK_NONE: outermost */
	uint32_t frame;
};

struct stack_tree {
	struct stack_function *functions;
	uint32_t n_functions, n_functions_allocated;
	struct stack_frame *frames;
	uint32_t n_frames, n_frames_allocated;
	struct stack_node *nodes;
	uint32_t n_nodes, n_nodes_allocated;
	uint32_t *node_of; /* by node of the profile's tree: its innermost; STACK_NONE: no function
			      is on its path */
	struct source_paths *paths;
};

/* @symbolizer, whose strings functions and frames borrow, must live as long. 0 or -ENOMEM. */
int stack_tree_create(const struct profile *profile, struct symbolizer *symbolizer,
		      enum stack_detail detail, struct stack_tree **tree_ret);
/* NULL is fine. */
void stack_tree_destroy(struct stack_tree *tree);

#endif
