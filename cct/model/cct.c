/* The calling context tree: nodes in creation order, found by a hash of (parent, frame). */
#include "cct/model/cct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t node_hash(uint32_t parent, const struct frame *frame)
{
	uint64_t hash = frame->offset ^ ((uint64_t)frame->module << 40) ^
			((uint64_t)frame->kind << 60) ^ ((uint64_t)parent << 20);

	hash *= 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 29;
	hash *= 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(hash >> 32);
}

static int cct_grow_nodes(struct cct *cct)
{
	uint32_t n = cct->n_nodes_allocated ? cct->n_nodes_allocated * 2 : 1024;
	uint32_t n_metrics = cct->n_metrics;

	if (n >= CCT_NONE / 2)
		return -ENOMEM;
	struct cct_node *nodes = reallocarray(cct->nodes, n, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	cct->nodes = nodes;
	struct cct_cost *costs = reallocarray(cct->costs, (size_t)n * n_metrics, sizeof(*costs));
	if (!costs && n_metrics)
		return -ENOMEM;
	cct->costs = costs;
	cct->n_nodes_allocated = n;
	return 0;
}

static int cct_grow_buckets(struct cct *cct)
{
	uint32_t n = cct->n_buckets ? cct->n_buckets * 2 : 4096;
	uint32_t *buckets = malloc((size_t)n * sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	memset(buckets, 0xff, (size_t)n * sizeof(*buckets));
	for (uint32_t node = 1; node < cct->n_nodes; node++) {
		uint32_t i = node_hash(cct->nodes[node].parent, &cct->nodes[node].frame) & (n - 1);

		while (buckets[i] != CCT_NONE)
			i = (i + 1) & (n - 1);
		buckets[i] = node;
	}
	free(cct->buckets);
	cct->buckets = buckets;
	cct->n_buckets = n;
	return 0;
}

static uint32_t cct_append(struct cct *cct, uint32_t parent, const struct frame *frame)
{
	if (cct->n_nodes == cct->n_nodes_allocated && cct_grow_nodes(cct))
		return CCT_NONE;

	uint32_t node = cct->n_nodes++;
	cct->nodes[node] = (struct cct_node){
		.frame = *frame,
		.parent = parent,
		.first_child = CCT_NONE,
		.next_sibling = CCT_NONE,
	};
	cct->nodes[node].frame.origin = 0;
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		*cct_cost(cct, node, metric) = (struct cct_cost){ 0 };
	if (parent != CCT_NONE) {
		cct->nodes[node].next_sibling = cct->nodes[parent].first_child;
		cct->nodes[parent].first_child = node;
	}
	return node;
}

struct cct *cct_create(uint32_t n_metrics)
{
	struct cct *cct = calloc(1, sizeof(*cct));
	struct frame root = { .kind = FRAME_ROOT };

	if (!cct)
		return NULL;
	cct->n_metrics = n_metrics;
	if (cct_grow_buckets(cct) || cct_append(cct, CCT_NONE, &root) == CCT_NONE) {
		cct_destroy(cct);
		return NULL;
	}
	return cct;
}

void cct_destroy(struct cct *cct)
{
	if (!cct)
		return;
	free(cct->nodes);
	free(cct->costs);
	free(cct->buckets);
	free(cct);
}

const char *cct_path_mark_name(enum path_mark mark)
{
	static const char *const names[N_PATH_MARKS] = {
		[PATH_GUESSED] = "guessed", [PATH_STITCHED] = "stitched"
	};

	return names[mark];
}

uint32_t cct_child(struct cct *cct, uint32_t parent, const struct frame *frame)
{
	uint32_t mask = cct->n_buckets - 1;
	uint32_t i = node_hash(parent, frame) & mask;

	for (; cct->buckets[i] != CCT_NONE; i = (i + 1) & mask) {
		const struct cct_node *node = &cct->nodes[cct->buckets[i]];

		if (node->parent == parent && frame_equal(&node->frame, frame))
			return cct->buckets[i];
	}
	uint32_t node = cct_append(cct, parent, frame);
	if (node == CCT_NONE)
		return CCT_NONE;
	cct->buckets[i] = node;
	/* A table half full keeps probes short. When it can't grow, it serves on until full. */
	if (cct->n_nodes > cct->n_buckets / 2 && cct_grow_buckets(cct) &&
	    cct->n_nodes >= cct->n_buckets - 1)
		return CCT_NONE;
	return node;
}

uint32_t cct_insert_path(struct cct *cct, uint32_t parent, const struct frame *frames,
			 size_t n_frames)
{
	for (size_t i = 0; i < n_frames && parent != CCT_NONE; i++)
		parent = cct_child(cct, parent, &frames[i]);
	return parent;
}

int cct_merge(struct cct *into, const struct cct *from)
{
	uint32_t *map = malloc((size_t)from->n_nodes * sizeof(*map));
	int err = map ? 0 : -ENOMEM;

	for (uint32_t node = 0; !err && node < from->n_nodes; node++) {
		map[node] = node == CCT_ROOT ? CCT_ROOT
					     : cct_child(into, map[from->nodes[node].parent],
							 &from->nodes[node].frame);
		if (map[node] == CCT_NONE) {
			err = -ENOMEM;
			break;
		}
		for (int mark = 0; mark < N_PATH_MARKS; mark++)
			into->nodes[map[node]].marked[mark] += from->nodes[node].marked[mark];
		for (uint32_t metric = 0; metric < from->n_metrics; metric++) {
			struct cct_cost *cost = cct_cost(into, map[node], metric);

			cost->samples += cct_cost(from, node, metric)->samples;
			cost->weight += cct_cost(from, node, metric)->weight;
		}
	}
	free(map);
	return err;
}

struct cct_cost cct_sum(const struct cct *cct, uint32_t metric)
{
	struct cct_cost sum = { 0 };

	for (uint32_t node = 0; node < cct->n_nodes; node++) {
		sum.samples += cct_cost(cct, node, metric)->samples;
		sum.weight += cct_cost(cct, node, metric)->weight;
	}
	return sum;
}
