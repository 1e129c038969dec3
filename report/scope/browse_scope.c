#include "report/scope/browse_scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/selection/select_paths.h"

void browse_scope_deinit(struct browse_scope *scope)
{
	for (size_t i = 0; i < scope->n_conditions; i++)
		free(scope->conditions[i].text);
	free(scope->conditions);
	free(scope->zoom);
	*scope = (struct browse_scope){ 0 };
}

int browse_scope_add_condition(struct browse_scope *scope, enum condition_kind kind,
			       const char *text)
{
	char *copy = strdup(text);

	if (!copy || array_reserve_one(scope->conditions, scope->n_conditions)) {
		free(copy);
		return -ENOMEM;
	}
	scope->conditions[scope->n_conditions++] =
		(struct browse_condition){ .kind = kind, .text = copy };
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
	struct browse_scope copy = { .kernel = scope->kernel,
				     .root = scope->root,
				     .direction = scope->direction };
	int err = copy_zoom(scope, &copy);

	for (size_t i = 0; i < scope->n_conditions && !err; i++)
		err = browse_scope_add_condition(&copy, scope->conditions[i].kind,
						 scope->conditions[i].text);
	if (err)
		browse_scope_deinit(&copy);
	else
		*copy_ret = copy;
	return err;
}

char *browse_scope_match_name(const char *name)
{
	char *text = malloc(2 * strlen(name) + 3), *to = text;

	if (!text)
		return NULL;
	*to++ = '^';
	for (; *name; name++) {
		if (strchr(".[]*^$()+?{}|\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	*to++ = '$';
	*to = '\0';
	return text;
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

static void describe(FILE *out, const struct browse_scope *scope)
{
	const char *separator = "";

	for (size_t i = 0; i < scope->n_conditions; i++) {
		fprintf(out, "%s%s %s", separator, condition_kind_name(scope->conditions[i].kind),
			scope->conditions[i].text);
		separator = ", ";
	}
	if (scope->kernel != KERNEL_MERGED) {
		fprintf(out, "%skernel %s", separator,
			scope->kernel == KERNEL_ONLY ? "only" : "none");
		separator = ", ";
	}
	if (scope->n_zoom)
		fprintf(out, "%sbelow %s", separator, scope->zoom[scope->n_zoom - 1].name);
}

char *browse_scope_describe(const struct browse_scope *scope)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	describe(out, scope);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int make_selection(const struct browse_scope *scope, struct path_selection *selection)
{
	for (size_t i = 0; i < scope->n_conditions; i++) {
		_cleanup_free_ char *error = NULL;
		int err = path_selection_add(selection, scope->conditions[i].kind,
					     scope->conditions[i].text, &error);

		if (err)
			return err;
	}
	return 0;
}

/* The tree of the conditions. */
static int select_tree(const struct browse_scope *scope, const struct profile *profile,
		       struct symbolizer *symbolizer, struct cct **tree_ret)
{
	struct path_selection selection = { 0 };
	struct selected_paths selected = { 0 };
	int err = make_selection(scope, &selection);

	if (!err)
		err = select_paths_aside(profile, symbolizer, &selection, tree_ret, &selected);
	if (!err && selected_paths_are_none(&selected, profile->n_metrics)) {
		cct_destroy(*tree_ret);
		err = -ENOENT;
	}
	selected_paths_deinit(&selected);
	path_selection_deinit(&selection);
	return err;
}

int browse_scope_fold(const struct browse_scope *scope, const struct profile *profile,
		      struct symbolizer *symbolizer, const struct view_options *options,
		      struct fold **fold_ret)
{
	struct view_options shown = *options;
	struct profile part = *profile; /* borrows all but the tree */

	shown.kernel = scope->kernel;
	if (!scope->n_conditions)
		return fold_profile(profile, symbolizer, &shown, fold_ret);
	int err = select_tree(scope, profile, symbolizer, &part.cct);
	if (err)
		return err;
	err = fold_profile(&part, symbolizer, &shown, fold_ret);
	cct_destroy(part.cct);
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

bool browse_scope_folds_alike(const struct browse_scope *a, const struct browse_scope *b)
{
	if (a->kernel != b->kernel || a->n_conditions != b->n_conditions)
		return false;
	for (size_t i = 0; i < a->n_conditions; i++) {
		if (a->conditions[i].kind != b->conditions[i].kind ||
		    strcmp(a->conditions[i].text, b->conditions[i].text) != 0)
			return false;
	}
	return true;
}
