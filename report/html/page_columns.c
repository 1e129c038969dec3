#include "report/html/page_columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/html/page_column.h"
#include "report/html/page_string.h"
#include "report/views/view_rows.h"

#define NO_FUNCTION UINT32_MAX

/* A node of the page: one of the tree, or the rest below one. */
struct written_node {
	uint32_t place; /* of a rest: of the first node that is left out */
	uint32_t depth;
	bool is_rest;
	uint64_t samples, weight; /* of a rest */
};

struct writing {
	const struct page_columns *columns;
	const struct page_tree *tree;
	const struct fold *fold;
	struct string_ids strings;
	struct written_node *nodes;
	uint32_t n_nodes, n_nodes_allocated;
	uint32_t *functions; /* by entity: number, or NO_FUNCTION */
	uint32_t *entities;  /* by number */
	uint32_t n_functions;
	bool has_rests;
	struct page_column column; /* reused */
};

static int add_node(struct writing *writing, const struct written_node *node)
{
	if (array_reserve(writing->nodes, writing->n_nodes, writing->n_nodes_allocated, 1))
		return -ENOMEM;
	writing->nodes[writing->n_nodes++] = *node;
	writing->has_rests |= node->is_rest;
	return 0;
}

/* Adds up a node that is left out and its siblings after it, which cost no more. The place of the
 * next node that is not below them. */
static uint32_t find_rest(const struct writing *writing, uint32_t place, struct written_node *rest)
{
	const struct page_tree *tree = writing->tree;
	const uint32_t depth = tree->depths[place];

	*rest = (struct written_node){ .place = place, .depth = depth, .is_rest = true };
	for (; place < writing->fold->n_nodes && tree->depths[place] >= depth; place++) {
		if (tree->depths[place] > depth)
			continue;
		rest->weight += page_tree_total(tree, place);
		rest->samples +=
			writing->fold
				->samples[(size_t)tree->nodes[place] * writing->fold->n_metrics +
					  tree->metric];
	}
	return place;
}

static int choose_nodes(struct writing *writing)
{
	int err = 0;

	for (uint32_t place = 0; place < writing->fold->n_nodes && !err;) {
		struct written_node node = { .place = place,
					     .depth = writing->tree->depths[place] };

		if (!place || page_tree_total(writing->tree, place) >= writing->columns->least)
			place++;
		else
			place = find_rest(writing, place, &node);
		if (!node.is_rest || node.weight)
			err = add_node(writing, &node);
	}
	return err;
}

static void number_functions(struct writing *writing)
{
	for (uint32_t i = 0; i < writing->fold->n_entities; i++)
		writing->functions[i] = NO_FUNCTION;
	for (uint32_t i = 0; i < writing->n_nodes; i++) {
		const uint32_t node = writing->tree->nodes[writing->nodes[i].place];
		const uint32_t entity = writing->fold->nodes[node].entity;

		if (writing->nodes[i].is_rest || writing->functions[entity] != NO_FUNCTION)
			continue;
		writing->entities[writing->n_functions] = entity;
		writing->functions[entity] = writing->n_functions++;
	}
}

static int add_string(struct writing *writing, const char *text)
{
	uint32_t id;
	bool is_new;
	int err = string_ids_add(&writing->strings, text, &id, &is_new);

	if (!err)
		page_column_add(&writing->column, id);
	return err;
}

/* @is_module: their modules, not their names. */
static int write_names(struct writing *writing, struct byte_buffer *out, bool is_module)
{
	int err = 0;

	for (uint32_t i = 0; i < writing->n_functions && !err; i++) {
		const struct fold_entity *entity = &writing->fold->entities[writing->entities[i]];

		err = add_string(writing, is_module ? entity->module : entity->name);
	}
	if (!err && writing->has_rests)
		err = add_string(writing, "");
	page_column_write(&writing->column, out);
	return err;
}

static int write_functions(struct writing *writing, struct byte_buffer *out)
{
	const struct fold_entity *entities = writing->fold->entities;
	struct page_column kinds = { 0 }, ids = { 0 }, merged = { 0 };

	byte_buffer_add_unsigned(out, writing->n_functions + writing->has_rests);
	int err = write_names(writing, out, false);
	if (!err)
		err = write_names(writing, out, true);
	for (uint32_t i = 0; i < writing->n_functions; i++) {
		const struct fold_entity *entity = &entities[writing->entities[i]];

		page_column_add(&kinds, view_entity_kind(entity));
		page_column_add(&ids, (uint32_t)entity->id + 1u);
		page_column_add(&merged, entity->n_merged);
	}
	if (writing->has_rests) {
		page_column_add(&kinds, PAGE_REST);
		page_column_add(&ids, 0);
		page_column_add(&merged, 0);
	}
	page_column_write(&kinds, out);
	page_column_write(&ids, out);
	page_column_write(&merged, out);
	page_column_deinit(&kinds);
	page_column_deinit(&ids);
	page_column_deinit(&merged);
	return err;
}

