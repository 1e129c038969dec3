/*
 * The calling context tree: nodes in creation order. A path makes each node right after its parent,
 * so most have the number after their parent's: there they are found. The others, which are not a
 * parent's first child, or whose parent is older, are found by a hash of (parent, frame).
 */
#include "cct/model/cct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

/* @frame: its number. */
static uint32_t node_hash(uint32_t parent, uint32_t frame)
{
	uint64_t hash = (uint64_t)parent << 32 | frame;

	hash *= 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 29;
	hash *= 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(hash >> 32);
}

/*
 * A slot of the index is the number of a node, with the bits of its hash that the slot's place does
 * not tell: look-ups need no node but the one that is looked for. The number fits, because there
 * are more slots than nodes.
 */
static uint32_t make_slot(const struct cct *cct, uint32_t node, uint32_t hash)
{
	const uint32_t mask = cct->by_frame.n_slots - 1;

	return (hash & ~mask) | node;
}

static uint32_t slot_node(const struct cct *cct, uint32_t slot)
{
	return slot & (cct->by_frame.n_slots - 1);
}

struct node_key {
	uint32_t parent, frame, hash;
};

static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != CCT_ROOT;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct cct *cct = owner;
	const struct node_key *wanted = key;
	const uint32_t number = slot_node(cct, *(const uint32_t *)slot);

	if (*(const uint32_t *)slot != make_slot(cct, number, wanted->hash))
		return false;
	const struct cct_node *node = &cct->nodes[number];
	return node->parent == wanted->parent && node->frame == wanted->frame;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct cct *cct = owner;
	const struct cct_node *node = &cct->nodes[slot_node(cct, *(const uint32_t *)slot)];

	return node_hash(node->parent, node->frame);
}

static const struct hash_table_type nodes_by_frame = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 4096,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

int cct_reserve(struct cct *cct, uint32_t n_more)
{
	const size_t n_costs = (size_t)cct->n_nodes * cct->n_metrics;
	const size_t n_more_costs = (size_t)n_more * cct->n_metrics;

	if (array_reserve(cct->nodes, cct->n_nodes, cct->n_nodes_allocated, n_more))
		return -ENOMEM;
	if (cct->longest_metric != CCT_NONE &&
	    array_reserve(cct->longest, cct->n_nodes, cct->n_longest_allocated, n_more))
		return -ENOMEM;
	if (cct->activations &&
	    array_reserve(cct->activations, cct->n_nodes, cct->n_activations_allocated, n_more))
		return -ENOMEM;
	if (cct->squares &&
	    array_reserve(cct->squares, n_costs, cct->n_squares_allocated, n_more_costs))
		return -ENOMEM;
	return array_reserve(cct->costs, n_costs, cct->n_costs_allocated, n_more_costs);
}

static uint32_t cct_append(struct cct *cct, uint32_t parent, uint32_t frame)
{
	if (cct_reserve(cct, 1))
		return CCT_NONE;

	uint32_t node = cct->n_nodes++;
	cct->nodes[node] = (struct cct_node){
		.frame = frame & (FRAME_IDS_MAX - 1),
		.parent = parent,
		.first_child = CCT_NONE,
		.next_sibling = CCT_NONE,
	};
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		*cct_cost(cct, node, metric) = (struct cct_cost){ 0 };
	if (cct->longest)
		cct->longest[node] = 0;
	if (cct->activations)
		cct->activations[node] = 0;
	if (cct->squares)
		memset(cct->squares + (size_t)node * cct->n_metrics, 0,
		       cct->n_metrics * sizeof(*cct->squares));
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
	cct->longest_metric = CCT_NONE;
	const uint32_t frame = frame_ids_enter(&cct->frames, &root);
	if (frame == FRAME_IDS_NONE || cct_append(cct, CCT_NONE, frame) == CCT_NONE) {
		cct_destroy(cct);
		return NULL;
	}
	return cct;
}

struct cct *cct_create_like(const struct cct *cct)
{
	struct cct *made = cct_create(cct->n_metrics);

	if (made && ((cct->longest && cct_keep_longest(made, cct->longest_metric)) ||
		     (cct->activations && cct_keep_activations(made)) ||
		     (cct->squares && cct_keep_squares(made)))) {
		cct_destroy(made);
		return NULL;
	}
	return made;
}

void cct_destroy(struct cct *cct)
{
	if (!cct)
		return;
	free(cct->nodes);
	free(cct->costs);
	free(cct->longest);
	free(cct->activations);
	free(cct->squares);
	frame_ids_deinit(&cct->frames);
	path_marks_deinit(&cct->marks);
	hash_table_deinit(&cct->by_frame);
	free(cct);
}

