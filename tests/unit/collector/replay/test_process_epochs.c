/* Which samples begin epochs of their process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/replay/process_epochs.h"

#define START_NS 1000000u
#define PAGE     0x1000u

struct fixture {
	struct profile *profile;
	struct address_space *space;
	struct process_epochs epochs;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .profile = profile_create(), .space = address_space_create() };
	assert_non_null(fixture.profile);
	assert_non_null(fixture.space);
	fixture.profile->info.start_ns = START_NS;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	process_epochs_deinit(&fixture->epochs);
	address_space_unref(fixture->space);
	profile_destroy(fixture->profile);
	return 0;
}

/* Times are in microseconds from the start on. */
static uint64_t at(uint64_t microseconds)
{
	return START_NS + 1000 * microseconds;
}

/* A module's mappings are at its address, one or several pages. */
static void map(struct fixture *fixture, uint64_t microseconds, uint64_t address, const char *path)
{
	const struct module_key key = { .kind = *path == '/' ? MODULE_ELF : MODULE_ANON,
					.path = path };
	const struct mapping mapping = {
		.start = address,
		.end = address + PAGE,
		.module = module_table_add(&fixture->profile->modules, &key),
		.is_exec = true,
	};

	assert_int_not_equal(mapping.module, 0);
	assert_int_equal(process_epochs_map(&fixture->epochs, fixture->profile, fixture->space,
					    mapping.module, at(microseconds)),
			 0);
	assert_int_equal(address_space_map(&fixture->space, &mapping), 0);
}

/* @user_pc: 0: of the kernel alone. */
static void meet(struct fixture *fixture, uint64_t microseconds, uint64_t user_pc)
{
	assert_int_equal(process_epochs_meet_sample(&fixture->epochs, fixture->profile,
						    fixture->space, at(microseconds), user_pc),
			 0);
}

static void run(struct fixture *fixture, uint64_t microseconds)
{
	meet(fixture, microseconds, PAGE);
}

static void start(struct fixture *fixture)
{
	map(fixture, 0, PAGE, "/usr/bin/program");
	map(fixture, 0, 7 * PAGE, "/lib/libc.so.6");
	map(fixture, 0, 8 * PAGE, "/lib64/ld-linux-x86-64.so.2");
	run(fixture, 1);
}

static const struct epoch_list *list_of(const struct fixture *fixture)
{
	return process_epochs_list(&fixture->epochs, fixture->profile);
}

static void expect_epoch(const struct fixture *fixture, uint32_t index, uint64_t loaded,
			 uint64_t first, const char *files)
{
	const struct epoch_list *list = list_of(fixture);

	assert_true(index < list->n);
	assert_int_equal(list->epochs[index].loaded_ns, at(loaded));
	assert_int_equal(list->epochs[index].first_ns, at(first));
	assert_string_equal(epoch_files(&fixture->profile->epochs, list, index), files);
}

static void the_first_epoch_has_what_is_loaded_when_the_program_runs(void **state)
{
	struct fixture *fixture = *state;

	meet(fixture, 1, 0);
	expect_epoch(fixture, 0, 1, 1, "");
	map(fixture, 2, PAGE, "/usr/bin/program");
	map(fixture, 2, 8 * PAGE, "/lib64/ld-linux-x86-64.so.2");
	meet(fixture, 3, 8 * PAGE);
	map(fixture, 4, 7 * PAGE, "/lib/libc.so.6");
	run(fixture, 5);
	assert_int_equal(list_of(fixture)->n, 1);
	expect_epoch(fixture, 0, 1, 1, "program/libc.so.6/ld-linux-x86-64.so.2");
	assert_int_equal(list_of(fixture)->epochs[0].n_files, 3);
	assert_int_equal(list_of(fixture)->epochs[0].end_ns, at(5));
}

static void files_that_are_loaded_later_begin_an_epoch_once_they_are_there(void **state)
{
	struct fixture *fixture = *state;

	start(fixture);
	run(fixture, 10);
	map(fixture, 11, 20 * PAGE, "/lib/liba.so");
	meet(fixture, 12, 0);
	meet(fixture, 13, 8 * PAGE);
	map(fixture, 14, 30 * PAGE, "/lib/libb.so (deleted)");
	assert_int_equal(list_of(fixture)->n, 1);
	meet(fixture, 14, 99 * PAGE);
	assert_int_equal(list_of(fixture)->n, 1);
	run(fixture, 15);
	run(fixture, 16);
	assert_int_equal(list_of(fixture)->n, 2);
	expect_epoch(fixture, 1, 11, 15, "liba.so/libb.so");
	map(fixture, 20, 40 * PAGE, "/lib/libc.so");
	run(fixture, 21);
	assert_int_equal(list_of(fixture)->n, 3);
	expect_epoch(fixture, 2, 20, 21, "libc.so");
}