static uint32_t fold_node_of(const struct writing *writing, uint32_t i)
{
	return writing->tree->nodes[writing->nodes[i].place];
}

static const struct fold_detail *detail_of(const struct writing *writing, uint32_t i)
{
	return &writing->fold->details[fold_node_of(writing, i)];
}

/* Whether a node is an inlined call whose place is known. */
static bool has_call(const struct writing *writing, uint32_t i)
{
	const struct fold_detail *detail = detail_of(writing, i);

	return !writing->nodes[i].is_rest && detail->call_file && detail->call_line;
}

static int write_calls(struct writing *writing, struct byte_buffer *out)
{
	struct page_column nodes = { 0 }, lines = { 0 };
	uint32_t last = 0;
	int err = 0;

	for (uint32_t i = 0; i < writing->n_nodes && !err; i++) {
		if (!has_call(writing, i))
			continue;
		page_column_add(&nodes, i - last);
		err = add_string(writing, detail_of(writing, i)->call_file);
		page_column_add(&lines, detail_of(writing, i)->call_line);
		last = i;
	}
	byte_buffer_add_unsigned(out, nodes.n);
	page_column_write(&nodes, out);
	page_column_write(&writing->column, out);
	page_column_write(&lines, out);
	page_column_deinit(&nodes);
	page_column_deinit(&lines);
	return err;
}

static int write_nodes(struct writing *writing, struct byte_buffer *out)
{
	const struct written_node *nodes = writing->nodes;

	byte_buffer_add_unsigned(out, writing->n_nodes);
	for (uint32_t i = 0; i < writing->n_nodes; i++)
		page_column_add(&writing->column, i ? nodes[i - 1].depth + 1 - nodes[i].depth : 0);
	page_column_write(&writing->column, out);
	for (uint32_t i = 0; i < writing->n_nodes; i++)
		page_column_add(
			&writing->column,
			nodes[i].is_rest
				? writing->n_functions
				: writing->functions[writing->fold->nodes[fold_node_of(writing, i)]
							     .entity]);
	page_column_write(&writing->column, out);
	return write_calls(writing, out);
}

/* The exclusive cost of the root, which the fold has in its inclusive cost alone. */
static uint64_t self_of_root(const struct fold *fold, const uint64_t *total, uint32_t metric)
{
	uint64_t self = total[metric];

	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		if (!fold->nodes[i].parent)
			self -= total[(size_t)i * fold->n_metrics + metric];
	}
	return self;
}

static void get_cost(const struct writing *writing, uint32_t i, uint32_t metric,
		     struct cct_cost *cost_ret)
{
	const struct fold *fold = writing->fold;
	const struct written_node *node = &writing->nodes[i];
	const size_t at = (size_t)writing->tree->nodes[node->place] * fold->n_metrics + metric;

	if (node->is_rest)
		*cost_ret = (struct cct_cost){ node->samples, node->weight };
	else if (!i)
		*cost_ret = (struct cct_cost){ self_of_root(fold, fold->samples, metric),
					       self_of_root(fold, fold->total, metric) };
	else
		*cost_ret = (struct cct_cost){ fold->self_samples[at], fold->self[at] };
}

/* Of the exclusive cost. The fold has errors. */
static unsigned __int128 get_squares(const struct writing *writing, uint32_t i, uint32_t metric)
{
	const struct fold *fold = writing->fold;
	const uint32_t n_metrics = writing->columns->profile->n_metrics;
	const uint32_t columns = fold_error_columns(n_metrics, metric);
	const uint32_t low = columns + FOLD_SQUARES_LOW, high = columns + FOLD_SQUARES_HIGH;
	const size_t at = (size_t)writing->tree->nodes[writing->nodes[i].place] * fold->n_metrics;
	const uint64_t low_sum = i ? fold->self[at + low] : self_of_root(fold, fold->total, low);
	const uint64_t high_sum = i ? fold->self[at + high] : self_of_root(fold, fold->total, high);

	return low_sum + ((unsigned __int128)high_sum << FOLD_SQUARES_LOW_BITS);
}

