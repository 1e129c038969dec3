#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unwind/rules/rule_table.h"

#define N_FUNCTIONS 3000
#define STEP        0x300ull /* from one function's start to the next one's */
#define SIZE        0x2c0u
#define MIDDLE      0x40u

static uint64_t start_of(size_t i)
{
	/* In an order that is not that of addresses. */
	return 0x400000 + i * 1009 % N_FUNCTIONS * STEP;
}

/* Two rows; their rules tell the function by its number. */
static void add_function(struct rule_table *table, size_t i)
{
	struct rule_row rows[2] = { { .start = 0 }, { .start = MIDDLE } };

	for (size_t k = 0; k < 2; k++) {
		rows[k].rule.kind = RULE_CFA_REGISTER;
		rows[k].rule.cfa_offset = (int16_t)i;
		rows[k].rule.cfa_addend = (int8_t)k;
	}
	assert_int_equal(rule_table_add(table, start_of(i), SIZE, rows, 2), 0);
}

static void assert_row(const struct rule *rule, size_t i, int row)
{
	assert_non_null(rule);
	assert_int_equal(rule->cfa_offset, (int)i);
	assert_int_equal(rule->cfa_addend, row);
}

static void rows_are_found_by_their_functions(void **state)
{
	struct rule_table *table = rule_table_create();

	(void)state;
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		assert_null(rule_table_find(table, start_of(i), start_of(i)));
		add_function(table, i);
	}
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		uint64_t start = start_of(i);

		assert_row(rule_table_find(table, start, start), i, 0);
		assert_row(rule_table_find(table, start, start + MIDDLE - 1), i, 0);
		assert_row(rule_table_find(table, start, start + MIDDLE), i, 1);
		assert_row(rule_table_find(table, start, start + SIZE - 1), i, 1);
		assert_null(rule_table_find(table, start, start + SIZE));
		assert_null(rule_table_find(table, start, start - 1));
		assert_null(rule_table_find(table, start + 1, start + 1));
	}
	rule_table_destroy(table);
}

static void guesses_are_right_or_none(void **state)
{
	struct rule_table *table = rule_table_create();
	size_t n_guessed = 0;

	(void)state;
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		assert_null(rule_table_guess(table, start_of(i)));
		add_function(table, i);
		assert_row(rule_table_find(table, start_of(i), start_of(i) + 4), i, 0);
		assert_row(rule_table_guess(table, start_of(i) + 5), i, 0);
	}
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		const struct rule *rule = rule_table_guess(table, start_of(i) + 6);

		if (rule)
			assert_row(rule, i, 0);
		n_guessed += rule != NULL;
		assert_null(rule_table_guess(table, start_of(i) + SIZE));
	}
	assert_in_range(n_guessed, 1, N_FUNCTIONS);
	rule_table_destroy(table);
}

static bool rows_follow_stack(const int16_t *cfa_offsets, uint32_t n_rows)
{
	struct rule_table *table = rule_table_create();
	struct rule_row rows[5] = { 0 };

	for (uint32_t i = 0; i < n_rows; i++) {
		rows[i].start = i;
		rows[i].rule.kind = RULE_CFA_REGISTER;
		rows[i].rule.cfa_offset = cfa_offsets[i];
	}
	assert_int_equal(rule_table_add(table, 0x1000, n_rows, rows, n_rows), 0);
	assert_false(rule_table_follows_stack(table, 0x1000));
	assert_non_null(rule_table_find(table, 0x1000, 0x1000));
	bool follow = rule_table_follows_stack(table, 0x1000);
	assert_false(rule_table_follows_stack(table, 0x1000 + n_rows));
	rule_table_destroy(table);
	return follow;
}

static void rows_follow_the_stack_where_the_first_cfa_comes_back(void **state)
{
	static const int16_t whole[] = { 1, 2, 4, 2, 1 };
	static const int16_t two_ways_out[] = { 1, 4, 1, 4 };

	(void)state;
	assert_true(rows_follow_stack(whole, 5));
	assert_true(rows_follow_stack(two_ways_out, 4));
}

static void rows_do_not_follow_the_stack_where_an_end_is_missing(void **state)
{
	static const int16_t constant[] = { 6, 6, 6 };
	static const int16_t without_epilogue[] = { 1, 2, 4 };
	static const int16_t without_prologue[] = { 4, 2, 1 };

	(void)state;
	assert_false(rows_follow_stack(constant, 1));
	assert_false(rows_follow_stack(constant, 3));
	assert_false(rows_follow_stack(without_epilogue, 3));
	assert_false(rows_follow_stack(without_prologue, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_their_functions),
		cmocka_unit_test(guesses_are_right_or_none),
		cmocka_unit_test(rows_follow_the_stack_where_the_first_cfa_comes_back),
		cmocka_unit_test(rows_do_not_follow_the_stack_where_an_end_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
