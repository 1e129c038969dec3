#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/browse/browse.h"
#include "report/browse/browse_typing.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

struct session {
	struct letter_view *letters;
	struct browse *browse;
};

static int set_up(void **state)
{
	struct session *session = calloc(1, sizeof(*session));

	letter_view_set_up((void **)&session->letters);
	profile_add_process(session->letters->profile, 10, "prog");
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

static struct browse *begin(struct session *session)
{
	const struct browse_options options = { .source = "made up" };

	assert_int_equal(browse_create(session->letters->profile, session->letters->symbolizer,
				       &options, &session->browse),
			 0);
	return session->browse;
}

static void act(struct browse *browse, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(browse_act(browse, browse_key_action((unsigned char)*keys)), 0);
}

static const struct view_row *current(const struct browse *browse)
{
	return browse_rows_current(&browse->pages[browse->page].rows);
}

static void add_sample(const struct session *session, const char *path, uint32_t metric,
		       uint64_t weight)
{
	sample_profile_add(session->letters->profile,
			   letter_view_add_path(session->letters, 0, path), metric, weight);
}

static void each_view_keeps_its_place(void **state)
{
	struct session *session = *state;

	add_sample(session, "mab", 0, 3);
	add_sample(session, "mc", 0, 5);
	struct browse *browse = begin(session);
	act(browse, "p");
	assert_string_equal(current(browse)->name, "c");
	act(browse, "3j");
	assert_int_equal(browse_view(browse)->options.kind, VIEW_FUNCTIONS);
	assert_string_equal(current(browse)->name, "b");
	act(browse, "1");
	assert_string_equal(current(browse)->name, "c");
	act(browse, "\t\t");
	assert_string_equal(current(browse)->name, "b");
}

static void the_event_changes_in_all_views(void **state)
{
	struct session *session = *state;
	uint32_t place;

	add_sample(session, "ma", 0, 5);
	add_sample(session, "mb", 1, 7);
	struct browse *browse = begin(session);
	assert_int_equal(browse_n_metrics(browse, &place), 2);
	assert_int_equal(place, 1);
	act(browse, "3");
	assert_string_equal(current(browse)->name, "a");
	act(browse, "1m3g");
	assert_int_equal(browse->metric, 1);
	assert_string_equal(current(browse)->name, "b");
	act(browse, "Mg");
	assert_string_equal(current(browse)->name, "a");
}

static void the_only_event_with_samples_is_said_to_be_that(void **state)
{
	struct session *session = *state;

	add_sample(session, "ma", 0, 5);
	struct browse *browse = begin(session);
	act(browse, "m");
	assert_int_equal(browse->metric, 0);
	assert_string_not_equal(browse->message, "");
	act(browse, "j");
	assert_string_equal(browse->message, "");
}

static void tables_are_sorted_by_each_column(void **state)
{
	struct session *session = *state;

	add_sample(session, "mb", 0, 5);
	add_sample(session, "ma", 0, 6);
	struct browse *browse = begin(session);
	act(browse, "3");
	assert_string_equal(current(browse)->name, "a");
	act(browse, "sg");
	assert_int_equal(browse_page(browse)->sort, SORT_NAME);
	assert_string_equal(current(browse)->name, "a");
	act(browse, "sg");
	assert_string_equal(current(browse)->name, "m");
}

static void a_search_follows_what_is_typed(void **state)
{
	struct session *session = *state;

	add_sample(session, "mabx", 0, 5);
	add_sample(session, "mc", 0, 6);
	struct browse *browse = begin(session);
	browse_search_begin(browse);
	assert_int_equal(browse_search_type(browse, "x"), 0);
	assert_string_equal(current(browse)->name, "x");
	assert_int_equal(browse_search_type(browse, "xy"), 0);
	assert_string_equal(current(browse)->name, "prog");
	assert_int_equal(browse_page(browse)->rows.n_lines, 1);
	assert_string_not_equal(browse->message, "");
	assert_int_equal(browse_search_type(browse, "c"), 0);
	assert_int_equal(browse_page(browse)->rows.n_lines, 4);
	assert_int_equal(browse_search_finish(browse, false), 0);
	assert_string_equal(current(browse)->name, "prog");
	assert_int_equal(browse_page(browse)->rows.n_lines, 1);
}

static void a_search_goes_on_in_another_view(void **state)
{
	struct session *session = *state;

	add_sample(session, "mab", 0, 5);
	struct browse *browse = begin(session);
	browse_search_begin(browse);
	browse_search_type(browse, "a");
	browse_search_finish(browse, true);
	act(browse, "2n");
	assert_string_equal(current(browse)->name, "a");
	assert_string_equal(current(browse)->parent->name, "b");
	act(browse, "1gn");
	assert_string_equal(current(browse)->parent->name, "m");
}

static void the_cursor_stays_on_the_screen(void **state)
{
	struct session *session = *state;

	for (char letter = 'a'; letter <= 'z'; letter++)
		add_sample(session, (char[]){ letter, '\0' }, 0, 5);
	struct browse *browse = begin(session);
	act(browse, "3G");
	browse_scroll(browse, 10);
	assert_int_equal(browse_page(browse)->top, 16);
	act(browse, "g");
	browse_scroll(browse, 10);
	assert_int_equal(browse_page(browse)->top, 0);
	assert_int_equal(browse_act(browse, ACTION_PAGE_DOWN), 0);
	assert_int_equal(browse_page(browse)->rows.cursor, 9);
	browse_scroll(browse, 100);
	assert_int_equal(browse_page(browse)->top, 0);
}

/* Ten children at each of five levels. */
static void add_wide_tree(const struct session *session, uint32_t parent, unsigned depth)
{
	struct cct *cct = session->letters->profile->cct;

	for (char letter = 'a'; depth && letter <= 'j'; letter++) {
		const struct frame frame = letter_view_frame(session->letters, letter);
		uint32_t node = cct_child(cct, parent, &frame);

		cct_add_cost(cct, node, 0, 1);
		add_wide_tree(session, node, depth - 1);
	}
}

static void keys_in_a_tree_of_a_million_nodes_touch_what_they_show(void **state)
{
	struct session *session = *state;

	add_sample(session, "m", 0, 1);
	add_wide_tree(session, letter_view_add_path(session->letters, 0, "m"), 6);
	struct browse *browse = begin(session);
	const struct growing_view *growing = browse_page(browse)->rows.growing;
	assert_true(browse_fold(browse)->n_nodes > 1000000);
	assert_int_equal(growing->n_grown, 1);
	act(browse, "pppppp");
	assert_in_range(growing->n_grown, 12, 100);
	uint64_t n_before = growing->n_grown;
	act(browse, "sssGghlhl");
	assert_int_equal(growing->n_grown, n_before);
	act(browse, "g*");
	assert_in_range(growing->n_grown, BROWSE_UNFOLD_MAX, BROWSE_UNFOLD_MAX + 100);
	assert_int_equal(browse_page(browse)->rows.n_lines, growing->n_grown);
	assert_string_not_equal(browse->message, "");
}

/* Keys are pressed while a thread fetches memory, and after it was told to end. */
static void a_large_profile_has_its_memory_fetched(void **state)
{
	struct session *session = *state;
	char path[1001] = "";

	memset(path, 'x', sizeof(path) - 1);
	for (int i = 0; i < 120; i++) {
		path[0] = (char)('a' + i % 20);
		path[1] = (char)('a' + i / 20);
		add_sample(session, path, 0, 1);
	}
	struct browse *browse = begin(session);
	assert_true(browse->all->cct->n_nodes > 100000);
	browse_fetch_memory(browse);
	assert_non_null(browse->memory);
	act(browse, "3");
	assert_string_equal(current(browse)->name, "x");
	assert_int_equal(current(browse)->total[0], 120);
	browse_end_memory(browse);
	assert_null(browse->memory);
	browse_fetch_memory(browse); /* browse_destroy() ends that one */
	act(browse, "1");
}

static void a_small_profile_needs_no_memory_ahead(void **state)
{
	struct session *session = *state;

	add_sample(session, "ma", 0, 1);
	struct browse *browse = begin(session);
	browse_fetch_memory(browse);
	assert_null(browse->memory);
}

/* The lines of the whole are made once, and are what they were after others were shown. */
static void lines_of_the_whole_come_back(void **state)
{
	struct session *session = *state;

	add_sample(session, "mab", 0, 3);
	add_sample(session, "mc", 0, 5);
	struct browse *browse = begin(session);
	assert_int_equal(browse_prepare(browse), 0);
	act(browse, "5");
	const uint32_t n_lines = browse->pages[PAGE_LINES].rows.n_lines;
	const struct fold *lines = browse->base.lines;
	assert_non_null(lines);
	assert_string_equal(current(browse)->name, "c");
	act(browse, "i");
	assert_int_equal(browse->pages[PAGE_LINES].rows.n_lines, n_lines - 1);
	assert_string_equal(current(browse)->name, "b");
	act(browse, "u1p5g");
	assert_ptr_equal(browse->base.lines, lines);
	assert_int_equal(browse->pages[PAGE_LINES].rows.n_lines, n_lines);
	assert_string_equal(current(browse)->name, "c");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_of_the_whole_come_back),
		TEST(each_view_keeps_its_place),
		TEST(the_event_changes_in_all_views),
		TEST(the_only_event_with_samples_is_said_to_be_that),
		TEST(tables_are_sorted_by_each_column),
		TEST(a_search_follows_what_is_typed),
		TEST(a_search_goes_on_in_another_view),
		TEST(the_cursor_stays_on_the_screen),
		TEST(keys_in_a_tree_of_a_million_nodes_touch_what_they_show),
		TEST(a_large_profile_has_its_memory_fetched),
		TEST(a_small_profile_needs_no_memory_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
