#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/browse.h"
#include "report/browse/browse_change.h"
#include "report/browse/browse_refresh.h"
#include "tests/unit/fixtures/letter_view.h"

/* The profile of one snapshot after the other. */
struct session {
	struct letter_view *letters;
	struct browse *browse;
};

struct sample {
	uint32_t process;
	const char *path;
	uint64_t weight;
};

static struct letter_view *make_letters(const struct sample *samples, size_t n)
{
	struct letter_view *letters;

	letter_view_set_up((void **)&letters);
	profile_add_process(letters->profile, 10, "prog");
	profile_add_process(letters->profile, 11, "other");
	for (size_t i = 0; i < n; i++)
		letter_view_add_sample(letters, samples[i].process, samples[i].path,
				       samples[i].weight);
	return letters;
}

static const struct sample first_samples[] = { { 0, "mab", 5 }, { 0, "mcb", 1 }, { 1, "xb", 2 } };

static int set_up(void **state)
{
	struct session *session = calloc(1, sizeof(*session));

	session->letters = make_letters(first_samples, 3);
	assert_int_equal(browse_create(session->letters->profile, session->letters->symbolizer,
				       &(struct browse_options){ .source = "first" },
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

static void refresh(struct session *session, const struct sample *samples, size_t n)
{
	struct letter_view *letters = make_letters(samples, n);

	assert_int_equal(
		browse_refresh(session->browse, letters->profile, letters->symbolizer, "later"), 0);
	letter_view_tear_down((void **)&session->letters);
	session->letters = letters;
	assert_string_equal(session->browse->options.source, "later");
}

static void act(struct browse *browse, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(browse_act(browse, browse_key_action((unsigned char)*keys)), 0);
}

/* The names of the rows; that under the cursor has a mark. */
static void assert_rows(const struct browse *browse, const char *expected)
{
	const struct browse_rows *rows = browse_rows(browse);
	char text[256] = "";

	for (uint32_t i = 0; i < rows->n_lines; i++) {
		strcat(text, i ? " " : "");
		strcat(text, i == rows->cursor ? ">" : "");
		strcat(text, rows->lines[i].row->name);
	}
	assert_string_equal(text, expected);
}

/* "other" is above "prog" now, "c" above "a", and "d" is new. */
static const struct sample later_samples[] = {
	{ 0, "mab", 5 }, { 0, "mcb", 6 }, { 0, "mcd", 1 }, { 1, "xb", 20 }
};

static void rows_and_cursor_stay_where_they_were(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "glllll");
	assert_rows(browse, "prog m >a b c other");
	act(browse, "k");
	assert_rows(browse, "prog >m a b c other");
	act(browse, "jj");
	refresh(session, later_samples, 4);
	assert_rows(browse, "other prog m c a >b");
	assert_int_equal(browse_rows_current(browse_rows(browse))->total[0], 5);
	assert_int_equal(browse_view(browse)->root->total[0], 32);
	act(browse, "kkkh");
	assert_rows(browse, "other prog >m");
	refresh(session, first_samples, 3);
	assert_rows(browse, "prog >m other");
}

static void a_row_that_is_gone_leaves_the_cursor_above_it(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	refresh(session, later_samples, 4);
	act(browse, "gj*G");
	assert_rows(browse, "other prog m c b d a >b");
	act(browse, "kk");
	assert_rows(browse, "other prog m c b >d a b");
	refresh(session, first_samples, 3);
	assert_rows(browse, "prog m a b >c b other");
}

static void the_line_of_the_cursor_stays_on_the_screen(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "g*G");
	browse_scroll(browse, 3);
	const uint32_t offset = browse_page(browse)->rows.cursor - browse_page(browse)->top;
	act(browse, "k");
	browse_scroll(browse, 3);
	refresh(session, later_samples, 4);
	browse_scroll(browse, 3);
	assert_int_equal(browse_page(browse)->rows.cursor - browse_page(browse)->top, offset - 1);
}

static void filters_zoom_and_their_undoing_outlive_the_profile(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "gz");
	assert_string_equal(browse->scope_text, "below prog");
	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^c$"), 0);
	refresh(session, later_samples, 4);
	assert_string_equal(browse->scope_text, "focus ^c$, below prog");
	assert_int_equal(browse_view(browse)->root->total[0], 7);
	refresh(session, first_samples, 3);
	refresh(session, later_samples, 4);
	act(browse, "u");
	assert_int_equal(browse_view(browse)->root->total[0], 12);
	act(browse, "u");
	assert_int_equal(browse_view(browse)->root->total[0], 32);
	assert_string_equal(browse->scope_text, "");
}

static void where_nothing_is_left_the_whole_is_shown(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	refresh(session, later_samples, 4);
	assert_int_equal(browse_add_regex(browse, PATH_FOCUS, "^d$"), 0);
	refresh(session, first_samples, 3);
	assert_string_equal(browse->scope_text, "");
	assert_int_equal(browse_view(browse)->root->total[0], 8);
	assert_true(*browse->message);
}

static void the_view_its_order_and_the_paths_stay(void **state)
{
	struct session *session = *state;
	struct browse *browse = session->browse;

	act(browse, "3ss");
	assert_int_equal(browse->pages[PAGE_FUNCTIONS].sort, SORT_TOTAL);
	act(browse, "g");
	while (strcmp(browse_rows_current(browse_rows(browse))->name, "c") != 0)
		act(browse, "j");
	act(browse, "r");
	assert_int_equal(browse->page, PAGE_PATHS);
	refresh(session, later_samples, 4);
	assert_int_equal(browse->page, PAGE_PATHS);
	assert_string_equal(browse->scope.root, "c");
	act(browse, "3");
	refresh(session, first_samples, 3);
	assert_int_equal(browse->page, PAGE_FUNCTIONS);
	assert_int_equal(browse->pages[PAGE_FUNCTIONS].sort, SORT_TOTAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(rows_and_cursor_stay_where_they_were),
		TEST(a_row_that_is_gone_leaves_the_cursor_above_it),
		TEST(the_line_of_the_cursor_stays_on_the_screen),
		TEST(filters_zoom_and_their_undoing_outlive_the_profile),
		TEST(where_nothing_is_left_the_whole_is_shown),
		TEST(the_view_its_order_and_the_paths_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
