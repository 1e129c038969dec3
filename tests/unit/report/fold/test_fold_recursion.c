#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

enum { MAX_PATHS = 60, MAX_DEPTH = 48 };

/* Samples, each with the path that the bounded tree has for it. */
struct expected {
	char paths[MAX_PATHS][MAX_DEPTH];
	uint64_t weights[MAX_PATHS];
	size_t n_paths;
	uint64_t whole;
};

static const struct view_row *show(struct letter_view *fixture, enum view_kind kind)
{
	return letter_view_show(fixture,
				&(struct view_options){ .kind = kind, .fold_recursion = true });
}

/* Section 4.2 of the paper: a call of what is active goes on from there. */
static void bound(const char *path, char bounded[static MAX_DEPTH])
{
	size_t n = 0;

	for (; *path; path++) {
		const char *active = memchr(bounded, *path, n);

		if (active)
			n = (size_t)(active - bounded);
		bounded[n++] = *path;
	}
	bounded[n] = '\0';
}

static void add_sample(struct letter_view *fixture, struct expected *expected, const char *path,
		       uint64_t weight)
{
	letter_view_add_sample(fixture, 0, path, weight);
	bound(path, expected->paths[expected->n_paths]);
	expected->weights[expected->n_paths++] = weight;
	expected->whole += weight;
}

/* Compares a row, whose path is @path, and those below it with the definition. */
static void check_row(const struct view_row *row, const char *path, const struct expected *expected,
		      uint64_t *sum)
{
	uint64_t self = 0, total = 0;

	for (size_t i = 0; i < expected->n_paths; i++) {
		const char *with = expected->paths[i];

		self += strcmp(with, path) == 0 ? expected->weights[i] : 0;
		total += strncmp(with, path, strlen(path)) == 0 ? expected->weights[i] : 0;
	}
	assert_int_equal(row->self[0], self);
	assert_int_equal(row->total[0], total);
	assert_in_range(row->total[0], 0, expected->whole);
	*sum += self;
	for (const struct view_row *child = row->children; child; child = child->next) {
		char below[MAX_DEPTH + 2];

		assert_null(strchr(path, child->name[0]));
		snprintf(below, sizeof(below), "%s%s", path, child->name);
		check_row(child, below, expected, sum);
	}
}

static void what_a_recursive_call_called_is_below_the_outer_call(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mabac", 1);
	letter_view_add_sample(fixture, 0, "mac", 2);
	letter_view_add_sample(fixture, 0, "maaa", 4);
	letter_view_add_sample(fixture, 0, "mab", 8);
	letter_view_add_sample(fixture, 0, "mabab", 16);
	const struct view_row *process = show(fixture, VIEW_TREE)->children;
	const struct view_row *a = letter_view_descend(process, "ma");

	assert_int_equal(a->self[0], 4);
	assert_int_equal(a->total[0], 31);
	assert_int_equal(letter_view_descend(process, "mac")->total[0], 3);
	assert_int_equal(letter_view_descend(process, "mac")->samples[0], 2);
	assert_int_equal(letter_view_descend(process, "mab")->total[0], 24);
	assert_null(letter_view_descend(process, "mab")->children);
}

static void callers_are_those_of_the_bounded_tree(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mabac", 1);
	letter_view_add_sample(fixture, 0, "mabc", 2);
	const struct view_row *c = letter_view_child(show(fixture, VIEW_CALLERS), "c");

	assert_int_equal(c->total[0], 3);
	assert_int_equal(letter_view_descend(c, "am")->total[0], 1);
	assert_null(letter_view_descend(c, "am")->children);
	assert_int_equal(letter_view_descend(c, "bam")->total[0], 2);
}

static void the_kernels_functions_and_the_users_are_different(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "ma>ABA", 1);
	const struct view_row *process = show(fixture, VIEW_TREE)->children;
	const struct view_row *kernel = letter_view_descend(process, "ma")->children;

	assert_string_equal(kernel->name, "[kernel]");
	assert_int_equal(letter_view_descend(kernel, "A")->self[0], 1);
	assert_int_equal(letter_view_descend(kernel, "AB")->total[0], 0);
}

static void other_views_are_of_the_whole_tree(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mabac", 1);
	letter_view_add_sample(fixture, 0, "mabab", 2);
	assert_int_equal(letter_view_child(show(fixture, VIEW_FUNCTIONS), "b")->total[0], 3);
	assert_int_equal(letter_view_child(show(fixture, VIEW_CALLGRAPH), "b")->total[0], 3);
	const struct view_row *paths = letter_view_show(
		fixture,
		&(struct view_options){ .kind = VIEW_PATHS, .root = "b", .fold_recursion = true });
	assert_int_equal(letter_view_descend(paths, "ba")->total[0], 3);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Few letters make much recursion, direct and mutual; each trial has more of them. */
static void generate(struct letter_view *fixture, uint32_t seed, struct expected *expected)
{
	uint32_t random = seed, n_letters = 1 + seed % 9;

	for (unsigned i = 0; i < MAX_PATHS; i++) {
		char path[MAX_DEPTH] = "m";
		size_t n = 1 + next_random(&random) % (MAX_DEPTH - 2);

		for (size_t j = 1; j < n; j++)
			path[j] = (char)('a' + next_random(&random) % n_letters);
		add_sample(fixture, expected, path, 1 + next_random(&random) % 1000);
	}
}

static void generated_trees_are_bounded_and_keep_their_cost(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 100; seed++) {
		struct expected *expected = calloc(1, sizeof(*expected));
		void *made;
		uint64_t sum = 0;

		assert_non_null(expected);
		letter_view_set_up(&made);
		struct letter_view *fixture = made;
		profile_add_process(fixture->profile, 10, "prog");
		generate(fixture, seed, expected);
		const struct view_row *process = show(fixture, VIEW_TREE)->children;
		check_row(letter_view_child(process, "m"), "m", expected, &sum);
		assert_int_equal(sum, expected->whole);
		assert_null(process->next);
		sum = 0;
		const struct view_row *root = show(fixture, VIEW_CALLERS);
		for (const struct view_row *row = root->children; row; row = row->next)
			sum += row->self[0];
		assert_int_equal(sum, expected->whole);
		letter_view_tear_down(&made);
		free(expected);
	}
}

static void deep_recursion_is_two_rows(void **state)
{
	enum { LEVELS = 30000 };
	struct letter_view *fixture = *state;
	char *path = calloc(1, LEVELS + 1);

	assert_non_null(path);
	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < LEVELS; i++)
		path[i] = i % 2 ? 'b' : 'a';
	letter_view_add_sample(fixture, 0, path, 5);
	free(path);
	const struct view_row *process = show(fixture, VIEW_TREE)->children;
	assert_int_equal(letter_view_descend(process, "ab")->self[0], 5);
	assert_null(letter_view_descend(process, "ab")->children);
}

#define VIEW_TEST(name) \
	cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		VIEW_TEST(what_a_recursive_call_called_is_below_the_outer_call),
		VIEW_TEST(callers_are_those_of_the_bounded_tree),
		VIEW_TEST(the_kernels_functions_and_the_users_are_different),
		VIEW_TEST(other_views_are_of_the_whole_tree),
		cmocka_unit_test(generated_trees_are_bounded_and_keep_their_cost),
		VIEW_TEST(deep_recursion_is_two_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
