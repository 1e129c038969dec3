/*
 * One walk over the tree adds up the costs; a count per slot of its occurrences on the current path
 * prevents counting a sample twice.
 */
#include "report/annotate/annotate_costs.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "report/annotate/annotate_maps.h"

static uint64_t *inclusive_costs(const struct cct *cct)
{
	size_t n_metrics = cct->n_metrics;
	uint64_t *totals = calloc(cct->n_nodes * n_metrics + 1, sizeof(*totals));

	for (uint32_t i = cct->n_nodes; totals && i-- > 0;) {
		for (uint32_t metric = 0; metric < n_metrics; metric++) {
			uint64_t *total = &totals[i * n_metrics + metric];

			*total += cct_cost(cct, i, metric)->weight;
			if (cct->nodes[i].parent != CCT_NONE)
				totals[cct->nodes[i].parent * n_metrics + metric] += *total;
		}
	}
	return totals;
}

/* State of the walk over the tree. */
struct walk {
	struct annotation *annotation;
	const uint32_t *by_node;
	const uint64_t *totals;
	uint32_t *on_path; /* by slot */
};

static void enter(const struct walk *walk, uint32_t node)
{
	struct annotation *annotation = walk->annotation;
	const struct cct *cct = annotation->profile->cct;
	uint32_t n = annotation->n_metrics, index = walk->by_node[node];
	struct frame_hits hits = { 0 };

	if (index != ANNOTATE_NONE)
		hits = annotation->maps->frame_hits[index];
	for (uint32_t i = hits.first; i < hits.first + hits.n; i++) {
		const struct hit *hit = &annotation->maps->hits[i];
		uint64_t *costs = annotation->costs + (size_t)hit->slot * 3 * n;
		bool is_first = !walk->on_path[hit->slot]++;

		for (uint32_t metric = 0; metric < n; metric++) {
			const struct cct_cost *cost = cct_cost(cct, node, metric);

			costs[metric] += hit->is_self ? cost->weight : 0;
			costs[n + metric] += is_first ? walk->totals[(size_t)node * n + metric] : 0;
			costs[2 * n + metric] += hit->is_self ? cost->samples : 0;
		}
	}
}

static void leave(const struct walk *walk, uint32_t node)
{
	const struct annotation_maps *maps = walk->annotation->maps;
	uint32_t index = walk->by_node[node];
	struct frame_hits hits = { 0 };

	if (index != ANNOTATE_NONE)
		hits = maps->frame_hits[index];
	for (uint32_t i = hits.first; i < hits.first + hits.n; i++)
		walk->on_path[maps->hits[i].slot]--;
}

/* Depth first, without a stack: trees may be as deep as the input made them. */
static void walk_tree(const struct walk *walk)
{
	const struct cct *cct = walk->annotation->profile->cct;
	uint32_t node = CCT_ROOT;

	enter(walk, node);
	for (;;) {
		uint32_t next = cct->nodes[node].first_child;

		while (next == CCT_NONE) {
			leave(walk, node);
			if (node == CCT_ROOT)
				return;
			next = cct->nodes[node].next_sibling;
			if (next == CCT_NONE)
				node = cct->nodes[node].parent;
		}
		node = next;
		enter(walk, node);
	}
}

int annotation_add_costs(struct annotation *annotation, const uint32_t *by_node)
{
	_cleanup_free_ uint64_t *totals = inclusive_costs(annotation->profile->cct);
	uint32_t *on_path = calloc((size_t)annotation->n_slots + 1, sizeof(*on_path));
	bool has_memory;

	annotation->costs = calloc((size_t)annotation->n_slots * 3 * annotation->n_metrics + 1,
				   sizeof(*annotation->costs));
	has_memory = totals && on_path && annotation->costs;
	if (has_memory)
		walk_tree(&(struct walk){ annotation, by_node, totals, on_path });
	free(on_path);
	return has_memory ? 0 : -ENOMEM;
}
