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

static int write_row_functions(struct writing *writing, const struct diff *diff,
			       struct byte_buffer *out)
{
	int err = 0;

	for (size_t i = 0; i < diff->n_shown && !err; i++) {
		uint32_t id;

		err = add_function(writing, &diff->rows.rows[diff->order[i]], &id);
		if (!err)
			page_column_add(&writing->column, id);
	}
	page_column_write(&writing->column, out);
	return err;
}

static void write_levels(struct writing *writing, const struct diff *diff, struct byte_buffer *out)
{
	uint32_t before = 0;

	for (size_t i = 0; i < diff->n_shown; i++) {
		const uint32_t depth = diff->tree.depth[diff->order[i]] + 1;

		page_column_add(&writing->column, before + 1 - depth);
		before = depth;
	}
	page_column_write(&writing->column, out);
}

/*
 * How much larger the sum of the squares is than that of equal weights would be: 0, or more, in
 * units of 2^-COMPARISON_UNEVEN_BITS. Weights that hardly differ compress well so.
 */
static uint64_t unevenness(const struct diff_cost *cost)
{
	const double weight = (double)cost->weight;

	if (cost->squares <= 0 || !cost->weight || !cost->samples)
		return 0;
	const double ratio = cost->squares / weight * ((double)cost->samples / weight);
	const double uneven = ldexp(ratio - 1, COMPARISON_UNEVEN_BITS);
	return uneven >= 0.5 ? (uint64_t)fmin(uneven + 0.5, ldexp(1, MAX_UNEVEN_BITS)) : 0;
}

static void write_costs(struct writing *writing, const struct diff *diff, size_t metric, size_t run,
			struct byte_buffer *out)
{
	const struct diff_cost *costs = diff->rows.metrics[metric].rows[DIFF_SELF] + run;
	const size_t n_runs = diff->rows.n_runs;

	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, costs[diff->order[i] * n_runs].weight);
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, costs[diff->order[i] * n_runs].samples);
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, unevenness(&costs[diff->order[i] * n_runs]));
	page_column_write(&writing->column, out);
}

static int write_nodes(struct writing *writing, const struct diff *diff, struct byte_buffer *out)
{
	byte_buffer_add_unsigned(out, diff->n_shown);
	write_levels(writing, diff, out);
	int err = write_row_functions(writing, diff, out);
	if (err)
		return err;
	for (size_t metric = 0; metric < diff->rows.n_metrics; metric++) {
		for (size_t run = 0; run < diff->rows.n_runs; run++)
			write_costs(writing, diff, metric, run, out);
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

/* Strings and functions are known after the nodes are written, and precede them. */
static int run(struct writing *writing, const struct diff *paths, struct byte_buffer *out)
{
	struct byte_buffer nodes = { 0 };
	int err = write_nodes(writing, paths, &nodes);

	if (!err) {
		page_strings_write(&writing->strings, out);
		write_functions(writing, out);
		byte_buffer_add(out, nodes.bytes, nodes.size);
		err = out->lacks_memory || nodes.lacks_memory ? -ENOMEM : 0;
	}
	byte_buffer_deinit(&nodes);
	return err;
}

int comparison_columns_write(const struct diff *paths, struct byte_buffer *out)
{
	struct writing writing = { 0 };
	int err = run(&writing, paths, out);

	string_ids_deinit(&writing.strings);
	string_ids_deinit(&writing.keys);
	free(writing.functions);
	page_column_deinit(&writing.column);
	return err;
}