static void write_squares(const struct writing *writing, uint32_t metric, struct byte_buffer *out)
{
	struct page_squares squares = { 0 };

	for (uint32_t i = 0; i < writing->n_nodes; i++)
		page_squares_add(&squares, get_squares(writing, i, metric));
	page_squares_write(&squares, out);
	page_squares_deinit(&squares);
}

/* Whether the rows have the costs of all nodes: not if weights were scaled. 0 or -ENOMEM. */
static int compare_with_rows(const struct writing *writing, uint32_t metric, bool *is_equal_ret)
{
	const struct page_rows *rows = writing->columns->rows;

	*is_equal_ret = false;
	if (!rows || !rows->n)
		return 0;
	_cleanup_free_ uint64_t *sums = calloc(writing->n_nodes, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n; i++) {
		if (rows->rows[i].metric == metric)
			sums[rows->rows[i].place] += rows->rows[i].weight;
	}
	for (uint32_t i = 0; i < writing->n_nodes; i++) {
		struct cct_cost cost;

		get_cost(writing, i, metric, &cost);
		if (cost.weight != sums[i])
			return 0;
	}
	*is_equal_ret = true;
	return 0;
}

static int write_costs_of(struct writing *writing, uint32_t metric, struct byte_buffer *out)
{
	struct page_column weights = { 0 };
	bool is_in_rows;
	int err = compare_with_rows(writing, metric, &is_in_rows);

	byte_buffer_add_unsigned(out, !is_in_rows);
	if (err || is_in_rows)
		return err;
	for (uint32_t i = 0; i < writing->n_nodes; i++) {
		struct cct_cost cost;

		get_cost(writing, i, metric, &cost);
		page_column_add(&writing->column, cost.samples);
		page_column_add(&weights, cost.weight);
	}
	page_column_write(&writing->column, out);
	page_column_write(&weights, out);
	page_column_deinit(&weights);
	if (writing->columns->squares)
		write_squares(writing, metric, out);
	return 0;
}

static int write_costs(struct writing *writing, struct byte_buffer *out)
{
	const uint32_t n_metrics = writing->columns->profile->n_metrics;
	int err = 0;

	byte_buffer_add_unsigned(out, writing->columns->squares);
	if (writing->columns->least) {
		byte_buffer_add_unsigned(out, 1);
		return write_costs_of(writing, writing->tree->metric, out);
	}
	byte_buffer_add_unsigned(out, n_metrics);
	for (uint32_t metric = 0; metric < n_metrics && !err; metric++)
		err = write_costs_of(writing, metric, out);
	return err;
}

static int write_body(struct writing *writing, struct byte_buffer *body)
{
	const struct page_rows *rows = writing->columns->rows;
	int err = write_functions(writing, body);

	if (!err)
		err = write_nodes(writing, body);
	if (!err)
		err = write_costs(writing, body);
	if (err)
		return err;
	if (rows)
		return page_rows_write(rows, writing->columns->profile, &writing->strings,
				       writing->columns->squares, body);
	byte_buffer_add_unsigned(body, 0);
	return 0;
}

static int run(struct writing *writing, struct byte_buffer *out)
{
	struct byte_buffer body = { 0 };
	const size_t n_entities = writing->fold->n_entities;

	writing->functions = calloc(n_entities, sizeof(*writing->functions));
	writing->entities = calloc(n_entities, sizeof(*writing->entities));
	if (!writing->functions || !writing->entities)
		return -ENOMEM;
	int err = choose_nodes(writing);
	if (!err) {
		number_functions(writing);
		err = write_body(writing, &body);
	}
	if (!err) {
		page_strings_write(&writing->strings, out); /* known after all else, and first */
		byte_buffer_add(out, body.bytes, body.size);
		err = out->lacks_memory || body.lacks_memory ? -ENOMEM : 0;
	}
	byte_buffer_deinit(&body);
	return err;
}

int page_columns_write(const struct page_columns *columns, struct byte_buffer *out)
{
	struct writing writing = {
		.columns = columns,
		.tree = columns->tree,
		.fold = columns->tree->fold,
	};
	int err = run(&writing, out);

	string_ids_deinit(&writing.strings);
	free(writing.nodes);
	free(writing.functions);
	free(writing.entities);
	page_column_deinit(&writing.column);
	return err;
}
