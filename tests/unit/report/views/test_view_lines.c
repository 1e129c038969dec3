/* Rows of source lines: samples at places in this program, whose lines are known. */
#include <stdlib.h>
#include <string.h>

#include "report/views/view.h"
#include "tests/unit/fixtures/sample_profile.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

/* clang-format off */
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ": nop")
#define INLINED static inline __attribute__((always_inline))
extern const char place_in_inner[], place_in_outer[], place_after_outer[], place_in_caller[];

enum { INNER_LINE = __LINE__ + 1 };
INLINED void inner(void) { PLACE(place_in_inner); }

enum { CALL_LINE = __LINE__ + 5, FIRST_LINE = __LINE__ + 4, SAME_LINE = __LINE__ + 6 };

__attribute__((noinline)) static void outer(void)
{
	PLACE(place_in_outer);
	inner();
	PLACE(place_after_outer); PLACE(place_in_caller);
}
/* clang-format on */

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct view *view;
	struct sample_profile_modules modules;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = sample_profile_create((const char *[]){ "cycles" }, 1);
	fixture->modules = sample_profile_add_modules(fixture->profile);
	profile_add_process(fixture->profile, 1, "program");
	*state = fixture;
	outer();
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	view_destroy(fixture->view);
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture);
	return 0;
}

/* @path: from the root on, ends with NULL; "" is code without a file. */
static void add_sample(struct fixture *fixture, const char *const *path, uint64_t weight)
{
	uint32_t node = sample_profile_process(fixture->profile, 0);

	node = sample_profile_add_path(fixture->profile, node, &fixture->modules, path);
	sample_profile_add(fixture->profile, node, 0, weight);
}

static void show(struct fixture *fixture, const struct symbolizer_options *options)
{
	const struct view_options view = { .kind = VIEW_LINES, .sort = SORT_NAME };

	fixture->symbolizer = symbolizer_create(fixture->profile, options);
	assert_int_equal(view_create(fixture->profile, fixture->symbolizer, &view, &fixture->view),
			 0);
}

static const struct view_row *row_of(const struct fixture *fixture, uint32_t line)
{
	for (const struct view_row *row = fixture->view->root->children; row; row = row->next) {
		if (row->line == line)
			return row;
	}
	return NULL;
}

static void expect_row(const struct fixture *fixture, uint32_t line, const char *function,
		       uint64_t self, uint64_t total)
{
	const struct view_row *row = row_of(fixture, line);

	assert_non_null(row);
	assert_string_equal(row->name, function);
	assert_int_equal(row->self[0], self);
	assert_int_equal(row->total[0], total);
}

static void expect_conservation(const struct fixture *fixture)
{
	uint64_t sum = 0;

	for (const struct view_row *row = fixture->view->root->children; row; row = row->next)
		sum += row->self[0];
	assert_int_equal(sum, fixture->profile->metrics[0].total);
}

static void inlined_code_costs_its_own_line_and_those_of_the_calls(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 1);
	add_sample(fixture, (const char *[]){ place_in_inner, NULL }, 10);
	show(fixture, &(struct symbolizer_options){ .lines = true });
	expect_row(fixture, INNER_LINE, "inner", 10, 10);
	expect_row(fixture, CALL_LINE, "outer", 0, 10);
	expect_row(fixture, FIRST_LINE, "outer", 1, 1);
	expect_conservation(fixture);
	assert_string_equal(strrchr(row_of(fixture, CALL_LINE)->file, '/'), "/test_view_lines.c");
}

static void addresses_of_one_line_are_one_row(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_after_outer, NULL }, 1);
	add_sample(fixture, (const char *[]){ place_in_caller, NULL }, 2);
	show(fixture, &(struct symbolizer_options){ .lines = true });
	expect_row(fixture, SAME_LINE, "outer", 3, 3);
	assert_ptr_equal(row_of(fixture, SAME_LINE), fixture->view->root->children);
	assert_null(fixture->view->root->children->next);
}

static void recursion_counts_a_sample_once_per_line(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture,
		   (const char *[]){ place_in_inner, place_in_outer, place_in_inner, place_in_inner,
				     place_after_outer, NULL },
		   7);
	show(fixture, &(struct symbolizer_options){ .lines = true });
	expect_row(fixture, INNER_LINE, "inner", 0, 7);
	expect_row(fixture, CALL_LINE, "outer", 0, 7);
	expect_row(fixture, FIRST_LINE, "outer", 0, 7);
	expect_row(fixture, SAME_LINE, "outer", 7, 7);
	expect_conservation(fixture);
}

static void code_without_lines_is_a_row_of_its_function(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_outer, "", NULL }, 5);
	show(fixture, &(struct symbolizer_options){ .lines = true });
	expect_row(fixture, 0, "0x1000", 5, 5);
	assert_null(row_of(fixture, 0)->file);
	expect_row(fixture, FIRST_LINE, "outer", 0, 5);
	expect_conservation(fixture);
}

static void without_inlined_functions_the_call_is_the_line(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_inner, NULL }, 10);
	show(fixture, &(struct symbolizer_options){ .lines = true, .no_inlines = true });
	expect_row(fixture, CALL_LINE, "outer", 10, 10);
	assert_null(row_of(fixture, INNER_LINE));
	expect_conservation(fixture);
}

static void rows_stand_by_file_and_line(void **state)
{
	struct fixture *fixture = *state;
	uint32_t line = 0;

	add_sample(fixture, (const char *[]){ place_after_outer, NULL }, 1);
	add_sample(fixture, (const char *[]){ place_in_inner, "", NULL }, 2);
	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 3);
	show(fixture, &(struct symbolizer_options){ .lines = true });
	for (const struct view_row *row = fixture->view->root->children; row; row = row->next) {
		assert_true(row->line > line || !line);
		line = row->line;
	}
	assert_int_equal(line, SAME_LINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			inlined_code_costs_its_own_line_and_those_of_the_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(addresses_of_one_line_are_one_row, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(recursion_counts_a_sample_once_per_line, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(code_without_lines_is_a_row_of_its_function, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_inlined_functions_the_call_is_the_line,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(rows_stand_by_file_and_line, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
