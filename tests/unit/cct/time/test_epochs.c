#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/time/epochs.h"

#define START_NS 1000000u

struct fixture {
	struct epochs epochs;
	struct epoch_list list;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .list.n = 0 };
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	epoch_list_deinit(&fixture->list);
	epochs_deinit(&fixture->epochs);
	return 0;
}

static int begin(struct fixture *fixture, uint64_t first_ns, uint64_t loaded_ns, const char *text)
{
	const struct epoch epoch = { .first_ns = first_ns, .loaded_ns = loaded_ns, .n_files = 2 };

	return epochs_begin(&fixture->epochs, &fixture->list, &epoch, text);
}

/* A start, and two changes at 5 and 9 microseconds. */
static void make_three(struct fixture *fixture)
{
	assert_int_equal(begin(fixture, START_NS, START_NS, "program/libc.so.6"), 0);
	assert_int_equal(begin(fixture, START_NS + 5600, START_NS + 4000, "liba.so/libb.so"), 0);
	assert_int_equal(begin(fixture, START_NS + 9000, START_NS + 8000, "libc.so.6/libd.so"), 0);
}

static void a_sample_belongs_to_the_last_epoch_that_has_begun(void **state)
{
	struct fixture *fixture = *state;
	const struct epoch_list *list = &fixture->list;

	assert_int_equal(epoch_list_find(list, 0, START_NS, 7), 0);
	make_three(fixture);
	assert_int_equal(epoch_list_find(list, 0, START_NS, 0), 0);
	assert_int_equal(epoch_list_find(list, 0, START_NS, 4), 0);
	assert_int_equal(epoch_list_find(list, 0, START_NS, 5), 1);
	assert_int_equal(epoch_list_find(list, 0, START_NS, 8), 1);
	assert_int_equal(epoch_list_find(list, 0, START_NS, 9), 2);
	assert_int_equal(epoch_list_find(list, 0, START_NS, UINT64_MAX), 2);
	assert_int_equal(epoch_list_find(list, 0, START_NS + 7000, 0), 1);
}

static void an_epoch_lasts_until_the_next_is_loaded_or_the_last_sample(void **state)
{
	struct fixture *fixture = *state;

	make_three(fixture);
	assert_int_equal(epoch_end_ns(&fixture->list, 0), START_NS + 4000);
	assert_int_equal(epoch_end_ns(&fixture->list, 1), START_NS + 8000);
	assert_int_equal(epoch_end_ns(&fixture->list, 2), START_NS + 8000);
	fixture->list.epochs[2].end_ns = START_NS + 20000;
	assert_int_equal(epoch_end_ns(&fixture->list, 2), START_NS + 20000);
	assert_int_equal(fixture->epochs.n_most, 3);
}

static void times_that_are_not_in_order_are_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(begin(fixture, START_NS, START_NS + 1, "a"), -EINVAL);
	make_three(fixture);
	assert_int_equal(begin(fixture, START_NS + 9000, START_NS + 9000, "a"), -EINVAL);
	assert_int_equal(begin(fixture, START_NS + 9001, START_NS + 7999, "a"), -EINVAL);
	assert_int_equal(fixture->list.n, 3);
	assert_int_equal(begin(fixture, START_NS + 9001, START_NS + 8000, "a"), 0);
}

static void files_are_those_of_the_epoch(void **state)
{
	struct fixture *fixture = *state;
	struct file_names more = { .n = 0 };

	assert_int_equal(epochs_describe_first(&fixture->epochs, &fixture->list, &more), 0);
	make_three(fixture);
	assert_string_equal(epoch_files(&fixture->epochs, &fixture->list, 0), "program/libc.so.6");
	assert_string_equal(epoch_files(&fixture->epochs, &fixture->list, 2), "libc.so.6/libd.so");
	assert_string_equal(epoch_files(&fixture->epochs, &fixture->list, 3), "");
	assert_int_equal(file_names_add(&more, "program"), 0);
	assert_int_equal(epochs_describe_first(&fixture->epochs, &fixture->list, &more), 0);
	assert_string_equal(epoch_files(&fixture->epochs, &fixture->list, 0), "program");
	assert_int_equal(fixture->list.epochs[0].n_files, 1);
	file_names_deinit(&more);
}

static void epochs_are_selected_by_number_or_by_what_began_them(void **state)
{
	static const struct {
		const char *pattern;
		bool matches[3];
	} cases[] = {
		{ "2", { false, true, false } },
		{ "1-2", { true, true, false } },
		{ "3-2000000000", { false, false, true } },
		{ "libb.so", { false, true, false } },
		{ "lib*", { false, true, true } },
		{ "libc.so.6", { false, false, true } },
		{ "program", { false, false, false } },
		{ "2-1", { false, false, false } },
		{ "0", { false, false, false } },
		{ "", { false, false, false } },
	};
	struct fixture *fixture = *state;

	make_three(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint32_t index = 0; index < 3; index++)
			assert_int_equal(epoch_matches(&fixture->epochs, &fixture->list, index,
						       cases[i].pattern),
					 cases[i].matches[index]);
	}
}

static void the_number_of_epochs_is_bounded(void **state)
{
	struct fixture *fixture = *state;

	make_three(fixture);
	fixture->epochs.n = EPOCHS_MAX;
	assert_int_equal(begin(fixture, START_NS + 10000, START_NS + 10000, "a"), 0);
	assert_int_equal(fixture->list.n, 3);
	assert_int_equal(fixture->epochs.n_left_out, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sample_belongs_to_the_last_epoch_that_has_begun,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_epoch_lasts_until_the_next_is_loaded_or_the_last_sample, setup,
			teardown),
		cmocka_unit_test_setup_teardown(times_that_are_not_in_order_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(files_are_those_of_the_epoch, setup, teardown),
		cmocka_unit_test_setup_teardown(epochs_are_selected_by_number_or_by_what_began_them,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_number_of_epochs_is_bounded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
