/*
 * Upward: what is before a node of the root function on its path decides its records. In the
 * canonical path from any function on, that function is followed by what it called last: by the
 * function after its last occurrence before the node. So the records of a node are a tree of the
 * distinct functions on its path, each above the one that it called last, whichever function the
 * path begins with.
 */
#include "report/views/view_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/fold/fold_walk.h"
#include "report/views/path_records.h"

#define NONE UINT32_MAX

/* A node that is being walked. */
struct step {
	uint32_t entity;
	uint32_t record;     /* down: where the walk goes on; NONE: it has not begun. Up: scratch */
	uint32_t earlier;    /* up: the step of the entity's last occurrence before this; NONE */
	uint32_t first_lock; /* the locks from here on are this step's */
};

struct paths {
	const struct fold *fold;
	struct path_records records;
	uint8_t root_match; /* entities with this match are roots */
	struct step *steps; /* the functions on the path, outermost first */
	uint32_t n_steps, n_steps_allocated;
	uint32_t *locks; /* records, in the order in which they were locked */
	uint32_t n_locks, n_locks_allocated;
	uint32_t *last; /* up: entity -> step of its last occurrence, or NONE */
};

static const struct fold_entity *entity_of(const struct paths *paths, uint32_t node)
{
	return &paths->fold->entities[paths->fold->nodes[node].entity];
}

static bool is_root(const struct paths *paths, uint32_t entity)
{
	return paths->fold->entities[entity].root_match == paths->root_match;
}

/* Adds the node's inclusive cost to a record, once for all that is below the node. */
static int count(struct paths *paths, uint32_t record, uint32_t node)
{
	if (array_reserve(paths->locks, paths->n_locks, paths->n_locks_allocated, 1))
		return -ENOMEM;
	if (path_records_count(&paths->records, record, node))
		paths->locks[paths->n_locks++] = record;
	return 0;
}

static int enter_down(struct paths *paths, uint32_t node)
{
	struct step *step = &paths->steps[paths->n_steps - 1];
	uint32_t above = paths->n_steps > 1 ? step[-1].record : NONE, record;

	step->record = NONE;
	if (above == NONE && !is_root(paths, step->entity))
		return 0;
	if (path_records_get(&paths->records, above == NONE ? PATH_RECORD_TOP : above, step->entity,
			     &record))
		return -ENOMEM;
	step->record = paths->records.all[record].canonical;
	path_records_add_self(&paths->records, record, node);
	return count(paths, record, node);
}

/* Adds the cost of a root function's node to all paths that end with it. */
static int count_callers(struct paths *paths, uint32_t node)
{
	uint32_t n_callers = paths->n_steps - 1, record;
	struct step *steps = paths->steps;

	if (path_records_get(&paths->records, PATH_RECORD_TOP, steps[n_callers].entity, &record))
		return -ENOMEM;
	path_records_add_self(&paths->records, record, node);
	if (count(paths, record, node))
		return -ENOMEM;
	for (uint32_t i = n_callers; i > 0; i--) {
		struct step *caller = &steps[i - 1];
		uint32_t callee =
			i == n_callers ? record : steps[paths->last[steps[i].entity]].record;

		if (paths->last[caller->entity] != i - 1)
			continue;
		if (path_records_get(&paths->records, callee, caller->entity, &caller->record) ||
		    count(paths, caller->record, node))
			return -ENOMEM;
	}
	return 0;
}

static int enter_up(struct paths *paths, uint32_t node)
{
	struct step *step = &paths->steps[paths->n_steps - 1];
	int err = is_root(paths, step->entity) ? count_callers(paths, node) : 0;

	step->earlier = paths->last[step->entity];
	paths->last[step->entity] = paths->n_steps - 1;
	return err;
}

static int enter(struct paths *paths, uint32_t node, bool up)
{
	if (!entity_is_code(entity_of(paths, node)))
		return 0;
	if (array_reserve(paths->steps, paths->n_steps, paths->n_steps_allocated, 1))
		return -ENOMEM;
	paths->steps[paths->n_steps++] = (struct step){
		.entity = paths->fold->nodes[node].entity,
		.first_lock = paths->n_locks,
	};
	return up ? enter_up(paths, node) : enter_down(paths, node);
}

static void leave(struct paths *paths, uint32_t node, bool up)
{
	const struct step *step;

	if (!entity_is_code(entity_of(paths, node)))
		return;
	step = &paths->steps[--paths->n_steps];
	while (paths->n_locks > step->first_lock)
		path_records_unlock(&paths->records, paths->locks[--paths->n_locks]);
	if (up)
		paths->last[step->entity] = step->earlier;
}

static int walk(struct paths *paths, bool up)
{
	struct fold_walk walk;
	int err = fold_walk_init(&walk, paths->fold);

	while (!err && fold_walk_next(&walk)) {
		if (!walk.is_leaving)
			err = enter(paths, walk.node, up);
		else
			leave(paths, walk.node, up);
	}
	fold_walk_deinit(&walk);
	return err;
}

/* Roots are the functions that match best what the user typed. */
static uint8_t find_best_match(const struct fold *fold)
{
	uint8_t best = 0;

	for (uint32_t i = 0; i < fold->n_entities; i++)
		best = fold->entities[i].root_match > best ? fold->entities[i].root_match : best;
	return best;
}

static int fill(struct paths *paths, struct view *view)
{
	int err = path_records_init(&paths->records, paths->fold);

	if (err)
		return err;
	err = walk(paths, view->options.direction == PATHS_UP);
	if (!err)
		err = path_records_show(&paths->records, view);
	path_records_deinit(&paths->records);
	return err;
}

int view_fill_paths(struct view *view, const struct fold *fold)
{
	_cleanup_free_ uint32_t *last = malloc((fold->n_entities + (size_t)1) * sizeof(*last));
	struct paths paths = {
		.fold = fold,
		.root_match = find_best_match(fold),
		.last = last,
	};

	if (!last)
		return -ENOMEM;
	if (!paths.root_match)
		return fold->n_nodes > 1 ? -ENOENT : 0;
	memset(last, 0xff, (fold->n_entities + (size_t)1) * sizeof(*last));
	int err = fill(&paths, view);
	free(paths.steps);
	free(paths.locks);
	return err;
}
