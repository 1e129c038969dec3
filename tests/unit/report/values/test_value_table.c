/* What is counted of values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/values/value_table.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static struct value_text number(double value)
{
	struct value_text text = { .is_number = true, .number = value };

	text.n = (size_t)snprintf(text.text, sizeof(text.text), "%g", value);
	return text;
}

static void add(struct value_row *row, double value, unsigned n)
{
	struct value_text text = number(value);

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(value_row_add(row, &text), 0);
}

static void values_are_counted_the_commonest_first(void **state)
{
	struct value_table table = { 0 };
	struct value_row *row = value_table_row(&table, "n", "int", VALUE_PARAMETER);

	(void)state;
	add(row, 5, 1);
	add(row, 7, 3);
	add(row, 5, 1);
	value_row_miss(row, DEBUG_NO_REGISTER);
	assert_ptr_equal(value_table_row(&table, "n", "int", VALUE_PARAMETER), row);
	value_table_finish(&table);
	assert_int_equal(row->n_known, 5);
	assert_int_equal(value_row_n(row), 6);
	assert_int_equal(row->n_counts, 2);
	assert_string_equal(row->texts.strings[row->counts[0].text], "7");
	assert_int_equal(row->counts[0].n, 3);
	assert_int_equal(row->counts[1].n, 2);
	value_table_deinit(&table);
}

static void what_was_read_later_is_counted_with_its_delay_and_why_not(void **state)
{
	static const char *const gone = "gone", *const late = "late";
	struct value_later later = { 0 };

	(void)state;
	value_later_add(&later, 10, NULL);
	value_later_add(&later, 30, NULL);
	value_later_add(&later, 1000, gone);
	value_later_add(&later, 1000, late);
	value_later_add(&later, 1000, gone);
	assert_int_equal(later.n, 2);
	assert_int_equal(later.sum_ns, 40);
	assert_int_equal(later.max_ns, 30);
	assert_string_equal(later.failures[0].why, gone);
	assert_int_equal(later.failures[0].n, 2);
	assert_int_equal(later.failures[1].n, 1);
	assert_null(later.failures[2].why);
}

static void numbers_have_quantiles_and_powers_of_two(void **state)
{
	struct value_table table = { 0 };
	struct value_row *row = value_table_row(&table, "n", "int", VALUE_PARAMETER);
	double at;

	(void)state;
	add(row, 0, 1);
	add(row, 1, 1);
	add(row, 3, 1);
	add(row, 4, 1);
	add(row, -8, 1);
	value_table_finish(&table);
	assert_true(row->sum == 0 && row->min == -8 && row->max == 4);
	assert_int_equal(row->above.n[0], 1);
	assert_int_equal(row->above.n[1], 1);
	assert_int_equal(row->above.n[2], 1);
	assert_int_equal(row->above.n[3], 1);
	assert_int_equal(row->below.n[4], 1);
	assert_true(value_row_quantile(row, 0.5, &at) && at == 1);
	assert_true(value_row_quantile(row, 0.05, &at) && at == -8);
	assert_true(value_row_quantile(row, 1, &at) && at == 4);
	value_table_deinit(&table);
}

static void there_are_no_quantiles_of_what_is_no_number(void **state)
{
	struct value_table table = { 0 };
	struct value_row *row = value_table_row(&table, "p", "void *", VALUE_PARAMETER);
	struct value_text text = { .text = "0x10", .n = 4 };
	double at;

	(void)state;
	add(row, 3, 1);
	assert_int_equal(value_row_add(row, &text), 0);
	value_table_finish(&table);
	assert_false(value_row_quantile(row, 0.5, &at));
	value_table_deinit(&table);
}

static void no_more_values_are_told_apart_than_there_is_room_for(void **state)
{
	struct value_table table = { 0 };
	struct value_row *row = value_table_row(&table, "n", "int", VALUE_PARAMETER);
	double at;

	(void)state;
	for (unsigned i = 0; i < VALUE_TEXTS_MAX + 10; i++)
		add(row, i, 1);
	value_table_finish(&table);
	assert_int_equal(row->n_counts, VALUE_TEXTS_MAX);
	assert_int_equal(row->n_others, 10);
	assert_int_equal(row->n_known, VALUE_TEXTS_MAX + 10);
	assert_false(value_row_quantile(row, 0.5, &at));
	value_table_deinit(&table);
}

static void locals_that_are_never_known_come_last(void **state)
{
	static const char *const names[] = { "parameter", "known", "unknown" };
	struct value_table table = { 0 };

	(void)state;
	value_row_miss(value_table_row(&table, "unknown", "int", VALUE_LOCAL), DEBUG_OPTIMIZED_OUT);
	add(value_table_row(&table, "known", "int", VALUE_LOCAL), 1, 1);
	value_row_miss(value_table_row(&table, "parameter", "int", VALUE_PARAMETER),
		       DEBUG_OPTIMIZED_OUT);
	value_table_finish(&table);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(table.rows[i].name, names[i]);
	value_table_deinit(&table);
}

/* "caller\0main\0" and the end of the list. */
static char *make_callers(void *data, uint32_t context)
{
	static const char callers[] = "caller\0main\0";
	unsigned *n_made = data;
	char *copy = malloc(sizeof(callers));

	(void)context;
	(*n_made)++;
	assert_non_null(copy);
	return memcpy(copy, callers, sizeof(callers));
}

static void contexts_have_parts_up_to_a_bound(void **state)
{
	struct value_table table = { 0 };
	struct value_row *part;
	unsigned n_made = 0;

	(void)state;
	for (uint32_t i = 0; i < 2 * VALUE_PARTS_MAX; i++) {
		const uint32_t context = i / 2;
		struct value_row *row =
			value_table_row(&table, i % 2 ? "m" : "n", "int", VALUE_LOCAL);

		assert_int_equal(
			value_table_part(&table, row, context, make_callers, &n_made, &part), 0);
		if (i < VALUE_PARTS_MAX)
			add(part, context, 1 + (i == 2));
		else
			assert_null(part);
	}
	struct value_row *row = value_table_row(&table, "n", "int", VALUE_LOCAL);
	assert_int_equal(value_table_part(&table, row, 7, make_callers, &n_made, &part), 0);
	add(part, 7, 2);
	assert_int_equal(n_made, VALUE_PARTS_MAX);
	value_table_finish(&table);
	uint64_t n_parts[2] = { 0 };
	for (uint32_t i = 0; i < table.n_parts; i++)
		for (uint32_t j = 0; j < 2; j++)
			n_parts[j] += value_row_has_part(&table.rows[j], &table.parts[i]);
	assert_int_equal(n_parts[0], VALUE_PARTS_MAX / 2);
	assert_int_equal(n_parts[1], VALUE_PARTS_MAX / 2);
	assert_int_equal(table.rows[0].n_apart, VALUE_PARTS_MAX / 2);
	value_table_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_have_parts_up_to_a_bound),
		cmocka_unit_test(values_are_counted_the_commonest_first),
		cmocka_unit_test(what_was_read_later_is_counted_with_its_delay_and_why_not),
		cmocka_unit_test(numbers_have_quantiles_and_powers_of_two),
		cmocka_unit_test(there_are_no_quantiles_of_what_is_no_number),
		cmocka_unit_test(no_more_values_are_told_apart_than_there_is_room_for),
		cmocka_unit_test(locals_that_are_never_known_come_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
