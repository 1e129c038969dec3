#include "report/html/comparison_columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/html/page_column.h"
#include "report/html/page_string.h"

#define KEY_SIZE 64 /* of three numbers */

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

static void write_statuses(struct writing *writing, const struct diff *diff,
			   struct byte_buffer *out)
{
	for (size_t i = 0; i < diff->n_shown; i++) {
		const char *status = diff_row_status(diff, diff->order[i]);

		page_column_add(&writing->column, strcmp(status, "new") == 0    ? 1
						  : strcmp(status, "gone") == 0 ? 2
										: 0);
	}
	page_column_write(&writing->column, out);
}

static uint64_t weight_of_side(const struct diff *diff, size_t metric, enum diff_measure measure,
			       size_t row, enum diff_side side)
{
	const struct diff_cost *costs =
		&diff->rows.metrics[metric].rows[measure][row * diff->rows.n_runs];
	uint64_t sum = 0;

	for (size_t i = 0; i < diff->rows.n_runs; i++) {
		if (diff->sources[i].side == side)
			sum += costs[i].weight;
	}
	return sum;
}

static uint32_t float_bits(double number)
{
	const float narrow = (float)number;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	return bits;
}

static void write_changes(struct writing *writing, const struct diff *diff, size_t metric,
			  enum diff_measure measure, struct byte_buffer *out)
{
	const struct diff_change *changes = diff->changes[metric].rows[measure];
	const size_t *order = diff->order;

	for (int side = DIFF_BEFORE; side < N_DIFF_SIDES; side++) {
		for (size_t i = 0; i < diff->n_shown; i++)
			page_column_add(&writing->column,
					weight_of_side(diff, metric, measure, order[i],
						       (enum diff_side)side));
		page_column_write(&writing->column, out);
	}
	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, float_bits(changes[order[i]].result.error));
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, float_bits(changes[order[i]].q));
	page_column_write(&writing->column, out);
	for (size_t i = 0; i < diff->n_shown; i++)
		page_column_add(&writing->column, diff_change_is_significant(&changes[order[i]]));
	page_column_write(&writing->column, out);
}

static int write_table(struct writing *writing, const struct diff *diff, struct byte_buffer *out)
{
	byte_buffer_add_unsigned(out, diff->n_shown);
	write_levels(writing, diff, out);
	int err = write_row_functions(writing, diff, out);
	if (err)
		return err;
	write_statuses(writing, diff, out);
	for (size_t metric = 0; metric < diff->rows.n_metrics; metric++) {
		for (int measure = 0; measure < N_DIFF_MEASURES; measure++)
			write_changes(writing, diff, metric, (enum diff_measure)measure, out);
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

/* Strings and functions are known after the rows are written, and precede them. */
static int run(struct writing *writing, const struct diff *paths, const struct diff *functions,
	       struct byte_buffer *out)
{
	struct byte_buffer tables = { 0 };
	int err = write_table(writing, paths, &tables);

	if (!err)
		err = write_table(writing, functions, &tables);
	if (!err) {
		page_strings_write(&writing->strings, out);
		write_functions(writing, out);
		byte_buffer_add(out, tables.bytes, tables.size);
		err = out->lacks_memory || tables.lacks_memory ? -ENOMEM : 0;
	}
	byte_buffer_deinit(&tables);
	return err;
}

int comparison_columns_write(const struct diff *paths, const struct diff *functions,
			     struct byte_buffer *out)
{
	struct writing writing = { 0 };
	int err = run(&writing, paths, functions, out);

	string_ids_deinit(&writing.strings);
	string_ids_deinit(&writing.keys);
	free(writing.functions);
	page_column_deinit(&writing.column);
	return err;
}
