#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/browse.h"
#include "report/browse/browse_change.h"
#include "tests/unit/fixtures/letter_view.h"

struct session {
	struct letter_view *letters;
	struct browse *browse;
};

static int set_up(void **state)
{
	struct session *session = calloc(1, sizeof(*session));

	letter_view_set_up((void **)&session->letters);
	profile_add_process(session->letters->profile, 10, "prog");
	profile_add_process(session->letters->profile, 11, "other");
	letter_view_add_sample(session->letters, 0, "mab", 5);
	letter_view_add_sample(session->letters, 0, "mc>AB", 3);
	letter_view_add_sample(session->letters, 0, "mcb", 1);
	letter_view_add_sample(session->letters, 1, "xb", 2);
	assert_int_equal(browse_create(session->letters->profile, session->letters->symbolizer,
				       &(struct browse_options){ .source = "made up" },
				       &session->browse),
			 0);
	*state = session;
	return 0;
}

static int tear_down(void **state)
{
	struct session *session = *state;

	browse_destroy(session->browse);
	letter_view_tear_down((void **)&session->letters);
	free(session);
	return 0;
}

static void act(struct browse *browse, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(browse_act(browse, browse_key_action((unsigned char)*keys)), 0);
}

static const struct view_row *current(const struct browse *browse)
{
	return browse_rows_current(browse_rows(browse));
}

/* The names of the rows, after all were unfolded. */
static void assert_rows(struct browse *browse, const char *expected)
{
	char text[256] = "";

	act(browse, "G");
	for (uint32_t i = browse_rows(browse)->n_lines; i > 0; i--) {
		browse_page(browse)->rows.cursor = i - 1;
		act(browse, "*");
	}
	for (uint32_t i = 0; i < browse_rows(browse)->n_lines; i++) {
		strcat(text, i ? " " : "");
		strcat(text, browse_rows(browse)->lines[i].row->name);
	}
	assert_string_equal(text, expected);
}

static void a_focus_keeps_paths_with_the_function(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "3g");
	assert_string_equal(current(browse)->name, "b");
	act(browse, "1");
	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^c$"), 0);
	assert_rows(browse, "prog m c [kernel] A B b");
	assert_string_equal(browse->scope_text, "focus ^c$");
	assert_int_equal(browse_view(browse)->root->total[0], 11);
	act(browse, "u");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
	assert_string_equal(browse->scope_text, "");
}

static void functions_are_left_out_one_after_the_other(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "3g");
	act(browse, "i");
	assert_string_equal(browse->scope_text, "ignore ^b$");
	act(browse, "1");
	assert_rows(browse, "prog m c [kernel] A B");
	act(browse, "Gi");
	assert_string_equal(browse->message, "No samples are left: nothing was changed.");
	act(browse, "u");
	act(browse, "u");
	assert_string_equal(browse->message, "Nothing to undo.");
	act(browse, "1");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
}

static void a_wrong_expression_changes_nothing(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "("), 0);
	assert_string_not_equal(browse->message, "");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
}

static void a_process_is_shown_alone(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "8");
	assert_rows(browse, "prog other");
	act(browse, "G");
	assert_int_equal(current(browse)->total[0], 2);
	assert_int_equal(browse_act(browse, ACTION_TOGGLE), 0);
	assert_int_equal(browse->page, PAGE_TREE);
	assert_string_equal(browse->scope_text, "process other (11)");
	assert_rows(browse, "other x b");
	assert_int_equal(browse_view(browse)->root->total[0], 2);
	act(browse, "8");
	assert_rows(browse, "other");
	act(browse, "u");
	assert_rows(browse, "prog other");
	act(browse, "0");
	assert_string_not_equal(browse->message, "");
	assert_int_equal(browse->page, PAGE_PROCESSES);
}

static void processes_have_the_cost_of_the_paths_that_are_shown(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^c$"), 0);
	act(browse, "8");
	assert_rows(browse, "prog");
	assert_int_equal(current(browse)->total[0], 4);
	assert_int_equal(browse_view(browse)->root->total[0], 11);
	act(browse, "1gK"); /* without the kernel */
	assert_rows(browse, "prog m c b");
	act(browse, "gjz8"); /* what is below m */
	assert_rows(browse, "prog");
	assert_int_equal(current(browse)->total[0], 4);
	assert_int_equal(browse_view(browse)->root->total[0], 4);
}

static void the_kernel_is_merged_left_out_or_alone(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "K");
	assert_rows(browse, "prog m a b c b other x b");
	act(browse, "K");
	assert_rows(browse, "prog A B other");
	act(browse, "uu");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
}

