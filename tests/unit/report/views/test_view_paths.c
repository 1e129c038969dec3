#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

static const struct view_row *show_paths(struct letter_view *fixture, const char *root,
					 enum path_direction direction)
{
	return letter_view_show(
		fixture,
		&(struct view_options){ .kind = VIEW_PATHS, .root = root, .direction = direction });
}

struct expected {
	const char *path; /* from the view's root down */
	uint64_t total;
};

static unsigned count_rows(const struct view_row *row)
{
	unsigned n = 0;

	for (const struct view_row *child = row->children; child; child = child->next)
		n += 1 + count_rows(child);
	return n;
}

/* The rows are these and no others. */
static void expect_rows(const struct view_row *root, const struct expected *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct view_row *row = letter_view_descend(root, expected[i].path);

		if (!row)
			fail_msg("no row %s", expected[i].path);
		assert_int_equal(row->total[0], expected[i].total);
	}
	assert_int_equal(count_rows(root), n);
}

#define EXPECT_ROWS(root, expected) \
	expect_rows(root, expected, sizeof(expected) / sizeof((expected)[0]))

/* Section 4: main, uniquify_db, qsort, print_salary_list, extract_salary_fields. */
static void paths_down_from_main_are_those_of_the_paper(void **state)
{
	static const struct expected whole[] = {
		{ "m", 2676 }, { "mu", 2355 }, { "muq", 1820 }, { "mp", 303 }, { "mpe", 303 },
	};
	static const struct expected part[] = { { "u", 2355 }, { "uq", 1820 } };
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "process_db");
	letter_view_add_sample(fixture, 0, "m", 18);
	letter_view_add_sample(fixture, 0, "mu", 535);
	letter_view_add_sample(fixture, 0, "muq", 1820);
	letter_view_add_sample(fixture, 0, "mpe", 303);
	EXPECT_ROWS(show_paths(fixture, "m", PATHS_DOWN), whole);
	const struct view_row *root = show_paths(fixture, "u", PATHS_DOWN);
	EXPECT_ROWS(root, part);
	assert_int_equal(root->total[0], 2676);
	assert_int_equal(root->self[0], 2676 - 2355);
}

/*
 * Section 4.4: forms.c, whose main calls five functions of forms; address_information,
 * db_get_property, db_read_record, db_update_record. The tree is that of section 7.2.
 */
static void paths_up_from_db_read_record_are_those_of_the_paper(void **state)
{
	static const struct {
		const char *path;
		uint64_t weight;
	} samples[] = {
		{ "miagr", 85 }, { "migr", 22 }, { "mlagr", 84 }, { "mlgr", 22 },
		{ "meagr", 85 }, { "megr", 21 }, { "mfagr", 84 }, { "mfgr", 22 },
		{ "mnagr", 84 }, { "mngr", 21 }, { "mur", 84 },
	};
	static const struct expected top[] = { { "r", 614 },    { "rg", 530 },  { "rga", 422 },
					       { "rgae", 85 },  { "rgai", 85 }, { "rgal", 84 },
					       { "rgaem", 85 }, { "ru", 84 },   { "rum", 84 } };
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "forms");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		letter_view_add_sample(fixture, 0, samples[i].path, samples[i].weight);
	const struct view_row *root = show_paths(fixture, "r", PATHS_UP);
	for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++)
		assert_int_equal(letter_view_descend(root, top[i].path)->total[0], top[i].total);
	assert_int_equal(root->children->samples[0], 11);
	assert_int_equal(root->children->self[0], 614);
	assert_int_equal(root->self[0], 0);
}

