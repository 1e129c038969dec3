#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/browse_rows.h"
#include "report/fold/fold_profile.h"
#include "tests/unit/fixtures/letter_view.h"

struct shown {
	struct letter_view *letters;
	struct fold *fold;
	struct browse_rows rows;
};

static int set_up(void **state)
{
	struct shown *shown = calloc(1, sizeof(*shown));

	letter_view_set_up((void **)&shown->letters);
	profile_add_process(shown->letters->profile, 10, "prog");
	*state = shown;
	return 0;
}

static int tear_down(void **state)
{
	struct shown *shown = *state;

	browse_rows_deinit(&shown->rows);
	fold_destroy(shown->fold);
	letter_view_tear_down((void **)&shown->letters);
	free(shown);
	return 0;
}

static void show(struct shown *shown, enum view_kind kind)
{
	const struct view_options options = { .kind = kind };
	struct growing_view *growing;

	assert_int_equal(fold_profile(shown->letters->profile, shown->letters->symbolizer, &options,
				      &shown->fold),
			 0);
	assert_int_equal(
		growing_view_create(shown->letters->profile, &options, shown->fold, &growing), 0);
	assert_int_equal(browse_rows_init(&shown->rows, growing), 0);
}

/* The names with their indents: "prog 1a 2b"; the row under the cursor has a '*'. */
static void assert_shows(const struct shown *shown, const char *expected)
{
	char text[4096];
	size_t size = 0;

	for (uint32_t i = 0; i < shown->rows.n_lines; i++) {
		const struct browse_line *line = &shown->rows.lines[i];

		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s%u%s", i ? " " : "",
					 i == shown->rows.cursor ? "*" : "", line->indent,
					 line->row->name);
	}
	assert_string_equal(text, expected);
}

static void add_sample(const struct shown *shown, const char *path, uint64_t weight)
{
	letter_view_add_sample(shown->letters, 0, path, weight);
}

static void rows_are_unfolded_and_folded_level_by_level(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "mab", 3);
	add_sample(shown, "mc", 5);
	show(shown, VIEW_TREE);
	assert_shows(shown, "*0prog");
	assert_int_equal(browse_rows_unfold(&shown->rows), 0);
	assert_shows(shown, "*0prog 1m");
	browse_rows_unfold(&shown->rows);
	browse_rows_unfold(&shown->rows);
	assert_shows(shown, "0prog *1m 2c 2a");
	browse_rows_move(&shown->rows, 100);
	browse_rows_unfold(&shown->rows);
	assert_shows(shown, "0prog 1m 2c *2a 2b");
	browse_rows_unfold(&shown->rows);
	browse_rows_fold(&shown->rows);
	assert_shows(shown, "0prog 1m 2c *2a 2b");
	browse_rows_fold(&shown->rows);
	assert_shows(shown, "0prog 1m 2c *2a");
	browse_rows_fold(&shown->rows);
	assert_shows(shown, "0prog *1m 2c 2a");
	browse_rows_move(&shown->rows, -100);
	browse_rows_toggle(&shown->rows);
	assert_shows(shown, "*0prog");
}

static void a_row_remembers_what_was_unfolded_below_it(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "mab", 3);
	show(shown, VIEW_TREE);
	browse_rows_follow(&shown->rows);
	assert_shows(shown, "0prog 1m 1a *1b");
	browse_rows_move(&shown->rows, -3);
	browse_rows_toggle(&shown->rows);
	browse_rows_toggle(&shown->rows);
	assert_shows(shown, "*0prog 1m 1a 1b");
	browse_rows_fold_all(&shown->rows);
	browse_rows_toggle(&shown->rows);
	assert_shows(shown, "*0prog 1m");
}

static void the_hot_path_ends_where_the_cost_divides(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "ma", 1);
	add_sample(shown, "mbx", 4);
	add_sample(shown, "mby", 3);
	add_sample(shown, "mbz", 3);
	show(shown, VIEW_TREE);
	browse_rows_follow(&shown->rows);
	assert_shows(shown, "0prog 1m *2b 3x 3y 3z 2a");
	browse_rows_follow(&shown->rows);
	assert_shows(shown, "0prog 1m 2b *3x 3y 3z 2a");
}