int cct_keep_longest(struct cct *cct, uint32_t metric)
{
	if (array_reserve(cct->longest, 0, cct->n_longest_allocated, cct->n_nodes))
		return -ENOMEM;
	memset(cct->longest, 0, cct->n_nodes * sizeof(*cct->longest));
	cct->longest_metric = metric;
	return 0;
}

int cct_keep_activations(struct cct *cct)
{
	if (cct->activations)
		return 0;
	cct->activations = calloc(cct->n_nodes, sizeof(*cct->activations));
	if (!cct->activations)
		return -ENOMEM;
	cct->n_activations_allocated = cct->n_nodes;
	return 0;
}

void cct_drop_activations(struct cct *cct)
{
	free(cct->activations);
	cct->activations = NULL;
	cct->n_activations_allocated = 0;
}

static bool is_kernel_mark(const struct frame *frame)
{
	return frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL;
}

void cct_count_calls(struct cct *cct, uint32_t node, size_t n)
{
	bool is_entry = false; /* the frame further in is counted */

	for (; node != CCT_ROOT; node = cct->nodes[node].parent) {
		const struct frame *frame = cct_frame(cct, node);
		const bool is_code = frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL;

		if (frame_is_inner(frame)) {
			cct->activations[node] += n > 0;
			continue; /* it is counted where its outer part is */
		}
		if (is_kernel_mark(frame) && is_entry)
			cct->activations[node]++;
		is_entry = is_code && n > 0;
		if (is_entry)
			cct->activations[node]++;
		else if (is_code)
			return;
		n -= is_entry;
	}
}

int cct_keep_squares(struct cct *cct)
{
	const size_t n = (size_t)cct->n_nodes * cct->n_metrics;

	/* One more, so that there is an array without metrics, too. */
	if (array_reserve(cct->squares, 0, cct->n_squares_allocated, n + 1))
		return -ENOMEM;
	memset(cct->squares, 0, n * sizeof(*cct->squares));
	return 0;
}

void cct_drop_squares(struct cct *cct)
{
	free(cct->squares);
	cct->squares = NULL;
	cct->n_squares_allocated = 0;
}

/* Squares of the weights of @n_old metrics get room for more. */
static int widen_squares(struct cct *cct, size_t n_old, size_t n_metrics)
{
	if (array_reserve(cct->squares, 0, cct->n_squares_allocated, cct->n_nodes * n_metrics))
		return -ENOMEM;
	for (size_t node = cct->n_nodes; node-- > 0;) {
		unsigned __int128 *squares = cct->squares + node * n_metrics;

		memmove(squares, cct->squares + node * n_old, n_old * sizeof(*squares));
		memset(squares + n_old, 0, (n_metrics - n_old) * sizeof(*squares));
	}
	return 0;
}

int cct_widen(struct cct *cct, uint32_t n_metrics)
{
	const size_t n_old = cct->n_metrics;

	if (n_metrics <= n_old)
		return 0;
	if (array_reserve(cct->costs, 0, cct->n_costs_allocated, (size_t)cct->n_nodes * n_metrics))
		return -ENOMEM;
	if (cct->squares && widen_squares(cct, n_old, n_metrics))
		return -ENOMEM;
	for (size_t node = cct->n_nodes; node-- > 0;) {
		struct cct_cost *costs = cct->costs + node * n_metrics;

		if (n_old)
			memmove(costs, cct->costs + node * n_old, n_old * sizeof(*costs));
		memset(costs + n_old, 0, (n_metrics - n_old) * sizeof(*costs));
	}
	cct->n_metrics = n_metrics;
	return 0;
}

void cct_drop_index(struct cct *cct)
{
	hash_table_deinit(&cct->by_frame);
	frame_ids_drop_index(&cct->frames);
}

static void index_node(struct cct *cct, uint32_t node, uint32_t hash)
{
	uint32_t *slot = hash_table_insert(&cct->by_frame, &nodes_by_frame, hash, cct);

	*slot = make_slot(cct, node, hash);
}

static bool is_next_to_parent(const struct cct *cct, uint32_t node)
{
	return cct->nodes[node].parent == node - 1;
}

static uint32_t count_indexed(const struct cct *cct)
{
	uint32_t n = 0;

	for (uint32_t node = CCT_ROOT + 1; node < cct->n_nodes; node++)
		n += !is_next_to_parent(cct, node);
	return n;
}

/* Makes the index with room for one node more, or makes it again when it is full: the old one goes
 * first, and nodes are read in their order. 0 or -ENOMEM. */