static void recursion_goes_on_from_where_its_function_was(void **state)
{
	static const struct expected down[] = {
		{ "r", 7 }, { "rr", 4 }, { "rx", 3 }, { "rxr", 2 }, { "rxy", 1 },
	};
	static const struct expected up[] = {
		{ "x", 3 },
		{ "xr", 3 },
		{ "xrm", 3 },
		{ "xrx", 2 },
	};
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mrrrr", 4);
	letter_view_add_sample(fixture, 0, "mrxrx", 2);
	letter_view_add_sample(fixture, 0, "mrxy", 1);
	const struct view_row *root = show_paths(fixture, "r", PATHS_DOWN);
	EXPECT_ROWS(root, down);
	assert_true(letter_view_descend(root, "rxr")->is_recursion);
	assert_false(letter_view_descend(root, "rx")->is_recursion);
	assert_int_equal(letter_view_descend(root, "rx")->self[0], 2);
	EXPECT_ROWS(show_paths(fixture, "x", PATHS_UP), up);
}

static void roots_are_chosen_by_glob_and_the_outermost_counts(void **state)
{
	static const struct expected all[] = { { "a", 3 }, { "ab", 3 }, { "abc", 2 }, { "b", 4 } };
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mabc", 2);
	letter_view_add_sample(fixture, 0, "mab", 1);
	letter_view_add_sample(fixture, 0, "mb", 4);
	EXPECT_ROWS(show_paths(fixture, "[ab]", PATHS_DOWN), all);
}

static void a_root_that_no_path_has_is_an_error(void **state)
{
	const struct view_options options = { .kind = VIEW_PATHS, .root = "nosuch" };
	struct letter_view *fixture = *state;

	assert_null(show_paths(fixture, "a", PATHS_UP)->children);
	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "ma", 2);
	assert_int_equal(view_create(fixture->profile, fixture->symbolizer, &options,
				     &(struct view *){ NULL }),
			 -ENOENT);
}

/* The pseudo-code of the Appendix, with a call path as text, outermost function first. */
#define MAX_NODES   4096
#define MAX_RECORDS 4096
#define MAX_PATH    16

struct sample_node {
	char name;
	uint64_t weight;
	unsigned first_child, next; /* 0: none */
};

struct record {
	char path[MAX_PATH];
	uint64_t ticks;
	bool is_locked;
};

static struct sample_node nodes[MAX_NODES];
static struct record records[MAX_RECORDS];
static unsigned n_nodes, n_records;

static void add_to_sample_tree(const char *path, uint64_t weight)
{
	unsigned at = 0;

	for (nodes[0].weight += weight; *path; path++) {
		unsigned child = nodes[at].first_child;

		while (child && nodes[child].name != *path)
			child = nodes[child].next;
		if (!child) {
			assert_true(n_nodes < MAX_NODES);
			child = n_nodes++;
			nodes[child] = (struct sample_node){ .name = *path,
							     .next = nodes[at].first_child };
			nodes[at].first_child = child;
		}
		at = child;
		nodes[at].weight += weight;
	}
}

static struct record *get_record(const char *path)
{
	for (unsigned i = 0; i < n_records; i++) {
		if (strcmp(records[i].path, path) == 0)
			return &records[i];
	}
	assert_true(n_records < MAX_RECORDS);
	struct record *record = &records[n_records++];
	*record = (struct record){ .ticks = 0 };
	strcpy(record->path, path);
	return record;
}

static void call_path_record(unsigned node, const char *parent)
{
	size_t length = strlen(parent);
	char path[MAX_PATH], next[MAX_PATH];

	assert_true(length + 2 <= MAX_PATH);
	memcpy(path, parent, length);
	path[length] = nodes[node].name;
	path[length + 1] = '\0';
	const char *earlier = strchr(parent, nodes[node].name);
	size_t n_next = earlier ? (size_t)(earlier - parent) + 1 : length + 1;
	memcpy(next, path, n_next);
	next[n_next] = '\0';

	struct record *record = get_record(path);
	bool was_locked = record->is_locked;
	if (!was_locked)
		record->ticks += nodes[node].weight;
	record->is_locked = true;
	for (unsigned child = nodes[node].first_child; child; child = nodes[child].next)
		call_path_record(child, next);
	record->is_locked = was_locked;
}

static void summarize_below_root(unsigned node, char root)
{
	if (nodes[node].name == root) {
		call_path_record(node, "");
		return;
	}
	for (unsigned child = nodes[node].first_child; child; child = nodes[child].next)
		summarize_below_root(child, root);
}

