#include "report/fold/node_index.h"

#include <errno.h>

#include "cct/base/hash.h"

struct node_slot {
	uint32_t node; /* 0: free */
	uint32_t hash;
};

struct node_key {
	uint32_t parent, entity, hash;
};

static bool slot_is_used(const void *slot)
{
	return ((const struct node_slot *)slot)->node != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct node_slot *of = slot;
	const struct node_key *wanted = key;

	if (of->hash != wanted->hash)
		return false;
	const struct fold_node *node = &((const struct fold *)owner)->nodes[of->node];
	return node->parent == wanted->parent && node->entity == wanted->entity;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct node_slot *)slot)->hash;
}

static const struct hash_table_type nodes_by_entity = {
	.slot_size = sizeof(struct node_slot),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

void node_index_deinit(struct node_index *index)
{
	hash_table_deinit(&index->nodes);
}

/* Whether the node after @parent is its child with @entity. */
static bool has_next(const struct fold *fold, uint32_t parent, uint32_t entity)
{
	const struct fold_node *next = &fold->nodes[parent + 1];

	return parent + 1 < fold->n_nodes && next->parent == parent && next->entity == entity;
}

int node_index_find(struct node_index *index, struct fold *fold, uint32_t parent, uint32_t entity,
		    uint32_t *node_ret)
{
	if (has_next(fold, parent, entity)) {
		*node_ret = parent + 1;
		return 0;
	}
	const uint32_t hash = hash_pair(parent, entity);
	const struct node_key key = { .parent = parent, .entity = entity, .hash = hash };
	struct node_slot *slot = hash_table_find(&index->nodes, &nodes_by_entity, hash, &key, fold);
	if (slot) {
		*node_ret = slot->node;
		return 0;
	}
	if (parent + 1 == fold->n_nodes)
		return fold_add_node(fold, parent, entity, node_ret);
	slot = hash_table_insert(&index->nodes, &nodes_by_entity, hash, fold);
	if (!slot)
		return -ENOMEM;
	int err = fold_add_node(fold, parent, entity, node_ret);
	if (!err)
		*slot = (struct node_slot){ .node = *node_ret, .hash = hash };
	return err;
}
