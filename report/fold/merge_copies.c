#include "report/fold/merge_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "report/demangle/clone_name.h"
#include "report/demangle/simple_name.h"
#include "report/fold/fold_rebuild.h"

#define NONE UINT32_MAX

/* All entities of one name in a module. */
struct same_name {
	const char *name;
	uint32_t plain, clone, inlined; /* the first entity of each kind, or NONE */
	bool is_ambiguous;              /* there are two functions of this name */
	bool keeps_inlined;             /* there are two inlined functions of this name */
	bool is_overloaded;             /* another name differs only in its parameters */
};

struct merging {
	struct fold *fold;
	bool inlined;
	struct pair_map by_name; /* (name, module and kind) -> index in names */
	struct pair_map
		by_short; /* names of compiled functions without parameters -> the first of them */
	struct pair_map by_clone; /* whole names of clones -> the first of them */
	struct same_name *names;  /* at most as many as there are entities */
	uint32_t n_names;
	uint32_t *name_of;   /* entity -> index in names, or NONE */
	uint32_t *canonical; /* entity -> the entity it is merged into */
	uint32_t *entities;  /* old node -> its entity */
};

static bool is_function(const struct fold_entity *entity)
{
	return entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL;
}

static uint64_t place_of(const struct fold_entity *entity)
{
	return (uint64_t)entity->module_id << 8 | (uint64_t)entity->frame_kind;
}

static int find_same_name(struct merging *merging, const struct fold_entity *entity,
			  uint32_t *index_ret)
{
	const char *name = entity->base_name ? entity->base_name : entity->name;
	uint64_t key = hash_text(HASH_START, name), place = place_of(entity);

	*index_ret = pair_map_find(&merging->by_name, key, place);
	if (*index_ret != PAIR_MAP_NONE) {
		if (strcmp(merging->names[*index_ret].name, name) != 0)
			merging->names[*index_ret].is_ambiguous = true;
		return 0;
	}
	*index_ret = merging->n_names;
	merging->names[merging->n_names++] = (struct same_name){
		.name = name,
		.plain = NONE,
		.clone = NONE,
		.inlined = NONE,
	};
	return pair_map_add(&merging->by_name, key, place, *index_ret);
}

/* Notes the name without parameters, which debug information may use for an inlined copy. */
static int note_short_name(struct merging *merging, uint32_t index, uint64_t place)
{
	_cleanup_free_ char *text = simple_name_make(merging->names[index].name, false);
	uint32_t first;

	if (!text)
		return -ENOMEM;
	first = pair_map_find(&merging->by_short, hash_text(HASH_START, text), place);
	if (first == PAIR_MAP_NONE)
		return pair_map_add(&merging->by_short, hash_text(HASH_START, text), place, index);
	if (first != index)
		merging->names[first].is_overloaded = true;
	return 0;
}

/* A second clone with the same name belongs to another function, so the name is ambiguous. */
static int note_clone(struct merging *merging, struct same_name *same, uint32_t index)
{
	const struct fold_entity *entity = &merging->fold->entities[index];
	uint64_t key = hash_text(HASH_START, entity->name), place = place_of(entity);

	if (same->clone == NONE)
		same->clone = index;
	if (pair_map_find(&merging->by_clone, key, place) == PAIR_MAP_NONE)
		return pair_map_add(&merging->by_clone, key, place, index);
	same->is_ambiguous = true;
	return 0;
}

static int note_entity(struct merging *merging, uint32_t index)
{
	const struct fold_entity *entity = &merging->fold->entities[index];
	struct same_name *same;
	int err;

	merging->canonical[index] = index;
	merging->name_of[index] = NONE;
	if (!is_function(entity))
		return 0;
	err = find_same_name(merging, entity, &merging->name_of[index]);
	if (err)
		return err;
	same = &merging->names[merging->name_of[index]];
	if (entity->is_inlined) {
		same->keeps_inlined = same->inlined != NONE;
		same->inlined = index;
		return 0;
	}
	if (merging->inlined)
		err = note_short_name(merging, merging->name_of[index], place_of(entity));
	if (err)
		return err;
	if (entity->base_name)
		return note_clone(merging, same, index);
	same->is_ambiguous |= same->plain != NONE;
	same->plain = index;
	return 0;
}