static void make_records(char root)
{
	n_records = 0;
	summarize_below_root(0, root);
}

static void reverse(const char *path, char *reversed)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < length; i++)
		reversed[i] = path[length - 1 - i];
	reversed[length] = '\0';
}

/* Compares the paths that end with @last; 0: all. Returns how many there are. */
static unsigned compare_records(const struct view_row *view, char last)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_records; i++) {
		const char *path = records[i].path;
		char reversed[MAX_PATH];

		if (last && path[strlen(path) - 1] != last)
			continue;
		reverse(path, reversed);
		const struct view_row *row = letter_view_descend(view, last ? reversed : path);
		if (!row)
			fail_msg("no row for %s", path);
		assert_int_equal(row->total[0], records[i].ticks);
		n++;
	}
	return n;
}

static uint64_t check_bounds(const struct view_row *row)
{
	uint64_t self = row->self[0];

	assert_true(row->self[0] <= row->total[0]);
	for (const struct view_row *child = row->children; child; child = child->next) {
		assert_true(child->total[0] <= row->total[0]);
		assert_true(child->samples[0] <= row->samples[0]);
		self += check_bounds(child);
	}
	return self;
}

/* A path with loops of one or several functions, at times many times each. */
static void make_path(char *path, size_t size, unsigned n_letters)
{
	size_t n = 0, length = 1 + (size_t)rand() % 12;

	for (size_t i = 0; i < length && n + 1 < size; i++) {
		path[n++] = (char)('a' + (unsigned)rand() % n_letters);
		size_t loop = 1 + (size_t)rand() % n;
		for (int times = rand() % 8 ? 0 : rand() % 20; times && n + loop < size; times--) {
			memcpy(path + n, path + n - loop, loop);
			n += loop;
		}
	}
	path[n] = '\0';
}

static void make_profile(struct letter_view *fixture, unsigned n_letters)
{
	profile_add_process(fixture->profile, 10, "prog");
	n_nodes = 1;
	nodes[0] = (struct sample_node){ .name = ' ' };
	for (int n_samples = 1 + rand() % 30; n_samples; n_samples--) {
		uint64_t weight = 1 + (uint64_t)rand() % 100;
		char path[100];

		make_path(path, sizeof(path), n_letters);
		letter_view_add_sample(fixture, 0, path, weight);
		add_to_sample_tree(path, weight);
	}
}

static void compare_with_appendix(struct letter_view *fixture, char letter, unsigned n_letters)
{
	const char root[] = { letter, '\0' };
	unsigned n_paths = 0;

	make_records(letter);
	if (!n_records)
		return;
	const struct view_row *view = show_paths(fixture, root, PATHS_DOWN);
	assert_int_equal(compare_records(view, 0), count_rows(view));
	assert_int_equal(check_bounds(view), view->total[0]);
	view = show_paths(fixture, root, PATHS_UP);
	assert_int_equal(check_bounds(view), view->total[0]);
	for (unsigned first = 0; first < n_letters; first++) {
		make_records((char)('a' + first));
		n_paths += compare_records(view, letter);
	}
	assert_int_equal(n_paths, count_rows(view));
}

static void paths_are_those_of_the_appendix_for_any_root_and_recursion(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 300; i++) {
		unsigned n_letters = 1 + (unsigned)rand() % 6;
		void *fixture;

		assert_int_equal(letter_view_set_up(&fixture), 0);
		make_profile(fixture, n_letters);
		for (unsigned root = 0; root < n_letters; root++)
			compare_with_appendix(fixture, (char)('a' + root), n_letters);
		letter_view_tear_down(&fixture);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_down_from_main_are_those_of_the_paper),
		TEST(paths_up_from_db_read_record_are_those_of_the_paper),
		TEST(recursion_goes_on_from_where_its_function_was),
		TEST(roots_are_chosen_by_glob_and_the_outermost_counts),
		TEST(a_root_that_no_path_has_is_an_error),
		cmocka_unit_test(paths_are_those_of_the_appendix_for_any_root_and_recursion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
