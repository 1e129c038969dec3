#include "report/scope/browse_scope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

void browse_scope_deinit(struct browse_scope *scope)
{
	for (size_t i = 0; i < scope->n_conditions; i++)
		browse_condition_deinit(&scope->conditions[i]);
	free(scope->conditions);
	free(scope->zoom);
	*scope = (struct browse_scope){ 0 };
}

int browse_scope_add_condition(struct browse_scope *scope, const struct browse_condition *condition)
{
	struct browse_condition copy;

	if (scope->n_conditions == REFOLD_MAX_CONDITIONS)
		return -E2BIG;
	if (browse_condition_copy(condition, &copy))
		return -ENOMEM;
	if (array_reserve_one(scope->conditions, scope->n_conditions)) {
		browse_condition_deinit(&copy);
		return -ENOMEM;
	}
	scope->conditions[scope->n_conditions++] = copy;
	return 0;
}

static int copy_zoom(const struct browse_scope *scope, struct browse_scope *copy)
{
	if (!scope->n_zoom)
		return 0;
	copy->zoom = calloc(scope->n_zoom, sizeof(*copy->zoom));
	if (!copy->zoom)
		return -ENOMEM;
	memcpy(copy->zoom, scope->zoom, scope->n_zoom * sizeof(*copy->zoom));
	copy->n_zoom = scope->n_zoom;
	return 0;
}

int browse_scope_copy(const struct browse_scope *scope, struct browse_scope *copy_ret)
{
	struct browse_scope copy = { .tasks = scope->tasks,
				     .kernel = scope->kernel,
				     .root = scope->root,
				     .direction = scope->direction };
	int err = copy_zoom(scope, &copy);

	for (size_t i = 0; i < scope->n_conditions && !err; i++)
		err = browse_scope_add_condition(&copy, &scope->conditions[i]);
	if (err)
		browse_scope_deinit(&copy);
	else
		*copy_ret = copy;
	return err;
}

int browse_scope_zoom(struct browse_scope *scope, const struct fold *fold,
		      const struct view_row *row)
{
	size_t n_below = 0, n_known = scope->n_zoom;

	for (const struct view_row *above = row; above->parent; above = above->parent)
		n_below++;
	/* The first row is the one that was zoomed into. */
	const size_t n = n_known ? n_known - 1 + n_below : n_below;
	struct fold_step *zoom = reallocarray(scope->zoom, n + 1, sizeof(*zoom));
	if (!zoom)
		return -ENOMEM;
	for (size_t i = n; row->parent && i > 0; row = row->parent)
		zoom[--i] = fold_step_of(&fold->entities[row->entity]);
	scope->zoom = zoom;
	scope->n_zoom = n;
	return 0;
}

/* Returns what separates more from it. */
static const char *describe_tasks(FILE *out, const struct task_choice *tasks)
{
	const char *separator = "";

	if (tasks->cgroup) {
		fprintf(out, "cgroup %s", tasks->cgroup);
		separator = ", ";
	}
	if (tasks->process && !tasks->thread)
		fprintf(out, "%sprocess %s (%" PRId32 ")", separator, tasks->process, tasks->pid);
	if (tasks->thread)
		fprintf(out, "%sthread %s (%" PRId32 ")", separator, tasks->thread, tasks->tid);
	return tasks->process || tasks->thread ? ", " : separator;
}

static int describe(FILE *out, const struct browse_scope *scope)
{
	const char *separator = describe_tasks(out, &scope->tasks);

	for (size_t i = 0; i < scope->n_conditions; i++) {
		_cleanup_free_ char *text = browse_condition_describe(&scope->conditions[i]);

		if (!text)
			return -ENOMEM;
		fprintf(out, "%s%s", separator, text);
		separator = ", ";
	}
	if (scope->kernel != KERNEL_MERGED) {
		fprintf(out, "%skernel %s", separator,
			scope->kernel == KERNEL_ONLY ? "only" : "none");
		separator = ", ";
	}
	if (scope->n_zoom)
		fprintf(out, "%sbelow %s", separator, scope->zoom[scope->n_zoom - 1].name);
	return 0;
}

char *browse_scope_describe(const struct browse_scope *scope)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	int err = describe(out, scope);
	if (fclose(out) || err) {
		free(text);
		return NULL;
	}
	return text;
}

int browse_scope_meet(const struct browse_scope *scope, struct refold_base *base,
		      struct refold_conditions *conditions)
{
	uint64_t *met = scope->n_conditions ? calloc(base->fold->n_entities, sizeof(*met)) : NULL;
	int err = scope->n_conditions && !met ? -ENOMEM : 0;

	*conditions = (struct refold_conditions){ .met = met };
	for (size_t i = 0; i < scope->n_conditions && !err; i++) {
		const uint64_t bit = UINT64_C(1) << i;

		if (scope->conditions[i].kind == PATH_FOCUS)
			conditions->wanted |= bit;
		else
			conditions->unwanted |= bit;
		err = browse_condition_meet(&scope->conditions[i], base, bit, met);
	}
	return err;
}

bool browse_scope_is_whole(const struct browse_scope *scope)
{
	return !scope->n_conditions && scope->kernel == KERNEL_MERGED;
}

int browse_scope_fold(const struct browse_scope *scope, struct refold_base *base,
		      struct fold **fold_ret)
{
	struct refold_conditions conditions;
	int err = browse_scope_meet(scope, base, &conditions);

	if (!err)
		err = refold(base, &conditions, scope->kernel, fold_ret);
	free((void *)conditions.met);
	return err;
}

int browse_scope_part(const struct browse_scope *scope, const struct fold *whole,
		      struct fold **part_ret)
{
	*part_ret = NULL;
	if (!scope->n_zoom)
		return 0;
	const uint32_t top = fold_find_path(whole, scope->zoom, scope->n_zoom);
	return top == FOLD_NONE ? -ENOENT : fold_part_create(whole, top, part_ret);
}

bool browse_scope_selects_alike(const struct browse_scope *a, const struct browse_scope *b)
{
	if (!task_choice_equal(&a->tasks, &b->tasks) || a->n_conditions != b->n_conditions)
		return false;
	for (size_t i = 0; i < a->n_conditions; i++) {
		if (!browse_condition_equal(&a->conditions[i], &b->conditions[i]))
			return false;
	}
	return true;
}

bool browse_scope_folds_alike(const struct browse_scope *a, const struct browse_scope *b)
{
	return a->kernel == b->kernel && browse_scope_selects_alike(a, b);
}
