#include "report/html/comparison_columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/html/page_column.h"
#include "report/html/page_string.h"

#define KEY_SIZE        64 /* of three numbers */
#define MAX_UNEVEN_BITS 62

/* By what they are called on both sides. */
struct function {
	uint32_t name, module;
	enum row_kind kind;
};

struct writing {
	const struct diff *diff;
	size_t *rows; /* those that are written */
	size_t n_rows;
	/* [(metric * n_runs + run) * n_rows + place]; NULL: they have their own cost */
	struct diff_cost *costs;
	struct string_ids strings, keys; /* a function's number is that of its key */
	struct function *functions;
	uint32_t n_functions, n_allocated;
	struct page_column column; /* reused */
};

static int add_string(struct writing *writing, const char *text, uint32_t *id_ret)
{
	bool is_new;

	return string_ids_add(&writing->strings, text, id_ret, &is_new);
}

/* The number of a row's function. */
static int add_function(struct writing *writing, const struct diff_row *row, uint32_t *id_ret)
{
	struct function function = { .kind = row->kind };
	char key[KEY_SIZE];
	bool is_new = false;

	if (add_string(writing, row->name, &function.name) ||
	    add_string(writing, row->module, &function.module))
		return -ENOMEM;
	snprintf(key, sizeof(key), "%u %u %d", function.name, function.module, function.kind);
	if (string_ids_add(&writing->keys, key, id_ret, &is_new))
		return -ENOMEM;
	if (!is_new)
		return 0;
	if (array_reserve(writing->functions, writing->n_functions, writing->n_allocated, 1))
		return -ENOMEM;
	writing->functions[writing->n_functions++] = function;
	return 0;
}

static int write_row_functions(struct writing *writing, struct byte_buffer *out)
{
	int err = 0;

	for (size_t i = 0; i < writing->n_rows && !err; i++) {
		uint32_t id;

		err = add_function(writing, &writing->diff->rows.rows[writing->rows[i]], &id);
		if (!err)
			page_column_add(&writing->column, id);
	}
	page_column_write(&writing->column, out);
	return err;
}

static void write_levels(struct writing *writing, struct byte_buffer *out)
{
	uint32_t before = 0;

	for (size_t i = 0; i < writing->n_rows; i++) {
		const uint32_t depth = writing->diff->tree.depth[writing->rows[i]] + 1;

		page_column_add(&writing->column, before + 1 - depth);
		before = depth;
	}
	page_column_write(&writing->column, out);
}

uint64_t comparison_unevenness(const struct diff_cost *cost)
{
	const double weight = (double)cost->weight;

	if (cost->squares <= 0 || !cost->weight || !cost->samples)
		return 0;
	const double ratio = cost->squares / weight * ((double)cost->samples / weight);
	const double uneven = ldexp(ratio - 1, COMPARISON_UNEVEN_BITS);
	return uneven >= 0.5 ? (uint64_t)fmin(uneven + 0.5, ldexp(1, MAX_UNEVEN_BITS)) : 0;
}

static const struct diff_cost *cost_of(const struct writing *writing, size_t metric, size_t run,
				       size_t place)
{
	const struct diff_rows *rows = &writing->diff->rows;

	if (writing->costs)
		return &writing->costs[(metric * rows->n_runs + run) * writing->n_rows + place];
	return &rows->metrics[metric].rows[DIFF_SELF][writing->rows[place] * rows->n_runs + run];
}

static void write_costs(struct writing *writing, size_t metric, size_t run, struct byte_buffer *out)
{
	for (size_t i = 0; i < writing->n_rows; i++)
		page_column_add(&writing->column, cost_of(writing, metric, run, i)->weight);
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < writing->n_rows; i++)
		page_column_add(&writing->column, cost_of(writing, metric, run, i)->samples);
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < writing->n_rows; i++)
		page_column_add(&writing->column,
				comparison_unevenness(cost_of(writing, metric, run, i)));
	page_column_write(&writing->column, out);
}

static int write_nodes(struct writing *writing, struct byte_buffer *out)
{
	const struct diff_rows *rows = &writing->diff->rows;

	byte_buffer_add_unsigned(out, writing->n_rows);
	write_levels(writing, out);
	int err = write_row_functions(writing, out);
	if (err)
		return err;
	for (size_t metric = 0; metric < rows->n_metrics; metric++) {
		for (size_t run = 0; run < rows->n_runs; run++)
			write_costs(writing, metric, run, out);
	}
	return 0;
}

