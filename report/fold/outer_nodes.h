/*
 * Recursion in a fold: which node above a node is of the same row of a flat view. A sample counts
 * once in a row's inclusive cost, so only nodes without such a node add to it, and a flat view
 * takes one pass over the nodes in the order in which they are.
 */
#ifndef REPORT_FOLD_OUTER_NODES_H
#define REPORT_FOLD_OUTER_NODES_H

#include "report/fold/fold.h"

/*
 * The group of each entity, which is one of its entities: itself; or, by module, the first entity
 * of the module, or of code outside all modules, one group for each kind. @group has room for all
 * entities. 0 or -ENOMEM.
 */
int fold_group_entities(const struct fold *fold, enum fold_grouping grouping, uint32_t *group);
/* By node: the nearest node above it whose entity is of the same group; 0: none. The caller frees
 * it. NULL: out of memory. */
uint32_t *outer_nodes_find(const struct fold *fold, const uint32_t *group);
/* Notes ->outer of a fold, so that flat views of it, and of folds that are made of it, take that
 * pass alone. 0 or -ENOMEM. */
int fold_note_outer(struct fold *fold);
/* Prepares room for ->outer in @into, if @from has it. 0 or -ENOMEM. */
int fold_copy_outer_begin(struct fold *into, const struct fold *from);

#endif