static void what_is_no_new_file_begins_none(void **state)
{
	static const char *const paths[] = {
		"/usr/bin/program",    "/dev/zero",     "/dev/nvidia0",
		"/memfd:doublemapper", "/SYSV00000000", "anonymous",
	};
	struct fixture *fixture = *state;

	start(fixture);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		map(fixture, 2 + i, (20 + i) * PAGE, paths[i]);
		run(fixture, 10 + i);
	}
	assert_int_equal(list_of(fixture)->n, 1);
}

static void samples_of_one_microsecond_are_in_one_epoch(void **state)
{
	struct fixture *fixture = *state;

	start(fixture);
	run(fixture, 10);
	map(fixture, 10, 20 * PAGE, "/lib/liba.so");
	run(fixture, 10);
	assert_int_equal(list_of(fixture)->n, 1);
	run(fixture, 9);
	assert_int_equal(list_of(fixture)->n, 1);
	run(fixture, 11);
	assert_int_equal(list_of(fixture)->n, 2);
	assert_int_equal(epoch_list_find(list_of(fixture), 0, START_NS, 10), 0);
	assert_int_equal(epoch_list_find(list_of(fixture), 0, START_NS, 11), 1);
}

static void epochs_move_to_the_row_of_the_process(void **state)
{
	struct fixture *fixture = *state;

	start(fixture);
	map(fixture, 10, 20 * PAGE, "/lib/liba.so");
	run(fixture, 11);
	assert_int_equal(profile_add_process(fixture->profile, 5, "program"), 0);
	process_epochs_enter(&fixture->epochs, fixture->profile, 0);
	process_epochs_enter(&fixture->epochs, fixture->profile, 0);
	map(fixture, 20, 30 * PAGE, "/lib/libb.so");
	run(fixture, 21);
	assert_ptr_equal(list_of(fixture), &fixture->profile->processes[0].epochs);
	assert_int_equal(list_of(fixture)->n, 3);
	expect_epoch(fixture, 1, 10, 11, "liba.so");
	expect_epoch(fixture, 2, 20, 21, "libb.so");
}

static void times_of_mappings_that_are_not_known_or_late_are_bounded(void **state)
{
	struct fixture *fixture = *state;

	start(fixture);
	map(fixture, 500, 20 * PAGE, "/lib/liba.so");
	run(fixture, 11);
	expect_epoch(fixture, 1, 11, 11, "liba.so");
	map(fixture, 2, 30 * PAGE, "/lib/libb.so");
	run(fixture, 21);
	expect_epoch(fixture, 2, 11, 21, "libb.so");
}

static void a_forked_process_begins_with_what_is_there(void **state)
{
	struct fixture *fixture = *state;
	struct process_epochs child = { .profile_index = 0 };

	start(fixture);
	map(fixture, 10, 20 * PAGE, "/lib/liba.so");
	run(fixture, 11);
	struct process_epochs parent = fixture->epochs;
	fixture->epochs = child;
	run(fixture, 12);
	run(fixture, 13);
	assert_int_equal(list_of(fixture)->n, 1);
	expect_epoch(fixture, 0, 12, 12, "program/libc.so.6/ld-linux-x86-64.so.2/liba.so");
	process_epochs_deinit(&parent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_first_epoch_has_what_is_loaded_when_the_program_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(
			files_that_are_loaded_later_begin_an_epoch_once_they_are_there, setup,
			teardown),
		cmocka_unit_test_setup_teardown(what_is_no_new_file_begins_none, setup, teardown),
		cmocka_unit_test_setup_teardown(samples_of_one_microsecond_are_in_one_epoch, setup,
						teardown),
		cmocka_unit_test_setup_teardown(epochs_move_to_the_row_of_the_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			times_of_mappings_that_are_not_known_or_late_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(a_forked_process_begins_with_what_is_there, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