/* The page of lines does without the folds of the other pages. */
static void what_changes_beside_lines_is_on_all_pages(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "5K1");
	assert_rows(browse, "prog m a b c b other x b");
	act(browse, "5K");
	assert_null(browse_fold(browse));
	act(browse, "K");
	assert_null(browse_fold(browse));
	act(browse, "1");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
	act(browse, "5u1");
	assert_rows(browse, "prog A B other");
	act(browse, "5");
	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^nothing$"), 0);
	assert_true(browse->message[0]); /* said at once */
	act(browse, "uu1");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
}

static void one_row_is_shown_alone_in_all_views(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	assert_string_equal(current(browse)->name, "prog");
	act(browse, "z");
	assert_rows(browse, "prog m a b c [kernel] A B b");
	assert_int_equal(browse_view(browse)->root->total[0], 9);
	act(browse, "glllz");
	assert_string_equal(browse->scope_text, "below b");
	assert_rows(browse, "b");
	act(browse, "u3");
	assert_int_equal(current(browse)->total[0], 6);
	act(browse, "1u");
	assert_rows(browse, "prog m a b c [kernel] A B b other x b");
}

static void paths_begin_or_end_with_the_function(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "3gR");
	assert_int_equal(browse->page, PAGE_PATHS);
	assert_rows(browse, "b a m x c m");
	assert_int_equal(browse_view(browse)->root->children->total[0], 8);
	act(browse, "d");
	assert_rows(browse, "b");
	act(browse, "u");
	assert_rows(browse, "b a m x c m");
	act(browse, "u");
	assert_int_equal(browse->page, PAGE_FUNCTIONS);
	act(browse, "7");
	assert_int_equal(browse->page, PAGE_FUNCTIONS);
}

static void a_page_of_paths_without_its_function_becomes_the_tree(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^a$"), 0);
	act(browse, "1gllllr");
	assert_int_equal(browse->page, PAGE_PATHS);
	assert_int_equal(browse_add_regex(browse, PATH_IGNORE, "^x$"), 0);
	assert_int_equal(browse->page, PAGE_PATHS);
	act(browse, "uu");
	assert_int_equal(browse->page, PAGE_TREE);
	act(browse, "3gr");
	assert_int_equal(browse->page, PAGE_PATHS);
	assert_int_equal(browse_add_regex(browse, PATH_IGNORE, "^b$"), 0);
	assert_string_not_equal(browse->message, "");
}

static void the_place_stays_when_the_scope_changes(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "p");
	assert_string_equal(current(browse)->name, "b");
	assert_string_equal(current(browse)->parent->name, "a");
	act(browse, "K");
	assert_string_equal(current(browse)->name, "b");
	assert_string_equal(current(browse)->parent->name, "a");
}

static void undo_leads_back_to_the_row_that_was_shown_alone(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "pz");
	assert_string_equal(current(browse)->name, "b");
	assert_int_equal(browse_rows(browse)->n_lines, 1);
	act(browse, "u");
	assert_string_equal(current(browse)->name, "b");
	assert_string_equal(current(browse)->parent->name, "a");
}

static void a_row_of_an_icicle_leads_to_those_beside_it(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "6");
	assert_int_equal(browse->page, PAGE_ICICLE);
	act(browse, "l");
	assert_string_equal(current(browse)->name, "other");
	act(browse, "lhhjj");
	assert_string_equal(current(browse)->name, "a");
	act(browse, "l");
	assert_string_equal(current(browse)->name, "c");
	act(browse, "jjj");
	assert_string_equal(current(browse)->name, "B");
	act(browse, "kkk");
	assert_string_equal(current(browse)->name, "c");
	act(browse, " ");
	assert_string_equal(browse->scope_text, "below c");
	act(browse, "kkkk");
	assert_string_equal(current(browse)->name, "c");
}

static void old_changes_are_forgotten_one_by_one(void **state)
{
	const struct session *session = *state;
	struct browse *browse = session->browse;

	for (unsigned i = 0; i < BROWSE_MAX_UNDO + 10; i++)
		act(browse, "K");
	assert_int_equal(browse->n_past, BROWSE_MAX_UNDO);
	for (unsigned i = 0; i < BROWSE_MAX_UNDO; i++)
		act(browse, "u");
	assert_int_equal(browse->n_past, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_focus_keeps_paths_with_the_function),
		TEST(functions_are_left_out_one_after_the_other),
		TEST(a_wrong_expression_changes_nothing),
		TEST(a_process_is_shown_alone),
		TEST(processes_have_the_cost_of_the_paths_that_are_shown),
		TEST(the_kernel_is_merged_left_out_or_alone),
		TEST(what_changes_beside_lines_is_on_all_pages),
		TEST(one_row_is_shown_alone_in_all_views),
		TEST(paths_begin_or_end_with_the_function),
		TEST(a_page_of_paths_without_its_function_becomes_the_tree),
		TEST(the_place_stays_when_the_scope_changes),
		TEST(undo_leads_back_to_the_row_that_was_shown_alone),
		TEST(a_row_of_an_icicle_leads_to_those_beside_it),
		TEST(old_changes_are_forgotten_one_by_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