static int make_index(struct cct *cct)
{
	const uint32_t n_indexed = count_indexed(cct) + 1, n_least = cct->n_nodes / 2 + 1;

	hash_table_deinit(&cct->by_frame);
	if (hash_table_reserve(&cct->by_frame, &nodes_by_frame,
			       n_indexed > n_least ? n_indexed : n_least, cct))
		return -ENOMEM;
	for (uint32_t node = CCT_ROOT + 1; node < cct->n_nodes; node++) {
		if (!is_next_to_parent(cct, node))
			index_node(cct, node,
				   node_hash(cct->nodes[node].parent, cct->nodes[node].frame));
	}
	return 0;
}

/* Whether the next node can be put into the index: there is a place, and its number fits. */
static bool index_has_room(const struct cct *cct)
{
	return cct->by_frame.n_used < cct->by_frame.n_slots / 2 &&
	       cct->n_nodes < cct->by_frame.n_slots;
}

/* Whether a node has children that are not next to it. */
static bool has_far_children(const struct cct *cct, uint32_t node)
{
	const uint32_t newest = cct->nodes[node].first_child;

	return newest != CCT_NONE && newest != node + 1;
}

/* A child that is not next to its parent, if it is there. -ENOENT, or -ENOMEM. */
static int find_far_child(struct cct *cct, const struct node_key *key, uint32_t *node_ret)
{
	if (!cct->by_frame.n_slots && make_index(cct))
		return -ENOMEM;
	const uint32_t *known =
		hash_table_find(&cct->by_frame, &nodes_by_frame, key->hash, key, cct);

	if (!known)
		return -ENOENT;
	*node_ret = slot_node(cct, *known);
	return 0;
}

/* cct_child() of a frame by its number. */
static uint32_t child_by_number(struct cct *cct, uint32_t parent, uint32_t frame)
{
	const uint32_t next = parent + 1;

	if (next < cct->n_nodes && is_next_to_parent(cct, next) && cct->nodes[next].frame == frame)
		return next;
	const struct node_key key = { parent, frame, node_hash(parent, frame) };
	uint32_t node = CCT_NONE;
	int err = has_far_children(cct, parent) ? find_far_child(cct, &key, &node) : -ENOENT;
	if (err != -ENOENT)
		return node;
	const bool is_far = next != cct->n_nodes;
	if (is_far && !index_has_room(cct) && make_index(cct))
		return CCT_NONE;
	node = cct_append(cct, parent, frame);
	if (node != CCT_NONE && is_far)
		index_node(cct, node, key.hash);
	return node;
}

uint32_t cct_child(struct cct *cct, uint32_t parent, const struct frame *frame)
{
	const uint32_t number = frame_ids_enter(&cct->frames, frame);

	return number == FRAME_IDS_NONE ? CCT_NONE : child_by_number(cct, parent, number);
}

int frame_numbers_init(struct frame_numbers *numbers, struct cct *cct, const struct frame *frames,
		       uint32_t n_frames)
{
	*numbers = (struct frame_numbers){
		.cct = cct,
		.frames = frames,
		.numbers = calloc((size_t)n_frames + 1, sizeof(*numbers->numbers)),
	};
	return numbers->numbers ? 0 : -ENOMEM;
}

void frame_numbers_deinit(struct frame_numbers *numbers)
{
	free(numbers->numbers);
}

uint32_t frame_numbers_child(const struct frame_numbers *numbers, uint32_t parent, uint32_t i)
{
	uint32_t *known = &numbers->numbers[i];

	if (!*known) {
		const uint32_t number = frame_ids_enter(&numbers->cct->frames, &numbers->frames[i]);

		if (number == FRAME_IDS_NONE)
			return CCT_NONE;
		*known = number + 1;
	}
	return child_by_number(numbers->cct, parent, *known - 1);
}

uint32_t cct_add_child(struct cct *cct, uint32_t parent, uint32_t frame)
{
	hash_table_deinit(&cct->by_frame); /* it lacks the node from now on */
	return cct_append(cct, parent, frame);
}

static uint32_t marks_of(const struct frame *frame)
{
	switch ((enum frame_origin)frame->origin) {
	case FRAME_BY_CFI:
		return 0;
	case FRAME_GUESSED:
		return 1u << PATH_GUESSED;
	case FRAME_STITCHED:
		return 1u << PATH_STITCHED;
	case FRAME_JOINED:
		return 1u << PATH_JOINED;
	}
	return 0;
}

uint32_t cct_insert_path(struct cct *cct, uint32_t parent, const struct frame *frames,
			 size_t n_frames)
{
	for (size_t i = 0; i < n_frames && parent != CCT_NONE; i++) {
		parent = cct_child(cct, parent, &frames[i]);
		if (parent != CCT_NONE)
			cct->nodes[parent].frame_marks |= marks_of(&frames[i]);
	}
	return parent;
}