static void write_functions(struct writing *writing, struct byte_buffer *out)
{
	byte_buffer_add_unsigned(out, writing->n_functions);
	for (uint32_t i = 0; i < writing->n_functions; i++)
		page_column_add(&writing->column, writing->functions[i].name);
	page_column_write(&writing->column, out);
	for (uint32_t i = 0; i < writing->n_functions; i++)
		page_column_add(&writing->column, writing->functions[i].module);
	page_column_write(&writing->column, out);
	for (uint32_t i = 0; i < writing->n_functions; i++)
		page_column_add(&writing->column, writing->functions[i].kind);
	page_column_write(&writing->column, out);
}

/* Whether a row has more than one of so many parts of a run. All rows above it have. */
static bool is_wide(const struct diff *diff, size_t row, uint64_t parts)
{
	const size_t n_runs = diff->rows.n_runs;

	for (size_t metric = 0; metric < diff->rows.n_metrics; metric++) {
		const struct diff_costs *costs = &diff->rows.metrics[metric];

		for (size_t run = 0; run < n_runs; run++) {
			const uint64_t weight = costs->rows[DIFF_TOTAL][row * n_runs + run].weight;

			if (weight > costs->runs[run].cost.weight / parts)
				return true;
		}
	}
	return false;
}

/* @parts: 0: all rows. */
static int choose_rows(struct writing *writing, uint64_t parts)
{
	const struct diff *diff = writing->diff;

	writing->rows = malloc((diff->n_shown + 1) * sizeof(*writing->rows));
	if (!writing->rows)
		return -ENOMEM;
	for (size_t i = 0; i < diff->n_shown; i++) {
		if (!parts || is_wide(diff, diff->order[i], parts))
			writing->rows[writing->n_rows++] = diff->order[i];
	}
	return 0;
}

/* A row's cost without that of the rows below it that are written. Squares are not known of it. */
static void leave_costs(struct writing *writing, size_t metric, size_t run, struct diff_cost *costs,
			size_t *path)
{
	const struct diff *diff = writing->diff;
	const struct diff_cost *totals = diff->rows.metrics[metric].rows[DIFF_TOTAL];

	for (size_t i = 0; i < writing->n_rows; i++) {
		const size_t row = writing->rows[i], depth = diff->tree.depth[row];
		const struct diff_cost *total = &totals[row * diff->rows.n_runs + run];

		path[depth] = i;
		costs[i] = (struct diff_cost){ .weight = total->weight, .samples = total->samples };
		if (depth) {
			costs[path[depth - 1]].weight -= total->weight;
			costs[path[depth - 1]].samples -= total->samples;
		}
	}
}

/* What is left out is part of the row above it. */
static int add_costs_left_out(struct writing *writing)
{
	const struct diff_rows *rows = &writing->diff->rows;
	const size_t n_columns = rows->n_metrics * rows->n_runs;
	_cleanup_free_ size_t *path = calloc(writing->diff->n_shown + 1, sizeof(*path));

	writing->costs = calloc(n_columns * writing->n_rows + 1, sizeof(*writing->costs));
	if (!writing->costs || !path)
		return -ENOMEM;
	for (size_t i = 0; i < n_columns; i++)
		leave_costs(writing, i / rows->n_runs, i % rows->n_runs,
			    writing->costs + i * writing->n_rows, path);
	return 0;
}

/* Strings and functions are known after the nodes are written, and precede them. */
static int run(struct writing *writing, struct byte_buffer *out)
{
	struct byte_buffer nodes = { 0 };
	int err = write_nodes(writing, &nodes);

	if (!err) {
		page_strings_write(&writing->strings, out);
		write_functions(writing, out);
		byte_buffer_add(out, nodes.bytes, nodes.size);
		err = out->lacks_memory || nodes.lacks_memory ? -ENOMEM : 0;
	}
	byte_buffer_deinit(&nodes);
	return err;
}

int comparison_columns_write(const struct diff *paths, uint64_t parts, struct byte_buffer *out)
{
	struct writing writing = { .diff = paths };
	int err = choose_rows(&writing, parts);

	if (!err && parts)
		err = add_costs_left_out(&writing);
	if (!err)
		err = run(&writing, out);
	free(writing.rows);
	free(writing.costs);
	string_ids_deinit(&writing.strings);
	string_ids_deinit(&writing.keys);
	free(writing.functions);
	page_column_deinit(&writing.column);
	return err;
}
