/*
 * The fold of a whole profile, from which folds of parts are made, and which of its nodes a part
 * has.
 */
#ifndef REPORT_SCOPE_REFOLD_BASE_H
#define REPORT_SCOPE_REFOLD_BASE_H

#include "report/fold/fold_profile.h"
#include "report/selection/function_pattern.h"

#define REFOLD_MAX_CONDITIONS 64

/* A node of the tree, in the order of a walk that visits a node, then its children. */
struct refold_step {
	uint32_t frame, base_node; /* of that node, for walks that read one after the other */
	uint32_t depth;            /* of the root: 0 */
	uint32_t end;              /* the step after all nodes below it */
};

/* All nodes of the tree, for walks that add up what is below some. */
struct refold_steps {
	struct refold_step *steps;
	uint32_t n_steps; /* 0: not looked for so far */
	uint32_t n_levels;
	/* [step * 2 * n_metrics]: the costs, then the samples, of all steps before it. The last
	 * one, after all steps, has the costs of the whole. */
	uint64_t *sums;
	uint32_t *nodes;  /* by step; NULL: the tree has nothing of a node but costs */
	uint32_t *frames; /* of the nodes, each frame once, in the order of nodes */
	uint32_t n_frames;
};

/* A profile's fold, with the kernel's functions below those that entered it. */
struct refold_base {
	const struct profile *profile; /* borrowed; its tree has processes below the root */
	struct fold *fold;             /* owned; without activations */
	uint32_t *nodes;               /* of the tree -> of the fold; owned */
	bool has_groups;               /* some rows are of several processes */
	bool has_frame_marks;
	/* By entity, owned; zeros for what is no code. NULL: not looked for so far. */
	struct function_names *names;
	struct refold_steps steps; /* owned */
	/* Of the whole, for VIEW_LINES (report/scope/scope_lines.h); owned. NULL: not made so far.
	 */
	struct fold *lines;
};

/* What a path must have, and must not: bits of conditions, which entities on it meet. */
struct refold_conditions {
	const uint64_t *met; /* by entity; NULL: there are no conditions */
	uint64_t wanted, unwanted;
};

/* @options: kernel does not count. 0 or -errno; deinit follows in any case. */
int refold_base_init(struct refold_base *base, const struct profile *profile,
		     struct symbolizer *symbolizer, const struct view_options *options);
void refold_base_deinit(struct refold_base *base);
/* Finds ->names, if they are not there. 0 or -ENOMEM. */
int refold_base_name(struct refold_base *base);
/* Finds ->steps, if they are not there. 0 or -ENOMEM. */
int refold_base_find_steps(struct refold_base *base);
/*
 * What selections and flat views of any part need of the whole, so that they need not look for it:
 * ->names, and which nodes are recursive. 0 or -ENOMEM.
 */
int refold_base_prepare(struct refold_base *base);
/* By node of the base: whether it has samples, and they are selected. Conditions have ->met. 0;
 * -ENOENT: none is; or -ENOMEM. */
int refold_select(const struct refold_base *base, const struct refold_conditions *conditions,
		  bool *is_selected);

#endif
