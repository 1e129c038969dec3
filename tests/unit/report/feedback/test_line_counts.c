/* Counts of lines, their sums and their order. */
#include <string.h>

#include "report/feedback/line_counts.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static uint32_t function_of(struct line_counts *counts, uint32_t parent, uint32_t offset,
			    const char *text)
{
	uint32_t name, function;

	assert_int_equal(line_counts_name(counts, text, &name), 0);
	assert_int_equal(line_counts_function(counts, parent, (struct line_place){ offset, 0 },
					      name, &function),
			 0);
	return function;
}

static uint32_t line_of(struct line_counts *counts, uint32_t function, uint32_t offset,
			uint32_t block)
{
	uint32_t line;

	assert_int_equal(
		line_counts_line(counts, function, (struct line_place){ offset, block }, &line), 0);
	return line;
}

static void call(struct line_counts *counts, uint32_t line, const char *text, uint64_t count)
{
	uint32_t name;

	assert_int_equal(line_counts_name(counts, text, &name), 0);
	assert_int_equal(line_counts_call(counts, line, name, count), 0);
}

static const char *name_at(const struct line_counts *counts, uint32_t i)
{
	return counts->names.strings[counts->functions[counts->function_order[i]].name];
}

static void the_highest_count_of_one_code_holds_and_those_of_several_are_added(void **state)
{
	struct line_counts counts = { 0 };
	const uint32_t f = function_of(&counts, LINE_COUNTS_TOP, 0, "f");
	const uint32_t line = line_of(&counts, f, 3, 0), other = line_of(&counts, f, 3, 1);

	(void)state;
	assert_int_not_equal(line, other);
	assert_int_equal(line_of(&counts, f, 3, 0), line);
	line_counts_raise(&counts, line, 0, 5);
	line_counts_raise(&counts, line, 0, 9);
	line_counts_raise(&counts, line, 0, 7);
	line_counts_raise(&counts, line, 4, 2);
	line_counts_raise(&counts, line, 6, 10);
	line_counts_raise(&counts, other, 6, UINT64_MAX);
	assert_int_equal(line_counts_finish(&counts, true), 0);
	assert_int_equal(counts.lines[line].count, 21);
	assert_int_equal(counts.functions[f].total, UINT64_MAX); /* no sum wraps */
	line_counts_deinit(&counts);
}

static void calls_of_lines(bool are_estimates)
{
	struct line_counts counts = { 0 };
	const uint32_t f = function_of(&counts, LINE_COUNTS_TOP, 0, "f");
	const uint32_t less = line_of(&counts, f, 1, 0), more = line_of(&counts, f, 2, 0);

	line_counts_raise(&counts, less, 0, 10);
	line_counts_raise(&counts, more, 0, 10);
	call(&counts, less, "g", 3);
	call(&counts, more, "g", 4);
	call(&counts, more, "a", 5);
	call(&counts, more, "b", 5);
	call(&counts, more, "g", 1);
	assert_int_equal(line_counts_finish(&counts, are_estimates), 0);
	assert_int_equal(counts.lines[less].count, 10);
	assert_int_equal(counts.lines[more].count, are_estimates ? 15 : 10);
	assert_int_equal(counts.functions[f].total, are_estimates ? 25 : 20);
	assert_int_equal(counts.lines[more].n_calls, 3);
	static const char *const names[] = { "a", "b", "g" };
	for (uint32_t i = 0; i < 3; i++) {
		const struct counted_call *of =
			&counts.calls[counts.call_order[counts.lines[more].first_call + i]];

		assert_string_equal(counts.names.strings[of->name], names[i]);
		assert_int_equal(of->count, 5);
	}
	line_counts_deinit(&counts);
}

static void a_line_is_estimated_to_be_executed_as_often_as_it_calls(void **state)
{
	(void)state;
	calls_of_lines(true);
	calls_of_lines(false);
}

static void totals_include_what_is_inlined_and_order_the_rest(void **state)
{
	struct line_counts counts = { 0 };
	const uint32_t small = function_of(&counts, LINE_COUNTS_TOP, 0, "small");
	const uint32_t large = function_of(&counts, LINE_COUNTS_TOP, 0, "large");
	const uint32_t equal = function_of(&counts, LINE_COUNTS_TOP, 0, "equal");
	const uint32_t late = function_of(&counts, large, 9, "inlined");
	const uint32_t early = function_of(&counts, large, 2, "inlined");
	const uint32_t inner = function_of(&counts, late, 1, "inner");

	(void)state;
	assert_int_equal(function_of(&counts, large, 9, "inlined"), late);
	line_counts_raise(&counts, line_of(&counts, small, 1, 0), 0, 4);
	line_counts_raise(&counts, line_of(&counts, equal, 1, 0), 1, 4);
	line_counts_raise(&counts, line_of(&counts, large, 8, 0), 2, 1);
	line_counts_raise(&counts, line_of(&counts, large, 7, 2), 2, 1);
	line_counts_raise(&counts, line_of(&counts, large, 7, 1), 2, 1);
	line_counts_raise(&counts, line_of(&counts, inner, 1, 0), 2, 100);
	line_counts_raise(&counts, line_of(&counts, early, 1, 0), 2, 10);
	assert_int_equal(line_counts_finish(&counts, true), 0);
	assert_int_equal(counts.functions[large].total, 113);
	assert_int_equal(counts.functions[late].total, 100);
	assert_int_equal(counts.n_top, 3);
	static const char *const names[] = { "large",   "equal",   "small",
					     "inlined", "inlined", "inner" };
	for (uint32_t i = 0; i < counts.n_functions; i++)
		assert_string_equal(name_at(&counts, i), names[i]);
	const struct counted_function *of = &counts.functions[large];
	assert_int_equal(of->n_inlined, 2);
	assert_int_equal(counts.function_order[of->first_inlined], early);
	static const struct line_place places[] = { { 7, 1 }, { 7, 2 }, { 8, 0 } };
	assert_int_equal(of->n_lines, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct line_place *place =
			&counts.lines[counts.line_order[of->first_line + i]].place;

		assert_int_equal(place->offset, places[i].offset);
		assert_int_equal(place->block, places[i].block);
	}
	line_counts_deinit(&counts);
}

static void an_empty_tree_is_fine(void **state)
{
	struct line_counts counts = { 0 };

	(void)state;
	assert_int_equal(line_counts_finish(&counts, true), 0);
	assert_int_equal(counts.n_top, 0);
	line_counts_deinit(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_highest_count_of_one_code_holds_and_those_of_several_are_added),
		cmocka_unit_test(a_line_is_estimated_to_be_executed_as_often_as_it_calls),
		cmocka_unit_test(totals_include_what_is_inlined_and_order_the_rest),
		cmocka_unit_test(an_empty_tree_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
