/* A walk over the nodes of a fold, depth first. */
#ifndef REPORT_FOLD_FOLD_WALK_H
#define REPORT_FOLD_FOLD_WALK_H

#include "report/fold/fold.h"

struct fold_walk {
	const struct fold *fold;
	uint32_t *first_child, *next; /* by node; 0: none, because the root is not a child */
	uint32_t node;                /* the present one */
	bool is_leaving;              /* its children were visited */
	bool has_begun;
};

/* Borrows @fold. 0 or -ENOMEM. */
int fold_walk_init(struct fold_walk *walk, const struct fold *fold);
void fold_walk_deinit(struct fold_walk *walk);
/*
 * Each node is entered, then come its children, then it is left. Needs no memory in proportion to
 * the depth: trees may be as deep as the input made them. false: the root was left.
 */
bool fold_walk_next(struct fold_walk *walk);

#endif
