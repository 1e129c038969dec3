#include "report/values/value_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void value_table_deinit(struct value_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct value_row *row = &table->rows[i];

		free(row->name);
		free(row->type);
		free(row->counts);
		string_ids_deinit(&row->texts);
	}
	free(table->rows);
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
				  bool is_parameter)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct value_row *row = &table->rows[i];

		if (row->is_parameter == is_parameter && strcmp(row->name, name) == 0)
			return *row->type || take_type(row, type) ? row : NULL;
	}
	if (array_reserve(table->rows, table->n_rows, table->n_allocated, 1))
		return NULL;
	struct value_row *row = &table->rows[table->n_rows];
	*row = (struct value_row){ .name = strdup(name),
				   .type = strdup(type),
				   .is_parameter = is_parameter };
	if (!row->name || !row->type) {
		free(row->name);
		free(row->type);
		return NULL;
	}
	table->n_rows++;
	return row;
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
	if (row->n_counts == VALUE_TEXTS_MAX) {
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

	if (x->is_parameter != y->is_parameter)
		return x->is_parameter ? -1 : 1;
	/* Locals that are never known come last. */
	if (!x->is_parameter && x_is_known != y_is_known)
		return x_is_known ? -1 : 1;
	return 0;
}

void value_table_finish(struct value_table *table)
{
	for (uint32_t i = 0; i < table->n_rows; i++) {
		struct value_row *row = &table->rows[i];

		if (row->n_counts)
			qsort(row->counts, row->n_counts, sizeof(*row->counts), compare_counts);
	}
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
