/* Choices as they are written, and what they mean in a table of processes. */
#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collector/record/live/process_choice.h"

#define SELF 90

static struct process_entry entries[] = {
	{ .pid = 1, .parent = 0, .comm = "init" },
	{ .pid = 10, .parent = 1, .comm = "postgres" },
	{ .pid = 11, .parent = 10, .comm = "checkpointer" },
	{ .pid = 12, .parent = 10, .uid = 7, .comm = "postgres" },
	{ .pid = 20, .parent = 1, .comm = "g++" },
	{ .pid = 21, .parent = 20, .comm = "cc1plus" },
	{ .pid = 30, .parent = 1, .uid = 7, .comm = "chromium-headle" },
	{ .pid = 80, .parent = 1, .comm = "bash" },
	{ .pid = SELF, .parent = 80, .comm = "dendro" },
	{ .pid = 91, .parent = SELF, .uid = 7, .comm = "dendro" },
	{ .pid = 92, .parent = 1, .comm = "dendro" },
};
static const struct process_table table = { entries, sizeof(entries) / sizeof(entries[0]) };

static int add(struct process_choice *choice, char text[64], const char *list)
{
	memset(choice, 0, sizeof(*choice));
	snprintf(text, 64, "%s", list);
	return process_choice_add(choice, text);
}

static void expect(const char *list, const char *expected, int expected_err)
{
	char text[64], found[128] = "";
	struct process_choice choice;
	struct int_list pids = { 0 };
	const char *missing;
	size_t size = 0;

	assert_int_equal(add(&choice, text, list), 0);
	assert_int_equal(process_choice_find(&choice, &table, SELF, &pids, &missing), expected_err);
	for (size_t i = 0; i < pids.n; i++)
		size += (size_t)snprintf(found + size, sizeof(found) - size, "%s%d", i ? " " : "",
					 pids.values[i]);
	assert_string_equal(found, expected);
	if (expected_err)
		assert_non_null(missing);
	int_list_deinit(&pids);
	process_choice_deinit(&choice);
}

static void users_are_chosen_by_number(void **state)
{
	struct process_choice choice = { 0 };
	struct int_list pids = { 0 };
	const char *missing;

	(void)state;
	assert_int_equal(process_choice_add_user(&choice, "nobody or nothing"), -ENOENT);
	assert_int_equal(process_choice_add_user(&choice, "-1"), -ENOENT);
	assert_true(process_choice_is_empty(&choice));
	assert_int_equal(process_choice_add_user(&choice, "7"), 0);
	assert_true(process_choice_needs_table(&choice));
	assert_int_equal(process_choice_find(&choice, &table, SELF, &pids, &missing), 0);
	assert_int_equal(pids.n, 2);
	assert_int_equal(pids.values[0], 12);
	assert_int_equal(pids.values[1], 30);
	int_list_deinit(&pids);
	process_choice_deinit(&choice);
}

static void users_are_chosen_by_name(void **state)
{
	struct process_choice choice = { 0 };

	(void)state;
	if (!getpwnam("root"))
		skip(); /* a machine without a list of users */
	assert_int_equal(process_choice_add_user(&choice, "root"), 0);
	assert_int_equal(choice.uids.values[0], 0);
	process_choice_deinit(&choice);
}

static void numbers_are_taken_with_or_without_descendants(void **state)
{
	(void)state;
	expect("10", "10", 0);
	expect("10-12,4000", "10 11 12 4000", 0);
	expect("10+", "10 11 12", 0);
	expect("10-11+,20", "10 11 12 20", 0);
}

static void names_are_compared_as_those_of_samples(void **state)
{
	(void)state;
	expect("postgres", "10 12", 0);
	expect("post*,init", "1 10 12", 0);
	expect("chromium-headless-shell", "30", 0);
	expect("checkpointer,20+", "11 20 21", 0);
}

static void a_plus_belongs_to_the_name_if_a_process_has_it(void **state)
{
	(void)state;
	expect("g++", "20", 0);
	expect("g+++", "20 21", 0);
	expect("postgres+", "10 11 12", 0);
}

static void the_recorder_and_its_command_are_not_chosen_by_name(void **state)
{
	(void)state;
	expect("dendro", "92", 0);
	expect("bash+", "80", 0);
	expect("90", "90", 0);
}

static void a_name_that_nobody_has_is_named_and_the_others_are_added(void **state)
{
	char text[64];
	struct process_choice choice;
	struct int_list pids = { 0 };
	const char *missing;

	(void)state;
	expect("mysqld,10+", "10 11 12", -ESRCH);
	expect("mysqld+", "", -ESRCH);
	expect("postgre?x,mysqld", "", -ESRCH);
	assert_int_equal(add(&choice, text, "init,mysqld,mariadb"), 0);
	assert_int_equal(process_choice_find(&choice, &table, SELF, &pids, &missing), -ESRCH);
	assert_string_equal(missing, "mysqld");
	int_list_deinit(&pids);
	process_choice_deinit(&choice);
}

static void wrong_numbers_and_empty_items_are_refused(void **state)
{
	static const char *const wrong[] = { "",    ",",    "1,",  "1-",      "3-1",  "-5",  "+",
					     "1++", "1,,2", "1+2", "4194305", "a,,b", "1+-", "a," };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[64];
		struct process_choice choice;

		assert_int_equal(add(&choice, text, wrong[i]), -EINVAL);
		process_choice_deinit(&choice);
	}
}

static void only_trees_and_names_need_a_table(void **state)
{
	static const struct {
		const char *list;
		bool needs;
	} cases[] = { { "1,2-3", false }, { "1+", true }, { "a", true }, { "7z,1", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];
		struct process_choice choice;

		assert_int_equal(add(&choice, text, cases[i].list), 0);
		assert_int_equal(process_choice_needs_table(&choice), cases[i].needs);
		assert_false(process_choice_is_empty(&choice));
		process_choice_deinit(&choice);
		assert_true(process_choice_is_empty(&choice));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_are_chosen_by_number),
		cmocka_unit_test(users_are_chosen_by_name),
		cmocka_unit_test(numbers_are_taken_with_or_without_descendants),
		cmocka_unit_test(names_are_compared_as_those_of_samples),
		cmocka_unit_test(a_plus_belongs_to_the_name_if_a_process_has_it),
		cmocka_unit_test(the_recorder_and_its_command_are_not_chosen_by_name),
		cmocka_unit_test(a_name_that_nobody_has_is_named_and_the_others_are_added),
		cmocka_unit_test(wrong_numbers_and_empty_items_are_refused),
		cmocka_unit_test(only_trees_and_names_need_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