bool cct_path_is_folded(const struct cct *cct, uint32_t node)
{
	for (; cct_frame(cct, node)->kind == FRAME_MARKER; node = cct->nodes[node].parent) {
		if (cct_frame(cct, node)->offset == MARKER_SEEN_ONCE)
			return true;
	}
	return false;
}

int cct_add_costs(struct cct *into, uint32_t to, const struct cct *from, uint32_t node)
{
	if (path_marks_add_all(&into->marks, to, path_marks_of(&from->marks, node)))
		return -ENOMEM;
	for (uint32_t metric = 0; metric < from->n_metrics; metric++) {
		struct cct_cost *cost = cct_cost(into, to, metric);

		cost->samples += cct_cost(from, node, metric)->samples;
		cost->weight += cct_cost(from, node, metric)->weight;
	}
	if (into->longest && from->longest && from->longest[node] > into->longest[to])
		into->longest[to] = from->longest[node];
	for (size_t i = 0; into->squares && from->squares && i < from->n_metrics; i++)
		into->squares[(size_t)to * into->n_metrics + i] +=
			from->squares[(size_t)node * from->n_metrics + i];
	return 0;
}

/* Adds what @from has at @node to the node @to of @into. 0 or -ENOMEM. */
static int merge_node(struct cct *into, uint32_t to, const struct cct *from, uint32_t node)
{
	into->nodes[to].frame_marks |= from->nodes[node].frame_marks;
	cct_add_activations(into, to, from, node);
	return cct_add_costs(into, to, from, node);
}

struct merging {
	struct cct *into;
	const struct cct *from;
	enum frame_kind without;
	const bool *is_used;         /* NULL: all nodes are */
	struct frame_numbers frames; /* of ->from in ->into */
};

/* What a node becomes; @map: those before it. CCT_NONE: out of memory. */
static uint32_t enter_node(const struct merging *merging, uint32_t number, const uint32_t *map)
{
	const struct cct_node *node = &merging->from->nodes[number];

	if (node->parent == CCT_NONE)
		return CCT_ROOT;
	if (cct_frame(merging->from, number)->kind == merging->without)
		return map[node->parent];
	return frame_numbers_child(&merging->frames, map[node->parent], node->frame);
}

static int merge_nodes(const struct merging *merging, uint32_t *map)
{
	for (uint32_t node = 0; node < merging->from->n_nodes; node++) {
		map[node] = CCT_NONE;
		if (merging->is_used && !merging->is_used[node])
			continue;
		map[node] = enter_node(merging, node, map);
		if (map[node] == CCT_NONE ||
		    merge_node(merging->into, map[node], merging->from, node))
			return -ENOMEM;
	}
	return 0;
}

/* Without @is_used, all nodes are. */
static int merge(struct cct *into, const struct cct *from, enum frame_kind without,
		 const bool *is_used, uint32_t *map)
{
	struct merging merging = {
		.into = into, .from = from, .without = without, .is_used = is_used
	};
	int err = frame_numbers_init(&merging.frames, into, from->frames.frames,
				     from->frames.n_frames);

	if (!err)
		err = merge_nodes(&merging, map);
	frame_numbers_deinit(&merging.frames);
	return err;
}

int cct_merge_without(struct cct *into, const struct cct *from, enum frame_kind kind)
{
	uint32_t *map = malloc((size_t)from->n_nodes * sizeof(*map));
	int err = map ? merge(into, from, kind, NULL, map) : -ENOMEM;

	free(map);
	return err;
}

int cct_merge_mapped(struct cct *into, const struct cct *from, uint32_t *map)
{
	return merge(into, from, FRAME_ROOT, NULL, map);
}

static bool has_samples(const struct cct *cct, uint32_t node)
{
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		if (cct_cost(cct, node, metric)->samples)
			return true;
	}
	return false;
}

int cct_merge_used(struct cct *into, const struct cct *from, uint32_t *map)
{
	bool *is_used = calloc(from->n_nodes, sizeof(*is_used));

	if (!is_used)
		return -ENOMEM;
	for (uint32_t node = from->n_nodes; node-- > 1;) {
		is_used[node] |= has_samples(from, node);
		is_used[from->nodes[node].parent] |= is_used[node];
	}
	is_used[CCT_ROOT] = true;
	int err = merge(into, from, FRAME_ROOT, is_used, map);
	free(is_used);
	return err;
}

int cct_merge(struct cct *into, const struct cct *from)
{
	return cct_merge_without(into, from, FRAME_ROOT);
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
