#include "report/fold/node_index.h"

#include <errno.h>

#include "cct/base/hash.h"

struct node_slot {
	uint32_t node; /* 0: free; node 0 has no parent, or is next to it */
	uint32_t hash;
};

struct wanted_node {
	struct node_key key;
	uint32_t hash;
};

static const struct node_key *key_of(const struct node_array *nodes, uint32_t node)
{
	return (const void *)((const char *)nodes->nodes + node * nodes->node_size);
}

static bool is_equal(const struct node_key *a, const struct node_key *b)
{
	return a->parent == b->parent && a->entity == b->entity;
}

static bool slot_is_used(const void *slot)
{
	return ((const struct node_slot *)slot)->node != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct node_slot *of = slot;
	const struct wanted_node *wanted = key;

	return of->hash == wanted->hash && is_equal(key_of(owner, of->node), &wanted->key);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct node_slot *)slot)->hash;
}

static const struct hash_table_type nodes_by_key = {
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

/* After NODE_NONE comes node 0. */
static uint32_t next_to(uint32_t parent)
{
	return parent + 1;
}

uint32_t node_index_find(const struct node_index *index, const struct node_array *nodes,
			 struct node_key key)
{
	const uint32_t next = next_to(key.parent);

	if (next < nodes->n && is_equal(key_of(nodes, next), &key))
		return next;
	const struct wanted_node wanted = { key, hash_pair(key.parent, key.entity) };
	const struct node_slot *slot =
		hash_table_find(&index->nodes, &nodes_by_key, wanted.hash, &wanted, nodes);
	return slot ? slot->node : NODE_NONE;
}

int node_index_add(struct node_index *index, const struct node_array *nodes, uint32_t node)
{
	const struct node_key *key = key_of(nodes, node);
	const uint32_t hash = hash_pair(key->parent, key->entity);

	if (node == next_to(key->parent))
		return 0;
	struct node_slot *slot = hash_table_insert(&index->nodes, &nodes_by_key, hash, nodes);
	if (!slot)
		return -ENOMEM;
	*slot = (struct node_slot){ .node = node, .hash = hash };
	return 0;
}
