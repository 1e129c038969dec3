#include "report/html/page_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

struct sibling {
	uint32_t parent, node;
	uint64_t cost;
};

static int compare_siblings(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* All nodes but the root, children of one node next to each other. NULL: out of memory. */
static struct sibling *sort_siblings(const struct page_tree *tree)
{
	const struct fold *fold = tree->fold;
	struct sibling *siblings = calloc(fold->n_nodes, sizeof(*siblings));

	if (!siblings)
		return NULL;
	for (uint32_t i = 1; i < fold->n_nodes; i++)
		siblings[i - 1] = (struct sibling){
			.parent = fold->nodes[i].parent,
			.node = i,
			.cost = fold->total[(size_t)i * fold->n_metrics + tree->metric],
		};
	qsort(siblings, fold->n_nodes - 1, sizeof(*siblings), compare_siblings);
	return siblings;
}

/* @first: by node, the place of its first child among the siblings, and 1; 0: it has none. @at: by
 * node, its own place there. */
static void walk(struct page_tree *tree, const struct sibling *siblings, const uint32_t *first,
		 uint32_t *at)
{
	const uint32_t n = tree->fold->n_nodes;
	uint32_t node = 0, depth = 0;

	for (uint32_t place = 0; place < n; place++) {
		tree->nodes[place] = node;
		tree->places[node] = place;
		tree->depths[place] = depth++;
		uint32_t next = first[node];
		while (!next && node) {
			const uint32_t after = at[node] + 1;

			depth--;
			if (after < n - 1 && siblings[after].parent == siblings[after - 1].parent)
				next = after + 1;
			else
				node = tree->fold->nodes[node].parent;
		}
		if (!next)
			return;
		node = siblings[next - 1].node;
		at[node] = next - 1;
	}
}

int page_tree_init(struct page_tree *tree, const struct fold *fold, uint32_t metric)
{
	const size_t n = fold->n_nodes;

	*tree = (struct page_tree){ .fold = fold, .metric = metric };
	tree->nodes = calloc(n, sizeof(*tree->nodes));
	tree->places = calloc(n, sizeof(*tree->places));
	tree->depths = calloc(n, sizeof(*tree->depths));
	_cleanup_free_ struct sibling *siblings = sort_siblings(tree);
	_cleanup_free_ uint32_t *first = calloc(n, sizeof(*first));
	_cleanup_free_ uint32_t *at = calloc(n, sizeof(*at));
	if (!tree->nodes || !tree->places || !tree->depths || !siblings || !first || !at)
		return -ENOMEM;
	for (uint32_t i = fold->n_nodes - 1; i-- > 0;)
		first[siblings[i].parent] = i + 1;
	walk(tree, siblings, first, at);
	return 0;
}

void page_tree_deinit(struct page_tree *tree)
{
	free(tree->nodes);
	free(tree->places);
	free(tree->depths);
}
