#include "cct/merge/merge_modules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

/* Stored modules count their variants here: a sum does not have inodes of files. */
static uint32_t variant_of(const struct module_key *key)
{
	return (uint32_t)key->inode_generation;
}

static bool belongs_to_process(const struct module_key *key)
{
	return !key->build_id.size && (key->kind == MODULE_ANON || key->kind == MODULE_JIT);
}

/* The key without what is different for one module on two machines. */
static struct module_key key_in_sum(const struct module_key *key, uint32_t variant)
{
	return (struct module_key){
		.kind = key->kind,
		.path = key->path,
		.build_id = key->build_id,
		.inode = belongs_to_process(key) ? key->inode : 0,
		.inode_generation = variant,
		.base = key->base,
	};
}

/* Heap; NULL without memory. Recorders may have filled build IDs up with zeros. */
static char *identity_of(const struct module_key *key)
{
	struct build_id build_id = { .size = BUILD_ID_MAX_SIZE };
	char id[BUILD_ID_TEXT_SIZE];

	memcpy(build_id.bytes, key->build_id.bytes, key->build_id.size);
	build_id_format(&build_id, id);
	if (key->build_id.size)
		return sentence("%d %s", (int)key->kind, id);
	return sentence("%d %" PRIu64 " %" PRIu64 " %s", (int)key->kind, key->inode,
			key->inode_generation, key->path);
}

static uint32_t add_module(struct merge_state *state, const struct module_key *key)
{
	char *path = strdup(key->path);

	if (!path || array_reserve_one(state->keys, state->n_keys)) {
		free(path);
		return 0;
	}
	state->keys[state->n_keys] = *key;
	state->keys[state->n_keys++].path = path;
	return module_table_add(&state->into->modules, key);
}

/* Of what may differ, the smallest is kept: the result is the same in any order. */
static int improve_key(struct module_key *known, const struct module_key *key)
{
	if (key->base < known->base)
		known->base = key->base;
	if (key->build_id.size < known->build_id.size)
		known->build_id = key->build_id;
	if (strcmp(key->path, known->path) >= 0)
		return 0;
	char *path = strdup(key->path);
	if (!path)
		return -ENOMEM;
	free((char *)known->path);
	known->path = path;
	return 0;
}

uint32_t merge_module(struct merge_state *state, const struct module_key *key, uint32_t variant)
{
	const struct module_key in_sum = key_in_sum(key, variant);
	_cleanup_free_ char *identity = identity_of(&in_sum);
	uint32_t number;
	bool is_new;

	if (!identity || string_ids_add(&state->modules, identity, &number, &is_new))
		return 0;
	if (is_new)
		return add_module(state, &in_sum);
	return improve_key(&state->keys[number], &in_sum) ? 0 : number + 1;
}

int merge_modules(struct merge_state *state, const struct profile *from, uint32_t *modules)
{
	for (uint32_t id = 1; id < from->modules.n_modules; id++) {
		modules[id] = merge_module(state, &from->modules.modules[id]->key, 0);
		if (!modules[id])
			return -ENOMEM;
	}
	return 0;
}

/* Without their variants. */
static int compare_identities(const struct module_key *a, const struct module_key *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	int order = strcmp(a->path, b->path);
	if (!order && a->build_id.size != b->build_id.size)
		return a->build_id.size < b->build_id.size ? -1 : 1;
	if (!order)
		order = memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.size);
	return order ? order : (a->inode > b->inode) - (a->inode < b->inode);
}

int merge_compare_modules(const struct module_key *a, const struct module_key *b)
{
	int order = compare_identities(a, b);

	return order ? order : (variant_of(a) > variant_of(b)) - (variant_of(a) < variant_of(b));
}

bool merge_are_variants(const struct module_key *a, const struct module_key *b)
{
	return compare_identities(a, b) == 0;
}
