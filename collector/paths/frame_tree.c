#include "collector/paths/frame_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

/*
 * A slot of either table is the index of a node, below the upper bits of its hash: look-ups need no
 * node but the one that is looked for.
 */
#define NODE_BITS 20
/* Nodes whose slots memory is asked for before they are needed. */
#define FETCHED_AHEAD 8
static_assert(FRAME_NODES_MAX < 1u << NODE_BITS, "the numbers of nodes");

struct node_key {
	uint32_t above; /* the parent, or the root */
	const struct placed_frame *at;
	uint32_t hash;
};

static uint32_t make_slot(uint32_t node, uint32_t hash)
{
	return (hash & ~0u << NODE_BITS) | node;
}

static uint32_t slot_node(uint32_t slot)
{
	return slot & ~(~0u << NODE_BITS);
}

/* Whether @slot may be that of a key with @hash. */
static bool slot_has_hash(uint32_t slot, uint32_t hash)
{
	return (slot ^ hash) >> NODE_BITS == 0;
}

static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != FRAME_NONE;
}

static const struct frame_node *node_of(const void *slot, const void *owner)
{
	return &((const struct frame_tree *)owner)->nodes[slot_node(*(const uint32_t *)slot)];
}

static uint32_t hash_of(uint32_t above, const struct placed_frame *at)
{
	return hash_pair(at->sp ^ (uint64_t)above << 40, at->addr);
}

static bool has_parent_and_frame(const void *slot, const void *key, const void *owner)
{
	const struct node_key *wanted = key;

	if (!slot_has_hash(*(const uint32_t *)slot, wanted->hash))
		return false;
	const struct frame_node *node = node_of(slot, owner);
	return node->parent == wanted->above && frame_is_at(&node->at, wanted->at);
}

static uint32_t hash_by_parent(const void *slot, const void *owner)
{
	return hash_of(node_of(slot, owner)->parent, &node_of(slot, owner)->at);
}

static bool has_root_and_frame(const void *slot, const void *key, const void *owner)
{
	const struct node_key *wanted = key;

	if (!slot_has_hash(*(const uint32_t *)slot, wanted->hash))
		return false;
	const struct frame_node *node = node_of(slot, owner);
	return node->root == wanted->above && frame_is_at(&node->at, wanted->at);
}

static uint32_t hash_by_place(const void *slot, const void *owner)
{
	return hash_of(node_of(slot, owner)->root, &node_of(slot, owner)->at);
}

static const struct hash_table_type nodes_by_parent = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = has_parent_and_frame,
	.hash = hash_by_parent,
};

static const struct hash_table_type nodes_by_place = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = has_root_and_frame,
	.hash = hash_by_place,
};

void frame_tree_deinit(struct frame_tree *tree)
{
	free(tree->nodes);
	hash_table_deinit(&tree->by_parent);
	hash_table_deinit(&tree->by_place);
	*tree = (struct frame_tree){ .nodes = NULL };
}

/* Of a thread: its address takes a stack pointer's place. */
static struct placed_frame root_frame(const void *thread)
{
	return (struct placed_frame){ .sp = (uintptr_t)thread, .frame = { .kind = FRAME_THREAD } };
}

uint32_t frame_tree_child(const struct frame_tree *tree, uint32_t parent,
			  const struct placed_frame *at)
{
	const struct node_key key = { .above = parent, .at = at, .hash = hash_of(parent, at) };
	const uint32_t *slot =
		hash_table_find(&tree->by_parent, &nodes_by_parent, key.hash, &key, tree);

	return slot ? slot_node(*slot) : FRAME_NONE;
}

/* Makes @node the newest of its likes. The table has room. */
static void add_to_likes(struct frame_tree *tree, uint32_t node)
{
	struct frame_node *of = &tree->nodes[node];
	const struct node_key key = {
		.above = of->root,
		.at = &of->at,
		.hash = hash_of(of->root, &of->at),
	};
	uint32_t *slot = hash_table_find(&tree->by_place, &nodes_by_place, key.hash, &key, tree);

	if (slot) {
		of->next_like = slot_node(*slot);
		of->has_likes = tree->nodes[of->next_like].has_likes = true;
	} else {
		slot = hash_table_insert(&tree->by_place, &nodes_by_place, key.hash, tree);
	}
	*slot = make_slot(node, key.hash);
}

/* Asks memory for the slot of @node's place, which is looked for soon. */
static void fetch_place(const struct frame_tree *tree, uint32_t node)
{
	const struct frame_node *of = &tree->nodes[node];
	const uint32_t i = hash_of(of->root, &of->at) & (tree->by_place.n_slots - 1);

	__builtin_prefetch(hash_table_at(&tree->by_place, &nodes_by_place, i));
}

int frame_tree_place(struct frame_tree *tree)
{
	const uint32_t first = tree->n_placed ? tree->n_placed : FRAME_NONE + 1;

	if (first >= tree->n_nodes)
		return 0;
	int err = hash_table_reserve(&tree->by_place, &nodes_by_place, tree->n_nodes - first, tree);
	if (err)
		return err;
	for (uint32_t node = first; node < tree->n_nodes; node++) {
		if (tree->n_nodes - node > FETCHED_AHEAD)
			fetch_place(tree, node + FETCHED_AHEAD);
		add_to_likes(tree, node);
	}
	tree->n_placed = tree->n_nodes;
	return 0;
}

uint32_t frame_tree_likes(const struct frame_tree *tree, uint32_t root,
			  const struct placed_frame *at)
{
	const struct node_key key = { .above = root, .at = at, .hash = hash_of(root, at) };
	const uint32_t *slot =
		hash_table_find(&tree->by_place, &nodes_by_place, key.hash, &key, tree);

	return slot ? slot_node(*slot) : FRAME_NONE;
}

static int make_room(struct frame_tree *tree)
{
	if (tree->n_nodes >= 1u << NODE_BITS)
		return -ENOMEM;
	int err = array_reserve(tree->nodes, tree->n_nodes, tree->n_nodes_allocated, 2);
	return err ? err : hash_table_reserve(&tree->by_parent, &nodes_by_parent, 1, tree);
}

uint32_t frame_tree_add_child(struct frame_tree *tree, uint32_t parent,
			      const struct placed_frame *at)
{
	uint32_t node = frame_tree_child(tree, parent, at);

	if (node != FRAME_NONE)
		return node;
	if (make_room(tree))
		return FRAME_NONE;
	tree->n_nodes += !tree->n_nodes; /* FRAME_NONE */
	node = tree->n_nodes++;
	const uint32_t root = parent == FRAME_NONE ? node : tree->nodes[parent].root;
	tree->nodes[node] = (struct frame_node){ .at = *at, .root = root, .parent = parent };
	const uint32_t hash = hash_of(parent, at);
	*(uint32_t *)hash_table_insert(&tree->by_parent, &nodes_by_parent, hash, tree) =
		make_slot(node, hash);
	return node;
}

uint32_t frame_tree_root(const struct frame_tree *tree, const void *thread)
{
	const struct placed_frame at = root_frame(thread);

	return frame_tree_child(tree, FRAME_NONE, &at);
}

uint32_t frame_tree_add_root(struct frame_tree *tree, const void *thread)
{
	const struct placed_frame at = root_frame(thread);

	return frame_tree_add_child(tree, FRAME_NONE, &at);
}