static void the_hot_path_does_not_depend_on_the_order(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "ma", 1);
	add_sample(shown, "mb", 4);
	show(shown, VIEW_TREE);
	assert_int_equal(browse_rows_sort(&shown->rows, SORT_NAME, 0), 0);
	browse_rows_follow(&shown->rows);
	assert_shows(shown, "0prog 1m 2a *2b");
}

static void sorting_keeps_the_cursor_on_its_row(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "ma", 1);
	add_sample(shown, "mbx", 4);
	add_sample(shown, "mby", 1);
	show(shown, VIEW_TREE);
	bool is_complete;
	browse_rows_unfold_all(&shown->rows, 0, &is_complete);
	assert_true(is_complete);
	browse_rows_move(&shown->rows, 2);
	assert_shows(shown, "0prog 1m *2b 3x 3y 2a");
	browse_rows_sort(&shown->rows, SORT_NAME, 0);
	assert_shows(shown, "0prog 1m 2a *2b 3x 3y");
}

static void small_rows_stay_folded_when_all_are_unfolded(void **state)
{
	struct shown *shown = *state;
	bool is_complete;

	add_sample(shown, "maxy", 1);
	add_sample(shown, "mbxy", 99);
	show(shown, VIEW_TREE);
	browse_rows_unfold_all(&shown->rows, 2, &is_complete);
	assert_true(is_complete);
	assert_shows(shown, "*0prog 1m 2b 2x 2y 2a");
}

static void a_row_is_revealed_by_unfolding_what_is_above_it(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "mabc", 1);
	add_sample(shown, "mx", 2);
	show(shown, VIEW_TREE);
	browse_rows_follow(&shown->rows);
	struct view_row *a = shown->rows.lines[1].row->children->next;
	growing_view_grow(shown->rows.growing, a);
	assert_int_equal(browse_rows_reveal(&shown->rows, a->children), 0);
	assert_shows(shown, "0prog 1m 2x 2a *2b");
}

static void callers_are_rows_like_others(void **state)
{
	struct shown *shown = *state;

	add_sample(shown, "maw", 1);
	add_sample(shown, "mbw", 2);
	add_sample(shown, "mb", 8);
	show(shown, VIEW_CALLERS);
	assert_shows(shown, "*0b 0w");
	browse_rows_move(&shown->rows, 1);
	browse_rows_follow(&shown->rows);
	assert_shows(shown, "0b 0w 1b *1m 1a");
}

static void a_profile_without_samples_has_no_rows(void **state)
{
	struct shown *shown = *state;
	bool is_complete;

	show(shown, VIEW_TREE);
	assert_null(browse_rows_current(&shown->rows));
	assert_int_equal(browse_rows_unfold(&shown->rows), 0);
	assert_int_equal(browse_rows_toggle(&shown->rows), 0);
	assert_int_equal(browse_rows_follow(&shown->rows), 0);
	assert_int_equal(browse_rows_unfold_all(&shown->rows, 0, &is_complete), 0);
	browse_rows_fold(&shown->rows);
	browse_rows_fold_all(&shown->rows);
	browse_rows_move(&shown->rows, 5);
	assert_int_equal(shown->rows.cursor, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_unfolded_and_folded_level_by_level),
		TEST(a_row_remembers_what_was_unfolded_below_it),
		TEST(the_hot_path_ends_where_the_cost_divides),
		TEST(the_hot_path_does_not_depend_on_the_order),
		TEST(sorting_keeps_the_cursor_on_its_row),
		TEST(small_rows_stay_folded_when_all_are_unfolded),
		TEST(a_row_is_revealed_by_unfolding_what_is_above_it),
		TEST(callers_are_rows_like_others),
		TEST(a_profile_without_samples_has_no_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
