#include "cct/merge/join_addresses.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/compare.h"

#define NO_FUNCTION 0

/* A path that none goes on from. */
struct rare_end {
	/* Of its innermost frame. */
	uint32_t kind, part;
	uint32_t function;
	uint64_t offset;
	uint32_t path;
};

/* By names and places of declarations; lines tell addresses, not functions. */
static int compare_calls(const struct stored_call *a, const struct stored_call *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int order = compare_numbers(a[i].name, b[i].name);

		if (!order)
			order = compare_numbers(a[i].decl_file, b[i].decl_file);
		if (!order)
			order = compare_numbers(a[i].decl_line, b[i].decl_line);
		if (order)
			return order;
	}
	return 0;
}

static int compare_functions(const struct stored_names *names, const struct stored_code *a,
			     const struct stored_code *b)
{
	int order = compare_numbers(a->module, b->module);

	if (!order)
		order = compare_numbers(a->start, b->start);
	if (!order)
		order = compare_numbers(a->start_kind, b->start_kind);
	if (!order)
		order = compare_numbers(a->symbol, b->symbol);
	if (!order)
		order = compare_numbers(a->flags, b->flags);
	if (!order)
		order = compare_numbers(a->n_calls, b->n_calls);
	return order ? order
		     : compare_calls(names->calls + a->first_call, names->calls + b->first_call,
				     a->n_calls);
}

static int compare_codes(const void *a, const void *b, void *names)
{
	return compare_functions(names, *(const struct stored_code *const *)a,
				 *(const struct stored_code *const *)b);
}

/* By code: the number of its function. To free(). NULL: no memory. */
static uint32_t *number_functions(const struct stored_names *names)
{
	const uint32_t n = names->n_codes;
	_cleanup_free_ const struct stored_code **sorted = calloc((size_t)n + 1, sizeof(*sorted));
	uint32_t *numbers = calloc((size_t)n + 1, sizeof(*numbers));
	uint32_t number = NO_FUNCTION;

	if (!sorted || !numbers) {
		free(numbers);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &names->codes[i];
	qsort_r(sorted, n, sizeof(*sorted), compare_codes, (void *)names);
	for (uint32_t i = 0; i < n; i++) {
		number += !i || compare_functions(names, sorted[i - 1], sorted[i]);
		if (sorted[i]->symbol != STORED_NO_TEXT)
			numbers[sorted[i] - names->codes] = number;
	}
	return numbers;
}

static int compare_functions_of_ends(const struct rare_end *a, const struct rare_end *b)
{
	int order = compare_numbers(a->function, b->function);

	if (!order)
		order = compare_numbers(a->kind, b->kind);
	return order ? order : compare_numbers(a->part, b->part);
}

static int compare_ends(const void *a, const void *b)
{
	const struct rare_end *x = a, *y = b;
	const int order = compare_functions_of_ends(x, y);

	return order ? order : compare_numbers(x->offset, y->offset);
}

struct joining {
	const struct profile *profile;
	struct path_tree paths;
	uint32_t *functions; /* by code; owned, as is what follows */
	uint32_t *into;      /* by path: the one that it becomes */
	struct rare_end *ends;
	uint32_t n_ends, n_allocated;
};

static int init(struct joining *joining, const struct profile *profile)
{
	*joining = (struct joining){ .profile = profile };
	int err = path_tree_init(&joining->paths, profile->cct);

	if (err)
		return err;
	joining->functions = number_functions(profile->names);
	joining->into = malloc(joining->paths.tree->n_nodes * sizeof(*joining->into));
	return joining->functions && joining->into ? 0 : -ENOMEM;
}

static void deinit(struct joining *joining)
{
	path_tree_deinit(&joining->paths);
	free(joining->functions);
	free(joining->into);
	free(joining->ends);
}

/* Modules without a build ID may be several until all are sorted (cct/merge/anonymous.h). */
static uint32_t function_of(const struct joining *joining, const struct frame *frame)
{
	const struct profile *profile = joining->profile;
	const struct module *module = frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL
					      ? module_table_get(&profile->modules, frame->module)
					      : NULL;
	const struct stored_code *code =
		module && module->key.build_id.size
			? stored_names_find(profile->names, frame->module, frame->offset)
			: NULL;

	return code ? joining->functions[code - profile->names->codes] : NO_FUNCTION;
}

static int add_end(struct joining *joining, uint32_t path)
{
	const struct frame *frame =
		&joining->profile->cct->frames.frames[joining->paths.frames[path]];
	const uint32_t function = function_of(joining, frame);

	if (function == NO_FUNCTION)
		return 0;
	if (array_reserve(joining->ends, joining->n_ends, joining->n_allocated, 1))
		return -ENOMEM;
	joining->ends[joining->n_ends++] = (struct rare_end){
		.kind = frame->kind,
		.part = frame->part,
		.function = function,
		.offset = frame->offset,
		.path = path,
	};
	return 0;
}

/* The rare ends below @above. 0 or -ENOMEM. */
static int list_ends(struct joining *joining, uint32_t above)
{
	const struct path_tree *paths = &joining->paths;
	const struct cct_node *nodes = paths->tree->nodes;
	int err = 0;

	joining->n_ends = 0;
	for (uint32_t path = nodes[above].first_child; path != CCT_NONE && !err;
	     path = nodes[path].next_sibling) {
		if (nodes[path].first_child == CCT_NONE && paths->counts[path] < RARE_ADDRESS_BELOW)
			err = add_end(joining, path);
	}
	return err;
}

static void join_ends(struct joining *joining)
{
	const struct rare_end *ends = joining->ends, *first = ends;

	qsort(joining->ends, joining->n_ends, sizeof(*ends), compare_ends);
	for (uint32_t i = 1; i < joining->n_ends; i++) {
		if (compare_functions_of_ends(&ends[i], first) != 0)
			first = &ends[i];
		joining->into[ends[i].path] = first->path;
	}
}

static int find_joined(struct joining *joining)
{
	const uint32_t n_paths = joining->paths.tree->n_nodes;

	for (uint32_t path = 0; path < n_paths; path++)
		joining->into[path] = path;
	for (uint32_t above = 0; above < n_paths; above++) {
		if (list_ends(joining, above))
			return -ENOMEM;
		if (joining->n_ends > 1)
			join_ends(joining);
	}
	return 0;
}

static int join_node(const void *arg, uint32_t node, const struct frame_numbers *numbers,
		     struct changed_tree *joined)
{
	const struct joining *joining = arg;
	const struct cct *from = joining->profile->cct;
	const uint32_t path = joining->paths.paths[node], into = joining->into[path];
	const bool is_joined = into != path && !frame_is_above_code(cct_frame(from, node));
	const uint32_t frame = is_joined ? joining->paths.frames[into] : from->nodes[node].frame;

	joined->n_samples += is_joined ? path_tree_samples_at(from, node) : 0;
	return changed_tree_move(joined, from, node, numbers, frame);
}

int join_addresses(const struct profile *profile, struct changed_tree *joined)
{
	struct joining joining;
	const int err_of_init = init(&joining, profile);
	int err = changed_tree_init(joined, profile->cct);

	if (!err)
		err = err_of_init;
	if (!err)
		err = find_joined(&joining);
	if (!err)
		err = changed_tree_fill(joined, profile->cct, profile->cct->frames.frames,
					join_node, &joining);
	deinit(&joining);
	return err;
}
