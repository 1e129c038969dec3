/*
 * A part of a fold as a fold: what is below one of its nodes, so that all views can show that part
 * alone.
 */
#ifndef REPORT_FOLD_FOLD_PART_H
#define REPORT_FOLD_FOLD_PART_H

#include "report/fold/fold.h"

/* A step of a path from the root of a fold. */
struct fold_step {
	const char *name, *module; /* borrowed */
	enum frame_kind frame_kind;
	int32_t id; /* of a process or thread */
	bool is_inlined;
};

struct fold_step fold_step_of(const struct fold_entity *entity);
bool fold_entity_is_step(const struct fold_entity *entity, const struct fold_step *step);
/* The node that @steps lead to from the root. FOLD_NONE: there is no such path. */
uint32_t fold_find_path(const struct fold *fold, const struct fold_step *steps, size_t n_steps);
/*
 * The root of *@part_ret has @top, a node of @fold, as its child, with what is below it. Entities
 * have the numbers that they have in @fold, whose names are borrowed. The caller frees it with
 * fold_destroy(). 0 or -ENOMEM.
 */
int fold_part_create(const struct fold *fold, uint32_t top, struct fold **part_ret);

#endif
