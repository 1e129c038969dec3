#include "report/values/value_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

static void deinit_values(struct value_row *row)
{
	free(row->counts);
	string_ids_deinit(&row->texts);
}

void value_table_deinit(struct value_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		free(table->rows[i].name);
		free(table->rows[i].type);
		deinit_values(&table->rows[i]);
	}
	for (uint32_t i = 0; i < table->n_parts; i++) {
		free(table->parts[i].callers);
		deinit_values(&table->parts[i]);
	}
	free(table->rows);
	free(table->parts);
	pair_map_deinit(&table->parts_by_context);
	*table = (struct value_table){ 0 };
}

/* false: out of memory. */
static bool take_type(struct value_row *row, const char *type)
{
	char *copy = strdup(type);

	if (copy) {
		free(row->type);
		row->type = copy;
	}
	return copy;
}

struct value_row *value_table_row(struct value_table *table, const char *name, const char *type,
				  enum value_row_kind kind)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct value_row *row = &table->rows[i];

		if (row->kind == kind && strcmp(row->name, name) == 0)
			return *row->type || take_type(row, type) ? row : NULL;
	}
	if (array_reserve(table->rows, table->n_rows, table->n_allocated, 1))
		return NULL;
	struct value_row *row = &table->rows[table->n_rows];
	*row = (struct value_row){ .name = strdup(name),
				   .type = strdup(type),
				   .kind = kind,
				   .texts_max = VALUE_TEXTS_MAX };
	if (!row->name || !row->type) {
		free(row->name);
		free(row->type);
		return NULL;
	}
	table->n_rows++;
	return row;
}

/* 0 or -ENOMEM. */
static int add_part(struct value_table *table, const struct value_row *row, uint32_t context,
		    char *callers)
{
	const uint64_t index = (uint64_t)(row - table->rows);

	if (!callers || array_reserve(table->parts, table->n_parts, table->n_parts_allocated, 1) ||
	    pair_map_add(&table->parts_by_context, index, context, table->n_parts)) {
		free(callers);
		return -ENOMEM;
	}
	table->parts[table->n_parts++] = (struct value_row){ .name = row->name,
							     .kind = row->kind,
							     .callers = callers,
							     .texts_max = VALUE_PART_TEXTS_MAX };
	return 0;
}

int value_table_part(struct value_table *table, struct value_row *row, uint32_t context,
		     char *(*make_callers)(void *data, uint32_t context), void *data,
		     struct value_row **part_ret)
{
	const uint64_t index = (uint64_t)(row - table->rows);
	uint32_t found = pair_map_find(&table->parts_by_context, index, context);

	*part_ret = NULL;
	if (found == PAIR_MAP_NONE && table->n_parts == VALUE_PARTS_MAX) {
		row->n_apart++;
		return 0;
	}
	if (found == PAIR_MAP_NONE) {
		found = table->n_parts;
		if (add_part(table, row, context, make_callers(data, context)))
			return -ENOMEM;
	}
	*part_ret = &table->parts[found];
	return 0;
}

static void add_number(struct value_row *row, double number)
{
	struct value_powers *powers = number < 0 ? &row->below : &row->above;
	double amount = fabs(number);
	int power = 0;

	if (!isfinite(number))
		return;
	if (amount >= 1)
		frexp(amount, &power);
	powers->n[power < VALUE_POWERS ? power : VALUE_POWERS]++;
	if (!row->n_numbers || number < row->min)
		row->min = number;
	if (!row->n_numbers || number > row->max)
		row->max = number;
	row->n_numbers++;
	row->sum += number;
	row->squares += number * number;
}

int value_row_add(struct value_row *row, const struct value_text *value)
{
	uint32_t id;
	bool is_new;

	row->n_known++;
	if (value->is_number)
		add_number(row, value->number);
	if (row->n_counts == row->texts_max) {
		/* Those that are known go on being told apart only while there is room for more. */
		row->n_others++;
		return 0;
	}
	if (string_ids_add(&row->texts, value->text, &id, &is_new))
		return -ENOMEM;
	if (is_new) {
		if (array_reserve(row->counts, row->n_counts, row->n_allocated, 1))
			return -ENOMEM;
		row->counts[row->n_counts++] =
			(struct value_count){ .number = value->number, .text = id };
	}
	row->counts[id].n++;
	return 0;
}

void value_later_add(struct value_later *later, uint64_t delay_ns, const char *why)
{
	size_t i = 0;

	if (!why) {
		later->n++;
		later->sum_ns += delay_ns;
		if (delay_ns > later->max_ns)
			later->max_ns = delay_ns;
		return;
	}
	while (later->failures[i].why && later->failures[i].why != why)
		i++;
	later->failures[i].why = why;
	later->failures[i].n++;
}

static int compare_counts(const void *a, const void *b)
{
	const struct value_count *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->text > y->text) - (x->text < y->text);
}

static int compare_rows(const void *a, const void *b)
{
	const struct value_row *x = a, *y = b;
	bool x_is_known = x->n_known, y_is_known = y->n_known;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	/* Locals that are never known come last. */
	if (x->kind == VALUE_LOCAL && x_is_known != y_is_known)
		return x_is_known ? -1 : 1;
	return 0;
}

/* Those of a row are side by side. */
static int compare_parts(const void *a, const void *b)
{
	const struct value_row *x = a, *y = b;
	const uint64_t n_x = value_row_n(x), n_y = value_row_n(y);

	if (x->name != y->name)
		return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
	return n_x != n_y ? (n_x > n_y ? -1 : 1) : strcmp(x->callers, y->callers);
}

static void sort_counts(struct value_row *row)
{
	if (row->n_counts)
		qsort(row->counts, row->n_counts, sizeof(*row->counts), compare_counts);
}

void value_table_finish(struct value_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++)
		sort_counts(&table->rows[i]);
	for (uint32_t i = 0; i < table->n_parts; i++)
		sort_counts(&table->parts[i]);
	if (table->n_parts)
		qsort(table->parts, table->n_parts, sizeof(*table->parts), compare_parts);
	/* Few; and those that are equal stay in their order. */
	for (uint32_t i = 1; i < table->n_rows; i++) {
		for (uint32_t j = i; j && compare_rows(&table->rows[j - 1], &table->rows[j]) > 0;
		     j--) {
			struct value_row row = table->rows[j];

			table->rows[j] = table->rows[j - 1];
			table->rows[j - 1] = row;
		}
	}
}

static int compare_numbers(const void *a, const void *b)
{
	const struct value_count *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

bool value_row_quantile(const struct value_row *row, double share, double *number_ret)
{
	uint64_t n = 0;
	bool is_found = false;

	if (row->n_others || !row->n_numbers || row->n_numbers != row->n_known)
		return false;
	struct value_count *sorted = calloc(row->n_counts, sizeof(*sorted));
	if (!sorted)
		return false;
	memcpy(sorted, row->counts, row->n_counts * sizeof(*sorted));
	qsort(sorted, row->n_counts, sizeof(*sorted), compare_numbers);
	for (uint32_t i = 0; i < row->n_counts && !is_found; i++) {
		n += sorted[i].n;
		is_found = (double)n >= share * (double)row->n_known;
		*number_ret = sorted[i].number;
	}
	free(sorted);
	return is_found;
}
