#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/row_search.h"
#include "report/fold/fold_profile.h"
#include "tests/unit/fixtures/letter_view.h"

struct searched {
	struct letter_view *letters;
	struct fold *fold;
	struct growing_view *growing;
	struct row_search search;
};

static int set_up(void **state)
{
	struct searched *searched = calloc(1, sizeof(*searched));

	letter_view_set_up((void **)&searched->letters);
	profile_add_process(searched->letters->profile, 10, "Prog");
	*state = searched;
	return 0;
}

static int tear_down(void **state)
{
	struct searched *searched = *state;

	row_search_end(&searched->search);
	growing_view_destroy(searched->growing);
	fold_destroy(searched->fold);
	letter_view_tear_down((void **)&searched->letters);
	free(searched);
	return 0;
}

static void search_for(struct searched *searched, enum view_kind kind, const char *text)
{
	const struct view_options options = { .kind = kind };
	const struct letter_view *letters = searched->letters;

	assert_int_equal(
		fold_profile(letters->profile, letters->symbolizer, &options, &searched->fold), 0);
	assert_int_equal(
		growing_view_create(letters->profile, &options, searched->fold, &searched->growing),
		0);
	assert_int_equal(row_search_begin(&searched->search, searched->growing, text), 0);
}

/* The path of the row, as letters. */
static void assert_path(const struct view_row *row, const char *expected)
{
	char path[64] = "";

	assert_non_null(row);
	for (; row->parent; row = row->parent) {
		char before[64];

		memcpy(before, path, sizeof(before));
		snprintf(path, sizeof(path), "%.10s%.50s", row->name, before);
	}
	assert_string_equal(path, expected);
}

/* The matches in both directions, from the root all around. */
static void assert_matches(struct searched *searched, const char *const *expected, size_t n)
{
	struct view_row *row = NULL;

	for (size_t i = 0; i < 2 * n; i++) {
		row = row_search_next(&searched->search, row, false);
		assert_path(row, expected[i % n]);
	}
	for (size_t i = 2 * n - 1; i > 0; i--) {
		row = row_search_next(&searched->search, row, true);
		assert_path(row, expected[(i - 1) % n]);
	}
}

static void add_sample(const struct searched *searched, const char *path, uint64_t weight)
{
	letter_view_add_sample(searched->letters, 0, path, weight);
}

static void matches_of_a_tree_are_found_in_its_order(void **state)
{
	static const char *const expected[] = { "Progmxa", "Progma", "Progmaxa" };
	struct searched *searched = *state;

	add_sample(searched, "maxa", 1);
	add_sample(searched, "mxa", 5);
	add_sample(searched, "mxb", 9);
	search_for(searched, VIEW_TREE, "a");
	assert_matches(searched, expected, 3);
}

static void matches_are_found_among_callers(void **state)
{
	static const char *const expected[] = { "bam", "bxam" };
	struct searched *searched = *state;

	add_sample(searched, "mab", 5);
	add_sample(searched, "maxb", 1);
	add_sample(searched, "mc", 9);
	search_for(searched, VIEW_CALLERS, "m");
	struct view_row *row = row_search_next(&searched->search, NULL, false);
	assert_path(row, "cm");
	for (size_t i = 0; i < 2; i++) {
		row = row_search_next(&searched->search, row, false);
		assert_path(row, expected[i]);
	}
}

static void matches_are_found_in_tables(void **state)
{
	static const char *const expected[] = { "b" };
	struct searched *searched = *state;

	add_sample(searched, "mab", 5);
	search_for(searched, VIEW_FUNCTIONS, "b");
	assert_matches(searched, expected, 1);
}

static void what_does_not_occur_is_not_found(void **state)
{
	struct searched *searched = *state;

	add_sample(searched, "mab", 5);
	search_for(searched, VIEW_TREE, "q");
	assert_null(row_search_next(&searched->search, NULL, false));
	assert_null(row_search_next(&searched->search, NULL, true));
}

static void a_text_in_lower_case_matches_upper_case(void **state)
{
	struct searched *searched = *state;

	add_sample(searched, "mab", 5);
	search_for(searched, VIEW_TREE, "pr");
	assert_path(row_search_next(&searched->search, NULL, false), "Prog");
	assert_int_equal(row_search_begin(&searched->search, searched->growing, "PR"), 0);
	assert_null(row_search_next(&searched->search, NULL, false));
}

/* Two children everywhere, and one 'z' at the end of one path. */
static void add_binary_tree(const struct searched *searched, uint32_t parent, unsigned depth)
{
	struct cct *cct = searched->letters->profile->cct;

	for (char letter = 'a'; depth && letter <= 'b'; letter++) {
		const struct frame frame = letter_view_frame(searched->letters, letter);
		uint32_t node = cct_child(cct, parent, &frame);

		cct_add_cost(cct, node, 0, 1);
		add_binary_tree(searched, node, depth - 1);
	}
}

static void a_search_in_a_large_tree_adds_only_rows_on_the_way(void **state)
{
	struct searched *searched = *state;

	add_sample(searched, "m", 1);
	add_binary_tree(searched, letter_view_add_path(searched->letters, 0, "m"), 16);
	add_sample(searched, "mabababababababaz", 1);
	search_for(searched, VIEW_TREE, "z");
	assert_true(searched->fold->n_nodes > 100000);
	assert_path(row_search_next(&searched->search, NULL, false), "Progmabababababababaz");
	assert_in_range(searched->growing->n_grown, 16, 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(matches_of_a_tree_are_found_in_its_order),
		TEST(matches_are_found_among_callers),
		TEST(matches_are_found_in_tables),
		TEST(what_does_not_occur_is_not_found),
		TEST(a_text_in_lower_case_matches_upper_case),
		TEST(a_search_in_a_large_tree_adds_only_rows_on_the_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