/* The function that an inlined copy was made from; NULL: not known. */
static const struct same_name *original_of(const struct merging *merging,
					   const struct fold_entity *entity,
					   const struct same_name *same)
{
	_cleanup_free_ char *text = NULL;
	uint32_t index;

	if (!merging->inlined || same->keeps_inlined)
		return NULL;
	if (same->plain != NONE || same->clone != NONE)
		return same;
	text = simple_name_make(entity->name, false);
	index = text ? pair_map_find(&merging->by_short, hash_text(HASH_START, text),
				     place_of(entity))
		     : NONE;
	if (index == NONE || merging->names[index].is_overloaded)
		return NULL;
	return &merging->names[index];
}

static void choose_canonical(struct merging *merging, uint32_t index)
{
	const struct fold_entity *entity = &merging->fold->entities[index];
	const struct same_name *same;

	if (merging->name_of[index] == NONE)
		return;
	same = &merging->names[merging->name_of[index]];
	if (entity->is_inlined)
		same = original_of(merging, entity, same);
	if (!same || same->is_ambiguous)
		return;
	if (same->plain != NONE)
		merging->canonical[index] = same->plain;
	else if (same->clone != NONE)
		merging->canonical[index] = same->clone;
}

/* If a function exists only as clones, they get the function's name. */
static void rename_clones(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->n_names; i++) {
		const struct same_name *same = &merging->names[i];

		if (same->plain == NONE && same->clone != NONE && !same->is_ambiguous)
			merging->fold->entities[same->clone].name = same->name;
	}
}

static bool continues(const struct merging *merging, const struct fold_node *node)
{
	uint32_t caller = merging->entities[node->parent];

	return merging->canonical[caller] == merging->canonical[node->entity] &&
	       caller != node->entity && clone_is_part(merging->fold->entities[node->entity].name);
}

/* Moves the nodes to those of the functions that their own are merged into. */
static int move_nodes(struct merging *merging, struct fold_rebuild *rebuild, uint32_t n_nodes)
{
	for (uint32_t i = 1; i < n_nodes; i++) {
		const struct fold_node node = merging->fold->nodes[i];
		const struct fold_detail detail = merging->fold->details[i];
		uint32_t to = rebuild->moved[node.parent];
		int err = 0;

		if (!continues(merging, &node))
			err = fold_rebuild_find(rebuild, to, merging->canonical[node.entity],
						&detail, &to);
		else if (merging->fold->activations)
			merging->fold->activations[i] = 0;
		if (!err)
			err = fold_rebuild_move(rebuild, i, &detail, to);
		if (err)
			return err;
	}
	return 0;
}

static int rebuild_nodes(struct merging *merging)
{
	struct fold_rebuild rebuild;
	uint32_t n_nodes = merging->fold->n_nodes;

	for (uint32_t i = 0; i < n_nodes; i++)
		merging->entities[i] = merging->fold->nodes[i].entity;
	int err = fold_rebuild_begin(&rebuild, merging->fold);
	if (!err)
		err = move_nodes(merging, &rebuild, n_nodes);
	fold_rebuild_end(&rebuild);
	return err;
}

static int merge(struct merging *merging)
{
	for (uint32_t i = 0; i < merging->fold->n_entities; i++) {
		int err = note_entity(merging, i);

		if (err)
			return err;
	}
	for (uint32_t i = 0; i < merging->fold->n_entities; i++)
		choose_canonical(merging, i);
	int err = rebuild_nodes(merging);
	if (!err)
		rename_clones(merging);
	return err;
}

int merge_copies(struct fold *fold, bool inlined)
{
	struct merging merging = {
		.fold = fold,
		.inlined = inlined,
		.names = calloc(fold->n_entities, sizeof(*merging.names)),
		.name_of = calloc(fold->n_entities, sizeof(*merging.name_of)),
		.canonical = calloc(fold->n_entities, sizeof(*merging.canonical)),
		.entities = calloc(fold->n_nodes, sizeof(*merging.entities)),
	};
	int err = merging.names && merging.name_of && merging.canonical && merging.entities
			  ? merge(&merging)
			  : -ENOMEM;

	free(merging.names);
	free(merging.name_of);
	free(merging.canonical);
	free(merging.entities);
	pair_map_deinit(&merging.by_name);
	pair_map_deinit(&merging.by_short);
	pair_map_deinit(&merging.by_clone);
	return err;
}
