/*
 * The nodes of a fold in the order in which the page has them: depth first, siblings by falling
 * cost. So a subtree is a range of places, and depths suffice to find parents.
 */
#ifndef REPORT_HTML_PAGE_TREE_H
#define REPORT_HTML_PAGE_TREE_H

#include "report/fold/fold.h"

struct page_tree {
	const struct fold *fold;
	uint32_t metric;  /* of the order */
	uint32_t *nodes;  /* [place]: the fold's node; place 0 is the root */
	uint32_t *places; /* [node] */
	uint32_t *depths; /* [place]; of the root 0 */
};

/* Borrows @fold. 0 or -ENOMEM; page_tree_deinit() follows in any case. */
int page_tree_init(struct page_tree *tree, const struct fold *fold, uint32_t metric);
void page_tree_deinit(struct page_tree *tree);

/* A node's inclusive cost in the metric of the order. */
static inline uint64_t page_tree_total(const struct page_tree *tree, uint32_t place)
{
	return tree->fold->total[(size_t)tree->nodes[place] * tree->fold->n_metrics + tree->metric];
}

#endif
